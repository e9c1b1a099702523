"""The sub-command `doctor`: checks machine, vault and models, and prints problems with their remedies."""

from __future__ import annotations

import argparse
import asyncio
import json
import logging
import os
import shutil
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import asdict
from datetime import datetime
from pathlib import Path
from typing import Any

from agents.memory.strategy import loaded_strategies
from agents.models.model import ModelError
from agents.models.model_selection import EMBEDDED, GGUF, IN_PROCESS, ModelSpec, largest_suitable, refused_schema
from agents.models.profiles import specs_of
from agents.models.weights import PACKAGE, default_cache_dir, load_package, read_gguf
from config.profiles import THINKER, ModelProfile, legacy_thinker
from server.accounts.database import default_folder
from server.checks import (
    Probe,
    Result,
    accounts,
    backups,
    certificate,
    clock,
    disk_space,
    exposure,
    journals,
    notes,
    ok,
    page,
    probe_page,
    problem,
    warning,
    watch_limit,
    watches,
)
from server.options import add_accounts_option, add_vault_option, vault_root
from server.vault_check import count_with_noun, find_faults
from vault.config_notes import Settings
from vault.errors import NoteError
from vault.vault import Vault, is_vault

CHECK_SECONDS = 5.0
RUNTIME = "xllamacpp"

TryModel = Callable[[ModelSpec], str]
"""Tries a model and returns why it cannot be used, or an empty string."""

NO_SCHEMA = "Set constraint to none for it in config/models.md, or use a newer server."


def try_model(spec: ModelSpec) -> str:
    """Ask an endpoint for its model, or look for the packages of the embedded one; load nothing."""
    try:
        if spec.api in IN_PROCESS:
            load_package(RUNTIME)
            load_package(PACKAGE) if spec.api == EMBEDDED else read_gguf(spec.file)
            return ""
        model = spec.build(default_cache_dir(), CHECK_SECONDS)
        try:
            asyncio.run(model.start())
        finally:
            with suppress(RuntimeError):  # its connections belong to a loop that has ended
                asyncio.run(model.close())
    except ModelError as error:
        return str(error)
    return ""


def best_ollama_model(host: str) -> str:
    """Return the model that `auto` takes from an Ollama that lacks the one it looks for; empty if it takes none."""
    from agents.models.ollama_api import list_models  # heavy, and not always needed

    return largest_suitable(asyncio.run(list_models(host)))


def find_refusal(spec: ModelSpec) -> str:
    """Ask a server one question held to a JSON schema; return why it refused that, or an empty string."""
    return asyncio.run(refused_schema(spec.build(default_cache_dir(), CHECK_SECONDS)))


def models(
    settings: Settings,
    try_one: TryModel = try_model,
    find_best: Callable[[str], str] = best_ollama_model,
    find_refusal: TryModel = find_refusal,
) -> list[Result]:
    """Return how each model is that the settings name, the thinker's first, and what their servers refuse."""
    profiles = settings.profiles_in_force
    thinker = profiles.get(THINKER, ModelProfile(THINKER)).inherit_from(legacy_thinker(settings.models))
    usable: dict[ModelSpec, None] = {}

    def tried(spec: ModelSpec) -> str:
        if not (why := try_one(spec)):
            usable[spec] = None
        return why

    if thinker.settings.endpoints:
        specs = list(specs_of(thinker, ()))
        found = [_check_required_model(spec, tried) for spec in specs]
    else:
        specs, found = [], [_check_auto_choice(settings, thinker, tried, find_best)]
    for spec in _other_models(profiles.values(), thinker):
        if spec not in specs:
            specs.append(spec)
            found.append(_check_required_model(spec, tried))
    refusals = {spec: find_refusal(spec) for spec in usable if spec.api not in IN_PROCESS}
    return found + [_schema_refused(spec, why) for spec, why in refusals.items() if why]


def _schema_refused(spec: ModelSpec, why: str) -> Result:
    what = f"{_capital(spec.place)} refuses a JSON schema, and answers without it. {why}"
    return warning("model", what, NO_SCHEMA)


def _other_models(profiles: Iterable[ModelProfile], thinker: ModelProfile) -> Iterator[ModelSpec]:
    for profile in profiles:
        if profile.name != THINKER and profile.settings.endpoints:
            yield from specs_of(profile.inherit_from(thinker), ())


def _check_required_model(spec: ModelSpec, try_one: TryModel) -> Result:
    if why := try_one(spec):
        return problem("model", f"{_capital(spec.place)} cannot be used.", why)
    return ok("model", f"{_capital(spec.place)} can be used.")


