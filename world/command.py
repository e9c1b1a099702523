"""Commands: their usage, permission (role) and localization, and the command table.

A command declares itself by its usage, `give <carried> to <person>`. Dispatch, help, suggestions, the agents'
command list and the grammar that a model is held to are all read from the table. A placeholder names both the
argument of the function and what may stand there:

    <exit> an exit of this room or a room further off     <person> someone else here
    <sight> anything that can be looked at                 <text> free words
    <near> a thing lying here                              <carried> a thing the actor has
    <topic> a command or a category of commands            <agent> the name of an agent
    <range> numbers of memories, such as 3-17              <label> the type of something shared
    <memory> the number of a memory, or words              <anyone> somebody, wherever they are
    <container> something here that holds things           <content> a thing in a container
    <writing> a thing here that something is written on    <writable> a carried thing to write on
    <usable> a thing here that can be used
    <object> any room, thing or character                  <room> any room
    <name> what something is to be called                  <number> a number
    <property> the name of a property                      <role> the name of a role
    <secret> words that are shown, logged and stored nowhere: `CommandTable.redact` leaves them out
"""

from __future__ import annotations

import string
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from types import MethodType
from typing import Literal

from world.entities import Character, Role
from world.errors import CommandError, WorldError
from world.events import Event
from world.message_catalog import Wording
from world.parsing import MAX_NAME_WORDS, Named, count_name_words, parse_line, suggestions, unquote
from world.sanitize import fold_punctuation

PLACEHOLDERS = frozenset(
    "exit person sight text near carried topic agent range label memory "
    "anyone container content writing writable usable object room name number property role secret".split()
)

Visibility = Literal["nobody", "named", "room", "near", "everyone"]
"""The others who perceive that a command is done: the one it names, everyone in the room, near by, in the world."""

MIN_PREFIX_LETTERS = 3
"""The shortest accepted abbreviation of a verb, in letters."""

CommandFunction = Callable[..., list[Event]]


def no_names(kind: str) -> tuple[()]:
    """Return no names for a placeholder: a name before free words is then one word."""
    return ()


@dataclass(frozen=True)
class Command:
    """A verb with its usage, its function, who may use it and who notices.

    `act(world, actor, **arguments)` checks, changes the world and returns what happened; it writes to nobody.
    `for_agents` says whether agents see it listed. `also` are further usages of the same verb.
    """

    usage: str
    act: CommandFunction
    aliases: tuple[str, ...] = ()
    category: str = "general"
    role: Role = Role.GUEST
    for_agents: bool = True
    visible_to: Visibility = "nobody"
    also: tuple[str, ...] = ()

    @cached_property
    def verb(self) -> str:
        return self.usage.split()[0]

    @property
    def names(self) -> tuple[str, ...]:
        return (self.verb, *self.aliases)

    @property
    def is_perceived(self) -> bool:
        """True if others than the one it names perceive it."""
        return self.visible_to not in ("nobody", "named")

    @cached_property
    def is_speech(self) -> bool:
        """True if others hear or read what is said with it."""
        return self.category == "speech" and self.visible_to != "nobody"

    @property
    def help(self) -> str:
        """The text of `help <verb>`: the function's docstring without its indentation."""
        return "\n".join(line.strip() for line in (self.act.__doc__ or "").strip().splitlines())

    @property
    def summary(self) -> str:
        return self.help.partition("\n")[0]

    @cached_property
    def is_secret(self) -> bool:
        return any(word.kind == "secret" for word in self.words)

    @property
    def words(self) -> tuple[Word, ...]:
        """The usage behind the verb, word by word."""
        return words_of(self.usage)

    def allows(self, actor: Character) -> bool:
        """Return whether a character may use it: by its role, or because it was granted this verb."""
        return actor.role.includes(self.role) or self.verb in actor.grants

    def is_listed_for(self, agent: Character) -> bool:
        """Return whether an agent sees it listed: what is for all agents, and what this one may more than others."""
        return self.allows(agent) and (self.for_agents or self.role > Role.PLAYER or self.verb in agent.grants)

    def read(self, text: str, preposition_synonyms: str = "", names_of: NamesOf | None = None) -> dict[str, str] | None:
        """Return the arguments by placeholder, None if the text does not fit; an optional one left out is empty.

        The further usages come first: they have more words that have to fit. `preposition_synonyms` are what may
        stand for the words of a usage, such as `to/an, to/zu`. `names_of` returns what a placeholder can mean: a name
        may have several words, and in a further usage, which free words could fit by chance, has to be given in full.
        Without it a name before free words is one word.
        """
        synonyms = _synonyms(preposition_synonyms)
        for usage in self.also:
            found = parse_usage(words_of(usage), text, synonyms, names_of or no_names, in_full=names_of is not None)
            if found is not None:
                return found
        return parse_usage(self.words, text, synonyms, names_of or no_names)

    def arguments_in(self, text: str, wording: Wording, names_of: NamesOf | None = None) -> dict[str, str]:
        """Return the arguments as `read` does. Raises: CommandError with the usage if the text does not fit."""
        found = self.read(text, wording("commands.little_words"), names_of)
        if found is None:
            raise CommandError(wording("commands.usage", usage=wording.join_or([self.usage, *self.also])))
        return found


