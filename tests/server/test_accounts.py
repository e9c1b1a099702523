"""Who can be who, and what they may do from where."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from config.settings import ServerSettings
from server.accounts import Accounts, NameRefused
from tests.vault.vault_of import vault_of
from tests.world.inn import inn
from vault.notes import NoteError
from world.model import Role

LOOPBACK, ELSEWHERE = "127.0.0.1", "203.0.113.9"


@pytest.fixture
def accounts(tmp_path):
    return Accounts(vault_of(tmp_path, {}), inn(), ServerSettings())


@pytest.mark.parametrize("given", ["Eve", "  eve ", "eve\t"])
def test_a_new_name_makes_a_character_in_the_start_room_and_its_note(accounts, tmp_path, given):
    character, is_new = accounts.enter(given, ELSEWHERE)
    assert (character.name, character.room_id, is_new) == ("Eve", "The Common Room", True)
    assert [path.name for path in (tmp_path / "people").iterdir()] == ["Eve.md"]


@pytest.mark.parametrize("name", ["Jean-Luc", "O'Brien", "Zoë", "Ærøskøbing", "Bo", "A" + "b" * 19])
def test_names_of_letters_hyphens_and_apostrophes_will_do(accounts, name):
    assert accounts.enter(name, ELSEWHERE)[0].name == name


def test_a_name_typed_in_two_code_points_is_the_one_typed_in_one(accounts):
    composed, _ = accounts.enter("Zo\u00eb", ELSEWHERE)
    assert accounts.enter("Zoe\u0308", ELSEWHERE) == (composed, False)


@pytest.mark.parametrize(
    "name",
    ["", "A", "A" * 21, "../x", "---", "-Ana", "Ana-", "Ana Bo", "Ana7", "C:", "a|b", "Анна", "Ana\u202e", "\x1b[2J"],
)
def test_other_names_are_refused_with_the_rule(accounts, tmp_path, name):
    with pytest.raises(NameRefused, match="A name has 2 to 20 letters, such as Ana"):
        accounts.enter(name, ELSEWHERE)
    assert not (tmp_path / "people").exists()


@pytest.mark.parametrize("name", ["apples", "Me", "everyone", "CON", "Fallwater"])
def test_a_name_that_means_something_else_is_refused(accounts, name):
    with pytest.raises(NameRefused, match="is the name of something else here"):
        accounts.enter(name, ELSEWHERE)


def test_the_name_of_an_agent_that_was_left_out_is_refused_too(tmp_path):
    vault = vault_of(tmp_path, {"agents/Eliza/agent.md": "---\nbroken: [\n---\n"})
    with pytest.raises(NameRefused, match="something else"):
        Accounts(vault, inn(), ServerSettings()).enter("eliza", LOOPBACK)


def test_a_person_whose_note_cannot_be_read_is_not_written_over(tmp_path):
    vault = vault_of(tmp_path, {"people/Eve.md": "---\nbroken: [\n---\nEve has a scar.\n"})
    with pytest.raises(NameRefused, match="The note of 'Eve' cannot be read"):
        Accounts(vault, inn(), ServerSettings()).enter("eve", LOOPBACK)
    assert "scar" in (tmp_path / "people" / "Eve.md").read_text()


def test_a_character_that_cannot_be_saved_is_not_made(tmp_path):
    world = inn()
    with pytest.raises(NoteError, match="people/Eve.md: cannot be written"):
        Accounts(vault_of(tmp_path, {"people": "a file where a folder should be"}), world, ServerSettings()).enter(
            "Eve", LOOPBACK
        )
    assert "Eve" not in world.characters


@pytest.mark.parametrize(
    ("host", "role"),
    [
        ("127.0.0.1", Role.ADMIN),
        ("127.8.8.8", Role.ADMIN),
        ("::1", Role.ADMIN),
        ("203.0.113.9", Role.PLAYER),
        ("2001:db8::1", Role.PLAYER),
        ("local", Role.PLAYER),
        ("", Role.PLAYER),
    ],
)
def test_the_role_follows_from_the_address(accounts, host, role):
    assert accounts.enter("Ana", host)[0].role == role


def test_the_role_is_that_of_the_connection_and_not_of_the_first_one(accounts):
    accounts.enter("Eve", LOOPBACK)
    assert accounts.enter("Eve", ELSEWHERE)[0].role == Role.PLAYER


def test_the_roles_are_what_the_settings_say(tmp_path):
    settings = ServerSettings(loopback_role="builder", remote_role="guest")
    accounts = Accounts(vault_of(tmp_path, {}), inn(), settings)
    assert [accounts.role_from(host) for host in (LOOPBACK, ELSEWHERE)] == [Role.BUILDER, Role.GUEST]


@given(st.text(max_size=30) | st.text("abzZÀßœǅ'-./\\~ ", max_size=25))
@example("ŉa")
@example("ßa")
@example("\ud800abc")
@example("nul")
def test_whatever_is_given_becomes_a_note_among_the_people_or_is_refused(name):
    folder = _Folder()
    try:
        character, _ = folder.accounts.enter(name, ELSEWHERE)
    except (NameRefused, NoteError):
        assert folder.written == []
    else:
        known = [name for name in inn().characters if name == character.name]
        assert folder.written == ([] if known else [("people", f"{character.name}.md")])


class _Folder:
    """Accounts over a vault that remembers where notes were written to, and writes none."""

    def __init__(self) -> None:
        self.written: list[tuple[str, ...]] = []
        self.accounts = Accounts(self, inn(), ServerSettings())  # type: ignore[arg-type]

    def write(self, note: object, *parts: str) -> None:
        assert all(part not in ("", ".", "..") and not set(part) & set("/\\\0") for part in parts)
        self.written.append(parts)

    def names(self, folder: str) -> list[str]:
        return []

    def folders(self, folder: str) -> list[str]:
        return []
