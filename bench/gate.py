"""Measure how well and how fast the gate tells sound summaries from faulty ones.

Run `python -m bench.gate [--verbose] [--record]`. Prints, with 95 % intervals, the share of the faulty summaries that
are refused for the right reason, the share of genuine ones that are refused, for those that the gate was tuned on and
those that it was not, how many summaries of real journals are judged wrongly, and the time of a judgement of 65
memories. The summaries are those of tests/agents/memory/*.yaml.
"""

from __future__ import annotations

import argparse
import time
from dataclasses import replace
from itertools import cycle, islice

from agents.memory.gate import Source, Verdict, judge
from bench.lib.reporting import RECORD, Table, record
from bench.minds.figures import Share, share_of
from tests.agents.memory.gate_samples import Genuine, estimated_tokens, faulty, genuine, judged_summaries

MEMORIES = 65
PROMPT_TOKENS = 4000
ROUNDS = 200


def refused(samples: list[Genuine]) -> list[tuple[Genuine, Verdict]]:
    """Return the samples that the gate does not accept, with its verdicts."""
    judged = [(sample, judge(sample.text, sample.source, estimated_tokens)) for sample in samples]
    return [(sample, verdict) for sample, verdict in judged if not verdict.accepted]


def microseconds(sample: Genuine) -> float:
    """Return the best time of a judgement of 65 memories with a prompt of ordinary length."""
    memories = tuple(islice(cycle(sample.source.memories), MEMORIES))
    prompt = "\n".join(islice(cycle(memory.text for memory in memories), PROMPT_TOKENS // 10))
    source = replace(sample.source, memories=memories, prompt=prompt)
    return min(_seconds(sample.text, source) for _ in range(ROUNDS)) * 1e6


def _seconds(text: str, source: Source) -> float:
    start = time.perf_counter()
    judge(text, source, estimated_tokens)
    return time.perf_counter() - start


def wrong(half: str) -> tuple[Share, Share]:
    """Return how many sound summaries of journals are refused, and how many faulty ones accepted."""
    rows = [one for one in judged_summaries() if one.half == half]
    accepted = {one: judge(one.text, one.source, estimated_tokens).accepted for one in rows}
    alarms = share_of(not accepted[one] for one in rows if not one.fault)
    return alarms, share_of(accepted[one] for one in rows if one.fault)


def figures() -> Table:
    """Return all shares with their 95 % intervals."""
    faults = faulty()
    verdicts = [judge(fault.text, fault.source, estimated_tokens) for fault in faults]
    right = share_of(f.reason in {o.reason for o in v.objections} for f, v in zip(faults, verdicts, strict=True))
    rows = [["faulty summaries refused for the expected reason", right.text]]
    samples = genuine()
    for half in dict.fromkeys(sample.half for sample in samples):
        these = [sample for sample in samples if sample.half == half]
        rows.append([f"genuine summaries refused, {half}", Share(len(refused(these)), len(these)).text])
    for half in ("tuning", "held back"):
        alarms, misses = wrong(half)
        rows += [[f"sound summaries of journals refused, {half}", alarms.text]]
        rows += [[f"faulty summaries of journals accepted, {half}", misses.text]]
    return Table(("what", "share (95 %)"), [*rows, ["one judgement", f"{microseconds(samples[0]):.0f} µs"]])


def main() -> None:
    """Print the figures, and with --verbose every genuine summary that is refused."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--verbose", action="store_true", help="show each genuine summary that is refused, and why")
    options.add_argument(RECORD, action="store_true", help="keep the figures in bench/results/")
    chosen = options.parse_args()
    table = figures()
    print(table)
    for sample, verdict in refused(genuine()) if chosen.verbose else []:
        print("   ", " ".join(sample.text.split()))
        print(*(f"      {objection.reason}: {objection.detail}" for objection in verdict.objections), sep="\n")
    if chosen.record:
        record("gate", [table])


if __name__ == "__main__":
    main()
