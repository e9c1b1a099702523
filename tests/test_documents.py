"""What README, docs and the other documents promise: links lead somewhere, and files and commands they name exist."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.full_table import full_table

ROOT = Path(__file__).parent.parent
PAGES = sorted([ROOT / "README.md", ROOT / "CONTRIBUTING.md", ROOT / "bench" / "RESULTS.md", *ROOT.glob("docs/*.md")])
LINK = re.compile(r"\]\(([^)\s]+)\)")
FENCED = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)
CODE = re.compile(r"`([^`\n]+)`")
STARTER = ROOT / "vault" / "starter"
LIVED_IN = re.compile(r"agents/(?:NAME|Eliza)\b|world/(?:whereabouts|board|world_state)\.md$|world/locations")
SOURCE = re.compile(
    r"(?:config|world|vault|agents|server|tests|bench|deploy)/[\w/-]+(?:\.(?:py|md|sh|service|socket))?"
)
NAMED_PAGE = re.compile(r"\bdocs/[\w-]+\.md\b")
ADMIN_COMMAND = re.compile(r"(?:^|[\s`])(@[a-z][a-z-]+)")

each_page = pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))


def anchor_of(heading: str) -> str:
    """Return the anchor that a heading has on a page, as GitHub makes it."""
    return re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", "-")


def anchors_of(page: Path) -> set[str]:
    text = FENCED.sub("", _read(page))
    return {anchor_of(line.lstrip("#")) for line in text.splitlines() if line.startswith("#")}


def dead_links_of(page: Path) -> Iterator[str]:
    text = FENCED.sub("", _read(page))
    for target in LINK.findall(CODE.sub("", text)):
        path, _, anchor = target.partition("#")
        if path.startswith(("http:", "https:")):
            continue
        meant = (page.parent / path).resolve() if path else page
        if not meant.exists() or (anchor and anchor not in anchors_of(meant)):
            yield target


@each_page
def test_every_link_leads_to_a_file_and_a_heading(page):
    assert list(dead_links_of(page)) == []


@each_page
def test_every_source_file_that_is_named_exists(page):
    spans = [span for span in CODE.findall(_read(page)) if SOURCE.fullmatch(span)]
    named = [span for span in spans if not LIVED_IN.match(span)]
    assert [span for span in named if not (ROOT / span).exists() and not (STARTER / span).exists()] == []


@each_page
def test_every_command_with_an_at_sign_is_one_of_the_world(page):
    table = full_table()
    named = ADMIN_COMMAND.findall(re.sub(r"^```python.*?^```", "", _read(page), flags=re.M | re.S))
    assert [verb for verb in named if table.get(verb) is None] == []


def test_every_page_that_the_code_or_a_document_names_exists():
    folders = ("config", "world", "vault", "agents", "server", "bench", "deploy", "docs")
    files = [*PAGES, ROOT / "CHANGELOG.md", *(path for folder in folders for path in _texts(folder))]
    named = {(str(path.relative_to(ROOT)), page) for path in files for page in NAMED_PAGE.findall(_read(path))}
    assert sorted(one for one in named if not (ROOT / one[1]).exists()) == []


def test_readme_links_every_page():
    linked = {target.partition("#")[0] for target in LINK.findall(_read(ROOT / "README.md"))}
    assert {f"docs/{page.name}" for page in ROOT.glob("docs/*.md")} - linked == set()


def _read(path: Path) -> str:
    return path.read_text("utf-8")


def _texts(folder: str) -> Iterator[Path]:
    return (path for path in (ROOT / folder).rglob("*") if path.suffix in (".py", ".md", ".service"))
