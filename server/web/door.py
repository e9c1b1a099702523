"""The door for browsers: requests become logins, logins get tickets, tickets open sockets."""

from __future__ import annotations

import logging
import secrets
from collections.abc import Callable, Mapping, Sequence
from http.cookies import CookieError, SimpleCookie
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from twisted.internet.defer import Deferred
from twisted.web.server import NOT_DONE_YET, Request

from config.settings import ServerSettings
from server.accounts.accounts import AccountState, NameRefused
from server.accounts.passwords import Origin
from server.connection.connection import MARKED
from server.connection.input import ConnectionServices
from server.listeners import limits_of
from server.session.registry import Connected, SessionRegistry
from server.session.session import Session
from server.telnet.negotiation import Option
from server.telnet.options import ClientInfo
from server.telnet.protocol import TelnetProtocol
from server.web.logins import LOGIN_SECONDS, FormLogin, Logins, Outcome, caller, known_origins, password_fingerprint
from server.web.play import PAGE_CAPABILITIES, PageConnection, PageSocket, Watcher
from server.web.programs import PROGRAMS, serve_program
from server.web.rendering import runs_of
from server.web.site import Deadlines, Pages, Response, WebFactory
from server.web.socket import POLICY, WebSocket, switch_protocol
from server.web.wire import HandshakeRefused, LastFrame, open_wire
from world.entities import Character

log = logging.getLogger(__name__)

PAGE = "page.fallwater"
"""The subprotocol of the page itself."""
TICKET_WAIT_SECONDS = 10.0
LOGIN, DEVICE = "fallwater", "fallwater-device"
"""The cookies of a login, and of a browser from which somebody has logged in; their names end in the port."""
DEVICE_SECONDS = 365 * 86400.0
MAX_FIELD_CHARACTERS = 200

Observe = Callable[[WebSocket, Callable[[], Character | None]], Watcher | None]
"""Returns the watcher at a socket, given a function that returns the character of its visitor."""


