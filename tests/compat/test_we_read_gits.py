"""What people do with plain git is accepted if valid, reported if not, and never lost (I6)."""

from __future__ import annotations

from pathlib import Path

import pytest
from gitmem.features import lifecycle, reading
from gitmem.features.lifecycle import Request
from gitmem.features.undo import undo_commit
from gitmem.features.upkeep.collect import gc
from gitmem.index import queries
from gitmem.model.errors import AntiResurrectionError, UpdateError
from gitmem.store import catchup

from tests.helpers import commit_files, fsck, git
from tests.store import kit

ID = "tr0123456789"
NOTE = "register/notes/by-hand.md"


def hand(memory: kit.Memory, files: dict[str, str | None], message: str = "by hand") -> str:
    memory.clock.tick()
    return commit_files(memory.repo, files, message, time=memory.clock.now)


def test_an_entry_that_was_added_by_hand_is_one(memory: kit.Memory) -> None:
    commit = hand(memory, {NOTE: kit.entry_text(ID, "By hand")})
    shown = reading.show(memory.workspace, ID)
    assert (shown["title"], shown["slug"], shown["tier"]) == ("By hand", "by-hand", "register")
    assert [one.commit.sha for one in reading.log(memory.workspace, ID)[1]] == [commit]
    memory.edit("by-hand", "body=By gitmem.")
    kit.assert_sound(memory)


def test_an_edit_by_hand_counts_as_an_update_of_its_author(memory: kit.Memory) -> None:
    one = memory.add("Edited by hand")
    path = "register/notes/edited-by-hand.md"
    text = kit.file_at(memory.repo, path).replace("floor 3", "floor 9")
    commit = hand(memory, {path: text}, "moved the printer\n\nIt was in the way.")
    shown = reading.show(memory.workspace, one.id)
    assert shown["times_updated"] == 1
    assert "floor 9" in shown["content"]["body"]
    assert [change["field"] for change in shown["changes"]] == ["content.body"]
    blamed = {each.field: each.commit.sha for each in reading.blame(memory.workspace, one.id)[1]}
    assert blamed["content.body"] == commit
    assert blamed["title"] == one.commit


def test_a_move_by_hand_is_a_move(memory: kit.Memory) -> None:
    one = memory.add("Moved by hand")
    text = kit.file_at(memory.repo, "register/notes/moved-by-hand.md")
    hand(
        memory,
        {"register/notes/moved-by-hand.md": None, "retired/notes/moved-by-hand.md": text},
    )
    assert reading.show(memory.workspace, one.id)["record_status"] == "retired"
    assert memory.move("restore", one.id).target == "register/notes/moved-by-hand"
    kit.assert_sound(memory)


def test_an_entry_that_was_deleted_by_hand_is_gone_and_can_come_back(memory: kit.Memory) -> None:
    one = memory.add("Deleted by hand")
    commit = hand(memory, {"register/notes/deleted-by-hand.md": None})
    assert reading.list_entries(memory.workspace, tier="all").entries == ()
    assert reading.log(memory.workspace, one.id)[1][0].commit.sha == commit
    undo_commit(memory.workspace, commit)
    assert reading.show(memory.workspace, one.id)["title"] == "Deleted by hand"
    kit.assert_sound(memory)


def test_a_revert_by_git_is_read_as_what_it_does(memory: kit.Memory, tmp_path: Path) -> None:
    one = memory.add("Reverted by git")
    memory.edit(one.id, "body=A mistake.")
    git(memory.repo, "worktree", "add", "-q", str(tmp_path / "tree"), "memory")
    git(tmp_path / "tree", "revert", "--no-edit", "HEAD")
    assert "floor 3" in reading.show(memory.workspace, one.id)["content"]["body"]
    kit.assert_sound(memory)


