"""A component that is defined in one file is a part of every mind, and one that fails is off while all else goes on."""

from __future__ import annotations

import logging
import random
import sys
from importlib import import_module
from importlib.metadata import EntryPoint
from pathlib import Path

import pytest

from agents.commands.thought_commands import mind_command
from agents.component import AddedComponent, Moment, Owner, Section, Turn
from agents.component_registry import ComponentRegistry, components_in, loaded_components
from agents.plugins import with_plugins
from agents.prompts.prompt import SLOTS, known_slots, parse_template
from agents.turn.asking import Question
from tests.agents.components import mood
from tests.agents.components.mood import Mood
from tests.agents.house import House
from vault.errors import NoteError
from vault.memory.memory_line import Memory
from vault.vault import STARTER, Vault
from world.entities import Role
from world.events import Event

ROOT = Path(__file__).parents[3]
WITH_MOOD = loaded_components().with_more(Mood)


def house_with(root: Path, *kinds: type[AddedComponent]) -> House:
    return House(root, "Rook", "Ben", components=loaded_components().with_more(*kinds))


def test_a_component_is_one_file_of_less_than_forty_lines():
    source = Path(mood.__file__).read_text(encoding="utf-8")
    assert len(source.splitlines()) < 40
    assert f"```python\n{source}```" in (ROOT / "docs" / "extending.md").read_text(encoding="utf-8")


def test_a_module_in_the_folder_of_components_is_found_by_itself(tmp_path, monkeypatch):
    source = Path(mood.__file__).read_text(encoding="utf-8")
    (tmp_path / "more_minds").mkdir()
    (tmp_path / "more_minds" / "__init__.py").write_text("")
    (tmp_path / "more_minds" / "mood.py").write_text(source)
    monkeypatch.syspath_prepend(tmp_path)
    found = components_in(import_module("more_minds"))
    assert found.names == {"mood"}
    assert [kind.name for kind in found.added] == ["mood"]
    for name in ("more_minds", "more_minds.mood"):
        monkeypatch.delitem(sys.modules, name)


def test_an_installed_package_brings_one_by_an_entry_point_and_a_broken_one_is_left_out(caplog):
    found = [
        EntryPoint("mood", "tests.agents.components.mood:Mood", "fallwater.components"),
        EntryPoint("gone", "tests.agents.components.gone:Gone", "fallwater.components"),
    ]
    assert with_plugins(loaded_components(), found, "component") == WITH_MOOD
    assert [one.getMessage() for one in caplog.records if one.levelno == logging.ERROR] == [
        "the component tests.agents.components.gone:Gone cannot be loaded and is left out"
    ]


def test_the_names_of_the_components_that_come_along_are_no_list_anywhere():
    assert loaded_components().names >= {
        "confided",
        "facts",
        "known",
        "recollected",
        "errand",
        "bonds",
        "insights",
        "notice",
        "surroundings",
    }
    with pytest.raises(ValueError, match="a name of its own"):
        WITH_MOOD.with_more(Mood)


def test_it_hears_what_the_agent_hears_and_tells_of_it_in_the_prompt_until_it_is_over(tmp_path):
    house = house_with(tmp_path, Mood)
    assert "You feel" not in house.prompt("Rook")
    house.player("Ben").types("say Thank you, Rook.")
    assert house.prompt("Rook").count("[You feel glad.]") == 1
    assert "You feel" not in house.prompt("Ben")
    house.agents["Rook"].perform("nod")
    assert "You feel" not in house.prompt("Rook")
    house.end()


@pytest.mark.parametrize("form", ["talk", "small", "full"])
def test_every_form_of_a_prompt_has_a_place_for_it(tmp_path, form):
    house = house_with(tmp_path, Mood)
    house.player("Ben").types("say You fool, Rook.")
    agent = house.agents["Rook"]
    prompt = agent.mind.prompt(Question(), form, house.now(), len, 100_000)
    assert prompt.text.count("[You feel hurt.]") == 1
    assert prompt.section("mood") == "[You feel hurt.]"
    house.end()


