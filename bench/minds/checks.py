"""Checks of a turn: small tests that are joined by `all_of` and `any_of`.

A check takes a `PlayedTurn` and returns the fault in it, or an empty string. `flaws` finds faults of any situation; the
demands of one situation are joined from the rest.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from typing import TypeAlias

from agents.repetition.loop_detector import words_in
from bench.minds.turns import PlayedTurn, speeches_in

Check: TypeAlias = Callable[[PlayedTurn], str]

ECHO_WORDS = 4
"""Fewer words than these may be said back: greetings are alike."""

ECHO_SHARE = 0.6
"""Minimum share of its runs of three words in one line of another's that makes a speech an echo."""

_ASSISTANT = re.compile(
    r"""\bas\ an?\ (?:ai|artificial|language\ model|assistant|virtual)\b | \blanguage\ model\b
    | \bassist(?:an\w+|ed|ing)?\b | \bsystem\ prompt\b | \bmore\ context\b | \bthe\ provided\b
    | \b(?:how|what)\ (?:can|may|could)\ i\ (?:help|do\ for)\b
    | \banything\ else\ (?:i\ can|you(?:'d|\ would)?\ (?:need|want|like\ (?:help|me|to\ know)))\b
    | \bi(?:'m|\ am)\ sorry,?\ (?:but\ )?i\ (?:can'?t|cannot|can\ not|am\ (?:not|un)\ ?able\ to)
      \ (?:do\ th(?:at|is)|help|answer|provide|comply|fulfil|process|continue|discuss|engage|share|respond)\b
    | \bi\ (?:don'?t|do\ not)\ have\ (?:the\ |any\ )?(?:ability|access|information)\b
    | \bi\ (?:can'?t|cannot|am\ (?:unable|not\ able)\ to)\ (?:help\ (?:you\ )?with|provide|fulfil|comply|process)\b
    | \bunderstand\ (?:the|your)\ (?:question|request|prompt|input|message|instructions?)\b
    | \bi(?:'m|\ am)\ (?:just\ )?an?\ (?:ai|chatbot|bot|robot|program|machine)\b | \bhow\ to\ respond\b
    | \bopenai\b | \bqwen\b | \bgemma\b""",
    re.IGNORECASE | re.VERBOSE,
)
_MARKUP = re.compile(r"[{}<>\[\]]|\*\*|```|^\s*#|\\n|<\||\|>")
_SPOKEN_COMMAND = re.compile(r"^\s*(?:say\s+[\"'“]|say (?:hello|hi|good)\b|(?:whisper|emote) [A-Z]\w+\b|~\w+>)")
_TALK = "says?|said|asks?|asked|replies|replied|answers?|answered|whispers?|whispered"
_GREETING = (
    r"hello|hi|hey|good (?:morning|day|afternoon|evening|night)|thank you|thanks|welcome|farewell|goodbye|good-bye|bye"
    r"|dear|guten (?:morgen|tag|abend)|bonjour|bonsoir|salut|merci|danke|auf wiedersehen"
)
_NAMED = (
    r"who|whose|he|she|they|and|or|but|as it|as always|at your|mostly|usually|perhaps|maybe|i (?:think|believe)"
    r"|(?:the |our )?(?:[\w-]+ )?(?:keeper|weir-keeper|writer|day-writer|man|woman|one|neighbour)"
)
"""The continuation after a name and a comma that names somebody, as `Moss, who keeps the ferns`, and calls nobody."""

_LOST = "lost|left|dropped|forgot|forgotten|misplaced|broke|broken|missed"


def all_of(*checks: Check) -> Check:
    """Return a check that passes when all of the given ones do."""
    return lambda turn: next((wrong for check in checks if (wrong := check(turn))), "")


def any_of(*checks: Check) -> Check:
    """Return a check that passes when one of the given ones does."""

    def check(turn: PlayedTurn) -> str:
        wrongs = [one(turn) for one in checks]
        return "" if "" in wrongs else f"neither: {'; nor: '.join(wrongs)}"

    return check


