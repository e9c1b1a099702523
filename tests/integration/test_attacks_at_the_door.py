"""Names, passwords and sessions that somebody tries at the door."""

from __future__ import annotations

import re
import socket
import time

import pytest

from bench.lib.pages import Door
from tests.integration.attacking import MAX_LOGIN_SECONDS, attack, read_all
from tests.integration.line_player import NAME, SECRET
from tests.integration.running import ADMIN

pytestmark = pytest.mark.integration

SPEECH_PER_SECOND, SPEECH_AT_ONCE = 5, 8
CHANGES = {
    "config/server.md": {
        "web_port": -1,
        "speech_per_second": SPEECH_PER_SECOND,  # a handful; the line on its way to disk is not to wait for it
        "speech_at_once": SPEECH_AT_ONCE,
    }
}
REFUSAL = re.compile(
    r"is not\s+a\s+valid\s+name|is the name of something else here\.|looks too much like"
    r"|lives here already and is one of the agents|MSSP-REPLY-END"
)
"""Why nobody may have a name; a crawler's request is answered and is no name either."""

NOBODY = [
    *("../x", "..", "/etc/passwd", "a/b", "a\\b", "C:", "~root", ".hidden", "x.md", "-rf", "--help"),
    *("con", "CON", "nul", "aux", "prn", "com1", "lpt9", "conin$", "con.md"),
    *("x" * 200, "X" * 3000, "x", " " * 300 + "a b"),
    *("-", "'", "a b", "Éliza", "Eliza"),
    *("[[Moss]]", "![[x]]", "^m12", "#tag", "a|b", "{name}", "{0.__class__}", "%s", "$HOME", "`id`", "'; drop--"),
    *("<b>Bo</b>", "a: b", "&a", "*a", "- a", "---", "True: 1", "!!python/name:os"),
    *("Bystаnder", "Ｂystander", "BYSTANDEＲ", "Bystandеr"),
    *("Вarden", "Wаrden", "Warden\u0301", "Wardén", "WARDEИ", "Ꮤarden", "𝐖arden", "Ⅰvan", "ΜΟSS", "Еliza", "Elıza"),
    *(
        "Moſs",
        "moss",
        "MOSS",
        "ELİZA",
        "Odi\ufb02e",
        "Eliza\u034f",
        "El-iza",
        "E'liza",
        "EIiza",
        "ElizaElizaElizaEliza1",
    ),
    *("admin", "me", "everyone", "someone", "here", "MSSP-REQUEST", "quit", "guest1", "Guest2"),
    *("The Landing", "日本", "💧", "١٢٣", "ا", "z" + "\u0301" * 100, "\u0301\u0301\u0301"),
]


UNSEEN = ["Bystander\u200b", "By\u00adstander", "\u202eBystander", "Bystander\u034f", "\ufeffBystander\U000e0041"]


def test_a_name_that_nobody_should_have_is_nobodys(target):
    with attack(target, f"{len(NOBODY)} names"):
        caller = target.comes()
        caller.expects(NAME)
        for name in NOBODY:
            caller.types(name)
            assert REFUSAL.search(caller.expects(NAME, 10)), name


def test_what_nobody_sees_in_a_name_makes_it_no_other_name(target):
    with attack(target, "names with invisible characters"):
        for name in UNSEEN:
            caller = target.comes()
            caller.types(name)
            assert "is a new name" not in caller.expects("Password: ", 10), name


def test_a_password_of_any_kind_lets_nobody_in(target):
    with attack(target, "passwords of any kind"):
        for number, password in enumerate(("x" * 4000, "\0" * 100 + "\u202e%s%n{0}", "a" * 100_000)):
            caller = target.calls(f"127.0.5.{number + 1}")
            caller.sendall(f"{ADMIN}\n{password}\n".encode())
            caller.shutdown(socket.SHUT_WR)
            assert b"The Landing" not in read_all(caller)


def test_name_and_password_pasted_at_once_are_taken_in_turn(target):
    with attack(target, "name, password and commands in one packet"):
        target.played.add("Pasted")
        for is_known in (False, True):
            caller = target.comes()
            caller.socket.sendall(f"Pasted\r\n{SECRET}\r\nsay one\r\nsay {is_known}\r\nquit\r\n".encode())
            caller.expects('You say, "one"')
            caller.expects(f'You say, "{is_known}"')
            assert SECRET not in caller.is_shown_out() + caller.text
        assert SECRET not in target.bystander.text
        again = target.calls("127.0.6.1")
        again.sendall(f"Pasted\r\n{SECRET}x\r\nsay three\r\n".encode())
        target.bystander.types("look")
    assert SECRET not in target.server.log


def test_twenty_sessions_on_one_character_leave_one(target):
    with attack(target, "20 sessions on one character"):
        players = [target.plays("Many") for _ in range(20)]
        for taken in players[:-1]:
            assert "connected from somewhere else" in taken.is_shown_out()
        assert len(re.findall("Many", players[-1].asks("who"))) == 1


@pytest.mark.parametrize(
    ("name", "guesses", "addresses"), [("Tenner", 10, 1), ("Hundreds", 100, 1), ("Victim", 300, 100)]
)
def test_guesses_at_a_name_keep_no_owner_out(target, name, guesses, addresses):
    door = Door(target.server.web_port, "127.0.0.4")
    target.comes(name, "127.0.0.2").close()
    device = door.ask("/enter", {"name": name, "password": SECRET})[1]
    with attack(target, f"{guesses} guesses from {addresses} addresses"):
        for number in range(guesses // 3 + 1):  # three of them end a connection
            guesser = target.calls(f"127.0.{number % addresses + 1}.7")
            guesser.sendall(f"{name}\n".encode() + b"".join(f"wrong {number} {n}\n".encode() for n in range(3)))
        began = time.monotonic()
        target.comes(name, "127.0.0.2")  # from where the owner has come before, it does not wait
        came, began = time.monotonic() - began, time.monotonic()
        assert "ticket" in door.ask("/enter", {"name": name, "password": SECRET}, device)[0]
        assert max(came, time.monotonic() - began) < MAX_LOGIN_SECONDS
    assert "wrong 0 1" not in target.server.log


def test_pasted_speech_reaches_others_slowly(target):
    with attack(target, "500 lines of speech of a guest, in one packet"):
        listener, guest = target.comes("Listener"), target.comes("guest")
        began = time.monotonic()
        guest.socket.sendall(b"".join(b"say line %d.\n" % number for number in range(500)))
        listener.expects('says, "line 27."')  # those that spoke at once and those that waited: all others are refused
        listener.receives(1)
        most = SPEECH_AT_ONCE + SPEECH_PER_SECOND * (time.monotonic() - began)
        assert len(re.findall(r'says, "line \d+\."', listener.text)) <= min(most, 28)


def test_callers_who_say_nothing_and_callers_at_the_password_cost_nobody_anything(target):
    with attack(target, "300 who stop at the door"):
        for number in range(300):
            caller = target.calls(f"127.0.9.{number % 250 + 1}")
            if number % 2:
                caller.sendall(f"Halfway{chr(97 + number % 26)}\n".encode())
