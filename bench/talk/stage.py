"""The stage: a world of its own for each answer of a scene, in which the agent has its turn with the real engine.

What came before stands as the scene has it, the reference answers as the agent's own words, so that every model answers
the same talk. What the agent knows of people stands in its notes on them; the facts of the world are lore, and pinned,
and so is what happened before. A scene in a room of the starter world has that world and its lore around it.
"""

from __future__ import annotations

import asyncio
import json
import random
import re
import shutil
import tempfile
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from agents.agent import Agent
from agents.memory.strategy import loaded_strategies
from agents.repetition.loop_detector import words_in
from bench.lib.worlds import change_settings, populate
from bench.talk.models import Thought, WatchedQueue
from bench.talk.scenes import SILENCE, Line, Scene, SceneError
from vault.entities.load import load_world
from vault.markdown import escape_words
from vault.vault import STARTER, Vault
from world.commands.table import world_commands
from world.entities import Character
from world.events import Emoted, Event, Followed, Gave, Paged, RoomMessage, Said, Shouted, Whispered
from world.game import CommandResult, Game
from world.game_time import DAY_PARTS, game_time_at

DAY_MS = 1_795_219_200_000  # 2026-11-21 00:00 UTC
HOURS = dict(zip(DAY_PARTS, (22, 6, 12, 20), strict=True))
HOUR_MS = 3_600_000
LINE_MS = 15_000
"""Milliseconds from one line of a scene to the next."""

TIMEOUT_SECONDS = 600
"""A slow machine is no fault of the model's, so nobody gives up on an answer."""

TURNS = 2
"""Number of turns that the agent has for an answer."""

KEY_CHARACTERS = 4
"""Minimum length of a word of a fact that is a key to it, in characters."""

EXITS = ("north", "east", "south", "west")


@dataclass(frozen=True)
class Speech:
    """Words of the agent; `to` is the only one who hears them, or empty for all."""

    words: str
    to: str = ""


@dataclass(frozen=True)
class Played:
    """One answer of the agent in a scene: the `place` of its reference among the lines, what it said and did instead.

    `act` is what it did, as an act on offer is named, or empty. `offers` are the acts that the engine let its model
    choose from, None if it was not asked for words. `prompt` is all that the model read, `thoughts` are its answers.
    """

    scene: Scene
    place: int
    seed: int
    speeches: tuple[Speech, ...] = ()
    act: str = ""
    offers: tuple[str, ...] | None = None
    prompt: str = ""
    thoughts: tuple[Thought, ...] = ()
    seconds: float = 0.0

    @property
    def reference(self) -> Line:
        """The answer that the scene gives."""
        return self.scene.lines[self.place]

    @property
    def words(self) -> str:
        """Everything that the agent said."""
        return " ".join(speech.words for speech in self.speeches)


async def play_scene(scene: Scene, seed: int, queue: WatchedQueue) -> list[Played]:
    """Play all answers of a scene, one after the other. Raises: SceneError."""
    queue.forget_prompts()
    return [await play_answer(scene, place, seed, queue) for place in scene.answers]


async def play_answer(scene: Scene, place: int, seed: int, queue: WatchedQueue) -> Played:
    """Play a scene up to one of the agent's answers, and let the agent answer. Raises: SceneError."""
    with tempfile.TemporaryDirectory() as folder:
        vault = set_up_vault(Path(folder) / "vault", scene)
        stage = _Stage(scene, vault)
        agents = populate(vault, stage.game, random.Random(f"{seed} {scene.title} {place}"), lambda: stage.ms)
        if scene.agent not in agents:
            raise SceneError(f"{scene.title}: the agent {scene.agent!r} cannot be set up; the log says why.")
        agents.wake(queue)
        try:
            stage.play(agents[scene.agent], place)
            return await stage.answer(agents[scene.agent], place, seed, queue)
        finally:
            await agents.stop()
            agents.close()


