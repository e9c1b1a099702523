"""The table of commands: what a usage admits, who may use what, what half a verb can mean, and its help."""

from __future__ import annotations

import pytest

from tests.english import ENGLISH
from tests.world.inn import Player, inn, inn_game
from world.command import Command, CommandLocalization, CommandTable, command, commands_of
from world.commands.table import in_columns, world_commands
from world.entities import Character, Role
from world.errors import CommandError, WorldError
from world.events import Event
from world.game import Game
from world.message_catalog import Wording
from world.preferences import ON, SCREEN_READER
from world.world import World

TABLE = world_commands()
COMMANDS = list(TABLE)

NAMES = [Character(name, "here") for name in ("Ben", "Old Tom", "Lady Anne of the Mill")]


def nothing(world: World, actor: Character, **arguments: str) -> list[Event]:
    """Do nothing.

    At all.
    """
    return []


def declared(usage: str, *aliases: str, role: Role = Role.GUEST) -> Command:
    return command(usage, *aliases, role=role)(nothing)


@pytest.mark.parametrize(
    ("usage", "typed", "arguments"),
    [
        ("who", "", {}),
        ("look [<sight>]", "", {"sight": ""}),
        ("look [<sight>]", "old hearth", {"sight": "old hearth"}),
        ("say <text>", "a to b", {"text": "a to b"}),
        ("whisper <person> <text>", "Ben come here", {"person": "Ben", "text": "come here"}),
        ("give <carried> to <person>", "oil lamp to Ben", {"carried": "oil lamp", "person": "Ben"}),
        ("give <carried> to <person>", "oil lamp TO Ben", {"carried": "oil lamp", "person": "Ben"}),
        ("give <carried> to <person>", "tomato to Tom to Ben", {"carried": "tomato", "person": "Tom to Ben"}),
    ],
)
def test_a_usage_names_the_arguments_of_a_line(usage, typed, arguments):
    assert declared(usage).arguments_in(typed, ENGLISH) == arguments


@pytest.mark.parametrize(
    ("usage", "typed"),
    [
        ("who", "me"),
        ("say <text>", ""),
        ("whisper <person> <text>", "Ben"),
        ("give <carried> to <person>", "lamp Ben"),
        ("give <carried> to <person>", "lamp to"),
        ("give <carried> to <person>", "to Ben"),
    ],
)
def test_a_line_that_does_not_fit_is_answered_with_the_usage(usage, typed):
    with pytest.raises(CommandError) as refused:
        declared(usage).arguments_in(typed, ENGLISH)
    assert str(refused.value) == f"Usage: {usage}"


SAY = command("say <text>", also=("say to <person> <text>",))(nothing)
WHISPER = declared("whisper <person> <text>")


@pytest.mark.parametrize(
    ("one", "typed", "person", "text"),
    [
        (WHISPER, "Old Tom hello", "Old Tom", "hello"),
        (WHISPER, "old tom, hello", "old tom,", "hello"),
        (WHISPER, "lady anne hello", "lady anne", "hello"),
        (WHISPER, "Tom old friend", "Tom", "old friend"),
        (WHISPER, "Zed hello", "Zed", "hello"),
        (SAY, "to Old Tom hello", "Old Tom", "hello"),
        (SAY, "to Old hello", "", "to Old hello"),
        (SAY, "To be, or not to be", "", "To be, or not to be"),
        (SAY, "to Ben", "", "to Ben"),
        (SAY, "an Ben: Prost", "Ben:", "Prost"),
        (SAY, "an alle Freunde: Prost", "", "an alle Freunde: Prost"),
    ],
)
def test_the_longest_name_that_is_known_stands_before_free_words(one, typed, person, text):
    found = one.read(typed, "to/an", lambda kind: NAMES)
    assert found == ({"person": person, "text": text} if person else {"text": text})


def test_nobody_is_looked_for_where_nobody_is_named():
    def look(kind: str) -> list[Character]:
        raise AssertionError(kind)

    assert SAY.read("hello, everybody", names_of=look) == {"text": "hello, everybody"}


def test_a_placeholder_that_nobody_knows_is_refused():
    with pytest.raises(WorldError, match="'eat <food>': unknown placeholder food; known are"):
        declared("eat <food>")


