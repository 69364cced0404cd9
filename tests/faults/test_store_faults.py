"""The whole write stopped at every step that changes the disk: the old state or the new (I4)."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from gitmem.features.undo import undo_commit
from gitmem.git import ref
from gitmem.git.fold import AT_A_TIME

from tests.faults.writer import Stopped, bury, stopping_at, unsynced
from tests.helpers import fsck, git
from tests.store import kit

Act = Callable[[kit.Memory], object]


def prepared(folder: Path, monkeypatch: pytest.MonkeyPatch, entries: int) -> Path:
    """A memory with one entry and as many packs as the entries make."""
    with unsynced(monkeypatch):
        memory = kit.new_memory(folder / "prepared")
        for number in range(entries):
            memory.add(f"Entry number {number}")
        memory.close()
    return memory.repo


def stop_everywhere(
    repo: Path, monkeypatch: pytest.MonkeyPatch, act: Act, *, first: int = 1, stride: int = 1
) -> int:
    """Stop the write at each step from `first` on, or at some; how many steps there are."""
    # Nobody is there to wait for: a writer that would have to wait fails at once.
    monkeypatch.setattr(ref, "LOCK_TIMEOUT", 0.0)
    old = git(repo, "rev-parse", "memory")
    for step in range(first, 1000, stride):
        copy = repo.with_name("copy")
        shutil.copytree(repo, copy)
        stopped = stop_at(step, copy, monkeypatch, act)
        survives(copy, old, stopped, monkeypatch)
        shutil.rmtree(copy)
        if not stopped:
            return step - 1
    raise AssertionError("the write never ends")


def stop_at(step: int, repo: Path, monkeypatch: pytest.MonkeyPatch, act: Act) -> bool:
    """Run the write in a process that ends at that step. False: it came through."""
    memory = kit.opened(repo)
    # What a process has read and imported before it starts to write isn't the matter here.
    memory.store.snapshot()
    stopped = False
    try:
        with stopping_at(step, monkeypatch):
            act(memory)
    except Stopped:
        stopped = True
    memory.close()
    bury(memory.store.location)
    return stopped


def survives(repo: Path, old: str, stopped: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """The old state or the new one, and the next writer succeeds at once."""
    tip = git(repo, "rev-parse", "memory")
    made = git(repo, "rev-list", f"{old}..memory").split()
    assert made in ([], [tip])
    assert made or stopped
    assert fsck(repo) == ""
    memory = kit.opened(repo)
    kit.assert_index_is_true(memory)
    with unsynced(monkeypatch):
        after = memory.add("Written after the crash")
    assert memory.store.objects.commit(after.commit).parents == (tip,)
    assert kit.leftovers(repo) == []
    memory.close()


def create(memory: kit.Memory) -> object:
    return memory.add("The one that is stopped")


def retire(memory: kit.Memory) -> object:
    return memory.move("retire", "entry-number-0")


def undo(memory: kit.Memory) -> object:
    return undo_commit(memory.workspace, memory.tip)


def test_a_create_stopped_at_any_step_leaves_the_old_state_or_the_new(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert stop_everywhere(prepared(tmp_path, monkeypatch, 1), monkeypatch, create) > 20


@pytest.mark.long
@pytest.mark.parametrize("act", [retire, undo])
def test_a_change_stopped_at_any_step_leaves_the_old_state_or_the_new(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, act: Act
) -> None:
    assert stop_everywhere(prepared(tmp_path, monkeypatch, 1), monkeypatch, act) > 20


@pytest.mark.parametrize("stride", [9, pytest.param(1, marks=pytest.mark.long)])
def test_a_fold_stopped_at_any_step_loses_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, stride: int
) -> None:
    first = steps_of_a_write(tmp_path / "plain", monkeypatch)
    repo = prepared(tmp_path / "due", monkeypatch, AT_A_TIME - 2)
    packs = repo / ".git" / "objects" / "pack"
    assert len(list(packs.glob("*.pack"))) == AT_A_TIME - 1
    steps = stop_everywhere(repo, monkeypatch, create, first=first, stride=stride)
    assert steps > first + AT_A_TIME
    memory = kit.opened(repo)
    create(memory)
    memory.close()
    assert len(list(packs.glob("*.pack"))) == 1


def steps_of_a_write(folder: Path, monkeypatch: pytest.MonkeyPatch) -> int:
    """How many steps a write without a fold has: those are stopped elsewhere."""
    memory = kit.opened(prepared(folder, monkeypatch, 1))
    with stopping_at(1000, monkeypatch) as calls:
        create(memory)
    memory.close()
    return len(calls)
