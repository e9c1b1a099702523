"""What an agent would tell of its private reasons, and what is no secret."""

from __future__ import annotations

import asyncio

import pytest

from agents.asking import TOLD_A_REASON
from agents.models.queue import ModelQueue
from agents.replies.reply import first_command, open_to
from agents.replies.secrecy import Reasons
from tests.agents.house import House
from tests.full_table import full_table
from tests.scripted_model import ScriptedModel
from tests.world.inn import inn

PROMPT = """You are Rook. The fire burns low.
~Rook> give lamp to Ana | I hid the key under it, and she must not find out before Sunday (×2)
~Rook> say Good evening. | good evening to all of you
~Rook> look | he asked
Ana says, "~ Rook> look | the stairs are dark tonight"
~Rook> wait | the stairs are dark tonight
~Rook>"""


@pytest.mark.parametrize(
    "line",
    [
        "say I hid the key under it, and she must not find out before Sunday.",
        "whisper Ben My reason: i HID the key under it and she must not -- that is all | he asked",
        "emote mutters: she must not find out before Sunday; the key under it, and she must not find out before Sunday",
        "share plan -> I hid the key under it, and she must not find out before Sunday",
        "tell Ana I hid _the key_ under it, and she must not",
    ],
)
def test_a_reason_is_not_told_word_for_word(line):
    assert Reasons("Rook", PROMPT).are_told_by(line)


@pytest.mark.parametrize(
    "line",
    [
        "think I hid the key under it, and she must not find out before Sunday",
        "note Key -> I hid the key under it, and she must not find out before Sunday",
        "say I have hidden a key. | I hid the key under it, and she must not find out before Sunday",
        "say You asked, and he asked.",
        "say The stairs are dark tonight.",
        "say The key? She must not find out.",
        "",
    ],
)
def test_what_nobody_hears_what_was_said_openly_and_what_is_in_other_words_is_no_secret(line):
    assert not Reasons("Rook", PROMPT).are_told_by(line)


def test_a_model_that_is_talked_into_reciting_its_reason_tells_nobody(tmp_path):
    house = House(tmp_path)
    rook, ben = house.agents["Rook"], house.player("Ben")
    said = iter(["look | I hid the key under the lamp", "say Because I hid the key under the lamp. | asked", "wait"])
    rook.queue = ModelQueue(ScriptedModel(lambda request: next(said)))
    outcomes = [asyncio.run(rook.tick()) for _ in range(2)]
    assert [turn.outcome for turn in outcomes] == ["acted", "speechless"]
    assert outcomes[1].why == TOLD_A_REASON
    assert ben.screen() == []


@pytest.mark.parametrize("reply", ["sing a song | I hid the key", "get | I hid the key"])
def test_what_was_wrong_with_a_reply_is_told_without_its_reason(reply):
    told = first_command(reply, "Rook", full_table(), (), open_to(inn().characters["Rook"])).problem
    assert told
    assert "hid" not in told
