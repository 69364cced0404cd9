"""show, list, log, blame and diff: what history says, derived and never stored (I3)."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from gitmem.features import lifecycle, reading
from gitmem.features.lifecycle import Request
from gitmem.model.errors import NotFound
from gitmem.model.times import format_time

from tests.helpers import commit_files, git
from tests.store import kit
from tests.store.kit import unsynced as unsynced


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[kit.Memory]:
    memory = kit.new_memory(tmp_path / "repo")
    yield memory
    memory.close()


def test_show_tells_an_entrys_whole_life(memory: kit.Memory) -> None:
    one = memory.add("A decision", "decision")
    created = format_time(memory.clock.now)
    memory.edit(one.id, "status=deprecated", reason="it is old")
    memory.move("archive", one.id, "done with it")
    shown = reading.show(memory.workspace, one.id)
    now = format_time(memory.clock.now)
    assert (shown["created_at"], shown["updated_at"]) == (created, now)
    assert (shown["archived_at"], shown["archived_reason"]) == (now, "done with it")
    assert (shown["times_updated"], shown["source"]) == (1, "user")
    assert [
        (each["summary"], each["field"], each["old_value"], each["new_value"])
        for each in shown["changes"]
    ] == [
        ("it is old", "content.status", "accepted", "deprecated"),
        ("done with it", "tier", "register", "archive"),
    ]
    assert shown["commit"] == memory.tip
    assert shown["blob"] == git(memory.repo, "rev-parse", f"memory:{shown['path']}")


def test_show_at_an_older_commit_knows_nothing_of_later_ones(memory: kit.Memory) -> None:
    one = memory.add("A decision", "decision")
    before = reading.show(memory.workspace, one.id)
    memory.edit(one.id, "status=deprecated")
    memory.move("retire", one.id)
    assert reading.show(memory.workspace, one.id, at=one.commit) == before


def test_nothing_derived_is_in_the_file(memory: kit.Memory) -> None:
    one = memory.add("A decision", "decision")
    memory.edit(one.id, "status=deprecated", reason="why not")
    memory.move("retire", one.id, "because")
    text = kit.file_at(memory.repo, "retired/decisions/a-decision.md")
    for word in ("updated", "retired", "changes", "because", "why not", "s-1", "register"):
        assert word not in text


def test_list_shows_active_entries_by_folder_and_title(memory: kit.Memory) -> None:
    for title, category, tier in (
        ("beta", "note", "register"),
        ("Alpha", "note", "working"),
        ("Zeta", "decision", "register"),
    ):
        memory.add(title, category, tier=tier)
    memory.move("retire", memory.add("Gone").id)
    memory.move("archive", memory.add("Kept").id)
    listing = reading.list_entries(memory.workspace)
    assert [one["title"] for one in listing.entries] == ["Zeta", "Alpha", "beta"]
    assert listing.commit == memory.tip
    assert not {"content", "changes"} & listing.entries[0].keys()

    def titles(**wanted: object) -> list[str]:
        found = reading.list_entries(memory.workspace, **wanted)  # type: ignore[arg-type]
        return [one["title"] for one in found.entries]

    assert titles(tier="working") == ["Alpha"]
    assert titles(tier="retired") == ["Gone"]
    assert titles(tier="all") == ["Zeta", "Alpha", "beta", "Gone", "Kept"]
    assert titles(category="decision") == ["Zeta"]


def test_list_filters_by_all_of_the_tags_and_by_pin(memory: kit.Memory) -> None:
    memory.add("Both", tags=["a", "b"])
    one = memory.add("One", tags=["a"])
    lifecycle.pin(memory.workspace, Request(one.id))
    both = reading.list_entries(memory.workspace, tags=("a", "b")).entries
    assert [each["title"] for each in both] == ["Both"]
    pinned = reading.list_entries(memory.workspace, pinned=True).entries
    assert [each["title"] for each in pinned] == ["One"]


def test_a_long_list_tells_the_same_of_each_entry_as_a_short_one(memory: kit.Memory) -> None:
    ids = [memory.add(f"Number {number}").id for number in range(51)]
    memory.edit(ids[7], "body=changed", reason="why")
    long = {one["id"]: one for one in reading.list_entries(memory.workspace).entries}
    for entry_id in (ids[7], ids[50]):
        shown = reading.show(memory.workspace, entry_id)
        assert long[entry_id] == {key: shown[key] for key in long[entry_id]}


def test_log_is_newest_first_and_by_limit_session_and_commit(memory: kit.Memory) -> None:
    first = memory.add("First")
    memory.workspace.session = "s-2"
    second = memory.edit(first.id, "body=changed")
    commit, logged = reading.log(memory.workspace)
    root = kit.commits_of(memory.repo)[-1]
    assert commit == memory.tip
    assert [one.commit.sha for one in logged] == [second.commit, first.commit, root]
    assert [one.commit.sha for one in reading.log(memory.workspace, limit=1)[1]] == [second.commit]
    ours = reading.log(memory.workspace, session="s-1")[1]
    assert [one.commit.sha for one in ours] == [first.commit]
    past = reading.log(memory.workspace, at=first.commit)[1]
    assert [one.commit.sha for one in past] == [first.commit, root]


def test_log_of_an_entry_follows_it_to_its_end(memory: kit.Memory) -> None:
    one = memory.add("Followed")
    memory.add("Another")
    memory.edit(one.id, "title=Under quite another name")
    memory.move("retire", one.id)
    commit_files(memory.repo, {"retired/notes/under-quite-another-name.md": None}, "gone")
    with pytest.raises(NotFound):
        reading.show(memory.workspace, one.id)
    ops = [each.commit.op for each in reading.log(memory.workspace, one.id)[1]]
    assert ops == ["", "retire", "update", "create"]
    with pytest.raises(NotFound):
        reading.log(memory.workspace, "tr0123456789")


def test_a_logged_commit_tells_who_when_why_and_what(memory: kit.Memory) -> None:
    one = memory.add("Told")
    memory.edit(one.id, "title=Told under quite another name", reason="it was wrong")
    told = reading.logged_json(memory.workspace, reading.log(memory.workspace, limit=1)[1][0])
    assert told["changes"] == [
        {"id": one.id, "field": "slug", "old": "told", "new": "told-under-quite-another-name"},
        {"id": one.id, "field": "title", "old": "Told", "new": "Told under quite another name"},
    ]
    assert (told["op"], told["ids"], told["reason"]) == ("update", [one.id], "it was wrong")
    assert (told["actor"], told["session"], told["source"]) == ("cli", "s-1", "user")
    assert told["time"] == format_time(memory.clock.now)


def test_blame_names_the_commit_of_each_present_value(memory: kit.Memory) -> None:
    one = memory.add("A decision", "decision")
    memory.edit(one.id, "status=deprecated")
    status = memory.edit(one.id, "status=proposed").commit
    tier = memory.move("promote", one.id).commit
    tags = memory.edit(one.id, "tags=one,two").commit
    blamed = {each.field: each.commit.sha for each in reading.blame(memory.workspace, one.id)[1]}
    assert blamed["content.status"] == status
    assert blamed["tier"] == tier
    assert blamed["tags"] == tags
    assert blamed["title"] == blamed["content.context"] == one.commit
    past = reading.blame(memory.workspace, one.id, at=status)[1]
    assert {each.field: each.commit.sha for each in past}["tier"] == one.commit


def test_diff_tells_what_came_went_moved_and_changed(memory: kit.Memory) -> None:
    gone = memory.add("Went")
    changed = memory.add("Changed", "decision")
    start = memory.tip
    came = memory.add("Came")
    memory.edit(changed.id, "status=deprecated")
    memory.move("promote", changed.id)
    commit_files(memory.repo, {"register/notes/went.md": None}, "by hand")
    difference = reading.diff(memory.workspace, start)
    assert (difference.old, difference.new) == (start, memory.tip)
    told = {each.id: each for each in difference.entries}
    assert {key: each.status for key, each in told.items()} == {
        gone.id: "removed",
        changed.id: "changed",
        came.id: "added",
    }
    assert [(each.field, each.old, each.new) for each in told[changed.id].changes] == [
        ("address", "register/decisions/changed", "working/decisions/changed"),
        ("content.status", "accepted", "deprecated"),
    ]
    assert reading.diff(memory.workspace, start, start).entries == ()


def test_a_patch_tells_a_move_as_a_rename(memory: kit.Memory) -> None:
    one = memory.add("Moved and then changed")
    start = memory.tip
    memory.move("promote", one.id)
    path = "notes/moved-and-then-changed.md"
    moved = reading.patch(memory.workspace, start, memory.tip)
    assert moved == f"rename from register/{path}\nrename to working/{path}\n"
    middle = memory.tip
    memory.edit(one.id, "body=Changed.")
    assert "+Changed." in reading.patch(memory.workspace, middle, memory.tip).splitlines()
