"""What an agent was asked to tell somebody absent is told once: when they meet, to them alone if it was whispered."""

from __future__ import annotations

from pathlib import Path

import pytest

from agents.component import Turn
from agents.models.model import ModelError, Request
from tests.agents.turn.talking import BASE, CHAT, TINY, Talking, offered, words
from tests.scripted_model import Reply, ScriptedModel
from vault.memory.promises_note import Promise

ASKED = "Rook, please let Cat know that the weir leaks."
SENTENCE = f'say Ana asked me to tell you: "{ASKED}"'
PROMISE = "promise to tell Cat"
SAID = (
    "That I will.",
    "The weir, yes.",
    "So they say.",
    "I was to tell it.",
    "Good.",
    "Water runs there.",
    "Now then.",
)


class Messenger(Talking):
    """Rook, who is asked to tell Cat something; Cat is in the yard. The model does what is offered of `wants`."""

    def __init__(self, root: Path, capabilities=CHAT, wants: str = PROMISE) -> None:
        super().__init__(root, capabilities=capabilities)
        self.wants = wants
        self.model = ScriptedModel(self.reply, capabilities=capabilities)
        self.count = 0

    def reply(self, request: Request) -> Reply:
        self.count += 1
        told = SAID[self.count % len(SAID)]
        if not request.messages:
            said = told if request.text.endswith(" say") else f"say {told}"
            return f" {said}\n~Rook> {self.wants}\n"
        offers = offered(request)
        return words(told, self.wants if self.wants in offers else "nothing" if offers else "")

    def asks(self, line: str = f"say {ASKED}") -> Turn:
        return self.answers(line)

    def promises(self, by: str = "Ana", to: str = "Cat", parties: tuple[str, ...] = ()) -> None:
        self.agent.promises.make(by, to, ASKED, self.memory.journal.last, parties=parties)

    def comes(self, *names: str) -> None:
        for name in names:
            self.game.world.characters[name].awake = True
            self.game.perform(name, "go house door")

    def goes(self, name: str) -> None:
        self.game.perform(name, "go north")

    def delivered(self, turns: int = 4) -> list[Turn]:
        """Let Rook take turns, before each of which Cat shows that he listens; return those in which it delivers."""
        found = [self.answers() for _ in range(turns) if not self.game.perform("Cat", "emote listens.").refusal]
        return [turn for turn in found if turn.cause == "deliver"]

    def all(self) -> list[Promise]:
        return list(self.agent.promises.all())

    @property
    def text(self) -> str:
        return self.memory.journal.vault.read_exact("agents", "Rook", "promises.md")


@pytest.mark.parametrize("capabilities", [CHAT, BASE], ids=["chat", "transcript"])
def test_what_is_asked_with_an_absent_name_is_promised_and_told_once(tmp_path, capabilities):
    life = Messenger(tmp_path, capabilities)
    life.asks()
    assert f"- [ ] 1 · Ana → Cat: {ASKED} (" in life.text
    life.goes("Ana")
    life.comes("Cat")
    (turn,) = life.delivered()
    assert (turn.outcome, turn.line[:4]) == ("acted", "say ")
    assert any(f'You promised Ana to tell Cat: "{ASKED}"' in text for text in life.model.prompts)
    assert "You promised" not in life.agent.prompt().text
    assert [one.is_done for one in life.all()] == [True]
    assert [one.event for one in life.memories()].count("delivered 1") == 1


def test_it_is_no_promise_unless_the_model_chooses_it(tmp_path):
    life = Messenger(tmp_path, wants="nothing")
    life.asks()
    assert PROMISE in offered(life.model.requests[0])
    life.goes("Ana")
    life.comes("Cat")
    assert (life.all(), life.delivered()) == ([], [])


def test_without_a_model_that_speaks_the_sentence_of_the_world_is_said(tmp_path):
    life = Messenger(tmp_path, TINY)
    life.promises()
    life.goes("Ana")
    life.comes("Cat")
    assert (life.answers().line, life.model.requests) == (SENTENCE, [])
    assert (life.delivered(), [one.is_done for one in life.all()]) == ([], [True])


