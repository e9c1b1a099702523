"""The reasons of an agent's act: perception, retrieval, prompt, answer, result."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, get_args

from agents.agent import Agent
from agents.memory.memory import ROUND_MEMORIES
from agents.models.thoughts import without_thoughts
from agents.turn.checks import Objection
from agents.views.tiers import Shown, shown_memory
from vault.chronicle.event_log import moment_text
from vault.memory.archive import Archive
from vault.memory.archive_exchanges import Question, newest_questions, questions_up_to
from vault.memory.memory_line import Memory
from world.errors import CommandError
from world.message_catalog import Wording
from world.parsing import parse_line

MAX_PERCEIVED = 12
MAX_QUESTIONS_READ = 3
"""The last question, the one whose answer was not taken, and the one of the turn before."""

MAX_ENTRIES_READ = 256
"""Number of memories that are searched backwards for the action before."""

MAX_DIFF_LINES = 120
"""Maximum number of lines shown of the difference between two prompts; the rest is counted."""

MAX_COMPARED_LINES = 600
"""Maximum number of different lines that are compared; beyond it, all of them count as changed."""

MAX_TEXT = 4_000
"""Maximum length of an answer or a result that is shown, in characters."""

PROMPT_PAGE = 16_000
"""Length of one page of a prompt, in characters."""

OBJECTIONS = frozenset({*get_args(Objection), "refused", "circles", "stopped", "gone"} - {""})
"""The possible objections to an answer; see `agents.turn.checks`, and `agents.turn.taking` for the last four."""

CAUSES = ("answer", "deliver", "errand", "greet", "free")
"""The possible decisions of the engine; see `agents.choices.policy`."""


@dataclass(frozen=True)
class Exchange:
    """A question to the model as the archive has it, and those before it.

    `first` is the question whose answer was not taken, asked with the same memories; `before` is the last question of
    the turn before. None where there is none. `cause` is the engine's reason for an action without a request to a
    model: empty where somebody else had the agent do it, None where the archive does not say.
    """

    question: Question | None = None
    first: Question | None = None
    before: Question | None = None
    cause: str | None = None


def exchange_for(archive: Archive, seq: int, day: str) -> Exchange:
    """Return the question to the model before the action that is memory `seq`, of a day; with 0 for both, the last.

    It only reads files, in any thread. Raises: NoteError if one cannot be read.
    """
    if not seq:
        return _exchange(newest_questions(archive, MAX_QUESTIONS_READ))
    asked = questions_up_to(
        archive,
        day,
        lambda entry: int(entry.get("seq", 0)) <= seq,
        lambda question: _answered_by(question, seq),
        MAX_QUESTIONS_READ,
    )
    if asked:
        return _exchange(asked)
    found = archive.find("tool_call", seq, day)
    return Exchange(cause=found[1].get("cause") if found else None)


def exchange_at(archive: Archive, end_ms: int) -> Exchange:
    """Return the last question to the model before a time; like `exchange_for` for any thread. Raises: NoteError."""
    end, day = moment_text(end_ms), moment_text(end_ms - 1)[:10]

    def is_before(entry: Mapping[str, Any]) -> bool:
        return str(entry.get("at", "")) < end

    return _exchange(
        questions_up_to(archive, day, is_before, lambda question: is_before(question.entry), MAX_QUESTIONS_READ)
    )


def _exchange(asked: list[Question]) -> Exchange:
    """Return the last of some questions, with those before it; nothing if there is none."""
    if not asked:
        return Exchange()
    *before, question = asked
    first = before.pop() if before and _is_first_try(before[-1], question) else None
    return Exchange(question, first, before[-1] if before else None)


def action_of(agent: Agent, seq: int, say: Wording) -> Memory:
    """Return the action that a memory is, or that it came of. Raises: CommandError if there is none, NoteError."""
    last = agent.memory.journal.last
    found = agent.memory.journal.read(max(1, seq - ROUND_MEMORIES), seq) if 1 <= seq <= last else []
    if not found or found[-1].seq != seq:
        raise CommandError(say("memory.no_memory", who=agent.name, number=seq, last=last))
    action = next((one for one in reversed(found) if one.kind == "acted"), None)
    if action is None or found[-1].kind not in ("acted", "result"):
        raise CommandError(say("observatory.no_action", who=agent.name, number=seq))
    return action


def why_shown(agent: Agent, exchange: Exchange, action: Memory | None, say: Wording) -> Shown:
    """Return the chain that led to an action; of the last question where no action is given.

    `by` is `model`, `engine` where no model was asked, `hand` where somebody else typed it through the agent, and
    `unknown` where the archive does not say. Raises: NoteError if the journal cannot be read.
    """
    question = exchange.question
    newest = question.newest if question else (action.seq - 1 if action else agent.memory.journal.last)
    shown: Shown = {"agent": agent.name, "seq": action.seq if action else 0, "by": _by(exchange, action)}
    shown |= _perceived(agent, newest)
    if question is None:
        shown |= _action(agent, exchange, action) if action else {}
    else:
        shown |= {"reference": question.reference, "asked_at": str(question.entry.get("at", ""))}
        shown |= {"retrieved": _retrieved(agent, question), "told": told_shown(question), **_choice(question)}
        shown |= {"prompt": prompt_shown(question, exchange.before), "answer": _answer(question, say, exchange.first)}
        shown |= _verdict(question)
    return shown | _now(agent)


def _action(agent: Agent, exchange: Exchange, action: Memory) -> Shown:
    """Return an action that no model was asked for, and its outcome."""
    line = {"command": parsed_command(action.text), "reason": parse_line(action.text).reason}
    return {"cause": exchange.cause or "", "at": action.at_ms, **line, **_effect(agent, action)}


def parsed_command(line: str) -> str:
    """Return a command line without its private reason."""
    done = parse_line(line)
    return f"{done.verb} {done.arguments}".strip()


def prompt_shown(question: Question, before: Question | None) -> Shown:
    """Return a prompt's size, its sections, and how its lines differ from the one before."""
    entry, prompt = question.entry, question.prompt
    shared = int(entry.get("prompt_shared", 0))
    shown: Shown = {
        "characters": len(prompt),
        "lines": prompt.count("\n") + 1,
        "shared": shared,
        "tokens": entry.get("prompt_tokens", 0),
        "cached": entry.get("cached_tokens"),
        "is_counted": entry.get("is_counted", True),
        "model": entry.get("model", ""),
        "seconds": entry.get("seconds", 0.0),
        "written": entry.get("completion_tokens", 0),
        "finish": entry.get("finish", ""),
        "left_out": entry.get("left_out", []),
        "tiers": entry.get("tiers", ""),
        "sections": [[name, *place] for name, place in entry.get("told", {}).items() if name != "name"],
    }
    lines, more = difference(before.prompt, prompt) if before else ([], 0)
    return shown | {"before": before.reference if before else "", "difference": lines, "more": more}


