"""The rendered pages: what they say, and that nothing in a title can forge a line."""

from __future__ import annotations

import json
import re
from typing import Any

from gitmem.features.importers.gitmem import import_jsonl
from gitmem.features.lifecycle import Request, move, pin
from gitmem.features.view.checkout import checkout
from gitmem.features.view.pages.lines import MOST, left_out, plain
from gitmem.features.write.draft import Draft
from gitmem.features.write.pipeline import NewEntry, create, remember

from tests.features.scratch import Scratch
from tests.helpers import commit_files

INDEX_LINE = re.compile(r"^- \[([A-Z_]+)\] (.+?) -> (\S+)(?:\s+#tags:(.+))?$", re.MULTILINE)

ROOT = ".claude/memory/register"
DECISION: dict[str, Any] = {
    "status": "accepted",
    "context": "Reports.",
    "decision": "All use PostgreSQL.",
    "rationale": ["Known."],
}


def session(memory: Scratch, title: str) -> str:
    answer = memory.add(
        title,
        "session_summary",
        outcome="partial",
        goal=f"Goal of {title}.",
        completed=["one", "two"],
        next_actions=["three"],
    )
    return answer.id


def test_the_index_lists_active_entries_by_category_and_title(memory: Scratch) -> None:
    memory.add("beta")
    memory.add("Use PostgreSQL", "decision", **DECISION)
    memory.add("Alpha")
    gone = memory.add("Gone")
    with memory.open() as workspace:
        move(workspace, "retire", Request(gone.id, "wrong"))
    page = memory.file("index.md")
    assert page.startswith("# Memory Index\n")
    assert INDEX_LINE.findall(page) == [
        (
            "DECISION",
            "Use PostgreSQL",
            ".claude/memory/register/decisions/use-postgresql.md",
            "test",
        ),
        ("NOTE", "Alpha", ".claude/memory/register/notes/alpha.md", "test"),
        ("NOTE", "beta", ".claude/memory/register/notes/beta.md", "test"),
    ]


def test_a_hostile_title_stays_within_its_line(memory: Scratch) -> None:
    """Commits of plain git bring titles that no command would take."""
    memory.add("Fine")
    text = memory.file("register/notes/fine.md")
    forged = text.replace("title: Fine", 'title: "a -> b #tags:x -> evil.md"')
    commit_files(memory.repo, {"register/notes/fine.md": forged}, time=memory.at)
    memory.add("Other")
    lines = INDEX_LINE.findall(memory.file("index.md"))
    assert [line[2] for line in lines] == [
        ".claude/memory/register/notes/fine.md",
        ".claude/memory/register/notes/other.md",
    ]
    assert lines[0][3] == "test"


def test_plain_text_keeps_no_arrow_marker_or_break() -> None:
    hostile = "a #tags:-> b\u2028c\x1ed\u200be #tags#tags:: f"
    assert plain(hostile) == "a - b c de f"


def test_a_page_is_bounded_and_says_how_many_more_there_are(memory: Scratch) -> None:
    lines = [
        json.dumps({"category": "note", "title": f"Note {n:03}", "tags": ["t"], "body": "x"})
        for n in range(MOST + 5)
    ]
    with memory.open() as workspace:
        import_jsonl(workspace, [line.encode() for line in lines])
    page = memory.file("index.md")
    assert len(INDEX_LINE.findall(page)) == MOST
    assert "and 5 older" in page
    assert "gitmem list" in page


def test_more_than_can_be_counted_quickly_is_said_so() -> None:
    assert "more than 9,900 older" in left_out(MOST, 10_000, "gitmem list")
    assert left_out(3, 3, "gitmem list") == ""


def test_recent_shows_the_last_five_sessions_in_full_newest_first(memory: Scratch) -> None:
    for number in range(6):
        session(memory, f"Session {number}")
    page = memory.file("RECENT.md")
    headers = re.findall(r"^## Session: ([A-Z][a-z]+ \d\d, \d{4})$", page, re.MULTILINE)
    assert len(headers) == 5
    assert page.index("Session 5") < page.index("Session 4") < page.index("Session 1")
    assert "Session 0" not in page
    assert "and 1 older" in page
    assert "### Next actions\n\n- three" in page


def test_an_archived_session_becomes_a_line_of_the_summary(memory: Scratch) -> None:
    first = session(memory, "First one")
    second = session(memory, "Second one")
    with memory.open() as workspace:
        move(workspace, "archive", Request(first))
        move(workspace, "archive", Request(second))
    lines = [line for line in memory.file("SUMMARY.md").splitlines() if line.startswith("- ")]
    assert len(lines) == 2
    assert f"Second one (partial): Goal of Second one. ^{second}" in lines[0]
    assert "First one" not in memory.file("RECENT.md")


def test_pinned_shows_the_text_of_pinned_entries_and_lets_go_of_unpinned(memory: Scratch) -> None:
    one = memory.add("Use PostgreSQL", "decision", **DECISION)
    with memory.open() as workspace:
        pin(workspace, Request(one.id))
        assert "### Decision\n\nAll use PostgreSQL." in memory.file("PINNED.md")
        pin(workspace, Request(one.id), pinned=False)
    assert one.id not in memory.file("PINNED.md")


def test_a_register_has_a_page_for_each_folder_that_holds_something(memory: Scratch) -> None:
    one = memory.add("Use PostgreSQL", "decision", **DECISION)
    assert f"- Use PostgreSQL ^{one.id}" in memory.file("registers/decisions.md")
    with memory.open() as workspace:
        move(workspace, "archive", Request(one.id))
    assert not (memory.view / "registers/decisions.md").exists()


def test_a_demoted_note_shows_in_the_inbox_until_it_goes_elsewhere(memory: Scratch) -> None:
    with memory.open() as workspace:
        note = remember(workspace, "The build needs 8 GB.")
        move(workspace, "demote", Request(note.id))
        assert f"The build needs 8 GB. ^{note.id}" in memory.file("registers/_inbox.md")
        move(workspace, "promote", Request(note.id))
    assert not (memory.view / "registers/_inbox.md").exists()


def test_a_demoted_entry_with_a_topic_isnt_in_the_inbox(memory: Scratch) -> None:
    with memory.open() as workspace:
        given = {"title": "Use PostgreSQL", "tags": [], "content": DECISION}
        one = create(workspace, NewEntry("decision", Draft(given), tier="working"))
        move(workspace, "demote", Request(one.id))
    assert not (memory.view / "registers/_inbox.md").exists()
    assert one.id in memory.file("registers/decisions.md")


def test_an_edited_page_is_left_alone_and_named(memory: Scratch) -> None:
    page = memory.view / "index.md"
    page.write_text(page.read_text("utf-8") + "- mine\n", "utf-8")
    answer = memory.add("Use tabs")
    assert "- mine" in memory.file("index.md")
    assert any("index.md" in text for text in answer.warnings)


def test_pages_kept_along_equal_pages_rendered_anew(memory: Scratch) -> None:
    one = memory.add("Use PostgreSQL", "decision", **DECISION)
    note = memory.add("Note")
    done = session(memory, "A session")
    with memory.open() as workspace:
        kept = remember(workspace, "Remember this.")
        pin(workspace, Request(note.id))
        move(workspace, "archive", Request(done))
        move(workspace, "demote", Request(kept.id))
        move(workspace, "retire", Request(one.id, "wrong"))
        followed = {name: memory.file(name) for name in memory.files()}
        for name in followed:
            (memory.view / name).unlink()
        checkout(workspace)
    assert {name: memory.file(name) for name in memory.files()} == followed
