"""The chain that led to an action, as text."""

from __future__ import annotations

from collections.abc import Iterable

from agents.views.tiers import Shown, row_text
from world.message_catalog import Wording

Lines = list[str]


def why_text(shown: Shown, say: Wording) -> str:
    """Return why an agent did something, a fact a line."""
    who = shown["agent"]
    if shown["by"] == "nobody":
        return "\n".join([say("thoughts.nothing_asked", who=who), *_now(shown, say)])
    if shown["by"] == "model":
        at = str(shown["asked_at"])[:19].replace("T", " ")
        lines = [say("thoughts.why", who=who, at=at, reference=shown["reference"])]
        parts = [_perceived(shown, say), _told(shown, say), _first(shown, say), answer_lines(shown, say)]
    else:
        lines = [say(f"observatory.by_{shown['by']}", who=who, number=shown["seq"])]
        parts = [_perceived(shown, say), answer_lines(shown, say)]
    for part in (*parts, _prompt(shown, say), _now(shown, say)):
        lines += ["", *part] if part else []
    return "\n".join(lines)


def answer_lines(shown: Shown, say: Wording) -> Lines:
    """Return the reply, what was thought in it, the command and its reason, and what came of that."""
    answer, verdict = shown.get("answer", {}), shown["verdict"]
    lines = [say("thoughts.thinking", text=answer["thought"])] if answer.get("thought") else []
    lines += [say("thoughts.reply", text=answer["reply"])] if answer else []
    lines += [say("thoughts.rejected", why=answer["objection"])] if answer.get("objection") else []
    if verdict in ("dropped", "silent"):
        return [*lines, say("thoughts.dropped" if verdict == "dropped" else "thoughts.silent")]
    if verdict == "no_command":
        lines.append(say("thoughts.no_command"))
    else:
        lines.append(say("thoughts.did", command=shown["command"]))
        reason = say("thoughts.no_reason")
        if shown["reason"]:
            reason = say("thoughts.reason", text=shown["reason"])
        lines.append(reason)
    key = "thoughts.refused" if verdict == "refused" else "thoughts.result"
    return lines + [say(key, text=text) for text in shown["results"]]


def choice_lines(shown: Shown, say: Wording) -> Lines:
    """Return why the engine asked, and what the model could choose from."""
    decided = say(f"thoughts.cause_{shown['cause']}")
    if shown["choices"]:
        return [decided, say("thoughts.verbs", verbs=", ".join(shown["choices"]))]
    return [decided, *([say("thoughts.any_verb")] if shown["cause"] == "free" else [])]


def indented(lines: Iterable[str]) -> Lines:
    """Return lines indented below another."""
    return [f"  {line}".rstrip() for line in lines]


def _perceived(shown: Shown, say: Wording) -> Lines:
    if not shown["perceived"]:
        return [say("thoughts.perceived_nothing")]
    before = shown["perceived_before"]
    more = [f"  {say('thoughts.and_more', count=before, who=shown['agent'])}"] if before else []
    rows = (row_text(row, say).replace("\n", " / ") for row in shown["perceived"])
    return [say("thoughts.perceived"), *more, *indented(rows)]


def _told(shown: Shown, say: Wording) -> Lines:
    told, lines = dict(shown["told"]), Lines()
    if facts := told.pop("facts", ""):
        lines += [say("thoughts.facts"), *indented(facts.split("\n"))]
    notice = told.pop("notice", "")
    if told:
        lines += [say("thoughts.known"), *indented("\n".join(told.values()).split("\n"))]
    lines += [say("observatory.score", of=one["of"], score=one["score"]) for one in shown["retrieved"]]
    if notice:
        lines.append(say("thoughts.notice", text=notice))
    return [*lines, *choice_lines(shown, say)]


def _first(shown: Shown, say: Wording) -> Lines:
    first, why = shown["answer"].get("first"), shown["answer"].get("first_objection")
    if first is None:
        return []
    return [say("thoughts.asked_twice", text=first), *([say("thoughts.rejected", why=why)] if why else [])]


def _prompt(shown: Shown, say: Wording) -> Lines:
    """Return how the prompt differs from the one before, if there was one."""
    prompt = shown.get("prompt")
    if not prompt or not prompt["before"]:
        return []
    signs = {"new": "+", "gone": "-"}
    lines = [
        say("observatory.same_lines", count=text) if kind == "same" else f"{signs[kind]} {text}"
        for kind, text in prompt["difference"]
    ]
    more = [say("observatory.lines_left_out", count=prompt["more"])] if prompt["more"] else []
    return [say("observatory.difference", before=prompt["before"]), *indented([*lines, *more])]


def _now(shown: Shown, say: Wording) -> Lines:
    if shown["thinks"]:
        return [say("thoughts.thinks")]
    turn = shown["turn"]
    if turn["outcome"] == "acted" or shown["seq"]:
        return []
    return [say("thoughts.now", outcome=turn["outcome"], why=turn["why"]).rstrip()]