def test_a_cherry_pick_with_our_trailers_is_read_by_its_trees(
    memory: kit.Memory, tmp_path: Path
) -> None:
    one = memory.add("Picked")
    base = memory.tip
    changed = memory.edit(one.id, "body=Picked from elsewhere.").commit
    git(memory.repo, "update-ref", "refs/heads/memory", base)
    memory.add("Something else")
    git(memory.repo, "worktree", "add", "-q", str(tmp_path / "tree"), "memory")
    git(tmp_path / "tree", "cherry-pick", changed)
    shown = reading.show(memory.workspace, one.id)
    assert shown["content"]["body"] == "Picked from elsewhere."
    kit.assert_sound(memory)


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("register/notes/no-entry.md", "no frontmatter\n"),
        ("register/notes/no-title.md", kit.entry_text(ID, "x").replace("title: x\n", "")),
        ("register/notes/Upper Case.md", kit.entry_text(ID, "x")),
        ("register/too-high.md", kit.entry_text(ID, "x")),
        ("working/graph/entity.md", kit.entry_text(ID, "x", category="entity")),
        ("register/notes/picture.png", "\x00\x01"),
        ("register/decisions/half.md", kit.entry_text(ID, "x", category="decision")),
        ("register/notes/twice.md", kit.entry_text(ID, "x").replace("id:", "id: a\nid:")),
    ],
)
def test_an_invalid_file_is_reported_kept_and_in_nobodys_way(
    memory: kit.Memory, path: str, text: str
) -> None:
    sound = memory.add("A sound entry")
    hand(memory, {path: text})
    snapshot = memory.store.snapshot()
    assert [problem.path for problem in queries.problems(snapshot.index)] == [path]
    listed = [one["id"] for one in reading.list_entries(memory.workspace, tier="all").entries]
    assert listed == [sound.id]
    memory.edit(sound.id, "body=Still written.")
    assert kit.file_at(memory.repo, path) == text
    kit.assert_sound(memory)


def test_files_elsewhere_are_nobodys_business(memory: kit.Memory) -> None:
    hand(memory, {"README.md": "# Ours\n", "invalid/register/notes/x.md": "was set aside\n"})
    assert queries.problems(memory.store.snapshot().index) == []
    memory.add("Beside them")
    assert kit.file_at(memory.repo, "README.md") == "# Ours\n"


def test_a_slug_that_an_invalid_file_holds_is_taken(memory: kit.Memory) -> None:
    hand(memory, {"retired/notes/the-name.md": "no entry\n"})
    assert memory.add("The name").target == "register/notes/the-name-2"


def test_a_move_never_overwrites_what_plain_git_put_there(memory: kit.Memory) -> None:
    files = {
        "register/notes/x.md": kit.entry_text("traaaaaaaaaa", "The first"),
        "retired/notes/x.md": kit.entry_text("trbbbbbbbbbb", "The second"),
        "register/notes/y.md": kit.entry_text("trcccccccccc", "The third"),
        "archive/notes/y.md": "no entry\n",
    }
    hand(memory, dict(files))
    assert memory.move("retire", "traaaaaaaaaa").target == "retired/notes/x-2"
    assert memory.move("archive", "trcccccccccc").target == "archive/notes/y-2"
    assert kit.file_at(memory.repo, "retired/notes/x.md") == files["retired/notes/x.md"]
    assert kit.file_at(memory.repo, "archive/notes/y.md") == "no entry\n"
    kit.assert_sound(memory)


def test_a_copied_file_gets_an_id_of_its_own_before_the_next_write(memory: kit.Memory) -> None:
    one = memory.add("The original")
    text = kit.file_at(memory.repo, "register/notes/the-original.md")
    hand(memory, {"archive/notes/a-copy.md": text})
    made = memory.add("The next write")
    assert git(memory.repo, "log", "-2", "--format=%(trailers:key=Gitmem-Op,valueonly,separator=)",
               "memory").split() == ["create", "repair"]  # fmt: skip
    assert git(memory.repo, "rev-parse", "memory") == made.commit
    copy = reading.show(memory.workspace, "archive/notes/a-copy")
    assert copy["id"] != one.id
    assert copy["title"] == "The original"
    original = reading.show(memory.workspace, one.id)
    assert original["address"] == "register/notes/the-original"
    kit.assert_sound(memory)
    memory.store.rebuild_index()
    assert reading.show(memory.workspace, one.id) == {**original, "commit": memory.tip}


def test_a_copy_to_where_the_entry_once_lay_is_still_the_copy(memory: kit.Memory) -> None:
    one = memory.add("Where it once lay")
    memory.edit(one.id, "title=Somewhere else entirely")
    text = kit.file_at(memory.repo, "register/notes/somewhere-else-entirely.md")
    hand(memory, {"register/notes/where-it-once-lay.md": text})
    memory.add("The next write")
    assert reading.show(memory.workspace, one.id)["slug"] == "somewhere-else-entirely"
    assert reading.show(memory.workspace, "where-it-once-lay")["id"] != one.id
    kit.assert_sound(memory)


