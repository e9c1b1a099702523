"""Poses for agents whose model writes poor ones: quiet verb phrases that suit anybody, anywhere."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

ALONE = (
    "nods slowly",
    "smiles a little",
    "smiles at nothing in particular",
    "listens for a moment",
    "listens to the water",
    "looks up at the sky",
    "looks down at both hands",
    "hums half a tune",
    "hums under the breath",
    "takes a long breath",
    "yawns and looks surprised by it",
    "stretches",
    "waits, without seeming to wait",
    "stands quite still",
    "shifts from one foot to the other",
    "turns round once, slowly",
    "counts something silently",
    "starts to say something and thinks better of it",
    "wipes a drop of water from one eyebrow",
    "rubs both hands together for warmth",
    "pats one pocket, then the other",
    "brushes a crumb from one sleeve",
    "turns a collar up against the damp",
    "shakes the wet from one shoe",
    "taps a foot in time with the water",
    "laughs quietly",
    "frowns, then stops frowning",
    "leans back and looks about",
    "closes both eyes for as long as a breath takes",
    "tilts an ear towards the weir",
)
WITH_SOMEBODY = (
    "nods to {person}",
    "smiles at {person}",
    "waves to {person}",
    "listens to {person}",
    "moves aside to make room for {person}",
    "gives {person} a thoughtful look",
    "walks a few steps with {person}",
    "laughs, and looks to see whether {person} does",
    "waits for {person} to finish",
)
WITH_SOMETHING = (
    "looks at the {thing}",
    "looks at the {thing} for a long time",
    "glances at the {thing} and away again",
    "looks from the {thing} to the sky",
    "points at the {thing}",
)


def poses(people: Iterable[str], things: Iterable[str]) -> Iterator[str]:
    """Yield every pose that can be struck among these people and things, by their names."""
    yield from ALONE
    yield from (pose.format(person=person) for person in people for pose in WITH_SOMEBODY)
    yield from (pose.format(thing=thing) for thing in things for pose in WITH_SOMETHING)
