"""The door for browsers: who is let in, with which cookie and ticket, and what is refused."""

from __future__ import annotations

import gzip
import json
import random
from dataclasses import replace

import pytest
from twisted.internet.error import ConnectionLost
from twisted.python.failure import Failure
from wsproto.events import BytesMessage, CloseConnection, TextMessage

from config.settings import ServerSettings
from server.accounts.password_change import issue_one_time_password
from server.web.door import TICKET_WAIT_SECONDS
from server.web.logins import GUEST_SECONDS, LOGIN_SECONDS, TICKET_SECONDS, caller
from server.web.site import HEADERS, MAX_BODY_BYTES, MAX_REQUESTS, static_files
from tests.server.fake_connection import Guest
from tests.server.front_door import FakeHasher
from tests.server.web.browsing import ORIGIN, SITE, Browser, House, Window, guest_in, open_socket
from world.message_catalog import Wording

SECRET = "a long secret"
PAGE_BYTES = 60 * 1024


@pytest.fixture
def house(tmp_path):
    return House(tmp_path, ServerSettings(max_connections=50))


def posts(house, body, host="127.0.0.1"):
    """Send a form as our page does, and return the connection, whether it is answered or not."""
    caller = house.caller(host)
    head = f"POST /enter HTTP/1.1\r\nhost: {SITE}\r\norigin: {ORIGIN}\r\nx-fallwater: 1\r\ncontent-length: {len(body)}"
    caller.dataReceived(head.encode() + b"\r\n\r\n" + body)
    house.goes_on()
    return caller


# The page


def test_the_page_comes_with_what_forbids_everything_else(house):
    status, headers, body = Browser(house).request("/")
    assert status == 200 and body.startswith(b"<!doctype html>")
    assert {name.decode(): headers[name.decode()] for name in HEADERS} == {
        name.decode(): value.decode() for name, value in HEADERS.items()
    }
    assert "default-src 'none'; script-src 'self'; style-src 'self'" in headers["content-security-policy"]
    assert "'unsafe" not in headers["content-security-policy"]


def test_all_of_the_page_is_small():
    assert sum(len(file.packed) for file in static_files().values()) <= PAGE_BYTES


def test_the_page_has_no_script_or_style_of_its_own_in_it():
    page = static_files()[b"/"].content.decode()
    assert '<script type="module" src="main.js"></script>' in page and page.count("<script") == 1
    assert " style=" not in page and " onclick" not in page and "<style" not in page


def test_no_script_makes_markup_of_text():
    scripts = b"".join(file.content for path, file in static_files().items() if path.endswith(b".js"))
    for word in (b"innerHTML", b"outerHTML", b"insertAdjacent", b"document.write", b"eval(", b"new Function"):
        assert word not in scripts


def test_a_file_is_packed_for_who_can_unpack_it_and_not_sent_again(house):
    browser = Browser(house)
    _, headers, body = browser.request("/main.js", accept_encoding="gzip, br")
    assert (headers["content-encoding"], gzip.decompress(body)) == ("gzip", browser.request("/main.js")[2])
    assert browser.request("/main.js", if_none_match=headers["etag"])[0] == 304


@pytest.mark.parametrize("path", ["/nothing", "/../door.py", "/%2e%2e/door.py", "/main.js/", "//", "/static/main.js"])
def test_there_is_nothing_but_the_page(house, path):
    assert Browser(house).request(path)[0] == 404


# Who may ask


@pytest.mark.parametrize("host", ["evil.example", "evil.example:4080", "127.0.0.1:4081", "127.0.0.1.evil.example:4080"])
def test_a_host_that_is_not_ours_is_refused_and_noted(house, host, caplog):
    assert Browser(house).request("/", host=host)[0] == 403
    assert "is none of this world's" in caplog.text


