"""All situations, read from the YAML files of this folder: for tuning, and held back.

A file has groups, a group has situations by name, and these have

    places: {Eliza: The Landing, Bruno: Eel Stage}   # who is where; the first is the agent that is judged
    clock: '21:30'                                   # the time of day; 10:00 without it
    carries: {Bruno: [gauge slip]}                   # what they have
    errand: {The Mill: get brass lantern, Pump Yard} # rooms or persons to go to, and what to do there
    theirs: [kite, red kite]                         # what the agent must not call its own
    script: Bruno> go west                           # lines, see `Situation`
    wanted: answers("Bruno") and (mentions("kite") or NODS)
    right: say Your kite! | emote nods               # commands to test `wanted` with; `nothing` is to do nothing
    wrong: nothing | say My kite.

`wanted` joins the checks of `bench.minds.checks` and `words` by `and`, `or` and brackets.
"""

from __future__ import annotations

import ast
import inspect
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Any

import yaml

from bench.minds import checks
from bench.minds.checks import Check, all_of, any_of
from bench.minds.situation import ScriptError, Situation, Step
from bench.minds.situations import words

TUNING = (
    *("talk", "questions", "news", "recall", "gifts", "private", "company", "keep_out", "farewells"),
    *("errands", "deeds", "pressure", "more_talk", "more_pairs", "more_company", "more_deeds"),
    *("unseen_talk", "unseen_pairs", "unseen_deeds"),
    *("fourth_talk", "fourth_recall", "fourth_pairs", "fourth_deeds"),
    *("fifth_talk", "fifth_recall", "fifth_pairs", "fifth_deeds"),
    *("sixth_talk", "sixth_recall", "sixth_pairs", "sixth_deeds"),
    "seventh",
)
HELD_BACK = ("eighth", "ninth")
HALVES = ("tuning", "held-back", "all")
FOLDER = Path(__file__).parent
NOTHING = "nothing"
KEYS = ("places", "clock", "carries", "errand", "theirs", "script", "wanted", "right", "wrong")
NO_TEXTS: Mapping[str, type] = MappingProxyType({"places": dict, "carries": dict, "errand": dict, "theirs": list})
NEEDED = ("places", "wanted", "right", "wrong")
VOCABULARY: Mapping[str, Any] = MappingProxyType(
    {
        name: value
        for module in (checks, words)
        for name, value in vars(module).items()
        if name[0] != "_" and (name.isupper() or getattr(value, "__module__", "") == module.__name__)
    }
)


def situations_of(half: str, only: str = "") -> Sequence[Situation]:
    """Return the situations of one of `HALVES`, or the one called `only`, whichever half it is in.

    Raises: ValueError if there is no such situation; ScriptError if a file is wrong.
    """
    every = _every()
    if only:
        found = [one for one in every if one.name == only]
        if not found:
            raise ValueError(f"There is no situation {only!r}. There are: {', '.join(one.name for one in every)}.")
        return found
    return [one for one in every if half == "all" or one.is_held_back == (half == "held-back")]


@cache
def _every() -> tuple[Situation, ...]:
    return tuple(
        one
        for files, is_held_back in ((TUNING, False), (HELD_BACK, True))
        for name in files
        for one in situations_in(FOLDER / f"{name}.yaml", is_held_back)
    )


def situations_in(path: Path, is_held_back: bool = False) -> Iterator[Situation]:
    """Return the situations of a file. Raises: ScriptError, which names the file, the situation and what is wrong."""
    try:
        groups = yaml.load(path.read_text(encoding="utf-8"), Loader=_Texts)
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
        raise ScriptError(f"{path.name}: {error}") from error
    for group, situations in groups.items():
        for name, fields in situations.items():
            try:
                yield _situation(name, group, fields, is_held_back)
            except (ScriptError, AttributeError, TypeError) as error:
                raise ScriptError(f"{path.name}: {name}: {error}") from error


def parse_check(text: str) -> Check:
    """Return the check that an expression says, as `answers("Bruno") and TERSE`. Raises: ScriptError."""
    try:
        return _check(ast.parse(text, mode="eval").body)
    except SyntaxError as error:
        raise ScriptError(f"{text!r}: {error.msg}") from error


class _Texts(getattr(yaml, "CBaseLoader", yaml.BaseLoader)):  # type: ignore[misc]  # one that is there
    """Reads all values as texts, `no` and `10:00` too, and refuses a key that is there twice."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[str, Any]:
        keys = [key.value for key, _ in node.value]
        if twice := next((key for key in keys if keys.count(key) > 1), None):
            raise yaml.constructor.ConstructorError(None, None, f"{twice!r} is there twice", node.start_mark)
        return dict(super().construct_mapping(node, deep=True))


def _situation(name: str, group: str, fields: Mapping[str, Any], is_held_back: bool) -> Situation:
    wrong = [f"there is no {key!r}" for key in fields if key not in KEYS]
    wrong += [f"{key!r} is missing" for key in NEEDED if key not in fields]
    kinds = {key: NO_TEXTS.get(key, str) for key in KEYS}
    wrong += [
        f"{key!r} is no {kind.__name__}" for key, kind in kinds.items() if not isinstance(fields.get(key, kind()), kind)
    ]
    if wrong:
        raise ScriptError(f"{wrong[0]}; a situation has {', '.join(KEYS)}.")
    return Situation(
        name,
        group,
        next(iter(fields["places"])),
        fields["places"],
        tuple(fields.get("script", "").splitlines()),
        parse_check(fields["wanted"]),
        _commands(fields["right"]),
        _commands(fields["wrong"]),
        carries={who: tuple(own) for who, own in fields.get("carries", {}).items()},
        errand=tuple(Step(where, do) for where, do in fields.get("errand", {}).items()),
        theirs=tuple(fields.get("theirs", ())),
        clock=fields.get("clock", "10:00"),
        is_held_back=is_held_back,
    )


def _commands(text: str) -> tuple[str, ...]:
    return tuple("" if one == NOTHING else one for one in text.split(" | "))


def _check(node: ast.expr) -> Check:
    if isinstance(node, ast.BoolOp):
        join = all_of if isinstance(node.op, ast.And) else any_of
        return join(*map(_check, node.values))
    check = _value(node)
    if not callable(check) or "turn" not in inspect.signature(check).parameters:
        raise ScriptError(f"{ast.unparse(node)!r} is no check; expected one as answers('Bruno') or keeps_quiet.")
    return check  # type: ignore[no-any-return]


def _value(node: ast.expr) -> Any:
    if isinstance(node, ast.Constant):
        return node.value
    if isinstance(node, ast.Call) and not node.keywords:
        return _value(node.func)(*map(_value, node.args))
    if not isinstance(node, ast.Name):
        raise ScriptError(f"{ast.unparse(node)!r} is not understood; expected checks joined by 'and' and 'or'.")
    if node.id not in VOCABULARY:
        raise ScriptError(f"there is no {node.id!r}; there are: {', '.join(sorted(VOCABULARY))}.")
    return VOCABULARY[node.id]
