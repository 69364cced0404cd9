"""Completion in the shell: commands, options, and the names of entries."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from gitmem.cli.completion import SHELLS

from tests.cli.conftest import Cli


def offered(store: Path, line: str) -> list[str]:
    """What bash is offered at the end of the line."""
    asked = {"COMP_WORDS": line, "COMP_CWORD": str(len(line.split(" ")) - 1)}
    done = subprocess.run(
        [sys.executable, "-m", "gitmem"],
        env={**os.environ, **asked, "_GITMEM_COMPLETE": "bash_complete"},
        cwd=store,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stderr == ""
    return [row.partition(",")[2] for row in done.stdout.splitlines() if row]


@pytest.mark.parametrize(
    ("line", "wanted"),
    [
        ("gitmem un", ["undo", "unarchive", "unpin"]),
        ("gitmem show use-p", ["use-postgres"]),
        ("gitmem pin old-cache register/dec", ["register/decisions/use-postgres"]),
        ("gitmem list --ti", ["--tier"]),
        ("gitmem list --tier arch", ["archive"]),
        ("gitmem show nothing-like-it", []),
    ],
)
def test_line_is_completed(store: Path, line: str, wanted: list[str]) -> None:
    assert offered(store, line) == wanted


def test_completion_outside_a_store_is_empty_and_silent(tmp_path: Path) -> None:
    assert offered(tmp_path, "gitmem show a") == []


@pytest.mark.parametrize("shell", SHELLS)
def test_script_asks_gitmem(cli: Cli, shell: str) -> None:
    script = cli.ok("completion", shell).out
    assert "_GITMEM_COMPLETE" in script
    found = shutil.which(shell)
    if found:
        subprocess.run([found, "-n"], input=script.encode(), check=True)
