"""The view follows every write, and never takes away what somebody edited."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest
from gitmem.features.lifecycle import Request, move, pin
from gitmem.features.settings import set_key
from gitmem.features.starting import Wanted, init
from gitmem.features.view.checkout import checkout
from gitmem.index.state import open_state
from gitmem.model.errors import PreconditionError
from gitmem.store.layout import CONFIG_PATH

from tests.features.scratch import Scratch, scratch
from tests.helpers import commit_files, git, rev


def tree(memory: Scratch) -> dict[str, bytes]:
    """What the branch holds that belongs into the view."""
    names = git(memory.repo, "ls-tree", "-r", "--name-only", "memory").splitlines()
    return {
        name: git(memory.repo, "show", f"memory:{name}").encode() + b"\n"
        for name in names
        if name != ".gitattributes"
    }


def copies(memory: Scratch) -> dict[str, bytes]:
    return {name: (memory.view / name).read_bytes() for name in memory.entries()}


def test_a_new_view_is_a_copy_of_the_tree_with_pages(memory: Scratch) -> None:
    memory.add("Use tabs")
    assert copies(memory) == tree(memory)
    assert {"index.md", "RECENT.md", "SUMMARY.md", "PINNED.md"} <= memory.files()


def test_the_view_follows_create_update_rename_move_and_retire(memory: Scratch) -> None:
    one = memory.add("Use tabs everywhere")
    memory.change(one.id, "body=Two blanks are fine too.")
    assert copies(memory) == tree(memory)
    memory.change(one.id, "title=Indent with four blanks")
    assert copies(memory) == tree(memory)
    with memory.open() as workspace:
        move(workspace, "promote", Request(one.id))
        assert copies(memory) == tree(memory)
        move(workspace, "retire", Request(one.id, "wrong"))
    assert copies(memory) == tree(memory)
    assert not (memory.view / "working").exists()


def test_the_view_is_hidden_from_the_codes_status(memory: Scratch) -> None:
    memory.add("Use tabs")
    assert git(memory.repo, "status", "--porcelain", "--untracked-files=all") == ""


def test_the_exclude_line_is_written_once_and_keeps_what_is_there(tmp_path: Path) -> None:
    made = scratch(tmp_path / "code", view=False)
    exclude = made.repo / ".git" / "info" / "exclude"
    exclude.write_bytes(b"*.secret")
    for _ in range(2):
        init(made.repo, made.environ, made.clock, Wanted())
    assert exclude.read_bytes() == b"*.secret\n/.claude/memory/\n"


def test_an_edited_file_is_left_alone_and_named(memory: Scratch) -> None:
    one = memory.add("Use tabs")
    file = memory.view / "register/notes/use-tabs.md"
    file.write_text("my own words", "utf-8")
    answer = memory.change(one.id, "body=Other text.")
    assert file.read_text("utf-8") == "my own words"
    assert any("register/notes/use-tabs.md" in one and "adopt" in one for one in answer.warnings)


def test_an_edited_file_survives_the_retirement_of_its_entry(memory: Scratch) -> None:
    one = memory.add("Use tabs")
    file = memory.view / "register/notes/use-tabs.md"
    file.write_text("my own words", "utf-8")
    with memory.open() as workspace:
        move(workspace, "retire", Request(one.id, "wrong"))
    assert file.read_text("utf-8") == "my own words"
    assert (memory.view / "retired/notes/use-tabs.md").exists()


def test_a_file_in_the_place_of_a_new_entry_is_left_alone(memory: Scratch) -> None:
    file = memory.view / "register/notes/use-tabs.md"
    file.parent.mkdir(parents=True)
    file.write_text("my own words", "utf-8")
    answer = memory.add("Use tabs")
    assert file.read_text("utf-8") == "my own words"
    assert answer.warnings


def test_checkout_brings_deleted_files_back_and_keeps_edited_ones(memory: Scratch) -> None:
    memory.add("Use tabs")
    memory.add("Use blanks")
    (memory.view / "register/notes/use-tabs.md").unlink()
    (memory.view / "register/notes/use-blanks.md").write_text("mine", "utf-8")
    (memory.view / "index.md").unlink()
    with memory.open() as workspace:
        done = checkout(workspace)
    assert done.edited == ("register/notes/use-blanks.md",)
    assert "Use tabs" in memory.file("register/notes/use-tabs.md")
    assert memory.file("register/notes/use-blanks.md") == "mine"
    assert "Use tabs" in memory.file("index.md")


def test_a_deleted_view_is_written_whole_by_the_next_write(memory: Scratch) -> None:
    memory.add("Use tabs")
    shutil.rmtree(memory.view)
    memory.add("Use blanks")
    assert copies(memory) == tree(memory)


def test_commits_of_plain_git_reach_the_view_with_the_next_write(memory: Scratch) -> None:
    one = memory.add("Use tabs")
    path = "register/notes/use-tabs.md"
    text = memory.file(path).replace("About", "All about")
    commit_files(memory.repo, {path: text, "register/notes/broken.md": "no entry"}, time=memory.at)
    memory.add("Use blanks")
    assert "All about" in memory.file(path)
    assert not (memory.view / "register/notes/broken.md").exists()
    assert one.id in memory.file(path)


def test_what_a_crash_left_halfway_is_no_edit(memory: Scratch) -> None:
    """The state may tell an older commit than the files hold: they aren't edits."""
    one = memory.add("Use tabs")
    first = rev(memory.repo, "memory")
    assert first is not None
    memory.change(one.id, "body=Second text.")
    with open_state(memory.repo / ".git" / "gitmem") as state:
        state.set_view(memory.view, first)
    answer = memory.change(one.id, "body=Third text.")
    assert answer.warnings == ()
    assert copies(memory) == tree(memory)


