"""gc: what was retired long enough ago leaves the tree, and stays in history."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from gitmem.features import reading
from gitmem.features.undo import undo_commit
from gitmem.features.upkeep.collect import gc

from tests.helpers import git
from tests.store import kit
from tests.store.kit import unsynced as unsynced


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[kit.Memory]:
    memory = kit.new_memory(tmp_path / "repo")
    yield memory
    memory.close()


def test_an_entry_goes_on_the_day_its_grace_period_ends(memory: kit.Memory) -> None:
    one = memory.add("Going")
    memory.move("retire", one.id)
    memory.clock.tick(30 * kit.DAY - 1)
    early = gc(memory.workspace)
    assert early.removed == ()
    assert [skipped["target"] for skipped in early.skipped] == ["retired/notes/going"]
    assert "stays until" in early.skipped[0]["why"]
    memory.clock.tick(1)
    (removed,) = gc(memory.workspace).removed
    assert removed == {"id": one.id, "target": "retired/notes/going", "commit": memory.tip}
    assert sorted(kit.tree_of(memory.repo)) == [".gitattributes", "config.json"]
    kit.assert_sound(memory)


def test_each_entry_is_a_commit_of_its_own(memory: kit.Memory) -> None:
    for number in range(3):
        memory.move("retire", memory.add(f"Going {number}").id)
    memory.clock.tick(31 * kit.DAY)
    before = memory.tip
    removed = gc(memory.workspace).removed
    commits = git(memory.repo, "rev-list", "--reverse", f"{before}..memory").split()
    assert [one["commit"] for one in removed] == commits
    assert len(commits) == 3


def test_what_isnt_retired_is_never_taken(memory: kit.Memory) -> None:
    memory.add("Active")
    memory.move("archive", memory.add("Archived").id)
    one = memory.add("Restored")
    memory.move("retire", one.id)
    memory.move("restore", one.id)
    memory.clock.tick(1000 * kit.DAY)
    answer = gc(memory.workspace)
    assert (answer.removed, answer.skipped) == ((), ())


def test_the_last_retirement_counts(memory: kit.Memory) -> None:
    one = memory.add("Retired twice")
    memory.move("retire", one.id)
    memory.clock.tick(20 * kit.DAY)
    memory.move("restore", one.id)
    memory.move("retire", one.id)
    memory.clock.tick(20 * kit.DAY)
    assert gc(memory.workspace).removed == ()


def test_a_collected_entry_that_is_undone_gets_a_grace_period_again(memory: kit.Memory) -> None:
    one = memory.add("Brought back")
    memory.move("retire", one.id)
    memory.clock.tick(31 * kit.DAY)
    undo_commit(memory.workspace, str(gc(memory.workspace).removed[0]["commit"]))
    assert reading.show(memory.workspace, one.id)["tier"] == "retired"
    assert gc(memory.workspace).removed == ()


def test_a_dry_run_tells_and_changes_nothing(memory: kit.Memory) -> None:
    one = memory.add("Going")
    memory.move("retire", one.id)
    memory.clock.tick(31 * kit.DAY)
    before = memory.tip
    planned = gc(memory.workspace, dry_run=True).to_json()
    assert planned["status"] == "planned"
    assert planned["removed"] == [{"id": one.id, "target": "retired/notes/going", "commit": None}]
    assert memory.tip == before
    assert reading.show(memory.workspace, one.id)["tier"] == "retired"


def test_the_grace_period_is_a_setting(memory: kit.Memory) -> None:
    memory.move("retire", memory.add("Going").id)
    memory.clock.tick(2 * kit.DAY)
    assert gc(memory.workspace).removed == ()
    memory.set("delete.grace_period_days", 1)
    assert len(gc(memory.workspace).removed) == 1


def test_with_archive_retired_an_entry_is_archived_and_not_taken(memory: kit.Memory) -> None:
    memory.set("delete.archive_retired", True)
    one = memory.add("Archived by gc")
    memory.move("retire", one.id)
    memory.clock.tick(31 * kit.DAY)
    assert len(gc(memory.workspace).removed) == 1
    shown = reading.show(memory.workspace, one.id)
    assert (shown["tier"], shown["address"]) == ("archive", "archive/notes/archived-by-gc")
    assert memory.move("unarchive", one.id).target == "register/notes/archived-by-gc"
    kit.assert_sound(memory)


def test_gc_folds_our_packs_into_one(memory: kit.Memory) -> None:
    for number in range(12):
        memory.add(f"Number {number}")
    packs = memory.repo / ".git" / "objects" / "pack"
    assert len(list(packs.glob("*.pack"))) == 13
    answer = gc(memory.workspace)
    assert answer.packs == 13
    assert len(list(packs.glob("*.pack"))) == 1
    kit.assert_sound(memory)
