"""From what a model answered to the one line that the agent types, or to what was wrong with the answer.

Models decorate: they echo the prompt, add Markdown, labels, quotes, their thoughts, and what others may say next.
The decoration is taken off line by line, and the first line that is a command of the table wins. Prose is never
guessed at, and never becomes speech. `Listener` ends an answer as soon as it has its command.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from agents.models.thoughts import has_thought, shows_thoughts, without_thoughts
from agents.replies.reply_text import MOST_THOUGHT, Piece, pieces
from world.command import Command, CommandTable, words_of
from world.entities import Character
from world.parsing import PREFIXES, join_or, parse_line, split_at_bar, suggestions

LONGEST_ARGUMENTS = 400
LONGEST_REASON = 300
"""Maximum length of a line and its parts, in characters; it is cut at the end of a sentence or word if possible."""

_SENTENCE_END = re.compile(r"[.!?…][\"'”’)]?(?=\s)")
_AROUND_A_NAME = " .!\"'`“”‘’*_<>[]()"
_PREFIXED = re.compile(r"""(?:'(?!.*')|"(?!.*")|:)(?=\s*\w)""")


OWN_CATEGORIES = frozenset({"self", "memory"})
"""Categories in which an agent may type all commands of its role, including those it is not shown."""

Open = Callable[[Command], bool]


@dataclass(frozen=True)
class Reply:
    """The parsed reply of a model.

    `line` is the one executable line, `verb arguments | reason`, or empty; then `problem` tells the agent, in a
    sentence or two, what was wrong with its reply. `before` is a line to be done first, as to hand something over.
    """

    line: str
    problem: str = ""
    before: str = ""


def for_all_agents(command: Command) -> bool:
    """Return whether any agent may type a command."""
    return command.for_agents


def open_to(agent: Character) -> Open:
    """Return the test whether the agent may type a command."""
    return lambda one: one.is_listed_for(agent) or (one.category in OWN_CATEGORIES and one.allows(agent))


def first_command(
    reply: str, name: str, table: CommandTable, exits: Iterable[str] = (), is_open: Open = for_all_agents
) -> Reply:
    """Return the first executable line of a model's reply to the prompt of the agent `name`.

    `exits` are the names and aliases of the ways out; alone on a line they are commands too. `is_open` says of a
    command whether this agent may type it. The verb is given in its full form (`walk north` and `north` become
    `go north`). Only the beginning of a long reply is read.
    """
    ways = {exit.lower() for exit in exits}
    found = list(pieces(reply, name))
    misfit = ""
    for piece in found:
        command, arguments, reason = _read(piece.text, table, ways, is_open)
        if command is None:
            continue
        if _fits(command, arguments):
            return Reply(_line(command, arguments, reason or piece.reason))
        misfit = misfit or f"Your reply held {_quoted(piece.text)}, which does not fit. Usage: {command.usage}"
    return Reply("", misfit or _problem(found, reply, table, ways, is_open))


def _read(text: str, table: CommandTable, ways: set[str], is_open: Open) -> tuple[Command | None, str, str]:
    """Return the command that a text begins with (None if there is none), its arguments and its reason."""
    if text[:1] in PREFIXES and not _PREFIXED.match(text):
        return None, "", ""
    line = parse_line(text)
    whole = f"{line.verb} {line.arguments}".lower().strip(_AROUND_A_NAME)
    command = table.get(line.verb.rstrip(".:,!"))
    if command is None and whole in ways:
        return table.get("go"), whole, line.reason
    if command is None or not is_open(command):
        return None, "", ""
    if line.verb[-1] == "," or (len(line.verb) == 1 and not _fits(command, line.arguments)):
        return None, "", ""  # "Look, I do not know" and "I will say hello" are talk
    words = command.words
    is_name = bool(words) and words[-1].kind not in ("text", "memory")
    return command, line.arguments.strip(_AROUND_A_NAME) if is_name else line.arguments, line.reason


def _fits(command: Command, arguments: str) -> bool:
    """Return whether the usage is met, and met with words of one's own instead of `<text>`."""
    return command.read(arguments) is not None and not any(
        word.text.strip("[]") in arguments.split()
        for usage in (command.usage, *command.also)
        for word in words_of(usage)
        if word.kind
    )


