"""What Ollama tells of a model: whether it was instructed, how large it is, and how long its context may be."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

import ollama

from agents.models.model import Capabilities

Mode = Literal["auto", "raw", "generate", "chat"]

_DIRECTIVE = re.compile(r"\{\{.*?\}\}", re.DOTALL)
_STOP = re.compile(r'^stop\s+"?(.*?)"?\s*$', re.MULTILINE)
_SIZE = re.compile(r"(?:(\d+)x)?(\d+(?:\.\d+)?)\s*([MB])", re.IGNORECASE)


@dataclass(frozen=True)
class OllamaFacts:
    """What `/api/show` told of a model; None where it told nothing.

    `is_instructed` is whether its template has roles: a base model has the template `{{ .Prompt }}` or none.
    `has_bad_template` is true as soon as the template has failed. `is_completing` is false for models that only embed.
    `stops` are the stop texts of its Modelfile.
    """

    is_instructed: bool | None = None
    is_completing: bool = True
    is_thinking: bool = False
    context_tokens: int | None = None
    parameters_billion: float | None = None
    stops: tuple[str, ...] = ()
    has_bad_template: bool = False


def facts_from(shown: ollama.ShowResponse) -> OllamaFacts:
    """Return what a reply of `/api/show` tells."""
    capabilities = shown.capabilities or ["completion"]  # older versions tell none
    known: Mapping[str, Any] = shown.modelinfo or {}
    context = known.get(f"{known.get('general.architecture')}.context_length")
    parameters = known.get("general.parameter_count")
    told = billions(shown.details.parameter_size if shown.details else None)
    return OllamaFacts(
        has_roles(shown.template or ""),
        "completion" in capabilities,
        "thinking" in capabilities,
        context if isinstance(context, int) and context > 0 else None,
        parameters / 1e9 if isinstance(parameters, int) and parameters > 0 else told,
        tuple(stop for stop in _STOP.findall(shown.parameters or "") if stop),
    )


def has_roles(template: str) -> bool:
    """Return whether a template sets apart who speaks: a Jinja template does, one of Go if it has text of its own."""
    return "{%" in template or bool(_DIRECTIVE.sub("", template).strip())


def billions(size: str | None) -> float | None:
    """Return the parameters of a size such as `268.10M`, `1.8B` or `8x7B`, in billions; None if it is no size."""
    found = _SIZE.fullmatch((size or "").strip())
    if not found:
        return None
    times, number, unit = found.groups()
    return int(times or 1) * float(number) / (1000 if unit.upper() == "M" else 1)


def capabilities_of(facts: OllamaFacts, mode: Mode, constraint: str, num_ctx: int) -> Capabilities:
    """Return what a model can do that is asked in this mode, with this constraint and context in tokens."""
    is_chat = mode == "chat" or (mode == "auto" and bool(facts.is_instructed) and not facts.has_bad_template)
    takes_schema = constraint in ("auto", "json_schema")
    parts = [_kind(facts)]
    if facts.parameters_billion:
        parts.append(f"{facts.parameters_billion:.2g} billion parameters")
    parts.append(f"mode auto takes {'chat' if is_chat else 'raw'}" if mode == "auto" else f"mode {mode}")
    parts.append(f"constraint {'json_schema' if takes_schema else 'none'}")
    if facts.context_tokens and facts.context_tokens < num_ctx:
        parts.append(f"context {facts.context_tokens} tokens, as it was trained for, not num_ctx {num_ctx}")
    else:
        parts.append(f"context {num_ctx} tokens")
    if facts.is_instructed and mode == "raw":
        parts.append("mode raw keeps its template from it: set mode to auto")
    return Capabilities(
        chat=is_chat,
        raw=not is_chat and mode != "generate",
        json_schema=takes_schema,
        trained_context_tokens=facts.context_tokens,
        parameters_billion=facts.parameters_billion,
        explanation=f"{'; '.join(parts)}.",
    )


def _kind(facts: OllamaFacts) -> str:
    if facts.is_instructed is None:
        return "its host does not tell whether it was instructed"
    if facts.has_bad_template:
        return "an instructed model whose template fails"
    return "an instructed model" if facts.is_instructed else "a base model (its template has no roles)"
