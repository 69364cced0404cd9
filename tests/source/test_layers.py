"""Dependencies point one way (I9), and the map of the modules is complete."""

from __future__ import annotations

import ast
import re
import sys

import pytest

from tests.source.modules import ROOT, Module, imports, modules, parsed, sources

RANKS = {
    **dict.fromkeys(("__main__", "__init__", "library", "cli", "hooks", "mcp"), 4),
    "features": 3,
    "store": 2,
    **dict.fromkeys(("git", "document", "index"), 1),
    "model": 0,
}
"""A module imports from its own folder and from lower ranks; a layer may be skipped."""

ALLOWED = {
    "dulwich": "git/",
    "click": "cli/",
    "sqlite3": "index/",
    "yaml": "document/",
    "frontmatter": "document/",
    "pydantic": "model/validate",
    "pydantic_core": "model/validate",
}
"""Who may import what isn't ours and isn't plain standard library."""

EDGES = {
    "os.environ",
    "os.getenv",
    "os.getcwd",
    "Path.cwd",
    "time.time",
    "datetime.now",
    "datetime.utcnow",
    "date.today",
}
"""Clock, environment and current folder: read in front ends and handed down."""
EDGE_MODULES = {
    *("cli/context", "library"),
    *("hooks/main", "hooks/log", "hooks/stores", "hooks/catch_up", "hooks/user_prompt_submit"),
    # The age of locks and leftovers is measured by the clock that dates files.
    *("git/fold", "git/ref"),
    # What child processes inherit.
    *("git/platform", "git/sign"),
}

MAP = ROOT / "docs" / "architecture.md"
MODULES = modules()


def by_name(module: Module) -> str:
    return module.name


@pytest.mark.parametrize("module", MODULES, ids=by_name)
def test_imports_point_down(module: Module) -> None:
    own = RANKS[module.layer]
    for name, line in imports(module.tree):
        top, _, rest = name.partition(".")
        if top != "gitmem" or not rest:
            continue
        other = rest.partition(".")[0]
        if other not in RANKS or other == module.layer:
            continue
        front_end = own == RANKS["cli"] and other in ("cli", "library", "hooks")
        assert RANKS[other] < own or front_end, f"line {line}: {module.name} imports {name}"


@pytest.mark.parametrize("module", MODULES, ids=by_name)
def test_foreign_packages_stay_in_their_layer(module: Module) -> None:
    for name, line in imports(module.tree):
        top = name.partition(".")[0]
        place = ALLOWED.get(top)
        if place is not None:
            assert module.name.startswith(place), f"line {line}: {module.name} imports {name}"
        else:
            known = top in sys.stdlib_module_names or top == "gitmem"
            assert known, f"line {line}: {module.name} imports {name}"


@pytest.mark.parametrize("module", MODULES, ids=by_name)
def test_clock_environment_and_folder_are_read_at_the_edge(module: Module) -> None:
    if module.name in EDGE_MODULES:
        return
    for node in ast.walk(module.tree):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            read = f"{node.value.id}.{node.attr}"
            assert read not in EDGES, f"line {node.lineno}: {module.name} reads {read}"


@pytest.mark.parametrize("module", MODULES, ids=by_name)
def test_nothing_is_printed_past_the_output(module: Module) -> None:
    for node in ast.walk(module.tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            assert node.func.id != "print", f"line {node.lineno}"


@pytest.mark.parametrize("module", MODULES, ids=by_name)
def test_module_says_what_it_does(module: Module) -> None:
    empty = len(module.tree.body) == 1 and module.path.name == "__init__.py"
    assert empty or ast.get_docstring(module.tree), f"{module.name} has no docstring"


def test_every_file_begins_with_the_future_import() -> None:
    for path in sources():
        body = parsed(path).body
        first = body[1] if ast.get_docstring(parsed(path)) is not None else body[0]
        assert isinstance(first, ast.ImportFrom), path
        assert first.module == "__future__", path


# The map of the modules

_ROW = re.compile(r"^\| (`.+?) \| (.+) \|$", re.MULTILINE)
_NAME = re.compile(r"`([\w/<>-]+)`")


def named() -> tuple[set[str], set[str]]:
    """The names of the map's first column, and all that it names."""
    firsts: set[str] = set()
    every: set[str] = set()
    for head, text in _ROW.findall(MAP.read_text("utf-8")):
        first, *others = _NAME.findall(head)
        folder = first if first.endswith("/") else first.rpartition("/")[0] + "/"
        folder = folder.removeprefix("/")
        beside = {name if "/" in name else folder + name for name in others}
        firsts |= {first, *beside}
        every |= {first, *beside, *(folder + name for name in _NAME.findall(text))}
    return firsts, every


def test_every_module_of_the_map_exists() -> None:
    known = {module.name for module in MODULES}
    packages = {name.rpartition("/")[0] + "/" for name in known}
    firsts, _ = named()
    assert firsts - known - packages == {"cli/<command>"}


def test_every_module_is_on_the_map() -> None:
    _, every = named()
    packages = tuple(name for name in every if name.endswith("/"))
    missing = [
        module.name
        for module in MODULES
        if module.name not in every
        and not module.name.startswith((*packages, "cli/"))
        and not module.name.endswith("/__init__")
    ]
    assert missing == []
