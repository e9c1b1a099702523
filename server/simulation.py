"""Runs a simulation on a copy of a vault, and writes its folder."""

from __future__ import annotations

import asyncio
import errno
import hashlib
import json
import os
import platform
import random
import shutil
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, TextIO

from twisted.internet.task import Clock

from agents.memory.strategy import loaded_strategies
from agents.models.model import LanguageModel
from agents.simulation.models import SimulationModels, run_simulated
from agents.simulation.recording import Recording, ReplayedModels, SimulationError, TurnCursor
from agents.simulation.simulation import (
    Simulation,
    Span,
    Step,
    Tallies,
    VirtualClock,
    Watcher,
    beginning_ms,
    step_text,
    timing,
)
from server.accounts.database import AccountDatabase
from server.accounts.store import AccountStore
from server.app import Fallwater
from server.clock import Runtime
from server.options import with_model
from vault.atomic_write import NoFsyncDisk
from vault.config_notes import Settings
from vault.errors import NoteError
from vault.variant import Variant, apply_variant, folder_hash, vault_hash
from vault.vault import Vault

ID_DIGITS = 16


@dataclass(frozen=True)
class RunParameters:
    """Everything that decides what a run does, but for the program itself and the answers of the model.

    `vault` and `templates` are hashes of contents, so that a folder with another name is the same vault. `model` is
    what the command line says, None for what the vault says. `settings` are texts as in a note, by name. `agents` is
    how many are kept, None for all. `repetition` tells runs apart that are the same in all else.
    """

    vault: str
    turns: int | None = None
    hours: float | None = None
    seed: int = 0
    repetition: int = 1
    model: str | None = None
    settings: Mapping[str, str] = field(default_factory=dict)
    agents: int | None = None
    templates: str = ""
    perturbations: tuple[str, ...] = ()

    @property
    def run_id(self) -> str:
        """The hash of all parameters, in hexadecimal digits."""
        told = json.dumps(self.as_json(), sort_keys=True, separators=(",", ":"), ensure_ascii=True)
        return hashlib.sha256(told.encode()).hexdigest()[:ID_DIGITS]

    def as_json(self) -> dict[str, Any]:
        """Return them as JSON has them."""
        return {**asdict(self), "settings": dict(sorted(self.settings.items())), "perturbations": [*self.perturbations]}


BAR = 30
WIDTH = 78


class Progress:
    """A bar on a stream, drawn only if that is a terminal."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._is_shown = stream.isatty()
        self._has_drawn = False

    def show(self, number: int, share: float, words: str) -> None:
        """Draw how much is done, as a share of all of it, with the number of what was done last and a word on it."""
        if not self._is_shown:
            return
        share = min(max(share, 0.0), 1.0)
        full = round(share * BAR)
        line = f"[{'#' * full}{'.' * (BAR - full)}] {share:4.0%}  turn {number}  {words}"
        self._stream.write("\r" + line[:WIDTH].ljust(WIDTH))
        self._stream.flush()
        self._has_drawn = True

    def end(self) -> None:
        """Leave the line as it is, and go on below it."""
        if self._has_drawn:
            self._stream.write("\n")
            self._stream.flush()


_SAMPLER = ("temperature", "top_p", "repeat_penalty", "seed", "stop", "max_tokens")

MAX_HOURS = 876_000
"""A hundred years."""

WORLD, TRANSCRIPT, REPORT, TIMING = "world", "transcript.txt", "report.json", "timing.json"
RUN, RECORDING = "run.json", "recording.jsonl"
ACCOUNTS, CACHE = "accounts", ".index"


@dataclass(frozen=True)
class RunSpec:
    """The specification of a run: a vault, its length and its seed, and the new folder for the results."""

    source: Path
    out: Path
    span: Span
    seed: int = 0
    model: str | None = None
    record: Path | None = None
    variant: Variant = field(default_factory=Variant)
    repetition: int = 1
    share: Path | None = None

    def parameters(self) -> RunParameters:
        """Return the run's parameters. Raises: NoteError if the vault or the templates cannot be read."""
        templates = self.variant.templates
        return RunParameters(
            vault_hash(self.source),
            self.span.turns,
            self.span.hours,
            self.seed,
            self.repetition,
            self.model,
            self.variant.settings,
            self.variant.agents,
            folder_hash(templates, "*.md") if templates else "",
            self.variant.perturbations,
        )


