"""What was whispered, word for word: told only where everybody who will hear the answer knows of it."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from agents.attending.privacy import Withholding, may_hear
from agents.component import Moment, Section, Turn
from agents.memory.speech import speech_in
from vault.memory.memory_line import Memory
from world.events import Event

MOST_LINES = 8
"""Number of private lines that are told, the newest ones."""


class Confided:
    """Tells the private lines of the tail to those who know of them. `read` returns memories as they were recorded."""

    name = "confided"

    def __init__(self, withhold: Withholding, read: Callable[[int, int], Sequence[Memory]]) -> None:
        self._withhold = withhold
        self._read = read

    def observe(self, memory: Memory, event: Event | None) -> None:
        """What was whispered stands in the journal."""

    def acted(self, turn: Turn) -> None:
        """Nothing is kept."""

    def context(self, moment: Moment) -> Section | None:
        """Raises: NoteError if the journal cannot be read."""
        agent, say = moment.actor.name, moment.world.wording
        private = [one for one in moment.view.tail if one.parties and may_hear(one.parties, agent, moment.hearers)]
        if moment.kind != "speech" or not private:
            return None
        lines = list[str]()
        for withheld in reversed(private[-MOST_LINES:]):  # the newest first: of too many, the last lines are cut
            (memory,) = self._read(withheld.seq, withheld.seq)
            spoken = speech_in(memory, agent, self._withhold.reading)
            is_told = moment.tells_heard and spoken is not None and spoken.words in moment.heard.split("\n")
            if spoken and not is_told:
                other = next((one for one in withheld.parties if one != agent), "")
                key = "talk.confided_by_you" if spoken.speaker == agent else "talk.confided"
                lines.append(say(key, who=other, words=spoken.words))
        if not lines:
            return None
        shows = frozenset(one.seq for one in private[-MOST_LINES:])
        return Section(self.name, "\n".join(lines), 160, gives_way=1, is_aside=True, shows=shows)