@lru_cache(maxsize=64)
def _synonyms(preposition_synonyms: str) -> Mapping[str, frozenset[str]]:
    """Return by each word of a usage what may stand for it, itself included, in lower case."""
    found: dict[str, set[str]] = {}
    for pair in preposition_synonyms.split(","):
        own, _, other = pair.strip().partition("/")
        if other:
            found.setdefault(own, {own.lower()}).add(other.lower())
    return {own: frozenset(others) for own, others in found.items()}


def command(
    usage: str,
    *aliases: str,
    category: str = "general",
    role: Role = Role.GUEST,
    for_agents: bool = True,
    visible_to: Visibility = "nobody",
    also: tuple[str, ...] = (),
) -> Callable[[CommandFunction], Command]:
    """Make a function the command that its usage declares.

    Raises: WorldError if the usage names an unknown kind of placeholder.
    """

    def declare(act: CommandFunction) -> Command:
        made = Command(usage, act, aliases, category, role, for_agents, visible_to, also)
        unknown = {word.kind for one in (usage, *also) for word in words_of(one) if word.kind} - PLACEHOLDERS
        if unknown:
            raise WorldError(f"{usage!r}: unknown placeholder {', '.join(unknown)}; known are {sorted(PLACEHOLDERS)}")
        return made

    return declare


def commands_of(owner: object) -> tuple[Command, ...]:
    """Return the commands that are declared in an object's class as methods, each acting with that object."""
    declared = (one for one in vars(type(owner)).values() if isinstance(one, Command))
    return tuple(replace(one, act=MethodType(one.act, owner)) for one in declared)


