"""What is known of what somebody speaks of."""

from __future__ import annotations

import pytest

from world.lore import Lore, LoreEntry

LORE = Lore(
    [
        LoreEntry("Lodging", "There is no inn.", ("inn", "stay the night")),
        LoreEntry("The night watch", "Nobody watches.", ("night",)),
        LoreEntry("The lost page", "It was cut out.", ("page",), frozenset({"Odile"})),
        LoreEntry("Moss", "Moss has ferns."),
    ]
)


@pytest.mark.parametrize(
    ("words", "knower", "found"),
    [
        ("Is there an INN here?", "Moss", ["Lodging"]),
        ("Is there an innkeeper?", "Moss", []),
        ("May I stay the night?", "Moss", ["Lodging", "The night watch"]),
        ("Where is the lost page?", "odile", ["The lost page"]),
        ("Where is the lost page?", "Moss", []),
        ("Is there an inn in Moss?", "Odile", ["Lodging", "Moss"]),
        ("What do you think of Moss?", "Odile", ["Moss"]),
        ("Are you Moss?", "Moss", []),
        ("", "Moss", []),
    ],
)
def test_what_is_told_is_what_was_named_the_longest_key_first_to_those_who_know_it(words, knower, found):
    assert [one.title for one in LORE.about(words, knower)] == found
