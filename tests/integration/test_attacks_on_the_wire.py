"""Bytes that no client sends: what can be read is read, the rest dropped, and everybody else served meanwhile."""

from __future__ import annotations

import random
import socket
import threading
import time
from contextlib import suppress

import pytest

from tests.integration.attacking import IAC, SB, SE, attack, read_all, read_until
from tests.integration.line_player import HOST

pytestmark = pytest.mark.integration

WILL, WONT, DO, DONT = (bytes([code]) for code in range(251, 255))
NAWS, TTYPE, ENVIRON, CHARSET, MSSP, MCCP2, MCCP3, GMCP = (
    *(b"\x1f", b"\x18", b"\x27", b"\x2a"),
    *(b"\x46", b"\x56", b"\x57", b"\xc9"),
)
MEGABYTE = 1_000_000


def subnegotiation(option, payload):
    return SB + option + payload.replace(IAC, IAC + IAC) + SE


BROKEN = {
    "every command byte alone": b"".join(IAC + bytes([code]) for code in range(256)),
    "commands that stop in the middle": IAC + WILL + IAC + DO + IAC + DONT + IAC + WONT + IAC,
    "subnegotiations of nothing": (SB + SE) * 50 + SB + IAC + IAC + SE + SE * 20,
    "subnegotiations within each other": (SB + GMCP) * 200 + SE * 200,
    "commands within a subnegotiation": SB + TTYPE + IAC + DO + NAWS + IAC + b"\xf4" + IAC + b"\x07" + SE,
    "windows of no size and of any": b"".join(
        subnegotiation(NAWS, size)
        for size in (b"", b"\0", b"\0\0\0\0", IAC * 4, b"\0\1\0\1", b"\xff\xff\0\0", b"\0" * 100)
    ),
    "names of terminals that are none": b"".join(
        subnegotiation(TTYPE, b"\0" + name)
        for name in (b"", b"\0", IAC * 60, b"\x1b[2J", b"MTTS", b"MTTS -1", b"MTTS 99999999999999999999", b"x" * 4000)
    ),
    "character sets that are none": b"".join(
        subnegotiation(CHARSET, answer)
        for answer in (b"", b"\2", b"\2\xff", b"\2rot13", b"\1;\xe9", b"\4" * 90, b"\x07")
    ),
    "packages that are none": IAC
    + DO
    + GMCP
    + b"".join(
        subnegotiation(GMCP, text)
        for text in (
            b"",
            b" ",
            b"Core.Hello",
            b"Core.Hello {",
            b"Core.Hello []",
            b'Core.Supports.Set {"a":1}',
            b"Core.Supports.Set " + b"[" * 3000,
            b'Core.Supports.Add ["' + b"x" * 3000 + b'"]',
            b'Core.Supports.Set [1,null,{},[],"Char 99999999999999999999999"]',
            b"Core.Ping 1e999",
            b"Core.Ping NaN",
            b"Core.Ping " + b"9" * 4000,
            b'Char.Login.Credentials {"account":[],"password":{}}',
            b'Char.Login.Credentials {"account":"../../x\\u0000","password":"\\ud800"}',
            b"\xff\xfe\x00 \xc3",
        )
    ),
    "options that nobody has": b"".join(
        IAC + verb + bytes([option]) + SB + bytes([option]) + b"\1\2\3" + SE
        for option in range(255)
        for verb in (WILL, DO)
    ),
    "compression that nobody asked for": IAC + DO + MCCP3 + subnegotiation(MCCP3, b"") + b"\x78\x9c" + b"\0" * 200,
}


def test_broken_telnet_is_passed_over_whole_and_byte_by_byte(target):
    with attack(target, "broken telnet, whole and byte by byte"):
        callers = []
        for name, content in BROKEN.items():
            for portion in (len(content), 1):
                caller = target.calls()
                for at in range(0, len(content), portion):
                    caller.sendall(content[at : at + portion])
                caller.sendall(SE + b"\r\n" + DONT)  # ends whatever is open, and begins what never ends
                caller.shutdown(socket.SHUT_WR)
                callers.append((name, caller))
        for name, caller in callers:
            assert b"Welcome to " in read_all(caller), name  # what is left of it may be somebody's name


