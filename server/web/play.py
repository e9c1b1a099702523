"""The `Connection` of a visitor by the page: it outlives its sockets, and numbers its lines."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, Protocol

from server.clock import DelayedCall, cancel
from server.connection.base import TOO_LONG, Connection
from server.connection.connection import Capabilities, ColorDepth, Message
from server.connection.input import ConnectionServices, TakeResult
from server.connection.text_screen import preferred
from server.session.session import Session
from server.web.backlog import Backlog
from server.web.rendering import page_line
from server.web.socket import POLICY, WebSocket
from world.sanitize import clean_line

log = logging.getLogger(__name__)

PAGE_CAPABILITIES = Capabilities(colors=ColorDepth.TRUE, links=True, returns=True)
"""The capabilities of a page while its visitor does not listen to it."""
SUPPORTED = ["Char 1", "Char.Items 1", "Room 1", "Fallwater 1"]
"""The packages that a page shows beside the log."""
MAX_LINES_AT_ONCE = 200
"""Maximum number of lines in one message to the page."""
NOT_ASKED = "That was typed as a password, and none is asked for any more. Nothing was done with it."
UNFINISHED = "The world stopped just then. What you typed last may have been done or not: look before you do it again."


class PageConnection(Connection):
    """One visitor of the page. Sockets come and go; output waits in the backlog while there is none.

    The session hears that the visitor is absent, and, if no socket comes for `absent_seconds()`, that the connection
    is lost. `is_restarting` returns whether the world is about to open again.
    """

    def __init__(
        self,
        backlog: Backlog,
        host: str,
        services: ConnectionServices,
        max_line_bytes: int,
        absent_seconds: Callable[[], float],
        is_restarting: Callable[[], bool],
        ended: Callable[[], None],
    ) -> None:
        super().__init__(host, services, PAGE_CAPABILITIES)
        self.backlog = backlog
        self._max_line_bytes = max_line_bytes
        self._absent_seconds = absent_seconds
        self._is_restarting = is_restarting
        self._ended = ended
        self.session: Session
        self._is_held = False
        self._is_hidden = False
        self._is_answer = False
        self._prompt: tuple[str, bool] | None = None
        self._preferences: Callable[[], Mapping[str, str]] = dict
        self._socket: WebSocket | None = None
        self._page = ""
        self._out: list[bytes] = []
        self._lines: list[bytes] = []
        self._took: int | None = None
        self._leaving: DelayedCall | None = None
        if backlog.unfinished:
            self.show(UNFINISHED, "notice")

    def begin(self, session: Session) -> None:
        """Tell a session that there is a visitor."""
        self.session = session
        session.connection_made(self)

    # What a socket does

    @property
    def fairness_key(self) -> str:
        """The visitor's place, by which lines wait for each other."""
        return self.session.fairness_key

    def is_over(self) -> None:
        """Show the rest of the backlog, and end."""
        self._is_open = False

    def attach(self, socket: WebSocket, page: str, stream: str, last: int, reader: bool) -> None:
        """Go on at a socket: show it what it has not seen behind its line `last` of `stream`.

        `page` names the window, `reader` says that its visitor listens. An earlier socket gets a message that the
        visitor has gone to another window.
        """
        cancel(self._leaving)
        self._flush()  # so that nothing is sent twice
        before, self._socket = self._socket, socket
        if before:
            before.send_text(b'[{"end":"elsewhere"}]')
            before.end()
        self._host, self._page = socket.host, page
        backlog = self.backlog
        is_known = stream == backlog.stream
        if is_known and last > backlog.last:
            backlog.reset()
            is_known = False
        hello = {"stream": backlog.stream, "took": backlog.typed.get(page, 0), "goes_on": is_known}
        missing = backlog.since(last if is_known else 0)
        socket.send_text(b"[%b]" % json.dumps({"hello": hello}).encode())
        for at in range(0, len(missing), MAX_LINES_AT_ONCE):
            socket.send_text(b"[%b]" % b",".join(missing[at : at + MAX_LINES_AT_ONCE]))
        self._socket_is_new(reader)

    def _socket_is_new(self, reader: bool) -> None:
        socket = self._socket
        if socket is None:
            return
        if not self._is_open:
            self._say_end(socket)
            return
        if self._is_held:
            socket.hold(True)
        self.session.link_restored()
        self._prompt = None
        self.prompt()
        self.read_aloud(reader)
        self.session.data_received("Core.Supports.Set", [])
        self.session.data_received("Core.Supports.Set", SUPPORTED)

    def detach(self, socket: WebSocket, reason: str) -> None:
        """Know that a socket is lost."""
        if socket is not self._socket:
            return
        self._socket = None
        if not self._is_open:
            self._ended()
            return
        self._flush()
        self.session.link_lost()
        self._leaving = self._services.clock.callLater(self._absent_seconds(), self._lose, reason)

    def line_typed(self, text: str, number: int, is_secret: bool = False) -> TakeResult:
        """Take a line that the window typed as its `number`; one that was taken before is not done again.

        What was typed as a password `is_secret`, and does nothing if none is asked for any more.
        """
        if not self.backlog.note_typed(self._page, number):
            return TakeResult.FACT
        self._took = number
        if len(text.encode("utf-8", "replace")) > self._max_line_bytes:
            self.show(TOO_LONG.format(self._max_line_bytes))
            return TakeResult.SIGNAL
        if is_secret and not self._is_hidden:
            self.show(NOT_ASKED)
            return TakeResult.SIGNAL
        line = clean_line(text)
        self._is_answer = True
        if not self._is_hidden and line.strip():
            shown = {"kind": "typed", "text": self.session.redact(line), "page": self._page, "typed": number}
            self._add(json.dumps(shown, ensure_ascii=False)[1:-1].encode("utf-8", "replace"))
        self.backlog.write()  # before it is done: a line is done once or not at all
        self.tell(self.session.line_received, line)
        self.prompt()
        return TakeResult.LINE

    def read_aloud(self, reader: bool) -> None:
        """Know whether the visitor listens instead of looking."""
        if reader != self._client.screen_reader:
            self._client = replace(PAGE_CAPABILITIES, screen_reader=reader)
            self.tell(self.session.capabilities_changed)

    # The connection

    def prefer(self, preferences: Callable[[], Mapping[str, str]]) -> None:
        self._preferences = preferences

    def show(self, text: str, kind: str = "") -> None:
        if self._is_open:  # what is asked stands below the log, and changes with `prompt` alone
            self._services.traffic.sent_lines += text.count("\n") + 1
            self._add(page_line(text, kind, preferred(self._client, self._preferences())))

    def send_data(self, message: Message) -> None:
        if self._is_open and self._socket:
            package, _, payload = message.encoded.partition(b" ")
            self._out.append(b'{"data":"%b","payload":%b}' % (package, payload or b"null"))
            self._flush_soon()

    def hide_typing(self, hidden: bool) -> None:
        self._is_hidden = hidden
        self.prompt()

    def hold(self, held: bool) -> None:
        self._is_held = held
        if self._socket:
            self._socket.hold(held)

    def close(self) -> None:
        if not self._is_open:
            return
        self._flush()
        self._is_open = False
        cancel(self._leaving)
        if self._socket:
            self._say_end(self._socket)
        else:
            self._ended()
        self._services.clock.callLater(0, self.tell, self.session.connection_lost, "closed from here")

    def _say_end(self, socket: WebSocket) -> None:
        socket.send_text(b'[{"end":"%b"}]' % (b"restart" if self._is_restarting() else b"over"))
        socket.end()

    def _lose(self, reason: str) -> None:
        self._is_open = False
        self._ended()
        self.tell(self.session.connection_lost, reason)

    def _add(self, line: bytes) -> None:
        self._lines.append(self.backlog.add(line)[1])
        self._flush_soon()

    def _end_turn(self) -> None:
        self._is_due = False
        if self._is_prompt_due and self._is_open:
            self._is_prompt_due = False
            self._note_prompt()
        self._flush()

    def _note_prompt(self) -> None:
        """Tell the page what is asked, if that is different; while playing, nothing is."""
        asked = self.session.prompt(self._is_answer).rstrip()
        self._is_answer = False
        told = "" if asked == ">" else asked, self._is_hidden
        if told != self._prompt:
            self._prompt = told
            self._out.append(json.dumps({"prompt": told[0], "hidden": told[1]}).encode())

    def _flush(self) -> None:
        """Put on disk what was shown, and only then send it."""
        self.backlog.finish()
        if self._socket is None:
            self.backlog.rest()
        out = [*self._lines, *self._out]
        if self._took is not None:
            out.append(b'{"took":%d}' % self._took)
        self._lines, self._out, self._took = [], [], None
        if out and self._socket:
            self._socket.send_text(b"[%b]" % b",".join(out))


