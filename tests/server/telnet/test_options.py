"""What clients tell about themselves, as the clients seen on the wire tell it, and as hostile ones might."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from server.connection.text_screen import transliterate
from server.telnet.negotiation import Effect, Identified, Negotiator, Send, subnegotiation
from server.telnet.options import (
    OPTIONS,
    ClientInfo,
    Mtts,
    ask_charset,
    encode_text,
    read_charset,
    read_terminal_type,
    read_window_size,
)
from server.telnet.parser import (
    BINARY,
    CHARSET,
    DO,
    DONT,
    ECHO,
    END_OF_RECORD,
    GMCP,
    IAC,
    LINEMODE,
    SUPPRESS_GO_AHEAD,
    TERMINAL_TYPE,
    TIMING_MARK,
    WILL,
    WINDOW_SIZE,
    WONT,
    Negotiation,
    decode_line,
)
from tests.full_table import full_table
from vault.vault import STARTER

NEXT = Send(subnegotiation(TERMINAL_TYPE, b"\1"))


@pytest.mark.parametrize(
    ("text", "encoding", "wire"),
    [
        ("a\nb\r\nc\rd\n\n", "utf-8", b"a\r\nb\r\nc\r\nd\r\n\r\n"),
        ("héllo ✓", "utf-8", "héllo ✓".encode()),
        (
            "“Ça va?” — l’été… • naïve → ½ ﬁn Åse Straße Łódź ┌─┐ ✓",
            "ascii",
            b'"Ca va?" -- l\'ete... * naive -> 1/2 fin Ase Strasse Lodz +-+ +',
        ),
        ("a\ud800b", "utf-8", b"a?b"),
        ("ÿ", "latin-1", b"\xff\xff"),
    ],
    ids=["line ends are CR LF", "UTF-8 as it is", "ASCII the nearest likeness", "a lone surrogate", "a doubled 255"],
)
def test_text_goes_out_in_the_charset_of_the_client(text, encoding, wire):
    assert encode_text(text, encoding) == wire


def test_every_letter_and_sign_of_western_and_central_europe_has_a_likeness():
    windows = "".join(bytes([code]).decode("cp1252", "ignore") for code in range(0x80, 0x100))
    central = "".join(map(chr, range(0x100, 0x180)))
    assert [one for one in windows + central if "?" in transliterate(one)] == ["¿"]


def test_an_ascii_client_can_read_the_whole_starter_vault():
    unreadable = []
    for path in sorted(path for path in STARTER.rglob("*") if path.is_file()):
        text = path.read_text(encoding="utf-8")
        if transliterate(text).count("?") != text.count("?"):
            unreadable.append((path.name, {one for one in text if one != "?" and "?" in transliterate(one)}))
    assert unreadable == []


def test_an_ascii_client_can_read_what_every_command_says_of_itself():
    assert [one.verb for one in full_table() if transliterate(one.help).count("?") != one.help.count("?")] == []


@pytest.mark.parametrize(
    ("text", "likeness"),
    [
        ("Привет, щука и й!", "Privet, shchuka i y!"),
        ("άνθρωποι", "anthropoi"),
        ("北京", "BeiJing"),
        ("がぎぐ", "gagigu"),  # with the mark that makes them voiced, composed
        ("か\u3099", "ga"),  # and apart
        ("서울", "SeoUl"),
        ("שלום", "slvm"),
        ("🙂", ":slight_smile:"),
    ],
)
def test_other_scripts_can_be_read_by_who_has_ascii_alone(text, likeness):
    assert transliterate(text) == likeness


def test_what_has_no_likeness_becomes_a_question_mark_and_what_is_not_seen_nothing():
    assert transliterate("a\ue000b\x85c\u200dd\u0301e") == "a?b?cde"


@given(st.text(st.characters(min_codepoint=128, exclude_categories=())))
def test_no_likeness_of_anything_is_a_control_character(text):
    assert transliterate(text).isprintable() and transliterate(text).isascii()


@given(st.text(st.characters(exclude_categories=())), st.sampled_from(["utf-8", "ascii"]))
def test_any_text_can_be_sent_and_never_holds_a_single_255_or_a_bare_line_end(text, encoding):
    wire = encode_text(text, encoding)
    assert b"\xff" not in wire.replace(b"\xff\xff", b"")
    assert b"\r" not in wire.replace(b"\r\n", b"")
    assert b"\n" not in wire.replace(b"\r\n", b"")


@pytest.mark.parametrize(
    ("content", "knows_utf_8", "text"),
    [
        ("say héllo ✓".encode(), True, "say héllo ✓"),
        ("say héllo ✓".encode(), False, "say héllo ✓"),
        (b"say h\xe9llo", True, "say h\ufffdllo"),
        (b"say \x93h\xe9llo\x94", False, "say “héllo”"),
        ("say \x1b[31mred\u202e\x07\u2028next".encode(), True, "say red next"),
        *(
            (typed.replace("<", erase).encode(), True, "look")
            for erase in "\b\x7f"
            for typed in ("lokk<<ok", "<<look", "é<look")
        ),
    ],
)
def test_a_line_is_read_as_the_client_means_it_and_cleaned(content, knows_utf_8, text):
    assert decode_line(content, knows_utf_8) == text


@given(st.binary(), st.booleans())
def test_any_bytes_can_be_read(content, knows_utf_8):
    assert len(decode_line(content, knows_utf_8).splitlines()) <= 1


def size(width: int, height: int) -> bytes:
    return width.to_bytes(2, "big") + height.to_bytes(2, "big")


def answers(client: ClientInfo, *names: str) -> list[Effect]:
    return [effect for name in names for effect in read_terminal_type(client, b"\0" + name.encode())]


def test_the_opening_offers_just_what_helps_every_client():
    said = Negotiator(OPTIONS, ClientInfo()).open()
    asked = bytes([IAC, DO, TERMINAL_TYPE, IAC, DO, WINDOW_SIZE, IAC, DO, BINARY])
    assert said == asked + bytes([IAC, WILL, CHARSET, IAC, WILL, END_OF_RECORD, IAC, WILL, GMCP])


@pytest.mark.parametrize(
    ("verb", "refusal", "option"),
    [
        *((DO, WONT, one) for one in (ECHO, SUPPRESS_GO_AHEAD, TIMING_MARK, BINARY, LINEMODE, 86, 91, 255)),
        *((WILL, DONT, one) for one in (ECHO, SUPPRESS_GO_AHEAD, LINEMODE, 32, 39)),
    ],
)
def test_what_a_client_brings_up_unbidden_is_refused(verb, refusal, option):
    telnet = Negotiator(OPTIONS, ClientInfo())
    telnet.open()
    assert telnet.receive(Negotiation(verb, option)) == [Send(bytes([IAC, refusal, option]))]


@pytest.mark.parametrize(
    ("told", "width"),
    [
        (size(100, 30), 100),
        (size(255, 255), 255),
        (size(1, 1), 20),
        (size(65535, 65535), 500),
        (size(132, 0), 132),
        *((told, 80) for told in (size(0, 50), b"", b"\0\x64\0", b"\0\x64\0\x18\0")),
    ],
)
def test_a_window_is_as_wide_as_the_client_says_within_reason(told, width):
    client = ClientInfo()
    assert read_window_size(client, told) == []
    assert client.width == width


TINTIN = Mtts.ANSI | Mtts.VT100 | Mtts.UTF_8 | Mtts.COLORS_256 | Mtts.TRUECOLOR
NAMES = [f"name{number}" for number in range(50)]


@pytest.mark.parametrize(
    ("told", "types", "mtts"),
    [
        (["TINTIN++", "xterm-256color", "MTTS 271"], ["TINTIN++", "xterm-256color"], TINTIN),
        (["XTERM", "XTERM", "XTERM"], ["XTERM"], None),
        (NAMES, NAMES[:4], None),
        (["X", "MTTS 333"], ["X"], Mtts.SCREEN_READER | Mtts(269)),
        (["X", "MTTS 999999999"], ["X"], Mtts(999999999 & sum(Mtts))),
        *(
            ([malformed, malformed], [malformed], None)
            for malformed in ("MTTS", "MTTS x", "MTTS 1 2", "MTTS -1", "MTTS 9999999999")
        ),
    ],
    ids=["abilities", "a repetition", "the fourth", "a screen reader", "unknown flags", *["a malformed flag word"] * 5],
)
def test_a_client_is_asked_for_terminal_types_until_it_has_told_all(told, types, mtts):
    client = ClientInfo()
    assert answers(client, *told) == [NEXT] * min(len(types), 3) + [Identified()]
    assert (client.name, client.terminal_types, client.mtts) == (types[0], types, mtts)


def test_a_terminal_type_is_cleaned_and_cut():
    client = ClientInfo()
    read_terminal_type(client, b"\0\x1b[31m\xe9" + b"x" * 100)
    assert client.name == "[31m" + "x" * 36


def test_what_is_not_an_answer_to_terminal_type_is_ignored():
    client = ClientInfo()
    assert read_terminal_type(client, b"\1") == read_terminal_type(client, b"") == []
    assert client == ClientInfo()


@pytest.mark.parametrize(("verb", "answer"), [(DO, [Send(subnegotiation(CHARSET, b"\1;UTF-8;US-ASCII"))]), (DONT, [])])
def test_only_an_agreed_do_charset_is_followed_by_the_request(verb, answer):
    telnet = Negotiator(OPTIONS, ClientInfo())
    telnet.open()
    assert telnet.receive(Negotiation(verb, CHARSET)) == answer


@pytest.mark.parametrize(
    ("reply", "encoding"),
    [
        *((b"\2UTF-8", "utf-8"), (b"\2utf-8", "utf-8"), (b"\2US-ASCII", "ascii")),
        *((none, "utf-8") for none in (b"\3", b"\2KOI8-R", b"\2", b"", b"\7x")),
    ],
)
def test_the_charset_a_client_accepts_is_its_encoding_if_it_was_offered(reply, encoding):
    client = ClientInfo()
    ask_charset(client)
    assert read_charset(client, reply) == []
    assert client.encoding == encoding


@pytest.mark.parametrize(
    ("request_", "answer", "charset"),
    [
        (b" UTF-8 US-ASCII", b"\2UTF-8", "utf-8"),
        (b";ISO-8859-1;utf8", b"\2utf8", "utf-8"),
        (b";KOI8-R;US-ASCII", b"\2US-ASCII", "ascii"),
        *((none, b"\3", None) for none in (b";KOI8-R", b";", b"", b"[TTABLE]\1;X")),
    ],
)
def test_a_clients_own_charset_request_is_granted_if_it_has_one_of_ours(request_, answer, charset):
    client = ClientInfo()
    assert read_charset(client, b"\1" + request_) == [Send(subnegotiation(CHARSET, answer))]
    assert client.charset == charset


def test_while_our_own_charset_request_is_open_a_clients_is_rejected():
    client = ClientInfo()
    ask_charset(client)
    assert read_charset(client, b"\1;UTF-8") == [Send(subnegotiation(CHARSET, b"\3"))]
    read_charset(client, b"\2US-ASCII")
    assert read_charset(client, b"\1;UTF-8") == [Send(subnegotiation(CHARSET, b"\2UTF-8"))]


@pytest.mark.parametrize(
    ("client", "encoding"),
    [
        (ClientInfo(), "utf-8"),
        (ClientInfo(terminal_types=["XTERM"]), "utf-8"),
        (ClientInfo(terminal_types=["TINYFUGUE"]), "ascii"),
        (ClientInfo(terminal_types=["TINYFUGUE"], charset="utf-8"), "utf-8"),
        (ClientInfo(mtts=Mtts(265)), "ascii"),
        (ClientInfo(mtts=Mtts(271)), "utf-8"),
        (ClientInfo(mtts=Mtts(265), charset="utf-8"), "utf-8"),
    ],
)
def test_the_encoding_follows_what_the_client_has_told(client, encoding):
    assert client.encoding == encoding


@given(
    st.sampled_from([read_window_size, read_terminal_type, read_charset]), st.lists(st.binary(max_size=60), max_size=8)
)
def test_no_payload_breaks_anything(read, payloads):
    client = ClientInfo()
    for payload in payloads:
        read(client, payload)
    assert 20 <= client.width <= 500
    assert len(client.terminal_types) <= 4
    assert all(len(name) <= 40 and name.isprintable() for name in client.terminal_types)


def test_a_255_in_a_subnegotiation_is_doubled():
    assert subnegotiation(WINDOW_SIZE, b"\xff") == bytes([IAC, 250, WINDOW_SIZE, 255, 255, IAC, 240])


BROKEN = b"say h\xe9llo"


@pytest.mark.parametrize(
    ("client", "lines"),
    [
        (ClientInfo(), {b"look": "look", b"say h\xe9llo \x93you\x94": "say héllo “you”"}),
        (ClientInfo(), {"say héllo".encode(): "say héllo", BROKEN: "say h\ufffdllo"}),
        (ClientInfo(charset="utf-8"), {BROKEN: "say h\ufffdllo"}),
        (ClientInfo(mtts=Mtts.UTF_8), {BROKEN: "say h\ufffdllo"}),
        (ClientInfo(charset="ascii"), {"say héllo".encode(): "say héllo", BROKEN: "say héllo"}),
        (ClientInfo(mtts=Mtts.ANSI), {"say héllo".encode(): "say héllo", BROKEN: "say héllo"}),
    ],
    ids=["no UTF-8 yet", "UTF-8 was sent", "UTF-8 by charset", "UTF-8 by MTTS", "none by charset", "none by MTTS"],
)
def test_a_client_without_utf_8_is_read_as_a_windows_one(client, lines):
    read = []
    for sent in lines:
        if not sent.isascii():
            client.note_line(sent)
        read.append(decode_line(sent, client.knows_utf_8))
    assert read == list(lines.values())
