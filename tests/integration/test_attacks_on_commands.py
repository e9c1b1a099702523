"""Commands with arguments that no one types: too long, too many, like patterns, of another's role."""

from __future__ import annotations

import pytest

from tests.integration.attacking import INDEX, attack
from tests.integration.running import ADMIN

pytestmark = pytest.mark.integration

LONG = 4000
HUGE = [
    "x" * LONG,
    "a " * (LONG // 2),
    "(a+)+$ (.*)*x ([a-z]+)*! ^(([a-z])+.)+[A-Z]([a-z])+$ " * 70,
    "[" * LONG,
    "\\" * LONG,
    "*" * LONG + '"' * 90,
    "-> " * (LONG // 3),
    " | to in = and, " * (LONG // 16),
    "2." * (LONG // 2),
    "9" * LONG,
    "1-" + "9" * LONG,
    "İſﬁ字" * (LONG // 12),
    "z" + "\u0301" * (LONG // 2),
    "[[a|#^m1 {0} %s" * (LONG // 15),
    " " * LONG + "x",
]
NUMBERS = ("0", "-1", "1e9", "99999999999999999999", "1.5", "٣", "NaN", "0x10", "1_000", "+1", "1-0", "5-1", "--1", "²")
LOOKING = ("", "help", "look", "look in", "examine", "get", "give", "put", "go", "use", "read", "follow", "where", "on")
SPEAKING = ("say", "say to", "whisper", "tell", "shout", "emote", "reply", "share", "unshare", "board", "lastseen", "!")
OWN = ("alias", "alias x =", "unalias", "note", "note read", "note list", "goal", "think", "recall", "history", "afk")
MEMORY = ("@memory-find Eliza", "@memory-facts Eliza", "@memory-expand Eliza", "@memory-why Eliza", "@memory-pin Eliza")
STEWARD = (
    *(
        "@dig",
        "@dig north to",
        "@create",
        "@describe here ->",
        "@describe",
        "@detail",
        "@alias",
        "@set here x =",
        "@exit",
    ),
    *("@set", "@unexit", "@destroy", "@teleport", "@rename here ->", "@rename", "@undo", "@examine", "@kick"),
    *("@show-config", "@audit", "@unban", "@grant", "@revoke", "@announce", "@narrative", "@impersonate", "@llm-log"),
    *(
        "@memory-diff Eliza",
        "@memory-rollback Eliza",
        "@create-agent",
        "@edit-profile",
        "@set-profile Eliza",
        "@possess",
    ),
    *("@llm-config", "@agent-model", "@edit-interval Eliza", "@training-export Eliza", "@password", "@set-description"),
)
WORDS = (*LOOKING, *SPEAKING, *OWN, *MEMORY)


ABOVE = frozenset(
    "create describe destroy detail dig exit rename set teleport undo unexit save backup reload shutdown announce "
    "audit kick ban unban grant revoke show-config narrative training-export prompt "
    "create-agent agent-model possess "
    "release pause-agent resume-agent llm-config llm-log".split()
)


def test_arguments_of_four_thousand_characters_cost_little(target):
    with attack(target, f"{len(WORDS) * len(HUGE)} commands with huge arguments"):
        for verb in WORDS:
            target.plays("Huge", *(f"{verb} {argument}".encode()[:4096] for argument in HUGE)).close()


def test_no_more_do_they_in_the_hands_of_an_admin(target):
    with attack(
        target, f"{len(STEWARD) * len(HUGE)} commands of an admin with huge arguments", new_files=(".md", *INDEX)
    ):
        for verb in (*STEWARD, *MEMORY):
            target.plays(ADMIN, *(f"{verb} {argument}".encode()[:4096] for argument in HUGE)).close()


def test_numbers_of_any_kind_are_numbers_or_refused(target):
    verbs = ["history", "recall", "look", "get", "goal", "@memory-expand Eliza", "@memory-why Eliza", "@audit", "@undo"]
    verbs += ["@memory-diff Eliza", "@memory-rollback Eliza", "@rebuild-memories Eliza", "@edit-interval Eliza", "@why"]
    undone = ("/things/*.md",)  # what the admin has destroyed before: one of the numbers is a three
    with attack(target, f"{len(verbs) * len(NUMBERS)} numbers", new_files=undone):
        target.plays("Counter", *(f"{verb} {number}" for verb in verbs for number in NUMBERS))
        target.plays(ADMIN, *(f"{verb} {number}" for verb in verbs for number in NUMBERS))
        target.plays(ADMIN, *(f"@shutdown {number}" for number in ("-1", "NaN", "1.5", "٣", "0x10", "--1", "1-0")))


def test_nobody_does_what_is_above_their_role(target):
    names = target.plays(ADMIN).asks("commands")
    commands = sorted({word.strip(",.") for word in names.split() if word.startswith("@")})
    assert len(commands) > 20, names
    above = [one for one in commands if one.removeprefix("@") in ABOVE]
    assert len(above) > 12, commands
    arguments = ("", "me", "here", "Eliza", ADMIN, "x -> y", "me to admin", "here as gone", "Eliza admin", "1")
    with attack(target, f"{len(above) * len(arguments)} commands above one's role"):
        for name in ("Lowly", "guest"):
            lines = [f"{verb} {argument}" for verb in above for argument in arguments]
            player = target.comes(name)
            player.socket.sendall("".join(f"{line}\n" for line in lines).encode())
            player.types("say that is all")
            player.expects('You say, "that is all"')
            done = [line for line in above if player.text.count(f"{line} is for a") != len(arguments)]
            assert not done, (name, done)


def test_words_of_ones_own_cannot_run_away(target):
    with attack(target, "aliases of aliases, and 2,000 of them"):
        target.plays(
            "Looper",
            "alias aa = bb",
            "alias bb = aa",
            "alias cc = cc",
            "alias dd = cc;cc;cc",
            "alias ee -> ee",
            "alias ff -> gg",
            "alias gg -> ff",
            "alias look -> look",
            "aa",
            "cc",
            "dd",
            "ee",
            "ff",
            "look",
            *(f"alias w{number} -> say {'w' * 200} {number}" for number in range(2000)),
            *("alias twice -> say $1 $1 $* %1 {0}", "twice " + "x" * 3000),
        )


def test_many_small_things_stay_bounded(target):
    with attack(target, "1,000 notes, shares, descriptions and wants", new_files=(".md", *INDEX)):
        target.plays(
            "Busy",
            *(f"note Note {number} -> {'text ' * 50}" for number in range(250)),
            *(f"share type{number} -> {'text ' * 50}" for number in range(250)),
            *(f"@describe me as {'words ' * 300}{number}" for number in range(250)),
            *(f"write slip -> {'text ' * 50}{number}" for number in range(250)),
        )
