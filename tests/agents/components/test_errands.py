"""Errands: the next step by the shortest way, ticked off by what happened, kept in a note that anyone may edit."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.component import Turn
from agents.components.errands import MAX_REFUSALS, PUT_OFF_MINUTES, Errands
from tests.vault.vault_of import vault_of
from tests.world.inn import inn
from vault.entities.agent_notes import MAX_ERRANDS, Errand, PlanNote, errands_in, format_errand
from vault.errors import NoteError
from vault.note import parse_note
from world.game_time import MINUTES_PER_DAY, GameTime
from world.world import World

ROOM, KITCHEN, YARD = "The Common Room", "The Kitchen", "The Yard"
FETCH = Errand("get brass lamp", ROOM)
BRING = Errand("give brass lamp to Ben", "Ben", "not carrying brass lamp")


class Plan:
    """The errands of Rook, who stands in the kitchen next to the common room, with the file that keeps them."""

    def __init__(self, root: Path, *routine: Errand) -> None:
        self.vault, self.world = vault_of(root, {"agents/Rook/agent.md": ""}), inn()
        self.rook = self.world.characters["Rook"]
        self.rook.room_id = KITCHEN
        self.note = PlanNote(self.vault, "Rook")
        self.errands = Errands(self.note, routine)

    @property
    def next(self) -> str:
        """The command of the next step; `talk to` whom, or nothing."""
        step = self.errands.next_step(self.world, self.rook)
        return "" if step is None else step.line or f"talk to {step.talk_to}"

    def does(self, line: str, outcome: str = "acted") -> None:
        assert self.next
        self.errands.acted(Turn(outcome, line))

    def done(self) -> list[bool]:
        return [one.is_done for one in self.errands.steps]


def carry(world: World, thing: str, who: str) -> None:
    world.things[thing].place_id = who


def test_the_way_is_gone_step_by_step_and_the_command_is_typed_there(tmp_path):
    plan = Plan(tmp_path, FETCH)
    assert plan.next == "go south"
    plan.rook.room_id = ROOM
    assert plan.next == "get brass lamp"
    carry(plan.world, "brass lamp", "Rook")
    assert (plan.next, plan.done()) == ("", [True])


def test_steps_are_done_in_order_and_what_was_never_had_is_not_brought(tmp_path):
    plan = Plan(tmp_path, FETCH, BRING)
    plan.rook.room_id = ROOM
    assert (plan.next, plan.done()) == ("get brass lamp", [False, False])
    carry(plan.world, "brass lamp", "Rook")
    assert plan.next == "give brass lamp to Ben"
    carry(plan.world, "brass lamp", "Ben")
    assert (plan.next, plan.done()) == ("", [True, True])


def test_a_command_counts_when_it_was_done_and_a_refused_step_is_tried_again_an_hour_later(tmp_path):
    plan = Plan(tmp_path, Errand("look oven", KITCHEN), Errand("look sky", KITCHEN))
    for _ in range(MAX_REFUSALS):
        plan.does("look oven", "refused")
    plan.does("look sky | it is blue")
    assert (plan.done(), plan.next) == ([False, True], "")
    plan.world.time = GameTime(plan.world.time.minutes + PUT_OFF_MINUTES)
    assert plan.next == "look oven"
    plan.does("look oven", "refused")
    assert plan.next == ""


def test_a_way_that_is_barred_puts_the_step_off(tmp_path):
    plan = Plan(tmp_path, FETCH)
    for _ in range(MAX_REFUSALS):
        plan.does("go south", "refused")
    assert plan.next == ""


def test_somebody_is_gone_to_and_talked_with(tmp_path):
    plan = Plan(tmp_path, Errand("talk", "Ben"))
    assert plan.next == "go south"
    plan.rook.room_id = ROOM
    plan.does("emote nods")
    assert plan.next == "talk to Ben"
    plan.does("say Good morning, Ben.")
    assert plan.done() == [True]


def test_who_is_not_in_the_world_is_not_waited_for(tmp_path):
    plan = Plan(tmp_path, Errand("talk", "Cat"), Errand("", YARD))
    plan.world.characters["Cat"].awake = False
    assert plan.next.startswith("go ")
    plan.rook.room_id = YARD
    assert (plan.next, plan.done()) == ("", [False, True])


def test_what_is_done_is_known_after_a_restart_and_begins_again_the_next_day(tmp_path):
    plan = Plan(tmp_path, Errand("look oven", KITCHEN), FETCH)
    plan.does("look oven")
    again = Errands(plan.note, plan.errands.steps)
    again.next_step(plan.world, plan.rook)
    assert [one.is_done for one in again.steps] == [True, False]
    plan.world.time = GameTime(plan.world.time.minutes + MINUTES_PER_DAY)
    assert (plan.next, plan.done()) == ("look oven", [False, False])


def test_a_plan_edited_by_hand_counts_at_once_and_nonsense_leaves_it_as_it_was(tmp_path):
    plan = Plan(tmp_path, FETCH)
    assert plan.next == "go south"
    path = plan.vault.path("agents", "Rook", "plan.md")
    day = path.read_text(encoding="utf-8").split("'")[1]
    path.write_text(f"---\nday: '{day}'\n---\n- [ ] [[{KITCHEN}]]: look oven\n", encoding="utf-8")
    assert plan.next == "look oven"
    path.write_text(f"---\nday: '{day}'\n---\n- [ ] [[{KITCHEN}]]: x; done when it rains\n\n", encoding="utf-8")
    assert plan.next == "look oven"
    assert "agents/Rook/plan.md:4" in plan.errands.problem


def test_an_edited_agent_note_changes_the_plan_and_keeps_what_is_done(tmp_path):
    plan = Plan(tmp_path, Errand("look oven", KITCHEN))
    plan.does("look oven")
    plan.errands.adopt([Errand("look oven", KITCHEN), Errand("look sky", KITCHEN)])
    assert (plan.next, plan.done()) == ("look sky", [True, False])


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("- [[Ink Yard]]: get ink bottle", Errand("get ink bottle", "Ink Yard")),
        ("* [x] [[Mill|the mill]]: look  wheel", Errand("look wheel", "Mill", is_done=True)),
        ("- [[Behind the Water]]", Errand("", "Behind the Water")),
        ("- look sky", Errand("look sky")),
        (
            "- [[Ben]]: give coin to Ben; done when not carrying coin",
            Errand("give coin to Ben", "Ben", "not carrying coin"),
        ),
        ("```\n- [[Mill]]: look\n```", None),
        ("%%\n- [[Mill]]: look\n%%", None),
    ],
)
def test_a_list_line_is_a_step(line, found):
    assert errands_in(parse_note(f"## errands\n{line}\n", "agent.md")) == ((found,) if found else ())


@pytest.mark.parametrize("line", ["- [ ]", "- [[Mill]]: go; done when happy", "- talk"])
def test_what_is_no_step_is_refused_with_its_line(line):
    with pytest.raises(NoteError, match=r"agent\.md:2"):
        errands_in(parse_note(f"## Errands\n{line}\n", "agent.md"))


def test_too_many_steps_are_refused():
    lines = "\n".join(f"- look {number}" for number in range(MAX_ERRANDS + 1))
    with pytest.raises(NoteError, match="are the most"):
        errands_in(parse_note(f"## Errands\n{lines}\n", "agent.md"))


words = st.from_regex(r"[a-z][a-z ]{0,12}[a-z]", fullmatch=True)


@given(words, words | st.just(""), st.booleans())
def test_a_step_reads_back_as_it_was_written(do, where, is_done):
    errand = Errand(" ".join(do.split()), where, "", is_done)
    text = f"## Errands\n{format_errand(errand)}\n"
    if errand.do != "talk" or where:
        assert errands_in(parse_note(text, "agent.md")) == (errand,)
