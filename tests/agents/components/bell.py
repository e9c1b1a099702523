"""A component in one file: an act that an agent may do along with its words."""

from __future__ import annotations

from collections.abc import Iterable

from agents.component import AddedComponent
from agents.offer import Act, Occasion
from world.parsing import is_named


class Bell(AddedComponent):
    """Offers to ring the bell, where there is one and it was named."""

    name = "bell"

    def offers(self, now: Occasion) -> Iterable[Act]:
        if now.actor.room_id == "The Landing" and is_named("bell", now.heard):
            yield Act("ring the bell", lines=("use bell",), names=("bell",))
