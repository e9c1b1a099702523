"""Filling an agent's prompt with this moment's profile, memory and scene, so that it fits the context window."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime

from agents.memory.view import STEP_LINES, View
from agents.prompt import PromptTemplate
from vault.agent_notes import AgentNote
from world.command import CommandTable
from world.matching import listed
from world.model import Character, World
from world.narration import company, ways_out, with_article


def command_list(table: CommandTable, actor: Character) -> str:
    """Return the commands that agents are told of, a line each."""
    return "\n".join(f"{one.usage} - {one.summary}" for one in table.allowed(actor) if one.for_agents)


def scene_text(world: World, actor: Character, now_ms: int) -> str:
    """Return where an agent is at this moment: time, place, company, things and exits, a line each."""
    room = world.room_of(actor)
    clock = datetime.fromtimestamp(now_ms / 1000, UTC).strftime("%H:%M")
    carried = [with_article(thing.name) for thing in world.things_at(actor.character_id)]
    lying = [with_article(thing.name) for thing in world.things_at(actor.room_id)]
    lines = [
        f"It is {clock}. You are in {room.name}. {room.description.replace(chr(10), ' ')}",
        f"You see {listed(lying)} here." if lying else "",
        f"You carry {listed(carried)}." if carried else "",
        company(world, actor) or "Nobody else is here.",
        ways_out(world, actor),
    ]
    return "\n".join(line for line in lines if line)


def fitted_prompt(
    template: PromptTemplate,
    values: dict[str, str],
    view: View,
    count_tokens: Callable[[str], int],
    budget_tokens: int,
) -> str:
    """Return the filled template within a budget of tokens.

    What gives way when it is too long, in this order: the example day; then the oldest verbatim lines, in steps so
    that the text before them stays the same for many turns, with a line that names what is missing.
    """
    told = {**values, "older": view.older(), "recent": view.recent_past(), "tail": view.tail_text()}
    prompt = template.fill(told)
    if count_tokens(prompt) <= budget_tokens:
        return prompt
    told["yesterday"] = ""
    for left_out in range(0, len(view.tail) + STEP_LINES, STEP_LINES):
        first_kept = _stepped(view, left_out)
        told["tail"] = view.tail_text(first_kept)
        prompt = template.fill(told)
        if first_kept >= len(view.tail) or count_tokens(prompt) <= budget_tokens:
            break
    return prompt


def _stepped(view: View, left_out: int) -> int:
    """Round up to a boundary that depends on the memories' numbers only, so that it moves once in a step."""
    if not left_out or not view.tail:
        return 0
    first = view.tail[0].seq
    return min(len(view.tail), -(-(first + left_out - STEP_LINES + 1) // STEP_LINES) * STEP_LINES - first + 1)


def profile_of(note: AgentNote) -> str:
    """Return the profile as the prompt tells it."""
    return note.profile.strip()