def _check_auto_choice(
    settings: Settings, thinker: ModelProfile, try_one: TryModel, find_best: Callable[[str], str]
) -> Result:
    said, models = thinker.settings, settings.models
    embedded = ModelSpec(EMBEDDED, num_ctx=said.num_ctx)

    def ollama(name: str) -> ModelSpec:
        return ModelSpec("ollama", models.ollama_host, name, said.mode, said.num_ctx, said.keep_alive)

    kind, _, name = models.model.partition(":")
    if kind == "none":
        return ok("model", "No model is wanted: the agents sleep.")
    if kind == EMBEDDED:
        return _check_required_model(embedded, try_one)
    if kind == "ollama":
        return _check_required_model(ollama(name), try_one)
    if kind == GGUF:
        return _check_required_model(ModelSpec(GGUF, model=name, num_ctx=said.num_ctx), try_one)
    wanted = ollama(said.model or models.ollama_model)
    if not (why := try_one(wanted)):
        return ok("model", f"{wanted.place} can be used.")
    if best := find_best(models.ollama_host):
        return ok("model", f"{ollama(best).place} can be used, in place of {wanted.model}: {why}")
    if other := try_one(embedded):
        return warning("model", "The agents sleep: there is neither Ollama nor the embedded model.", f"{why} {other}")
    return ok("model", f"The embedded model can be used; Ollama cannot: {why}")


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def examine(
    root: Path,
    accounts_folder: Path,
    now: datetime,
    try_one: TryModel = try_model,
    find_refusal: TryModel = find_refusal,
    probe: Probe = probe_page,
) -> list[Result]:
    """Return how everything is that the world in a folder needs. `now` knows its zone. Changes nothing."""
    vault = Vault(root)
    if not is_vault(vault.root):
        remedy = "Name the folder of the world with --vault, or have one made: fallwater serve --vault DIR"
        return [problem("vault", f"There is no vault in {vault.root}.", remedy)]
    try:
        settings = loaded_strategies().load_settings(vault)
    except NoteError as error:
        remedy = "Mend that setting: no world opens with it."
        return [problem("settings", str(error), remedy), *_on_disk(vault, accounts_folder, now)]
    return [
        clock(now, _newest_memory(vault, now)),
        watches(sum(1 for _ in os.walk(vault.root)), watch_limit()),
        *_on_disk(vault, accounts_folder, now),
        exposure(settings.server),
        page(settings.server, settings.world.name, probe),
        certificate(settings.server, accounts_folder, now),
        *models(settings, try_one, find_refusal=find_refusal),
    ]


def report(results: Sequence[Result], as_json: bool, echo: Callable[[str], None]) -> int:
    """Print the results; return the exit code: 1 if there is a problem, 0 otherwise, even with warnings."""
    problems, warnings = (sum(one.state == state for one in results) for state in ("problem", "warning"))
    if as_json:
        rows = [asdict(one) for one in results]
        echo(json.dumps({"checks": rows, "problems": problems, "warnings": warnings}, ensure_ascii=False, indent=2))
    else:
        for sentence in _sentences(results):
            echo(sentence)
        echo(f"{count_with_noun(problems, 'problem')} and {count_with_noun(warnings, 'warning')}.")
    return 1 if problems else 0


def _on_disk(vault: Vault, accounts_folder: Path, now: datetime) -> Iterator[Result]:
    found = find_faults(vault, now.timestamp())
    yield notes(vault, found)
    yield journals(vault, found)
    yield accounts(accounts_folder)
    disk = os.statvfs(vault.root)
    yield disk_space(vault.root, shutil.disk_usage(vault.root).free, disk.f_favail if disk.f_files else None)
    yield backups(vault, now)


def _newest_memory(vault: Vault, now: datetime) -> datetime | None:
    times = [path.stat().st_mtime for path in vault.root.glob("agents/*/journal/*.md")]
    return datetime.fromtimestamp(max(times), now.tzinfo) if times else None


def _sentences(results: Sequence[Result]) -> Iterator[str]:
    for one in results:
        yield f"{one.state:8} {one.name}: {one.what}"
        if one.remedy:
            yield f"{'':8} -> {one.remedy}"


def add_doctor_command(commands: Any) -> None:
    """Declare it; `commands` is what `add_subparsers` returned."""
    doctor = commands.add_parser(
        "doctor", help="check the machine and the vault, and say what to do; exits with 1 on a problem"
    )
    add_vault_option(doctor)
    add_accounts_option(doctor)
    doctor.add_argument("--json", action="store_true", help="print JSON: an object with `checks`")


def run_doctor(options: argparse.Namespace, echo: Callable[[str], None]) -> int:
    """Look, say what was found, and return the exit code."""
    root = vault_root(options).resolve()
    folder = (options.accounts or default_folder(root)).absolute()
    logging.disable(logging.WARNING)  # what loaders warn of is among the findings
    try:
        return report(examine(root, folder, datetime.now().astimezone()), options.json, echo)
    finally:
        logging.disable(logging.NOTSET)
