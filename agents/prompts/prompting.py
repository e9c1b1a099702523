"""Filling an agent's prompt with this moment's profile, memory and scene, so that it fits the context window."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterator, Mapping

from agents.memory.view import STEP_LINES, View
from agents.prompts.prompt import PromptTemplate
from world.command import CommandTable
from world.life.clock import MINUTES_A_DAY
from world.model import Character, World
from world.scenes import carrying, company, described, lying_here, time_of_day, ways_out

LONG_MINUTES = 45
"""After how many minutes of doing nothing an agent is told of it."""


def command_list(table: CommandTable, actor: Character) -> str:
    """Return the commands that agents are told of, a line each."""
    return "\n".join(f"{one.usage} - {table.summary_of(one)}" for one in table if one.is_told(actor))


def scene_text(world: World, actor: Character, idle_ms: int = 0, notice: str = "") -> str:
    """Return where an agent is at this moment: time, place, company, things and exits, a line each.

    `idle_ms` is how long ago it last did anything, in milliseconds; it is told of it when that is long. `notice` is
    what else it is to be told, last.
    """
    room = world.room_of(actor)
    lines = [
        f"{time_of_day(world)} You are in {room.name}. {described(room, world).replace(chr(10), ' ')}",
        idle_text(world, idle_ms),
        lying_here(world, actor),
        carrying(world, actor),
        company(world, actor) or "Nobody else is here.",
        ways_out(world, actor),
        notice,
    ]
    return "\n".join(line for line in lines if line)


def idle_text(world: World, idle_ms: int) -> str:
    """Return since when an agent has done nothing as a sentence, or an empty string if that is not long."""
    minutes = idle_ms // 60_000
    if minutes < LONG_MINUTES:
        return ""
    hours, days = minutes // 60, minutes // MINUTES_A_DAY
    key, count = ("days", days) if days > 1 else ("hours", hours) if hours > 1 else ("minutes", minutes)
    return world.wording(f"life.idle_{key}", count=count)


def place_text(world: World, actor: Character, notice: str = "") -> str:
    """Return the same in one line without the description, for a small model that talks about whatever it read last."""
    parts = [
        f"You are in {world.room_of(actor).name}.",
        lying_here(world, actor),
        carrying(world, actor),
        company(world, actor),
        ways_out(world, actor),
        notice,
    ]
    return f"[{' '.join(part for part in parts if part)}]"


def fitted_prompt(
    template: PromptTemplate,
    values: dict[str, str],
    view: View,
    count_tokens: Callable[[str], int],
    budget_tokens: int,
    knowledge: Callable[[str, int], Mapping[str, str]] = lambda shown, first_shown: {},
) -> str:
    """Return the filled template within a budget of tokens.

    `knowledge` is given the memories shown and the number of the first, and returns what fills further slots;
    `recollected` of them stands behind `known`.

    What gives way when it is too long, in this order: the example day; then what is recollected; then the oldest
    verbatim lines, in steps so that the text before them stays the same for many turns, with a line that names what is
    missing.
    """
    told = {**values, "older": view.older(), "recent": view.recent_past(), **_tail(view, 0, knowledge)}
    prompt = template.fill(told)
    if count_tokens(prompt) <= budget_tokens:
        return prompt
    told["yesterday"] = ""
    if told["recollected"] and count_tokens(shorter := template.fill(told)) <= budget_tokens:
        return shorter

    def without(left_out: int) -> str:
        return template.fill({**told, **_tail(view, left_out, knowledge, with_recollected=False)})

    # The more is left out, the shorter it is. To try one step after the other would take long for a long tail.
    steps = list(_steps(view))
    fewest = bisect_left(steps, True, hi=len(steps) - 1, key=lambda step: count_tokens(without(step)) <= budget_tokens)
    return without(steps[fewest])


def _tail(
    view: View, left_out: int, knowledge: Callable[[str, int], Mapping[str, str]], with_recollected: bool = True
) -> dict[str, str]:
    shown = view.tail_text(left_out)
    first_shown = view.tail[left_out].seq if left_out < len(view.tail) else view.coverage.n + 1
    slots = {"recollected": "", **knowledge(shown, first_shown)}
    parts = (slots.get("known", ""), slots["recollected"] * with_recollected)
    return {
        "tail": shown,
        "before": view.before_text(left_out),
        "since": view.since_text(left_out),
        **slots,
        "known": "\n".join(part for part in parts if part),
    }


def _steps(view: View) -> Iterator[int]:
    """Yield how many of the oldest lines may be left out: none, up to each boundary, all.

    The boundaries depend on the memories' numbers only, so that what is left out changes once in a step.
    """
    yield 0
    steps = [(memory.seq - 1) // STEP_LINES for memory in view.tail]
    yield from (number for number in range(1, len(steps)) if steps[number] != steps[number - 1])
    if steps:
        yield len(steps)
