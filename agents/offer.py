"""What an agent may do along with its words: an act on offer, and the occasion for which it is made."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from world.entities import Character
from world.message_catalog import Wording
from world.world import World

MINUTES_A_DAY = 1440


@dataclass(frozen=True)
class Act:
    """Something on offer. `label` is how the model sees it, `lines` are the commands that are done before the words.

    `names` are those in it, by which it comes first when they stand in the newest words. `take_note` is called once all
    lines were accepted. `is_silence` is the act of saying nothing.
    """

    label: str
    lines: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    take_note: Callable[[], object] = field(default=lambda: None, compare=False)
    is_silence: bool = False


@dataclass(frozen=True)
class Occasion:
    """The situation of an agent that is about to speak.

    `heard` are the newest words that it answers, `seq` the number of the newest memory, `is_private` whether only the
    partner hears the answer. `is_named` is whether somebody in particular was spoken to. `spoken` are the last dozen
    speeches, oldest first. `gift` is the name of a thing that was given with the words, or empty. `keeps` are the names
    of things that it lends nobody. `words_here` counts its own speeches in this room. `called` returns by what name
    somebody goes.
    """

    world: World
    actor: Character
    partner: Character
    heard: str = ""
    seq: int = 0
    is_private: bool = False
    is_named: bool = True
    spoken: tuple[str, ...] = ()
    gift: str = ""
    keeps: frozenset[str] = frozenset()
    company: tuple[Character, ...] = ()
    words_here: int = 0
    called: Callable[[str], str] = lambda name: name

    @property
    def say(self) -> Wording:
        """The world's sentences."""
        return self.world.wording

    @property
    def words(self) -> str:
        """The words that are answered, in one line."""
        return " ".join(self.heard.split("\n"))

    @property
    def day(self) -> int:
        """The day of the world, counted."""
        return self.world.time.minutes // MINUTES_A_DAY
