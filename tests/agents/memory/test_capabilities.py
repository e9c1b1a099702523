"""Every capability of the memory has a test that carries its number: `test_3_8_…` is of 3.8."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

TESTS = Path(__file__).parents[2]
NAMED = re.compile(r"test_(\d+)_(\d+)_\w+")
ASSERTING = frozenset({"raises", "fail", "warns"})

CAPABILITIES = {
    # Compaction in the background
    "0.1": "raw memories are never changed",
    "0.2": "a turn never waits for a summary",
    "0.3": "summaries are a view; without them all is verbatim",
    "0.4": "each agent has its own templates",
    "0.5": "one summary of each tier in force",
    "0.6": "input is the summary before and what is new",
    "0.7": "the timeline 10, 15, 20",
    "0.8": "the newest stay to the letter",
    "0.9": "a compacted message with its range",
    "0.10": "any provider of compaction",
    "0.11": "hooks for rounds",
    "0.12": "failed rounds are left out",
    "0.13": "no gap and no overlap, ever",
    "0.14": "stopping within five seconds",
    "0.15": "one compaction at a time, no trigger lost",
    "0.16": "enabled, threshold, retain_recent",
    "0.17": "what matters to each kind of agent",
    "0.18": "anything summarised can be had back",
    "0.19": "old settings and old vaults",
    # Shared memory
    "1.1": "an agent remembers its own only",
    "1.2": "nobody is named who was never met",
    "1.3": "a shared entry comes back unchanged",
    "1.4": "shared for a turn",
    "1.5": "shared for a scene",
    "1.6": "a failed turn takes its entries along",
    "1.7": "entries by type; the last of an author counts",
    "1.8": "a state that all read alike",
    "1.9": "a plan that arrives to the byte",
    # Compression of the prompt
    "2.1": "a bounded prompt in a life of any length",
    "2.2": "what was asked, done and made is kept",
    "2.3": "the oldest are compressed, the newest retained",
    "2.4": "the summary before is in the next prompt",
    "2.5": "nothing is summarised twice",
    "2.6": "another model for summaries",
    "2.7": "answers in JSON by a schema",
    "2.8": "summaries turned off for one agent",
    "2.9": "a failure loses nothing",
    "2.10": "due by tokens",
    "2.11": "levels of summaries",
    "2.12": "importance decides what is told",
    "2.13": "a live registry of facts",
    "2.14": "what can be used, as it is now",
    "2.15": "faulty summaries are refused",
    "2.16": "the reply goes out first",
    "2.17": "a cache by what is summarised",
    "2.18": "templates of domains",
    "2.19": "count, expand and pin",
    "2.20": "output of any length is capped",
    # Layered compaction
    "3.1": "one interface for every strategy",
    "3.2": "plain history as a sliding window",
    "3.3": "placeholders for old results",
    "3.4": "once when a threshold is crossed",
    "3.5": "a least saving",
    "3.6": "saved has to be more than spent",
    "3.7": "compaction on demand, with its result",
    "3.8": "an archive that only grows",
    "3.9": "references that resolve",
    "3.10": "no archive, no compaction",
    "3.11": "a failed compaction leaves the old view",
    "3.12": "without a placeholder the original",
    "3.13": "plain history at any time",
    "3.14": "placeholders alone without a model",
    "3.15": "a call for help at the limit",
    "3.16": "six fixed sections",
    "3.17": "never summarised and verbatim at once",
    "3.18": "everything can be read back",
    "3.19": "an estimate of tokens with headroom",
    "3.21": "a memory can begin anew",
    "3.22": "settings read, unknown ones refused",
    "3.23": "rotation, and an alarm for size",
    "3.24": "turned off, all is as before",
    # The waterfall
    "4.1": "64 to the letter, in order",
    "4.2": "a short-term summary of what is just outside",
    "4.3": "a long-term summary back to the first memory",
    "4.4": "the order of a cycle",
    "4.5": "129, 193, 257, 321",
    "4.6": "the agent goes on meanwhile",
    "4.7": "whole chunks: 14 cycles, 27 calls",
    "4.8": "kept through kill -9",
    "4.9": "every short-term summary is kept",
    "4.10": "settings in Markdown",
    "4.11": "@compact-memories",
    "4.12": "@memory-status",
    "4.13": "windows for each agent",
    "4.14": "base models and chat models",
    "4.15": "the layout of the prompt",
    "4.16": "summaries within their tokens",
    "4.17": "the lines of the log",
    "4.18": "agents with files from before",
    "4.19": "grouped by place and company",
    "4.20": "length by importance",
    "4.21": "a strategy for each agent",
    "4.22": "scores in every summary",
    "4.23": "rebuilding from the leaves",
}


def named_in(source: str) -> Iterator[tuple[str, str, bool]]:
    """Yield the capability, the name, and whether it asserts anything, of each test in a text that carries a number."""
    tree = ast.parse(source)
    functions = {node.name: node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)}
    for name, function in functions.items():
        if number := NAMED.fullmatch(name):
            yield f"{number[1]}.{number[2]}", name, asserts(function, functions, frozenset())


def asserts(function: ast.AST, known: dict[str, ast.FunctionDef | ast.AsyncFunctionDef], seen: frozenset[str]) -> bool:
    """Return whether a function asserts anything, itself or in a function of the same file that it calls."""
    for node in ast.walk(function):
        if isinstance(node, ast.Assert):
            return not (isinstance(node.test, ast.Constant) and node.test.value)
        if isinstance(node, ast.Call):
            called = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
            if called in ASSERTING:
                return True
            if called in known and called not in seen and asserts(known[called], known, seen | {called}):
                return True
    return False


def test_every_capability_has_a_test_and_each_of_them_asserts_something():
    sources = [path.read_text("utf-8") for path in TESTS.rglob("test_*.py")]
    found = [test for source in sources if NAMED.search(source) for test in named_in(source)]
    assert {number for number, _, _ in found} == CAPABILITIES.keys()
    assert [name for _, name, is_proof in found if not is_proof] == []
