"""A prompt fits its budget, says what it leaves out, and begins with the same text for as long as it can."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.component import Component, Moment, Section, Text
from agents.memory.view import STEP_LINES, View
from agents.models.model import NotCountedYet
from agents.prompts.builder import Transcript, build, sections_of
from agents.prompts.prompt import PromptTemplate, parse_template
from agents.prompts.scene import command_list, idle_text, place_text, scene_text
from tests.agents.memory.views import seen
from tests.world.inn import inn, inn_game
from vault.memory.memory_line import Memory
from vault.memory.summaries import Summary
from vault.vault import STARTER, Vault
from world.events import Said
from world.game_time import game_time_at

TEMPLATE = parse_template(
    "{profile}\n\nA day:\n{yesterday}\n\n{older}\n\n{recent}\n\n{tail}\n\n{scene}\n~{name}>", "test"
)
VALUES = {"name": "Moss", "profile": "You are Moss.", "yesterday": "~Moss> nod", "scene": "Here."}


GIVES_WAY = {"yesterday": 3, "recollected": 2}


def words(text: str) -> int:
    return len(text.split())


def fitted_prompt(
    template: PromptTemplate, values: dict[str, str], view: View, count: Callable[[str], int], budget: int
) -> str:
    """Return the text of a prompt with these sections; the name and the view's own texts are no sections."""
    world = inn()
    texts = {**values, "older": view.told_in("older"), "recent": view.told_in("recent")}
    sections = [Section(name, text, gives_way=GIVES_WAY.get(name, 0)) for name, text in texts.items() if name != "name"]
    moment = Moment(world, world.characters["Rook"], 0, view, budget_tokens=budget, count_tokens=count)
    return build(Transcript(template, values["name"]), lambda now: sections, moment).text


def view_of(first: int, last: int) -> View:
    """Return a view with a short-term summary of all before `first` and so many lines of five words."""
    recent = Summary(1, first - 1, "I walked.") if first > 1 else None
    tail = tuple(
        Memory(seq, seq * 1000, "observed", "", f"Thing {seq} was like that.") for seq in range(first, last + 1)
    )
    return seen("Moss", tail, first - 1, last, recent=recent)


def shown(prompt: str) -> list[int]:
    """Return the numbers of the memories in a prompt."""
    return [int(line.split()[1]) for line in prompt.split("\n") if line.startswith("Thing ")]


def test_a_prompt_that_fits_is_whole():
    prompt = fitted_prompt(TEMPLATE, VALUES, view_of(1, 3), words, 1000)
    assert prompt == (
        "You are Moss.\n\nA day:\n~Moss> nod\n\n"
        "Thing 1 was like that.\nThing 2 was like that.\nThing 3 was like that.\n\nHere.\n~Moss>"
    )


def test_the_example_day_gives_way_first():
    full = words(fitted_prompt(TEMPLATE, VALUES, view_of(1, 40), words, 10_000))
    prompt = fitted_prompt(TEMPLATE, VALUES, view_of(1, 40), words, full - 1)
    assert "A day:" not in prompt
    assert shown(prompt) == list(range(1, 41))


def test_then_the_oldest_lines_give_way_behind_a_line_with_their_numbers():
    prompt = fitted_prompt(TEMPLATE, VALUES, view_of(1, 40), words, 200)
    assert "[Memories 1–16 are not shown here for want of room; they are in the journal]" in prompt
    assert shown(prompt) == list(range(17, 41))


@given(st.integers(1, 200), st.integers(0, 150), st.integers(0, 900))
def test_a_prompt_never_exceeds_its_budget_where_fitting_is_possible_and_names_what_is_missing(first, lines, budget):
    view = view_of(first, first + lines - 1)
    prompt = fitted_prompt(TEMPLATE, VALUES, view, words, budget)
    least = fitted_prompt(TEMPLATE, VALUES, view, words, 0)
    assert words(prompt) <= max(budget, words(least))
    assert shown(least) == []
    seen = shown(prompt)
    assert seen == list(range(first + lines - len(seen), first + lines))
    named = [line for line in prompt.split("\n") if line.startswith("[Memories")]
    missing = [seq for seq in range(first, first + lines) if seq not in seen]
    if missing:
        numbers = f"{missing[0]}–{missing[-1]}" if len(missing) > 1 else str(missing[0])
        assert named == [f"[Memories {numbers} are not shown here for want of room; they are in the journal]"]
    else:
        assert named == []


@pytest.mark.parametrize("first", [1, 2, STEP_LINES])
def test_what_is_left_out_stays_the_same_for_a_step_of_turns(first):
    boundaries = [
        min(shown(fitted_prompt(TEMPLATE, VALUES, view_of(first, last), words, 400)))
        for last in range(first + 80, first + 80 + 4 * STEP_LINES)
    ]
    changes = [number for number, (one, next_) in enumerate(pairwise(boundaries)) if one != next_]
    assert all(later - earlier == STEP_LINES for earlier, later in pairwise(changes))
    assert 3 <= len(changes) <= 4