@pytest.mark.parametrize("host", ["127.0.0.1:4080", "localhost:4080", "[::1]:4080", "LOCALHOST:4080"])
def test_this_machine_is_ours_by_each_of_its_names(house, host):
    assert Browser(house).request("/", host=host)[0] == 200


def test_a_name_or_a_proxy_s_address_is_ours_if_the_settings_have_it(house):
    house.settings = ServerSettings(hostname="mud.example.org", web_origins="https://play.example.org")
    browser = Browser(house)
    assert browser.request("/", host="mud.example.org:4080")[0] == 200
    assert browser.request("/", host="play.example.org")[0] == 200
    assert browser.request("/", host="play.example.org:4080")[0] == 403
    assert browser.enters("guest", host="play.example.org", origin="https://play.example.org")["status"] == 200
    assert browser.enters("guest", host="play.example.org", origin="http://play.example.org")["status"] == 403


@pytest.mark.parametrize("origin", ["https://evil.example", "null", f"https://{SITE}", "http://127.0.0.1:4081"])
def test_a_page_from_elsewhere_can_send_nothing(house, origin):
    assert Browser(house).enters("guest", origin=origin)["status"] == 403


@pytest.mark.parametrize("missing", ["origin", "x_fallwater"])
def test_without_what_only_our_page_sends_nothing_is_done(house, missing):
    assert Browser(house).enters("guest", **{missing: ""})["status"] == 403


def test_asking_changes_nothing(house):
    browser = Browser(house)
    for path in ("/enter", "/ticket", "/leave"):
        assert browser.request(path)[0] == 404


@pytest.mark.parametrize("body", [b"[]", b"nothing", b"[" * 2000, b'"guest"'])
def test_what_is_no_object_is_refused(house, body):
    caller = posts(house, body)
    assert caller.transport.value().startswith(b"HTTP/1.1 400 ")


@pytest.mark.parametrize("length", [f"content-length: {MAX_BODY_BYTES + 1}", "transfer-encoding: chunked"])
def test_a_long_body_is_not_waited_for(house, length):
    caller = house.caller()
    caller.dataReceived(f"POST /enter HTTP/1.1\r\nhost: {SITE}\r\n{length}\r\n\r\n".encode())
    assert caller.transport.value().startswith(b"HTTP/1.1 413 ")
    assert caller.transport.disconnecting


def test_of_a_thousand_requests_in_one_piece_only_some_are_answered(house):
    caller = house.caller()
    caller.dataReceived(f"GET /nothing HTTP/1.1\r\nhost: {SITE}\r\n\r\n".encode() * 1000)
    house.goes_on()
    assert caller.transport.value().count(b"HTTP/1.1 404 ") == MAX_REQUESTS
    assert caller.transport.disconnecting


