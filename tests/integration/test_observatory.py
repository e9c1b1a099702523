"""The observatory in a real browser: a world of three agents that summarise, looked at by an admin and by a player."""

from __future__ import annotations

import re
from typing import Any

import pytest

from tests.integration.browser import Visitor
from tests.integration.running import ADMIN, eventually, journal_lines, thinking

pytestmark = [pytest.mark.integration, pytest.mark.client]

CHANGES: dict[str, dict[str, Any]] = {
    "config/server.md": {"web_port": -1},
    "config/agents.md": {"think_seconds": 3},
    "config/memory_compaction.md": {"immediate_window": 8, "recent_window": 8, "retry_seconds": 0.5},
}
VIEWS = ("town", "feed", "mind/Eliza", "why/Eliza", "memory/Eliza", "bonds", "health")


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    with thinking(tmp_path_factory.mktemp("observed") / "w", CHANGES) as (server, _):
        yield server
        assert server.failure == ""


def opens(visitor: Visitor, address: str, wanted: str = "#seen section") -> None:
    """Open a view and wait until something of it is there."""
    title = re.split("[/@?]", address)[0]
    visitor.page.evaluate(f"location.hash = '#/{address}'")
    visitor.page.locator("#seen-title").get_by_text(re.compile(f"^{title}", re.I)).wait_for()
    visitor.page.wait_for_selector(wanted)


def numbers(visitor: Visitor) -> tuple[list[int], int]:
    """Return how many memories each tier on the screen has, and what it says they come to."""
    cells = visitor.page.locator("section[data-part=memory] table").first.locator("tbody tr td:last-child")
    *counts, total = [int(text.replace(",", "").split(" ")[0]) for text in cells.all_inner_texts()]
    return counts, total


def memories(server: Any, name: str) -> int:
    """Return how many memories the journal on disk has."""
    return len(journal_lines(server.vault)[name])


def makes_admin(player: Any, name: str) -> None:
    """Make somebody an admin who has just come in."""
    assert eventually(lambda: f"{name} is an admin from now on" in player.asks(f"@grant {name} admin")), player.text


def joins(player: Any, name: str) -> None:
    """Stop an agent and walk to where its errand has led it."""
    player.asks(f"@pause-agent {name}")
    assert eventually(lambda: f"{name} is here already" in player.asks(f"go {name}")), player.text


def test_the_tiers_on_the_screen_add_up_to_what_the_vault_says_before_and_after_a_compaction(visit, server):
    warden, talker = visit("Vera"), server.player(ADMIN)
    makes_admin(talker, "Vera")
    joins(talker, "Eliza")
    opens(warden, "mind/Eliza", "section[data-part=memory] table")
    seen = set()
    for number in range(30):
        talker.asks(f"say The river stood at {number + 100} spans on one day, and it will rise.")
        counts, total = numbers(warden)
        assert sum(counts) == total
        assert total <= memories(server, "Eliza")
        seen.add(len(counts))
    warden.page.click("button:text-is('Compact')")
    warden.page.wait_for_selector("#seen-told:not(:empty)")
    warden.page.wait_for_selector("section[data-part=memory] details")
    assert eventually(lambda: numbers(warden)[1] == memories(server, "Eliza"))
    told = told_in_summaries(warden)
    warden.shot("observatory-mind")
    assert told, warden.page.inner_text("section[data-part=memory]")
    total = numbers(warden)[1]
    talker.asks("say And now it falls.")
    assert eventually(lambda: numbers(warden)[1] > total)
    warden.page.locator(".sentences li li a").first.click()  # what was opened stays so when the mind goes on
    warden.page.wait_for_selector("text=is told in the")
    warden.page.click("section[data-part=found] .verdict a")
    warden.page.wait_for_selector(".wanted")
    assert seen <= {1, 2, 3}


