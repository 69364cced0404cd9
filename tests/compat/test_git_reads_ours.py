"""C git reads, merges, blames and checks what we wrote (I6)."""

from __future__ import annotations

from pathlib import Path

from gitmem.features import reading

from tests.helpers import commit_files, fsck, git, git_succeeds
from tests.store import kit


def test_git_logs_an_entry_through_its_moves(memory: kit.Memory) -> None:
    one = memory.add("Printer on floor three")
    memory.edit(one.id, "body=It moved to floor 4.")
    memory.move("promote", one.id)
    memory.move("retire", one.id)
    path = "retired/notes/printer-on-floor-three.md"
    subjects = git(memory.repo, "log", "--follow", "--format=%s", "memory", "--", path)
    assert [line.partition("(")[0] for line in subjects.splitlines()] == [
        "retire",
        "promote",
        "update",
        "create",
    ]
    shown = git(memory.repo, "log", "-1", "--stat", "--format=", "memory")
    assert "{working => retired}/notes/printer-on-floor-three.md" in shown


def test_git_blames_each_line_on_the_commit_that_we_blame(memory: kit.Memory) -> None:
    one = memory.add("A decision", "decision")
    changed = memory.edit(one.id, "status=deprecated").commit
    path = "register/decisions/a-decision.md"
    blamed = git(memory.repo, "blame", "-l", "memory", "--", path).splitlines()
    lines = {line.partition(") ")[2]: line.split()[0].lstrip("^") for line in blamed}
    assert lines["status: deprecated"] == changed
    assert lines["title: A decision"] == one.commit
    ours = {each.field: each.commit.sha for each in reading.blame(memory.workspace, one.id)[1]}
    assert ours["content.status"] == changed
    assert ours["title"] == one.commit


def test_git_diffs_an_update_as_the_lines_that_changed(memory: kit.Memory) -> None:
    one = memory.add("A decision", "decision")
    memory.edit(one.id, "status=deprecated")
    diff = git(memory.repo, "diff", "-U0", "memory~1", "memory").splitlines()
    changed = [line for line in diff if line[:1] in "+-" and line[:3] not in ("+++", "---")]
    assert changed == ["-status: accepted", "+status: deprecated"]


def test_every_category_is_clean_to_fsck_and_git_has_no_complaint(memory: kit.Memory) -> None:
    for category in kit.CONTENTS:
        memory.add(f"One {category}", category)
    assert fsck(memory.repo) == ""
    assert git_succeeds(memory.repo, "diff", "--check", "memory~1", "memory")
    assert "\ngarbage: 0" in git(memory.repo, "count-objects", "-v")


def test_git_merges_two_branches_that_changed_different_entries(memory: kit.Memory) -> None:
    left = memory.add("The left one")
    right = memory.add("The right one")
    git(memory.repo, "branch", "theirs", "memory")
    memory.edit(left.id, "body=Changed here.")
    memory.add("New here")
    path = "register/notes/the-right-one.md"
    text = kit.file_at(memory.repo, path).replace("floor 3", "floor 5")
    commit_files(memory.repo, {path: text}, "changed there", ref="refs/heads/theirs")
    merged = git(memory.repo, "worktree", "add", "-q", "--detach", "../merging", "memory")
    assert merged == ""
    merging = memory.repo.parent / "merging"
    git(merging, "merge", "-q", "--no-edit", "theirs")
    git(merging, "push", "-q", ".", "HEAD:refs/heads/memory")
    shown = reading.show(memory.workspace, right.id)
    assert "floor 5" in shown["content"]["body"]
    assert reading.show(memory.workspace, left.id)["content"]["body"] == "Changed here."
    memory.add("Written on top of a merge")
    kit.assert_sound(memory)


def test_two_stores_that_were_started_apart_are_merged_by_git(tmp_path: Path) -> None:
    one, other = kit.new_memory(tmp_path / "one"), kit.new_memory(tmp_path / "other")
    one.add("From the one")
    other.add("From the other")
    git(one.repo, "fetch", "-q", str(other.repo), "memory:theirs")
    git(one.repo, "worktree", "add", "-q", str(tmp_path / "merging"), "memory")
    git(tmp_path / "merging", "merge", "-q", "--no-edit", "theirs")
    titles = [entry["title"] for entry in reading.list_entries(one.workspace).entries]
    assert titles == ["From the one", "From the other"]
    kit.assert_sound(one)
    one.close()
    other.close()


def test_a_clone_made_by_git_holds_everything_and_is_read_without_init(
    memory: kit.Memory, tmp_path: Path
) -> None:
    one = memory.add("Read after a clone")
    git(tmp_path, "clone", "-q", str(memory.repo), "clone")
    clone = kit.opened(tmp_path / "clone")
    assert clone.store.branch.ref == "refs/remotes/origin/memory"
    assert reading.show(clone.workspace, one.id)["title"] == "Read after a clone"
    assert fsck(tmp_path / "clone") == ""
    clone.close()


def test_git_transports_bundles_and_archives_it(memory: kit.Memory, tmp_path: Path) -> None:
    memory.add("In a bundle")
    git(memory.repo, "bundle", "create", "-q", str(tmp_path / "b"), "memory")
    git(tmp_path, "clone", "-q", "--bare", "-b", "memory", str(tmp_path / "b"), "from-bundle")
    assert kit.tree_of(tmp_path / "from-bundle") == kit.tree_of(memory.repo)
    listed = git(memory.repo, "archive", "--format=tar", "memory", "-o", str(tmp_path / "a.tar"))
    assert listed == ""
