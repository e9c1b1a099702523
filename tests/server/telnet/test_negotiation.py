"""Options are agreed upon without waiting, without loops, and whatever the order of the answers."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from server.telnet.negotiation import MAX_ANSWERS, Effect, Negotiator, Option, Policy, Send
from server.telnet.parser import (
    DO,
    DONT,
    ECHO,
    END_OF_RECORD,
    IAC,
    VERBS,
    WILL,
    WINDOW_SIZE,
    WONT,
    Negotiation,
    Subnegotiation,
)

UNKNOWN = 200
ACCEPTED = 77


def begin(facts: list[str]) -> list[Effect]:
    facts.append("begun")
    return [Send(b"begin")]


def on_subnegotiation(facts: list[str], payload: bytes) -> list[Effect]:
    facts.append(payload.decode())
    return []


def negotiator() -> tuple[Negotiator[list[str]], list[str]]:
    facts: list[str] = []
    rows = [
        Option(WINDOW_SIZE, remote=Policy.OFFER, on_remote_enabled=begin, on_subnegotiation=on_subnegotiation),
        Option(END_OF_RECORD, local=Policy.OFFER),
        Option(ECHO),
        Option(ACCEPTED, remote=Policy.ACCEPT),
    ]
    return Negotiator(rows, facts), facts


def said(effects: list[Effect]) -> bytes:
    return b"".join(effect.content for effect in effects if isinstance(effect, Send))


def test_accepted_offer_begins_the_option_once():
    telnet, facts = negotiator()
    telnet.open()
    assert telnet.receive(Negotiation(WILL, WINDOW_SIZE)) == [Send(b"begin")]
    assert telnet.receive(Negotiation(WILL, WINDOW_SIZE)) == []
    assert facts == ["begun"]
    assert telnet.receive(Negotiation(DO, END_OF_RECORD)) == []
    assert telnet.is_local_enabled(END_OF_RECORD)


def test_an_option_is_agreed_again_after_the_client_dropped_it():
    telnet, facts = negotiator()
    telnet.open()
    telnet.receive(Negotiation(WILL, WINDOW_SIZE))
    assert said(telnet.receive(Negotiation(WONT, WINDOW_SIZE))) == bytes([IAC, DONT, WINDOW_SIZE])
    assert said(telnet.receive(Negotiation(WILL, WINDOW_SIZE))) == bytes([IAC, DO, WINDOW_SIZE]) + b"begin"
    assert facts == ["begun", "begun"]


def test_an_acceptable_option_is_accepted_when_the_client_brings_it_up():
    telnet, _ = negotiator()
    assert telnet.receive(Negotiation(WILL, ACCEPTED)) == [Send(bytes([IAC, DO, ACCEPTED]))]


@pytest.mark.parametrize("verb", [DONT, WONT])
@pytest.mark.parametrize("option", [UNKNOWN, ECHO])
def test_a_no_to_what_was_never_agreed_is_not_answered(verb, option):
    telnet, _ = negotiator()
    assert telnet.receive(Negotiation(verb, option)) == []


def test_switching_waits_for_no_answer_and_repeats_nothing():
    telnet, _ = negotiator()
    switched = [telnet.set_local(ECHO, on) for on in (False, True, True, False, True, False, False)]
    on, off = bytes([IAC, WILL, ECHO]), bytes([IAC, WONT, ECHO])
    assert switched == [b"", on, b"", off, on, off, b""]


def test_a_late_yes_does_not_undo_the_no_said_meanwhile():
    telnet, _ = negotiator()
    telnet.set_local(ECHO, True)
    telnet.set_local(ECHO, False)
    assert telnet.receive(Negotiation(DO, ECHO)) == []
    assert not telnet.is_local_enabled(ECHO)
    assert telnet.receive(Negotiation(DONT, ECHO)) == []


@pytest.mark.parametrize("acknowledged", [True, False])
@pytest.mark.parametrize("passwords", [1, 2, 5])
def test_the_last_password_is_hidden_however_late_the_answers_to_all_of_them_come(passwords, acknowledged):
    telnet, _ = negotiator()
    telnet.set_local(ECHO, True)
    answers = [DO]
    for _ in range(passwords - 1):
        telnet.set_local(ECHO, False)
        telnet.set_local(ECHO, True)
        answers += [DONT, DO] if acknowledged else [DO]
    assert [telnet.receive(Negotiation(verb, ECHO)) for verb in answers] == [[] for _ in answers]
    assert telnet.is_local_enabled(ECHO)


def test_a_subnegotiation_reaches_its_row_only_once_agreed():
    telnet, facts = negotiator()
    telnet.receive_subnegotiation(Subnegotiation(WINDOW_SIZE, b"early"))
    telnet.open()
    telnet.receive(Negotiation(WILL, WINDOW_SIZE))
    telnet.receive_subnegotiation(Subnegotiation(WINDOW_SIZE, b"size"))
    telnet.receive_subnegotiation(Subnegotiation(UNKNOWN, b"unknown"))
    assert facts == ["begun", "size"]


def test_a_client_that_argues_without_end_is_answered_so_many_times():
    telnet, _ = negotiator()
    answers = [said(telnet.receive(Negotiation(DO, UNKNOWN))) for _ in range(MAX_ANSWERS + 99)]
    assert [bool(answer) for answer in answers] == [True] * MAX_ANSWERS + [False] * 99
    telnet.reset_budget()  # as a typed line does
    assert said(telnet.receive(Negotiation(DO, UNKNOWN))) == bytes([IAC, WONT, UNKNOWN])


def test_nothing_is_put_together_for_a_client_that_has_had_all_its_answers():
    telnet, facts = negotiator()
    for _ in range(1000):
        telnet.receive(Negotiation(WILL, WINDOW_SIZE))
        telnet.receive(Negotiation(WONT, WINDOW_SIZE))
    assert len(facts) <= MAX_ANSWERS // 2


@given(
    st.lists(
        st.tuples(
            st.sampled_from(sorted(VERBS)),
            st.sampled_from([WINDOW_SIZE, END_OF_RECORD, ECHO, ACCEPTED, UNKNOWN]),
        )
    )
)
def test_every_message_has_at_most_one_answer_and_that_one_is_not_a_contradiction(messages):
    telnet, _ = negotiator()
    telnet.open()
    possible = {WILL: (DO, DONT), WONT: (DONT,), DO: (WILL, WONT), DONT: (WONT,)}
    for verb, option in messages:
        telnet.reset_budget()
        answer = said(telnet.receive(Negotiation(verb, option))).removesuffix(b"begin")
        assert answer in (b"", *(bytes([IAC, reply, option]) for reply in possible[verb]))


@given(st.booleans(), st.booleans(), st.lists(st.sampled_from([WINDOW_SIZE, ECHO, UNKNOWN, ACCEPTED]), max_size=8))
def test_a_peer_that_answers_everything_by_the_same_rules_falls_silent(offers, accepts, asks):
    policy = Policy.OFFER if offers else Policy.ACCEPT if accepts else Policy.REFUSE
    server, _ = negotiator()
    codes = (WINDOW_SIZE, END_OF_RECORD, ECHO, ACCEPTED)
    rows: list[Option[list[str]]] = [Option(code, local=policy, remote=policy) for code in codes]
    peer = Negotiator(rows, [])
    wire = [(peer, answer) for answer in _messages(server.open())]
    wire += [(server, answer) for answer in _messages(peer.open())]
    wire += [(server, Negotiation(WILL, option)) for option in asks]
    for _ in range(200):
        if not wire:
            return
        side, message = wire.pop(0)
        other = peer if side is server else server
        side.reset_budget()
        wire += [(other, answer) for answer in _messages(said(side.receive(message)).replace(b"begin", b""))]
    raise AssertionError(f"still arguing: {wire}")


def _messages(stream: bytes) -> list[Negotiation]:
    return [Negotiation(stream[i + 1], stream[i + 2]) for i in range(0, len(stream), 3)]