def test_floods_of_broken_telnet_hold_nobody_up(target):
    chance = random.Random(8)
    with attack(target, "floods of broken telnet", new_files=(".md",)):  # whose random lines may be somebody's name
        floods = [content * (30_000 // len(content)) for content in BROKEN.values()]
        floods += [chance.randbytes(MEGABYTE // 5), IAC * MEGABYTE, SB + IAC * MEGABYTE]
        floods += [bytes(chance.choice((255, 250, 240, 251, 253, 10, 31)) for _ in range(MEGABYTE // 10))]
        pour(*((target.calls(), flood) for flood in floods))


def test_a_subnegotiation_that_is_never_closed_takes_no_memory(target):
    with attack(target, "10 MB of subnegotiation", most_growth=32 * MEGABYTE):
        for option in (GMCP, TTYPE, b"\x00"):
            all_taken(target.sends(SB + option, *(b"x" * MEGABYTE for _ in range(10))))


def test_ten_megabytes_in_one_line_take_no_memory(target):
    with attack(target, "10 MB in one line", most_growth=32 * MEGABYTE):
        player = target.plays("Long")
        player.socket.sendall(b"say ")
        for _ in range(10):
            player.socket.sendall(b"a" * MEGABYTE)
        player.socket.sendall(b"\nsay short\n")
        player.expects("That line was ignored: it is longer than 4096 bytes.")
        player.expects('You say, "short"')
    assert "aaaa" not in target.bystander.text


def test_options_switched_ten_thousand_times_are_answered_in_bounds(target):
    with attack(target, "options switched 10,000 times"):
        toggles = [
            (IAC + DO + option + IAC + DONT + option + IAC + WILL + option + IAC + WONT + option) * 2_500
            for option in (b"\x01", NAWS, GMCP, b"\x00", MSSP, CHARSET)
        ]
        pour(*((target.calls(), flood) for flood in toggles))


def test_floods_of_questions_and_beats_hold_nobody_up(target):
    with attack(target, "AYT, NOP, BRK and timing marks"):
        commands = (b"\xf6", b"\xf1", b"\xf3", b"\xf4", b"\xef", b"\xf7", b"\xf8", DO + b"\x06")
        pour(*((target.calls(), (IAC + command) * 3_000) for command in commands))


def test_windows_and_terminals_that_change_all_the_time_hold_nobody_up(target):
    with attack(target, "windows resized 10,000 times"):
        player = target.plays("Sizes")
        sizes = b"".join(subnegotiation(NAWS, bytes([0, n % 251, 0, n % 241])) for n in range(10_000))
        player.socket.sendall(IAC + WILL + NAWS + sizes + IAC + WILL + TTYPE)
        player.socket.sendall(subnegotiation(TTYPE, b"\0LIES-%d") * 10_000)
        player.types("say still here")
        player.expects("still here")


def test_packages_of_a_player_are_read_or_passed_over(target):
    with attack(target, "GMCP packages by the thousand"):
        player = target.plays("Packer")
        reading(player.socket)
        asked = (
            b'Core.Supports.Set ["Char 1","Room 1","Comm 1","Core 1"]',
            b"Core.Ping 1",
            b"Char.Items.Inv",
            b"Room.Get",
        )
        player.socket.sendall(BROKEN["packages that are none"] * 20)
        player.socket.sendall(b"".join(subnegotiation(GMCP, text) for text in asked) * 300)
        again = target.plays("Packer", "look")
        again.close()


def test_text_that_is_no_text_reaches_nobody_as_control(target):
    hostile = [
        b"\0" * 500,
        bytes(range(128, 160)),
        b"\xc0\x80\xe0\x80\x80\xf0\x80\x80\x80 overlong",
        b"\xed\xa0\x80\xed\xbf\xbf surrogates",
        b"\xf4\x90\x80\x80\xf8\x88\x80\x80\x80 beyond",
        b"\xe2\x80\xae\xe2\x80\xa8\xc2\x85\xe2\x80\x8b unseen",
        b"\x1b[2J\x1b]0;x\x07\x1bP1\x1b\\\x1b_G\x1b\\\x1bX\x9c\x1b^\x1b\\ sequences",
        b"\x9b2J\x9d0;x\x9c\x90q\x9c eight bits",
        b"\x0c\x0b\x08\x7f\x0e\x0f\x05 controls",
        b"\xff\xff\xff\xff doubled",
    ]
    with attack(target, "NUL, C1, overlong forms, escape sequences"):
        listener = target.plays("Listener")
        verbs = (b"say ", b"emote ", b"shout ", b"whisper Listener ", b"@describe me as ", b"", b"look ", b"help ")
        target.plays("Speaker", *(verb + text for text in hostile for verb in verbs), "look Speaker")
        listener.types("look Speaker")
        listener.expects("\n> ")
    shown = listener.text + target.bystander.text
    assert "overlong" in shown
    seen = sorted({char for char in shown if not (char.isprintable() or char == "\n")})
    assert not seen, seen


def test_half_lines_for_ever_cost_little(target):
    with attack(target, "2 MB a byte at a time, and 100 lines that never end"):
        slow = target.calls()
        slow.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        for _ in range(100):
            target.sends(b"x" * 4000)
        until = time.monotonic() + 2
        while time.monotonic() < until:
            slow.sendall(b"x")


def test_readers_who_never_read_are_dropped_while_others_shout(target):
    with attack(target, "40 who never read, and one who shouts"):
        deaf = [target.calls(buffer=4096) for _ in range(40)]
        for number, caller in enumerate(deaf):
            target.played.add(name := f"Deaf{chr(97 + number // 26)}{chr(97 + number % 26)}")
            caller.sendall(f"{name}\na long secret\n".encode())
        crier = target.plays("Crier")
        reading(crier.socket)
        for _ in range(60):
            crier.socket.sendall(b"shout " + b"hear hear " * 350 + b"\n")
        for caller in deaf:
            with suppress(OSError):
                caller.sendall(b"help commands\nlook\n" * 400)
        asking = target.plays("Asking").socket
        with pytest.raises(OSError):
            for _ in range(2000):
                asking.sendall(b"help\nlook\n" * 1000)
        target.server.says("does not read; dropped with")


def test_thousands_of_commands_in_one_packet_are_all_done(target):
    with attack(target, "5,000 commands in one packet"):
        player = target.plays("Hasty")
        player.socket.sendall(b"inventory\n" * 5000)
        player.types("say all done")
        player.expects('You say, "all done"')
        assert player.text.count("You carry nothing.") == 5000


def test_a_storm_of_callers_leaves_nothing_behind(target):
    with attack(target, "1,000 callers who hang up at once"):
        for number in range(1000):
            caller = target.calls(f"127.0.{number % 200 + 1}.{number % 250 + 1}")
            if number % 4 == 1:
                caller.sendall(b"Half a na")
            if number % 4 == 2:
                caller.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")  # with a reset
            if number % 4 == 3:
                caller.shutdown(socket.SHUT_WR)
            caller.close()


def test_three_hundred_who_call_at_once_are_all_greeted(target):
    with attack(target, "300 callers at once"):
        callers = []
        for number in range(300):
            caller = socket.socket()
            caller.bind((f"127.0.1.{number % 250 + 1}", 0))
            caller.setblocking(False)
            caller.connect_ex((HOST, target.server.port))
            callers.append(caller)
        target.callers += callers
        for caller in callers:
            caller.settimeout(20)
            assert caller.recv(1)


def test_a_crowd_that_speaks_at_once_keeps_nobody_elsewhere_waiting(target):
    with attack(target, "100 in a room who all speak at once, again and again"):
        crowd = [target.calls() for _ in range(100)]
        for caller in crowd:
            caller.settimeout(60)
            caller.sendall(b"guest\r\nnorth\r\n")
        for caller in crowd:
            read_until(caller, b"You go north")
        for caller in crowd:
            caller.sendall(b"say now\r\n" * 10 + b"say done\r\n")
        for caller in crowd:
            read_until(caller, b'You say, "done"')


def test_handshakes_of_tls_left_hanging_and_broken_cost_nobody_anything(target):
    begun = b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03"
    broken = [b"look\r\n" * 99, IAC * 5000, begun + b"\xff" * 20_000, b"GET / HTTP/1.1\r\n\r\n", b"\x80\x2e\1\0\2" * 50]
    with attack(target, "200 TLS handshakes left hanging or broken"):
        for number in range(200):
            caller = target.calls(f"127.0.3.{number + 1}", port=target.server.tls_port)
            with suppress(OSError):
                caller.sendall(begun if number % 2 else broken[number // 2 % len(broken)])
        time.sleep(1)


def test_who_has_closed_one_side_is_answered_and_let_go(target):
    with attack(target, "200 half-closed connections"):
        callers = [target.sends(b"guest\nlook\n") for _ in range(20)] + [target.calls() for _ in range(180)]
        all_taken(*callers)


def all_taken(*callers):
    """Wait until the server has read all that callers have sent: then it lets them go."""
    for caller in callers:
        with suppress(OSError):
            caller.shutdown(socket.SHUT_WR)
    for caller in callers:
        read_all(caller)


def reading(caller):
    """Read what comes and throw it away, in the background."""
    reader = threading.Thread(target=read_all, args=(caller,), daemon=True)
    reader.start()
    return reader


def pour(*floods):
    """Send each caller's flood, reading what comes meanwhile, until the server has taken all of it or had enough."""
    readers = [reading(caller) for caller, _ in floods]
    for caller, content in floods:
        with suppress(OSError):
            caller.sendall(content)
            caller.shutdown(socket.SHUT_WR)
    for reader in readers:
        reader.join(30)
