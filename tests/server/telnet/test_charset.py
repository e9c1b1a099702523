"""Text out: CR LF, the client's encoding, 255 doubled. Text in: what the player meant."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from server.rendering.text_screen import transliterate
from server.telnet.options import decode_line, encode_text
from tests.full_table import full_table
from vault.vault import STARTER


def test_every_line_end_goes_out_as_cr_lf():
    assert encode_text("a\nb\r\nc\rd\n\n", "utf-8") == b"a\r\nb\r\nc\r\nd\r\n\r\n"


def test_utf_8_goes_out_as_it_is():
    assert encode_text("héllo ✓", "utf-8") == "héllo ✓".encode()


def test_an_ascii_client_gets_the_nearest_likeness():
    text = "“Ça va?” — l’été… • naïve → ½ ﬁn Åse Straße Łódź ┌─┐ ✓"
    assert encode_text(text, "ascii") == b'"Ca va?" -- l\'ete... * naive -> 1/2 fin Ase Strasse Lodz +-+ +'


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


def test_a_lone_surrogate_does_not_stop_the_rest():
    assert encode_text("a\ud800b", "utf-8") == b"a?b"


def test_a_byte_255_is_doubled_in_any_encoding_that_has_one():
    assert encode_text("ÿ", "latin-1") == b"\xff\xff"


@given(st.text(st.characters(exclude_categories=())), st.sampled_from(["utf-8", "ascii"]))
def test_any_text_can_be_sent_and_never_holds_a_single_255_or_a_bare_line_end(text, encoding):
    wire = encode_text(text, encoding)
    assert b"\xff" not in wire.replace(b"\xff\xff", b"")
    assert b"\r" not in wire.replace(b"\r\n", b"")
    assert b"\n" not in wire.replace(b"\r\n", b"")


def test_utf_8_is_read_from_any_client():
    assert decode_line("say héllo ✓".encode(), True) == "say héllo ✓"
    assert decode_line("say héllo ✓".encode(), False) == "say héllo ✓"


def test_broken_utf_8_is_replaced():
    assert decode_line(b"say h\xe9llo", True) == "say h�llo"


def test_bytes_of_a_windows_client_without_utf_8_are_read_as_it_means_them():
    assert decode_line(b"say \x93h\xe9llo\x94", False) == "say “héllo”"


@pytest.mark.parametrize("erase", ["\b", "\x7f"])
def test_rubbed_out_characters_are_gone(erase):
    assert decode_line(f"lokk{erase}{erase}ok".encode(), True) == "look"
    assert decode_line(f"{erase}{erase}look".encode(), True) == "look"
    assert decode_line(f"é{erase}look".encode(), True) == "look"


def test_a_line_is_cleaned_on_arrival():
    assert decode_line("say \x1b[31mred\u202e\x07\u2028next".encode(), True) == "say red next"


@given(st.binary(), st.booleans())
def test_any_bytes_can_be_read(content, knows_utf_8):
    assert len(decode_line(content, knows_utf_8).splitlines()) <= 1
