"""The message catalog: every sentence of the world, with `{variables}`, by note and key.

`wording("movement.no_exit", wanted="attic", exits="north")` is the sentence `no_exit` of `text/movement.md`, so that
a world can speak German or Elvish. A world that was given no sentences says their names and values.

Markup counts only in texts that are the world's own from beginning to end, never in what people or models say:
`==words==` in a style, `[words](https://…)` for a link.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

_VARIABLE = re.compile(r"\{([a-z_]+)\}")


class Wording:
    """All sentences of a world by `note.name`. Values are put in as they are and never read for variables again."""

    def __init__(self, sentences: Mapping[str, str] | None = None) -> None:
        self._sentences = dict(sentences or {})
        self._forms: dict[str, str] = {}
        self._parts: dict[str, list[str]] = {}

    @property
    def sentences(self) -> Mapping[str, str]:
        """The sentences as the notes have them, by `note.name`."""
        return self._sentences

    def __call__(self, key: str, /, **values: object) -> str:
        """Return a sentence with its variables filled in; one without a wording is its name and its values."""
        if key not in self._sentences:
            return ": ".join([key, *([", ".join(map(str, values.values()))] if values else [])])
        form = self._forms.get(key) or self._forms.setdefault(key, _template(self._sentences[key]))
        return form.format_map(values)

    def listed(self, key: str, /, **values: object) -> list[str]:
        """Return the items of a list, which stand with a semicolon and a blank between them; none without the list."""
        return self(key, **values).split("; ") if key in self._sentences else []

    def read(self, key: str, text: str, **known: str) -> dict[str, str] | None:
        """Return the values with which a sentence would be this text, whatever the case; None if it never would.

        Of `known` variables the values are known already. Where a text can be read in several ways, the first
        variables have as few characters as can be. The work grows with the length of the text and no faster.
        """
        parts = self._parts.get(key) or self._parts.setdefault(key, _VARIABLE.split(self._sentences.get(key, key)))
        names, fixed = _unknown_variables(parts, known)
        found = _match_values(text, names, fixed)
        return None if found is None else found | {name: known[name] for name in parts[1::2] if name in known}

    def join_and(self, names: Sequence[str]) -> str:
        """Return `a`, `a and b`, `a, b and c` in the world's language."""
        return self._join(names, "lists.and", "and")

    def join_or(self, names: Sequence[str]) -> str:
        """Return `a`, `a or b`, `a, b or c` in the world's language."""
        return self._join(names, "lists.or", "or")

    def _join(self, names: Sequence[str], key: str, plain: str) -> str:
        if len(names) < 2:
            return "".join(names)
        return f"{', '.join(names[:-1])} {self._sentences.get(key, plain)} {names[-1]}"


def _unknown_variables(parts: Sequence[str], known: Mapping[str, str]) -> tuple[list[str], list[str]]:
    """Return the variables of a sentence that are not known, and the folded text before, between and behind them."""
    names, fixed = list[str](), [parts[0]]
    for variable, behind in zip(parts[1::2], parts[2::2], strict=True):
        if variable in known:
            fixed[-1] += known[variable] + behind
        else:
            names.append(variable)
            fixed.append(behind)
    return names, [_fold_case(part) for part in fixed]


def _match_values(text: str, names: Sequence[str], fixed: Sequence[str]) -> dict[str, str] | None:
    """Return the values between the fixed parts of a text, none of them empty; None if a part is missing.

    A part is matched at the first place that fits, which leaves the most room for the rest, and never tried again. A
    variable that comes twice has the value that fits first.
    """
    folded, place = _fold_case(text), len(fixed[0])
    end = len(folded) - len(fixed[-1])
    if not (folded.startswith(fixed[0]) and folded.endswith(fixed[-1])):
        return None
    found: dict[str, str] = {}
    for count, (name, behind) in enumerate(zip(names, fixed[1:], strict=True), 1):
        if name in found:
            stop = place + len(found[name])
            fits = folded[place:stop] == _fold_case(found[name]) and folded.startswith(behind, stop)
        else:
            stop = end if count == len(names) else folded.find(behind, place + 1, end)
            fits = stop > place
        if not fits:
            return None
        found[name] = text[place:stop]
        place = stop + len(behind)
    return found if place == len(folded) else None


def _fold_case(text: str) -> str:
    """Return a text in lower case, with as many characters as it has."""
    return text.replace("İ", "i").lower().replace("ς", "σ")


def variables(sentence: str) -> frozenset[str]:
    """Return the names of the variables in a sentence; braces around anything else are plain text."""
    return frozenset(_VARIABLE.findall(sentence))


def _template(sentence: str) -> str:
    """Return a sentence as a template for `str.format_map` with plain variables: no attributes, items or formats."""
    parts = _VARIABLE.split(sentence)
    return "".join(
        f"{{{part}}}" if place % 2 else part.replace("{", "{{").replace("}", "}}") for place, part in enumerate(parts)
    )


MARKUP = re.compile(r"==(?:(?P<style>[a-z]+): ?)?(?!\s)(?P<words>[^=\n]+?)(?<!\s)==")
LINK = re.compile(r"\[(?P<words>[^\[\]\n]+)\]\((?P<address>https?://[!-'*-~]+)\)")


def strip_markup(text: str) -> str:
    """Return a text as it reads where neither styles nor links are shown."""
    return LINK.sub(link_as_text, MARKUP.sub(r"\g<words>", text))


def link_as_text(found: re.Match[str]) -> str:
    """Return the text and the target of a link, in plain."""
    words, address = found["words"], found["address"]
    return address if words == address else f"{words} ({address})"