def difference(before: str, now: str) -> tuple[list[list[str]], int]:
    """Return how two texts differ, and how many lines of that are left out.

    A line is `["new", text]`, `["gone", text]` or `["same", how many lines stayed]`.
    """
    old, new = before.split("\n"), now.split("\n")
    head = next((at for at, (one, other) in enumerate(zip(old, new, strict=False)) if one != other), None)
    head = min(len(old), len(new)) if head is None else head
    rest_old, rest_new = old[head:], new[head:]
    tail = _shared_end(rest_old, rest_new)
    rest_old, rest_new = rest_old[: len(rest_old) - tail], rest_new[: len(rest_new) - tail]
    found = [["same", str(head)]] * bool(head) + list(_changes(rest_old, rest_new)) + [["same", str(tail)]] * bool(tail)
    return found[:MAX_DIFF_LINES], max(0, len(found) - MAX_DIFF_LINES)


def _shared_end(old: Sequence[str], new: Sequence[str]) -> int:
    pairs = zip(reversed(old), reversed(new), strict=False)
    differing = next((at for at, (one, other) in enumerate(pairs) if one != other), None)
    return min(len(old), len(new)) if differing is None else differing


def _changes(old: Sequence[str], new: Sequence[str]) -> Iterator[list[str]]:
    if len(old) + len(new) > MAX_COMPARED_LINES:
        yield from (["gone", line] for line in old)
        yield from (["new", line] for line in new)
        return
    for what, i, j, k, m in difflib.SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if what == "equal":
            yield ["same", str(j - i)]
        else:
            yield from (["gone", line] for line in old[i:j])
            yield from (["new", line] for line in new[k:m])


def prompt_page(question: Question, start: int) -> Shown:
    """Return the part of a prompt from a character on, counted from 0; `next` is where the rest begins, or 0."""
    end = start + PROMPT_PAGE
    left = end if end < len(question.prompt) else 0
    return {"text": question.prompt[start:end], "from": start, "next": left, "characters": len(question.prompt)}


def _answered_by(question: Question, seq: int) -> bool:
    """Return whether an action is what a question was answered with: the first one, or the second of a turn of two."""
    if question.was_discarded or question.was_suppressed:
        return False
    calls = [int(one.get("seq", 0)) for one in question.after if one["event"] == "tool_call"]
    own = calls[:1] if calls and calls[0] == question.seq + 1 else []
    return seq in own or (bool(own) and calls[1:2] == [seq] and _is_same_turn(question, seq))


def _is_same_turn(question: Question, seq: int) -> bool:
    """Return whether the engine did two lines in one turn: a thing handed over, and the words with it."""
    call = next(one for one in question.after if one["event"] == "tool_call" and one.get("seq") == seq)
    return bool(call.get("cause")) and call.get("cause") == question.entry.get("cause")