class CommandTable:
    """Every command there is, by verb and alias. `texts` are what this world says of its commands in its own words.

    Raises: WorldError if two commands claim one name.
    """

    def __init__(self, commands: Iterable[Command] = ()) -> None:
        self._by_name: dict[str, Command] = {}
        self.texts = CommandLocalization()
        self.add(commands)

    def __iter__(self) -> Iterator[Command]:
        return iter(dict.fromkeys(self._by_name.values()))

    def add(self, commands: Iterable[Command]) -> None:
        """Add commands to the table."""
        for one in commands:
            for name in one.names:
                if name in self._by_name:
                    raise WorldError(f"two commands are called {name!r}: {self._by_name[name].usage!r}, {one.usage!r}")
                self._by_name[name] = one

    def get(self, name: str) -> Command | None:
        """Return the command with this verb, alias or name in this world, or None."""
        if command := self._by_name.get(name):
            return command
        key = fold_punctuation(name).lower()
        return self._by_name.get(key) or self._by_name.get(self.texts.verb_by_name.get(key, ""))

    def names_of(self, one: Command) -> tuple[str, ...]:
        """Return every name that a command has in this world, its verb first."""
        return (*one.names, *self.texts.names.get(one.verb, ()))

    def help_of(self, one: Command) -> str:
        """Return the text of `help <verb>`: this world's text on the command, or else its own help."""
        return self.texts.help.get(one.verb, one.help)

    def summary_of(self, one: Command) -> str:
        """Return the first line of a command's help."""
        return self.help_of(one).partition("\n")[0]

    def by_prefix(self, start: str, actor: Character) -> list[Command]:
        """Return the commands that a person can mean by the beginning of a verb, or else of another name.

        Nobody means a command of `@` by half of it, and agents type whole words.
        """
        if actor.is_agent or len(start) < MIN_PREFIX_LETTERS or start.startswith("@"):
            return []
        allowed = [one for one in self.allowed(actor) if not one.verb.startswith("@")]
        verbs = [one for one in allowed if one.verb.startswith(start)]
        return verbs or [one for one in allowed if any(name.startswith(start) for name in self.names_of(one))]

    def redact(self, text: str) -> str:
        """Return a line as it may be shown, logged and stored: without what stands behind a secret command.

        A misspelt verb may mean one too, as may the line that a command of one's own stands for, behind a `=`.
        """
        name = text.lstrip().partition(" ")[0]
        command = self._by_name.get(name.lower())
        if command and not command.is_secret and "=" not in text:  # nearly every line, and each is asked for thrice
            return text
        line = parse_line(text)
        if line.arguments and line.verb == fold_punctuation(name).lower() and self._may_be_secret(line.verb):
            return f"{name} …"
        head, equals, meaning = fold_punctuation(text).partition("=")
        return f"{head}= {self.redact(meaning)}" if equals and self._is_secret_line(meaning) else text

    def _is_secret_line(self, text: str) -> bool:
        line = parse_line(text)
        command = self.get(line.verb)
        return bool(command and command.is_secret and line.arguments)

    def _may_be_secret(self, verb: str) -> bool:
        command = self.get(verb)
        if command:
            return command.is_secret
        names = [name for one in self if one.is_secret for name in self.names_of(one)]
        return bool(suggestions(verb.strip(string.punctuation), [name.strip(string.punctuation) for name in names]))

    def allowed(self, actor: Character) -> list[Command]:
        """Return the commands that a character may use, in the table's order."""
        return [one for one in self if one.allows(actor)]

    def find(self, verb: str, actor: Character, wording: Wording, other_names: Iterable[str] = ()) -> Command:
        """Return the command for a verb, or for a beginning that no other begins with.

        `other_names` are further words that can be meant, such as exits.

        Raises: CommandError that suggests what was meant if there is none or it is not for this actor.
        """
        found = self.get(verb)
        if found and found.allows(actor):
            return found
        if found and actor.role is Role.GUEST and found.role is Role.PLAYER:
            raise CommandError(wording("commands.not_for_guests", verb=found.verb))
        if found:
            needed, own = wording(f"roles.{found.role.name.lower()}"), wording(f"roles.{actor.role.name.lower()}")
            raise CommandError(wording("commands.not_for_you", verb=found.verb, role=needed, own=own))
        begun = self.by_prefix(verb, actor)
        if len(begun) == 1 and not any(name.startswith(verb) for name in other_names):
            return begun[0]
        known = [name for one in self.allowed(actor) for name in self.names_of(one) if len(name) > 1]
        close = suggestions(verb, [*known, *other_names])
        if close:
            raise CommandError(wording("commands.did_you_mean", verb=verb, names=wording.join_or(close)))
        raise CommandError(wording("commands.unknown", verb=verb))


NAME_PLACEHOLDERS = frozenset({"person", "anyone", "agent", "name", "object"})
"""The placeholders that a name of several words can fill, with any words behind it."""

