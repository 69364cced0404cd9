"""Drafts: JSON as writers give it, and the entries that it becomes."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import pytest
from gitmem.features.write.draft import (
    MAX_INPUT,
    draft_from_json,
    import_draft,
    imported_entry,
    new_entry,
    parse_object,
    patched,
    read_input,
    replaced,
)
from gitmem.features.write.fix import fixed
from gitmem.features.write.flags import fields_from_flags
from gitmem.model.categories import BUILT_IN, category_named
from gitmem.model.entry import Entry, Extra, ExtraKey
from gitmem.model.errors import GitmemError, InputError, UsageError, ValidationError
from gitmem.model.times import parse_time
from gitmem.model.validate import validate_entry

NOW = parse_time("2026-11-18T07:12:03Z")
ID = "tr8f2a1c3d7e"
DECISION = BUILT_IN["decision"]

SEED_DRAFTS: dict[str, dict[str, Any]] = {
    "session_summary": {
        "goal": "Ship it",
        "outcome": "partial",
        "completed": ["parser"],
        "in_progress": [],
        "blockers": [],
        "next_actions": [],
        "key_changes": ["src/parser.py"],
    },
    "decision": {
        "status": "accepted",
        "context": "Reports need JSON",
        "decision": "PostgreSQL",
        "alternatives": [{"option": "MySQL", "rejected_reason": "slow"}],
        "rationale": ["known"],
        "consequences": [],
    },
    "runbook": {
        "trigger": "worker hangs",
        "symptoms": ["queue grows"],
        "steps": ["restart"],
        "verification": "queue is empty",
        "root_cause": "deadlock",
        "environment": "staging",
    },
    "constraint": {
        "kind": "limitation",
        "rule": "5 MB",
        "impact": ["videos are cut"],
        "workarounds": [],
        "severity": "high",
        "active": True,
        "expires": "none",
    },
    "tech_debt": {
        "status": "open",
        "priority": "low",
        "description": "two parsers",
        "reason_deferred": "release",
        "impact": [],
        "suggested_fix": [],
        "acceptance_criteria": [],
    },
    "preference": {
        "topic": "names",
        "value": "full sentences",
        "reason": "reports",
        "strength": "strong",
        "examples": {"prefer": ["a"], "avoid": ["b"]},
    },
}


def _seed(category: str, **values: Any) -> dict[str, Any]:
    return {
        "schema_version": "1.0",
        "category": category,
        "id": "a-slug",
        "title": "A title",
        "created_at": "2026-01-02T03:04:05Z",
        "updated_at": "2026-01-02T03:04:05Z",
        "tags": ["b", "a"],
        "related_files": ["src/a.py"],
        "confidence": 0.8,
        "record_status": "retired",
        "changes": [{"date": "2026-01-02", "summary": "first"}, {"date": "x", "summary": "why"}],
        "times_updated": 3,
        "retired_at": "2026-01-03T00:00:00Z",
        "content": SEED_DRAFTS[category],
        **values,
    }


def _made(data: dict[str, Any], category: str = "note") -> Entry:
    kind = category_named(category)
    entry = fixed(new_entry(draft_from_json(data), kind, NOW, ID), kind).entry
    validate_entry(entry, kind)
    return entry


@pytest.mark.parametrize("category", SEED_DRAFTS)
def test_a_draft_in_the_seeds_shape_is_valid_unchanged(category: str) -> None:
    entry = _made(_seed(category), category)
    assert entry.id == ID
    assert entry.created == "2026-01-02T03:04:05Z"
    assert entry.content == SEED_DRAFTS[category]
    assert entry.tags == ("a", "b")


def test_state_in_a_draft_is_ignored_by_a_create() -> None:
    data = _seed("decision", pinned=True, appreciation=9, superseded_by=ID, tier="working")
    entry = _made(data, "decision")
    assert (entry.pinned, entry.appreciation, entry.superseded_by) == (False, 0, None)


def test_the_last_change_note_becomes_the_reason() -> None:
    assert draft_from_json(_seed("decision")).reason == "why"
    wrong: list[Any] = [None, [], "x", [1], [{}], [{"summary": 5}]]
    for changes in wrong:
        assert draft_from_json({"title": "x", "changes": changes}).reason == ""


@pytest.mark.parametrize("key", ["title", "tags", "content"])
def test_a_create_without_title_tags_or_content_is_refused(key: str) -> None:
    data = _seed("decision")
    del data[key]
    with pytest.raises(ValidationError) as caught:
        _made(data, "decision")
    assert caught.value.field == key


def test_created_at_is_taken_in_any_offset_or_is_now() -> None:
    body = {"title": "x", "tags": [], "body": "y"}
    assert _made({**body, "created_at": "2026-01-02T05:04:05.9+02:00"}).created == (
        "2026-01-02T03:04:05Z"
    )
    for absent in (None, ""):
        assert _made({**body, "created_at": absent}).created == "2026-11-18T07:12:03Z"
    for wrong in ("yesterday", 5, "2026-02-30T00:00:00Z"):
        with pytest.raises(ValidationError) as caught:
            _made({**body, "created_at": wrong})
        assert caught.value.field == "created_at"


def test_a_body_beside_the_content_is_the_body() -> None:
    assert _made({"title": "x", "tags": ["a"], "body": " text\n"}).content == {"body": " text"}
    loop = {"title": "x", "tags": ["a"], "body": "text", "content": {"status": "open"}}
    assert _made(loop, "open_loop").content == {"status": "open", "body": "text"}


def test_a_body_given_twice_or_to_sections_is_refused() -> None:
    twice = {"title": "x", "tags": ["a"], "body": "text", "content": {"body": "other"}}
    with pytest.raises(ValidationError, match="twice"):
        _made(twice)
    with pytest.raises(ValidationError) as caught:
        _made(_seed("decision", body="text"), "decision")
    assert caught.value.field == "body"


def test_an_unknown_key_names_the_nearest() -> None:
    with pytest.raises(ValidationError) as caught:
        draft_from_json({"titel": "x"})
    assert caught.value.field == "titel"
    assert "title" in (caught.value.fix or "")


def test_another_schema_version_is_refused_and_a_missing_one_is_not() -> None:
    for fine in ("1.0", "", None):
        draft_from_json({"schema_version": fine})
    with pytest.raises(ValidationError):
        draft_from_json({"schema_version": "2.0"})


OLD = Entry(
    ID,
    "decision",
    "Old",
    "2026-01-01T00:00:00Z",
    tags=("a",),
    related_files=("x.py",),
    confidence=0.5,
    when="it matters",
    pinned=True,
    content={**SEED_DRAFTS["decision"]},
)


def test_a_whole_document_replaces_content_and_keeps_absent_keys() -> None:
    content = {**SEED_DRAFTS["decision"], "status": "deprecated"}
    del content["consequences"]
    new = replaced(OLD, draft_from_json({"content": content}), DECISION)
    assert new.content == content
    assert (new.title, new.tags, new.when, new.confidence) == ("Old", ("a",), "it matters", 0.5)


def test_a_null_takes_a_value_away_and_an_absent_key_does_not() -> None:
    new = replaced(OLD, draft_from_json({"confidence": None, "when": None}), DECISION)
    assert (new.confidence, new.when, new.tags) == (None, None, ("a",))


def test_an_update_cannot_change_id_category_created_or_state() -> None:
    data = _seed("runbook", content=SEED_DRAFTS["decision"], pinned=False, appreciation=5)
    new = replaced(OLD, draft_from_json(data), DECISION)
    assert (new.id, new.category, new.created) == (ID, "decision", "2026-01-01T00:00:00Z")
    assert (new.pinned, new.appreciation) == (True, 0)


def test_a_patch_changes_single_fields() -> None:
    fields = fields_from_flags(DECISION, ["content.status=deprecated", "title=New=er", "tags=a, b"])
    new = patched(OLD, fields, DECISION)
    assert new.content == {**SEED_DRAFTS["decision"], "status": "deprecated"}
    assert new.title == "New=er"
    assert fixed(new, DECISION).entry.tags == ("a", "b")


def test_a_patch_of_a_list_takes_every_value_and_an_empty_one_removes_it() -> None:
    fields = fields_from_flags(DECISION, ["rationale=a, b", "rationale=c", "consequences="])
    entry = fixed(patched(OLD, fields, DECISION), DECISION).entry
    assert entry.content["rationale"] == ["a, b", "c"]
    assert "consequences" not in entry.content


def test_a_patch_reaches_into_examples() -> None:
    kind = BUILT_IN["preference"]
    old = Entry(ID, "preference", "x", OLD.created, content={**SEED_DRAFTS["preference"]})
    for name in ("examples.prefer", "content.examples.prefer", "prefer"):
        new = patched(old, fields_from_flags(kind, [f"{name}=z"]), kind)
        assert new.content["examples"] == {"prefer": ["z"], "avoid": ["b"]}


def test_flags_are_typed_by_the_table() -> None:
    kind = BUILT_IN["constraint"]
    assert fields_from_flags(kind, ["active=no", "confidence=0.5", "expires="]).given == {
        "confidence": 0.5,
        "content": {"active": False, "expires": None},
    }
    option = fields_from_flags(
        DECISION, ["alternatives=MySQL\nslow", 'alternatives={"option": "x"}']
    )
    assert option.given["content"]["alternatives"] == [
        {"option": "MySQL", "rejected_reason": "slow"},
        {"option": "x"},
    ]


@pytest.mark.parametrize(
    ("fields", "error", "field"),
    [
        (["status"], UsageError, None),
        (["status=a", "status=b"], UsageError, "content.status"),
        (["statu=a"], ValidationError, "statu"),
        (["pinned=true"], ValidationError, "pinned"),
        (["confidence=high"], ValidationError, "confidence"),
        (["alternatives={x"], ValidationError, "content.alternatives"),
    ],
)
def test_a_wrong_flag_is_named(
    fields: list[str], error: type[GitmemError], field: str | None
) -> None:
    with pytest.raises(error) as caught:
        fields_from_flags(DECISION, fields)
    assert caught.value.field == field


def test_unknown_parts_of_a_file_travel_through_json() -> None:
    extra = {"keys": [{"after": "tags", "source": "owner: me"}]}
    entry = _made({"title": "x", "tags": ["a"], "body": "y", "extra": extra})
    assert entry.extra == Extra(keys=(ExtraKey("tags", "owner: me"),))


@pytest.mark.parametrize(
    "extra",
    [
        5,
        {"keys": 5},
        {"keys": [{"source": "x: 1"}]},
        {"other": []},
        {"keys": [{"after": None, "source": "pinned: true"}]},
        {"keys": [{"after": None, "source": "x: 1\nid: tr0000000000"}]},
        {"keys": [{"after": None, "source": "x: [1"}]},
        {"keys": [{"after": None, "source": "---"}]},
        {"preamble": "no sections here"},
    ],
    ids=str,
)
def test_extra_cannot_smuggle_known_keys_or_break_the_file(extra: Any) -> None:
    with pytest.raises(ValidationError):
        _made({"title": "x", "tags": ["a"], "body": "y", "extra": extra})


def test_an_import_takes_state() -> None:
    data = _seed(
        "decision",
        id=ID,
        tier="archive",
        slug="a-slug",
        pinned=True,
        snoozed_until="2027-01-01T01:00:00+01:00",
        reviewed_at="2026-03-01T00:00:00Z",
        superseded_by="none",
        appreciation=4,
        session="s-1",
    )
    source = import_draft(data)
    assert (source.id, source.tier, source.slug, source.session) == (ID, "archive", "a-slug", "s-1")
    entry = imported_entry(source, DECISION, NOW, ID)
    assert entry.snoozed_until == "2027-01-01T00:00:00Z"
    assert (entry.pinned, entry.reviewed, entry.superseded_by, entry.appreciation) == (
        True,
        "2026-03-01T00:00:00Z",
        "none",
        4,
    )


def test_an_import_reads_the_tier_from_the_record_status() -> None:
    data = {**_seed("decision"), "id": ID}
    assert import_draft(data).tier == "retired"
    assert import_draft({**data, "record_status": "active"}).tier is None
    assert import_draft({**data, "record_status": "archived"}).tier == "archive"


def test_a_review_on_the_day_of_the_create_is_none() -> None:
    data = {**_seed("decision"), "id": None, "reviewed_at": "2026-01-02T04:04:05+01:00"}
    assert import_draft(data).reviewed is None


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("id", "a-slug"),
        ("category", None),
        ("tier", "attic"),
        ("record_status", "gone"),
        ("slug", "../x"),
        ("slug", "A"),
        ("pinned", "yes"),
        ("appreciation", 1.5),
        ("appreciation", True),
        ("snoozed_until", "soon"),
        ("reviewed_at", 5),
        ("superseded_by", "x"),
        ("session", 5),
    ],
)
def test_wrong_state_in_an_import_is_named(key: str, value: Any) -> None:
    with pytest.raises(ValidationError) as caught:
        import_draft({**_seed("decision", id=ID), key: value})
    assert caught.value.field == key


# Reading


def test_input_comes_from_a_file_or_standard_input(tmp_path: Path) -> None:
    file = tmp_path / "draft.json"
    file.write_bytes(b'\xef\xbb\xbf{"title": "\xc3\xa9"}')
    assert read_input(str(file), io.BytesIO()) == {"title": "é"}
    assert read_input("-", io.BytesIO(b"{}")) == {}


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"[]",
        b"7",
        b'"text"',
        b"null",
        b"true",
        b"{",
        b"{'a': 1}",
        b'{"a": NaN}',
        b'{"a": -Infinity}',
        b'{"a": "\xff"}',
        '{"a": 1}'.encode("utf-16"),
        b"[" * 100_000,
        b'{"a":' * 100_000,
        b'{"a": ' + b"9" * 5000 + b"}",
        b'{"a": "' + b"x" * MAX_INPUT + b'"}',
    ],
    ids=range(16),
)
def test_what_is_no_json_object_is_an_input_error(data: bytes) -> None:
    with pytest.raises(InputError) as caught:
        read_input("-", io.BytesIO(data))
    assert "standard input" in caught.value.message


def test_a_file_that_cannot_be_read_is_an_input_error(tmp_path: Path) -> None:
    for path in (tmp_path / "missing", tmp_path, Path(f"{tmp_path}/a\0b")):
        with pytest.raises(InputError) as caught:
            read_input(str(path), io.BytesIO())
        json.dumps(caught.value.to_json(), ensure_ascii=False).encode()


def test_lone_surrogates_never_reach_a_message_or_an_entry() -> None:
    data = parse_object(b'{"title": "a\\ud800b", "tags": ["\\udfff"], "body": "x\\ud83d"}', "x")
    entry = _made(dict(data))
    assert (entry.title, entry.tags, entry.content) == ("ab", ("untagged",), {"body": "x"})
    for text in (b'{"\\ud800": 1}', b'{"title":"x","tags":[],"content":{"\\ud800": 1}}'):
        with pytest.raises(ValidationError) as caught:
            _made(dict(parse_object(text, "x")))
        json.dumps(caught.value.to_json(), ensure_ascii=False).encode()