def _is_first_try(first: Question, second: Question) -> bool:
    return first.was_discarded and not first.after and first.seq == second.seq


def _by(exchange: Exchange, action: Memory | None) -> str:
    if exchange.question is not None:
        return "model"
    if action is None:
        return "nobody"
    return "unknown" if exchange.cause is None else "engine" if exchange.cause else "hand"


def _perceived(agent: Agent, newest: int) -> Shown:
    found = agent.memory.journal.read(newest - MAX_ENTRIES_READ, newest)
    actions = [place for place, one in enumerate(found) if one.kind == "acted"]
    since = found[actions[-1] + 1 :] if actions else found
    rows = [shown_memory(one) for one in since[-MAX_PERCEIVED:]]
    return {"perceived": rows, "perceived_before": len(since) - len(rows)}


def _retrieved(agent: Agent, question: Question) -> list[Shown]:
    """Return the retrieved memories and notes, best first: number or title, score and words of each."""
    lines, found = question.prompt_note("recollected").split("\n"), list[Shown]()
    for of, score in question.entry.get("retrieved", []):
        row: Shown = {"of": of, "score": score}
        if isinstance(of, int):
            row["text"] = next((line for line in lines if f"memory {of}:" in line or f"memory {of}," in line), "")
        else:
            row["text"] = next((line for line in lines if line.startswith(f"[Your note {of}:")), "")
        found.append(row)
    return found


def told_shown(question: Question) -> list[list[str]]:
    """Return the sections of a prompt about the moment, by name, without the memories."""
    names = ("facts", "known", "recollected", "errand", "bonds", "insights", "notice")
    return [[name, text[:MAX_TEXT]] for name in names if (text := question.prompt_note(name))]


def _choice(question: Question) -> Shown:
    cause = str(question.entry.get("cause", "free"))
    choices = question.entry.get("verbs") or question.entry.get("menu") or question.entry.get("offers") or []
    return {"cause": cause if cause in CAUSES else "free", "choices": choices}


def _answer(question: Question, say: Wording, first: Question | None = None) -> Shown:
    reply = str(question.entry.get("reply", ""))
    said = without_thoughts(reply).strip()
    thought = reply.strip().removesuffix(said).strip() if said != reply.strip() else ""
    shown: Shown = {"thought": thought[:MAX_TEXT], "reply": said[:MAX_TEXT], "objection": _objection(question, say)}
    if first is not None:
        shown["first"] = without_thoughts(str(first.entry.get("reply", ""))).strip()[:MAX_TEXT]
        shown["first_objection"] = _objection(first, say)
    return shown


def _objection(question: Question, say: Wording) -> str:
    """Return why an answer was rejected, empty if it was not, or the archive does not say."""
    name = question.entry.get("objection")
    return say(f"thoughts.objection_{name}") if name in OBJECTIONS else ""


def _verdict(question: Question) -> Shown:
    """Return the engine's verdict on an answer, and the world's result."""
    if question.was_discarded:
        verdict = "dropped"
    elif question.was_suppressed:
        verdict = "silent"
    elif not question.command:
        verdict = "no_command"
    else:
        verdict = "refused" if question.is_refused else "done"
    results = [text[:MAX_TEXT] for text in question.results]
    shown: Shown = {"verdict": verdict, "results": results}
    if question.command:
        shown |= {"command": parsed_command(question.command), "reason": parse_line(question.command).reason}
        shown["did"] = question.seq + 1
    return shown


def _effect(agent: Agent, action: Memory) -> Shown:
    """Return the result of an action, from the journal: its results up to the next action."""
    after = agent.memory.journal.read(action.seq + 1, min(agent.memory.journal.last, action.seq + ROUND_MEMORIES))
    results = list[Memory]()
    for one in after:
        if one.kind == "acted":
            break
        if one.kind == "result":
            results.append(one)
    verdict = "refused" if any(one.refused for one in results) else "done"
    return {"verdict": verdict, "results": [one.text[:MAX_TEXT] for one in results], "did": action.seq}


def _now(agent: Agent) -> Shown:
    turn = agent.last_turn
    thinks = bool(agent.queue and agent.queue.stage(agent.name) and not agent.why_still)
    return {"thinks": thinks, "turn": {"outcome": turn.outcome, "why": turn.why}}


def exchange_of(agent: Agent, action: Memory | None) -> Exchange:
    """Return the question to the model before an action, or the last where none is given. Raises: NoteError."""
    archive = written_archive(agent)
    return exchange_for(archive, action.seq, action.day) if action else exchange_for(archive, 0, "")


def written_archive(agent: Agent) -> Archive:
    """Return an agent's archive with everything in it until now."""
    agent.memory.archive_writer.write()
    return agent.memory.archive_writer.archive


def question_shown(question: Question, say: Wording) -> Shown:
    """Return one question by itself: what could be chosen, the answer, and what came of it."""
    return {**_choice(question), "answer": _answer(question, say), **_verdict(question)}