def simulate(
    spec: RunSpec,
    echo: Callable[[str], None],
    progress: Progress,
    replay: ReplayedModels | None = None,
    models: Sequence[LanguageModel] = (),
    seconds: Callable[[], float] = time.monotonic,
) -> int:
    """Simulate, write everything and return how many turns there were. `models` are asked if they are given.

    Raises: NoteError, SimulationError; what there was until then is written all the same. If it could not begin,
    nothing is left, so that it can be tried again with the same folder and file.
    """
    had_folder, had_record = spec.out.exists(), spec.record is not None and spec.record.exists()
    copy_vault(spec.source, spec.out)
    try:
        return _run(spec, echo, progress, replay, models, seconds)
    except (NoteError, SimulationError):
        if not _has_begun(spec.out):
            shutil.rmtree(spec.out, ignore_errors=True)
            if had_folder:
                spec.out.mkdir(exist_ok=True)
            if spec.record and not had_record:
                spec.record.unlink(missing_ok=True)
        raise
    except OSError as error:
        raise SimulationError(f"{spec.out}: cannot be written: {error.strerror}.") from error


def _has_begun(out: Path) -> bool:
    transcript = out / TRANSCRIPT
    return transcript.is_file() and transcript.stat().st_size > 0


def _run(
    spec: RunSpec,
    echo: Callable[[str], None],
    progress: Progress,
    replay: ReplayedModels | None,
    models: Sequence[LanguageModel],
    seconds: Callable[[], float],
) -> int:
    vault = Vault(spec.out / WORLD, NoFsyncDisk())
    parameters = spec.parameters()
    apply_variant(vault, spec.variant, loaded_strategies().settings_kind)
    settings = with_model(loaded_strategies().load_settings(vault), None if replay else spec.model)
    place = replay.place if replay else TurnCursor()
    recording = Recording(spec.record, place) if spec.record else None
    span = {"turns": spec.span.turns, "hours": spec.span.hours}
    about = {"program": program_version(), "seed": spec.seed, **span, "model": spec.model}
    cast = SimulationModels(place, settings, echo, recording, replay, models, about, spec.share)
    began = seconds()
    with (spec.out / TRANSCRIPT).open("w", encoding="utf-8") as transcript:
        life = SimulationRun(vault, settings, spec, cast, transcript, progress)
        try:
            asyncio.run(
                run_simulated(life.simulation, cast, life.clock, life.world.agents, life.world.use_models, spec.span)
            )
        finally:
            progress.end()
            life.end()
            _write(spec.out / REPORT, life.report())
            _write(spec.out / RUN, _run_record(parameters, settings, cast))
            took = timing(cast.usage, life.tallies.all.turns, seconds() - began) | _circumstances()
            _write(spec.out / TIMING, took)
            if failed := life.tallies.all.outcomes["failed"]:
                echo(f"Turns without an answer of a model: {failed}. The transcript says why; they count as turns.")
    return life.tallies.all.turns


def _run_record(parameters: RunParameters, settings: Settings, cast: SimulationModels) -> dict[str, Any]:
    """Return the facts of a run, without anything that differs when it is replayed elsewhere."""
    chosen = {
        name: {key: value for key, value in asdict(one.settings).items() if key in _SAMPLER and key in one.given}
        for name, one in settings.profiles.items()
    }
    sampler = {"temperature": settings.agents.temperature, "summary_temperature": settings.models.summary_temperature}
    return {
        "run": parameters.run_id,
        "program": program_version(),
        "parameters": parameters.as_json(),
        "sampler": {**sampler, "profiles": chosen},
        "models": cast.told,
    }


def program_version() -> str:
    """Return the version of Fallwater; empty if it is not installed."""
    try:
        return version("fallwater")
    except PackageNotFoundError:
        return ""


def _circumstances() -> dict[str, Any]:
    """Return the facts that differ each time: the processor's time until now, the moment, and the machine."""
    ended = datetime.now(UTC).isoformat(timespec="seconds")
    machine = {"system": platform.platform(), "python": platform.python_version(), "processors": os.cpu_count()}
    return {"cpu_seconds": round(time.process_time(), 3), "ended": ended, **machine}


