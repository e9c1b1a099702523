"""Keeping order: who is sent home or kept out, and what people and agents may do."""

from __future__ import annotations

from typing import Any

from twisted.internet.defer import Deferred

from tests.playing import play
from tests.server.administered_inn import AdministeredInn
from tests.server.front_door import Thread, at_once
from world.entities import Role
from world.events import EntityChanged, Event


def test_somebody_is_sent_home_with_a_last_word(inn):
    play(
        inn.game,
        inn.players,
        """
Ana> @kick Dan
Ana| 'Dan' is nobody who is connected. Type who to see who is.
Ana> @kick ana
Ana| That would be yourself; type quit to leave.
Ana> @kick ben -> Take a walk.
Ana| Ben is sent home.
Ana> @kick Cat
Ana| Cat is sent home.
""",
    )
    assert inn.callers["Ben"].last_word == "You are sent home: Take a walk."
    assert inn.callers["Cat"].last_word == "You are sent home: No reason was given."


def test_somebody_is_kept_out_until_they_are_let_in_again(inn):
    play(
        inn.game,
        inn.players,
        """
Ana> @unban
Ana| Nobody is banned.
Ana> @ban ana
Ana| That would be yourself; type quit to leave.
Ana> @ban ben -> Enough.
Ana| ben is banned until you type @unban ben.
Ana> @ban Cat for 3 days -> Come back on Saturday.
Ana| Cat is banned until 2026-11-21 11:06 UTC.
Ana> @ban Dan for a while
Ana| 'a while' is not a time; give one such as 30 minutes, 12 hours, 3 days or 2 weeks.
Ana> @ban 127.0.0.1
Ana| You can't ban 127.0.0.1: it is this machine itself.
Ana> @unban
Ana| Ben: Enough.
Ana| Cat, until 2026-11-21 11:06 UTC: Come back on Saturday.
Ana> @unban Ben
Ana| Ben is no longer banned.
Ana> @unban Ben
Ana| Ben is not banned. Type @unban alone to list the bans.
""",
    )
    assert inn.callers["Ben"].last_word == "You are banned: Enough."
    assert inn.callers["Cat"].last_word == "You are banned until 2026-11-21 11:06 UTC: Come back on Saturday."


def test_who_calls_from_an_address_that_is_kept_out_is_sent_home_but_never_who_says_so(inn):
    inn.callers["Cat"].host = "198.51.100.4"
    assert inn.shown("Ana", "@ban 203.0.113.0/24 for 2 weeks") == [
        "203.0.113.0/24 is banned until 2026-12-02 11:06 UTC."
    ]
    assert [one.last_word != "" for one in inn.callers.values()] == [False, True, False]


def test_who_is_kept_out_while_their_connection_is_lost_falls_asleep_at_once(inn):
    cat = inn.game.world.characters["Cat"]
    inn.game.sleep("Cat")
    inn.registry.playing.pop("Cat")
    inn.registry.linkdead.wait_for(cat)
    inn.shown("Ana", "@ban Ben")
    assert (cat.awake, inn.registry.linkdead.names) == (True, ["Cat"])
    inn.shown("Ana", "@ban Cat")
    assert (cat.awake, inn.registry.linkdead.names) == (False, [])


def test_what_people_may_do_is_granted_and_revoked(inn):
    play(
        inn.game,
        inn.players,
        """
Ana> @grant ben builder
Ana| Ben is a builder from now on.
Ben> @create stool
Ana| Ben makes a stool out of thin air.
Ben| You make a stool, and have it in your hands.
Ana> @revoke Ben admin
Ana| Ben is not 'admin', but a builder.
Ana> @revoke Ben
Ana| Ben is a player from now on.
Ana> @grant Ben @dig
Ana| '@dig' is no role; give guest, player, observer, builder or admin.
Ana> @grant Zed builder
Ana| There is nobody called 'Zed'.
Ana> @revoke Ana
Ana| Ana is the only admin, and has to stay one. Grant somebody else that role first.
Ana> @grant Ana player
Ana| Ana is the only admin, and has to stay one. Grant somebody else that role first.
Ana> @grant Ben admin
Ana| Ben is an admin from now on.
Ben> @revoke Ana
Ben| Ana is a player from now on.
""",
    )
    assert [inn.accounts.role_of(name) for name in ("Ana", "Ben")] == [Role.PLAYER, Role.ADMIN]


