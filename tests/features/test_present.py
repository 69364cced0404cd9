"""The JSON of an entry: the contract's keys, and the way back in."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from gitmem.features.present import entry_json, listed_json
from gitmem.features.write.draft import draft_from_json, import_draft, imported_entry, replaced
from gitmem.features.write.fix import fixed
from gitmem.model.categories import Tier, category_named
from gitmem.model.entry import Entry, Extra, ExtraKey, entry_from_dict
from gitmem.model.errors import ValidationError
from gitmem.model.facts import ChangeNote, Facts, Place, Usage
from gitmem.model.validate import validate_entry

CASES = Path(__file__).parents[1] / "data" / "codec.jsonl"
ENTRY = Entry(
    "tr8f2a1c3d7e",
    "note",
    "A title",
    "2026-11-18T07:12:03Z",
    tags=("a",),
    content={"body": "text"},
)
PLACE = Place("register", "notes", "a-title", "register/notes/a-title.md", "c" * 40, "b" * 40)
FACTS = Facts("2026-11-19T00:00:00Z", reviewed_at="2026-11-18T07:12:03Z", source="user")

ALWAYS = """
schema_version category id title created_at updated_at tags related_files confidence record_status
times_updated changes content slug tier address path commit blob when keywords pinned
snoozed_until reviewed_at superseded_by appreciation source extra usage
"""


def test_an_active_entry_has_the_keys_of_the_contract() -> None:
    shown = entry_json(ENTRY, PLACE, FACTS)
    assert list(shown) == ALWAYS.split()
    assert shown["schema_version"] == "1.0"
    assert shown["record_status"] == "active"
    assert shown["address"] == "register/notes/a-title"
    assert shown["created_at"] == "2026-11-18T07:12:03Z"
    assert shown["updated_at"] == "2026-11-19T00:00:00Z"
    assert shown["confidence"] is None
    assert shown["tags"] == ["a"]
    assert shown["extra"] == {}
    assert shown["usage"] == {
        "frequency": 0,
        "last_session": None,
        "created_session": None,
        "sessions_since": 0,
    }


@pytest.mark.parametrize(
    ("tier", "status", "more"),
    [
        ("working", "active", set()),
        ("archive", "archived", {"archived_at", "archived_reason"}),
        ("retired", "retired", {"retired_at", "retired_reason"}),
    ],
)
def test_the_tier_gives_the_status_and_its_keys(tier: Tier, status: str, more: set[str]) -> None:
    facts = replace(
        FACTS,
        retired_at="2026-12-01T00:00:00Z",
        retired_reason="old",
        archived_at="2026-12-02T00:00:00Z",
        archived_reason="kept",
    )
    shown = entry_json(ENTRY, replace(PLACE, tier=tier), facts)
    assert shown["record_status"] == status
    assert set(shown) - set(ALWAYS.split()) == more


def test_changes_name_a_field_only_where_there_is_one() -> None:
    notes = (ChangeNote("d", "created"), ChangeNote("d", "why", "content.body", None, "x"))
    shown = entry_json(ENTRY, PLACE, replace(FACTS, changes=notes))
    assert shown["changes"] == [
        {"date": "d", "summary": "created"},
        {
            "date": "d",
            "summary": "why",
            "field": "content.body",
            "old_value": None,
            "new_value": "x",
        },
    ]


def test_a_row_of_a_list_has_all_but_content_and_changes() -> None:
    row = listed_json(ENTRY, PLACE, FACTS)
    assert set(ALWAYS.split()) - set(row) == {"content", "changes"}


def test_an_active_entity_has_its_short_address() -> None:
    entity = replace(ENTRY, category="entity", content={})
    place = replace(PLACE, folder="graph", path="graph/a-title.md")
    assert entry_json(entity, place, FACTS)["address"] == "graph/a-title"


def _valid_entries() -> list[Entry]:
    entries = []
    for line in CASES.read_text("utf-8").split("\n"):
        if not line:
            continue
        case: dict[str, Any] = json.loads(line)
        raw = entry_from_dict(case.get("decoded") or case["entry"])
        entry = fixed(raw, category_named(raw.category), cap=False).entry
        try:
            validate_entry(entry, category_named(raw.category))
        except ValidationError:
            continue
        entries.append(entry)
    return entries


def test_what_is_shown_is_taken_back_as_input_without_a_change() -> None:
    entries = _valid_entries()
    assert len(entries) > 100
    facts = replace(FACTS, usage=Usage(3, 2, 1, 4), changes=(ChangeNote("d", "why"),))
    for entry in entries:
        category = category_named(entry.category)
        shown = json.loads(json.dumps(entry_json(entry, PLACE, facts)))
        assert fixed(replaced(entry, draft_from_json(shown), category), category).entry == entry
        blank = Entry(entry.id, entry.category, "x", entry.created, reviewed=entry.reviewed)
        again = fixed(replaced(blank, draft_from_json(shown), category), category, cap=False).entry
        state = (entry.pinned, entry.snoozed_until, entry.superseded_by, entry.appreciation)
        assert again == replace(
            entry, pinned=False, snoozed_until=None, superseded_by=None, appreciation=0
        ), state


def test_an_import_of_what_is_shown_gives_the_same_entry_with_its_state() -> None:
    for entry in _valid_entries():
        category = category_named(entry.category)
        facts = replace(FACTS, reviewed_at=entry.reviewed or entry.created)
        shown = json.loads(json.dumps(entry_json(entry, PLACE, facts)))
        source = import_draft(shown)
        made = imported_entry(source, category, 0, source.id or "")
        expected = entry if entry.reviewed != entry.created else replace(entry, reviewed=None)
        assert fixed(made, category, cap=False).entry == expected
        assert source.tier == "register"


def test_unknown_parts_are_shown() -> None:
    entry = replace(ENTRY, extra=Extra(keys=(ExtraKey("tags", "owner: me"),)))
    assert entry_json(entry, PLACE, FACTS)["extra"] == {
        "keys": [{"after": "tags", "source": "owner: me"}]
    }
