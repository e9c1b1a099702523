"""Who can be who, what they may do, who may not come in, and which names are too much alike."""

from __future__ import annotations

import sys
from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from server.accounts.accounts import AccountState, LoginName, NameIndex, NameRefused
from server.accounts.schema import Account
from server.accounts.store import BanRefused
from tests.server.front_door import NOW_MS, FakeHasher, accounts_in, accounts_of, put_accounts
from tests.vault.vault_of import vault_of
from tests.world.inn import inn
from vault.errors import NoteError
from world.entities import Character, Role
from world.naming import normalize_name

LOOPBACK, ELSEWHERE = "127.0.0.1", "203.0.113.9"
NOW = datetime.fromtimestamp(NOW_MS / 1000, UTC)
KEPT = FakeHasher().hash("a long secret")


@pytest.fixture
def world():
    return inn()


@pytest.fixture
def accounts(tmp_path, world):
    return accounts_of(tmp_path, world)


@pytest.mark.parametrize("given", ["Eve", "  eve ", "eve\t", "“Eve”"])
def test_a_new_name_makes_a_character_in_the_start_room_and_its_note(accounts, tmp_path, given):
    assert accounts.identify(given, ELSEWHERE) == LoginName("Eve", AccountState.NEW)
    accounts.claim("Eve", KEPT)
    character, is_new = accounts.character_of("Eve")
    assert (character.name, character.room_id, character.role, is_new) == ("Eve", "The Common Room", Role.PLAYER, True)
    assert [path.name for path in (tmp_path / "vault" / "people").iterdir()] == ["Eve.md"]


def test_a_name_typed_in_two_code_points_is_the_one_typed_in_one(accounts):
    accounts.claim("Zo\u00eb", KEPT)
    assert accounts.identify("zoe\u0308", ELSEWHERE) == LoginName("Zo\u00eb", AccountState.KNOWN)


LOOK_ALIKE = {"Róok": "Rook", "Dán": "Dan", "Everyóne": "everyone", "Zoe": "Zoë"}
MEANS_SOMETHING = "apples Me everyone CON Fallwater MSSP-REQUEST quit eliza".split()


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("Ana7", "That is not a valid name. A name has 2 to 20 letters, such as Ana"),
        *((name, "is the name of something else here") for name in MEANS_SOMETHING),
        *((name, f"{name} looks too much like {other}") for name, other in LOOK_ALIKE.items()),
        ("rook", "Rook lives here already and is one of the agents"),
        ("eve", "The account of Eve cannot be read"),
    ],
)
def test_a_name_that_cannot_be_had_is_refused_with_the_reason(accounts, tmp_path, name, reason):
    for one in ("Zoë", "Rook"):
        accounts.claim(one, KEPT)
    vault_of(tmp_path / "vault", {"agents/Eliza/agent.md": "---\nbroken: [\n---\n"})
    put_accounts(tmp_path / "accounts", Account("Eve", "admin", "$argon2$$$"))
    accounts.refresh()
    for host in (LOOPBACK, ELSEWHERE):
        with pytest.raises(NameRefused, match=reason):
            accounts.identify(name, host)


def test_a_person_whose_note_cannot_be_read_is_not_written_over(accounts, tmp_path):
    vault_of(tmp_path / "vault", {"people/Eve.md": "---\nbroken: [\n---\nEve has a scar.\n"})
    for attempt in (lambda: accounts.identify("eve", LOOPBACK), lambda: accounts.character_of("Eve")):
        with pytest.raises(NameRefused, match="The note of Eve cannot be read"):
            attempt()
    assert "scar" in (tmp_path / "vault" / "people" / "Eve.md").read_text()


def test_a_character_that_cannot_be_saved_is_not_made(accounts, tmp_path, world):
    vault_of(tmp_path / "vault", {"people": "a file where a folder should be"})
    with pytest.raises(NoteError, match="people/Eve.md: cannot be written"):
        accounts.character_of("Eve")
    assert "Eve" not in world.characters


@pytest.mark.parametrize("role", [Role.ADMIN, Role.BUILDER, Role.GUEST])
def test_who_claims_a_name_without_a_password_is_a_newcomer_whatever_its_role_was(accounts, tmp_path, world, role):
    put_accounts(tmp_path / "accounts", Account("Dan", role.name.lower()))
    accounts.refresh()
    assert (accounts.identify("dan", LOOPBACK).state, accounts.role_of("dan")) == (AccountState.UNCLAIMED, Role.PLAYER)
    accounts.claim("Dan", KEPT)
    assert (accounts.character_of("Dan")[0].role, accounts_in(tmp_path / "accounts")["Dan"].role) == (
        Role.PLAYER,
        "player",
    )