@pytest.mark.parametrize(
    "second", [declared("say <text>"), declared("speak <text>", "say"), declared("shout", "shout")]
)
def test_two_commands_of_one_name_are_refused(second):
    with pytest.raises(WorldError, match="two commands are called"):
        CommandTable([declared("say <text>"), second])


def test_help_is_the_docstring_and_the_summary_its_first_line():
    made = declared("rest")
    table = CommandTable([made])
    assert (table.help_of(made), table.summary_of(made)) == ("Do nothing.\n\nAt all.", "Do nothing.")


def test_what_somebody_may_not_use_is_not_suggested_either():
    table = CommandTable([declared("say <text>"), declared("banish <person>", role=Role.ADMIN)])
    eve = Character("Eve", "The Yard")
    with pytest.raises(CommandError, match="There is no command 'banis'. Type commands to see what you can do."):
        table.find("banis", eve, ENGLISH)
    with pytest.raises(CommandError, match="banish is for an admin and above; you are a player."):
        table.find("banish", eve, ENGLISH)


@pytest.mark.parametrize("one", COMMANDS, ids=lambda one: one.verb)
def test_every_function_takes_the_arguments_of_its_usage(one):
    world = inn()
    actor = world.characters["Ana"]
    arguments = {word.kind: "no such thing" for word in one.words if word.kind}
    try:
        done = one.act(world, actor, **arguments)
    except CommandError as refused:
        assert str(refused)
    else:
        assert all(isinstance(event, Event) for event in done)


@pytest.mark.parametrize(
    ("typed", "meant"),
    [("gar", "garden"), ("gard", "garden"), ("hor", "grow"), ("gro", "grow"), ("GROW", "grow")],
)
def test_the_beginning_of_a_verb_will_do_and_verbs_come_before_other_names(typed, meant):
    table = CommandTable([declared("garden", "growbed"), declared("grow", "hortus")])
    assert table.find(typed.lower(), Character("Eve", "The Yard"), ENGLISH).verb == meant


@pytest.mark.parametrize(
    ("typed", "is_agent"), [("ga", False), ("gra", False), ("gat", False), ("@dig", False), ("gard", True)]
)
def test_too_little_of_a_verb_or_what_may_be_an_exit_is_only_suggested(typed, is_agent):
    commands = [declared("garden"), declared("grab"), declared("grasp"), declared("gather"), declared("@digest")]
    with pytest.raises(CommandError, match="There is no command"):
        CommandTable(commands).find(typed, Character("Eve", "The Yard", is_agent=is_agent), ENGLISH, ["gate"])


def test_a_command_has_the_names_that_this_world_gives_it():
    table = CommandTable([declared("say <text>", "speak")])
    table.texts = CommandLocalization({"say": "Sprich."}, {"say": ("sage",)})
    say = table.get("SAGE")
    assert say
    assert (table.names_of(say), table.help_of(say)) == (("say", "speak", "sage"), "Sprich.")
    assert table.find("sag", Character("Eve", "The Yard"), ENGLISH) is say


def test_a_world_has_its_own_little_words_and_articles():
    game = inn_game()
    sentences = dict(game.world.wording.sentences)
    sentences["commands.little_words"] = "to/an, to/zu"
    sentences["commands.articles"] = "der, die, das, den"
    game.world.wording = Wording(sentences)
    assert game.perform("Ana", "give die copper coin an Ben").accepted
    assert game.perform("Ben", "give coin to Ana").accepted
    assert game.perform("Ana", "give coin an to Ben").refusal.startswith("There is no 'to Ben' here")


class Bells:
    """Two commands that act with a thing of their own."""

    def __init__(self, name: str) -> None:
        self.rung: list[str] = []
        self._name = name

    @command("ring")
    def ring(self, world: World, actor: Character) -> list[Event]:
        """Ring it."""
        self.rung.append(f"{self._name} by {actor.name}")
        return []

    @command("muffle <text>")
    def muffle(self, world: World, actor: Character, text: str) -> list[Event]:
        """Muffle it."""
        self.rung.append(text)
        return []


