"""Processes that write entries through the whole store and print each acknowledged commit.

    python -m tests.concurrency.worker REPOSITORY LABEL COUNT PROCESSES [no-flock] [own-index]

COUNT 0 goes on until somebody kills them. `no-flock` takes the lock's effect away, `own-index`
the index's (SQLite would otherwise let one writer in at a time too): what is left is the
compare-and-swap of the ref.
"""

from __future__ import annotations

import itertools
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import gitmem.git.platform
import gitmem.store.indexing
from gitmem.features import lifecycle
from gitmem.features.lifecycle import Request
from gitmem.features.workspace import Workspace
from gitmem.features.write.pipeline import NewEntry, create
from gitmem.git.platform import FileLock
from gitmem.index.db import Index, memory_index
from gitmem.store.store import Store

from tests.store import kit

ROOT = Path(__file__).parents[2]


def start(
    repo: Path, label: str, count: int, processes: int, *options: str
) -> subprocess.Popen[str]:
    """That many writers, in a process group of their own."""
    arguments = [str(repo), label, str(count), str(processes), *options]
    return subprocess.Popen(
        [sys.executable, "-m", "tests.concurrency.worker", *arguments],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, **kit.AUTHOR},
        start_new_session=True,
    )


def finished(writers: subprocess.Popen[str]) -> list[str]:
    """What the writers acknowledged; AssertionError where one failed."""
    printed, complaints = writers.communicate()
    assert (writers.returncode, complaints) == (0, "")
    return printed.split()


def kill(writers: subprocess.Popen[str]) -> list[str]:
    """Kill all of them at this very moment; what they had acknowledged that nobody read yet."""
    os.killpg(writers.pid, signal.SIGKILL)
    # Not `communicate`: that passes over what a `readline` before has read ahead.
    assert writers.stdout is not None
    assert writers.stderr is not None
    with writers, writers.stdout, writers.stderr:
        assert writers.stderr.read() == ""
        return writers.stdout.read().split()


def _no_lock(self: FileLock, timeout: float = 0) -> None:
    self.held = False


def _own_index(folder: Path) -> Index:
    return memory_index()


def main(arguments: list[str]) -> int:
    repo, label, count, processes, *options = arguments
    if "no-flock" in options:
        gitmem.git.platform.FileLock.acquire = _no_lock  # type: ignore[method-assign]
    if "own-index" in options:
        gitmem.store.indexing.open_index = _own_index  # type: ignore[attr-defined]
    # Forked, so that all start at once, with everything loaded.
    children = []
    for number in range(int(processes)):
        child = os.fork()
        if child == 0:
            write(Path(repo), f"{label}w{number}", int(count))
            return 0
        children.append(child)
    return max(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child in children)


def write(repo: Path, label: str, count: int) -> None:
    """What one process does."""
    with Store.open(repo, os.environ) as store:
        workspace = Workspace(store, time.time, session=label)
        for number in range(count) if count else itertools.count():
            made = create(workspace, NewEntry("note", kit.draft(f"Note {label} number {number}")))
            _acknowledge(made.commit)
            if number % 3 == 2:
                _acknowledge(lifecycle.pin(workspace, Request(made.id)).commit)


def _acknowledge(commit: str) -> None:
    # One call: lines of several processes don't mix.
    os.write(1, f"{commit}\n".encode())


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
