"""What the world says: sentences with `{variables}`, by the note and the name under which they stand in the vault.

`wording("movement.no_exit", wanted="attic", exits="north")` is the sentence `no_exit` of `text/movement.md`, so that
a world can speak German or Elvish. A world that was given no sentences says their names and values.
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
        self._patterns: dict[str, _Pattern] = {}

    @property
    def sentences(self) -> Mapping[str, str]:
        """The sentences as they stand in the notes, by `note.name`."""
        return self._sentences

    def __call__(self, key: str, /, **values: object) -> str:
        """Return a sentence with its variables filled in; one without a wording is its name and its values."""
        if key not in self._sentences:
            return ": ".join([key, *([", ".join(map(str, values.values()))] if values else [])])
        form = self._forms.get(key) or self._forms.setdefault(key, _form(self._sentences[key]))
        return form.format_map(values)

    def read(self, key: str, text: str, **known: str) -> dict[str, str] | None:
        """Return the values with which a sentence would be this text, whatever the case; None if it never would.

        Of `known` variables the values are known already. Where a text can be read in several ways, the first
        variables have as few characters as can be.
        """
        pattern = self._patterns.get(key) or self._patterns.setdefault(key, _Pattern(self._sentences.get(key, key)))
        return pattern.read(text, known)

    def all_of(self, names: Sequence[str]) -> str:
        """Return `a`, `a and b`, `a, b and c` in the world's language."""
        return self._joined(names, "lists.and", "and")

    def any_of(self, names: Sequence[str]) -> str:
        """Return `a`, `a or b`, `a, b or c` in the world's language."""
        return self._joined(names, "lists.or", "or")

    def _joined(self, names: Sequence[str], key: str, plain: str) -> str:
        if len(names) < 2:
            return "".join(names)
        return f"{', '.join(names[:-1])} {self._sentences.get(key, plain)} {names[-1]}"


class _Pattern:
    """What a text has to be like to be a sentence, compiled once."""

    def __init__(self, sentence: str) -> None:
        self._parts = _VARIABLE.split(sentence)
        self._plain = tuple(part.lower() for part in self._parts[::2] if part)
        self._compiled = self._with({})

    def read(self, text: str, known: Mapping[str, str]) -> dict[str, str] | None:
        lower = text.lower()
        for part in self._plain:  # most texts are another sentence, which this tells sooner than the pattern would
            if part not in lower:
                return None
        match = self._compiled.fullmatch(text)
        if match is None:
            return None
        found = match.groupdict()
        if all(found.get(name, value) == value for name, value in known.items()):
            return found
        match = self._with(known).fullmatch(text)
        return {**match.groupdict(), **{name: known[name] for name in known if name in found}} if match else None

    def _with(self, known: Mapping[str, str]) -> re.Pattern[str]:
        named, pattern = set[str](), ""
        for place, part in enumerate(self._parts):
            if place % 2 == 0:
                pattern += re.escape(part)
            elif part in known:
                pattern += f"(?-i:{re.escape(known[part])})"
            else:
                pattern += f"(?P={part})" if part in named else f"(?P<{part}>.+?)"
                named.add(part)
        return re.compile(pattern, re.IGNORECASE | re.DOTALL)


def variables(sentence: str) -> frozenset[str]:
    """Return the names of the variables in a sentence; braces around anything else are plain text."""
    return frozenset(_VARIABLE.findall(sentence))


def _form(sentence: str) -> str:
    """Return what `str.format_map` makes the sentence of, and nothing else: no attributes, items or formats."""
    parts = _VARIABLE.split(sentence)
    return "".join(
        f"{{{part}}}" if place % 2 else part.replace("{", "{{").replace("}", "}}") for place, part in enumerate(parts)
    )