def answers(to: str, by: str = "say") -> Check:
    """Return a check that the agent speaks to somebody through a channel, and in no words to anybody else."""

    def check(turn: PlayedTurn) -> str:
        if not turn.speeches:
            return f"did not answer {to}"
        for speech in turn.speeches:
            if speech.channel != by:
                return f"answered by {speech.channel} and not by {by}"
            if speech.to != to and (speech.to or by != "say"):
                return f"spoke to {speech.to}, not to {to}"
            if wrong := addressed(speech.text, turn.people - {to, turn.agent}):
                return f"spoke to {wrong[0]}, not to {to}"
        return ""

    return check


def keeps_quiet(turn: PlayedTurn) -> str:
    """Check that the agent says nothing at all; a pose is no word."""
    return f"said {turn.speeches[0].text!r}" if turn.speeches else ""


def acts(turn: PlayedTurn) -> str:
    """Check that the agent does something, no matter what."""
    return "" if turn.acts else "did nothing"


def poses(turn: PlayedTurn) -> str:
    """Check that the agent shows something by an emote."""
    return "" if turn.poses else "no pose"


def mentions(*words: str) -> Check:
    """Return a check that one of the words, or the beginnings of words, is spoken."""
    return lambda turn: "" if has_any(_spoken(turn), words) else f"did not speak of {' or '.join(words)}"


def says(pattern: str) -> Check:
    """Return a check that something spoken fits a pattern, in any case of letters."""
    return lambda turn: "" if re.search(pattern, _spoken(turn).replace("’", "'"), re.IGNORECASE) else "beside the point"


def shows(pattern: str) -> Check:
    """Return a check that a pose fits a pattern, in any case of letters."""
    return lambda turn: "" if any(re.search(pattern, pose, re.IGNORECASE) for pose in turn.poses) else "no such pose"


def is_about(words: str) -> Check:
    """Return a check that a speech is to the point: that it has one of many words, or of their beginnings.

    They are separated by spaces. This refuses what has nothing to do with the matter, and lets much else pass.
    """
    check = mentions(*words.split())
    return lambda turn: "beside the point" if check(turn) else ""


def leaves_out(*words: str) -> Check:
    """Return a check that none of the words, or beginnings of words, is spoken or posed."""

    def check(turn: PlayedTurn) -> str:
        found = [word for word in words if has_any(_shown(turn), [word])]
        return f"spoke of {found[0]}" if found else ""

    return check


def never_says(pattern: str) -> Check:
    """Return a check that nothing spoken fits a pattern, in any case of letters."""
    return lambda turn: (
        "said what it should not" if re.search(pattern, _spoken(turn).replace("’", "'"), re.IGNORECASE) else ""
    )


def at_most_words(count: int) -> Check:
    """Return a check that each speech has at most a number of words."""

    def check(turn: PlayedTurn) -> str:
        most = max((len(words_in(speech.text)) for speech in turn.speeches), default=0)
        return f"spoke {most} words" if most > count else ""

    return check


def goes_to(*rooms: str) -> Check:
    """Return a check that the agent has walked into one of the rooms."""
    return lambda turn: "" if turn.room != turn.room_before and turn.room in rooms else f"is in {turn.room}"


def stays(turn: PlayedTurn) -> str:
    """Check that the agent is where it was."""
    return "" if turn.room == turn.room_before else f"walked off to {turn.room}"


def takes(thing: str) -> Check:
    """Return a check that the agent picks a thing up."""
    return lambda turn: "" if turn.took(thing) else f"did not take the {thing}"


def gives(thing: str, to: str) -> Check:
    """Return a check that the agent hands a thing to somebody."""
    return lambda turn: "" if turn.gave(thing, to) else f"did not give {to} the {thing}"


