"""The inn as admins run it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.server.administered_inn import AdministeredInn


@pytest.fixture
def inn(tmp_path: Path) -> AdministeredInn:
    return AdministeredInn(tmp_path)
