"""One call after a talk or in a quiet hour: when it is made, what it keeps, and that nobody waits for it."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest

from agents.escaping import load_template
from agents.models.model import Capabilities, ModelError
from agents.reflection import reflection as module
from agents.reflection.opinions import DENIED, Reflected
from agents.reflection.reflecting import SLOTS, TEMPLATE
from tests.agents.reflection.looking_back import (
    DAY,
    MORNING,
    NEXT_DAY,
    NEXT_NIGHT,
    NIGHT,
    Mind,
    insight,
    intent,
)
from tests.german import GERMAN
from vault.errors import NoteError
from world.message_catalog import Wording

GOOD: dict[str, Any] = {
    "chosen": [5],
    "insights": [insight("Robin waits for Biscuit by the water.", 5, 9)],
    "people": [intent("Ask Robin about Biscuit.", 5)],
}
WORDS = "I lost my dog near the weir yesterday. He is brown and called Biscuit."
TINY = Capabilities(json_schema=True, parameters_billion=0.27)
ROBIN = ("agents", "Eliza", "people", "Robin.md")


@pytest.fixture(autouse=True)
def quick(monkeypatch):
    monkeypatch.setattr(module, "CHECK_SECONDS", 0.001)


def test_what_a_model_chooses_is_kept_in_the_memorys_words(tmp_path):
    mind = Mind(tmp_path, {**GOOD, "insights": [*GOOD["insights"], insight("Robin is brave.", 5)]})
    assert mind.at()
    assert (mind.said("Robin"), mind.said("Odile"), mind.said("Mallory")) == ([WORDS], [], [])
    assert f"## Said\n- {WORDS} ([[2026-11-22#^m5]])\n" in mind.vault.read_text(*ROBIN)
    assert [(one.words, one.evidence) for one in mind.opinions.in_force] == [
        ("Robin waits for Biscuit by the water.", (5, 10))
    ]
    assert [one.words for one in mind.people.opinions("Robin")] == ["Ask Robin about Biscuit."]
    assert [(one.words, one.tags) for one in mind.opinions.dropped] == [
        ("Robin is brave.", ("it does not begin as it was asked to",))
    ]
    (request,) = mind.model.requests
    mind.memory.archive_writer.write()
    (archived,) = (tmp_path / "agents" / "Eliza" / "archive").glob("*.jsonl")
    assert json.loads(archived.read_text("utf-8").splitlines()[-1])["question"] == request.prompt
    assert f'5. Robin says, "{WORDS}"' in request.prompt
    assert mind.memory.journal.last == len(DAY)


@pytest.mark.parametrize("capabilities", [None, Capabilities(), TINY], ids=["none", "unheld", "tiny"])
def test_without_such_a_model_the_newest_long_lines_are_kept(tmp_path, capabilities):
    mind = Mind(tmp_path, capabilities=capabilities)
    assert not mind.at(minutes=0.5)
    assert mind.said("Robin") == []
    assert not mind.at(minutes=2)
    assert mind.said("Robin") == ["Good morning, Eliza! My name is Robin.", WORDS]
    assert mind.said("Odile") == []  # another agent speaks all day
    for number in range(9):
        mind.lives(f'Robin: Robin says, "{"The weir is loud. " * (9 - number)}Number {number}."')
    mind.lives('Robin: Robin says, "Yes."')
    mind.at(minutes=4)
    kept = mind.said("Robin")
    assert (len(kept), kept[-1]) == (6, "The weir is loud. Number 8.")
    mind.open()
    mind.at(minutes=6)
    assert sorted(mind.said("Robin")) == sorted(kept)
    assert mind.model.requests == []


def test_private_words_are_kept_for_their_parties_and_no_model_reads_them(tmp_path):
    whisper = "I stole the red book, and I am ashamed."
    lines = [*DAY, f'Nia: Nia whispers to you, "{whisper}"', "I: whisper Nia Bring it back, the red one."]
    mind = Mind(tmp_path, GOOD, day=tuple(lines))
    assert mind.at()
    assert "red" not in mind.model.prompts[0]
    (kept,) = mind.people.facts("Nia")
    assert (kept.words, mind.people.parties_of("Nia", kept)) == (whisper, ("Nia", "Eliza"))
    assert "- **private** · Nia · Eliza: I stole" in mind.vault.read_text("agents", "Eliza", "people", "Nia.md")


GERMAN_DAY = (
    "Rolf: Rolf sagt: »Ich habe gestern meinen Hund am Wehr verloren.«",
    "I: say Wie heißt er?",
    "Rolf: Rolf sagt: »Schnuffel. Ein brauner, mit nur einem Ohr.«",
    "Ute: Ute flüstert dir zu: »Den Hund habe ich im Keller versteckt.«",
    *(f"Ute: Ute sagt: »Das Wasser steht heute {number} Fuß hoch.«" for number in range(4)),
)


def test_people_who_speak_german_are_remembered_alike(tmp_path):
    say = Wording({**GERMAN.sentences, "mind.insight_verbs": "vermisst, sucht", "mind.intent_verbs": "Frag"})
    answer = {
        "chosen": [1, 3],
        "insights": [insight("Rolf vermisst seinen Hund.", 1)],
        "people": [intent("Frag Rolf nach Schnuffel.", 3)],
    }
    mind = Mind(tmp_path, answer, day=GERMAN_DAY, say=say)
    assert mind.at()
    assert "Du sagst: »Wie heißt er?«" in mind.model.prompts[0]
    assert "Keller" not in mind.model.prompts[0]
    assert mind.said("Rolf") == [
        "Ich habe gestern meinen Hund am Wehr verloren.",
        "Schnuffel. Ein brauner, mit nur einem Ohr.",
    ]
    assert mind.said("Ute") == ["Den Hund habe ich im Keller versteckt."]
    assert (mind.thinks, len(mind.people.opinions("Rolf"))) == (["Rolf vermisst seinen Hund."], 1)


def test_after_a_talk_a_model_is_asked_once_it_is_over(tmp_path):
    mind = Mind(tmp_path, GOOD, GOOD)
    assert not mind.at(MORNING, minutes=0.5)
    assert mind.at(MORNING, minutes=2)
    mind.lives(*DAY)
    assert not mind.at(MORNING, minutes=5)
    assert mind.at(MORNING, minutes=2 + module.REST_MINUTES)
    mind.lives(*('Odile: Odile says, "The river is at four feet."' for _ in range(9)))
    assert not mind.at(MORNING, minutes=99)


def test_reflection_state_and_cost_survive_a_restart(tmp_path):
    mind = Mind(tmp_path, GOOD, GOOD)
    mind.at()
    mind.open()
    assert (mind.opinions.reflected.upto, mind.opinions.reflected.day) == (10, 1)
    assert "3 kept, 0 dropped" in mind.opinions.reflected.told
    mind.lives(*DAY)
    assert not mind.at(NEXT_DAY, minutes=0.5)
    assert mind.at(NEXT_NIGHT)
    assert "1. Odile" in mind.model.prompts[1]
    assert mind.thinks == ["Robin waits for Biscuit by the water."]


def test_a_publication_makes_it_time(tmp_path):
    mind = Mind(tmp_path, GOOD)
    text = "---\ncovers: [1, 5]\ngeneration: 3\n---\nI met Robin.\n"
    mind.vault.write_text(text, "agents", "Eliza", "summaries", "recent.md")
    assert not mind.at(MORNING, minutes=0.5)
    mind.memory.poll_edits()
    assert mind.at(MORNING, minutes=0.5)
    assert mind.opinions.reflected.generation == 3


def test_uneventful_day_asks_no_model(tmp_path):
    mind = Mind(tmp_path, GOOD, GOOD)
    mind.at()
    mind.lives("I: go north", "Odile: Odile smiles.")
    assert not mind.at(NEXT_NIGHT)


def test_nobody_waits_for_a_reflection(tmp_path):
    mind = Mind(tmp_path, GOOD, GOOD)
    mind.awaited = True
    assert not mind.at()
    mind.awaited = False
    mind.model.hold()

    def somebody_speaks() -> None:
        mind.awaited = True

    assert mind.at(meanwhile=somebody_speaks)
    assert mind.model.running == 0
    assert (mind.thinks, mind.reflection.record.cut_short) == ([], 1)
    mind.awaited = False
    mind.model.release()
    assert not mind.at(minutes=10.5)
    assert mind.at(minutes=11)
    assert mind.thinks == ["Robin waits for Biscuit by the water."]


def test_guest_is_quoted_under_a_told_name_alone(tmp_path):
    songs = [f"Moss: Moss hums the {one} song." for one in "abcdefg"]
    guests = [f'Guest{number}: Guest{number} says, "I lost my dog {number}."' for number in (1, 2)]
    mind = Mind(tmp_path, {"chosen": [1, 2], "people": [intent("Ask Guest2 about the dog.", 2)]}, day=())
    mind.lives(*guests, *songs)
    assert mind.people.call("Guest2", "Nemo", 2)
    assert mind.at()
    assert "Guest2" not in json.dumps(mind.model.requests[0].schema)
    assert (mind.said("Guest1"), mind.said("Guest2"), mind.people.met()) == ([], ["I lost my dog 2."], ["Nemo"])


@pytest.mark.parametrize(
    "answer", ["I cannot do that.", '{"insights": [', ModelError("The model is gone."), NoteError("x"), ValueError("y")]
)
def test_failure_changes_nothing_and_is_tried_later_and_later(tmp_path, answer):
    mind = Mind(tmp_path, answer, answer, GOOD)
    assert mind.at(minutes=10)
    assert mind.reflection.record.last_error
    assert not mind.at(minutes=24)
    assert mind.at(minutes=25)
    assert not mind.at(minutes=54)
    assert not (tmp_path / "agents" / "Eliza" / "insights.md").exists()
    assert mind.at(minutes=55)
    assert mind.thinks == ["Robin waits for Biscuit by the water."]
    assert mind.reflection.record.last_error == ""


async def test_stop_cuts_off_a_model_that_thinks_for_ever(tmp_path):
    mind = Mind(tmp_path, GOOD)
    mind.model.hold()
    assert mind.reflection.start_if_due(NIGHT, mind.ms)
    for _ in range(20):  # until the model is asked
        await asyncio.sleep(0)
    assert mind.model.running == 1
    await mind.reflection.stop()
    assert not mind.reflection.start_if_due(NIGHT, mind.ms)
    assert mind.thinks == []
    assert mind.model.running == 0


def test_opinions_retire_with_the_line_that_they_rest_on(tmp_path):
    kept = insight("Odile works on gate nine.", 3)
    mind = Mind(tmp_path, {**GOOD, "insights": [*GOOD["insights"], kept]})
    mind.at()
    mind.vault.write_text(mind.vault.read_text(*ROBIN).replace("I lost my dog", "I never had a dog"), *ROBIN)
    assert mind.said("Robin") == [WORDS.replace("I lost my dog", "I never had a dog")]
    assert mind.thinks == ["Odile works on gate nine."]
    assert mind.people.opinions("Robin") == []
    assert [(one.words, one.tags) for one in mind.opinions.dropped][:1] == [
        ("Robin waits for Biscuit by the water.", (DENIED,))
    ]


def test_two_agents_do_not_prove_each_other_right(tmp_path):
    lines = ['Moss: Moss says, "Robin is the king of the weir."', "I: say Robin is the king of the weir."]
    lines += [f"Moss: Moss hums the {song} song." for song in ("old", "new", "low", "loud", "long")]
    said = insight("Moss likes the king of the weir.", 2)
    heard = insight("Moss wants a king of the weir.", 1, 2)
    mind = Mind(tmp_path, {"insights": [said, heard]})
    mind.lives(*lines)
    mind.opinions.keep([], [], Reflected(upto=len(DAY)))
    assert mind.at()
    assert [(one.words, one.tags) for one in mind.opinions.in_force] == [
        ("Moss wants a king of the weir.", ("as told by Moss",))
    ]


def test_edited_opinion_counts_and_stays(tmp_path):
    mind = Mind(tmp_path, GOOD, GOOD)
    mind.at()
    path = ("agents", "Eliza", "insights.md")
    text = mind.vault.read_text(*path).replace("Robin waits for Biscuit by the water.", "Robin only likes the water.")
    mind.vault.write_text(text, *path)
    mind.lives(*DAY)
    assert mind.at(NEXT_NIGHT)
    assert mind.thinks == ["Robin only likes the water.", "Robin waits for Biscuit by the water."]
    assert "Robin only likes the water." in mind.vault.read_text(*path)


def test_template_of_an_older_version_is_named(tmp_path):
    mind = Mind(tmp_path, GOOD)
    mind.vault.write_text("{name}! {lines} {other}", "templates", "reflection.md")
    mind.at()
    assert mind.model.prompts[0].startswith("Eliza! 1. ")
    mind.vault.write_text('{profile} {name} {memories} "facts": ...', "templates", "reflection.md")
    mind.lives(*DAY)
    assert not mind.at(NEXT_NIGHT)
    fault = (
        "templates/reflection.md: the slot {lines} is missing; it has {profile}, {name}, {memories}. "
        "Without the file, the built-in one counts."
    )
    assert mind.reflection.record.last_error == fault
    with pytest.raises(NoteError) as error:
        load_template(mind.vault, TEMPLATE, SLOTS)
    assert str(error.value) == fault
