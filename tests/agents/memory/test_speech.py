"""Who speaks in a memory and who knows of it: by its fields, and in lines from before by the world's own sentences."""

from __future__ import annotations

import pytest

from agents.memory.speech import Speech, parties_of, speech_in
from vault.memory.memory_line import Memory

BOTH = ("Ana", "Rook")


def memory(kind: str, text: str, **fields: object) -> Memory:
    return Memory(1, 0, kind, "Mill", text, () if kind == "acted" else ("Ana",), **fields)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("one", "speech"),
    [
        (memory("observed", 'Ana says, "Oh."'), Speech("Ana", "Oh.")),
        (memory("observed", 'Ana says, "Oh."', by="Ana", event="said"), Speech("Ana", "Oh.")),
        (memory("observed", 'Ana sagt: "Oh."', by="Ana", event="said"), Speech("Ana", 'Ana sagt: "Oh."')),
        (memory("observed", 'Ana whispers to you, "Oh."'), Speech("Ana", "Oh.", BOTH)),
        (memory("told", 'Ana tells you, "Oh."', by="Ana", event="told", parties=BOTH), Speech("Ana", "Oh.", BOTH)),
        (memory("acted", "say Oh. | to be kind", event="said"), Speech("Rook", "Oh.")),
        (memory("acted", "whisper Ana Oh."), Speech("Rook", "Oh.", ("Rook", "Ana"))),
        (memory("acted", "whisper Ana Oh.", to="Ana", event="whispered", parties=BOTH), Speech("Rook", "Oh.", BOTH)),
        (memory("observed", "Ana smiles."), None),
        (memory("acted", "look"), None),
    ],
)
def test_speech_has_speaker_words_and_parties(one, speech):
    assert speech_in(one, "Rook") == speech
    assert parties_of(one, "Rook") == (speech.parties if speech else ())
