"""What a row of a table of reactions means, and what is wrong with one."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from world.errors import WorldError
from world.triggers import Action, Condition, Trigger, parse_trigger


@pytest.mark.parametrize(
    ("row", "meant"),
    [
        (("arrive", "", "show A bell rings."), Trigger("arrive", (), (Action("show", "A bell rings."),))),
        (
            ("Use Bell", "night, 1 in 3", "emote rings"),
            Trigger("use", (Condition("part", "night"), Condition("chance", "3")), (Action("emote", "rings"),), "bell"),
        ),
        (
            ("get", "lit != yes, carries [[iron key]]", "set Lit = yes; say Warm."),
            Trigger(
                "get",
                (Condition("is_not", "lit", "yes"), Condition("carries", "iron key")),
                (Action("set", "lit", "yes"), Action("say", "Warm.")),
            ),
        ),
        (
            ("every 30 minutes", "hue = dark red", "move {actor} to [[The Mill|mill]]"),
            Trigger("every", (Condition("is", "hue", "dark red"),), (Action("move", "{actor}", "The Mill"),), every=30),
        ),
        (
            ("use", "", "show Ten look on; one sulks.; tell It sulks."),
            Trigger("use", (), (Action("show", "Ten look on; one sulks."), Action("tell", "It sulks."))),
        ),
        (("dusk", "", "remind Go home."), Trigger("dusk", (), (Action("remind", "Go home."),))),
        (("use", "", "set lit ="), Trigger("use", (), (Action("set", "lit", ""),))),
        (("give", "", "give self to {actor}"), Trigger("give", (), (Action("give", "self", "{actor}"),))),
    ],
)
def test_a_row_says_when_and_what(row, meant):
    assert parse_trigger(*row) == meant


@pytest.mark.parametrize(
    ("row", "complaint"),
    [
        (("dance", "", "show x"), "'dance' is nothing that happens; write arrive, leave, say"),
        (("dusk bell", "", "show x"), "'dusk bell' is nothing that happens"),
        (("every 0", "", "show x"), "'every 0' is not from 1 to 10080 minutes"),
        (("use", "", ""), "'use' does nothing; the third column needs one of show, say"),
        (("use", "", "explode"), "'explode' is nothing that can be done; write one of show, say"),
        (("use", "", "show"), "'show' needs something to show"),
        (("use", "", "move {actor}"), "'move {actor}' says not to where or whom; write such as move {actor} to"),
        (("use", "", "set lit"), "'set lit' sets nothing; write set property = value"),
        (
            ("use", "sometimes", "show x"),
            "'sometimes' is not a condition; write night, dawn, day, dusk, property = value",
        ),
        (("use", "1 in 0", "show x"), "'1 in 0' can never be; write 1 in 3"),
    ],
)
def test_a_row_that_means_nothing_is_refused_with_what_would_do(row, complaint):
    with pytest.raises(WorldError) as refused:
        parse_trigger(*row)
    assert str(refused.value).startswith(complaint)


@given(st.text(), st.text(), st.text())
def test_any_row_is_a_reaction_or_refused(on, when, do):
    try:
        made = parse_trigger(on, when, do)
    except WorldError as error:
        assert str(error)
    else:
        assert made.do
