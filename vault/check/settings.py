"""Faults in settings, agents' own settings, and the sentences of the world."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from config.old_names import GONE, OLD_NAMES
from config.profiles import THINKER, ModelProfile, thinker_of
from config.settings import KINDS, AgentSettings, Given, MemorySettings, is_open, setting_names
from vault.agent_notes import agent_names, load_agent
from vault.check.finding import Finding, Overlay, every_fault
from vault.config_notes import Settings, load_settings, load_text, settings_in
from vault.folder import Vault
from vault.notes import NoteError
from vault.text_notes import WHOLE, load_wording


def check_settings(vault: Vault) -> Iterator[Finding]:
    """Yield what is wrong with `config`, with the settings in `agent.md`, and with `text`."""
    overlay = Overlay(vault)
    yield from every_fault(overlay, load_settings)
    for name, kind in KINDS.items():
        source = f"config/{name}.md"
        if not overlay.is_hidden(source) and vault.exists(source):
            known = (*setting_names(kind), *(OLD_NAMES.values() if is_open(kind) else ()))
            yield from _old_names(source, _given(overlay, source), known)
    if settings := _loaded(overlay):
        yield from _contexts(settings)
    for name in agent_names(vault):
        yield from _agent(vault, name)
    yield from every_fault(Overlay(vault), load_wording)
    for name in WHOLE:
        yield from every_fault(Overlay(vault), lambda vault, name=name: load_text(vault, name))  # type: ignore[misc]


def _agent(vault: Vault, name: str) -> Iterator[Finding]:
    def load(vault: Vault) -> None:
        if vault.exists("agents", name, "agent.md"):
            note = load_agent(vault, name)
            note.agent_settings(AgentSettings())
            note.memory_settings(MemorySettings())

    overlay, source = Overlay(vault), f"agents/{name}/agent.md"
    yield from every_fault(overlay, load)
    if not overlay.is_hidden(source):
        known = (*setting_names(AgentSettings), *setting_names(MemorySettings))
        yield from _old_names(source, overlay.read(source).given, known)


def _loaded(vault: Vault) -> Settings | None:
    try:
        return load_settings(vault)
    except NoteError:  # found before
        return None


def _contexts(settings: Settings) -> Iterator[Finding]:
    """Yield profiles that want a context of their own of a model in Ollama that others use: it counts for none."""
    thinker = settings.profiles.get(THINKER, ModelProfile(THINKER)).over(thinker_of(settings.models))
    sizes: dict[tuple[str, str], tuple[str, int]] = {}
    for profile in (thinker, *(one.over(thinker) for one in settings.profiles.values() if one.name != THINKER)):
        said = profile.settings
        if said.api != "ollama":
            continue
        for place in (one.strip().rstrip("/") for one in said.endpoints.split(",")):
            first, size = sizes.setdefault((place, said.model), (profile.name, said.num_ctx))
            if size != said.num_ctx:
                text = f"num_ctx of {profile.name} is {said.num_ctx}, of {first} {size}; they use one model in Ollama"
                advice = f"which would be loaded again at each change, so {size} counts for both."
                yield Finding(profile.source, 0, f"{text}, {advice}", True)


def _given(vault: Vault, source: str) -> Mapping[str, Given]:
    try:
        return settings_in(vault.read(source))
    except NoteError:  # found before, more than once in one note
        return {}


def _old_names(source: str, given: Mapping[str, Given], known: tuple[str, ...]) -> Iterator[Finding]:
    for key, one in given.items():
        if key in OLD_NAMES and OLD_NAMES[key] in known:
            yield Finding(source, one.line, f"{key} is called {OLD_NAMES[key]} now; rename it.", True)
        elif key in GONE and key not in known:
            yield Finding(source, one.line, f"{key} counts no more. {GONE[key]}", True)
