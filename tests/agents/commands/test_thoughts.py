"""What admins read of the thoughts of an agent: the last questions to its model, and why it did what it did."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TypeVar

import pytest

from agents.commands.late_answers import LateAnswers, ask_now
from agents.commands.memory_commands import memory_commands
from agents.commands.thought_commands import mind_command, thought_commands
from agents.models.model import ModelError
from tests.agents.test_agent import Life
from tests.scripted_model import ScriptedModel
from world.entities import Role

T = TypeVar("T")
LOOK = (
    "The Common Room",
    "A long table, a low ceiling and a fire that never quite goes out.",
    "You see a brass lamp and an oil lamp here.",
    "Ana and Ben are here.",
    "Exits: north (The Kitchen), out (The Yard), down (The Cellar).",
)


class Watched(Life):
    """Rook, with Ana as an admin who looks into its thoughts."""

    def __init__(self, root: Path, *script, **settings) -> None:
        super().__init__(root, *script, **settings)
        agents, self.jobs = {"Rook": self.agent}, list[Callable[[], None]]()
        self.game.commands.add(thought_commands(agents, self.game.publish, self._ask))
        self.game.commands.add(mind_command(agents, self.game.publish, self._ask))
        answers = LateAnswers(self.game.publish, self._ask)
        self.game.commands.add(memory_commands(agents, self.game.tell, lambda: 0, answers))
        self.has_thread = False
        self.game.world.characters["Ana"].role = Role.ADMIN

    def _ask(
        self, asker: str, work: Callable[[], T], done: Callable[[T], None], failed: Callable[[Exception], None]
    ) -> None:
        """Have a question wait in `jobs` for a thread, if there is one; else answer it at once."""
        job = partial(ask_now, asker, work, done, failed)
        self.jobs.append(job) if self.has_thread else job()

    def shown(self, line: str) -> list[str]:
        """Return what Ana is shown when she types a line, as `seen` does."""
        self.ana.screen()
        self.ana.types(line)
        return self.seen()

    def seen(self) -> list[str]:
        """Return Ana's screen, with times and numbers of tokens left out that are no part of the matter."""
        told = re.sub(r"20\d\d-\d\d-\d\d \d\d:\d\d:\d\d", "NOW", "\n".join(self.ana.screen()))
        told = re.sub(r"20\d\d-\d\d-\d\d#", "DAY#", told)
        return re.sub(r"[\d,]+ tokens asked", "N tokens asked", told).split("\n")


@pytest.mark.parametrize(
    "question",
    [
        "@why Rook",
        "@why Rook 1",
        "@why Rook {at}",
        "@llm-log Rook 2 full",
        "@mind Rook {at}",
        "@memory-expand Rook ^m2",
        "@memory-expand Rook {day}#1",
    ],
)
def test_archive_is_read_in_a_thread_alone(tmp_path, question):
    life = Watched(tmp_path, "look | I am new here", "say Good morning!")
    life.turns(2)
    newest = life.memories()[-1]
    question = question.format(at=f"{newest.day}T23:59", day=newest.day)
    told = life.shown(question)
    archive, away, life.has_thread = tmp_path / "agents/Rook/archive", tmp_path / "away", True
    archive.rename(away)
    assert life.shown(question) == ["You think back; it will take a moment."]
    assert not archive.exists()
    away.rename(archive)
    life.jobs.pop()()
    assert life.seen() == told


def test_why_tells_what_was_perceived_told_answered_and_done(tmp_path):
    life = Watched(
        tmp_path, "look | I am new here", "<think>She is kind.</think>say Good morning, Ana! | she spoke to me"
    )
    life.turns()
    life.ana.types("say Good morning, Rook!")
    life.turns()
    told = life.shown("@why rook")
    end = told.index("The prompt, compared with the one before (DAY#1):")
    assert told[:end] == [
        "Why Rook did its last act (NOW, DAY#4)",
        "",
        "It perceived since its action before:",
        f"  2: NOW result in The Common Room: {' / '.join(LOOK)}",
        '  3: NOW observed in The Common Room: Ana says, "Good morning, Rook!"',
        "",
        "The engine decided: answer what was said.",
        "The engine let it choose from: nothing, go along with Ana",
        "",
        "thinking: <think>She is kind.</think>",
        "reply: say Good morning, Ana! | she spoke to me",
        "command: say Good morning, Ana!",
        "Its reason: she spoke to me",
        "",
    ]
    assert '  + Ana says, "Good morning, Rook!"' in told[end:]
    assert life.shown("@why rook 4")[1:] == told[1:]


def test_why_tells_nothing_that_was_perceived_after_the_model_was_asked(tmp_path):
    life = Watched(tmp_path, "look", "say hello")
    life.turns()
    life.model.hold()

    async def seen_meanwhile() -> list[str]:
        life.wakes()
        thinking = asyncio.create_task(life.agent.tick())
        await asyncio.sleep(0.01)
        life.ana.types("emote waves a red hat")
        told = life.shown("@why Rook")
        life.model.release()
        await thinking
        return told

    assert asyncio.run(seen_meanwhile())[-1] == "It is thinking again, or waiting for the model."
    told = life.shown("@why Rook")
    assert "command: say hello" in told
    assert not [line for line in told if "red hat" in line]


