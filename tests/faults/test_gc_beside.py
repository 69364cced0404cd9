"""The user's git repacks and prunes while gitmem writes: nothing is lost, nobody fails."""

from __future__ import annotations

import subprocess
import threading
from pathlib import Path

import pytest
from gitmem.git import fold
from gitmem.git.locate import locate
from gitmem.git.objects import Objects

from tests.faults.writer import BACKUP, MEMORY, interrupted_at, unsynced, write_entry
from tests.helpers import fsck, git, git_environment, run_git

GC = ["gc", "-q", "--prune=now"]
REPACK = ["repack", "-adq"]
LOOSEN = ["repack", "-Adq", "--unpack-unreachable=now"]
BESIDE = [
    pytest.param(GC, id="gc"),
    pytest.param(REPACK, id="repack -ad"),
    pytest.param(LOOSEN, id="repack -Ad"),
]
BETWEEN = [
    pytest.param(GC, id="gc", marks=pytest.mark.long),
    pytest.param(REPACK, id="repack -ad"),
    pytest.param(LOOSEN, id="repack -Ad", marks=pytest.mark.long),
]


@pytest.mark.parametrize("command", BETWEEN)
def test_upkeep_between_any_two_steps_of_a_write_loses_no_object(
    repo: Path, monkeypatch: pytest.MonkeyPatch, command: list[str]
) -> None:
    monkeypatch.setattr(fold, "AT_A_TIME", 2)
    location = locate(repo)
    write_entry(location, "first", "before all\n")
    runs: list[int] = []
    for step in range(1, 200):
        with interrupted_at(
            step, monkeypatch, lambda: runs.append(run_git(repo, command).returncode)
        ) as calls:
            commit = write_entry(location, f"n{step}", f"{step}\n")
        assert git(repo, "rev-parse", MEMORY) == commit
        if step % 5 == 0 or len(calls) < step:
            git(repo, "rev-list", "--objects", MEMORY)
        if len(calls) < step:
            break
    assert git(repo, "rev-list", "--count", MEMORY) == str(1 + step)
    assert len(runs) > 20
    # While we hold the ref's lock, gc can't shorten the reflog and gives up.
    assert sum(map(bool, runs)) <= 5
    assert fsck(repo) == ""


@pytest.mark.parametrize("command", BETWEEN)
def test_upkeep_between_any_two_steps_of_a_fold_loses_no_object(
    repo: Path, monkeypatch: pytest.MonkeyPatch, command: list[str]
) -> None:
    location = locate(repo)
    for step in range(1, 200):
        with unsynced(monkeypatch):
            for number in range(3):
                write_entry(location, f"n{step}-{number}", f"{step}\n")
        with (
            Objects(location.common_dir) as objects,
            interrupted_at(step, monkeypatch, lambda: git(repo, *command)) as calls,
        ):
            fold.collect(location, objects)
        if step % 5 == 0 or len(calls) < step:
            git(repo, "rev-list", "--objects", MEMORY)
        if len(calls) < step:
            break
    assert step > 20
    assert fsck(repo) == ""


@pytest.mark.parametrize(
    "entries", [90, pytest.param(1500, marks=pytest.mark.long)], ids=["short", "long"]
)
@pytest.mark.parametrize("command", BESIDE)
def test_a_writer_beside_gits_upkeep_loses_no_object(
    repo: Path, monkeypatch: pytest.MonkeyPatch, command: list[str], entries: int
) -> None:
    """With small folds, so that there are many; with a reader that looks at everything."""
    monkeypatch.setattr(fold, "AT_A_TIME", 4)
    monkeypatch.setattr(fold, "MOST", 6)
    location = locate(repo)
    write_entry(location, "first", "before all\n")
    done = threading.Event()
    runs: list[str] = []

    def keep_up() -> None:
        while not done.is_set():
            ran = subprocess.run(
                ["git", *command], cwd=repo, env=git_environment(), capture_output=True, check=False
            )
            runs.append(ran.stderr.decode() if ran.returncode else "")

    upkeep = threading.Thread(target=keep_up)
    upkeep.start()
    acknowledged: list[str] = []
    try:
        with unsynced(monkeypatch), Objects(location.common_dir) as reader:
            for number in range(entries):
                commit = write_entry(location, f"n{number % 20}", f"{number}\n")
                acknowledged.append(commit)
                tree = reader.tree(reader.commit(commit).tree)
                assert set(tree) == {"register"}
                if number % 15 == 0:
                    with Objects(location.common_dir) as objects:
                        fold.collect(location, objects)
    finally:
        done.set()
        upkeep.join()
    assert len(runs) >= 3
    assert fsck(repo) == ""
    assert git(repo, "rev-list", MEMORY).split() == [
        *reversed(acknowledged),
        git(repo, "rev-list", "--max-parents=0", MEMORY),
    ]
    assert git(repo, "rev-parse", BACKUP) == acknowledged[-1]
    # git may give up when a pack goes while it reads; then it has removed nothing.
    assert sum(1 for complaint in runs if complaint) <= len(runs) / 2, runs
    git(repo, "gc", "-q", "--prune=now")
    assert fsck(repo) == ""
