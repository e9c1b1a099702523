"""What somebody asks an agent to tell somebody else."""

from __future__ import annotations

import pytest

from agents.components.messages import words_to_tell


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Tell Ben that gate three leaks.", "gate three leaks"),
        ("could you let ben know, the boat is late? thanks", "the boat is late"),
        ("if ben comes by can u tell him gate 3 is leaking? im in a rush", "gate 3 is leaking"),
        ("Remind Ben, he owes me a coin!", "he owes me a coin"),
        ("Don't tell Ben that gate three leaks.", ""),
        ("You must not tell Ben I was here.", ""),
        ("Did you tell Ben that it leaks?", ""),
        ("I want to tell Ben that it leaks.", ""),
        ("Tell Ben about the gate.", ""),
        ("Tell me a story about Ben.", ""),
        ("Ben, tell me that it leaks.", ""),
        ("Let Benedict know it leaks.", ""),
        ("Let Ben alone, please.", ""),
        ("When you see Ben, let him know it leaks, will you?", "it leaks, will you"),
        ("Tell him that Ben was here.", ""),
        ("if my brother turns up can u tell him im at the mill? ben, red coat", "im at the mill"),
        ("When the miller comes, tell him that it leaks! His name is Ben.", "it leaks"),
        ("Ben is my brother. If my wife comes, tell her that I left.", ""),
    ],
)
def test_what_is_to_be_told_to_somebody_is_what_stands_behind_their_name(text, words):
    assert words_to_tell(text, "Ben") == words