def test_why_leads_from_a_line_of_the_feed_in_two_keys_to_its_chain(visit, server):
    warden = visit(ADMIN)
    opens(warden, "feed", ".feed a[data-line]")
    warden.page.focus(".feed")
    warden.page.keyboard.press("ArrowUp")
    warden.page.wait_for_selector("[data-line]:focus")
    while not warden.page.evaluate("document.activeElement.matches('a[data-line]')"):
        warden.page.keyboard.press("ArrowUp")
    warden.page.keyboard.press("Enter")
    warden.page.wait_for_selector(".chain h3:has-text('Perceived')")
    warden.shot("observatory-why")


def test_why_tells_an_action_that_was_refused_and_one_by_hand(visit, server):
    warden = visit(ADMIN)
    warden.types("@possess Moss")
    warden.sees("Moss")
    warden.types("emote hums a tune | it is quiet")
    warden.types("get moon | it shines")
    warden.types("@release")
    assert eventually(lambda: any("get moon" in line for line in journal_lines(server.vault)["Moss"]))
    actions = {line.split(" · ")[-1].split(" ^m")[0]: int(line.rsplit("^m", 1)[1]) for line in journal_lines(server.vault)["Moss"] if " acted " in line}  # noqa: E501  # fmt: skip
    by_hand = next(seq for text, seq in actions.items() if text.startswith("emote hums a tune"))
    refused = next(seq for text, seq in actions.items() if text.startswith("get moon"))
    opens(warden, f"why/Moss/{by_hand}", ".chain")
    assert "by hand" in warden.page.inner_text("#seen")
    assert "it is quiet" in warden.page.inner_text("#seen")
    opens(warden, f"why/Moss/{refused}", ".verdict:has-text('get moon')")
    assert "Refused by the world." in warden.page.inner_text("#seen")


def test_every_view_is_there_for_an_admin_also_as_text_and_axe_finds_nothing(visit):
    warden = visit(ADMIN)
    found = {}
    for view in VIEWS:
        opens(warden, view)
        found[view] = warden.violations()
        warden.shot(f"observatory-{view.split('/')[0]}")
        warden.page.click("button:text-is('As text')")
        warden.page.wait_for_selector("#seen pre")
        assert len(warden.page.inner_text("#seen pre")) > 10
    assert found == {view: [] for view in VIEWS}


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_view_fits_a_screen_320_points_wide(visit, scheme):
    warden = visit(ADMIN, width=320, height=640, color_scheme=scheme)
    for view in VIEWS:
        opens(warden, view)
        wide = warden.page.evaluate("document.documentElement.scrollWidth")
        warden.shot(f"observatory-{view.split('/')[0]}-320-{scheme}")
        assert wide <= 320, view


def test_a_player_sees_through_the_window_and_is_told_what_is_not_for_players(visit, server):
    player = visit("Nell")
    opens(player, "town", "section[data-part=map] svg")
    assert player.page.locator("#seen table").count() == 1
    opens(player, "feed", ".feed")
    assert "|" not in player.page.inner_text(".feed")
    for view in ("why/Eliza", "memory/Eliza", "bonds", "health"):
        opens(player, view, "#seen .refusal")
        assert "is for observers and admins" in player.page.inner_text("#seen .refusal")


def test_an_observer_sees_a_mind_without_buttons_and_is_refused_with_the_reason(visit, server):
    warden = visit(ADMIN)
    observer = visit("Iris")
    warden.types("@grant Iris observer")
    warden.sees("Iris is an observer from now on.")
    opens(observer, "memory/Eliza", "section[data-part=found] .memories")
    opens(observer, "mind/Eliza", "section[data-part=prompt]")
    opens(warden, "mind/Eliza", "section[data-part=acts] button")
    words = ["Pin", "Unpin", "Pause", "Possess", "Compact", "Rebuild", "Roll back"]
    assert [word for word in words if observer.page.locator(f"#seen button:text-is('{word}')").count()] == []
    observer.page.keyboard.press("Escape")
    observer.page.wait_for_selector("#line:visible")
    commands = ("@memory-pin Eliza 1", "@compact-memories Eliza", "@rebuild-memories Eliza", "@memory-rollback Eliza x")
    for number, line in enumerate(commands, 1):
        observer.types(line)
        observer.sees("Observers can look into", number)


