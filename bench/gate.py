"""Measure how well and how fast the gate tells sound summaries from faulty ones.

Run `python -m bench.gate [--verbose]`. Prints the share of the faulty summaries that are refused for the right
reason, the share of genuine ones that are refused, for those that the gate was tuned on and those that it was not,
how many summaries of real journals are judged wrongly, and the time of a judgement of 65 memories. The summaries are
those of tests/agents/memory/*.yaml.
"""

from __future__ import annotations

import argparse
import time
from dataclasses import replace
from itertools import cycle, islice

from agents.memory.gate import Source, Verdict, judge
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


def main() -> None:
    """Print the figures, and with --verbose every wrong verdict."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--verbose", action="store_true", help="show each genuine summary that is refused, and why")
    verbose = options.parse_args().verbose
    faults = faulty()
    verdicts = [judge(fault.text, fault.source, estimated_tokens) for fault in faults]
    right = sum(f.reason in {o.reason for o in v.objections} for f, v in zip(faults, verdicts, strict=True))
    caught = sum(not verdict.accepted for verdict in verdicts)
    print(f"faulty summaries refused: {caught} of {len(faults)}, for the expected reason {right}")
    samples = genuine()
    for half in (*dict.fromkeys(sample.half for sample in samples), ""):
        these = [sample for sample in samples if half in ("", sample.half)]
        wrong = refused(these)
        print(
            f"genuine summaries refused, {half or 'all'}: {len(wrong)} of {len(these)} = {len(wrong) / len(these):.1%}"
        )
        for sample, verdict in wrong if verbose and half else []:
            print("   ", " ".join(sample.text.split()))
            print(*(f"      {objection.reason}: {objection.detail}" for objection in verdict.objections), sep="\n")
    for half in ("tuning", "held back"):
        rows = [one for one in judged_summaries() if one.half == half]
        accepted = [one for one in rows if judge(one.text, one.source, estimated_tokens).accepted]
        sound, false = sum(not one.fault for one in rows), sum(bool(one.fault) for one in rows)
        alarms, misses = sound - sum(not one.fault for one in accepted), sum(bool(one.fault) for one in accepted)
        print(
            f"summaries of journals, {half}: false alarms {alarms} of {sound} = {alarms / sound:.1%}, "
            f"misses {misses} of {false} = {misses / false:.1%}"
        )
    print(f"one judgement of {MEMORIES} memories: {microseconds(samples[0]):.0f} µs")


if __name__ == "__main__":
    main()
