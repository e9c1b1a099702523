"""Which integration tests run beside each other: see `make integration`, which runs them in several processes."""

import pytest

EMBEDDED_MODEL = "embedded model"


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Keep each module in one process, which then starts its server once; what loads the model runs one by one."""
    for item in items:
        if item.get_closest_marker("integration"):
            loads_model = item.get_closest_marker("embedded") is not None
            item.add_marker(pytest.mark.xdist_group(EMBEDDED_MODEL if loads_model else item.location[0]))