def told_in_summaries(warden: Visitor) -> int:
    """Open every sentence of the summaries on the screen; return how many of them show their memories."""
    for summary in warden.page.locator("section[data-part=memory] details summary").all():
        summary.click()
    told = 0
    for number, sentence in enumerate(warden.page.locator(".sentence").all(), 1):
        sentence.click()
        warden.page.locator(".sentences li p").nth(number - 1).wait_for()
        told += warden.page.locator(".sentences li li a").count() > 0
    return told


def test_a_sentence_of_a_past_summary_shows_its_memories_also_under_the_address_of_its_text(visit, server):
    warden, talker = visit("Vera"), server.player(ADMIN)
    makes_admin(talker, "Vera")
    joins(talker, "Eliza")
    for number in range(24):
        talker.asks(f"say The river will rise by {number + 20} inches.")
    warden.types("@compact-memories Eliza")
    warden.sees("Compaction of Eliza ended")
    at = warden.page.evaluate("new Date(Date.now() + 1000).toISOString().slice(0, 19)")
    opens(warden, f"mind/Eliza@{at}", "section[data-part=memory] details")
    told = told_in_summaries(warden)
    warden.shot("observatory-mind-then")
    assert told, warden.page.inner_text("section[data-part=memory]")
    assert warden.violations() == []
    warden.page.click("button:text-is('As text')")
    warden.page.wait_for_selector("#seen pre")
    assert warden.page.url.endswith(f"#/mind/Eliza@{at}?form=text")
    assert "1. " in warden.page.inner_text("#seen pre")
    warden.page.click("button:text-is('As text')")
    warden.page.wait_for_selector("section[data-part=memory] details")


def test_the_buttons_of_a_mind_pin_and_unpin_pause_possess_and_roll_back(visit, server):
    warden, talker = visit("Vera"), server.player(ADMIN)
    makes_admin(talker, "Vera")
    joins(talker, "Eliza")
    page = warden.page

    def presses(button: str, then: str) -> None:
        page.locator(f"#seen button:text-is('{button}')").first.click()
        page.wait_for_selector(then, state="attached")

    opens(warden, "memory/Eliza", "section[data-part=found] .memories")
    presses("Pin", "#seen button:text-is('Unpin')")
    opens(warden, "mind/Eliza", "section[data-part=memory] summary:text-is('1 pin')")
    page.click("summary:text-is('1 pin')")
    presses("Unpin", "section[data-part=memory]:not(:has(summary:text-is('1 pin')))")
    presses("Let think again", "#seen button:text-is('Pause')")
    presses("Pause", "#seen button:text-is('Let think again')")
    presses("Possess", "#seen-told:has-text('Eliza')")
    presses("Release", "#seen-told:not(:empty)")
    while page.locator("#leaf option").count() < 2:
        done = page.locator("#leaf option").count()
        for number in range(12):
            talker.asks(f"say The river will rise by {number + 60} inches.")
        presses("Compact", f"#leaf option:nth-child({done + 1})")
    before, leaf = numbers(warden)[0], page.locator("#leaf option").nth(1).get_attribute("value")
    page.select_option("#leaf", leaf)
    presses("Roll back", f"#seen-told:has-text('{leaf}')")
    assert eventually(lambda: numbers(warden)[0] != before)
    assert numbers(warden)[0][-1] > before[-1], "what came after it is word for word again"
    assert numbers(warden)[1] == memories(server, "Eliza")


def test_a_view_goes_on_after_the_server_was_away_and_escape_leads_back_to_play(visit):
    warden = visit(ADMIN)
    opens(warden, "town", "section[data-part=map] svg")
    warden.page.evaluate("window.dispatchEvent(new Event('offline'))")
    warden.page.keyboard.press("Escape")
    warden.page.wait_for_selector("#line:visible")
    warden.types("say I am back.")
    warden.sees('You say, "I am back."')
