"""The project's own source, parsed: what the tests beside it look at."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "gitmem"


@dataclass(frozen=True)
class Module:
    """One file of the package. `name` is `cli/main`, `__init__` for the package itself."""

    name: str
    path: Path

    @property
    def tree(self) -> ast.Module:
        return parsed(self.path)

    @property
    def layer(self) -> str:
        """The folder it lies in, or its own name at the top."""
        return self.name.partition("/")[0]


@cache
def parsed(path: Path) -> ast.Module:
    return ast.parse(path.read_text("utf-8"), str(path))


def modules() -> list[Module]:
    """Every module of the package."""
    return [
        Module(path.relative_to(PACKAGE).with_suffix("").as_posix(), path)
        for path in sorted(PACKAGE.rglob("*.py"))
    ]


def sources() -> list[Path]:
    """Every Python file of the project."""
    folders = [PACKAGE, ROOT / "tests", ROOT / "benchmarks"]
    return sorted(path for folder in folders for path in folder.rglob("*.py"))


def imports(tree: ast.Module) -> Iterator[tuple[str, int]]:
    """Every module that is imported, wherever in the file, with its line."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield alias.name, node.lineno
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"line {node.lineno}: relative imports hide the layer"
            yield node.module or "", node.lineno
            for alias in node.names:
                yield f"{node.module}.{alias.name}", node.lineno
