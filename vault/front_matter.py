"""The front matter of a note: YAML between two lines of `---`, read with the line of each property, and written.

Properties are read by the C parser that PyYAML brings along; what it will not take is read once more by the one in
Python, whose complaints name the place.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

import yaml
from frontmatter.default_handlers import YAMLHandler

from vault.errors import NoteError
from world.sanitize import clean_block

# A fence is exactly three dashes and takes its line end with it, so that lines can be counted.
_HANDLER = YAMLHandler(fm_boundary=re.compile(r"^---[ \t]*(?:\n|\Z)", re.MULTILINE))

Typed = str | tuple[str, ...] | dict[str, str]

_FAST: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_OTHER_BREAKS = re.compile("[\r\x85\u2028\u2029]")
_PLAIN_TAGS = frozenset(f"tag:yaml.org,2002:{kind}" for kind in ("bool", "int", "float", "null", "timestamp"))


@dataclass
class FrontMatter:
    """The properties by the keys as they are typed, the line of each, and its value as it is typed.

    `typed` has only scalars, and lists and tables of scalars, each as text: `no` and not False, `0123` and not 83.
    """

    properties: dict[str, Any] = field(default_factory=dict)
    lines: dict[str, int] = field(default_factory=dict)
    typed: dict[str, Typed] = field(default_factory=dict)


def has_front_matter(text: str) -> bool:
    """Return whether a text begins with a fence."""
    return _HANDLER.detect(text)


def split_front_matter(text: str, source: str) -> tuple[str, str]:
    """Return the text between the two fences, and the text behind. Raises: NoteError if nothing ends it."""
    try:
        head, body = _HANDLER.split(text)
    except ValueError:
        raise NoteError(f"{source}:1: the front matter begins with '---' but no second '---' ends it.") from None
    return head, body


def parse_front_matter(head: str, source: str) -> FrontMatter:
    """Return the properties between the fences. Raises: NoteError naming the invalid line."""
    try:
        return _parse(head, source, _FAST)
    except (yaml.YAMLError, ValueError, RecursionError):
        return _parse_explaining(head, source)


def compose(head: str) -> Any:
    """Return a front matter, which must be valid, as YAML's nodes with their places; None if there is nothing in it."""
    return yaml.compose(head, Loader=_FAST)


def load_value(text: str) -> object:
    """Return the value of a text that stands alone. Raises: yaml.YAMLError, ValueError or RecursionError."""
    try:
        return yaml.load(text, Loader=_FAST)
    except yaml.YAMLError:
        return yaml.safe_load(text)


def format_block_style(properties: dict[str, Any]) -> str:
    """Return properties as YAML with a line for each item of a list, for notes that are written whole."""
    return f"{_HANDLER.export(properties, sort_keys=False, width=1000)}\n"


def format_front_matter(properties: dict[str, Any]) -> str:
    """Return properties as YAML, in their order, each ending its line; empty if there are none.

    A text is written as it would be typed, `lit: true` or `count: 3`, for `typed` gives it back as text.
    """
    if not properties:
        return ""
    return str(yaml.dump(properties, Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=100_000))


class Text(str):
    """A text that may look like a number or a truth: it is written without the quotes that would keep it from it."""


class _Dumper(getattr(yaml, "CSafeDumper", yaml.SafeDumper)):  # type: ignore[misc]  # one that is there
    """Writes lists in one line, and many-line texts as they are."""

    def ignore_aliases(self, data: Any) -> bool:
        return True


def _represent_str(dumper: yaml.SafeDumper, text: str) -> yaml.Node:
    style = None
    if "\n" in text:
        # As it is, if nothing at its ends or among its characters would get lost.
        style = "|" if text == text.strip() and clean_block(text) == text else '"'
    elif _OTHER_BREAKS.search(text):
        style = '"'
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style=style)


