"""Text that costs most to read: pieces of the world's own sentences, commands and marks, over and over."""

from __future__ import annotations

from collections.abc import Iterator

from vault.message_notes import starter_sentences
from world.message_catalog import variables

END = "!"

MARKS = (
    "| \\| \" ' “ ” » [ [[ == %* # - ~ ~Moss>"
    " < > { } ( ** __ ` ``` … . ? ! , : ; = 1 2. a é e\u0301 小 ا\u200c 👩\u200d \u202e"
).split(" ")
WORDS = (
    "a b ",
    "to ",
    "Moss ",
    "Old Tom ",
    "please, ",
    "I'll go a. ",
    "I promise to bring a1. ",
    "remember a: ",
    "never mind. ",
    "keep a secret, ",
    "the a, and the b, ",
    "yes|no ",
    ' | "',
    "1.a ",
    ", hey",
    "- and, ",
    "[[a#^m1",
    "(seen 1",
    "<think>",
    "</think>",
    "<|im_start|>",
    '{"command": "say", "text": "',
    "functions.say(",
    '<parameter name="a">',
    "say hi (reason: ",
    "Command: ",
    "## a\n",
    "- **a**: b\n",
    "**a**: b\n",
    "%%\n",
    "<!--",
    "---\n",
    "a: [",
    "\n",
    " ",
    "\t",
)


def fragments() -> Iterator[str]:
    """Yield pieces of the world's sentences with something in the place of their variables, words and marks."""
    for key, sentence in starter_sentences().items():
        if key.startswith("narration.") and len(variables(sentence)) > 1:
            for variable in variables(sentence):
                sentence = sentence.replace(f"{{{variable}}}", "x")
            yield f"{sentence} "
    yield from (*MARKS, *WORDS)


def repeated(before: str, fragment: str, size: int) -> str:
    """Return a fragment behind something as often as fits into so many bytes, and a mark that fits no fragment."""
    count = (size - len(before.encode()) - len(END)) // len(fragment.encode())
    return before + fragment * count + END