@pytest.mark.parametrize("budget", [400, 100_000])
def test_over_sixty_turns_nine_tenths_of_a_prompt_are_the_one_before(budget):
    text = Vault(STARTER).read("templates", "agent_prompt.md").body
    template = parse_template(text, "agent_prompt")
    game = inn_game()
    values = VALUES | {
        "profile": "You like ferns. " * 60,
        "commands": command_list(game.commands, game.world.characters["Rook"]),
    }
    prompts = []
    for turn in range(60):
        # Three lines a turn, and another scene each time.
        values["scene"] = f"It is 20:{turn:02}. You are somewhere."
        prompts.append(fitted_prompt(template, values, view_of(66, 100 + 3 * turn), words, budget + 900))
    same = sum(common(one, next_) for one, next_ in pairwise(prompts))
    whole = sum(len(prompt.encode()) for prompt in prompts[1:])
    assert same / whole >= 0.9


def common(one: str, other: str) -> int:
    """Return how many bytes two texts have in common at their beginning."""
    pairs = zip(one.encode(), other.encode(), strict=False)
    return next((number for number, (a, b) in enumerate(pairs) if a != b), min(len(one.encode()), len(other.encode())))


def test_between_two_publications_only_what_follows_the_tail_changes():
    before = fitted_prompt(TEMPLATE, VALUES, view_of(66, 90), words, 10_000)
    after = fitted_prompt(TEMPLATE, VALUES | {"scene": "There."}, view_of(66, 93), words, 10_000)
    assert after.startswith(before.removesuffix("\n\nHere.\n~Moss>"))


def test_commands_are_listed_with_what_they_do_and_none_that_are_not_for_agents():
    game = inn_game()
    lines = command_list(game.commands, game.world.characters["Rook"]).split("\n")
    assert all(" - " in line for line in lines)
    assert len([line for line in lines if line.startswith("say <text> - ")]) == 1
    assert not any(line.startswith("quit") for line in lines)


def test_a_scene_is_time_place_company_things_and_exits():
    world = inn()
    world.characters["Cat"].awake = False
    world.things["apples"].place_id = "Ana"
    world.time = game_time_at(1_764_016_501_000, 1440)
    assert scene_text(world, world.characters["Ana"], 3 * 60 * 60 * 1000).split("\n") == [
        "It is Monday, 20:35, at dusk. You are in The Common Room. "
        "A long table, a low ceiling and a fire that never quite goes out.",
        "You last did something 3 hours ago.",
        "You see a brass lamp and an oil lamp here.",
        "You carry a copper coin and some apples.",
        "Ben is here.",
        "Exits: north (The Kitchen), out (The Yard), down (The Cellar).",
    ]


def test_an_empty_place_says_that_nobody_is_there():
    world = inn()
    assert scene_text(world, world.characters["Cat"]).split("\n") == [
        "It is Thursday, 00:00, at night. You are in The Yard. Wet cobbles between two doors.",
        "Nobody else is here.",
        "Exits: house door (The Common Room), stable door (The Stable).",
    ]


def test_a_place_in_short_is_one_line():
    world = inn()
    assert place_text(world, world.characters["Ana"]) == (
        "[You are in The Common Room. You see a brass lamp and an oil lamp here. You carry a copper coin. "
        "Ben is here. Exits: north (The Kitchen), out (The Yard), down (The Cellar).]"
    )


def test_a_scene_of_many_lines_in_a_note_is_one_line_each():
    world = inn()
    world.rooms["The Yard"].description = "Wet.\nCold."
    assert "Wet. Cold." in scene_text(world, world.characters["Cat"])


def test_an_event_is_no_part_of_the_scene():
    # The scene is read from the world; what was said stands in the tail alone.
    game = inn_game()
    game.publish((Said("Ana", "The Common Room", "hello"),))
    assert "hello" not in scene_text(game.world, game.world.characters["Ben"])


@pytest.mark.parametrize(
    ("minutes", "told"),
    [
        (0, ""),
        (44, ""),
        (45, "You last did something 45 minutes ago."),
        (119, "You last did something 119 minutes ago."),
        (120, "You last did something 2 hours ago."),
        (47 * 60, "You last did something 47 hours ago."),
        (48 * 60, "You last did something 2 days ago."),
    ],
)
def test_who_has_been_idle_for_long_is_told_for_how_long(minutes, told):
    assert idle_text(inn(), minutes * 60_000) == told


def test_a_component_stays_on_when_its_tokens_have_to_be_counted_first():
    def count(text: str) -> int:
        raise NotCountedYet(text)

    world, failed = inn(), list[Component]()
    moment = Moment(world, world.characters["Rook"], 0, view_of(1, 1), count_tokens=count)
    counting = Text("facts", lambda now: f"{now.count_tokens('The fire is low.')}")
    with pytest.raises(NotCountedYet):
        sections_of([counting], moment, failed.append)
    assert failed == []