def _line(command: Command, arguments: str, reason: str) -> str:
    done = f"{command.verb} {_cut(arguments, LONGEST_ARGUMENTS)}".strip().replace("|", "\\|")
    why = _cut(reason, LONGEST_REASON)
    return f"{done} | {why}" if why else done


def _cut(text: str, most: int) -> str:
    if len(text) <= most:
        return text
    head = text[:most]
    ends = [end.end() for end in _SENTENCE_END.finditer(head)]
    return head[: ends[-1]] if ends else head.rpartition(" ")[0] or head


def _problem(found: list[Piece], reply: str, table: CommandTable, ways: set[str], is_open: Open) -> str:
    example = "Type one command, such as: say hello"
    if not reply.strip():
        return f"Your reply was empty. {example}"
    if not found:
        return f"Your reply held no command, only thoughts or marks. {example}"
    text = found[0].text
    verb = parse_line(text).verb
    known = table.get(verb)
    if known and not is_open(known) and len(verb) > 1:  # "I will greet him" is talk
        return f"{verb!r} is not a command for you. {example}"
    close = suggestions(verb, [*_names(table), *ways])
    hint = f" Did you mean {join_or(close)}?" if close and len(verb) > 2 else ""
    return f"Your reply held no command: it began with {_quoted(text)}.{hint} {example}"


def _names(table: CommandTable) -> Iterator[str]:
    return (name for one in table if one.for_agents for name in one.names if len(name) > 1)


def _quoted(text: str) -> str:
    spoken, reason = split_at_bar(text)
    words = spoken.split()
    more = " …" if len(words) > 5 or reason else ""
    return f"'{' '.join(words[:5])[:60]}{more}'"


LONGEST_LABEL = 24
"""Maximum length of a label of a reason on the line behind a command, in characters (`My private reasoning: `)."""

Read = Callable[[str], Reply]


def is_enough(text: str, read: Read) -> bool:
    """Return whether a reply has its command, whatever else may come; `read` is what a whole reply comes to.

    A command counts when its line has ended, and either has its reason or is followed by something that is none.
    """
    if "\n" not in text:
        return False
    ended, _, rest = text.rpartition("\n")
    found = read(ended)
    if not found.line:
        return False
    if split_at_bar(found.line)[1] or read(_without_last_line(ended)).line:
        return True
    return len(rest.strip()) > LONGEST_LABEL and read(text) == found


class Listener:
    """Listens to an answer as it grows; called with the text so far it says whether that is enough.

    A model that shows its thoughts is waited for until it has ended them, and may then write `most_tokens` more.
    """

    def __init__(self, read: Read, thinks: bool, most_tokens: int, count_tokens: Callable[[str], int]) -> None:
        self._read = read
        self._thinks = thinks
        self._most_tokens = most_tokens
        self._count_tokens = count_tokens
        self._judged = ""

    def __call__(self, text: str) -> bool:
        text = text[:MOST_THOUGHT]  # more is not read
        if not self._is_news(text):
            return False
        self._judged = text
        if (self._thinks or shows_thoughts(text)) and not has_thought(text):
            return False
        if self._thinks and self._count_tokens(without_thoughts(text)) > self._most_tokens:
            return True
        return is_enough(text, self._read)

    def _is_news(self, text: str) -> bool:
        """Return whether enough text has come to judge it again: at each line, and well into one."""
        return "\n" in text[len(self._judged) :] or len(text) - len(self._judged) > LONGEST_LABEL


def _without_last_line(text: str) -> str:
    return text.rstrip().rpartition("\n")[0]
