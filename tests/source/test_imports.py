"""What each entry point may import: start-up is what people and hooks wait for."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

HEAVY = {"dulwich", "pydantic", "pydantic_core", "yaml", "frontmatter", "urllib3", "asyncio"}
RUN = """
import contextlib, io, sys
import gitmem.__main__
from gitmem.cli.main import main
with contextlib.redirect_stdout(io.StringIO()):
    code = main({arguments!r})
assert not code, code
print(*sys.modules)
"""


def loaded(arguments: list[str], folder: Path) -> set[str]:
    """The modules that a command line has loaded when it ends."""
    done = subprocess.run(
        [sys.executable, "-c", RUN.format(arguments=arguments)],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return set(done.stdout.split())


def run(folder: Path, *arguments: str) -> None:
    subprocess.run(
        [sys.executable, "-m", "gitmem", *arguments], cwd=folder, check=True, capture_output=True
    )


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store whose index is current, in a repository without a view."""
    folder = tmp_path_factory.mktemp("store")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("HOME", str(folder))
        patch.setenv("GIT_CONFIG_NOSYSTEM", "1")
        run(folder, "init", "--standalone", "memory.git")
        memory = folder / "memory.git"
        run(memory, "add", "note", "--title", "A fact", "--body", "Text.", "--tag", "fact")
        run(memory, "update", "a-fact", "--field", "body=Other text.")
    return memory


def test_help_imports_no_command(tmp_path: Path) -> None:
    names = loaded(["--help"], tmp_path)
    layers = {name.split(".")[1] for name in names if name.startswith("gitmem.")}
    assert layers <= {"cli", "model", "__main__"}
    commands = {name for name in names if name.startswith("gitmem.cli.")}
    shared = {"main", "commands", "context", "failure", "options", "output"}
    assert commands == {f"gitmem.cli.{name}" for name in shared}
    assert not {"sqlite3", *HEAVY} & names


READS = [
    ["list"],
    ["list", "--json"],
    ["list", "--tier", "all", "--tag", "fact"],
    ["show", "a-fact"],
    ["show", "a-fact", "--json"],
    ["log"],
    ["log", "--json"],
    ["log", "a-fact", "--json"],
    ["status"],
    ["status", "--json"],
    ["blame", "a-fact"],
    ["config", "get", "working.agents"],
    ["health"],
    ["search", "fact"],
    ["search", "fact", "--explain", "--json"],
    ["search", "fact", "--strategy", "title_tags"],
    ["search", "fact", "--strategy", "keywords"],
    ["recall", "a-fact"],
    ["candidate", "--category", "note", "--new-info", "a fact"],
    ["resolve", "--l1", "CREATE", "--l2", "CREATE"],
]


@pytest.mark.parametrize("arguments", READS, ids=" ".join)
def test_reading_command_loads_nothing_heavy(store: Path, arguments: list[str]) -> None:
    assert not {name.partition(".")[0] for name in loaded(arguments, store)} & HEAVY


SLOW = {"click", "pathlib", "re", "json", "typing", "dataclasses", "subprocess", *HEAVY}
HOOK = """
import sys
before = set(sys.modules)
from gitmem.hooks.main import main
assert main(["user-prompt-submit"]) == 0
print(*(set(sys.modules) - before), file=sys.stderr)
"""


def test_recall_hook_loads_little_of_the_standard_library_and_nothing_else(store: Path) -> None:
    given = '{"prompt": "which text does a fact have?", "session_id": "s-1"}'
    for _ in range(2):
        # The first one makes the ledger; isolated, because start-up files load what they like.
        done = subprocess.run(
            [sys.executable, "-I", "-c", HOOK],
            cwd=store,
            input=given,
            capture_output=True,
            text=True,
            check=True,
        )
    names = {name.partition(".")[0] for name in done.stderr.split()}
    assert "gitmem" in names
    assert not names & SLOW
    assert names <= {*sys.stdlib_module_names, "gitmem"}


def test_library_is_loaded_when_it_is_used(tmp_path: Path) -> None:
    code = "import sys, gitmem; print(*sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    ours = {name for name in done.stdout.split() if name.startswith("gitmem")}
    assert ours == {"gitmem"}