def test_a_history_without_any_trailer_is_read_by_its_trees(memory: kit.Memory) -> None:
    names = [f"tr00000000{number:02}" for number in range(5)]
    for number, entry_id in enumerate(names):
        hand(memory, {f"register/notes/n-{number}.md": kit.entry_text(entry_id, f"N {number}")})
    text = kit.file_at(memory.repo, "register/notes/n-1.md")
    hand(memory, {"register/notes/n-1.md": None, "retired/notes/n-1.md": text})
    hand(memory, {"register/notes/n-2.md": None})
    listed = reading.list_entries(memory.workspace, tier="all").entries
    assert sorted(one["slug"] for one in listed) == ["n-0", "n-1", "n-3", "n-4"]
    shown = reading.show(memory.workspace, names[1])
    assert shown["retired_at"] == reading.logged_json(
        memory.workspace, reading.log(memory.workspace, names[1])[1][0]
    )["time"]  # fmt: skip
    with pytest.raises(AntiResurrectionError):
        memory.add("N 1")


def merged_by_a_person(memory: kit.Memory, tmp_path: Path) -> str:
    """A merge of two branches that a person made with plain git; its hash."""
    one = memory.add("Changed on both sides", body=None)
    path = "register/notes/changed-on-both-sides.md"
    text = kit.file_at(memory.repo, path)
    git(memory.repo, "branch", "theirs", "memory")
    theirs = {path: text.replace("tags: [one]", "tags: [one, two]"),
              "register/notes/theirs.md": kit.entry_text(ID, "Theirs")}  # fmt: skip
    commit_files(memory.repo, theirs, "theirs", ref="refs/heads/theirs", time=memory.clock.now)
    memory.edit(one.id, "body=Ours.")
    git(memory.repo, "worktree", "add", "-q", str(tmp_path / "tree"), "memory")
    git(tmp_path / "tree", "merge", "-q", "--no-ff", "-m", "merged", "theirs")
    return git(memory.repo, "rev-parse", "memory")


def test_a_persons_merge_is_read_and_written_upon(memory: kit.Memory, tmp_path: Path) -> None:
    commit = merged_by_a_person(memory, tmp_path)
    shown = reading.show(memory.workspace, "changed-on-both-sides")
    assert (shown["content"]["body"], shown["tags"]) == ("Ours.", ["one", "two"])
    assert {one["slug"] for one in reading.list_entries(memory.workspace).entries} == {
        "theirs",
        "changed-on-both-sides",
    }
    assert [one.commit.sha for one in reading.log(memory.workspace, limit=1)[1]] == [commit]
    memory.edit("theirs", "body=Ours now.")
    kit.assert_sound(memory)


def test_a_merge_cant_be_undone(memory: kit.Memory, tmp_path: Path) -> None:
    commit = merged_by_a_person(memory, tmp_path)
    with pytest.raises(UpdateError, match="merge"):
        undo_commit(memory.workspace, commit)


def test_reads_at_an_older_commit_see_only_its_side_of_a_merge(
    memory: kit.Memory, tmp_path: Path
) -> None:
    commit = merged_by_a_person(memory, tmp_path)
    theirs = git(memory.repo, "rev-parse", f"{commit}^2")
    seen = reading.list_entries(memory.workspace, at=theirs)
    assert {one["slug"] for one in seen.entries} == {"theirs", "changed-on-both-sides"}
    shown = reading.show(memory.workspace, "changed-on-both-sides", at=theirs)
    assert shown["times_updated"] == 1
    assert "floor 3" in shown["content"]["body"]


def test_config_that_was_changed_by_hand_counts_at_once(memory: kit.Memory) -> None:
    memory.add("An entry")
    hand(memory, {"config.json": '{"format": 1, "delete.grace_period_days": 3}\n'})
    assert memory.store.snapshot().config.get("delete.grace_period_days") == 3
    hand(memory, {"config.json": "{ not json"})
    assert memory.store.snapshot().config.get("delete.grace_period_days") == 30
    memory.add("Written all the same")
    kit.assert_sound(memory)


