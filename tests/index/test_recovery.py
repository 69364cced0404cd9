"""The index is derived: whatever happens to its file, the next answer is right (I1)."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from gitmem.features import reading
from gitmem.index.db import index_file

from tests.helpers import commit_files, git
from tests.store import kit

TITLES = [f"Entry number {number}" for number in range(12)]


@pytest.fixture(scope="module")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A memory with a dozen entries, closed: its index lies in one file."""
    memory = kit.new_memory(tmp_path_factory.mktemp("prepared") / "repo")
    for title in TITLES:
        memory.add(title, content={"body": f"The text of {title}. " * 40})
    memory.move("retire", "entry-number-3")
    memory.close()
    assert not Path(f"{index_file(memory.store.folder)}-wal").exists()
    return memory.repo


@pytest.fixture
def memory(prepared: Path, tmp_path: Path) -> kit.Memory:
    shutil.copytree(prepared, tmp_path / "repo")
    memory = kit.opened(tmp_path / "repo", kit.Clock(kit.START + kit.DAY))
    memory.close()
    return memory


def answers(memory: kit.Memory) -> list[object]:
    """Reads of every kind."""
    shown = reading.show(memory.workspace, "entry-number-5")
    blamed = reading.blame(memory.workspace, "entry-number-5")[1]
    return [
        [one["slug"] for one in reading.list_entries(memory.workspace, tier="all").entries],
        [one.commit.sha for one in reading.log(memory.workspace)[1]],
        [shown[key] for key in ("title", "content", "changes", "updated_at", "commit")],
        [(one.field, one.commit.sha) for one in blamed],
        reading.show(memory.workspace, "retired/notes/entry-number-3")["retired_at"],
    ]


def delete(file: Path) -> None:
    file.unlink()


def empty(file: Path) -> None:
    file.write_bytes(b"")


def cut(file: Path) -> None:
    file.write_bytes(file.read_bytes()[: file.stat().st_size // 2])


def cut_behind_its_first_page(file: Path) -> None:
    file.write_bytes(file.read_bytes()[:4096])


def scribble(file: Path) -> None:
    file.write_bytes(b"\0garbage" * 2000)


def scribble_over_its_middle(file: Path) -> None:
    """As a bad disk does: the file still opens, and names the right commit."""
    data = bytearray(file.read_bytes())
    for at in range(3 * 4096, len(data), 4096):
        data[at : at + 2048] = b"\x5a" * 2048
    file.write_bytes(data)


def scribble_over_its_schema(file: Path) -> None:
    data = bytearray(file.read_bytes())
    data[100:2000] = b"\xa5" * 1900
    file.write_bytes(data)


def a_folder(file: Path) -> None:
    file.unlink()
    file.mkdir()


DAMAGES = [
    delete,
    empty,
    cut,
    cut_behind_its_first_page,
    scribble,
    scribble_over_its_middle,
    scribble_over_its_schema,
]


@pytest.mark.parametrize("damage", [*DAMAGES, a_folder])
def test_reads_are_right_whatever_became_of_the_file(
    memory: kit.Memory, damage: Callable[[Path], None]
) -> None:
    whole = memory.reopened()
    expected = answers(whole)
    whole.close()
    damage(index_file(memory.store.folder))
    again = memory.reopened()
    assert answers(again) == expected
    again.close()


@pytest.mark.parametrize("damage", DAMAGES)
def test_writes_are_right_whatever_became_of_the_file(
    memory: kit.Memory, damage: Callable[[Path], None]
) -> None:
    damage(index_file(memory.store.folder))
    again = memory.reopened()
    made = again.add("Entry number 5")
    assert made.target == "register/notes/entry-number-5-2"
    again.edit("entry-number-7", "body=changed")
    assert git(memory.repo, "rev-list", "--count", "memory") == str(1 + len(TITLES) + 3)
    kit.assert_sound(again)
    again.close()


def test_an_index_that_is_damaged_while_it_is_open_is_built_anew(memory: kit.Memory) -> None:
    again = memory.reopened()
    expected = answers(again)
    scribble_over_its_middle(index_file(memory.store.folder))
    again.store.snapshot().index.execute("PRAGMA shrink_memory")
    assert answers(again) == expected
    again.close()


def test_the_index_of_another_store_is_not_believed(memory: kit.Memory, tmp_path: Path) -> None:
    other = kit.new_memory(tmp_path / "other")
    for number in range(30):
        other.add(f"Foreign {number}")
    other.close()
    shutil.copy(index_file(other.store.folder), index_file(memory.store.folder))
    again = memory.reopened()
    kit.assert_index_is_true(again)
    assert len(reading.list_entries(again.workspace, tier="all").entries) == len(TITLES)
    again.close()


def test_an_index_that_is_behind_catches_up(memory: kit.Memory) -> None:
    file = index_file(memory.store.folder)
    old = file.read_bytes()
    again = memory.reopened()
    for number in range(5):
        again.add(f"Later {number}")
    again.close()
    paths = {f"register/notes/hand-{n}.md": kit.entry_text(f"tr00000000{n:02}", f"Hand {n}")
             for n in range(20)}  # fmt: skip
    for path, text in paths.items():
        commit_files(memory.repo, {path: text}, "by hand")
    file.write_bytes(old)
    again = memory.reopened()
    kit.assert_index_is_true(again)
    assert len(reading.list_entries(again.workspace).entries) == len(TITLES) - 1 + 5 + 20
    again.close()


def test_a_branch_that_was_rewound_is_followed_back(memory: kit.Memory) -> None:
    again = memory.reopened()
    tips = [again.add(f"Later {number}").commit for number in range(4)]
    git(memory.repo, "update-ref", "refs/heads/memory", tips[1])
    assert len(reading.list_entries(again.workspace).entries) == len(TITLES) - 1 + 2
    kit.assert_index_is_true(again)
    again.add("Instead of the others")
    kit.assert_sound(again)
    git(memory.repo, "update-ref", "refs/heads/memory", tips[3])
    assert len(reading.list_entries(again.workspace).entries) == len(TITLES) - 1 + 4
    kit.assert_index_is_true(again)
    again.close()


def test_a_history_that_was_rewritten_is_followed(memory: kit.Memory) -> None:
    again = memory.reopened()
    answers(again)
    root = kit.commits_of(memory.repo)[-1]
    git(memory.repo, "update-ref", "refs/heads/memory", root)
    path = "register/notes/anew.md"
    commit_files(memory.repo, {path: kit.entry_text("tr0123456789", "Anew")}, "anew")
    assert [one["slug"] for one in reading.list_entries(again.workspace).entries] == ["anew"]
    kit.assert_index_is_true(again)
    again.close()


def test_rebuilding_gives_the_same_index(memory: kit.Memory) -> None:
    again = memory.reopened()
    before = kit.index_content(again.store.snapshot().index)
    again.store.rebuild_index()
    assert kit.index_content(again.store.snapshot().index) == before
    again.close()


def test_two_programs_may_hold_the_index_open(memory: kit.Memory) -> None:
    one, other = memory.reopened(), memory.reopened()
    for number in range(3):
        one.add(f"By the one {number}")
        other.add(f"By the other {number}")
        assert answers(one) == answers(other)
    kit.assert_index_is_true(one)
    one.close()
    other.close()
