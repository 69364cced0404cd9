"""Entries of category `file` are plain files of the view, body only."""

from __future__ import annotations

import pytest
from gitmem.features.lifecycle import Request, move
from gitmem.features.view.adopt import adopt
from gitmem.features.view.checkout import checkout
from gitmem.features.view.contents import is_plain_path

from tests.features.scratch import Scratch


def test_a_file_entry_is_a_plain_file_and_nothing_else(memory: Scratch) -> None:
    memory.add("todo", "file", path="notes/to do.md", body="## Head\ntext")
    assert memory.file("memories/notes/to do.md") == "## Head\ntext\n"
    assert memory.entries() == {"config.json", "memories/notes/to do.md"}


def test_it_follows_updates_and_goes_where_retired_entries_are(memory: Scratch) -> None:
    one = memory.add("todo", "file", path="todo.md", body="first")
    memory.change(one.id, "body=second", "path=done.md")
    assert memory.entries() == {"config.json", "memories/done.md"}
    assert memory.file("memories/done.md") == "second\n"
    with memory.open() as workspace:
        move(workspace, "retire", Request(one.id, "done"))
    assert memory.entries() == {"config.json", "retired/memories/todo.md"}


def test_of_two_with_one_path_the_first_is_shown_and_the_other_takes_over(memory: Scratch) -> None:
    one = memory.add("a first", "file", path="x.md", body="first")
    memory.add("b second", "file", path="x.md", body="second")
    assert memory.file("memories/x.md") == "first\n"
    assert "second" in memory.file("register/memories/b-second.md")
    with memory.open() as workspace:
        move(workspace, "retire", Request(one.id, "double"))
    assert memory.file("memories/x.md") == "second\n"
    followed = memory.entries()
    with memory.open() as workspace:
        done = checkout(workspace)
    assert (memory.entries(), done.written) == (followed, 0)


def test_a_path_that_no_system_can_hold_stays_in_the_tree_copy(memory: Scratch) -> None:
    memory.add("device", "file", path="con.md", body="text")
    assert not (memory.view / "memories").exists()
    assert "text" in memory.file("register/memories/device.md")


@pytest.mark.parametrize(
    "path",
    ["", "/etc/passwd", "../x", "a/../b", "a//b", ".git/config", "a/.GIT/x", "nul", "a/com1.txt",
     "x\n", "a\x00b", "c:x", "tail.", "tail ", "a\\b"],
)  # fmt: skip
def test_unsafe_paths_are_no_plain_paths(path: str) -> None:
    assert not is_plain_path(path)


def test_an_edited_plain_file_becomes_an_update(memory: Scratch) -> None:
    one = memory.add("todo", "file", path="todo.md", body="first")
    (memory.view / "memories/todo.md").write_text("second\n", "utf-8")
    with memory.open() as workspace:
        done = adopt(workspace)
        found = workspace.store.snapshot().find(one.id).entry()
    assert [item["status"] for item in done.adopted] == ["updated"]
    assert found.content == {"path": "todo.md", "body": "second"}


def test_a_new_plain_file_becomes_an_entry(memory: Scratch) -> None:
    file = memory.view / "memories/deep/new file.txt"
    file.parent.mkdir(parents=True)
    file.write_text("hello", "utf-8")
    with memory.open() as workspace:
        done = adopt(workspace, [file])
        (made,) = done.adopted
        found = workspace.store.snapshot().find(made["id"]).entry()
    assert made["status"] == "created"
    assert found.content == {"path": "deep/new file.txt", "body": "hello"}
    assert memory.file("memories/deep/new file.txt") == "hello\n"
