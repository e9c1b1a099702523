"""Preference commands: aliases, afk, brief, screen reader, colours, links, history, and ignoring (`hush`)."""

from __future__ import annotations

from world.command import Command, CommandTable, command
from world.entities import Character, Role
from world.errors import CommandError
from world.events import EntityChanged, Event, Output
from world.find import find_character
from world.parsing import is_number
from world.preferences import (
    ALIAS,
    ALL_AGENTS,
    BRIEF,
    COLOR,
    IGNORED,
    LINKS,
    OFF,
    ON,
    SCREEN_READER,
    ignored_names,
    own_aliases,
    uses_screen_reader,
)
from world.world import World

MAX_ALIASES = 50
MAX_ALIAS_NAME_LENGTH = 20
MAX_ALIAS_LENGTH = 200
"""Maximum number of somebody's own commands, and maximum length of their names and texts, in characters."""

HISTORY_LINES = 20

AUTO = "auto"
COLOR_MODES = {
    ON: "comforts.color_on",
    OFF: "comforts.color_off",
    "16": "comforts.color_count",
    "256": "comforts.color_count",
    "true": "comforts.color_true",
}
"""The answers to a question about colours, and the sentence that confirms each."""


@command("!", "!!", "again", category="comfort", for_agents=False)
def repeat_line(world: World, actor: Character) -> list[Event]:
    """Do your last line again. What begins with @ is never repeated."""
    raise CommandError(world.wording("comforts.nothing_to_repeat"))


@command("unalias <name>", category="comfort", role=Role.PLAYER, for_agents=False)
def unalias(world: World, actor: Character, name: str) -> list[Event]:
    """Remove a command of your own."""
    if actor.preferences.pop(f"{ALIAS}{name.lower()}", None) is None:
        raise CommandError(world.wording("comforts.no_alias", name=name))
    return _confirm(actor, world.wording("comforts.forgotten", name=name.lower()))


@command("afk [<text>]", "away", category="comfort", for_agents=False)
def afk(world: World, actor: Character, text: str = "") -> list[Event]:
    """Say that you are away from the keyboard: `afk tea`. The next thing that you type ends it.

    It is shown in `who`, and shown to people who tell you something.
    """
    actor.transient.afk_message = text
    return [Output(actor.character_id, world.wording("comforts.away"))]


@command("brief", category="comfort", for_agents=False)
def brief(world: World, actor: Character) -> list[Event]:
    """Hide room descriptions when you walk; `look` still shows them, `verbose` ends it."""
    actor.preferences[BRIEF] = ON
    return _confirm(actor, world.wording("comforts.brief"))


@command("verbose", category="comfort", for_agents=False)
def verbose(world: World, actor: Character) -> list[Event]:
    """Show room descriptions when you walk, which is the default."""
    actor.preferences.pop(BRIEF, None)
    return _confirm(actor, world.wording("comforts.verbose"))


@command("screenreader [<text>]", category="comfort", for_agents=False)
def screenreader(world: World, actor: Character, text: str = "") -> list[Event]:
    """Show everything in plain sentences, without columns, drawings and repeated prompts.

    screenreader on     the default for clients that report a screen reader
    screenreader off    the default for all others
    """
    wanted = text.lower()
    if wanted not in ("", ON, OFF):
        raise CommandError(world.wording("commands.usage", usage="screenreader on|off"))
    if wanted:
        actor.preferences[SCREEN_READER] = wanted
    said = world.wording("comforts.reads_aloud" if uses_screen_reader(actor) else "comforts.shows")
    return _confirm(actor, said) if wanted else [Output(actor.character_id, said)]


@command("color [<text>]", "colour", category="comfort", for_agents=False)
def color(world: World, actor: Character, text: str = "") -> list[Event]:
    """Set colours: color on, color off, or color auto for the colours that your client reports.

    color 16            the colours of every terminal; also 256 and true
    """
    wanted = text.lower()
    if wanted not in ("", AUTO, *COLOR_MODES):
        raise CommandError(world.wording("commands.usage", usage="color on|off|auto|16|256|true"))
    if wanted == AUTO:
        actor.preferences.pop(COLOR, None)
    elif wanted:
        actor.preferences[COLOR] = wanted
    chosen = actor.preferences.get(COLOR, AUTO)
    said = world.wording(COLOR_MODES.get(chosen, "comforts.color_auto"), count=chosen)
    return _confirm(actor, said) if wanted else [Output(actor.character_id, said)]


@command("links [<text>]", category="comfort", for_agents=False)
def links(world: World, actor: Character, text: str = "") -> list[Event]:
    """Show web addresses in help and notes as clickable links: links on, or links off.

    Clients without support for links show strange characters instead.
    """
    wanted = text.lower()
    if wanted not in ("", ON, OFF):
        raise CommandError(world.wording("commands.usage", usage="links on|off"))
    if wanted == ON:
        actor.preferences[LINKS] = ON
    elif wanted:
        actor.preferences.pop(LINKS, None)
    said = world.wording("comforts.links_on" if LINKS in actor.preferences else "comforts.links_off")
    return _confirm(actor, said) if wanted else [Output(actor.character_id, said)]


