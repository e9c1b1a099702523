"""Thoughts of every format are taken out of an answer; sentences that only mention thinking are left as they are."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agents.models.thoughts import StreamBuffer, has_thought, shows_thoughts, without_thoughts

MARKS = [
    *(
        (f"<{name}>", f"</{name}>")
        for name in ("think", "thinking", "THOUGHT", "reasoning", "reflection", "seed:think")
    ),
    *(
        (f"<{name}>", f"</{name}>")
        for name in ("longcat_think", "think_faster", "antThinking", "seed:cot_budget_reflect")
    ),
    ('<think time="3">', "</think>"),
    ("[THINK]", "[/THINK]"),
    ("[REASONING]", "[/REASONING]"),
    ("◁think▷", "◁/think▷"),
    ("<|START_THINKING|>", "<|END_THINKING|>"),
    ("<|START_THINKING|>", "<|END_THINKING|><|START_RESPONSE|>"),
    ("<|begin_of_thought|>", "<|end_of_thought|>\n\n<|begin_of_solution|>"),
    ("<|inner_prefix|>", "<|inner_suffix|>"),
    ("<unused94>thought\n", "<unused95>"),
    ("<|channel>thought\n", "<channel|>"),
    ("<|im_start|>think\n", "<|im_start|>answer\n"),
    ("<|think|>", "<|end|><|begin|>assistant<|content|>"),
    ("<think>", "</think>\n<answer>"),
    ("<think>", "</think><response>"),
    ("<|channel|>analysis<|message|>", "<|end|><|start|>assistant<|channel|>final<|message|>"),
    ("<|start|>assistant<|channel|>analysis<|message|>", "<|channel|>final <|constrain|>json<|message|>"),
    (
        "<|channel|>commentary to=say <|constrain|>json<|message|>",
        "<|call|><|start|>assistant<|channel|>final<|message|>",
    ),
    ("<|channel|>analysis<|message|>", "assistantfinal"),
    ("assistantanalysisW", "assistantfinal"),
]
"""The marks that count anywhere."""

FIRST_MARKS = [
    ("analysisW", "assistantfinal"),
    ("analysisW", "assistantcommentary to=say {}assistantfinal"),
    ("analysis<|message|>", "<|end|><|start|>assistant<|channel|>final<|message|>"),
    ("Thinking...\n", "\n...done thinking.\n\n"),
    ("Thinking… ", "…done thinking."),
    ("Here is my thought process:", "Here is my response:"),
    ("Here's my thought process:\n", "\n\n**Here's my response:**\n"),
]
"""The marks that are words, and count at the beginning of an answer."""

UNOPENED = [close for _, close in MARKS]
TEXT = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="*"), max_size=40)


def lines_of(*parts):
    return "\n".join(parts).split()


@settings(max_examples=300, deadline=None)
@given(TEXT, st.sampled_from(MARKS), TEXT, TEXT)
def test_thought_goes_and_answer_stays(before, marks, thought, answer):
    opens, closes = marks
    text = f"{before}{opens}{thought}{closes}{answer}"
    assert without_thoughts(text).split() == lines_of(before, answer)
    assert has_thought(text)
    for end in range(len(before) + len(opens), len(before) + len(opens) + len(thought) + 1):
        assert without_thoughts(text[:end]).split() == before.split()
        assert shows_thoughts(text[:end]) and not has_thought(text[:end])


@settings(max_examples=100, deadline=None)
@given(st.sampled_from(FIRST_MARKS), TEXT, TEXT)
def test_marks_of_words_count_at_the_beginning(marks, thought, answer):
    text = f"{marks[0]}{thought}{marks[1]}{answer}"
    assert without_thoughts(text).split() == answer.split()
    assert has_thought(text)


@settings(max_examples=100, deadline=None)
@given(TEXT, st.sampled_from(UNOPENED), TEXT)
def test_thought_that_the_prompt_has_opened_goes(thought, closes, answer):
    assert without_thoughts(f"{thought}{closes}{answer}").split() == answer.split()


@settings(max_examples=100, deadline=None)
@given(TEXT, st.sampled_from(MARKS), st.sampled_from(MARKS), TEXT)
def test_thought_within_a_thought_goes_with_it(thought, outer, inner, answer):
    within = f"{outer[0]}{thought}{inner[0]}{thought}{inner[1]}{thought}"
    assert without_thoughts(f"{within}{outer[1]}{answer}").split() == answer.split()


@settings(max_examples=100, deadline=None)
@given(st.lists(st.tuples(TEXT, st.sampled_from(MARKS), TEXT), min_size=1, max_size=4))
def test_every_thought_of_an_answer_goes(parts):
    text = "".join(f"{opens}{thought}{closes}{said}" for thought, (opens, closes), said in parts)
    assert without_thoughts(text).split()[-1:] == lines_of(*(said for *_, said in parts))[-1:]
    assert has_thought(text)


@pytest.mark.parametrize(
    "text",
    [
        "I am thinking of the river, and of your analysis of it.",
        "Thinking... I would say yes.",
        "Thinking of you",
        "My final analysis: nobody has crossed. Finally, the assistant final came.",
        "analysis of the water comes first",
        "Analysis: final. Commentary later.",
        "finally, he came",
        "Here is my response: no.",
        "I said: Here is my thought process: I walk.",
        "Are you done thinking. I am ...done thinking.",
        "[thoughtful] I think <3 is a heart, and a < b.",
        "The answer is in the <box>, the reason on the <door>.",
    ],
)
def test_sentence_about_thinking_is_no_thought(text):
    assert without_thoughts(text) == text
    assert not shows_thoughts(text)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("<think>I use <answer> tags.</think><answer>Good day!</answer>", "Good day!"),
        ("<think>Who is she? <answer>Good day!</answer>", "Good day!"),
        ("<think><think>Hm.</think>Good day!", "Good day!"),
        ("<think>I write in <think> tags.</think>Good day!", "Good day!"),
        ("<think/>Good day!<|im_end|>", "Good day!"),
        ("<|channel|>final<|message|>Good day!<|return|>", "Good day!"),
        ("finalGood day!", "Good day!"),
        ("<think>a</think>assistantfinalGood day!", "Good day!"),
    ],
)
def test_answer_is_found_behind_marks_that_do_not_match(text, said):
    assert without_thoughts(text).strip() == said


@pytest.mark.parametrize("marks", [*MARKS, *FIRST_MARKS])
def test_marks_in_the_field_for_thoughts_end_none(marks):
    heard = StreamBuffer()
    for piece in [*marks[0], *"Hm.", *marks[1], *"say no"]:
        heard.think(piece)
    assert without_thoughts(heard.text) == ""
    heard.say("Good day!")
    assert without_thoughts(heard.text).strip() == "Good day!"
