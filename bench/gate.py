"""Measure how well and how fast the gate tells sound summaries from faulty ones.

Run `python -m bench.gate [--half HALF ...] [--verbose] [--record]`. Prints, with 95 % intervals, the share of faulty
summaries that are refused for the right reason, the share of genuine ones that are refused, and the time of a judgement
of 65 memories. For summaries of journals it prints, for the tuning half and the held-back half: how many sound ones
are refused as they stand, and how many are lost although their wrong sentences may be dropped; how many of their
sentences are dropped; how many faulty ones are accepted as they stand, and how many keep a wrong sentence in the end.
Name the other halves when you change the verifier, so that the one held back stays unseen until the end. The summaries
are those of tests/agents/memory/*.yaml.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import cycle, islice

from agents.memory.gate import MENDABLE, Source, Verdict, judge, judged_sentences
from agents.memory.summaries.summarizing import MIN_KEPT
from agents.metrics.statistics import Share, share_of
from bench.lib.reporting import RECORD, Table, record
from tests.agents.memory.gate_samples import (
    HALVES,
    Genuine,
    Judged,
    estimated_tokens,
    faulty,
    genuine,
    judged_summaries,
)

MEMORIES = 65
PROMPT_TOKENS = 4000
ROUNDS = 200


def rejected_samples(samples: list[Genuine]) -> list[tuple[Genuine, Verdict]]:
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


@dataclass(frozen=True)
class Judgement:
    """The judgement of a summary of a journal.

    `accepted` is true if it counts as it stands. `dropped` has for each sentence whether it is wrong. `kept` is true if
    the rest counts, as in `summaries.summarizing` after two tries.
    """

    sample: Judged
    accepted: bool
    dropped: tuple[bool, ...]
    kept: bool

    @property
    def keeps_its_fault(self) -> bool:
        """True if a sentence that is known to be wrong is left in the end."""
        left = (number for number, is_dropped in enumerate(self.dropped, 1) if not is_dropped)
        return self.accepted or (self.kept and bool(set(self.sample.wrong) & set(left)))


def judgement(sample: Judged) -> Judgement:
    """Judge a summary of a journal, and its rest without the wrong sentences."""
    verdict = judge(sample.text, sample.source, estimated_tokens)
    rows = list(judged_sentences(sample.text, sample.source))
    rest = " ".join(sentence for sentence, is_wrong in rows if not is_wrong)
    whole = " ".join(sentence for sentence, _ in rows)
    is_mendable = MENDABLE.issuperset(one.reason for one in verdict.objections)
    is_enough = len(rest.split()) >= MIN_KEPT * len(whole.split())
    is_kept = is_mendable and is_enough and judge(rest, sample.source, estimated_tokens).accepted
    return Judgement(sample, verdict.accepted, tuple(is_wrong for _, is_wrong in rows), verdict.accepted or is_kept)


def shares(found: list[Judgement]) -> Iterator[tuple[str, Share]]:
    """Yield the shares of misjudgements among summaries of journals."""
    sound, wrong = ([one for one in found if bool(one.sample.fault) is is_wrong] for is_wrong in (False, True))
    yield "sound summaries of journals refused as they stand", share_of(not one.accepted for one in sound)
    yield "sound summaries of journals lost in the end", share_of(not one.kept for one in sound)
    dropped = [is_dropped for one in sound for is_dropped in one.dropped if not one.accepted]
    sentences = sum(len(one.dropped) for one in sound)
    yield "sentences dropped from sound summaries of journals", Share(sum(dropped), sentences)
    yield "faulty summaries of journals accepted as they stand", share_of(one.accepted for one in wrong)
    known = [one for one in wrong if one.sample.wrong]
    yield "faulty summaries of journals that keep their fault", share_of(one.keeps_its_fault for one in known)


def figures(halves: Sequence[str] = HALVES) -> Table:
    """Return all shares with their 95 % intervals, those of journals for some halves."""
    faults = faulty()
    verdicts = [judge(fault.text, fault.source, estimated_tokens) for fault in faults]
    right = share_of(f.reason in {o.reason for o in v.objections} for f, v in zip(faults, verdicts, strict=True))
    rows = [["faulty summaries refused for the expected reason", right.text]]
    samples = genuine()
    for half in dict.fromkeys(sample.half for sample in samples):
        these = [sample for sample in samples if sample.half == half]
        rows.append([f"genuine summaries refused, {half}", Share(len(rejected_samples(these)), len(these)).text])
    for half in halves:
        rows += [[f"{what}, {half}", share.text] for what, share in shares([*map(judgement, judged_summaries(half))])]
    return Table(("what", "share (95 %)"), [*rows, ["one judgement", f"{microseconds(samples[0]):.0f} µs"]])


def main() -> None:
    """Print the figures, and with --verbose every genuine summary that is refused."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--half", nargs="+", choices=HALVES, default=HALVES, help="the summaries of journals to judge")
    options.add_argument("--verbose", action="store_true", help="show each genuine summary that is refused, and why")
    options.add_argument(RECORD, action="store_true", help="keep the figures in bench/results/")
    chosen = options.parse_args()
    table = figures(chosen.half)
    print(table)
    for sample, verdict in rejected_samples(genuine()) if chosen.verbose else []:
        print("   ", " ".join(sample.text.split()))
        print(*(f"      {objection.reason}: {objection.detail}" for objection in verdict.objections), sep="\n")
    if chosen.record:
        record("gate", [table])


if __name__ == "__main__":
    main()
