"""Models of benches: those that a command line names, and two scripted ones that need no weights.

One of the scripted models answers by rule; the other summarises, and loses most of the text.
"""

from __future__ import annotations

import math
import os
import re
import sys
from collections.abc import Callable

from agents.memory.summaries.formats import NOTHING, SECTIONS
from agents.models.model import LanguageModel, Request
from agents.models.model_selection import ModelSpec
from tests.scripted_model import ScriptedModel as Scripted

OLLAMA = "http://127.0.0.1:11434"
LOSSY, PICKED = "lossy", "picked by rule"
CHARACTERS_A_TOKEN = 4
CONTEXT_TOKENS = 8192
LIE_EVERY = 5
HEADINGS_TOKENS = 40
FILLED, KEPT = 0.8, 0.6
"""Maximum length of a summary, as a share of its limit and of its source."""

_ASKED = re.compile(r"\n\n(?:Summarize |Write all of it )")
_HEARD = re.compile(r'(?P<who>\w+) (?P<how>says|whispers to you), "(?P<text>.*)"(?: \(×\d+\))?')
_COMMAND = re.compile(r"~\w+> (?P<line>.+)")
_SAID = re.compile(r"(?<=[.!?]) +")
_UNIT = re.compile(r"(?<=[.\"]) +(?=I (?:heard|was told|saw|did|remember) )")
_PLAIN = re.compile(r"(?P<who>[A-Z]\w+) (?P<what>gives .+|takes .+|puts down .+)\.")


def named_model(name: str) -> LanguageModel:
    """Return the model that `--model` names, not started. Raises: SystemExit if it names none."""
    kind, _, model = name.partition(":")
    if name != "embedded" and not (kind in ("ollama", "gguf") and model):
        sys.exit(f"--model is {name!r}; expected embedded, ollama:NAME or gguf:FILE.")
    address = os.environ.get("OLLAMA_HOST") or OLLAMA
    return ModelSpec(kind, address if kind == "ollama" else "", model).build(None)


async def start_summarizer(name: str, lossy: LossySummarizer) -> LanguageModel:
    """Return the model that `--model` names: the lossy one for `scripted`, and no model at all for `picked`.

    Raises: SystemExit if it names none.
    """
    if name in ("scripted", "picked"):
        return ScriptedModel(LOSSY if name == "scripted" else PICKED, lossy)
    model = named_model(name)
    await model.start()
    return model


def estimated_tokens(text: str) -> int:
    """Return how many tokens a text has, four characters each."""
    return math.ceil(len(text) / CHARACTERS_A_TOKEN)


class ScriptedModel(Scripted):
    """A model whose answer is a function of the request; its tokens are counted as another model counts them."""

    def __init__(
        self,
        name: str,
        answer: Callable[[Request], str],
        count_tokens: Callable[[str], int] = estimated_tokens,
        context_tokens: int = CONTEXT_TOKENS,
    ) -> None:
        super().__init__(answer, name=name, context_tokens=context_tokens)
        self._count_tokens = count_tokens

    def count_tokens(self, text: str) -> int:
        return self._count_tokens(text)


class LossySummarizer:
    """Keeps every k-th sentence, k as small as the length allows, and now and then tells what never happened.

    Each time that it lies it is asked for the first time; asked again, with what was wrong, it tells the truth.
    `lies` are the words that it has made up.
    """

    def __init__(self) -> None:
        self.lies: list[str] = []
        self._asked = 0

    def __call__(self, request: Request) -> str:
        body = _ASKED.split(request.prompt)[0]
        sections = f"## {SECTIONS[0]}" in request.prompt
        units = [unit for line in body.split("\n") for unit in _units(line)]
        most = min(FILLED * request.max_tokens - (HEADINGS_TOKENS if sections else 0), KEPT * estimated_tokens(body))
        kept = _every_kth(units, int(most))
        self._asked += 1
        if self._asked % LIE_EVERY == 0 and "A first try was refused" not in request.prompt:
            kept.append(self._lie())
        kept = kept or ["I remember a quiet time."]
        return _in_sections(kept) if sections else " ".join(kept)

    def _lie(self) -> str:
        name, number = f"Zhuvo{_letters(len(self.lies))}", str(100_003 + len(self.lies))
        self.lies += [name, number]
        return f"I met {name}, who owed me {number} coins."


def _units(line: str) -> list[str]:
    """Return the content of a prompt's line, as sentences in the first person; nothing of headings and counts."""
    if heard := _HEARD.fullmatch(line):
        how = f"I heard {heard['who']} say" if heard["how"] == "says" else f"I was told by {heard['who']}"
        return [f'{how} "{sentence}".' for sentence in _SAID.split(heard["text"])]
    if command := _COMMAND.fullmatch(line):
        said = command["line"].removeprefix("say ")
        return [f'I did say "{said}".'] if said != command["line"] else []
    if plain := _PLAIN.fullmatch(line):
        return [f"I saw that {plain['who']} {plain['what']}."]
    return [unit for unit in _UNIT.split(line.removeprefix("- ")) if unit.startswith("I ") and unit[-1:] in '."']


def _every_kth(units: list[str], most_tokens: int) -> list[str]:
    units = list(dict.fromkeys(units))
    for k in range(1, len(units) + 1):
        kept = units[::-1][::k][::-1]  # counted from the end, so that the newest is among them
        if estimated_tokens(" ".join(kept)) <= most_tokens:
            return kept
    return []


def _in_sections(kept: list[str]) -> str:
    told = {"Confirmed Facts": kept}
    return "\n".join("\n".join([f"## {name}", *told.get(name, [NOTHING])]) for name in SECTIONS)


def _letters(number: int) -> str:
    return "".join("abcdefghij"[int(digit)] for digit in str(number))
