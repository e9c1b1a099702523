"""Faults in a vault that only minds can tell: templates, settings of strategies, summaries that do not fit."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import suppress

from agents.commands import mind_commands
from agents.escaping import load_template
from agents.memory.coverage import resolve_ranges
from agents.memory.strategy import loaded_strategies
from agents.memory.summaries.prompt import LONGTERM, RECENT, SECTIONED, parse_summary_template
from agents.models.adapter import TokenEstimate
from agents.population import AUTO_TEMPLATE, TALK_TEMPLATES
from agents.prompts.builder import parse_talk_template
from agents.prompts.prompt import parse_template
from agents.reflection import reflecting
from agents.turn.asking import too_long_profile
from config.profiles import THINKER, ModelProfile, legacy_thinker
from config.settings import AgentSettings
from vault.config_notes import load_settings
from vault.entities.agent_notes import load_agent
from vault.errors import NoteError
from vault.findings import Finding, Overlay, collect_errors
from vault.memory.summaries import LONGTERM as LONGTERM_NOTE
from vault.memory.summaries import RECENT as RECENT_NOTE
from vault.memory.summaries import SummaryFolder
from vault.note import Note
from vault.vault import Vault, agent_names

SLOTS_OF = {"/".join(one.TEMPLATE): one.SLOTS for one in (mind_commands, reflecting)}
"""The slots that templates of their own need."""


def check_minds(vault: Vault) -> Iterator[Finding]:
    """Yield the faults of templates, of settings of strategies, and of the sequence of summaries."""
    names = agent_names(vault)
    for folder in ("templates", *(f"agents/{name}/templates" for name in names)):
        for name in vault.names(folder):
            source = f"{folder}/{name}.md"
            yield from collect_errors(Overlay(vault), lambda vault, source=source: _template(vault, source))  # type: ignore[misc]
    yield from collect_errors(Overlay(vault), loaded_strategies().load_settings)
    yield from _profiles_too_long(vault, names)
    for name in names:
        yield from collect_errors(Overlay(vault), lambda vault, name=name: _own_settings(vault, name))  # type: ignore[misc]
        yield from _named_template(vault, name)
        yield from _fitting(vault, name)


def _template(vault: Vault, source: str) -> None:
    if not vault.exists(source):
        return
    note = vault.read(source)
    step = _step(source)
    if source in SLOTS_OF:
        load_template(vault, source.split("/"), SLOTS_OF[source])
    elif step:
        parse_summary_template(note, step)
    elif source.rpartition("/")[2].removesuffix(".md") in TALK_TEMPLATES:
        parse_talk_template(note.body, source, note.body_line)
    else:
        # So many empty lines before it, that a line has the number that it has in the file.
        parse_template("\n" * (note.body_line - 1) + note.body, source)


def _own_settings(vault: Vault, name: str) -> None:
    if vault.exists("agents", name, "agent.md"):
        strategies = loaded_strategies()
        strategies.settings_of(load_agent(vault, name), strategies.settings_kind())


def _profiles_too_long(vault: Vault, names: Iterable[str]) -> Iterator[Finding]:
    """Yield the profiles that by a careful estimate have more tokens than the context of their model."""
    try:
        settings = load_settings(vault, loaded_strategies().settings_kind)
    except NoteError:
        return  # the check of settings reports it
    thinker = settings.profiles.get(THINKER, ModelProfile(THINKER)).inherit_from(legacy_thinker(settings.models))
    for name in names:
        with suppress(NoteError):
            note = load_agent(vault, name)
            own = settings.profiles.get(note.agent_settings(settings.agents).model_profile, thinker)
            context_tokens = own.inherit_from(thinker).settings.num_ctx
            tokens = TokenEstimate().count(note.profile)
            if tokens > context_tokens:
                yield Finding(note.source, 0, str(too_long_profile("it", tokens, context_tokens)))


def _step(source: str) -> str:
    name = source.rpartition("/")[2].removesuffix(".md")
    return next((step for step in (RECENT, LONGTERM, SECTIONED) if name == step or name.startswith(f"{step}_")), "")


def _named_template(vault: Vault, name: str) -> Iterator[Finding]:
    note = _agent_note(vault, name)
    wanted = note.properties.get("template") if note else None
    known = [AgentSettings().template, AUTO_TEMPLATE, *vault.names("templates")]
    if note and wanted and str(wanted) not in [*known, *vault.names(f"agents/{name}/templates")]:
        line = note.property_lines.get("template", 1)
        yield Finding(note.source, line, f"there is no template {wanted!r}; there are {', '.join(known)}.")


def _agent_note(vault: Vault, name: str) -> Note | None:
    try:
        load_agent(vault, name)
        return vault.read("agents", name, "agent.md")
    except NoteError:
        return None  # the check of settings reports it


def _fitting(vault: Vault, name: str) -> Iterator[Finding]:
    folder = SummaryFolder(vault, name)
    try:
        settled = resolve_ranges(folder.read(LONGTERM_NOTE), folder.read(RECENT_NOTE))
    except NoteError:
        return  # the check of memories reports it
    for note, why in settled.objections:
        source = f"agents/{name}/summaries/{note}"
        line = vault.read(source).property_lines.get("covers", 1)
        yield Finding(source, line, f"{why}; it will not be told.")