def test_a_lost_state_is_started_anew_without_overwriting_edits(memory: Scratch) -> None:
    memory.add("Use tabs")
    stale = memory.file("register/notes/use-tabs.md")
    memory.change("use-tabs", "body=Newer text.")
    memory.add("Use blanks")
    (memory.view / "register/notes/use-tabs.md").write_bytes(stale.encode())
    (memory.view / "register/notes/use-blanks.md").write_text("mine", "utf-8")
    for file in (memory.repo / ".git" / "gitmem").glob("state.db*"):
        file.unlink()
    with memory.open() as workspace:
        done = checkout(workspace)
    assert done.edited == ("register/notes/use-blanks.md",)
    assert "Newer text." in memory.file("register/notes/use-tabs.md")


def test_links_planted_in_the_view_are_not_followed(memory: Scratch, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    memory.view.joinpath("register").symlink_to(outside, target_is_directory=True)
    answer = memory.add("Use tabs")
    assert list(outside.iterdir()) == []
    assert answer.warnings


def test_a_link_in_the_place_of_a_file_is_not_written_through(
    memory: Scratch, tmp_path: Path
) -> None:
    precious = tmp_path / "precious"
    precious.write_text("keep", "utf-8")
    one = memory.add("Use tabs")
    file = memory.view / "register/notes/use-tabs.md"
    file.unlink()
    file.symlink_to(precious)
    memory.change(one.id, "body=Other text.")
    assert precious.read_text("utf-8") == "keep"


def test_a_memory_root_that_leads_out_of_the_work_tree_is_refused(tmp_path: Path) -> None:
    made = scratch(tmp_path / "code", view=False)
    outside = tmp_path / "outside"
    outside.mkdir()
    (made.repo / ".claude").symlink_to(outside, target_is_directory=True)
    with made.open() as workspace, pytest.raises(PreconditionError):
        checkout(workspace)
    assert list(outside.iterdir()) == []


def test_a_bare_repository_has_no_view(tmp_path: Path) -> None:
    made = scratch(tmp_path / "memory.git", bare=True)
    answer = made.add("Use tabs")
    assert answer.warnings == ()
    with made.open() as workspace, pytest.raises(PreconditionError, match="bare"):
        checkout(workspace)


def test_without_set_up_no_write_makes_a_view(tmp_path: Path) -> None:
    made = scratch(tmp_path / "code", view=False)
    made.add("Use tabs")
    assert not (made.repo / ".claude").exists()


def test_linked_work_trees_share_one_memory_and_have_a_view_each(
    memory: Scratch, tmp_path: Path
) -> None:
    commit_files(memory.repo, {"code.py": "x = 1\n"}, ref="refs/heads/main")
    other = tmp_path / "other"
    git(memory.repo, "worktree", "add", "-q", "-b", "topic", str(other), "main")
    memory.add("Use tabs")
    with memory.open(other) as workspace:
        checkout(workspace)
        pin(workspace, Request("use-tabs"))
    assert "pinned: true" in (other / ".claude/memory/register/notes/use-tabs.md").read_text(
        "utf-8"
    )
    assert "pinned" not in memory.file("register/notes/use-tabs.md")
    memory.add("Use blanks")
    assert "pinned: true" in memory.file("register/notes/use-tabs.md")
    assert git(other, "status", "--porcelain", "--untracked-files=all") == ""


def test_another_memory_root_is_told_until_view_moves_there(memory: Scratch) -> None:
    memory.add("Use tabs")
    with memory.open() as workspace:
        answer = set_key(workspace, "memory_root", "notes/memory")
        assert any("memory_root" in text for text in answer.warnings)
        done = checkout(workspace)
    assert done.path == memory.repo / "notes" / "memory"
    assert (memory.repo / "notes/memory/register/notes/use-tabs.md").is_file()
    assert git(memory.repo, "status", "--porcelain", "--untracked-files=all") == ""


def test_a_view_that_cannot_be_written_fails_no_write(memory: Scratch) -> None:
    shutil.rmtree(memory.view)
    memory.view.write_text("a file where the folder was", "utf-8")
    answer = memory.add("Use tabs")
    assert answer.status == "created"
    assert answer.warnings


def test_the_config_is_shown_and_follows(memory: Scratch) -> None:
    with memory.open() as workspace:
        set_key(workspace, "delete.grace_period_days", 7)
    assert '"delete.grace_period_days": 7' in memory.file(CONFIG_PATH)


def test_the_working_copy_of_temporary_files_is_cleared(memory: Scratch) -> None:
    folder = memory.view / "register" / "notes"
    folder.mkdir(parents=True)
    (folder / f".gitmem-{os.getpid()}").write_text("half", "utf-8")
    memory.add("Use tabs")
    assert memory.entries() == {CONFIG_PATH, "register/notes/use-tabs.md"}