class SimulationRun:
    """A world that is simulated: the clock that it goes by, and what is counted and told of each turn."""

    def __init__(
        self,
        vault: Vault,
        settings: Settings,
        spec: RunSpec,
        cast: SimulationModels,
        transcript: TextIO,
        progress: Progress,
    ) -> None:
        rng = random.Random(spec.seed)
        self.clock = VirtualClock()
        self.tallies = Tallies()
        self._later = Clock()
        self._spec = spec
        self._cast = cast
        self._name = settings.world.name
        self._transcript = transcript
        self._progress = progress
        accounts = AccountStore(AccountDatabase(spec.out / ACCOUNTS, in_memory=True))
        runtime = Runtime(self._later, rng, self.clock.now_ms, cast.say, lambda call: call())
        self.world = Fallwater(vault, settings, runtime, accounts)
        self._begun_ms = self.clock.ms = beginning_ms(self.world.agents)
        self.simulation = Simulation(
            self.world.game,
            self.world.agents,
            self.clock,
            cast.place,
            random.Random(rng.getrandbits(64)),
            settings.world.day_minutes,
            Watcher(self._take, cast.check, self._go_on),
        )

    def report(self) -> dict[str, Any]:
        """Return the results so far, as numbers."""
        about = {"world": self._name, "seed": self._spec.seed, "models": self._cast.names}
        return self.tallies.report(self.world.agents, self._cast.usage, self._begun_ms, self.clock.ms, **about)

    def end(self) -> None:
        """Save everything, and remove what is empty or would not be the same another time."""
        self.world.save()
        shutil.rmtree(self._spec.out / WORLD / CACHE, ignore_errors=True)
        with suppress(OSError):  # an agent that is an admin has left something in it
            (self._spec.out / ACCOUNTS).rmdir()

    def _take(self, step: Step) -> None:
        self.tallies.add(step)
        self._transcript.write(step_text(step))
        self._progress.show(step.number, self._share(step), step.agent)

    def _share(self, step: Step) -> float:
        span = self._spec.span
        if span.turns:
            return step.number / span.turns
        return (self.clock.ms - self._begun_ms) / ((span.hours or 1) * 3_600_000)

    def _go_on(self) -> None:
        """Finish work that the world does later, such as writing notes."""
        self._later.advance(max(0.0, (self.clock.ms - self._begun_ms) / 1000 - self._later.seconds()))


def copy_vault(source: Path, out: Path, copy: Callable[[str, str], object] = shutil.copy2) -> None:
    """Copy a vault, without what is hidden in it, into the new folder of a simulation.

    Raises: SimulationError if the folder is not new, or cannot be made; what was copied until then is removed.
    """
    if out.exists() and (not out.is_dir() or any(out.iterdir())):
        raise SimulationError(f"{out} exists already, and nothing is written over; give another folder with --out.")
    if out.resolve().is_relative_to(source.resolve()):
        raise SimulationError(f"{out} lies inside the vault {source}, which is not changed; give another with --out.")
    had_folder = out.exists()

    def copy_one(file: str, target: str) -> None:
        try:
            copy(file, target)
        except OSError as error:
            raise _UncopiedError(Path(file).relative_to(source), error) from error

    try:
        out.mkdir(parents=True, exist_ok=True)
        shutil.copytree(source, out / WORLD, ignore=shutil.ignore_patterns(".*"), copy_function=copy_one)
    except (OSError, _UncopiedError) as error:
        shutil.rmtree(out / WORLD, ignore_errors=True)
        if not had_folder:
            shutil.rmtree(out, ignore_errors=True)
        raise SimulationError(f"{source} cannot be copied to {out / WORLD}: {_reason(error)}") from error


class _UncopiedError(Exception):
    """The error of a file that cannot be copied. It is no OSError, because copytree collects those and goes on."""

    def __init__(self, name: Path, error: OSError) -> None:
        super().__init__(f"{error.strerror or error} ({name}).")
        self.is_full = error.errno in (errno.ENOSPC, errno.EDQUOT)


def _reason(error: Exception) -> str:
    """Return why a vault could not be copied, and what to do, in a sentence or two."""
    if isinstance(error, _UncopiedError):
        return f"{error} Make room, or give a folder on another disk with --out." if error.is_full else str(error)
    if isinstance(error, shutil.Error) and error.args and isinstance(error.args[0], list):
        name, _, why = error.args[0][0]  # a folder: the first of what may be many
        return f"{why} ({name})."
    return f"{getattr(error, 'strerror', None) or error}."


def read_values(path: Path) -> dict[str, Any]:
    """Return the values in a JSON file of a simulation; empty if it is not there or torn, as after a kill."""
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


def _write(path: Path, values: Mapping[str, Any]) -> None:
    path.write_text(json.dumps(values, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