def test_an_agent_is_granted_a_role_or_single_commands_and_its_note_is_to_be_written(inn):
    happened: list[Event] = []
    inn.game.subscribe("test", happened.extend)
    play(
        inn.game,
        inn.players,
        """
Ana> @grant Rook @dig
Ana| Rook may use @dig from now on.
Ana> @grant rook @fly
Ana| '@fly' is neither a command nor a role; give a command such as @dig, or guest, player, observer, builder or admin.
Ana> @revoke Rook @destroy
Ana| Rook was not granted @destroy.
""",
    )
    rook = inn.game.world.characters["Rook"]
    assert rook.grants == {"@dig"}
    assert EntityChanged("Ana", "character", "Rook") in happened
    assert inn.game.perform("Rook", "@dig up to The Attic").accepted
    assert inn.game.perform("Rook", "@destroy The Attic").refusal == (
        "@destroy is for a builder and above; you are a player."
    )
    assert inn.shown("Ana", "@revoke Rook @dig") == ["Rook may use @dig no more."]
    assert inn.shown("Ana", "@grant Rook builder") == ["Rook is a builder from now on."]
    assert (rook.role, rook.grants) == (Role.BUILDER, frozenset())
    assert inn.shown("Ana", "@revoke Rook") == ["Rook is a player from now on."]


def test_nobody_gives_more_than_they_have_and_nobody_reaches_above_themselves(inn):
    rook = inn.game.world.characters["Rook"]
    rook.grants = frozenset({"@grant", "@revoke", "@kick", "@ban"})
    for line, refusal in (
        ("@grant Ben builder", "builder is above what you may do yourself."),
        ("@grant Rook admin", "admin is above what you may do yourself."),
        ("@grant Rook @shutdown", "@shutdown is above what you may do yourself."),
        ("@grant Ana player", "Ana is an admin, and that is above you."),
        ("@revoke Ana", "Ana is an admin, and that is above you."),
        ("@kick Ana", "Ana is an admin, and that is above you."),
        ("@ban Ana", "Ana is an admin, and that is above you."),
    ):
        assert inn.game.perform("Rook", line).refusal == refusal
    assert inn.accounts.role_of("Ana") is Role.ADMIN


class Held:
    """The thread that writes accounts, which can be held up."""

    def __init__(self) -> None:
        self.thread: Thread | None = None

    def __call__(self, *job: Any) -> Deferred[Any]:
        return self.thread(*job) if self.thread else at_once(*job)


def test_orders_wait_for_no_database_and_are_told_of_and_in_force_when_they_are_kept(tmp_path):
    held = Held()
    inn = AdministeredInn(tmp_path, writer=held)
    held.thread = Thread()
    lines = ("@ban Cat -> Enough.", "@grant Ben builder", "@revoke Ben", "@grant Ben admin")
    assert [inn.shown("Ana", line) for line in lines] == [[]] * 4
    assert (inn.accounts.bans.ban_of("Cat"), inn.callers["Cat"].last_word) == (None, "")
    while held.thread.jobs:
        held.thread.goes_on()
    assert inn.players["Ana"].screen() == [
        "Cat is banned until you type @unban Cat.",
        "Ben is a builder from now on.",
        "Ben is a player from now on.",
        "Ben is an admin from now on.",
    ]
    assert inn.callers["Cat"].last_word == "You are banned: Enough."
    assert inn.game.world.characters["Ben"].role is Role.ADMIN


def test_an_order_that_cannot_be_kept_changes_nothing_and_says_why(inn, tmp_path):
    (tmp_path / "accounts" / "accounts.sqlite3").rename(tmp_path / "elsewhere")
    for line in ("@ban Cat", "@grant Ben builder"):
        (told,) = inn.shown("Ana", line)
        assert told.endswith(
            "moved or replaced while it is in use, so no change can be kept. Put it back, or restart the world."
        )
    assert (inn.accounts.bans.active_bans(), inn.game.world.characters["Ben"].role) == ([], Role.PLAYER)
