"""Many processes write at once: nothing that was acknowledged is lost, and nobody fails (I4)."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.concurrency import worker
from tests.helpers import git
from tests.store import kit

EACH = 4
COMMITS_EACH = EACH + 1
"""Every third entry is pinned too."""


def write_at_once(repo: Path, writers: int, *options: str) -> None:
    """Let them write, then check that everything is there."""
    kit.new_memory(repo).close()
    acknowledged = worker.finished(worker.start(repo, "", EACH, writers, *options))
    assert len(acknowledged) == writers * COMMITS_EACH
    history = kit.commits_of(repo)
    assert sorted(acknowledged) == sorted(history[:-1])
    assert git(repo, "rev-list", "--min-parents=2", "memory") == ""
    memory = kit.opened(repo)
    titles = {one.title for one in memory.store.snapshot().entries(("register",))}
    assert titles == {
        f"Note w{n} number {number}" for n in range(writers) for number in range(EACH)
    }
    memory.add("And one more")
    kit.assert_sound(memory)
    memory.close()


def test_writers_lose_nothing(tmp_path: Path) -> None:
    write_at_once(tmp_path / "repo", 12)


def test_without_any_lock_the_compare_and_swap_alone_loses_nothing(tmp_path: Path) -> None:
    write_at_once(tmp_path / "repo", 12, "no-flock", "own-index")


@pytest.mark.long
@pytest.mark.parametrize("options", [(), ("no-flock",), ("no-flock", "own-index")])
def test_fifty_writers_lose_nothing(tmp_path: Path, options: tuple[str, ...]) -> None:
    write_at_once(tmp_path / "repo", 50, *options)


def test_one_that_reads_while_others_write_always_sees_a_whole_state(tmp_path: Path) -> None:
    repo = tmp_path / "repo"
    kit.new_memory(repo).close()
    writers = worker.start(repo, "", 10, 2)
    seen = 0
    memory = kit.opened(repo)
    while writers.poll() is None:
        snapshot = memory.store.snapshot()
        entries = list(snapshot.entries(("register",)))
        assert len(entries) >= seen
        seen = len(entries)
        for one in entries[-3:]:
            assert memory.store.objects.blob(one.blob)
    memory.close()
    worker.finished(writers)
    memory = kit.opened(repo)
    assert len(list(memory.store.snapshot().entries(("register",)))) == 20
    kit.assert_sound(memory)
    memory.close()