def set_up_vault(root: Path, scene: Scene) -> Vault:
    """Write the vault of a scene."""
    is_in_town = (STARTER / "rooms" / f"{scene.room}.md").exists()
    left_out = [] if is_in_town else ["rooms", "things", "lore"]
    own = STARTER / "agents" / scene.agent
    shutil.copytree(STARTER, root, ignore=shutil.ignore_patterns("agents", *left_out))
    agent = root / "agents" / scene.agent
    if own.exists():
        shutil.copytree(own, agent)
    rooms = [scene.room] if is_in_town else [scene.room, *_rooms_on_offer(scene)]
    if not is_in_town:
        for number, room in enumerate(rooms):
            _write(root / "rooms" / f"{room}.md", _room_note(rooms, number, scene.part))
        change_settings(root / "config" / "world.md", {"start_room": scene.room})
    room = json.dumps(f"[[{scene.room}]]", ensure_ascii=False)
    for thing in scene.things:
        path = root / "things" / f"{thing}.md"
        if not path.exists():
            _write(path, f"---\nat: {room}\n---\nA plain {thing}.\n")
    _write(agent / "agent.md", f"---\nroom: {room}\n---\n{scene.profile}\n")
    _write_knowledge(root, agent, scene)
    change_settings(root / "config" / "models.md", {"timeout_seconds": TIMEOUT_SECONDS})
    return Vault(root)


def _rooms_on_offer(scene: Scene) -> list[str]:
    """Return the rooms that the agent may lead somebody to."""
    people = "|".join(map(re.escape, scene.people))
    return [room for room in _on_offer(scene, rf"lead (?:{people}) to (.+)") if room != scene.room]


def _absent(scene: Scene) -> list[str]:
    """Return who is not here and may be promised something."""
    named = _on_offer(scene, r"(?:promise to tell|keep .+ for) (.+)")
    return [name for name in named if name not in (scene.agent, *scene.people)]


def _on_offer(scene: Scene, form: str) -> list[str]:
    """Return what the acts on offer of a form name, each once."""
    offers = (offer for line in scene.lines for offer in line.offers)
    return list(dict.fromkeys(match[1] for offer in offers if (match := re.fullmatch(form, offer))))


def _room_note(rooms: Sequence[str], number: int, part: str) -> str:
    """Return the note of a room; from the first there is an exit to each other one."""
    others = enumerate(rooms[1:]) if not number else [(number - 1, rooms[0])]
    opposite = 2 if number else 0
    ways = [f"- **{EXITS[(place + opposite) % len(EXITS)]}**: [[{room}]]" for place, room in others]
    return "\n".join([f"It is {part}.", "", *(["## Exits", *ways] if ways else []), ""])


def _write_knowledge(root: Path, agent: Path, scene: Scene) -> None:
    pins = [*scene.notes, *([scene.past] if scene.past else [])]
    known: dict[str, list[str]] = {}
    for fact in scene.knows:
        about = next((name for name in sorted(scene.people, key=fact.find) if name in fact), "")
        known.setdefault(about, []).append(f"- {escape_words(fact)}")
    pins += known.pop("", [])
    for name, facts in known.items():
        _write(agent / "people" / f"{name}.md", "\n".join(["## Said", *facts, ""]))
    if pins:
        lines = [f"- {escape_words(pin.removeprefix('- '))}" for pin in pins]
        _write(agent / "facts.md", "\n".join(["## Pinned", *lines, ""]))
    for note in scene.notes:
        keys = sorted(
            {word for word in words_in(note) if len(word) >= KEY_CHARACTERS}, key=lambda key: (-len(key), key)
        )
        files = (root / "lore" / f"{title}.md" for title in (*keys, note[:KEY_CHARACTERS]))
        path = next(path for path in files if not path.exists())  # the agent may say that it can be asked about it
        _write(path, f"---\nkeys: {json.dumps(keys, ensure_ascii=False)}\n---\n{note}\n")


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, "utf-8")


