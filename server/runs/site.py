"""The folders of simulations in a browser, on this machine alone: days, hours, and where two runs part."""

from __future__ import annotations

from collections.abc import Sequence
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Lock

from server.chronicle.html import html_page, plain_page
from server.chronicle.reading import Reading, Whole, clock_of
from server.chronicle.rooms import RoomMap, room_map
from server.runs.runs import Run, difference_lines, first_difference
from vault.chronicle.period import period_of
from vault.entities.store import load_world
from vault.errors import NoteError
from world.errors import WorldError

HOST = "127.0.0.1"


class RunsSite:
    """The pages by their addresses: `/` for all runs, `/1/2026-11-22` for a day of the first, `/difference`."""

    def __init__(self, runs: Sequence[Run]) -> None:
        self._runs = runs
        self._lock = Lock()
        self._pages: dict[str, str] = {}

    def page(self, address: str) -> str | None:
        """Return a page, or None if there is none. Raises: NoteError if a file cannot be read."""
        with self._lock:  # a page asks much of the disk, and is asked for again
            if address not in self._pages and (made := self._made(address)) is not None:
                self._pages[address] = made
            return self._pages.get(address)

    def answer(self, address: str, host: str, port: int) -> tuple[int, str]:
        """Return the status and the page for a request that came to a port under the name of a host.

        Only the names of this machine are answered, so that no page from elsewhere can read along.
        """
        if address == "/favicon.ico":
            return 204, ""
        try:
            page = self.page(address) if host in (f"{HOST}:{port}", f"localhost:{port}") else None
        except NoteError as error:
            return 500, plain_page(str(error), [], [])
        return (404, plain_page("There is no such page.", [("/", "All runs")], [])) if page is None else (200, page)

    def _made(self, address: str) -> str | None:
        match address.strip("/").split("/"):
            case [""]:
                return self._all()
            case ["difference"] if len(self._runs) == 2:
                one, other = self._runs
                lines = difference_lines(first_difference(one.vault, other.vault), (one.name, other.name))
                return plain_page("The first prompt that differs", [], lines)
            case [number, period] if number in [str(place) for place, _ in enumerate(self._runs, 1)]:
                return self._period(self._runs[int(number) - 1], period)
        return None

    def _all(self) -> str:
        links = [
            (f"/{number}/{day}", f"{run.name}, {day}: {count} events")
            for number, run in enumerate(self._runs, 1)
            for day, count in run.days().items()
        ]
        lines = [
            f"{run.name}: {key} {value}" for run in self._runs for key, value in run.report.items() if key in _TOLD
        ]
        if len(self._runs) == 2:
            links.insert(0, ("/difference", "The first prompt that differs"))
        return plain_page(", ".join(run.name for run in self._runs), links, lines)

    def _period(self, run: Run, name: str) -> str | None:
        period = period_of(name)
        if period is None:
            return None
        reading = run.reader.read(period, Whole())
        hours = dict.fromkeys(clock_of(one.event.at_ms, "%Y-%m-%dT%H") for one in reading.events)
        shown = [period.name[:10], *(hour for hour in hours if hour != period.name)]
        number = self._runs.index(run) + 1
        links = [("/", "All runs"), *((f"/{number}/{name}", name) for name in shown)]
        return html_page(reading, run.name, _map_of(run, reading), run.say, links)


_TOLD = ("turns", "acted", "refused", "failed", "requests", "prompt_tokens", "completion_tokens", "compactions")


def _map_of(run: Run, reading: Reading) -> RoomMap:
    rooms = {one.event.room for one in reading.events if one.event.room} | set(reading.before.values())
    try:
        return room_map(load_world(run.vault, run.settings), rooms)
    except (NoteError, WorldError):
        return room_map(None, rooms)


def runs_server(site: RunsSite, port: int) -> ThreadingHTTPServer:
    """Return a server of a site on this machine, which answers once it is told to. Raises: OSError."""

    class Answers(BaseHTTPRequestHandler):
        """Answers GET and nothing else."""

        server_version, sys_version = "fallwater", ""

        def do_GET(self) -> None:
            code, page = site.answer(self.path, self.headers.get("Host", ""), made.server_port)
            body = page.encode()
            self.send_response(code)
            for name, value in (*_HEADERS, ("Content-Length", str(len(body)))):
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *arguments: object) -> None:
            """Say nothing: this is for one person at one machine."""

    made = ThreadingHTTPServer((HOST, port), Answers)
    return made


_HEADERS = (
    ("Content-Type", "text/html; charset=utf-8"),
    ("X-Content-Type-Options", "nosniff"),
    ("Referrer-Policy", "no-referrer"),
    ("X-Frame-Options", "DENY"),
    ("Cache-Control", "no-store"),
)