def _represent_text(dumper: yaml.SafeDumper, text: Text) -> yaml.Node:
    tag = dumper.resolve(yaml.ScalarNode, str(text), (True, False)) if text else ""  # type: ignore[no-untyped-call]
    if tag in _PLAIN_TAGS and _can_be_read(str(text)):
        return dumper.represent_scalar(tag, str(text))
    return _represent_str(dumper, str(text))


def _represent_list(dumper: yaml.SafeDumper, items: Any) -> yaml.Node:
    return dumper.represent_sequence("tag:yaml.org,2002:seq", items, flow_style=True)


_Dumper.add_representer(str, _represent_str)
_Dumper.add_representer(Text, _represent_text)
_Dumper.add_representer(list, _represent_list)
_Dumper.add_representer(tuple, _represent_list)


def _can_be_read(text: str) -> bool:
    """Return whether YAML takes a text that looks like a number or a day for one: not the 99th of a month."""
    try:
        yaml.safe_load(text)
    except (yaml.YAMLError, ValueError):
        return False
    return True


def _parse(head: str, source: str, loader_type: Any) -> FrontMatter:
    found = FrontMatter()
    loader = loader_type(head)
    try:
        for key, value in _pairs(loader.get_single_node(), source):
            line, name = key.start_mark.line + 2, str(key.value)
            if name in found.lines:
                first = found.lines[name]
                raise NoteError(f"{source}:{line}: {name!r} is set twice; it stands in line {first} already.")
            found.lines[name] = line
            found.properties[name] = loader.construct_object(value, deep=True)
            typed = _typed_value(value)
            if typed is not None:
                found.typed[name] = typed
    finally:
        loader.dispose()
    return found


def _parse_explaining(head: str, source: str) -> FrontMatter:
    """Read front matter that the fast parser refused. Raises: NoteError that says where and why it is not valid."""
    try:
        return _parse(head, source, yaml.SafeLoader)
    except yaml.YAMLError as error:
        place, problem = _explain(error, head)
        raise NoteError(f"{source}:{place}: the front matter is not valid YAML: {problem}.") from error
    except (ValueError, RecursionError) as error:
        raise NoteError(f"{source}:{_line_of(head, source)}: the front matter cannot be read: {error}.") from error


def _line_of(head: str, source: str) -> int:
    """Return the line of the first property whose value cannot be made of its text."""
    line = 1
    try:
        loader = yaml.SafeLoader(head)
        for key, value in _pairs(loader.get_single_node(), source):
            line = key.start_mark.line + 2
            loader.construct_object(value, deep=True)
    except (ValueError, RecursionError):
        pass
    return line


def _typed_value(node: yaml.Node) -> Typed | None:
    match node:
        case yaml.ScalarNode(value=text):
            return str(text)
        case yaml.SequenceNode(value=items) if all(isinstance(item, yaml.ScalarNode) for item in items):
            return tuple(str(item.value) for item in items)
        case yaml.MappingNode(value=pairs) if all(isinstance(one, yaml.ScalarNode) for pair in pairs for one in pair):
            return {str(key.value): str(value.value) for key, value in pairs}
        case _:
            return None


def _pairs(node: yaml.Node | None, source: str) -> list[tuple[yaml.Node, yaml.Node]]:
    pairs = node.value if isinstance(node, yaml.MappingNode) else []
    if (node and not isinstance(node, yaml.MappingNode)) or not all(
        isinstance(key, yaml.ScalarNode) for key, _ in pairs
    ):
        raise NoteError(f"{source}:1: the front matter must be lines of the form 'key: value'.")
    return pairs


def _explain(error: yaml.YAMLError, head: str) -> tuple[int, str]:
    match error:
        case yaml.MarkedYAMLError(problem_mark=mark, problem=problem) if mark:
            return min(mark.line, head.count("\n")) + 2, str(problem)
        case yaml.reader.ReaderError(position=position, reason=reason):
            return head.count("\n", 0, position) + 2, reason
        case _:
            return 1, str(error)
