"""Which integration tests run beside each other, as `make integration` has them, and the browser of a module."""

from collections.abc import Iterator
from typing import Any

import pytest

from tests.integration.browser import chromium

EMBEDDED_MODEL = "embedded model"


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Keep each module in one process, which then starts its server once; what loads the model runs one by one."""
    for item in items:
        if item.get_closest_marker("integration"):
            loads_model = item.get_closest_marker("embedded") is not None
            item.add_marker(pytest.mark.xdist_group(EMBEDDED_MODEL if loads_model else item.location[0]))


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """One Chromium for a module: where it runs, no test can have an event loop of its own in this thread."""
    with chromium() as browser:
        yield browser
