"""The log: one event a line, as text or JSON, with control characters escaped."""

from __future__ import annotations

import logging
import sys
import unicodedata
import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from logging.handlers import RotatingFileHandler
from pathlib import Path
from typing import Any, TextIO

from pythonjsonlogger.json import JsonFormatter
from twisted.python.log import PythonLoggingObserver

from vault.errors import NoteError

READABLE = "%(asctime)s %(levelname)s %(message)s"
TRACEBACK_PREFIX = "  | "
"""The beginning of each line of a traceback; no other line of the log begins so."""

_OF_EVERY_LINE = {"asctime": "time", "levelname": "level", "name": "logger", "exc_info": "traceback"}
QUIETED = ("twisted", "httpx", "httpcore", "watchdog")
MEMORY_PREFIX = "[Memory] %s: "
_OF_LINES = ("traceback", "stack_info")
_UNSEEN = ("Cc", "Cf", "Cs", "Zl", "Zp")


def escape_control_characters(text: str) -> str:
    r"""Return a text in one line that shows on any terminal as it is: what cannot be seen is written as `\n`, `\x1b`.

    Controls, line ends, lone halves of characters and whatever turns the direction of reading are.
    """
    if text.isascii() and text.isprintable():
        return text
    return "".join(ascii(char)[1:-1] if unicodedata.category(char) in _UNSEEN else char for char in text)


class ReadableFormatter(logging.Formatter):
    """A line with time, level and message; a traceback stands below it, marked as such."""

    def __init__(self) -> None:
        super().__init__(READABLE)

    def format(self, record: logging.LogRecord) -> str:
        record.exc_text = None  # what another has made of the traceback
        return super().format(record)

    def formatMessage(self, record: logging.LogRecord) -> str:
        record.message = escape_control_characters(record.message)
        return super().formatMessage(record)

    def formatException(self, ei: Any) -> str:
        return "\n".join(
            TRACEBACK_PREFIX + escape_control_characters(line) for line in super().formatException(ei).split("\n")
        )

    def formatStack(self, stack_info: str) -> str:
        return "\n".join(TRACEBACK_PREFIX + escape_control_characters(line) for line in stack_info.split("\n"))


class JsonLines(JsonFormatter):
    """A JSON object a line: time with its zone, level, logger, message, extra fields, and any traceback.

    The values of a call's `extra=` are fields of their own: host, character, agent, connection. A message about a
    memory, `[Memory] NAME: ...`, has that agent as a field.
    """

    def __init__(self) -> None:
        super().__init__(["asctime", "levelname", "name", "message"], rename_fields=_OF_EVERY_LINE)

    def formatTime(self, record: logging.LogRecord, datefmt: str | None = None) -> str:
        return datetime.fromtimestamp(record.created).astimezone().isoformat(timespec="milliseconds")

    def add_fields(self, log_data: dict[str, Any], record: logging.LogRecord, message_dict: dict[str, Any]) -> None:
        super().add_fields(log_data, record, message_dict)
        if str(record.msg).startswith(MEMORY_PREFIX) and isinstance(record.args, tuple) and record.args:
            log_data["agent"] = record.args[0]

    def process_log_record(self, log_data: dict[str, Any]) -> dict[str, Any]:
        return {name: _plain(name, value) for name, value in log_data.items()}


def _plain(name: str, value: Any) -> Any:
    if isinstance(value, bool | int | float) or value is None:
        return value
    lines = str(value).split("\n") if name in _OF_LINES else [str(value)]
    return "\n".join(escape_control_characters(line) for line in lines)


@dataclass(frozen=True)
class LogFile:
    """A file of the log: at `max_bytes` it becomes `NAME.1`, and the oldest of more than `files_kept` such goes."""

    path: Path
    max_bytes: int
    files_kept: int


FORMATTERS: Mapping[str, type[logging.Formatter]] = {"text": ReadableFormatter, "json": JsonLines}


def write_log(form: str = "text", level: str = "info", stream: TextIO | LogFile | None = None) -> None:
    """Write the log in this form ("text" or "json"), from this level on.

    `stream` is the standard error of the process unless given. May be called again, with what settings say.
    Raises: NoteError if the file of the log cannot be written.
    """
    place = _place_of(stream or sys.stderr)
    root = logging.getLogger()
    for ours in [one for one in root.handlers if isinstance(one.formatter, ReadableFormatter | JsonLines)]:
        root.removeHandler(ours)
        if isinstance(ours, RotatingFileHandler):
            ours.close()
    place.setFormatter(FORMATTERS[form]())
    root.addHandler(place)
    root.setLevel(level.upper())


def _place_of(stream: TextIO | LogFile) -> logging.Handler:
    if not isinstance(stream, LogFile):
        return logging.StreamHandler(stream)
    try:
        return RotatingFileHandler(stream.path, "a", stream.max_bytes, stream.files_kept, encoding="utf-8")
    except OSError as error:
        raise NoteError(f"{stream.path}: the log cannot be written: {error.strerror}. See log_file.") from error


def capture_library_logs() -> None:
    """Log the warnings of libraries, and all messages of Twisted."""
    PythonLoggingObserver("twisted").start()
    for library in QUIETED:
        logging.getLogger(library).setLevel(logging.WARNING)
    # watchdog may hear twice of a new folder; it says so with a page of its internals, and all is well.
    warnings.filterwarnings("ignore", "Callback with id", RuntimeWarning, r"watchdog\.")
