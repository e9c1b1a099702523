"""Measure how the summary verifier tells sound summaries from faulty: `python -m bench.verifier [--half HALF ...]`.

For each half, prints how many sound summaries are refused as they stand, and how many are lost although their wrong
sentences may be dropped; how many of their sentences are dropped; how many faulty ones are accepted as they stand, and
how many keep a wrong sentence in the end. Name the other halves when you change the verifier, so that the one held back
stays unseen until the end. The summaries are those of tests/agents/memory/*.yaml.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from agents.memory.summaries.summarizing import MIN_KEPT
from agents.memory.summary_verifier import MENDABLE, judge, judged_sentences
from agents.metrics.statistics import Share, share_of
from bench.lib.reporting import Table, argument_parser, publish
from tests.agents.memory.verifier_samples import HALVES, Judged, estimated_tokens, judged_summaries


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
    yield "sound summaries refused as they stand", share_of(not one.accepted for one in sound)
    yield "sound summaries lost in the end", share_of(not one.kept for one in sound)
    dropped = [is_dropped for one in sound for is_dropped in one.dropped if not one.accepted]
    sentences = sum(len(one.dropped) for one in sound)
    yield "sentences dropped from sound summaries", Share(sum(dropped), sentences)
    yield "faulty summaries accepted as they stand", share_of(one.accepted for one in wrong)
    known = [one for one in wrong if one.sample.wrong]
    yield "faulty summaries that keep their fault", share_of(one.keeps_its_fault for one in known)


def main() -> None:
    """Print the shares with their 95 % intervals."""
    parser = argument_parser(__doc__)
    parser.add_argument("--half", nargs="+", choices=HALVES, default=HALVES, help="the summaries to judge")
    options = parser.parse_args()
    rows = [
        [f"{what}, {half}", share.text]
        for half in options.half
        for what, share in shares([*map(judgement, judged_summaries(half))])
    ]
    publish("verifier", [Table(("what", "share (95 %)"), rows)], options.record)


if __name__ == "__main__":
    main()