def test_a_template_may_have_a_slot_for_it():
    text = Vault(STARTER).read("templates", "agent_prompt.md").body
    template = text.replace("~{name}>", "{mood}\n~{name}>")
    assert "mood" in parse_template(template, "t.md", known_slots(SLOTS, WITH_MOOD)).slots
    with pytest.raises(NoteError, match="there is no slot {mood}"):
        parse_template(template, "t.md")


def test_one_agent_may_be_without_it_and_mind_shows_it(tmp_path):
    house = house_with(tmp_path, Mood)
    house.game.commands.add(mind_command(house.agents, house.game.publish))
    house.player("Ben").types("say Thank you, Rook.")
    ana = house.player("Ana", Role.ADMIN)
    ana.types("@mind Rook")
    assert "Rook feels glad." in "\n".join(ana.screen())
    rook = house.agents["Rook"]
    rook.mind.adopt(rook.note, house.templates, {"mood"})
    assert "You feel" not in house.prompt("Rook")
    house.end()


class Deaf(AddedComponent):
    name = "deaf"

    def observe(self, memory: Memory, event: Event | None) -> None:
        raise RuntimeError("I will not hear of it")


class Silent(AddedComponent):
    name = "silent"

    def context(self, moment: Moment) -> Section | None:
        raise RuntimeError("I have nothing to say")


class Idle(AddedComponent):
    name = "idle"

    def acted(self, turn: Turn) -> None:
        raise RuntimeError("I was asleep")


class Garbled(AddedComponent):
    name = "garbled"

    def context(self, moment: Moment) -> Section | None:
        return "glad"  # type: ignore[return-value]


class Impostor(AddedComponent):
    name = "impostor"

    def context(self, moment: Moment) -> Section | None:
        return Section("profile", "You are a heron.")


class Wordless(AddedComponent):
    name = "wordless"

    def context(self, moment: Moment) -> Section | None:
        return Section(self.name, 7)  # type: ignore[arg-type]


@pytest.mark.parametrize("kind", [Deaf, Silent, Idle, Garbled, Impostor, Wordless])
def test_one_that_fails_is_off_with_a_line_that_names_it_and_the_others_go_on(tmp_path, caplog, kind):
    house = House(tmp_path, components=loaded_components().with_more(kind, Mood))
    rook = house.agents["Rook"]
    before = rook.memory.journal.last
    for _ in range(2):
        house.player("Ben").types("say Thank you, Rook.")
        assert "You feel glad." in house.prompt("Rook")
        rook.mind.acted(Turn("refused"))
    assert "a heron" not in house.prompt("Rook")
    assert [one.getMessage() for one in caplog.records if one.levelno == logging.ERROR] == [
        f"the component {kind.name} failed, and is switched off"
    ]
    assert rook.memory.journal.last == before + 2
    house.end()


def test_one_that_takes_long_is_off(tmp_path, monkeypatch):
    house = house_with(tmp_path, Mood)
    monkeypatch.setattr("agents.prompts.builder.HANGS_SECONDS", -1.0)
    told: list[str] = []
    house.agents["Rook"].on_trouble = told.append
    house.player("Ben").types("say Thank you, Rook.")
    assert "You feel" not in house.prompt("Rook")
    assert len([line for line in told if "'mood'" in line]) == 1
    house.end()


def test_one_that_cannot_be_made_is_left_out(caplog):
    class Unborn(AddedComponent):
        name = "unborn"

        def __init__(self, owner: Owner) -> None:
            raise RuntimeError(owner.name)

    owner = Owner("Rook", Vault(STARTER), lambda: 0, random.Random(1))
    made = list(ComponentRegistry().with_more(Unborn, Mood).made_for(owner))
    assert [one.name for one in made] == ["mood"]
    assert "the component unborn of Rook cannot be made and is left out" in caplog.text
