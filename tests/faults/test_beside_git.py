"""Writers beside the user's own upkeep: git takes away nothing that a commit needs (I4, I6)."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.concurrency import worker
from tests.helpers import run_git
from tests.store import kit

UPKEEP = {
    "gc": ("gc", "--prune=now", "--quiet"),
    "repack": ("repack", "-a", "-d", "-q"),
    "pack-refs": ("pack-refs", "--all", "--prune"),
}


@pytest.mark.parametrize("name", UPKEEP)
@pytest.mark.parametrize("count", [25, pytest.param(250, marks=pytest.mark.long)])
def test_writers_lose_nothing_beside_git(tmp_path: Path, name: str, count: int) -> None:
    repo = tmp_path / "repo"
    kit.new_memory(repo).close()
    writers = worker.start(repo, "", count, 2)
    runs = 0
    while writers.poll() is None:
        # git itself may complain of a ref or pack that changed under it; the memory may not.
        run_git(repo, UPKEEP[name])
        runs += 1
    acknowledged = worker.finished(writers)
    assert runs > 0
    assert len(acknowledged) == 2 * (count + count // 3)
    assert set(acknowledged) <= set(kit.commits_of(repo))
    memory = kit.opened(repo)
    memory.add("Written after all of that")
    kit.assert_sound(memory)
    memory.close()
