"""The command line: what it opens, what it says, and how it refuses."""

from __future__ import annotations

import asyncio
import errno
import logging
import re
from pathlib import Path

import pytest
from twisted.internet.address import IPv4Address
from twisted.internet.error import CannotListenError
from twisted.internet.testing import MemoryReactorClock

from server.accounts.passwords import Argon2
from server.cli import run
from server.options import default_vault
from tests.server.front_door import accounts_in
from tests.server.test_listeners import OpenPort
from vault.vault import open_vault


class MemoryReactor(MemoryReactorClock):
    """A reactor that opens nothing, and ends as soon as it runs."""

    def callFromThread(self, callable, *arguments):
        self.callLater(0, callable, *arguments)

    def listenTCP(self, port, factory, backlog=50, interface=""):
        super().listenTCP(port, factory, backlog, interface)
        return OpenPort(IPv4Address("TCP", interface, port))


class TakenPort(MemoryReactor):
    """A reactor on which somebody else listens already."""

    def listenTCP(self, port, factory, backlog=50, interface=""):
        raise CannotListenError(interface, port, OSError(errno.EADDRINUSE, "Address already in use"))


def refusal(*arguments: object) -> str:
    """Return what is said when the world cannot be opened."""
    with pytest.raises(SystemExit) as ended:
        run(MemoryReactor(), ["serve", *map(str, arguments)])
    return str(ended.value)


def serve(reactor: MemoryReactor, vault: Path, *arguments: object) -> None:
    """Open a world on a reactor that ends as soon as it is open."""

    async def on_a_loop() -> None:
        run(reactor, ["serve", "--vault", str(vault), *map(str, arguments)])
        for trigger, given, named in reactor.triggers["before"]["shutdown"]:
            trigger(*given, **named)
        for _ in range(10):
            await asyncio.sleep(0)

    asyncio.run(on_a_loop())


@pytest.mark.parametrize(
    ("there", "name"), [("", "world"), ("rooms/Hall.md", "world"), ("__init__.py", "fallwater-world")]
)
def test_the_vault_is_world_and_beside_the_package_in_the_project_s_own_folder(tmp_path, there, name):
    if there:
        path = tmp_path / "world" / there
        path.parent.mkdir(parents=True)
        path.touch()
    assert default_vault(tmp_path) == tmp_path / name


def test_a_new_world_is_opened_and_says_what_to_type_next(tmp_path, capsys):
    reactor = MemoryReactor()
    serve(reactor, tmp_path / "w", "--model", "none", "--port", 4321)
    assert [(port, interface) for port, _, _, interface in reactor.tcpServers] == [
        (4321, "127.0.0.1"),
        (4080, "127.0.0.1"),
    ]
    admin, once, *lines = capsys.readouterr().out.splitlines()
    assert admin.startswith("The admin of this world is Warden, with the one-time password ")
    assert once.endswith("It is shown only here.")
    assert lines == [
        "Fallwater is open on 127.0.0.1:4321. In another terminal, type:  telnet 127.0.0.1 4321",
        "In a browser it is open on http://127.0.0.1:4080/",
        f"Its vault is {tmp_path / 'w'}, made just now: open it in Obsidian or any editor.",
        "Everything is saved. Good-bye.",
    ]


def test_a_world_that_exists_is_opened_as_it_is(tmp_path, capsys):
    open_vault(tmp_path / "w")
    (tmp_path / "w" / "text" / "welcome.md").write_text("Ours.")
    serve(MemoryReactor(), tmp_path / "w", "--model", "none")
    assert "made just now" not in capsys.readouterr().out
    assert (tmp_path / "w" / "text" / "welcome.md").read_text() == "Ours."


def test_a_port_that_is_taken_is_told_with_what_to_do(tmp_path):
    with pytest.raises(SystemExit) as ended:
        serve(TakenPort(), tmp_path / "w", "--model", "none")
    assert str(ended.value) == (
        "fallwater: 127.0.0.1:4000 cannot be opened: Address already in use. "
        "Give another port with --port, or 0 for any free one."
    )


def test_the_address_to_listen_on_can_be_given(tmp_path, capsys):
    serve(MemoryReactor(), tmp_path / "w", "--model", "none", "--host", "::1", "--port", 4321)
    assert " is open on [::1]:4321. " in capsys.readouterr().out


@pytest.mark.parametrize(
    "model", ["gpt", "ollama", "ollama:", "ollama: x", "", "EMBEDDED", "embedded:x", "none ", "../x"]
)
def test_a_model_that_is_none_is_refused(tmp_path, model):
    message = refusal("--vault", tmp_path / "w", "--model", model)
    assert message == f"fallwater: --model is {model!r}; expected auto, embedded, none, ollama:NAME or gguf:FILE."


def test_a_folder_with_other_things_in_it_is_left_alone(tmp_path):
    (tmp_path / "letters.txt").write_text("Dear Moss")
    assert refusal("--vault", tmp_path).startswith(f"fallwater: {tmp_path}: this folder holds other things")
    assert [path.name for path in tmp_path.iterdir()] == ["letters.txt"]


@pytest.mark.parametrize(
    ("note", "text", "wrong"),
    [
        ("server", "# Server\n\n**port**: many\n", "3: port is 'many'; expected"),
        (
            "models",
            "**model**: gpt\n",
            "1: model is 'gpt'; expected text (auto, embedded, none, ollama:NAME",
        ),
    ],
)
def test_a_setting_that_will_not_do_is_told_with_file_and_line(tmp_path, note, text, wrong):
    open_vault(tmp_path / "w")
    (tmp_path / "w" / "config" / f"{note}.md").write_text(text)
    assert refusal("--vault", tmp_path / "w").startswith(f"fallwater: config/{note}.md:{wrong}")