def test_why_tells_of_verbs_that_the_engine_chose_and_of_a_refusal(tmp_path):
    life = Watched(tmp_path, *[" get moon | it shines"] * 9, constrains=True)
    life.turns(0)
    life.agent.perform("say Good day.")  # now it waits for others to speak
    while not life.model.requests:
        life.turns()
    told = life.shown("@why Rook")
    assert [line for line in told if line.startswith("The engine let it choose from: ")]
    assert "command: get moon" in told
    assert [line for line in told if line.startswith("refused: ")]
    assert told[-1].startswith("Its last turn: refused. ")


def test_why_tells_what_the_prompt_told_of_circles_and_which_answer_was_not_taken(tmp_path):
    again = "say The river is high today."
    life = Watched(tmp_path, *[again] * 5, "look | something else")
    life.turns(5)
    told = life.shown("@why Rook")
    first = told.index(f"Its first answer was rejected: {again}")
    assert told[first + 1] == "rejected, because it goes round in a circle, or is no command"
    assert "Notice on its last turns: You were about to do the same as before; do something else." in told
    assert "command: look" in told


def test_why_tells_of_a_model_that_is_gone(tmp_path):
    life = Watched(tmp_path, ModelError("The host is gone."), "look")
    life.turns()
    assert life.shown("@why Rook") == [
        "Rook has asked its model nothing that is in its archive.",
        "Its last turn: failed. The host is gone.",
    ]
    life.turns()
    assert life.shown("@why Rook")[-1].startswith("result: The Common Room") or "command: look" in life.shown(
        "@why Rook"
    )


def test_the_log_has_the_end_of_the_prompt_the_answer_the_command_and_what_came_of_it(tmp_path):
    life = Watched(tmp_path, "think of tea | it is cold", "I would rather not.", yesterday="~Rook> look\n" * 40)
    life.turns(2)
    _, first, second = "\n".join(life.shown("@llm-log Rook")).split("\n\nRook, NOW")
    assert first.startswith(
        ", DAY#1: scripted, N tokens asked (0 from the cache), 7 answered, 0.00 s, stop\n  prompt ("
    )
    assert first.endswith(
        "  ~Rook>\n  The engine decided: nothing is due.\n  reply: think of tea | it is cold\n"
        "  command: think of tea\n  Its reason: it is cold"
    )
    assert "  command: none\n  result: Your reply held no command" in second
    assert "You are Rook. You hum." not in first


def test_the_log_can_show_whole_prompts_and_the_last_question_of_everybody(tmp_path):
    life = Watched(tmp_path, "look", "think of tea")
    life.turns(2)
    whole = "\n".join(life.shown("@llm-log Rook 1 full"))
    assert whole.count("reply: ") == 1
    assert "\n  You are Rook. You hum.\n" in whole
    of_all = life.shown("@llm-log")
    assert of_all[0] == "The last question of each agent to its model"
    assert "  command: think of tea" in of_all
    assert "  command: look" not in of_all


def test_memories_and_bonds_are_listed(tmp_path):
    life = Watched(tmp_path, "look", "say hello")
    life.turns(2)
    told = life.shown("@memories Rook kind=acted")
    assert told[0].startswith("Memories of Rook, ")
    assert [line.rsplit(": ", 1)[1] for line in told[1:]] == ["say hello", "look"]
    assert life.shown("@memories Rook kind=fancy")[0].startswith(
        "'fancy' is not a kind of memory. Kinds: observed, acted"
    )
    assert life.shown("@memories Rook zebra")[1:] == ["None fits, down to memory 1."]
    assert life.shown("@bonds")[0] == "Who has met whom:"


def test_the_log_and_the_reason_are_for_observers_and_admins_and_know_who_is_an_agent(tmp_path):
    life = Watched(tmp_path)
    assert life.shown("@llm-log Zed") == ["There is no agent 'Zed'. Agents: Rook."]
    assert life.shown("@why Zed") == ["There is no agent 'Zed'. Agents: Rook."]
    assert life.shown("@llm-log Rook") == ["Rook has asked its model nothing that is in its archive."]
    assert life.shown("@why")[0] == "Usage: @why <agent> [<number>]"
    life.game.world.characters["Ana"].role = Role.PLAYER
    for verb in ("@llm-log", "@why"):
        assert life.shown(f"{verb} Rook") == [f"{verb} is for an observer and above; you are a player."]


def test_what_stands_in_the_archive_is_explained_after_a_restart_too(tmp_path):
    life = Watched(tmp_path, "think of tea | it is cold")
    life.turns()
    before = life.shown("@why Rook")
    life.memory.close()
    again = Watched(tmp_path)
    assert again.shown("@why Rook")[: len(before)] == before
    assert isinstance(again.model, ScriptedModel)


def test_a_turn_in_silence_is_told_as_one(tmp_path):
    life = Watched(tmp_path, lambda request: "say The river is high today. | I like it")
    life.turns(5)
    life.agent.perform("look")  # as whoever leads it would
    log, why = life.shown("@llm-log Rook 2"), life.shown("@why Rook")
    silent = "command: none; it has said these very words lately, and was silent"
    assert [line.strip() for line in log if "command:" in line] == ["command: none; the answer was rejected", silent]
    assert silent in why
    said_again = "It would have said again what it has said lately: say The river is high today."
    assert why[-1] == f"Its last turn: silent. {said_again}"
