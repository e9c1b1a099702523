"""One call in a quiet hour: when it is made, what it keeps, what it costs, and that nobody waits for it."""

from __future__ import annotations

import asyncio
import json

import pytest

from agents.escaping import load_template
from agents.models.model import Capabilities, ModelError
from agents.reflection import reflection as module
from agents.reflection.acquaintances import CONTRADICTED, Reflected
from agents.reflection.reflecting import SLOTS, TEMPLATE
from agents.reflection.speech_facts import SpeechFact
from tests.agents.reflection.looking_back import DAY, NEXT_DAY, NEXT_NIGHT, NIGHT, Mind, fact, insight, intent
from vault.errors import NoteError
from world.game_time import GameTime

GOOD = {
    "facts": [fact("I lost my dog", 5), fact("I lost my cat", 5)],
    "insights": [insight("Robin waits for Biscuit by the water.", 5, 10)],
    "people": [intent("Ask Robin about Biscuit.", 5)],
}


@pytest.fixture(autouse=True)
def quick(monkeypatch):
    monkeypatch.setattr(module, "CHECK_SECONDS", 0.001)


def test_in_a_night_it_is_asked_once_and_what_is_borne_out_is_kept(tmp_path):
    mind = Mind(tmp_path, GOOD)
    assert mind.night()
    assert mind.thinks == ["Robin waits for Biscuit by the water."]
    assert [one.evidence for one in mind.opinions.in_force] == [(5, 10)]
    assert [one.words for one in mind.people.facts("Robin")] == ["I lost my dog near the weir yesterday."]
    assert [one.words for one in mind.people.opinions("Robin")] == ["Ask Robin about Biscuit."]
    assert [(one.label, one.words, one.tags) for one in mind.opinions.dropped] == [
        ("Robin", "I lost my cat", ("its words do not stand in the memory that it cites",))
    ]
    (request,) = mind.model.requests
    mind.memory.archive_writer.write()
    (archived,) = (tmp_path / "agents" / "Eliza" / "archive").glob("*.jsonl")
    assert json.loads(archived.read_text("utf-8").splitlines()[-1])["question"] == request.prompt
    assert '5. Robin says, "I lost my dog near the weir yesterday.' in request.prompt
    assert request.schema is not None
    assert mind.memory.journal.last == len(DAY)


def test_what_it_has_seen_and_cost_is_known_after_a_restart(tmp_path):
    mind = Mind(tmp_path, GOOD, GOOD)
    mind.night()
    mind.open()
    assert (mind.opinions.reflected.upto, mind.opinions.reflected.day) == (10, 1)
    assert "1970-01-01 00:00, scripted" in mind.opinions.reflected.told
    assert "3 kept, 1 dropped" in mind.opinions.reflected.told
    mind.lives(*DAY)
    assert not mind.night()
    assert not mind.night(NEXT_DAY)
    assert mind.night(NEXT_NIGHT)
    assert "1. Odile" in mind.model.prompts[1]
    assert mind.thinks == ["Robin waits for Biscuit by the water."]


def test_by_day_it_waits_for_a_publication(tmp_path):
    mind = Mind(tmp_path, GOOD)
    day = GameTime(10 * 60)
    assert not mind.night(day)
    text = "---\ncovers: [1, 5]\ngeneration: 3\n---\nI met Robin.\n"
    mind.vault.write_text(text, "agents", "Eliza", "summaries", "recent.md")
    mind.memory.poll_edits()
    assert mind.night(day)
    assert mind.opinions.reflected.generation == 3
    mind.lives(*DAY)
    assert not mind.night(day)


def test_of_a_day_without_anything_telling_nothing_is_asked(tmp_path):
    mind = Mind(tmp_path, GOOD, GOOD)
    mind.night()
    mind.lives("I: go north", "Odile: Odile smiles.")
    assert not mind.night(NEXT_NIGHT)


@pytest.mark.parametrize("model", [Capabilities(), Capabilities(json_schema=True, parameters_billion=0.27)])
def test_a_model_that_cannot_be_held_to_a_form_or_is_very_small_is_not_asked(tmp_path, model):
    assert not Mind(tmp_path, GOOD, capabilities=model).night()


def test_while_somebody_waits_nothing_is_begun_and_what_has_begun_is_cut_short(tmp_path):
    mind = Mind(tmp_path, GOOD, GOOD)
    mind.awaited = True
    assert not mind.night()
    mind.awaited = False
    mind.model.hold()

    def somebody_speaks() -> None:
        mind.awaited = True

    assert mind.night(meanwhile=somebody_speaks)
    assert mind.model.running == 0
    assert (mind.thinks, mind.reflection.record.cut_short) == ([], 1)
    mind.awaited = False
    mind.model.release()
    assert not mind.night(now_ms=1000)
    assert mind.night(now_ms=module.PAUSE_SECONDS * 1000)
    assert mind.thinks == ["Robin waits for Biscuit by the water."]