def test_there_is_always_an_admin_although_two_revoke_each_other_at_once(accounts, tmp_path):
    for name in ("Ana", "Ben"):
        accounts.claim(name, KEPT)
        accounts.set_role(name, Role.ADMIN)
    done = [accounts.set_role(name, Role.PLAYER) for name in ("Ana", "Ben")]
    told: list[str] = []
    done[1].addErrback(lambda failure: told.append(failure.getErrorMessage()))
    assert told == ["Ben is the only admin, and has to stay one. Grant somebody else that role first."]
    assert accounts_in(tmp_path / "accounts")["Ben"].role == "admin"


def calls_of(work: Callable[[], object]) -> int:
    """Return how many functions are called meanwhile, generators' steps among them."""
    count = 0

    def note(frame: object, event: str, argument: object) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    sys.setprofile(note)
    try:
        work()
    finally:
        sys.setprofile(None)
    return count


def test_names_logins_and_logouts_cost_the_same_among_any_number_of_accounts(tmp_path):
    def costs(people: int) -> list[int]:
        folder = tmp_path / str(people)
        folder.mkdir()
        names = [f"Eve{chr(97 + n // 676)}{chr(97 + n // 26 % 26)}{chr(97 + n % 26)}" for n in range(people)]
        put_accounts(folder / "accounts", *(Account(name, "player", KEPT) for name in names))
        world = inn()
        for name in names:
            world.add_character(Character(name, "The Cellar"))
        accounts = accounts_of(folder, world)
        work = (
            lambda: accounts.identify("Zoe", ELSEWHERE),
            lambda: accounts.identify("eveaaa", ELSEWHERE),
            lambda: accounts.record_seen("Eveaaa", came_in=True),
            lambda: accounts.set_password("Eveaaa", KEPT, KEPT),
            lambda: accounts.refresh(),
        )
        for one in work:
            one()  # what is looked up once
        return [calls_of(one) for one in work]

    assert costs(3000) == costs(30)


# What somebody may do


def test_a_role_is_kept_and_in_force_at_once(accounts, tmp_path, world):
    accounts.claim("Ana", KEPT)
    accounts.set_role("ana", Role.ADMIN)
    assert (world.characters["Ana"].role, accounts.role_of("ANA")) == (Role.ADMIN, Role.ADMIN)
    again = accounts_of(tmp_path, inn())
    account = again.account("Ana")
    assert account
    assert (again.character_of("Ana")[0].role, account.password) == (Role.ADMIN, KEPT)


def test_somebody_from_before_passwords_may_be_given_a_role_and_still_has_none(accounts):
    accounts.set_role("dan", Role.BUILDER)
    assert accounts.account("Dan") == Account("Dan", "builder", created="2026-11-18T11:06:40+00:00")
    assert accounts.identify("dan", LOOPBACK).state is AccountState.UNCLAIMED


@pytest.mark.parametrize("name", ["Nobody", "Rook", "Guest1"])
def test_nobody_without_an_account_of_their_own_is_given_a_role(accounts, world, name):
    world.add_character(Character("Guest1", "The Cellar", role=Role.GUEST))
    with pytest.raises(NameRefused, match=f"There is no account for {name}"):
        accounts.set_role(name, Role.ADMIN)


def test_an_agent_s_role_is_that_of_its_note(accounts, world):
    world.characters["Rook"].role = Role.BUILDER
    assert [accounts.role_of(name) for name in ("rook", "ana", "somebody new")] == [
        Role.BUILDER,
        Role.PLAYER,
        Role.PLAYER,
    ]


def test_when_somebody_was_here_last_is_known(accounts):
    accounts.claim("Eve", KEPT)
    assert (accounts.last_seen("Eve"), accounts.last_seen("Nobody")) == (None, None)
    accounts.record_seen("eve")
    assert accounts.last_seen("EVE") == NOW


# Who may not come in


def test_a_name_that_is_banned_is_refused_with_the_reason_until_the_ban_is_over(tmp_path):
    now = [NOW_MS]
    accounts = accounts_of(tmp_path, inn(), now_ms=lambda: now[0])
    accounts.claim("Eve", KEPT)
    accounts.bans.ban("eve", NOW + timedelta(hours=1), "threw a lamp")
    with pytest.raises(NameRefused, match="You are banned until 2026-11-18 12:06 UTC: threw a lamp"):
        accounts.identify("EVE", LOOPBACK)
    now[0] += 3_600_000
    assert accounts.identify("EVE", LOOPBACK).state is AccountState.KNOWN


def test_a_ban_for_ever_lasts_over_a_new_start_until_it_is_lifted(accounts, tmp_path):
    accounts.bans.ban("Mallory", None, "no reason")
    again = accounts_of(tmp_path, inn())
    with pytest.raises(NameRefused, match="You are banned: no reason"):
        again.identify("mallory", ELSEWHERE)
    assert [(again.bans.has("MALLORY"), again.bans.unban("MALLORY").result) for _ in range(2)] == [
        (True, True),
        (False, False),
    ]
    assert again.identify("mallory", ELSEWHERE).state is AccountState.NEW


