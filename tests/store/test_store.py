"""Transactions: planned on the tip, published at once, planned again after a lost race (I4)."""

from __future__ import annotations

from pathlib import Path

import pytest
from gitmem.features import reading
from gitmem.git import ref
from gitmem.git.platform import FileLock
from gitmem.index.db import index_file
from gitmem.model.errors import Locked, NotAStore
from gitmem.store import catchup
from gitmem.store.change import Change
from gitmem.store.indexing import CurrentIndex
from gitmem.store.ops.settings import set_key
from gitmem.store.store import Store
from gitmem.store.transaction import Transaction

from tests.helpers import commit_files, git
from tests.store import kit


def setting(txn: Transaction, days: int) -> Change:
    change = set_key(txn, "delete.grace_period_days", days)
    assert isinstance(change, Change)
    return change


def packs(memory: kit.Memory) -> set[str]:
    return {path.name for path in (memory.repo / ".git/objects/pack").glob("*.pack")}


def test_several_changes_of_one_transaction_are_as_many_commits_in_one_pack(
    memory: kit.Memory,
) -> None:
    before, old = memory.tip, packs(memory)

    def plan(txn: Transaction) -> list[str]:
        return [txn.apply(setting(txn, days)).commit for days in (1, 2, 3)]

    made, written = memory.workspace.write(plan)
    assert list(written.commits) == made
    assert git(memory.repo, "rev-list", "--reverse", f"{before}..memory").split() == made
    assert len(packs(memory) - old) == 1
    kit.assert_sound(memory)


def test_a_plan_that_makes_nothing_writes_nothing(memory: kit.Memory) -> None:
    before, old = memory.tip, packs(memory)
    answer, written = memory.workspace.write(lambda txn: txn.commit)
    assert (answer, written.commits) == (before, ())
    assert (memory.tip, packs(memory)) == (before, old)
    assert kit.leftovers(memory.repo) == []


@pytest.mark.parametrize("error", [RuntimeError, KeyboardInterrupt])
def test_a_plan_that_fails_leaves_nothing(memory: kit.Memory, error: type[BaseException]) -> None:
    before, old = memory.tip, packs(memory)

    def plan(txn: Transaction) -> None:
        txn.apply(setting(txn, 7))
        raise error

    with pytest.raises(error):
        memory.workspace.write(plan)
    assert (memory.tip, packs(memory)) == (before, old)
    assert memory.store.snapshot().config.get("delete.grace_period_days") == 30
    memory.add("The next write")
    kit.assert_sound(memory)


def test_a_dry_run_sees_its_changes_and_publishes_none(memory: kit.Memory) -> None:
    before, old = memory.tip, packs(memory)

    def plan(txn: Transaction) -> object:
        txn.apply(setting(txn, 7))
        return txn.snapshot.config.get("delete.grace_period_days")

    assert memory.store.look(plan, memory.workspace.origin()) == 7
    assert (memory.tip, packs(memory)) == (before, old)
    kit.assert_sound(memory)


def test_a_writer_that_lost_the_race_plans_again_on_the_new_tip(memory: kit.Memory) -> None:
    seen: list[str | None] = []

    def plan(txn: Transaction) -> str:
        seen.append(txn.commit)
        if len(seen) == 1:
            text = kit.entry_text("tr0123456789", "Faster")
            commit_files(memory.repo, {"register/notes/faster.md": text}, "faster")
        return txn.apply(setting(txn, len(txn.snapshot.history("tr0123456789")) + 5)).commit

    made, written = memory.workspace.write(plan)
    assert len(seen) == 2
    assert git(memory.repo, "rev-parse", "memory^") == seen[1]
    assert written.commits == (made,)
    assert memory.store.snapshot().config.get("delete.grace_period_days") == 6
    assert reading.show(memory.workspace, "faster")["title"] == "Faster"
    kit.assert_sound(memory)


def test_a_lock_that_stays_taken_is_told_with_its_file(
    memory: kit.Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = memory.store.folder / "lock"
    held = FileLock(path)
    held.acquire()
    monkeypatch.setattr(FileLock.acquire, "__defaults__", (0.0,))
    with pytest.raises(Locked) as refused:
        memory.add("Never written")
    assert (refused.value.code, refused.value.exit_code) == ("LOCKED", 5)
    assert str(path) in refused.value.message
    held.release()
    memory.add("Written now")


def test_a_ref_lock_of_another_program_is_waited_for_and_never_broken(
    memory: kit.Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ref, "LOCK_TIMEOUT", 0.0)
    before = memory.tip
    lock = memory.repo / ".git" / "refs" / "heads" / "memory.lock"
    lock.write_text("somebody's\n")
    with pytest.raises(Locked, match="memory"):
        memory.add("Never written")
    assert lock.read_text() == "somebody's\n"
    assert memory.tip == before
    lock.unlink()
    memory.add("Written now")
    kit.assert_sound(memory)


def test_each_write_moves_the_backup_ref(memory: kit.Memory) -> None:
    for number in range(3):
        commit = memory.add(f"Number {number}").commit
        assert git(memory.repo, "rev-parse", "refs/gitmem/backup") == commit


def test_a_branch_that_was_deleted_is_offered_back(memory: kit.Memory) -> None:
    commit = memory.add("Deleted with its branch").commit
    git(memory.repo, "branch", "-q", "-D", "memory")
    for act in (lambda: memory.add("Another"), memory.store.snapshot):
        with pytest.raises(NotAStore) as refused:
            act()
        assert refused.value.details["backup"] == commit
        assert "gitmem init" in str(refused.value.fix)


def test_a_repository_without_memory_says_how_to_start_one(repo: Path) -> None:
    with pytest.raises(NotAStore, match="no memory branch") as refused:
        Store.open(repo, {})
    assert "gitmem init" in str(refused.value.fix)
    with pytest.raises(NotAStore):
        Store.open(repo.parent, {})


def test_a_reader_that_saw_an_old_tip_doesnt_take_the_index_back(memory: kit.Memory) -> None:
    memory.add("First")
    old = memory.tip
    memory.add("Second")
    index = memory.store.snapshot().index
    with index.writing():
        index.set_meta("mark", "an index that was built anew has no such row")
    tips = iter([old, memory.tip])
    late = CurrentIndex(memory.store.folder, lambda: memory.store.objects, lambda: next(tips))
    seen, tip = late.at_tip()
    assert tip == memory.tip
    assert seen.meta("mark")
    late.close()


def test_a_long_history_is_built_from_claims_that_are_checked_when_they_matter(
    memory: kit.Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(catchup, "COLD", 3)
    one = memory.add("Retired in a long history")
    memory.add("Another")
    memory.move("retire", one.id)
    memory.close()
    index_file(memory.store.folder).unlink()
    again = memory.reopened()
    unverified = "SELECT count(*) FROM changes WHERE NOT verified"
    assert again.store.snapshot().index.rows(unverified) == [(3,)]
    shown = reading.show(again.workspace, one.id)
    assert shown["record_status"] == "retired"
    again.move("restore", one.id)
    assert again.store.snapshot().index.rows(unverified)[0][0] < 3
    kit.assert_sound(again)
    again.close()


def test_progress_is_told_while_the_index_is_built(memory: kit.Memory) -> None:
    memory.add("An entry")
    told: list[tuple[int, int]] = []
    memory.store.rebuild_index(lambda done, total: told.append((done, total)))
    assert told[0] == (0, 2)
    kit.assert_sound(memory)