def test_undo_takes_back_a_commit_that_was_made_by_hand(memory: kit.Memory) -> None:
    commit = hand(memory, {NOTE: kit.entry_text(ID, "By hand"), "NOTES": "more\n"})
    undo_commit(memory.workspace, commit)
    assert sorted(kit.tree_of(memory.repo)) == [".gitattributes", "config.json"]


def test_git_gc_and_packed_refs_change_nothing(memory: kit.Memory) -> None:
    for number in range(20):
        memory.add(f"Packed {number}")
    before = reading.list_entries(memory.workspace).entries
    git(memory.repo, "gc", "-q", "--prune=now")
    assert not (memory.repo / ".git" / "refs" / "heads" / "memory").exists()
    assert reading.list_entries(memory.workspace).entries == before
    again = memory.reopened()
    assert reading.list_entries(again.workspace).entries == before
    again.add("Written after it")
    kit.assert_sound(again)
    again.close()


# Trailers only claim


@pytest.fixture
def cold(monkeypatch: pytest.MonkeyPatch) -> None:
    """Histories are believed from the first commit on, as long ones are."""
    monkeypatch.setattr(catchup, "COLD", 0)


def forged(op: str, entry_id: str, path: str, origin: str = "") -> str:
    lines = [f"Gitmem-Op: {op}", f"Gitmem-Id: {entry_id}", f"Gitmem-Path: {path}"]
    lines += [f"Gitmem-From: {origin}"] if origin else []
    return f"{op}(note): forged\n\n" + "\n".join(lines) + "\n"


@pytest.mark.usefixtures("cold")
def test_a_forged_retirement_keeps_nobody_from_creating(memory: kit.Memory) -> None:
    message = forged("retire", ID, "retired/notes/the-name.md", "register/notes/the-name.md")
    hand(memory, {"README": "nothing of that\n"}, message)
    assert memory.add("The name").target == "register/notes/the-name"


@pytest.mark.usefixtures("cold")
def test_a_forged_time_of_retirement_doesnt_let_gc_take_an_entry(memory: kit.Memory) -> None:
    one = memory.add("Kept for its grace period")
    path = "register/notes/kept-for-its-grace-period.md"
    retired = path.replace("register", "retired")
    hand(memory, {"README": "1\n"}, forged("retire", one.id, retired, path))
    memory.clock.tick(40 * kit.DAY)
    memory.move("retire", one.id)
    hand(memory, {"README": "2\n"}, forged("restore", one.id, path, retired))
    memory.store.rebuild_index()
    assert gc(memory.workspace).removed == ()
    memory.clock.tick(31 * kit.DAY)
    assert [each["id"] for each in gc(memory.workspace).removed] == [one.id]


@pytest.mark.usefixtures("cold")
def test_a_retirement_that_was_forged_to_look_like_another_entrys_binds_nobody_else(
    memory: kit.Memory,
) -> None:
    one = memory.add("The victim")
    memory.move("retire", one.id)
    memory.store.rebuild_index()
    message = forged("gc", one.id, "retired/notes/the-victim.md")
    hand(memory, {"README": "1\n"}, message)
    with pytest.raises(AntiResurrectionError):
        memory.add("The victim")
    lifecycle.restore(memory.workspace, Request(one.id))
    assert reading.show(memory.workspace, one.id)["tier"] == "register"


@pytest.mark.usefixtures("cold")
def test_on_a_sound_history_trailers_tell_what_the_trees_tell(memory: kit.Memory) -> None:
    ids = [memory.add(f"Entry {number}", category).id
           for number, category in enumerate(kit.CONTENTS)]  # fmt: skip
    memory.move("retire", ids[0])
    memory.move("restore", ids[0])
    memory.edit(ids[1], "title=Quite another name for it")
    memory.move("archive", ids[2])
    undo_commit(memory.workspace, memory.tip)
    lifecycle.supersede(memory.workspace, Request(ids[3]), ids[4])
    hand(memory, {NOTE: kit.entry_text(ID, "By hand")})
    claimed = kit.built_index(memory.store.objects, memory.tip)
    catchup.COLD = 10**9
    compared = kit.built_index(memory.store.objects, memory.tip)
    assert claimed.rows("SELECT count(*) FROM changes WHERE NOT verified")[0][0] > 10
    assert compared.rows("SELECT count(*) FROM changes WHERE NOT verified")[0][0] == 0
    assert kit.index_content(claimed) == kit.index_content(compared)
    assert fsck(memory.repo) == ""
