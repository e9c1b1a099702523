"""What is built in a running world is in its notes, though the world is killed the moment it was seen."""

from __future__ import annotations

import signal

import pytest

from tests.integration.running import ADMIN, new_vault, running

pytestmark = pytest.mark.integration

ROOM = "---\nnumber: 15\n"


def test_what_was_built_and_moved_outlives_a_kill(tmp_path):
    vault = new_vault(tmp_path / "world")
    mill = (vault / "rooms" / "The Mill.md").read_text()
    with running(vault) as server:
        warden = server.player(ADMIN)
        warden.asks("@dig up to Wächter's Loft")
        warden.asks("@describe here -> Planks.\\n\\n## Exits\\n- **none**: [[Nowhere]]")
        warden.asks("@create oil can")
        warden.asks("@set oil can mood = no")
        warden.asks("up")
        warden.asks("drop oil can")
        server.signal(signal.SIGKILL)
    loft = (vault / "rooms" / "Wächter's Loft.md").read_text()
    assert loft.startswith(ROOM) and "- **down**, d: [[The Landing]]" in loft
    landing = (vault / "rooms" / "The Landing.md").read_text()
    assert "\n---\nPlanks.\n\n\\## Exits\n- **none**: [[Nowhere]]\n\n" in landing
    assert (vault / "rooms" / "The Mill.md").read_text() == mill
    with running(vault) as server:
        warden = server.player(ADMIN)
        seen = warden.asks("look")
        assert "Wächter's Loft" in seen and "You see an oil can here." in seen
        assert "mood = no" in warden.asks("@examine oil can")
        warden.asks("down")
        seen = warden.asks("look")
        assert "Planks." in seen and "## Exits" in seen and "- **none**: [[Nowhere]]" in seen
        warden.asks("@destroy oil can")
        assert not (vault / "things" / "oil can.md").exists()
        assert (vault / ".trash" / "things" / "oil can.md").exists()
        warden.asks("@undo")
        assert (vault / "things" / "oil can.md").exists()
        assert not server.failure