@pytest.mark.parametrize("reply", [words("~Rook> look"), ModelError("Nobody answers.", is_gone=True)])
def test_a_promise_survives_a_model_that_does_not_find_the_words(tmp_path, reply):
    life = Messenger(tmp_path)
    life.promises()
    life.goes("Ana")
    life.comes("Cat")
    life.model = ScriptedModel(reply, reply, capabilities=CHAT)
    failed = life.answers()
    life.model = ScriptedModel(life.reply, capabilities=CHAT)
    told = [turn for turn in (failed, *life.delivered()) if turn.outcome == "acted" and turn.cause == "deliver"]
    assert len(told) == 1
    assert told[0].line == SENTENCE or isinstance(reply, ModelError)


@pytest.mark.parametrize("capabilities", [CHAT, TINY], ids=["chat", "lines"])
def test_a_promise_kept_just_before_a_kill_is_not_kept_again(tmp_path, capabilities):
    life = Messenger(tmp_path, capabilities)
    life.promises()
    life.goes("Ana")
    life.comes("Cat")
    before = life.text
    assert len(life.delivered()) == 1
    life.memory.journal.vault.write_text(before, "agents", "Rook", "promises.md")  # the kill came before the file
    again = Messenger(tmp_path, capabilities)
    again.goes("Ana")
    again.comes("Cat")
    assert (again.delivered(), [one.is_done for one in again.all()]) == ([], [True])


@pytest.mark.parametrize("capabilities", [CHAT, BASE, TINY], ids=["chat", "transcript", "lines"])
def test_a_whispered_one_is_whispered_in_company_and_its_target_knows_of_it_then(tmp_path, capabilities):
    life = Messenger(tmp_path, capabilities)
    life.promises(parties=("Ana", "Rook"))
    life.goes("Ana")
    life.comes("Cat")  # Ben is there all the time
    (turn,) = life.delivered()
    assert turn.line.startswith("whisper Cat ")
    if capabilities is TINY:
        assert turn.line == SENTENCE.replace("say ", "whisper Cat ", 1)
    else:
        assert any(f'You promised Ana to tell Cat: "{ASKED}"' in text for text in life.model.prompts)
    assert life.all()[0].parties == ("Ana", "Rook", "Cat")


def test_who_asks_in_a_whisper_has_it_whispered(tmp_path):
    life = Messenger(tmp_path)
    life.asks(f"whisper Rook {ASKED}")
    assert [one.parties for one in life.all()] == [("Ana", "Rook")]


def test_the_asker_who_is_there_too_is_left_to_tell_it(tmp_path):
    life = Messenger(tmp_path)
    life.promises()
    life.comes("Cat")
    assert life.delivered() == []
    life.goes("Ana")
    assert len(life.delivered()) == 1


def test_an_asker_who_is_there_keeps_nobody_else_from_being_told(tmp_path):
    life = Messenger(tmp_path)
    life.promises(by="Ana", to="Cat")
    life.promises(by="Dan", to="Ben")
    life.promises(by="Dan", to="Cat")
    life.comes("Cat")
    asked = life.delivered(6)
    assert (len(asked), len({turn.line for turn in asked})) == (2, 2)
    assert [(one.asker, one.target) for one in life.all() if not one.is_done] == [("Ana", "Cat")]


def test_a_promise_is_kept_after_an_answer_that_is_owed(tmp_path):
    life = Messenger(tmp_path)
    life.promises()
    life.goes("Ana")
    life.comes("Cat")
    first = life.answers()
    assert first.cause == "deliver"
    life.promises(by="Ben", to="Cat")
    life.goes("Ben")
    life.game.perform("Cat", "say Rook, is it true?")
    assert (life.answers().cause, len(life.delivered())) == ("answer", 1)