@dataclass
class _Stage:
    """The world of one answer; `ms` is its time."""

    scene: Scene
    vault: Vault
    ms: int = 0
    game: Game = field(init=False)
    _events: list[Event] = field(default_factory=list)

    def __post_init__(self) -> None:
        scene = self.scene
        part = next((part for part in DAY_PARTS if part in scene.part), "day")
        self.ms = DAY_MS + HOURS[part] * HOUR_MS
        world = load_world(self.vault, loaded_strategies().load_settings(self.vault).world)
        for name in scene.people:
            world.add_character(Character(name, scene.room))
        for name in _absent(scene):
            world.add_character(Character(name, scene.room))  # it sleeps
        for thing in scene.things:
            world.things[thing].place_id = scene.agent
        world.time = game_time_at(self.ms, 1440)
        self.game = Game(world, world_commands())
        self.game.subscribe_lines("bench", self._take, first=True)
        for name in scene.people:
            self.game.wake(name, lambda event, text: None)

    def play(self, agent: Agent, place: int) -> None:
        """Let happen what comes before an answer."""
        for number, line in enumerate(self.scene.lines[:place]):
            self.ms += LINE_MS
            self.game.advance_time(game_time_at(self.ms, 1440))
            if line.is_answer:
                self._answer_as_written(agent, line, partner(self.scene, number))
            else:
                self.game.publish((self._event(line),))
        self.ms += LINE_MS

    async def answer(self, agent: Agent, place: int, seed: int, queue: WatchedQueue) -> Played:
        """Return the agent's own answer."""
        self._events.clear()
        thoughts, prompts, began = len(queue.thoughts), len(queue.prompts), asyncio.get_running_loop().time()
        offers: tuple[str, ...] | None = None
        for _ in range(TURNS if self.scene.lines[place].words else 1):
            await agent.tick()
            if agent.asked and agent.asked.question.decision.kind == "speech":
                offers = tuple(act.label for act in agent.asked.question.acts)
            if self._speeches():
                break
        return Played(
            self.scene,
            place,
            seed,
            tuple(self._speeches()),
            self._act(agent, place),
            offers,
            "\n".join(queue.prompts[prompts:]),
            tuple(queue.thoughts[thoughts:]),
            asyncio.get_running_loop().time() - began,
        )

    def _event(self, line: Line) -> Event:
        room = self.scene.room
        if not line.who:
            return RoomMessage("", room, line.words)
        if line.is_whispered:
            return Whispered(line.who, room, self.scene.agent, line.words)
        return Said(line.who, room, line.words)

    def _answer_as_written(self, agent: Agent, line: Line, to: str) -> None:
        """Let the agent say its reference answer, and give what it gives there; its other acts are left out."""
        if line.act.startswith("give "):
            agent.perform(line.act)
        if not line.words:
            return
        own = agent.character.transient
        own.speaks_to_id = "" if line.is_whispered else to
        agent.perform(f"whisper {to} {line.words}" if line.is_whispered else f"say {line.words}")
        own.speaks_to_id = ""

    def _speeches(self) -> Iterable[Speech]:
        spoken = []
        for event in self._events:
            if isinstance(event, Said | Shouted | Whispered | Paged) and not getattr(event, "is_scripted", False):
                spoken.append(Speech(event.text, event.to_id if isinstance(event, Whispered | Paged) else ""))
        return spoken

    def _act(self, agent: Agent, place: int) -> str:
        """Return the act that the agent did, as it is named where it is on offer."""
        own, parted = agent.character.transient, agent.conversation.manners().parted
        if own.leading_id:
            return f"lead {own.leading_id} to {self.game.world.rooms[own.leading_to_id].name}"
        for event in self._events:
            if isinstance(event, Gave):
                return f"give {event.thing_id} to {event.to_id}"
            if isinstance(event, Followed):
                return f"go along with {event.to_id}"
        for promise in agent.promises.open():
            return (
                f"keep {promise.thing} for {promise.target}" if promise.thing else f"promise to tell {promise.target}"
            )
        if parted:
            return "take leave"
        is_silent = not any(isinstance(event, Emoted) for event in self._events) and not self._speeches()
        return SILENCE if is_silent and SILENCE in self.scene.lines[place].offers else ""

    def _take(self, character_id: str, text: str, performed: CommandResult) -> None:
        if character_id == self.scene.agent:
            self._events += [event for event in performed.events if event.actor_id == character_id]


def reference_answers(scene: Scene) -> list[Played]:
    """Return the reference answers as if an agent had given them."""
    turns = []
    for place in scene.answers:
        line = scene.lines[place]
        to = partner(scene, place) if line.is_whispered else ""
        turns.append(Played(scene, place, 1, (Speech(line.words, to),) if line.words else (), line.act))
    return turns


def partner(scene: Scene, place: int) -> str:
    """Return who spoke last before a line; before a whisper, who whispered last."""
    spoke = [line for line in scene.lines[:place] if line.who and not line.is_answer]
    whispered = [line for line in spoke if line.is_whispered] if scene.lines[place].is_whispered else []
    return next((line.who for line in reversed(whispered or spoke)), "")
