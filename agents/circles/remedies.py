"""What is done about an agent that goes in circles, step by step: told, varied, led, kept silent, slowed down.

The steps follow from its strain alone, see `agents.circles.loops`. Each holds what the ones before it hold.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from agents.circles.loops import SPEECH, TALK, Found, Loops, Sign
from world.message_catalog import Wording

TOLD, VARIED, LED, COOLED = 1, 2, 3, 4
"""From which strain on an agent is told of it, its model samples otherwise, verbs are shunned, it thinks less often."""

WARMER = 0.2
HOTTEST = 1.5
"""What each step from `VARIED` on adds to the temperature, and where that ends."""

REPEAT_PENALTY = 1.1
SLOWER = 2.0
"""How many times as long the pause before the next thought is, for each step from `COOLED` on."""

SHUNNED: Mapping[Sign, frozenset[str]] = {
    Sign.SAID_AGAIN: SPEECH,
    Sign.ASKED_AGAIN: SPEECH,
    Sign.ECHOED: SPEECH,
    Sign.IN_TURNS: SPEECH,
    Sign.ONLY_TALK: TALK,
    Sign.TO_AND_FRO: frozenset({"go"}),
    Sign.NO_COMMAND: frozenset(),
}
"""Which verbs lead further into a circle. What was done again is shunned by its own verb."""


@dataclass(frozen=True)
class Remedy:
    """What holds for the next turn.

    `told` are the signs that the agent is told of. `warmer` is added to the temperature. `shunned` are verbs not to be
    used, and if it `leads`, a line that would go on in the same circle is not taken before the model was asked once
    more; if it then says its own words again, it is silent. `slower` is how many times as long as usual the pause after
    the turn is.
    """

    told: tuple[Found, ...] = ()
    warmer: float = 0.0
    repeat_penalty: float = 1.0
    shunned: frozenset[str] = frozenset()
    leads: bool = False
    slower: float = 1.0

    def temperature(self, own: float) -> float:
        """Return the temperature to ask with, given the agent's own."""
        return max(own, min(HOTTEST, own + self.warmer))


NONE = Remedy()


def remedy(loops: Loops) -> Remedy:
    """Return what is to be done about an agent now."""
    strain = loops.strain
    if strain < TOLD:
        return NONE
    # Whoever finds no command finds it even less when it is asked for variety.
    is_varied = strain >= VARIED and all(one.sign is not Sign.NO_COMMAND for one in loops.last_found)
    return Remedy(
        told=loops.found,
        warmer=WARMER * (strain - VARIED + 1) if is_varied else 0.0,
        repeat_penalty=REPEAT_PENALTY if is_varied else 1.0,
        shunned=shunned_by(loops.last_found) if strain >= LED else frozenset(),
        leads=strain >= LED,
        slower=SLOWER ** max(0, strain - COOLED + 1),
    )


def shunned_by(found: tuple[Found, ...]) -> frozenset[str]:
    """Return the verbs that lead further into the circles of these signs."""
    return frozenset().union(*(SHUNNED.get(one.sign, frozenset({one.verb})) for one in found))


def sentences(found: tuple[Found, ...], wording: Wording, lines: Sequence[str] = ()) -> str:
    """Return what somebody is told who goes in circles; empty if it does not. `lines` are what it could type."""
    return " ".join(dict.fromkeys(_sentence(one, wording, lines) for one in found))


def _sentence(found: Found, wording: Wording, lines: Sequence[str]) -> str:
    if found.sign is Sign.NO_COMMAND:
        return wording("loops.no_command", lines=wording.any_of(lines))
    if found.sign is Sign.SAID_AGAIN and found.times > 1:
        return wording("loops.said_often", count=found.times + 1)
    if found.sign is Sign.DID_AGAIN:
        return wording("loops.did_again", count=found.times + 1)
    return wording(f"loops.{found.sign.value}")