def test_nothing_is_made_of_guests_whose_names_others_have_tomorrow(tmp_path):
    mind = Mind(tmp_path, {"facts": [fact("I lost my dog", 1)], "people": [intent("Ask Guest1 about the dog.", 1)]})
    mind.opinions.keep([], [], Reflected(upto=len(DAY)))
    mind.lives('Guest1: Guest1 says, "I lost my dog."', *(f"Moss: Moss hums the {one} song." for one in "abcdefg"))
    assert mind.night()
    assert mind.people.met() == []
    assert "Guest1" not in json.dumps(mind.model.requests[0].schema)


@pytest.mark.parametrize(
    "answer", ["I cannot do that.", '{"insights": [', ModelError("The model is gone."), NoteError("x"), ValueError("y")]
)
def test_what_fails_changes_nothing_and_is_tried_again_later_and_later(tmp_path, answer):
    mind = Mind(tmp_path, answer, answer, GOOD)
    minutes = 60_000
    assert mind.night()
    assert mind.reflection.record.last_error
    assert not mind.night(now_ms=14 * minutes)
    assert mind.night(now_ms=15 * minutes)
    assert not mind.night(now_ms=44 * minutes)
    assert not (tmp_path / "agents" / "Eliza" / "insights.md").exists()
    assert mind.night(now_ms=45 * minutes)
    assert mind.thinks == ["Robin waits for Biscuit by the water."]
    assert mind.reflection.record.last_error == ""


async def test_a_model_that_thinks_for_ever_is_cut_off_and_the_end_waits_for_nobody(tmp_path):
    mind = Mind(tmp_path, GOOD)
    mind.model.hold()
    assert mind.reflection.start_if_due(NIGHT, 0)
    for _ in range(20):  # until the model is asked
        await asyncio.sleep(0)
    assert mind.model.running == 1
    await mind.reflection.stop()
    assert not mind.reflection.start_if_due(NIGHT, 0)
    assert mind.thinks == []
    assert mind.model.running == 0


@pytest.mark.parametrize("by_hand", [True, False])
def test_an_insight_is_retired_when_what_it_cites_is_said_otherwise(tmp_path, by_hand):
    kept = insight("Odile works on gate nine.", 3)
    mind = Mind(tmp_path, {**GOOD, "insights": [*GOOD["insights"], kept]})
    mind.night()
    path = ("agents", "Eliza", "people", "Robin.md")
    if by_hand:
        mind.vault.write_text(mind.vault.read_text(*path).replace("I lost my dog", "I never had a dog"), *path)
        mind.people.facts("Robin")
    else:
        mind.people.take(SpeechFact("Robin", "loss", "I found my dog!", 99, "Robin"))
    assert mind.thinks == ["Odile works on gate nine."]
    assert [(one.words, one.tags) for one in mind.opinions.dropped][:1] == [
        ("Robin waits for Biscuit by the water.", (CONTRADICTED,))
    ]


def test_two_agents_that_speak_of_their_opinions_do_not_prove_each_other_right(tmp_path):
    lines = ['Moss: Moss says, "Robin is the king of the weir."', "I: say Robin is the king of the weir."]
    lines += [f"Moss: Moss hums the {song} song." for song in ("old", "new", "low", "loud", "long")]
    said = insight("Moss likes the king of the weir.", 2)
    heard = insight("Moss wants a king of the weir.", 1, 2)
    mind = Mind(tmp_path, {"insights": [said, heard]})
    mind.lives(*lines)
    mind.opinions.keep([], [], Reflected(upto=len(DAY)))
    assert mind.night()
    assert [(one.words, one.tags) for one in mind.opinions.in_force] == [
        ("Moss wants a king of the weir.", ("as told by Moss",))
    ]


def test_a_persons_edit_of_the_opinions_counts_and_is_never_written_over(tmp_path):
    mind = Mind(tmp_path, GOOD, GOOD)
    mind.night()
    path = ("agents", "Eliza", "insights.md")
    text = mind.vault.read_text(*path).replace("Robin waits for Biscuit by the water.", "Robin only likes the water.")
    mind.vault.write_text(text, *path)
    mind.lives(*DAY)
    assert mind.night(NEXT_NIGHT)
    assert mind.thinks == ["Robin only likes the water.", "Robin waits for Biscuit by the water."]
    assert "Robin only likes the water." in mind.vault.read_text(*path)


def test_the_template_may_be_the_worlds_own_and_needs_its_memories(tmp_path):
    mind = Mind(tmp_path, GOOD)
    mind.vault.write_text("{name}! {memories} {other}", "templates", "reflection.md")
    mind.night()
    assert mind.model.prompts[0].startswith("Eliza! 1. ")
    mind.vault.write_text("{name}!", "templates", "reflection.md")
    mind.lives(*DAY)
    assert not mind.night(NEXT_NIGHT)
    assert "the slot {memories} is missing" in mind.reflection.record.last_error
    with pytest.raises(NoteError, match=r"templates/reflection.md: the slot \{memories\} is missing"):
        load_template(mind.vault, TEMPLATE, SLOTS)