def keeps(thing: str) -> Check:
    """Return a check that the agent still has a thing."""
    return lambda turn: "" if thing in turn.carries else f"has not kept the {thing}"


def puts_down(thing: str) -> Check:
    """Return a check that the agent puts a thing down."""
    return lambda turn: "" if turn.dropped(thing) else f"did not put the {thing} down"


def does(line: str) -> Check:
    """Return a check that this command was given, and not refused."""

    def check(turn: PlayedTurn) -> str:
        done = {_plain(act.line) for act in turn.acts if not act.performed.refusal}
        return "" if _plain(line) in done else f"did not {line!r}"

    return check


def does_not(*lines: str) -> Check:
    """Return a check that none of the commands was given; `look` includes `examine`."""

    def check(turn: PlayedTurn) -> str:
        done = {_plain(act.line) for act in turn.acts}
        found = [line for line in lines if _plain(line) in done]
        return f"did {found[0]!r}" if found else ""

    return check


def flaws(turn: PlayedTurn) -> str:
    """Return the fault of a turn in any situation, or an empty string."""
    if turn.failure:
        return turn.failure
    if turn.refusals:
        return f"refused: {turn.refusals[0]}"
    checks = (repeats, echoes, is_assistant_talk, swaps_persons, speaks_for_others, has_markup)
    return next((wrong for check in checks if (wrong := check(turn))), "")


def repeats(turn: PlayedTurn) -> str:
    """Return the repetition of an earlier act of the agent; walking is no repeat."""
    done = {_plain(line) for line in turn.own_lines}
    again = [act.line for act in turn.acts if act.verb != "go" and _plain(act.line) in done]
    return f"repeated {again[0]!r}" if again else ""


def echoes(turn: PlayedTurn) -> str:
    """Return the words of another's that the agent says back: any line whole, and the last one in part."""
    texts, said_before = [speech.text for speech in turn.speeches], turn.heard
    found = [heard for text in texts for heard in said_before[-1:] if is_echo(text, heard)]
    found += [
        heard for text in texts for heard in said_before if len(words_in(heard)) >= ECHO_WORDS and _is_same(text, heard)
    ]
    return f"echoed {found[0]!r}" if found else ""


def is_assistant_talk(turn: PlayedTurn) -> str:
    """Return the words of an assistant, rather than of a person in the world, that were spoken."""
    found = _ASSISTANT.search(_shown(turn).replace("’", "'"))
    return f"assistant talk: {found[0]!r}" if found else ""


def swaps_persons(turn: PlayedTurn) -> str:
    """Return where the agent takes itself for another, or another for itself."""
    name, text = turn.agent, _spoken(turn).replace("’", "'")
    others = "|".join(re.escape(one) for one in sorted(turn.people - {name}))
    patterns = [
        rf"\b(?:your name is|you are|you're|du bist|tu es|vous êtes) {name}\b",
        rf"\b{name} (?:(?:is|was)(?! my\b)|has|had|will|says|said|lost|likes|asks|writes|looks|nods|does)\b",
    ]
    if others:
        patterns.append(
            rf"\b(?:i am|i'm|my name is|my name's|call me|ich bin|ich heiße|je suis|je m'appelle) (?:{others})\b"
        )
    for theirs in map(re.escape, turn.theirs):
        patterns += [
            rf"\b(?:my|mine|our|mein\w*|mon|ma|mes) (?:(?!your\b)[\w'-]+,? ){{0,2}}{theirs}",
            rf"\b(?:i|i've|i have|i had) (?:just )?(?:{_LOST}),? (?:[\w'-]+,? ){{0,3}}{theirs}",
        ]
    found = next((match for one in patterns if (match := re.search(one, text, re.IGNORECASE))), None)
    if found:
        return f"swapped persons: {found[0]!r}"
    return f"spoke to itself as {name}" if any(addressed(one.text, {name}) for one in turn.speeches) else ""