def test_commands_declared_in_a_class_act_with_the_object_that_they_are_taken_from():
    great, small, world = Bells("great"), Bells("small"), inn()
    ring, muffle = commands_of(great)
    ring.act(world, world.characters["Ana"])
    muffle.act(world, world.characters["Ana"], text="with felt")
    commands_of(small)[0].act(world, world.characters["Ben"])
    assert (great.rung, small.rung) == (["great by Ana", "with felt"], ["small by Ben"])
    assert (ring.help, muffle.usage) == ("Ring it.", "muffle <text>")


def ana_in(game: Game, role: Role = Role.PLAYER, reads_aloud: bool = False) -> Player:
    ana = game.world.characters["Ana"]
    ana.role = role
    ana.preferences |= {SCREEN_READER: ON} if reads_aloud else {}
    return Player(game, "Ana")


@pytest.mark.parametrize("role", [Role.GUEST, Role.PLAYER, Role.ADMIN])
def test_help_says_what_to_try_first_and_has_a_line_for_each_category_that_somebody_may_use(role):
    game = inn_game()
    ana = ana_in(game, role)
    ana.types("help")
    first, *lines, last = ana.screen()
    categories = sorted({one.category for one in game.commands.allowed(game.world.characters["Ana"])})
    assert lines == [f"  {name:<12} {ENGLISH(f'helping.category_{name}')}" for name in categories]
    assert first.startswith("Look around with look.")
    assert last.startswith("help <category> lists")


def test_help_on_a_category_has_a_line_for_each_of_its_commands():
    game = inn_game()
    ana = ana_in(game)
    ana.types("help mind")
    found = [one for one in game.commands if one.category == "mind"]
    assert ana.screen() == [f"  {one.usage:<32} {game.commands.summary_of(one)}" for one in found]


def test_a_usage_that_is_longer_than_its_column_has_a_line_of_its_own():
    ana = ana_in(inn_game(), Role.BUILDER)
    ana.types("help building")
    lines = ana.screen()
    at = lines.index("  @set <object> <property> = [<text>]")
    assert lines[at + 1] == f"{' ' * 35}Set a property of a room or thing: @set brass lamp fixed = yes. " + (
        "Without a text, remove it."
    )


@pytest.mark.parametrize("role", [Role.GUEST, Role.PLAYER, Role.ADMIN])
def test_commands_names_in_columns_all_that_somebody_may_use_and_nothing_else(role):
    game = inn_game()
    ana = ana_in(game, role)
    ana.types("commands")
    lines = ana.screen()
    assert sorted(" ".join(lines).split()) == sorted(one.verb for one in game.commands if one.role <= role)
    assert all(len(line) < 80 for line in lines)


def test_columns_are_of_one_width_and_fit_the_screen():
    assert in_columns(["a", "bb"] * 3) == ["a   bb  a   bb  a   bb"]
    assert in_columns(["x" * 30] * 3) == [f"{'x' * 30}  {'x' * 30}", "x" * 30]
    assert in_columns(["x" * 90]) == ["x" * 90]
    assert in_columns([]) == []


def test_who_listens_is_told_in_sentences():
    game = inn_game()
    ana = ana_in(game, reads_aloud=True)
    ana.types("help people")
    assert ana.screen()[0] == "who [<text>]: List everyone who is in the world now, and who of them is away or still."
    ana.types("commands")
    assert "people: who, where, lastseen" in ana.screen()


def test_a_world_may_explain_commands_and_call_them_in_its_own_words_and_have_topics():
    game = inn_game()
    game.commands.texts = CommandLocalization(
        {"go": "Geh irgendwohin."}, {"go": ("gehe", "lauf")}, {"things": "Alles hat seinen Platz.", "river": "Nass."}
    )
    ana = ana_in(game)
    ana.types("help lauf")
    assert ana.screen()[2:5] == [
        "Geh irgendwohin.",
        "Also: walk, move, enter, head, gehe, lauf",
        "Everyone in the room notices.",
    ]
    ana.types("help river")
    assert ana.screen() == ["Nass."]
    ana.types("help things")
    assert ana.screen()[0] == "Alles hat seinen Platz."
    ana.types("help")
    assert "There is more on: river" in ana.screen()
    ana.types("lauf north")
    assert ana.screen() == ["You go north to The Kitchen."]
