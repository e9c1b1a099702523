"""Escaping: words of others in a prompt never become a part of the prompt's own form.

Marks that a model takes for the beginning or end of a turn are broken up with a space. No tokenizer finds them then,
and every reader sees what was said. Prompts are escaped as they are built; memories keep the exact words.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache

from vault.errors import NoteError
from vault.vault import STARTER, Vault

SLOT = re.compile(r"\{([a-z_]+)\}")
KEPT_LINES = 8192
LONGEST_KEPT = 400
KEPT_LONG_LINES = 512
"""Caches of escaped lines: the same lines are in prompt after prompt, and in those of everybody who was there."""

# Marks of chat templates and tokenizers: <|im_end|>, <start_of_turn>, </s>, <<SYS>>, <｜User｜>, [INST], [gMASK],
# [@BOS@], ◁think▷, ]~b], >>QUESTION<<. A plain word in them, such as <text>, is how commands tell what they take.
_TOKEN = re.compile(
    r"<(?!/?[A-Za-z-]+>)(?=[^\s<>]{1,64}>)|<(?=</?[A-Za-z]{1,9}>>)"
    r"|<(?=/?(?i:s|bos|eos|pad|unk|mask|sep|cls|sop|eop|think|image|audio|video"
    r"|system|user|assistant|human|bot|model|instruction)>)"
    r"|\[(?=/?@?[A-Z][A-Z0-9_@]{2,40}\]|[gs]MASK\]|e~\[)|\](?=~)|◁(?=/?\w)|>>(?=[A-Z]+<<)"
)
# Every rule above begins with one of these, and most lines hold none.
_TOKEN_START = re.compile(r"[<\[\]◁]|>>")
_PROMPT = re.compile(r"~(?=\w[\w' -]{0,40}>)")
# The lookbehind runs only where there is a tilde: everywhere, it would take a hundred times as long.
_PROMPT_WITHIN = re.compile(rf"~(?<=.~){_PROMPT.pattern.removeprefix('~')}")
_HEADING = re.compile(r"#(?=#)")
_ROLE = re.compile(
    r"^([ \t]*)((?:system|user|assistant|human|ai|bot|model|developer|instructions?|input|output|response|prompt)"
    r"[ \t]*(?=[:>]))",
    re.IGNORECASE | re.MULTILINE,
)
_RULE = re.compile(r"^([ \t]*)(-{3,}|={3,}|`{3,}|~{3,})(?=[ \t]*$)", re.MULTILINE)
# Every rule above needs one of these; most of what is said has none, and a prompt is made of a thousand lines.
_SUSPECT = re.compile(r"[<>\[\]◁~#:=`]|---")


def plain(text: str) -> str:
    """Return text without the marks that have a meaning for a model's template or tokenizer."""
    return _PROMPT.sub("~ ", _without_tokens(text)) if _SUSPECT.search(text) else text


def typed(text: str) -> str:
    """Return the same of lines that show what an agent has typed: `~Moss>` stays where a line begins."""
    return _PROMPT_WITHIN.sub("~ ", _without_tokens(text))


def quoted(text: str) -> str:
    """Return a text of others, as `plain` and with no line that could begin a turn or a part of a prompt."""
    return _kept(text) if len(text) <= LONGEST_KEPT else _kept_long(text)


def filling(values: Mapping[str, str]) -> dict[str, str]:
    """Return the values of a template's slots, each escaped by whose words it holds."""
    return {slot: _FILLED_BY.get(slot, quoted)(text) for slot, text in values.items()}


def filled(template: str, values: Mapping[str, str]) -> str:
    """Return a template with what fills its slots; a slot without a value stays."""
    texts = filling(values)
    return SLOT.sub(lambda slot: texts.get(slot[1], slot[0]), template)


def load_template(vault: Vault, parts: Sequence[str], slots: Iterable[str]) -> str:
    """Return the text of a template note, the starter world's if the vault has none.

    Raises: NoteError if it lacks one of the slots.
    """
    source = vault if vault.exists(*parts) else Vault(STARTER)
    text = source.read(*parts).body.strip()
    if missing := [slot for slot in slots if f"{{{slot}}}" not in text]:
        present = ", ".join(dict.fromkeys(slot[0] for slot in SLOT.finditer(text))) or "none"
        fault = f"the slot {{{missing[0]}}} is missing; it has {present}"
        raise NoteError(f"{'/'.join(parts)}: {fault}. Without the file, the built-in one counts.")
    return text


def _quoted(text: str) -> str:
    if not _SUSPECT.search(text):
        return text
    text = _HEADING.sub("# ", _PROMPT.sub("~ ", _without_tokens(text)))
    return _RULE.sub(r"\1'\2'", _ROLE.sub(r"\1'\2'", text))


_kept = lru_cache(KEPT_LINES)(_quoted)
_kept_long = lru_cache(KEPT_LONG_LINES)(_quoted)


def _without_tokens(text: str) -> str:
    return _TOKEN.sub(r"\g<0> ", text) if _TOKEN_START.search(text) else text


def _as_it_is(text: str) -> str:
    return text


# Any other slot, such as a component's, may hold anybody's words.
_FILLED_BY: dict[str, Callable[[str], str]] = {
    **dict.fromkeys(("name", "commands", "sentences"), _as_it_is),
    **dict.fromkeys(("tail", "before", "since", "yesterday", "memories", "past"), typed),
    **dict.fromkeys(("profile", "older", "recent", "notice", "partner", "menu", "offers", "objection"), plain),
}
