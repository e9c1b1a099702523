"""The scenes of the folder `scenes`, whose README tells the format, and their parser."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

FOLDER = Path(__file__).parent / "scenes"
SILENCE = "stay silent"
FIELDS = ("place", "knows", "notes", "past", "may")

_HEAD = re.compile(r"== (?P<name>[^|]+?) *\| *(?P<profile>.+)")
_PLACE = re.compile(
    r"(?P<room>[^,;]+), *(?P<part>[^;]+?) *(?:; *here: *(?P<here>[^;]*))?(?:; *carries: *(?P<things>.*))?"
)
_SPEECH = re.compile(r"(?P<who>[^\W\d_][^:]{0,40}?)(?P<whispers> whispers)?: *(?P<words>.+)")
_ANSWER = re.compile(r"> *(?P<whispers>whispers: *)?(?P<words>.*?) *(?:\[(?P<act>[^\]]+)\])?")


class SceneError(Exception):
    """A scene that cannot be read or played; the message has file and line, and what would be right."""


@dataclass(frozen=True)
class Line:
    """One line of a talk: an event, which has no `who`, somebody's words, or an answer of the agent.

    Only an answer has an `act`, which may be empty, and `offers`, the acts that it may choose from.
    """

    who: str
    words: str
    is_whispered: bool = False
    is_answer: bool = False
    act: str = ""
    offers: tuple[str, ...] = ()


@dataclass(frozen=True)
class Scene:
    """A talk with an agent. `title` has its file and line; `part` is the part of the day."""

    title: str
    agent: str
    profile: str
    room: str
    part: str
    here: tuple[str, ...]
    things: tuple[str, ...]
    knows: tuple[str, ...]
    notes: tuple[str, ...]
    past: str
    lines: tuple[Line, ...]

    @property
    def answers(self) -> list[int]:
        """The places of the agent's answers among the lines."""
        return [place for place, line in enumerate(self.lines) if line.is_answer]

    @property
    def people(self) -> tuple[str, ...]:
        """All who are here or speak, but the agent."""
        speakers = (line.who for line in self.lines if line.who and not line.is_answer)
        return tuple(dict.fromkeys([*self.here, *speakers]))

    @property
    def written(self) -> str:
        """Everything that the author of the scene says, and what the agent says; not the visitors' words."""
        told = (line.words for line in self.lines if line.is_answer or not line.who)
        return "\n".join([self.profile, self.room, *self.knows, *self.notes, self.past, *told])

    def heard(self, place: int) -> str:
        """Return the words or events since the answer before the one at `place`."""
        before = self.lines[:place]
        first = max((number + 1 for number, line in enumerate(before) if line.is_answer), default=0)
        return "\n".join(line.words for line in before[first:])


def read_scenes(only: str = "", count: int = 0) -> list[Scene]:
    """Return the scenes in an order that is drawn once and for all; the first `count`, or those whose title has `only`.

    So a part of them is a fair sample. Raises: SceneError.
    """
    scenes = [scene for path in sorted(FOLDER.glob("*.txt")) for scene in scenes_in(path)]
    random.Random(0).shuffle(scenes)
    chosen = [scene for scene in scenes if only in scene.title]
    if not chosen:
        raise SceneError(
            f"--only is {only!r}, which no scene's title has; expected a part of one, as {scenes[0].title!r}."
        )
    return chosen[:count] if count else chosen


def scenes_in(path: Path) -> Iterator[Scene]:
    """Yield the scenes of a file. Raises: SceneError."""
    try:
        lines = path.read_text("utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise SceneError(f"{path.name} cannot be read as UTF-8: {error}") from error
    starts = [number for number, line in enumerate(lines) if line.startswith("==")]
    first = next((number for number, line in enumerate(lines) if line.strip()), 0)
    if lines and (not starts or first < starts[0]):
        raise SceneError(f"{path.name}:{first + 1}: {lines[first]!r} stands in no scene; expected == NAME | profile.")
    for start, end in zip(starts, [*starts[1:], len(lines)], strict=True):
        yield _scene(path.name, start + 1, lines[start:end])


def _scene(file: str, start: int, lines: Sequence[str]) -> Scene:
    def fault(offset: int, expected: str) -> SceneError:
        return SceneError(f"{file}:{start + offset}: {lines[offset]!r} is not of the form; expected {expected}.")

    head = _HEAD.fullmatch(lines[0].strip())
    if head is None:
        raise fault(0, "== NAME | profile")
    fields: dict[str, list[str]] = {name: [] for name in FIELDS}
    talk = list(_talk(head["name"], lines, fields, fault))
    place = _PLACE.fullmatch(" ".join(fields["place"]))
    if place is None:
        raise SceneError(f"{file}:{start}: the scene has no place; expected place: ROOM, part of day; here: OTHERS.")
    return Scene(
        title=f"{file.removesuffix('.txt')}:{start}",
        agent=head["name"],
        profile=head["profile"],
        room=place["room"],
        part=place["part"],
        here=_parts(place["here"] or "", ","),
        things=_parts(place["things"] or "", ","),
        knows=_parts("|".join(fields["knows"]), "|"),
        notes=_parts("|".join(fields["notes"]), "|"),
        past=" ".join(fields["past"]),
        lines=tuple(talk),
    )


def _talk(
    agent: str, lines: Sequence[str], fields: Mapping[str, list[str]], fault: Callable[[int, str], SceneError]
) -> Iterator[Line]:
    """Yield the lines of the talk; what stands in fields is put there."""
    offers: tuple[str, ...] = ()
    for offset, line in enumerate(map(str.strip, lines)):
        name, _, value = line.partition(":")
        if not offset or not line:
            continue
        if name in FIELDS:
            fields[name].append(value.strip())
            offers = _parts(value, ";") if name == "may" else offers
        elif line.startswith(">"):
            yield _answer(agent, line, offers, partial(fault, offset))
            offers = ()
        elif line.startswith("(") and line.endswith(")"):
            yield Line("", line[1:-1])
        elif speech := _SPEECH.fullmatch(line):
            yield Line(speech["who"], speech["words"], bool(speech["whispers"]))
        else:
            raise fault(offset, "NAME: words, (an event) or > an answer")


def _answer(agent: str, line: str, offers: tuple[str, ...], fault: Callable[[str], SceneError]) -> Line:
    answer = _ANSWER.fullmatch(line)
    if answer is None or not (answer["words"] or answer["act"] == SILENCE):
        raise fault(f"> words, or > [{SILENCE}]")
    if answer["act"] and answer["act"] not in offers:
        raise fault(f"one of the acts on offer: {'; '.join(offers) or 'none'}")
    return Line(agent, answer["words"], bool(answer["whispers"]), True, answer["act"] or "", offers)


def _parts(text: str, mark: str) -> tuple[str, ...]:
    return tuple(part.strip() for part in text.split(mark) if part.strip())
