"""Dreams: made behind everything else, told when they are over, and never taken for what has happened."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable
from pathlib import Path

import pytest

from agents.commands.mind_commands import MAX_DREAM_CHARACTERS, SLOTS, TEMPLATE, Dreamer, dream_text
from agents.escaping import load_template
from agents.models.model import ModelError, Request
from agents.models.queue import ModelQueue
from tests.agents.house import House
from tests.agents.test_agent import settled
from tests.scripted_model import Reply, ScriptedModel
from tests.vault.vault_of import vault_of
from vault.errors import NoteError

PAST = "\n".join(f"Ana says {number}." for number in range(100))


def dreamt(root: Path, *script: Reply | Callable[[Request], Reply], context: int = 8192) -> tuple[list[str], list[str]]:
    """Return what was told of one dream, and the prompts of the model."""
    model = ScriptedModel(*script, context_tokens=context)

    async def night() -> list[str]:
        queue, told = ModelQueue(model), list[str]()
        dreamer = Dreamer(vault_of(root, {}), lambda: queue, random.Random(1), 60.0)
        dreamer.dream("Rook", PAST, told.append)
        await settled(50)
        return told

    return asyncio.run(night()), model.prompts


@pytest.mark.parametrize("thought", ["", "<think>A dream, then.</think>"])
def test_a_dream_is_made_of_the_past_and_told_once_and_without_thoughts(tmp_path, thought):
    told, prompts = dreamt(tmp_path, f"{thought}I flew over the weir.")
    assert told == ["I flew over the weir."]
    assert PAST in prompts[0]
    assert prompts[0].endswith("Rook's dream:")


def test_of_a_past_that_is_too_long_the_newest_is_dreamt(tmp_path):
    _, prompts = dreamt(tmp_path, "I flew.", context=200)
    shown = [line for line in prompts[0].split("\n") if line.startswith("Ana says")]
    assert shown == PAST.split("\n")[-len(shown) :]
    assert 0 < len(shown) < 50


@pytest.mark.parametrize("reply", [ModelError("scripted is gone."), ""])
def test_who_dreams_nothing_is_told_so(tmp_path, reply):
    assert dreamt(tmp_path, reply)[0] == [""]


async def test_nobody_dreams_two_dreams_at_a_time(tmp_path):
    queue, told = ModelQueue(ScriptedModel(lambda request: "I flew.")), list[str]()
    dreamer = Dreamer(vault_of(tmp_path, {}), lambda: queue, random.Random(1), 60.0)
    for _ in range(3):
        dreamer.dream("Rook", PAST, told.append)
    await settled(50)
    assert told == ["I flew."]


async def test_a_dream_that_is_cut_short_by_the_end_of_the_world_is_not_told(tmp_path):
    model = ScriptedModel("I flew.")
    model.hold()
    queue, told = ModelQueue(model), list[str]()
    dreamer = Dreamer(vault_of(tmp_path, {}), lambda: queue, random.Random(1), 60.0)
    dreamer.dream("Rook", PAST, told.append)
    await asyncio.sleep(0)
    await queue.close()
    await settled(50)
    assert told == []


def test_a_dream_is_told_in_whole_sentences_on_one_line():
    assert dream_text(' "I flew.\nIt rained! And th') == "I flew. It rained!"
    assert dream_text("I flew and flew") == "I flew and flew"
    assert len(dream_text("word " * 1000)) <= MAX_DREAM_CHARACTERS


def test_what_an_agent_dreams_is_remembered_as_told_and_is_no_fact(tmp_path):
    house = House(tmp_path)
    house.game.tell("Rook", "You dreamt: Ana takes the oil lamp. Ben promised to bring me bread.")
    rook = house.agents["Rook"]
    rook.facts.take_in()
    assert [(m.kind, m.text[:11]) for m in rook.memory.journal.read(1, 9)][-1] == ("told", "You dreamt:")
    assert [fact for fact in rook.facts.facts if fact.section != "Places"] == []


def test_a_template_without_a_slot_is_refused(tmp_path):
    vault = vault_of(tmp_path, {"templates/dream.md": "Dream, {name}!\n"})
    with pytest.raises(NoteError, match=r"templates/dream\.md: the slot \{past\} is missing"):
        load_template(vault, TEMPLATE, SLOTS)