class WebDoor:
    """Lets people in by the page, under the rules by which telnet does. `observe` lets a visitor look at the world.

    `folder` is where logins are kept, `port` returns the port that is listened on, `telnet_options` what a client that
    speaks telnet through a socket is offered.
    """

    def __init__(
        self,
        registry: SessionRegistry,
        services: ConnectionServices,
        settings: Callable[[], ServerSettings],
        folder: Path,
        port: Callable[[], int],
        world_name: Callable[[], str],
        telnet_options: Callable[[], Sequence[Option[ClientInfo]]],
    ) -> None:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        self._registry = registry
        self._traffic = registry.traffic["web"]
        self._services = services.for_door(self._traffic)
        self._settings = settings
        self._port = port
        self._world_name = world_name
        self._telnet_options = telnet_options
        self.observe: Observe = lambda socket, who: None
        self._playing: dict[str, PageConnection] = {}
        self._packed = LastFrame()
        self._logins = Logins(folder, self._proof_of, self._playing.__contains__, services.clock)
        registry.keep_login = self._keep_login
        gets = {b"/world": self._tell_world}
        posts = {b"/enter": self._enter, b"/ticket": self._give_ticket, b"/leave": self._leave}
        pages = Pages(self._why_not, gets, posts, services.palette, self._upgrade)
        self._deadlines = Deadlines(services.clock, lambda: float(settings().login_seconds))
        self.factory = WebFactory(pages, services.clock, self._deadlines)

    # Requests

    def _why_not(self, request: Request) -> str:
        local = str(getattr(request.getHost(), "host", ""))
        origins = known_origins(self._settings(), self._port(), local)
        host, origin = request.getHeader(b"host"), request.getHeader(b"origin")
        if host is None or host.decode("latin-1").lower() not in {urlsplit(one).netloc for one in origins}:
            return self._refused(request, f"the host {host!r} is none of this world's: see web_origins")
        if origin is not None and origin.decode("latin-1").lower() not in origins:
            return self._refused(request, f"the origin {origin!r} is none of this world's: see web_origins")
        return ""

    def _refused(self, request: Request, why: str) -> str:
        host = self._host_of(request)
        self._traffic.refused["wrong_address"] += 1
        log.warning("%s was refused: %s", host, why[:300], extra={"host": host})
        return "That address is not one of this world's. See web_origins in config/server.md."

    def _host_of(self, request: Request) -> str:
        peer = self._peer_of(request)
        forwarded = request.requestHeaders.getRawHeaders(b"x-forwarded-for", [])
        return caller(peer, [one.decode("latin-1") for one in forwarded], self._settings().trusted_proxies)

    @staticmethod
    def _peer_of(request: Request) -> str:
        return str(getattr(request.getClientAddress(), "host", "local"))

    def _tell_world(self, request: Request, given: Mapping[str, Any]) -> Response:
        settings, registry = self._settings(), self._registry
        told = {
            "name": self._world_name(),
            "welcome": runs_of(registry.texts.welcome, PAGE_CAPABILITIES),
            "guests": settings.guests,
            "new_accounts": settings.new_accounts,
            "people": len(registry.playing),
            "known": bool(self._login_of(request)),
        }
        return Response(200, told)

    def _enter(self, request: Request, given: Mapping[str, Any]) -> Response | Deferred[Response]:
        host = self._host_of(request)
        if why := self._registry.rejection_for(host, "web"):
            return Response(200, {"told": why, "asks": "name"})
        name, password, chosen = (_field(given, key) for key in ("name", "password", "chosen"))
        origin = Origin(host, next(iter(self._cookies(request, DEVICE)), "") or secrets.token_urlsafe(24))
        form = FormLogin(name, password, chosen, origin, self._registry.login_services)
        return form.run().addCallback(lambda outcome: self._entered(request, outcome, origin.device))

    def _entered(self, request: Request, outcome: Outcome, device: str) -> Response:
        if outcome.claim is None:
            return Response(200, {"told": outcome.told, "asks": outcome.asks})
        before = self._login_of(request)
        if before and before not in self._playing:
            self._logins.end(before)
        secret = self._logins.begin(outcome.claim.name)
        ticket = self._logins.issue_ticket(self._logins.find(secret))
        cookies = [self._cookie(request, LOGIN, secret, LOGIN_SECONDS)]
        if outcome.claim.name:
            cookies.append(self._cookie(request, DEVICE, device, DEVICE_SECONDS))
        return Response(200, {"ticket": ticket, "name": outcome.claim.name}, cookies)

    def _give_ticket(self, request: Request, asked: Mapping[str, Any]) -> Response:
        secret = self._secret_of(request)
        if not secret:
            return Response(200, {"told": ""})
        login = self._logins.find(secret)
        given = {"ticket": self._logins.issue_ticket(login), "name": self._logins.backlog(login).owner.name}
        return Response(200, given, [self._cookie(request, LOGIN, secret, LOGIN_SECONDS)])

    def _leave(self, request: Request, given: Mapping[str, Any]) -> Response:
        login = self._login_of(request)
        if login:
            if there := self._playing.get(login):
                there.session.end(self._registry.texts.farewell, MARKED)
            self._logins.end(login)
        return Response(200, {}, [self._cookie(request, LOGIN, "", 0)])

    def _cookie(self, request: Request, kind: str, secret: str, seconds: float) -> str:
        is_encrypted = self._settings().web_tls or (request.getHeader(b"origin") or b"").startswith(b"https://")
        name = self._cookie_names(kind)[0 if is_encrypted else 1]
        secure = "; Secure" if is_encrypted else ""
        return f"{name}={secret}; Path=/; HttpOnly; SameSite=Strict; Max-Age={seconds:.0f}{secure}"

    def _cookie_names(self, kind: str) -> tuple[str, str]:
        """Return the name of a cookie over TLS, from any request, and the name in plain text.

        A cookie is sent to every port of a machine, and each world there has one of its own.
        """
        name = f"{kind}-{self._port()}"
        return f"__Host-{name}", name

    def _cookies(self, request: Request, kind: str) -> list[str]:
        """Return the values of a cookie that a browser has sent, the one for TLS first."""
        try:
            cookies = SimpleCookie((request.getHeader(b"cookie") or b"").decode("latin-1"))
        except CookieError:
            return []
        return [cookies[name].value for name in self._cookie_names(kind) if name in cookies]

    def _secret_of(self, request: Request) -> str:
        return next(filter(self._logins.find, self._cookies(request, LOGIN)), "")

    def _login_of(self, request: Request) -> str:
        secret = self._secret_of(request)
        return self._logins.find(secret) if secret else ""

    # Sockets

    def _upgrade(self, request: Request) -> int:
        host = self._host_of(request)
        headers = [(key, value) for key, values in request.requestHeaders.getAllRawHeaders() for value in values]
        try:
            opened = open_wire(headers, request.path, self._subprotocols(request), self._packed)
        except HandshakeRefused as error:
            self._traffic.refused["bad_handshake"] += 1
            log.warning("%s was refused: the request %s", host, error, extra={"host": host})
            return _refuse(request, 400)
        crowd, is_behind_proxy = self._registry.limiter, host != self._peer_of(request)
        if is_behind_proxy and not crowd.admit_behind_proxy(host, "web"):
            return _refuse(request, 429)
        self._deadlines.end(request.channel.transport)
        limits = limits_of(self._settings())
        socket = WebSocket(
            opened,
            host,
            self._services,
            limits,
            limits.max_output_bytes,
            (lambda: crowd.leave_behind_proxy(host, "web")) if is_behind_proxy else (lambda: None),
        )
        if opened.subprotocol == PAGE:
            page = PageSocket(socket, self._come_in, lambda found: self.observe(socket, lambda: self._played_at(found)))
            socket.begin(page)
            self._services.clock.callLater(TICKET_WAIT_SECONDS, self._expect_ticket, socket, page)
            switch_protocol(request, socket, opened.answer)
        else:
            switch_protocol(request, socket, opened.answer)
            serve_program(
                opened.subprotocol,
                socket,
                self._services,
                limits.max_line_bytes,
                Session(self._registry, "web"),
                lambda listener: TelnetProtocol(listener, self._services, limits, self._telnet_options()),
            )
        return NOT_DONE_YET

    def _subprotocols(self, request: Request) -> tuple[str, ...]:
        """Return what may be spoken: without an origin it is no browser that asks, and the page is only for those."""
        return PROGRAMS if request.getHeader(b"origin") is None else (PAGE, *PROGRAMS)

    def _come_in(self, ticket: str, host: str, resumes: bool) -> PageConnection | str:
        """Return the connection that a ticket is for, begun if there is none; or why there is none."""
        login = self._logins.redeem_ticket(ticket)
        if not login:
            self._traffic.refused["bad_ticket"] += 1
            log.warning("%s was refused: its ticket is unknown, used or too old", host, extra={"host": host})
            return "This ticket is good no more."
        if there := self._playing.get(login):
            return there
        backlog = self._logins.backlog(login)
        try:
            claim = self._registry.login_services.accounts.identify(backlog.owner.name or "guest", host)
        except NameRefused as error:
            return str(error)
        if claim.state not in (AccountState.KNOWN, AccountState.GUEST):
            return self._registry.game.world.wording("door.went_wrong")
        connection = PageConnection(
            backlog,
            host,
            self._services,
            self._settings().max_line_bytes,
            lambda: float(self._settings().return_seconds),
            lambda: self._registry.stays_awake,
            lambda: self._forget(login),
        )
        if resumes and claim.name in self._registry.playing:
            connection.is_over()  # somebody plays on elsewhere, and nobody has asked for that to end
            return connection
        self._playing[login] = connection
        connection.begin(Session(self._registry, "web", claim))
        return connection

    def _played_at(self, connection: PageConnection) -> Character | None:
        """Return whom the visitor of a connection plays now, or None."""
        return connection.session.character if connection in self._playing.values() else None

    def _expect_ticket(self, socket: WebSocket, page: PageSocket) -> None:
        if socket.is_open and not page.is_in:
            self._traffic.refused["bad_ticket"] += 1
            log.warning("%s was disconnected: it gave no ticket", socket.host, extra={"host": socket.host})
            socket.end(POLICY, "No ticket was given.")

    def _forget(self, login: str) -> None:
        self._playing.pop(login, None)
        self._logins.evict(login)

    def _keep_login(self, session: Connected) -> None:
        """Let the login of a session go on with the password that its account has now."""
        for login, connection in self._playing.items():
            if connection.session is session:
                self._logins.renew(login)

    def _proof_of(self, name: str) -> str | None:
        account = self._registry.login_services.accounts.account(name)
        return password_fingerprint(account.password) if account and account.password else None


def _refuse(request: Request, status: int) -> int:
    request.setResponseCode(status)
    request.finish()
    return NOT_DONE_YET


def _field(given: Mapping[str, Any], key: str) -> str:
    value = given.get(key, "")
    return value[:MAX_FIELD_CHARACTERS] if isinstance(value, str) else ""