def speaks_for_others(turn: PlayedTurn) -> str:
    """Return where words are put into another's mouth, or the agent tells its own words like a narrator.

    To quote what somebody has said is no such thing.
    """
    names = "|".join(re.escape(one) for one in sorted(turn.people | {turn.agent}))
    speakers = rf"(?P<by>{names}|he|she|they|you)"
    quoted = rf"\b{speakers} (?:{_TALK})\b[^.!?\"“«]{{0,20}}[:,]\s*[\"“'«](?P<quote>[^\"”»\n]*)"
    labelled = rf"(?:^|[.!?\"”]\s+)(?:{names})\s*(?:\([^)]*\))?:\s"
    for found in re.finditer(f"{quoted}|{labelled}", _shown(turn), re.IGNORECASE | re.MULTILINE):
        if not (found["quote"] and _has_said(turn, found["by"], found["quote"])):
            return f"put words in a mouth: {found[0]!r}"
    return ""


def has_markup(turn: PlayedTurn) -> str:
    """Return marks and commands that were spoken as if they were words."""
    spoken = [*(speech.text for speech in turn.speeches), *turn.poses]
    found = next((match for text in spoken if (match := _MARKUP.search(text) or _SPOKEN_COMMAND.search(text))), None)
    return f"not speech: {found[0]!r}" if found else ""


def addressed(text: str, names: Iterable[str]) -> list[str]:
    """Return those of the names that a text calls, as `Good day, Moss.` calls Moss; not `This is Moss.`"""
    found = []
    for name in sorted(names):
        one = re.escape(name)
        first = rf"^{one},(?! (?:{_NAMED})\b)"
        last = rf"(?<!\bme)(?<!\bi)(?<!\bmyself)(?<!keeper)(?<!writer), {one}\s*(?:[.!?…]|$)"
        calls = rf"{first}|(?:^|[.!?] )(?:{_GREETING}),? {one}\b|{last}"
        if re.search(calls, text.strip(), re.IGNORECASE):
            found.append(name)
    return found


def is_echo(said: str, heard: str) -> bool:
    """Return whether a speech says another's words back: the same, one within the other, or for the most part."""
    own, other = words_in(said), words_in(heard)
    if min(len(own), len(other)) < ECHO_WORDS:
        return False
    if own == other or _contains(other, own):
        return True
    if _contains(own, other) and len(own) - len(other) < ECHO_WORDS:
        return True
    runs, known = _runs(own), set(_runs(other))
    return len(own) >= 2 * ECHO_WORDS and sum(run in known for run in runs) >= ECHO_SHARE * len(runs)


def has_any(text: str, words: Iterable[str]) -> bool:
    """Return whether one of the words is in a text, or begins a word of it, in any case of letters."""
    return any(re.search(rf"(?<!\w){re.escape(word)}", text, re.IGNORECASE) for word in words)


def _spoken(turn: PlayedTurn) -> str:
    return "\n".join(speech.text for speech in turn.speeches)


def _shown(turn: PlayedTurn) -> str:
    return "\n".join([*(speech.text for speech in turn.speeches), *turn.poses])


def _has_said(turn: PlayedTurn, who: str, quote: str) -> bool:
    """Return whether somebody has said the words of a quote; a pronoun means anybody."""
    said = [one.text for one in speeches_in(turn.before) if who not in turn.people or one.who == who]
    return any(_contains(words_in(text), words_in(quote)) for text in said)


def _plain(line: str) -> str:
    return re.sub(r"^(?:examine|x|inspect|l) ", "look ", " ".join(words_in(line)))


def _is_same(text: str, other: str) -> bool:
    return words_in(text) == words_in(other)


def _runs(words: Sequence[str]) -> list[tuple[str, ...]]:
    return [tuple(words[start : start + 3]) for start in range(len(words) - 2)]


def _contains(words: Sequence[str], part: Sequence[str]) -> bool:
    return any(words[start : start + len(part)] == part for start in range(len(words) - len(part) + 1))