WORDS_AS_TYPED = frozenset({"text", "secret", "name", "label"})
"""The placeholders that stand for words and new names; all others look something up."""

NamesOf = Callable[[str], Iterable[Named]]
"""Returns the possible names for a placeholder of `NAMING` here."""


@dataclass(frozen=True)
class Word:
    """One word of a usage: a literal, or a placeholder when `kind` is set."""

    text: str
    kind: str = ""
    optional: bool = False


@lru_cache(maxsize=512)
def words_of(usage: str) -> tuple[Word, ...]:
    """Return a usage behind its verb, word by word."""
    return tuple(_word(token) for token in usage.split()[1:])


def parse_usage(
    words: Sequence[Word], text: str, synonyms: Mapping[str, frozenset[str]], names_of: NamesOf, in_full: bool = False
) -> dict[str, str] | None:
    """Return the arguments by placeholder, None if the text does not fit; an optional one left out is empty.

    `synonyms` are what may stand for a literal, in lower case. With `in_full`, a name before free words has to be all
    of a name that there is.
    """
    tokens, found = text.split(), dict[str, str]()
    plain = fold_punctuation(text).lower().split()  # as many: nothing is folded to a space but a space
    place = 0
    for number, word in enumerate(words):
        behind = words[number + 1 : number + 2]
        if not word.kind:
            if place == len(tokens) or plain[place] not in synonyms.get(word.text, {word.text}):
                return None
            place += 1
            continue
        if not behind:
            stop = len(tokens)
        elif not behind[0].kind:
            stop = _find(plain, synonyms.get(behind[0].text, {behind[0].text}), place + (not word.optional))
        else:
            stop = place + _count_words(word.kind, tokens[place:], names_of, in_full)
        if stop > len(tokens) or (stop <= place and not word.optional):
            return None
        words_typed = " ".join(tokens[place:stop])
        found[word.kind] = words_typed if word.kind in WORDS_AS_TYPED else unquote(words_typed)
        place = max(place, stop)
    return found if place == len(tokens) else None


def _word(token: str) -> Word:
    inner = token.removeprefix("[").removesuffix("]")
    is_placeholder = inner.startswith("<") and inner.endswith(">")
    return Word(token, inner[1:-1], token.startswith("[")) if is_placeholder else Word(token)


def _find(tokens: Sequence[str], literal: frozenset[str] | set[str], start: int) -> int:
    """Return where a literal stands first among words in lower case, from a place on; behind the end if nowhere."""
    return next((place for place in range(start, len(tokens)) if tokens[place] in literal), len(tokens) + 1)


def _count_quoted(tokens: Sequence[str]) -> int:
    """Return how many words stand in quotes at the beginning; 0 if none do."""
    plain = [fold_punctuation(token).rstrip(",:") for token in tokens[:MAX_NAME_WORDS]]
    quote = plain[0][:1] if plain else ""
    if quote not in ("'", '"'):
        return 0
    ends = (count for count, token in enumerate(plain, 1) if token.endswith(quote) and len(token) + count > 2)
    return next(ends, 0)


def _count_words(kind: str, tokens: Sequence[str], names_of: NamesOf, in_full: bool) -> int:
    """Return how many words stand for a placeholder before another one."""
    one = min(1, len(tokens))
    if quoted := _count_quoted(tokens):
        return quoted
    if kind not in NAME_PLACEHOLDERS:
        return one
    whole, part = count_name_words(tokens, names_of(kind))
    return whole if whole or in_full else max(part, one)


@dataclass(frozen=True)
class CommandLocalization:
    """`help` and further `names` by verb; `topics` are what else can be asked for with `help`, by name."""

    help: Mapping[str, str] = field(default_factory=dict)
    names: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    topics: Mapping[str, str] = field(default_factory=dict)

    @cached_property
    def verb_by_name(self) -> dict[str, str]:
        """The verbs by the further names that they have."""
        return {name: verb for verb, names in self.names.items() for name in names}