@pytest.mark.parametrize(
    ("banned", "host", "out"),
    [
        ("203.0.113.9", "203.0.113.9", True),
        ("203.0.113.9", "::ffff:203.0.113.9", True),
        ("203.0.113.9", "203.0.113.10", False),
        ("203.0.113.0/24", "203.0.113.10", True),
        ("2001:db8::/32", "2001:db8:1::5", True),
        ("2001:db8::/32", "203.0.113.9", False),
        ("Eve", "203.0.113.9", False),
        ("local", "local", True),
    ],
)
def test_an_address_is_out_if_it_is_banned_or_lies_in_a_network_that_is(accounts, banned, host, out):
    accounts.bans.ban(banned, None, "x")
    assert bool(accounts.bans.ban_of(host)) == out


@pytest.mark.parametrize("host", ["127.0.0.1", "127.0.0.0/8", "0.0.0.0/0", "::1", "::ffff:127.0.0.1"])
def test_this_machine_itself_is_never_banned(accounts, host):
    with pytest.raises(BanRefused, match="this machine itself"):
        accounts.bans.ban(host, None, "x")
    assert accounts.bans.active_bans() == []


# Whatever is given


@given(st.text(max_size=30) | st.text("abzZÀßœǅ'-./\\~ ", max_size=25))
def test_whatever_is_given_becomes_a_note_among_the_people_or_is_refused(tmp_path_factory, given_name):
    folder = tmp_path_factory.mktemp("people")
    accounts = accounts_of(folder, inn())
    try:
        claim = accounts.identify(given_name, ELSEWHERE)
    except NameRefused:
        assert list(folder.rglob("*.md")) == []
        return
    if claim.state is AccountState.NEW:
        accounts.claim(claim.name, KEPT)
        accounts.character_of(claim.name)
        written = [path.relative_to(folder) for path in folder.rglob("*.md")]
        assert [(path.parts[:2], path.stem) for path in written] == [(("vault", "people"), claim.name)]
        assert accounts.identify(given_name, ELSEWHERE) == LoginName(claim.name, AccountState.KNOWN)


def alike(name: str, *others: str) -> list[str]:
    """Return those of the others for which somebody could take a name."""
    index = NameIndex()
    for other in others:
        index.add(other)
    return index.lookalikes(name)


@pytest.mark.parametrize("name", ["Jean-Luc", "O'Brien", "Zoë", "Ærøskøbing", "Bo", "A" + "b" * 19, "Łukasz", "Þór"])
def test_names_of_latin_letters_hyphens_and_apostrophes_will_do(name):
    assert normalize_name(name) == name


ONLY_LOOK_LIKE_LETTERS = "An\u200ba Anɑ Eʟiza E1iza Odi\ufb02e Mo\u017fs Ⅰvan \ufb01ona".split()
OTHER_NAMES = "../x --- -Ana Ana- Ana7 C: a|b Анна Ana\u202e \x1b[2J A".split()


@pytest.mark.parametrize("name", ["", "A" * 21, "Ana Bo", *OTHER_NAMES, *ONLY_LOOK_LIKE_LETTERS])
def test_other_names_are_not_valid(name):
    assert normalize_name(name) is None


LOOK_LIKE_ELIZA = "Éliza Elïza ELIZÁ EIiza Elizą E-liza Eli'za Ｅliza Ełiza Elıza".split()


@pytest.mark.parametrize(
    ("name", "other", "is_alike"),
    [
        *((name, "Eliza", True) for name in LOOK_LIKE_ELIZA),
        *(("VVarden", "Warden", True), ("Tirn", "Tim", True), ("EVve", "Ewe", True)),  # two letters read as one
        *(("Lia", "Ila", False), ("Ana", "Anna", False), ("Elisa", "Eliza", False), ("Moss", "Ross", False)),
    ],
)
def test_a_name_that_could_be_taken_for_another_is_found_and_one_that_is_only_near_is_not(name, other, is_alike):
    assert alike(name, "Xerxes", other) == ([other] if is_alike else [])
    assert alike(other, name) == ([name] if is_alike else [])


@given(st.text(max_size=25))
def test_a_name_that_will_do_is_found_to_look_like_itself(given_name):
    name = normalize_name(given_name)
    if name:
        assert alike(name, name) == [name]
        assert normalize_name(name) == name


@pytest.mark.parametrize("given", ["O'Brien", "o’brien", "O′Brien", "Oʼbrien"])
def test_every_apostrophe_gives_the_same_name(given):
    assert normalize_name(given) in ("O'Brien", "O'brien")
