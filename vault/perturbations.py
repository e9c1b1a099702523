"""Neutral perturbations of a vault, such as personas as lists, which should not change a conclusion.

Each one changes a copy of a vault in place, always in the same way.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from vault.entities.agent_notes import agent_of, only_reactions, without_reactions
from vault.errors import NoteError
from vault.note_editor import NoteEditor
from vault.vault import Vault, agent_names

EXITS = "Exits"
OTHER_NAMES = (
    "Thea Bram Ilka Corin Mara Jory Nessa Tobin Wren Aldo Petra Silas Juna Hollis Vera Osric Linnet Garrick Sela Dorn"
).split()
"""What agents are called instead, in the order of their names."""

TEXT_FILES = ("*.md", "*.jsonl")
_SENTENCE_END = re.compile(r"(?<=[.!?])[ \t]+(?=\S)")

OTHER_WORDS = {
    "You act by typing one command a line": "Each line that you type is one command",
    "Nobody sees the reason.": "The reason is seen by no one.",
    "You can type:": "These can be typed:",
    "What you know for certain:": "What is certain:",
    "You live in a text world, and you act by choosing one command at a time.": (
        "Your home is a text world, in which you act by choosing a single command at a time."
    ),
    "What stands in (brackets) happens around you.": "Whatever is written in (brackets) takes place around you.",
    "If something was refused, do something else.": "When something is refused, try something different.",
    "When nobody needs you, go on with your errand.": "While nobody needs you, carry on with your errand.",
    "You can type one of these:": "One of these can be typed:",
    "Stay in character as {name}": "Remain in character as {name}",
    "Never repeat yourself.": "Do not say the same thing twice.",
    "one or two short sentences": "a short sentence or two",
}
"""Rules of the templates, and the same in other words."""


def reorder_exits(vault: Vault) -> None:
    """List the exits of every room in the opposite order, and so the rooms that they lead to. Raises: NoteError."""
    for name in vault.names("rooms"):
        text = vault.read_exact("rooms", f"{name}.md")
        editor = NoteEditor(text, f"rooms/{name}.md")
        entries = list(editor.note.entries(EXITS))
        lines = text.split("\n")
        written = [lines[one.line - 1 : one.end - 1] for one in entries]
        for one, other in zip(reversed(entries), written, strict=True):  # from the last, so that numbers stay right
            lines[one.line - 1 : one.end - 1] = other
        vault.write_text("\n".join(lines), "rooms", f"{name}.md")


def rename_agents(vault: Vault) -> None:
    """Give every agent another name, wherever it stands in the vault. Raises: NoteError if there are too few names."""
    paths = [path for pattern in TEXT_FILES for path in sorted(vault.root.rglob(pattern))]
    texts = {path: path.read_text(encoding="utf-8") for path in paths}
    agents = sorted(agent_names(vault))
    words = {word for text in texts.values() for word in re.findall(r"\w+", text)}
    free = [name for name in OTHER_NAMES if name not in words]
    if len(free) < len(agents):
        raise NoteError(f"there are other names for {len(free)} agents, and the vault has {len(agents)}; use --agents.")
    other = dict(zip(agents, free, strict=False))
    any_name = re.compile(rf"\b(?:{'|'.join(map(re.escape, agents))})\b") if agents else None
    for path, text in texts.items():
        if any_name and (changed := any_name.sub(lambda found: other[found[0]], text)) != text:
            path.write_text(changed, encoding="utf-8")
    for name in agents:
        vault.path("agents", name).rename(vault.path("agents", other[name]))


def list_personas(vault: Vault) -> None:
    """Write every agent's profile as a list, a sentence an item, instead of as prose. Raises: NoteError."""
    for name in agent_names(vault):
        parts = ("agents", name, "agent.md")
        editor = NoteEditor(vault.read_exact(*parts), "/".join(parts))
        prose = without_reactions(editor.note)
        sentences = [one for line in prose.split("\n") if line.strip() for one in _SENTENCE_END.split(line.strip())]
        listed = "\n".join(f"- {one}" for one in sentences)
        editor.set_body("\n\n".join(part for part in (listed, only_reactions(editor.note)) if part))
        agent_of(editor.note, name)
        vault.write_text(str(editor), *parts)


def reword_rules(vault: Vault) -> None:
    """Say the rules of the templates in other words. Raises: NoteError if none of those that are known is there."""
    found = 0
    for name in vault.names("templates"):
        before = text = vault.read_exact("templates", f"{name}.md")
        for words, others in OTHER_WORDS.items():
            text = text.replace(words, others)
        if text != before:
            found += 1
            vault.write_text(text, "templates", f"{name}.md")
    if not found:
        raise NoteError("templates/: none of the rules that can be reworded stands here; use the factor templates.")


PERTURBATIONS: Mapping[str, Callable[[Vault], None]] = {
    "rooms": reorder_exits,
    "names": rename_agents,
    "persona": list_personas,
    "rules": reword_rules,
}