@command("history [<number>]", category="comfort", for_agents=False)
def history(world: World, actor: Character, number: str = "") -> list[Event]:
    """Read again what was said in your hearing, the last 20 lines or as many as you say."""
    if number and not (is_number(number) and int(number)):
        raise CommandError(world.wording("comforts.no_number", wanted=number))
    lines = list(actor.transient.speech_history)[-int(number or HISTORY_LINES) :]
    return [Output(actor.character_id, "\n".join(lines) or world.wording("comforts.nothing_heard"))]


def preference_commands(table: CommandTable) -> tuple[Command, ...]:
    """Return the comforts; a command of one's own may have no name that one of the table has."""

    @command("alias [<name>]", category="comfort", role=Role.PLAYER, for_agents=False, also=("alias <name> = <text>",))
    def alias(world: World, actor: Character, name: str = "", text: str = "") -> list[Event]:
        """Define a command of your own, or list yours.

        alias gs = go south
        alias ask = say to %1 Have you seen %2?     %1 to %9 are the words behind it
        alias greet = say Good morning, %*!         %* is all of them
        """
        name, text = _split_alias(name, text)
        if not text:
            return [Output(actor.character_id, _list_aliases(world, actor, name))]
        _check_alias(world, actor, name, text, table)
        actor.preferences[f"{ALIAS}{name}"] = text
        return _confirm(actor, world.wording("comforts.alias", name=name, text=text))

    return (repeat_line, alias, unalias, afk, brief, verbose, history, screenreader, color, links)


def _confirm(actor: Character, said: str) -> list[Event]:
    """Return that somebody has set something for itself, which is saved."""
    return [Output(actor.character_id, said), EntityChanged(actor.character_id, "character", actor.character_id)]


def _split_alias(name: str, text: str) -> tuple[str, str]:
    """Return name and meaning, also of `gs=go south`, where no space tells them apart."""
    if not text and "=" in name:
        name, _, text = name.partition("=")
    return name.strip().lower(), text.strip()


def _list_aliases(world: World, actor: Character, name: str) -> str:
    found = own_aliases(actor)
    if name and name not in found:
        raise CommandError(world.wording("comforts.no_alias", name=name))
    chosen = {name: found[name]} if name else found
    lines = [world.wording("comforts.alias", name=one, text=text) for one, text in chosen.items()]
    return "\n".join(lines) or world.wording("comforts.no_aliases")


def _check_alias(world: World, actor: Character, name: str, text: str, table: CommandTable) -> None:
    """Raises: CommandError if a command of one's own cannot be called so, is too long or is one too many."""
    if table.get(name):
        raise CommandError(world.wording("comforts.is_command", name=name))
    if table.redact(text) != text:
        raise CommandError(world.wording("comforts.alias_has_secret"))
    if len(name) > MAX_ALIAS_NAME_LENGTH or len(text) > MAX_ALIAS_LENGTH or not name.isalnum():
        raise CommandError(world.wording("comforts.alias_rule", name=MAX_ALIAS_NAME_LENGTH, text=MAX_ALIAS_LENGTH))
    if len(own_aliases(actor).keys() | {name}) > MAX_ALIASES:
        raise CommandError(world.wording("comforts.too_many_aliases", count=MAX_ALIASES))


MAX_IGNORED = 50
"""Maximum number of names that somebody ignores."""


@command("hush [<anyone>]", "quiet", category="comfort", for_agents=False)
def ignore(world: World, actor: Character, anyone: str = "") -> list[Event]:
    """Ignore somebody, except for words to you, about you or in answer to you; `unhush` ends it.

    hush Moss       one of them
    hush agents     every agent
    hush            the list of ignored people
    It hides their speech, poses, movements and handling of things.
    Words and things for you still arrive, and hidden words are in history.
    """
    names = ignored_names(actor)
    if not anyone:
        return [Output(actor.character_id, _list_ignored(world, names))]
    name = ALL_AGENTS if _is_every_agent(world, anyone) else find_character(world, actor, anyone).name
    if name == actor.name:
        raise CommandError(world.wording("hushing.not_yourself"))
    if len(names) >= MAX_IGNORED:
        raise CommandError(world.wording("hushing.too_many", count=MAX_IGNORED))
    return _set_ignored(world, actor, [*(one for one in names if one != name), name])


@command("unhush [<text>]", category="comfort", for_agents=False)
def unignore(world: World, actor: Character, text: str = "") -> list[Event]:
    """Stop ignoring somebody, or everybody: unhush Moss, unhush agents, unhush."""
    names = ignored_names(actor)
    wanted = ALL_AGENTS if _is_every_agent(world, text) else text.lower()
    left = [name for name in names if wanted and name.lower() != wanted]
    if not names or left == names:
        raise CommandError(_list_ignored(world, names))
    return _set_ignored(world, actor, left)


def _is_every_agent(world: World, wanted: str) -> bool:
    return wanted.lower() in (ALL_AGENTS, world.wording("hushing.agents").lower())


def _list_ignored(world: World, names: list[str]) -> str:
    say = world.wording
    called = [say("hushing.agents") if name == ALL_AGENTS else name for name in names]
    return say("hushing.hushed", names=say.join_and(called)) if names else say("hushing.nobody")


def _set_ignored(world: World, actor: Character, names: list[str]) -> list[Event]:
    """Let these be hushed from now on, and save it."""
    if names:
        actor.preferences[IGNORED] = ", ".join(names)
    else:
        actor.preferences.pop(IGNORED, None)
    actor.transient.awaiting_reply_from.clear()
    return _confirm(actor, _list_ignored(world, names))