class Watcher(Protocol):
    """Somebody who looks at the world through a socket, beside playing."""

    def message_received(self, message: Mapping[str, Any]) -> None:
        """Take a request of the page for a view."""

    def leave(self) -> None:
        """Look at nothing any more."""


class PageSocket:
    """The page's side of one socket: first its ticket, then lines and looks. Unknown messages end it.

    `come_in` takes a ticket, its host, and whether the page goes on by itself, without its visitor's doing; it returns
    the connection, or the reason why there is none. `watch` returns the watcher of a connection, if it may watch the
    world.
    """

    def __init__(
        self,
        socket: WebSocket,
        come_in: Callable[[str, str, bool], PageConnection | str],
        watch: Callable[[PageConnection], Watcher | None],
    ) -> None:
        self._socket = socket
        self._come_in = come_in
        self._watch = watch
        self._watcher: Watcher | None = None
        self._connection: PageConnection | None = None

    @property
    def fairness_key(self) -> str:
        """The visitor's place, empty until there is one."""
        return self._connection.fairness_key if self._connection else ""

    @property
    def is_in(self) -> bool:
        """True once a ticket was taken."""
        return self._connection is not None

    def message_received(self, content: str | bytes) -> TakeResult:
        """Take a message."""
        try:
            message = json.loads(content) if isinstance(content, str) else None
        except (ValueError, RecursionError):
            message = None
        match message:
            case {"ticket": str(ticket), **rest} if self._connection is None:
                return self._enter(ticket, rest)
            case {"line": str(text), "number": int(number), **more} if self._connection and 0 < number < 2**53:
                return self._connection.line_typed(text, number, more.get("secret") is True)
            case {"view": str(name), **asked} if self._watcher:
                self._watcher.message_received({"view": name} | {str(key): one for key, one in asked.items()})
                return TakeResult.SIGNAL
            case {"reader": bool(reader)} if self._connection:
                self._connection.read_aloud(reader)
                return TakeResult.SIGNAL
            case {"ping": int(number)} if self._connection and abs(number) < 2**53:
                self._socket.send_text(b'[{"pong":%d}]' % number)
                return TakeResult.SIGNAL
        log.warning("%s was disconnected: invalid message", self._socket.host)
        self._socket.end(POLICY, "Invalid message.")
        return TakeResult.SIGNAL

    def socket_lost(self, reason: str) -> None:
        """Tell the connection, if there is one."""
        if self._watcher:
            self._watcher.leave()
        if self._connection:
            self._connection.detach(self._socket, reason)

    def _enter(self, ticket: str, message: Mapping[object, object]) -> TakeResult:
        found = self._come_in(ticket, self._socket.host, message.get("resumes") is True)
        if isinstance(found, str):
            self._socket.send_text(json.dumps([{"refused": found}]).encode())
            self._socket.end(POLICY, found[:100])
            return TakeResult.SIGNAL
        self._connection, self._watcher = found, self._watch(found)
        last, stream, page = message.get("last"), message.get("stream"), message.get("page")
        found.attach(
            self._socket,
            page[:40] if isinstance(page, str) else "",
            stream if isinstance(stream, str) else "",
            last if isinstance(last, int) and not isinstance(last, bool) and last >= 0 else 0,
            message.get("reader") is True,
        )
        return TakeResult.FACT
