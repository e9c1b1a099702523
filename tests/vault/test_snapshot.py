"""What is read of a world's files without reading each line as what it is."""

from __future__ import annotations

from vault.snapshot import Snapshot
from vault.vault import Vault


def test_everybody_in_the_chronicle_is_known_also_of_lines_that_another_version_wrote_or_a_crash_tore(tmp_path):
    (tmp_path / "chronicle").mkdir()
    lines = (
        b'{"at": "2026-11-22T12:00:00.000Z", "kind": "said", "who": "Ana", "to": "Ben \\"B\\" Moss", "words": "Hi"}',
        b'{"kind":"said","who":"J\\u00f8rn","words":"\\"who\\": \\"Nobody\\""}',
        b'{"at": "2026-11-22T12:00:00.000Z", "kind": "said", "who": "To',
        b'{"who": "Cy", "kind": "left", "at": "2026-11-22T12:00:00.000Z", "to": 7}',
    )
    (tmp_path / "chronicle" / "2026-11-22.jsonl").write_bytes(b"\n".join(lines) + b"\n")
    assert Snapshot(Vault(tmp_path)).event_people() == {"Ana", 'Ben "B" Moss', "Jørn", "Cy"}