def test_who_sends_a_byte_now_and_then_is_hung_up_on_in_time_and_a_socket_is_not(house):
    _, window = guest_in(house)
    caller = house.caller()
    for _ in range(house.settings.login_seconds // 5):
        assert not caller.transport.disconnecting
        caller.dataReceived(b"GET / HTTP/1.1\r\nx: " if _ == 0 else b"x")
        house.goes_on(5)
        window.reads()
    assert caller.transport.disconnecting
    assert not window.caller.transport.disconnecting
    assert window.types("say still here")[-1] == 'You say, "still here"'


# Coming in


def test_a_login_is_a_cookie_that_no_script_reads_and_no_other_page_sends(house):
    _, headers, _ = Browser(house).request("/enter", {"name": "guest"})
    name, *rest = headers["set-cookie"].split("; ")
    assert name.startswith("fallwater-4080=") and len(name) > 50
    assert {"Path=/", "HttpOnly", "SameSite=Strict"} <= set(rest)


PROXY = "https://play.example.org"


@pytest.mark.parametrize(
    ("settings", "origin"),
    [(ServerSettings(web_tls=True), f"https://{SITE}"), (ServerSettings(web_origins=PROXY), PROXY)],
    ids=["over TLS", "behind a proxy that speaks TLS"],
)
def test_over_tls_the_cookie_is_for_tls_alone(house, settings, origin):
    house.settings = settings
    host = origin.removeprefix("https://")
    _, headers, _ = Browser(house).request("/enter", {"name": "guest"}, host=host, origin=origin)
    assert headers["set-cookie"].startswith("__Host-fallwater-4080=") and headers["set-cookie"].endswith("; Secure")


def test_a_new_name_is_asked_for_a_password_and_comes_in_with_it(house):
    browser = Browser(house)
    asked = browser.enters("eve")
    assert ("ticket" in asked, asked["asks"]) == (False, "new")
    assert browser.enters("eve", chosen="abc")["told"] == "That is too short: a password has 6 characters or more."
    assert browser.enters("eve", chosen=SECRET)["name"] == "Eve"
    assert Guest(house.registry).enters("Eve").startswith("Type look.")


def test_a_known_name_comes_in_with_its_password_and_no_other(house):
    Guest(house.registry).enters("Ana")
    browser = Browser(house)
    wrong = browser.enters("Ana", "something else")
    assert ("ticket" in wrong, wrong["asks"]) == (False, "password")
    assert "ticket" not in browser.asks("/ticket", {})
    assert browser.enters("ana", SECRET)["name"] == "Ana"


def test_a_form_is_told_nothing_of_empty_lines(house):
    browser = Browser(house)
    assert browser.enters("Eve")["told"].endswith("@password changes it later.")
    browser.enters("Ana", chosen="a long secret")
    assert Browser(house).enters("Ana", "wrong")["told"] == "Wrong password for Ana."


def test_guessing_waits_as_at_telnet_and_is_answered_at_once(house):
    Guest(house.registry).enters("Ana")
    telnet = Guest(house.registry, "192.0.2.1")
    telnet.types("Ana")
    telnet.types("wrong one")
    telnet.types("wrong two")
    browser = Browser(house, "192.0.2.1")
    assert browser.enters("Ana", "wrong three")["asks"] == "password"
    assert browser.enters("Ana", SECRET)["told"] == "Wait 2 seconds, then try again."
    house.goes_on(2)
    assert browser.enters("Ana", SECRET)["name"] == "Ana"


def test_a_browser_that_was_in_waits_for_nobody_else_even_after_a_restart(house):
    known = Browser(house)
    known.enters("Ana", chosen=SECRET)
    for place in (house, house.again()):
        known.house, known.host = place, "192.0.2.1"
        guesser = Browser(place, "192.0.2.1")
        told = [guesser.enters("Ana", f"wrong {number}")["told"] for number in range(9)]
        assert told[-1] == "Wait 2 seconds, then try again."
        known.asks("/leave", {})
        assert known.enters("Ana", SECRET)["name"] == "Ana"


def test_the_sentences_of_a_world_decide_nothing(house):
    accounts, wording = house.registry.login_services.accounts, house.registry.game.world.wording
    same = {key: "The same." for key in wording.sentences if key.startswith("door.")}
    house.registry.game.world.wording = Wording({**wording.sentences, **same})
    accounts.set_one_time_password("Ana", FakeHasher().hash(SECRET))
    browser = Browser(house)
    forms = ("Ana", SECRET), ("Ana", "wrong"), ("Eve", "")
    assert [browser.enters(*form)["asks"] for form in forms] == ["own", "password", "new"]
    assert browser.enters("Ana", SECRET, "a new secret")["name"] == "Ana"


def test_a_cookie_lasts_as_long_as_its_login(house):
    browser = Browser(house)
    browser.enters("Ana", chosen=SECRET)
    _, headers, _ = browser.request("/ticket", {})
    secret = browser.cookie.partition("; ")[0]
    assert headers["set-cookie"] == f"{secret}; Path=/; HttpOnly; SameSite=Strict; Max-Age={LOGIN_SECONDS:.0f}"


def test_a_one_time_password_is_exchanged_for_another(house):
    house.registry.login_services.accounts.set_one_time_password("Ana", FakeHasher().hash(SECRET))
    browser = Browser(house)
    asked = browser.enters("Ana", SECRET)
    assert ("ticket" in asked, asked["asks"]) == (False, "own")
    assert browser.enters("Ana", SECRET, SECRET)["asks"] == "own"
    assert browser.enters("Ana", SECRET, "a new secret")["name"] == "Ana"


def test_who_is_banned_is_refused_at_the_page_too(house):
    Guest(house.registry).enters("Ana")
    browser = Browser(house)
    browser.enters("Ana", SECRET)
    house.registry.login_services.accounts.bans.ban("Ana", None, "shouting")
    assert "shouting" in browser.enters("Ana", SECRET)["told"]
    assert "shouting" in browser.plays().last_told("refused")


# Tickets


def test_a_ticket_opens_one_socket(house, caplog):
    browser = Browser(house)
    ticket = browser.enters("guest")["ticket"]
    assert browser.plays(ticket).is_in
    thief = browser.plays(ticket)
    assert (thief.is_in, thief.closed, thief.last_told("refused")) == (False, 1008, "This ticket is good no more.")
    assert "its ticket is unknown, used or too old" in caplog.text


def test_a_ticket_is_good_for_half_a_minute(house):
    browser = Browser(house)
    ticket = browser.enters("guest")["ticket"]
    house.goes_on(TICKET_SECONDS + 1)
    assert not browser.plays(ticket).is_in


@pytest.mark.parametrize("ticket", ["", "x" * 5000])
def test_an_invented_ticket_opens_nothing(house, ticket):
    window = Window()
    window.opens(Browser(house), ticket)
    assert (window.is_in, window.closed) == (False, 1008)


def test_a_cookie_that_is_none_gives_no_ticket(house):
    browser = Browser(house)
    browser.cookie = "fallwater-4080=../../accounts"
    assert "ticket" not in browser.asks("/ticket", {})
    browser.cookie = '=; ;; fallwater-4080; fallwater-4080="\\'
    assert "ticket" not in browser.asks("/ticket", {})


def test_a_reset_password_ends_every_login(house):
    known, away = Browser(house), Browser(house)
    asked = known.enters("Ana", chosen=SECRET)
    away.enters("Ana", SECRET)
    window = known.plays()
    stale = asked["ticket"], away.asks("/ticket", {})["ticket"]
    issue_one_time_password(
        "Ana", Guest(house.registry).session, house.registry.login_services, house.registry.end_sessions
    )
    window.reads()
    assert (window.last_told("end"), list(house.registry.playing)) == ("over", [])
    assert [browser.plays(ticket).closed for browser, ticket in zip((known, away), stale, strict=True)] == [1008, 1008]
    house.goes_on(61)
    assert ["ticket" in browser.asks("/ticket", {}) for browser in (known, away)] == [False, False]
    assert list((house.folder / "web").iterdir()) == []


def test_ones_own_new_password_keeps_this_login_and_ends_the_others(house):
    here, there = Browser(house), Browser(house)
    here.enters("Ana", chosen=SECRET)
    there.enters("Ana", SECRET)
    window = here.plays()
    window.types("say before")
    for line in ("@password", SECRET, "another secret"):
        window.types(line)
    assert "ticket" not in there.asks("/ticket", {})
    assert here.asks("/ticket", {})["name"] == "Ana"
    window.types("say after")
    house.goes_on(61)
    here.house = house.again()
    here.plays(page=window, resumes=True)
    assert window.types("say again")[-1] == 'You say, "again"'
    again = here.plays()
    spoken = [text for text in again.texts if text.startswith("You say")]
    assert spoken == [f'You say, "{word}"' for word in ("before", "after", "again")]
    assert [path.read_bytes()[:9] for path in (house.folder / "web").iterdir()] == [b'{"owner":']


def test_leaving_ends_the_login_its_socket_and_what_was_kept(house):
    browser, window = guest_in(house)
    browser.asks("/leave", {})
    window.reads()
    assert (window.texts[-1], window.last_told("end")) == ("Sleep well.", "over")
    assert "ticket" not in browser.asks("/ticket", {})
    assert (house.registry.names_connected(), list((house.folder / "web").iterdir())) == ([], [])


def test_a_login_outlives_kill_9_and_a_guest_s_is_forgotten_in_time(house):
    browser, window = guest_in(house)
    browser.house = house.again()
    browser.plays(page=window, resumes=True)
    assert window.is_in
    window.types("quit")
    door = browser.house.door
    door._logins._now = lambda: 10 * GUEST_SECONDS + 1e10
    browser.house.goes_on(61)
    assert "ticket" not in browser.asks("/ticket", {})


def test_nobody_else_can_read_what_is_kept(house):
    Browser(house).enters("guest")
    [path] = (house.folder / "web").iterdir()
    assert (path.stat().st_mode & 0o777, path.parent.stat().st_mode & 0o777) == (0o600, 0o700)


# Sockets


@pytest.mark.parametrize(
    ("origin", "site", "status"),
    [("https://evil.example", SITE, 403), ("null", SITE, 403), (ORIGIN, "evil.example:4080", 403), ("", SITE, 400)],
    ids=["from elsewhere", "from nowhere", "under another name", "of no page"],
)
def test_a_socket_that_is_not_of_our_page_is_refused_and_noted(house, origin, site, status, caplog):
    assert open_socket(Browser(house), origin=origin, site=site).answer.status_code == status
    assert ("is none of this world's" in caplog.text) == (status == 403)


def test_a_socket_that_gives_no_ticket_is_closed(house, caplog):
    caller = open_socket(Browser(house))
    house.goes_on(TICKET_WAIT_SECONDS - 1)
    assert not caller.transport.disconnecting
    house.goes_on(2)
    assert caller.transport.disconnecting
    assert "it gave no ticket" in caplog.text


@pytest.mark.parametrize(
    "message",
    ['{"line": "look", "number": 1}', "{}", "[]", "7", "nothing", '{"ticket": 7}', '{"reader": true}', "[" * 3000],
)
def test_before_its_ticket_a_socket_can_say_nothing_else(house, message, caplog):
    window = Window()
    browser = Browser(house)
    window.house, window.caller = house, open_socket(browser)
    window.wire, window._part = window.caller.wire, ""
    window.caller.dataReceived(window.wire.send(TextMessage(message)))
    window.reads()
    assert window.closed == 1008
    assert "invalid message" in caplog.text


@pytest.mark.parametrize(
    "message",
    [
        '{"line": 7, "number": 1}',
        '{"line": "look"}',
        '{"line": "look", "number": -1}',
        '{"line": "look", "number": 1e99}',
        '{"line": "look", "number": 99999999999999999999}',
        '{"ticket": "again"}',
        '{"what": "ever"}',
        '{"ping": NaN}',
        '"\\ud800"',
        b"look",
    ],
)
def test_an_unknown_message_ends_the_socket_and_nothing_else(house, message):
    browser, window = guest_in(house)
    event = BytesMessage(message) if isinstance(message, bytes) else TextMessage(message)
    window.caller.dataReceived(window.wire.send(event))
    window.reads()
    assert window.closed == 1008
    browser.plays(page=window, resumes=True)
    assert window.types("say still here")[-1] == 'You say, "still here"'


@pytest.mark.parametrize(("breaks_a_rule", "code"), [(False, 1000), (True, 1002)])
def test_a_client_that_closes_is_answered_and_one_that_breaks_a_rule_is_logged(house, breaks_a_rule, code, caplog):
    _, window = guest_in(house)
    window.caller.dataReceived(b"\x81\x01x" if breaks_a_rule else window.wire.send(CloseConnection(1000)))
    window.reads()
    assert window.closed == code
    assert ("was disconnected" in caplog.text) == breaks_a_rule
    assert house.registry.game.world.characters["Guest1"].transient.is_linkdead


def test_who_does_not_read_is_dropped_and_reads_everything_later(house, caplog):
    browser, window = guest_in(house)
    window.caller.transport.producer.pauseProducing()
    for number in range(400):
        house.registry.game.tell("Guest1", f"{number} {random.Random(number).randbytes(600).hex()}")
        house.goes_on()
    assert "does not read; dropped with" in caplog.text
    window.is_cut(0)
    browser.plays(page=window, resumes=True)
    assert [text.split()[0] for text in window.texts[2:]] == [str(number) for number in range(400)]


def test_who_pours_lines_waits_for_others(house):
    _, window = guest_in(house)
    messages = (json.dumps({"line": "say hello", "number": number}) for number in range(1, 1000))
    window.caller.dataReceived(b"".join(window.wire.send(TextMessage(one)) for one in messages))
    assert window.caller.transport.producerState == "paused"


# Proxies


def test_behind_a_trusted_proxy_everybody_has_an_address_of_their_own(house):
    house.settings = ServerSettings(trusted_proxies="127.0.0.1", connections_per_address=1)
    first, second = Browser(house), Browser(house)
    first.forwarded, second.forwarded = "198.51.100.7, 192.0.2.9", "192.0.2.10"
    first.plays(first.enters("guest")["ticket"])
    second.plays(second.enters("guest")["ticket"])
    assert [house.registry.host_of(name) for name in ("Guest1", "Guest2")] == ["192.0.2.9", "192.0.2.10"]


def test_behind_a_proxy_one_address_has_only_so_many_sockets(house):
    house.settings = ServerSettings(trusted_proxies="127.0.0.0/8", connections_per_address=1)
    house.registry.login_services = replace(house.registry.login_services, settings=house.settings)
    browser = Browser(house)
    browser.forwarded = "192.0.2.9"
    sockets = [open_socket(browser) for _ in range(6)]
    assert [getattr(one.answer, "status_code", 101) for one in sockets] == [101] * 5 + [429]
    for one in sockets:
        one.connectionLost(Failure(ConnectionLost()))
    assert house.registry.limiter.count == 0


@pytest.mark.parametrize(
    ("peer", "forwarded", "trusted", "host"),
    [
        ("203.0.113.5", ["198.51.100.1"], "", "203.0.113.5"),
        ("203.0.113.5", ["198.51.100.1"], "192.0.2.1", "203.0.113.5"),
        ("10.0.0.1", ["198.51.100.1"], "10.0.0.1", "198.51.100.1"),
        ("10.0.0.1", ["6.6.6.6, 198.51.100.1"], "10.0.0.1", "198.51.100.1"),  # the caller has made the first one up
        ("10.0.0.1", ["6.6.6.6", "198.51.100.1, 10.0.0.2"], "10.0.0.0/24", "198.51.100.1"),
        ("10.0.0.1", ["2001:db8::1"], "10.0.0.1", "2001:db8::1"),
        ("10.0.0.1", ["unknown"], "10.0.0.1", "10.0.0.1"),
        ("10.0.0.1", [], "10.0.0.1", "10.0.0.1"),
        ("10.0.0.1", ["10.0.0.1, 10.0.0.1"], "10.0.0.1", "10.0.0.1"),
        ("10.0.0.1", ["198.51.100.1"], "nonsense, 10.0.0.1", "198.51.100.1"),
    ],
)
def test_the_address_of_a_caller_is_the_last_that_no_trusted_proxy_has(peer, forwarded, trusted, host):
    assert caller(peer, forwarded, trusted) == host