@pytest.mark.parametrize(
    ("note", "text", "wrong"),
    [
        (
            "rooms/Attic.md",
            "Dust.\n\n## Exits\n- **up**:\n",
            "rooms/Attic.md:4: the exit 'up' leads nowhere; write '- **up**: [[A Room]]'.",
        ),
        ("text/help.md", "**loook**: See.\n", "text/help.md:1: there is no command 'loook'; did you mean 'look'?"),
        ("config/server.md", "**port**: many\n", "config/server.md:1: port is 'many'; expected"),
    ],
)
def test_a_trial_tells_what_is_wrong_with_file_and_line(tmp_path, note, text, wrong):
    open_vault(tmp_path / "w")
    (tmp_path / "w" / note).write_text(text)
    assert refusal("--vault", tmp_path / "w", "--check").startswith(f"fallwater: {wrong}")


def test_a_world_is_only_tried_where_that_is_asked_for(tmp_path, capsys):
    reactor = MemoryReactor()
    open_vault(tmp_path / "w")
    before = sorted(tmp_path.rglob("*"))
    run(reactor, ["serve", "--vault", str(tmp_path / "w"), "--check"])
    assert capsys.readouterr().out == f"The world in {tmp_path / 'w'} could be opened.\n"
    assert (sorted(tmp_path.rglob("*")), reactor.tcpServers) == (before, [])
    assert refusal("--vault", tmp_path / "x", "--check").endswith("there is no vault here. Name it with --vault.")


# Accounts


def reset(vault: Path, *arguments: object) -> None:
    """Give a new one-time password."""
    run(MemoryReactor(), ["reset-password", "--vault", str(vault), *map(str, arguments)])


def password_in(told: str) -> str:
    """Return the one-time password in what was printed."""
    (found,) = re.findall(r"one-time password(?: of \w+ is)? (\S+-\S+)", told)
    return str(found)


def test_the_admin_s_password_is_printed_and_neither_logged_nor_kept_in_clear(tmp_path, capsys, caplog):
    caplog.set_level(logging.DEBUG)
    serve(MemoryReactor(), tmp_path / "w", "--model", "none")
    printed = capsys.readouterr()
    password = password_in(printed.out)
    kept = accounts_in(tmp_path / "w.accounts")["Warden"]
    assert Argon2().is_right(kept.password, password)
    files = "".join(path.read_text(errors="replace") for path in tmp_path.rglob("*") if path.is_file())
    assert password not in printed.err + caplog.text + files


def test_a_second_start_prints_no_password_but_how_to_get_another(tmp_path, capsys):
    for _ in range(2):
        serve(MemoryReactor(), tmp_path / "w", "--model", "none")
    assert f"fallwater reset-password Warden --vault {tmp_path / 'w'}" in capsys.readouterr().out.splitlines()[-5]


def test_the_accounts_may_be_kept_anywhere_but_in_the_vault(tmp_path):
    serve(MemoryReactor(), tmp_path / "w", "--model", "none", "--accounts", tmp_path / "elsewhere")
    assert (tmp_path / "elsewhere" / "accounts.sqlite3").is_file()
    assert not (tmp_path / "w.accounts").exists()
    told = refusal("--vault", tmp_path / "w", "--accounts", tmp_path / "w" / "accounts")
    assert told.startswith(f"fallwater: --accounts is {tmp_path / 'w' / 'accounts'}, which lies inside the vault")


def test_accounts_that_cannot_be_read_keep_the_world_closed_and_stay_as_they_are(tmp_path):
    open_vault(tmp_path / "w")
    (tmp_path / "w.accounts").mkdir()
    path = tmp_path / "w.accounts" / "accounts.sqlite3"
    path.write_text("nothing of the kind\n" * 300)
    assert refusal("--vault", tmp_path / "w").startswith(f"fallwater: {path}: file is not a database. It is damaged")
    assert path.read_text() == "nothing of the kind\n" * 300
    assert list(path.parent.iterdir()) == [path]


def test_a_password_is_given_anew_while_the_world_is_closed(tmp_path, capsys):
    serve(MemoryReactor(), tmp_path / "w", "--model", "none")
    first = password_in(capsys.readouterr().out)
    reset(tmp_path / "w", "warden")
    second = password_in(capsys.readouterr().out)
    kept = accounts_in(tmp_path / "w.accounts")["Warden"].password
    assert [Argon2().is_right(kept, one) for one in (first, second)] == [False, True]


def test_the_accounts_are_copied_into_one_file(tmp_path):
    serve(MemoryReactor(), tmp_path / "w", "--model", "none")
    (tmp_path / "copy").mkdir()
    run(MemoryReactor(), ["backup-accounts", f"{tmp_path}/copy/accounts.sqlite3", "--vault", str(tmp_path / "w")])
    assert accounts_in(tmp_path / "copy") == accounts_in(tmp_path / "w.accounts")
    with pytest.raises(SystemExit, match="nowhere/copy: the copy cannot be written: No such file or directory"):
        run(MemoryReactor(), ["backup-accounts", f"{tmp_path}/nowhere/copy", "--vault", str(tmp_path / "w")])


def test_a_password_for_nobody_or_nowhere_is_refused(tmp_path):
    serve(MemoryReactor(), tmp_path / "w", "--model", "none")
    for vault, reason in ((tmp_path / "w", "nobody called 'Ana'"), (tmp_path / "x", "there is no vault here")):
        with pytest.raises(SystemExit, match=reason):
            reset(vault, "Ana")
    assert not (tmp_path / "x").exists()


def test_without_a_command_the_usage_is_shown(capsys):
    with pytest.raises(SystemExit) as ended:
        run(MemoryReactor(), [])
    assert ended.value.code == 2
    assert "usage: fallwater" in capsys.readouterr().err
