"""An import of an export gives the same memory; one bad line stops nobody."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest
from gitmem.features.export import export_folder, export_jsonl
from gitmem.features.importers.gitmem import Imported, import_jsonl
from gitmem.features.lifecycle import Request, move, pin, snooze, supersede
from gitmem.features.settings import set_key
from gitmem.features.view.checkout import checkout
from gitmem.features.write.pipeline import remember
from gitmem.model.errors import PreconditionError

from tests.features.scratch import Scratch, scratch
from tests.helpers import commit_files, fsck, git

DERIVED = {
    *("updated_at", "times_updated", "changes", "retired_at", "retired_reason", "archived_at"),
    *("archived_reason", "commit", "blob", "source", "usage", "path"),
}


@pytest.fixture
def memory(tmp_path: Path) -> Scratch:
    return scratch(tmp_path / "code", view=False)


def line(**given: Any) -> bytes:
    whole = {"category": "note", "title": "Use tabs", "tags": ["a"], "content": {"body": "Text."}}
    return json.dumps({**whole, **given}).encode() + b"\n"


def imported(memory: Scratch, lines: Iterable[bytes], *, dry_run: bool = False) -> Imported:
    memory.at += 60
    with memory.open() as workspace:
        return import_jsonl(workspace, lines, dry_run=dry_run)


def exported(memory: Scratch) -> list[str]:
    with memory.open() as workspace:
        return list(export_jsonl(workspace))


def kept(lines: Iterable[str]) -> list[dict[str, Any]]:
    """What an export holds beside what history tells."""
    return [
        {key: value for key, value in json.loads(one).items() if key not in DERIVED}
        for one in lines
    ]


def commits(memory: Scratch) -> int:
    return int(git(memory.repo, "rev-list", "--count", "memory"))


def fill(memory: Scratch) -> None:
    """Entries of all tiers, with marks, unknown parts and a session."""
    decision = memory.add(
        "Use PostgreSQL",
        "decision",
        status="accepted",
        context="Über\n\n```\n## no heading\n```",
        decision="All of it.",
        alternatives=[{"option": "MySQL", "rejected_reason": "slow"}, {"option": "SQLite"}],
        rationale=["a", "b\nc"],
    )
    memory.add("Deploy", "file", path="notes/deploy.md", body="## Head\n\n    code")
    archived, retired = memory.add("Old"), memory.add("Wrong")
    memory.add("Service", "entity", type="service", observations=["x"], relations=["uses [[Db]]"])
    with memory.open() as workspace:
        workspace.session = "session-1"
        note = remember(workspace, "Working\nmemory.", tags=("b", "a"))
        pin(workspace, Request(note.id))
        snooze(workspace, Request(archived.id), memory.at + 1000)
        move(workspace, "archive", Request(archived.id))
        move(workspace, "retire", Request(retired.id, "wrong"))
        supersede(workspace, Request(decision.id), note.id)
    path = "register/notes/by-hand.md"
    text = (
        "---\nid: tr00000000aa\ncategory: note\ntitle: By hand\ncreated: 2026-01-01T00:00:00Z\n"
        "tags: [x]\nowner: me\n---\n\nText.\n\n## Unknown part\n\nKept.\n"
    )
    commit_files(memory.repo, {path: text}, time=memory.at)


def test_an_import_of_an_export_gives_the_same_entries(memory: Scratch, tmp_path: Path) -> None:
    fill(memory)
    first = exported(memory)
    other = scratch(tmp_path / "other", view=False)
    done = imported(other, [one.encode() for one in first])
    assert (done.created, done.skipped, done.failed) == (len(first), 0, ())
    assert kept(exported(other)) == kept(first)
    assert fsck(other.repo) == ""


def test_the_bytes_of_plain_entries_are_the_same(memory: Scratch, tmp_path: Path) -> None:
    memory.add("Use tabs")
    memory.add("Service", "entity", observations=["x"])
    other = scratch(tmp_path / "other", view=False)
    imported(other, [one.encode() for one in exported(memory)])
    assert git(other.repo, "rev-parse", "memory^{tree}") == git(
        memory.repo, "rev-parse", "memory^{tree}"
    )


def test_each_line_is_one_commit_and_all_of_them_one_pack(memory: Scratch) -> None:
    packs = memory.repo / ".git" / "objects" / "pack"
    before, there = commits(memory), len(list(packs.glob("*.pack")))
    done = imported(memory, [line(title=f"Title {n}") for n in range(30)])
    assert commits(memory) == before + 30
    assert len(list(packs.glob("*.pack"))) == there + 1
    assert done.commit == git(memory.repo, "rev-parse", "memory")
    assert fsck(memory.repo) == ""


def test_a_commit_tells_where_it_came_from_and_its_session(memory: Scratch) -> None:
    imported(memory, [line(id="tr0123456789", session="s 1")])
    message = git(memory.repo, "show", "--no-patch", "--format=%B", "memory")
    assert "Gitmem-Session: s%201\n" in message
    assert "Gitmem-Source: import\n" in message
    assert "Gitmem-Import: gitmem tr0123456789 " in message


def test_a_second_import_skips_what_is_known(memory: Scratch) -> None:
    lines = [line(id="tr0123456789"), line(title="No id")]
    imported(memory, lines)
    before = commits(memory)
    done = imported(memory, lines)
    assert (done.created, done.skipped, commits(memory)) == (0, 2, before)


def test_two_stores_give_a_line_without_id_the_same_one(memory: Scratch, tmp_path: Path) -> None:
    other = scratch(tmp_path / "other", view=False)
    for one in (memory, other):
        imported(one, [line()])
    assert [json.loads(one)["id"] for one in exported(memory)] == [
        json.loads(one)["id"] for one in exported(other)
    ]


def test_bad_lines_are_reported_with_their_number_and_stop_nobody(memory: Scratch) -> None:
    done = imported(
        memory,
        [
            line(title="Good one"),
            b"{no json\n",
            b"\n",
            line(title=""),
            line(title="Token", content={"body": "ghp_" + "a1B2" * 9}),
            line(category="nonsense"),
            b"[]\n",
            line(title="Good two"),
        ],
    )
    assert (done.created, [one["line"] for one in done.failed]) == (2, [2, 4, 5, 6, 7])
    assert "ghp_" not in json.dumps(done.to_json())


def test_a_dry_run_tells_what_it_would_do_and_does_nothing(memory: Scratch) -> None:
    before = git(memory.repo, "rev-parse", "memory")
    done = imported(memory, [line(tier="working"), b"{\n"], dry_run=True).to_json()
    assert (done["status"], done["created"]) == ("planned", 1)
    assert done["items"] == [
        {
            "path": None,
            "line": 1,
            "title": "Use tabs",
            "category": "note",
            "tier": "working",
            "action": "create",
        }
    ]
    assert [one["line"] for one in done["failed"]] == [2]
    assert git(memory.repo, "rev-parse", "memory") == before


def test_a_taken_slug_gets_a_number(memory: Scratch) -> None:
    memory.add("Use tabs")
    imported(memory, [line(id="tr0123456789", slug="use-tabs")])
    assert [json.loads(one)["slug"] for one in exported(memory)].count("use-tabs-2") == 1


def test_a_line_without_id_is_a_create_and_resurrects_nothing(memory: Scratch) -> None:
    one = memory.add("Use tabs")
    with memory.open() as workspace:
        move(workspace, "retire", Request(one.id, "wrong"))
    done = imported(memory, [line()])
    assert done.created == 0
    assert "less than 24 hours ago" in done.failed[0]["error"]
    assert imported(memory, [line(id="tr0123456789")]).created == 1


def test_an_entry_that_was_taken_away_isnt_brought_back(memory: Scratch) -> None:
    memory.add("Use tabs")
    text = exported(memory)[0].encode()
    commit_files(memory.repo, {"register/notes/use-tabs.md": None}, time=memory.at)
    assert imported(memory, [text]).skipped == 1


def test_an_import_reaches_the_view(tmp_path: Path) -> None:
    made = scratch(tmp_path / "code")
    imported(made, [line(title=f"Title {n}") for n in range(3)])
    assert len(made.entries()) == 4
    with made.open() as workspace:
        assert checkout(workspace).written == 0


def test_an_export_at_an_older_commit_is_what_was_there_then(memory: Scratch) -> None:
    memory.add("First")
    then = git(memory.repo, "rev-parse", "memory")
    memory.add("Second")
    with memory.open() as workspace:
        lines = list(export_jsonl(workspace, at=then))
    assert [json.loads(one)["title"] for one in lines] == ["First"]


def test_a_folder_holds_every_entry_at_its_address(memory: Scratch, tmp_path: Path) -> None:
    fill(memory)
    folder = tmp_path / "out"
    with memory.open() as workspace:
        count = export_folder(workspace, folder)
    names = {path.relative_to(folder).as_posix() for path in folder.rglob("*.md")}
    assert len(names) == count == len(exported(memory))
    assert "register/decisions/use-postgresql.md" in names
    assert "graph/service.md" in names
    shown = git(memory.repo, "show", "memory:register/decisions/use-postgresql.md")
    assert (folder / "register/decisions/use-postgresql.md").read_bytes() == shown.encode() + b"\n"


def test_a_folder_of_many_has_no_fan_out(memory: Scratch, tmp_path: Path) -> None:
    imported(memory, [line(title=f"Title {n}") for n in range(140)])
    assert git(memory.repo, "ls-tree", "-d", "memory:register/notes") != ""
    with memory.open() as workspace:
        export_folder(workspace, tmp_path / "out")
    assert len(list((tmp_path / "out/register/notes").glob("*.md"))) == 140


def test_a_folder_that_holds_something_is_refused(memory: Scratch, tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("mine", "utf-8")
    with memory.open() as workspace, pytest.raises(PreconditionError):
        export_folder(workspace, tmp_path)
    assert (tmp_path / "mine.txt").read_text("utf-8") == "mine"


def test_entries_of_a_declared_category_come_back_where_it_is_declared(
    memory: Scratch, tmp_path: Path
) -> None:
    other = scratch(tmp_path / "other", view=False)
    with memory.open() as workspace:
        set_key(workspace, "categories.recipe.folder", "recipes")
    memory.add("Soup", "recipe", body="Boil.")
    lines = [one.encode() for one in exported(memory)]
    assert "categories.recipe.folder" in imported(other, lines).failed[0]["error"]
    with other.open() as workspace:
        set_key(workspace, "categories.recipe.folder", "recipes")
    assert imported(other, lines).created == 1
    assert kept(exported(other)) == kept(exported(memory))
