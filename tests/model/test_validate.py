"""Validation: every rule of the table is kept, and a fault is named in its words."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from typing import Any

import pytest
from gitmem.model.categories import BUILT_IN, CATEGORIES, Category, Key, Section, category_named
from gitmem.model.entry import Entry
from gitmem.model.errors import ValidationError
from gitmem.model.validate import entry_schema, validate_entry

LEAST: dict[str, dict[str, Any]] = {
    "decision": {"status": "proposed", "context": "", "decision": "d", "rationale": ["r"]},
    "runbook": {"trigger": "t", "steps": ["s"], "verification": "v"},
    "constraint": {
        "kind": "gap",
        "severity": "low",
        "active": False,
        "rule": "r",
        "impact": ["i"],
    },
    "tech_debt": {
        "status": "wont_fix",
        "priority": "critical",
        "description": "d",
        "reason_deferred": "r",
    },
    "preference": {"topic": "t", "strength": "soft", "value": "v", "reason": "r"},
    "session_summary": {"outcome": "blocked", "goal": "g", "completed": [], "next_actions": []},
    "note": {},
    "open_loop": {"status": "open"},
    "daily_log": {"date": "2026-11-18", "lines": []},
    "procedure": {},
    "identity": {},
    "entity": {},
    "file": {"path": "notes/a.md"},
}
FULL: dict[str, dict[str, Any]] = {
    "decision": {
        "alternatives": [{"option": "o", "rejected_reason": ""}, {"option": "p"}],
        "consequences": [],
    },
    "runbook": {"symptoms": ["", "x"], "root_cause": "", "environment": None},
    "constraint": {"expires": "none", "workarounds": None},
    "tech_debt": {"impact": [], "suggested_fix": ["x"], "acceptance_criteria": ["y"]},
    "preference": {"examples": {"prefer": ["a"], "avoid": None}},
    "session_summary": {"in_progress": [], "blockers": ["b"], "key_changes": [], "learned": "l"},
    "note": {"body": "b"},
    "open_loop": {"due": "2026-11-18", "body": "b"},
    "entity": {"type": "t", "aliases": ["x"], "observations": ["o"], "relations": ["uses [[B]]"]},
    "file": {"body": "b"},
}
PLAIN = Entry("tr8f2a1c3d7e", "note", "A title", "2026-11-18T07:12:03Z", tags=("a",))


def _parts(category: Category) -> list[Key | Section]:
    return [*category.keys, *category.sections]


def _entry(name: str, **content: Any) -> Entry:
    return replace(PLAIN, category=name, content={**LEAST[name], **content})


def _refused(entry: Entry, category: Category | None = None) -> ValidationError:
    with pytest.raises(ValidationError) as caught:
        validate_entry(entry, category or category_named(entry.category))
    return caught.value


def test_every_category_has_its_rows_here() -> None:
    assert set(LEAST) == set(BUILT_IN)


@pytest.mark.parametrize("name", LEAST)
def test_the_least_and_the_fullest_entry_of_each_category_are_valid(name: str) -> None:
    validate_entry(_entry(name), BUILT_IN[name])
    validate_entry(_entry(name, **FULL.get(name, {})), BUILT_IN[name])


def test_a_custom_category_has_a_free_body() -> None:
    recipe = category_named("recipe", "recipes")
    validate_entry(replace(PLAIN, category="recipe", content={"body": "x"}), recipe)
    error = _refused(replace(PLAIN, category="recipe", content={"status": "x"}), recipe)
    assert error.field == "content.status"


@pytest.mark.parametrize("category", CATEGORIES, ids=lambda one: one.name)
def test_every_required_field_is_missed(category: Category) -> None:
    for part in _parts(category):
        if part.required:
            content = {k: v for k, v in LEAST[category.name].items() if k != part.name}
            error = _refused(replace(PLAIN, category=category.name, content=content))
            assert error.field == f"content.{part.name}"
            assert "missing" in error.message
            assert _refused(_entry(category.name, **{part.name: None})).field == error.field


@pytest.mark.parametrize("category", CATEGORIES, ids=lambda one: one.name)
def test_every_enum_takes_its_values_only(category: Category) -> None:
    for key in category.keys:
        for choice in key.choices:
            validate_entry(_entry(category.name, **{key.name: choice}), category)
        if key.choices:
            error = _refused(_entry(category.name, **{key.name: "other"}))
            assert error.field == f"content.{key.name}"
            assert all(choice in str(error.expected) for choice in key.choices)


@pytest.mark.parametrize("category", CATEGORIES, ids=lambda one: one.name)
def test_lists_that_must_be_filled_are(category: Category) -> None:
    for part in category.sections:
        if part.kind == "list" and part.filled:
            assert (
                _refused(_entry(category.name, **{part.name: []})).field == f"content.{part.name}"
            )


@pytest.mark.parametrize(
    ("values", "field"),
    [
        ({"id": "tr8F2A1C3D7E"}, "id"),
        ({"id": "tr8f2a1c3d7e\n"}, "id"),
        ({"title": ""}, "title"),
        ({"title": "x" * 121}, "title"),
        ({"title": 5}, "title"),
        ({"created": "2026-11-18"}, "created_at"),
        ({"created": "2026-02-30T00:00:00Z"}, "created_at"),
        ({"created": "2026-11-18T07:12:03+00:00"}, "created_at"),
        ({"tags": ()}, "tags"),
        ({"tags": ("",)}, "tags.0"),
        ({"tags": ("a", 5)}, "tags.1"),
        ({"related_files": ("",)}, "related_files.0"),
        ({"confidence": -0.1}, "confidence"),
        ({"confidence": 1.1}, "confidence"),
        ({"confidence": float("nan")}, "confidence"),
        ({"confidence": True}, "confidence"),
        ({"confidence": "0.5"}, "confidence"),
        ({"when": 1}, "when"),
        ({"keywords": (None,)}, "keywords.0"),
        ({"pinned": 1}, "pinned"),
        ({"snoozed_until": "2026-11-18"}, "snoozed_until"),
        ({"reviewed": "x"}, "reviewed"),
        ({"superseded_by": "x"}, "superseded_by"),
        ({"appreciation": 1.0}, "appreciation"),
        ({"appreciation": True}, "appreciation"),
        ({"appreciation": 10**30}, "appreciation"),
        ({"content": None}, "content"),
        ({"content": []}, "content"),
        ({"content": {"body": 5}}, "content.body"),
        ({"category": "decision"}, "category"),
    ],
    ids=str,
)
def test_a_wrong_value_beside_the_content_is_named(values: dict[str, Any], field: str) -> None:
    error = _refused(replace(PLAIN, **values), BUILT_IN["note"])
    assert error.field == field
    assert error.fix
    assert len(str(error.got)) <= 200


def test_a_title_of_120_characters_counts_characters_not_bytes() -> None:
    validate_entry(replace(PLAIN, title="ü" * 120), BUILT_IN["note"])
    assert _refused(replace(PLAIN, title="ü" * 121)).message == (
        "title is 121 characters, at most 120"
    )


@pytest.mark.parametrize(
    ("name", "content", "field"),
    [
        ("decision", {"alternatives": [{"option": "", "rejected_reason": "x"}]}, "0.option"),
        ("decision", {"alternatives": [{"rejected_reason": "x"}]}, "0.option"),
        ("decision", {"alternatives": [{"option": "x", "why": "y"}]}, "0.why"),
        ("decision", {"alternatives": ["x"]}, "alternatives.0"),
        ("decision", {"rationale": "text"}, "content.rationale"),
        ("decision", {"rationale": {"a": 1}}, "content.rationale"),
        ("decision", {"rationale": ["x", None]}, "content.rationale.1"),
        ("decision", {"context": ["x"]}, "content.context"),
        ("constraint", {"active": "yes"}, "content.active"),
        ("constraint", {"active": 1}, "content.active"),
        ("constraint", {"expires": 5}, "content.expires"),
        ("preference", {"examples": {"like": []}}, "content.examples.like"),
        ("preference", {"examples": []}, "content.examples"),
        ("preference", {"prefer": []}, "content.prefer"),
        ("daily_log", {"date": "2026-02-29"}, "content.date"),
        ("open_loop", {"due": "tomorrow"}, "content.due"),
        ("file", {"path": "/etc/passwd"}, "content.path"),
        ("file", {"path": "a/../b"}, "content.path"),
        ("file", {"path": "a\\b"}, "content.path"),
        ("file", {"path": ""}, "content.path"),
        ("entity", {"aliases": [""]}, "content.aliases.0"),
    ],
)
def test_a_wrong_value_in_the_content_is_named(
    name: str, content: dict[str, Any], field: str
) -> None:
    assert str(_refused(_entry(name, **content)).field).endswith(field)


def test_an_unknown_field_names_the_nearest() -> None:
    error = _refused(_entry("decision", statuss="x"))
    assert error.field == "content.statuss"
    assert "content.status" in (error.fix or "")
    assert "rationale" in str(error.expected)


def test_further_faults_are_named_too() -> None:
    error = _refused(replace(PLAIN, title="", content={"boddy": "x"}))
    assert error.field == "title"
    assert error.details["also"] == ["content.boddy"]


def test_one_fault_gives_one_short_message() -> None:
    error = _refused(_entry("decision", context={"x": "y" * 10_000}))
    assert len(error.message) < 300


@pytest.mark.parametrize("name", LEAST)
def test_the_schema_of_a_category_follows_the_table(name: str) -> None:
    category = BUILT_IN[name]
    schema = entry_schema(category)
    content = schema["properties"]["content"]
    required = {part.name for part in _parts(category) if part.required}
    assert set(content.get("required", [])) == required
    assert content["additionalProperties"] is False
    for key in category.keys:
        if key.choices:
            assert content["properties"][key.name]["enum"] == list(key.choices)
    assert set(LEAST[name]) | set(FULL.get(name, {})) <= set(content["properties"])
    assert schema["properties"]["title"]["maxLength"] == 120
    assert {"title", "tags", "content"} == set(schema["required"])
    assert {"id", "updated_at", "record_status", "usage", "changes"} <= set(schema["properties"])


def test_validating_does_not_load_the_layer_of_models() -> None:
    """Loading it would cost every writing command more than all the rest."""
    program = (
        "import sys; from gitmem.model.validate import validate_entry;"
        "from gitmem.model.entry import Entry; from gitmem.model.categories import BUILT_IN;"
        "entry = Entry('tr8f2a1c3d7e', 'note', 'x', '2026-11-18T07:12:03Z', ('a',));"
        "validate_entry(entry, BUILT_IN['note']); print('pydantic' in sys.modules)"
    )
    answer = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, check=True, text=True
    )
    assert answer.stdout.strip() == "False"
