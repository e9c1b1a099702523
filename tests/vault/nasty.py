"""Texts that a note might take for something else: headings, fences, lists, links, HTML, templates, YAML."""

from __future__ import annotations

from functools import cache

from hypothesis import strategies as st

from world.entities import Character, Detail, Exit, Role, Room, Thing

_MARKS = (
    "## Exits",
    "##",
    "## Details",
    "# Hall",
    "---",
    "--- ",
    "- **x**: y",
    "- **north**, n: [[Hall]]",
    "  - x",
    "* y",
    "\\",
    "\\\\",
    "\\## Exits",
    "\\---",
    "  \\- z",
    "[[Hall|the hall]]",
    "<b>bold</b>",
    "%%hidden%%",
    "{{ title }} {name}",
    "<%* tp %>",
    "```",
    "| a | b |",
    "key: value",
    "a # b",
    "'",
    '"',
    "no",
    "0123",
    "2026-11-22",
    "2026-99-99",
    "~",
    "=",
    "<<",
    "&a",
    "*a",
    "? x",
    "{a: 1}",
    "[[x]]",
    "!tag",
    "",
    " ",
    "  ",
    "\t",
    "Ünïcödé 💧",
    "\x85",
    "\u2028",
    "\x07",
    "\ufeff",
    "\x0c",
)
_CHARACTERS = st.characters(exclude_characters="\r", exclude_categories=["Cs"])

lines = st.one_of(st.sampled_from(_MARKS), st.text(_CHARACTERS, max_size=20).map(lambda text: text.replace("\n", " ")))
texts = st.lists(lines, max_size=6).map("\n".join)
"""Any text of several lines."""

notes = st.one_of(
    texts,
    st.builds(
        "{}---{}{}\n---{}{}".format,
        st.sampled_from(("", "\ufeff")),
        st.sampled_from(("\n", "  \n", "\r\n")),
        st.lists(
            st.sampled_from(
                (
                    "title: x # y",
                    "aliases:\n- a\n- b",
                    "# z",
                    "mood: |\n  a\n  # b\n",
                    "",
                    "on: &a 1",
                    "off: *a",
                    "{a: 1}",
                )
            ),
            max_size=5,
            unique=True,
        ).map("\n".join),
        st.sampled_from(("\n", "\n\n\n", "\r\n")),
        texts,
    ),
)
"""Whole notes, valid or not."""

one_liners = lines.map(str.strip)
words = st.one_of(
    st.sampled_from(("north", "n", "a*b", "up: there", "a,b", "back\\", "**", "[[hall]]", "ß", "no")),
    st.text(_CHARACTERS, min_size=1, max_size=8),
).map(lambda text: " ".join(text.split()).lower())
names = words.filter(bool).filter(lambda name: name == name.lower().strip())
"""Names as commands make them: lower case, one line, no space at their ends."""

aliases = st.lists(names, max_size=3, unique=True).map(tuple)
keys = st.one_of(st.sampled_from(("mood", "season", "on", "1", "a b", "é", "x: y", "<<")), names)

ROOMS = ("Hall", "Attic", "Kettle House", "Über Café", "Room #5", "a]b")


@cache
def tables(known=()):
    """Properties as builders set them, none of which has a meaning of its own."""
    return st.dictionaries(keys.filter(lambda key: key not in known), texts, max_size=4)


_WAYS = st.lists(names, max_size=6, unique=True)
_DETAILS = st.lists(st.tuples(names, texts.map(str.strip), aliases), max_size=3, unique_by=lambda one: one[0])
_TAGS = st.lists(one_liners.filter(bool), max_size=2).map(tuple)
_PREFERENCES = st.dictionaries(keys, texts, max_size=3)


@st.composite
def rooms(draw, known):
    """A room of any texts and names."""
    ways = draw(_WAYS)
    exits = {}
    while ways:
        name, *also = [ways.pop() for _ in range(min(len(ways), draw(st.integers(1, 3))))]
        exits[name] = Exit(name, draw(st.sampled_from(ROOMS)), tuple(also))
    details = draw(_DETAILS)
    return Room(
        "Hall",
        draw(texts),
        exits,
        {name: Detail(name, text, also) for name, text, also in details},
        draw(st.integers(0, 99)),
        draw(_TAGS),
        draw(one_liners),
        draw(aliases),
        draw(tables(known)),
    )


@st.composite
def things(draw, known):
    """A thing of any texts and names."""
    return Thing(
        "lamp",
        draw(st.sampled_from(ROOMS)),
        draw(texts),
        draw(aliases),
        draw(one_liners),
        draw(one_liners),
        draw(texts),
        draw(st.booleans()),
        draw(st.booleans()),
        draw(tables(known)),
    )


@st.composite
def people(draw, known):
    """A person of any texts and names."""
    return Character(
        "Ana",
        "Hall",
        draw(texts),
        aliases=draw(aliases),
        properties=draw(tables(known)),
        preferences=draw(_PREFERENCES),
    )


@st.composite
def agents(draw, known):
    """An agent of any texts, names and rights."""
    agent = draw(people(known))
    agent.is_agent, agent.role = True, draw(st.sampled_from(list(Role)))
    agent.grants = frozenset(draw(aliases))
    return agent
