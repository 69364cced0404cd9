"""Writers killed at random points: what they acknowledged is there, and nobody has to help (I4)."""

from __future__ import annotations

import contextlib
import os
import random
import subprocess
from pathlib import Path

import pytest
from gitmem.git import ref

from tests.concurrency import worker
from tests.helpers import fsck, git
from tests.store import kit

AT_ONCE = 3
LONGEST = 0.02
"""Seconds between the last acknowledgement that is waited for and the kill."""


@pytest.mark.parametrize("rounds", [5, pytest.param(34, marks=pytest.mark.long)])
def test_what_a_killed_writer_acknowledged_is_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, rounds: int
) -> None:
    # A ref lock left by the dead would have to be waited for: then the next write fails here.
    monkeypatch.setattr(ref, "LOCK_TIMEOUT", 0.0)
    repo = tmp_path / "repo"
    kit.new_memory(repo).close()
    chance = random.Random(4)
    acknowledged: set[str] = set()
    for number in range(rounds):
        acknowledged |= until_killed(worker.start(repo, f"r{number}", 0, AT_ONCE), chance)
        memory = kit.opened(repo)
        kit.assert_index_is_true(memory)
        acknowledged.add(memory.add(f"Written after round {number}").commit)
        memory.close()
        assert acknowledged <= set(kit.commits_of(repo))
        assert fsck(repo) == ""
    assert tidied(repo)
    assert int(git(repo, "rev-list", "--count", "memory")) > rounds


def tidied(repo: Path) -> bool:
    """Do writes clear up after the dead? One may take a moment to be gone altogether."""
    for keep in (repo / ".git" / "objects" / "pack").glob("*.keep"):
        if not keep.stat().st_size:
            # Killed before it could say whose it is: nothing goes before a day has passed.
            os.utime(keep, (0, 0))
    memory = kit.opened(repo)
    for number in range(200):
        memory.add(f"Clears up {number}")
        if not kit.leftovers(repo):
            break
    memory.close()
    return not kit.leftovers(repo)


def until_killed(writers: subprocess.Popen[str], chance: random.Random) -> set[str]:
    """Kill the writers some moment after they acknowledged something; all that they did."""
    assert writers.stdout is not None
    lines = [writers.stdout.readline().strip() for _ in range(chance.randint(1, 9))]
    with contextlib.suppress(subprocess.TimeoutExpired):
        writers.wait(chance.uniform(0, LONGEST))
    return {*lines, *worker.kill(writers)}
