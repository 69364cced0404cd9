"""Auto-fix: what is put right, what is reported, what is left for validation to refuse."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from gitmem.document.codec import canonical
from gitmem.features.write.fix import capped_tags, fixed
from gitmem.model.categories import BUILT_IN, category_named
from gitmem.model.entry import Entry
from gitmem.model.errors import ValidationError
from gitmem.model.validate import validate_entry
from hypothesis import given, settings
from hypothesis import strategies as st

NOTE = BUILT_IN["note"]
PLAIN = Entry("tr8f2a1c3d7e", "note", "A title", "2026-11-18T07:12:03Z", tags=("a",))


def _note(**values: Any) -> Entry:
    return replace(PLAIN, **values)


def _in(category: str, **content: Any) -> dict[str, Any]:
    entry = replace(PLAIN, category=category, content=content)
    return dict(fixed(entry, category_named(category)).entry.content)


@pytest.mark.parametrize(
    ("given_title", "expected"),
    [
        ("  Use \t PostgreSQL\r\nnow ", "Use PostgreSQL now"),
        ("a\x00b\x07c", "abc"),
        ("from a -> b", "from a - b"),
        ("a -> -> b", "a - - b"),
        ("list #tags:x", "list x"),
        ("list #ta#tags:gs:x", "list x"),
        ("#tags:", ""),
        ("\ud800lone", "lone"),
        ("a->b", "a->b"),
    ],
)
def test_titles_become_one_line_without_index_markers(given_title: str, expected: str) -> None:
    assert fixed(_note(title=given_title), NOTE).entry.title == expected


def test_a_title_that_lost_a_marker_is_reported_and_white_space_is_not() -> None:
    assert fixed(_note(title="a -> b"), NOTE).warnings == ("title became: a - b",)
    assert fixed(_note(title="  a  b\n"), NOTE).warnings == ()


def test_the_name_of_an_entity_stays_exact() -> None:
    entity = BUILT_IN["entity"]
    entry = _note(category="entity", title="Billing -> #tags:Service")
    assert fixed(entry, entity).entry.title == "Billing -> #tags:Service"


@pytest.mark.parametrize(
    ("tags", "expected"),
    [
        (("B", "a", "b", " a "), ("a", "b")),
        (("x, y",), ("x y",)),
        (("a -> b", "#tags:c"), ("a b", "c")),
        (("#ta#tags:gs:x",), ("x",)),
        ((), ("untagged",)),
        (("", "  ", ","), ("untagged",)),
        ((1, None, ["x"], "a"), ("a",)),
        ((7,), ("untagged",)),
        (("tab\tbed", "li\x00ne"), ("line", "tab bed")),
    ],
)
def test_tags_are_lower_case_unique_sorted_and_clean(tags: Any, expected: Any) -> None:
    assert fixed(_note(tags=tags), NOTE).entry.tags == expected


def test_tags_that_changed_are_reported() -> None:
    assert fixed(_note(tags=("b", "a")), NOTE).warnings == ()
    assert fixed(_note(tags=("Auth",)), NOTE).warnings == ("tags became: auth",)
    assert fixed(_note(tags=(1, "a")), NOTE).warnings == ("tags became: a",)
    assert fixed(_note(tags=()), NOTE).warnings == ()


def test_more_than_twelve_tags_are_cut_and_named() -> None:
    tags = tuple(f"t{n:02}" for n in range(14))
    better = fixed(_note(tags=tags), NOTE)
    assert better.entry.tags == tags[:12]
    assert better.warnings == ("tags: at most 12, left out: t12, t13",)


def test_an_update_caps_later_and_never_drops_an_old_tag_for_a_new_one() -> None:
    tags = tuple(f"t{n:02}" for n in range(14))
    assert fixed(_note(tags=tags), NOTE, cap=False).entry.tags == tags
    warnings: list[str] = []
    kept = capped_tags(tags, ("t12", "t13"), warnings)
    assert len(kept) == 12
    assert {"t12", "t13"} <= set(kept)
    assert warnings == ["tags: at most 12, left out: t10, t11"]


def test_an_entry_that_holds_more_than_twelve_old_tags_keeps_them() -> None:
    old = tuple(f"t{n:02}" for n in range(14))
    assert capped_tags((*old, "zz"), old, []) == old


@pytest.mark.parametrize(
    ("value", "expected"), [(1.5, 1.0), (-2, 0.0), (1, 1.0), (0.123456, 0.1235), (None, None)]
)
def test_confidence_is_clamped_and_rounded(value: Any, expected: Any) -> None:
    assert fixed(_note(confidence=value), NOTE).entry.confidence == expected


def test_a_clamped_confidence_is_reported() -> None:
    assert len(fixed(_note(confidence=3), NOTE).warnings) == 1
    assert fixed(_note(confidence=0.12345), NOTE).warnings == ()


@pytest.mark.parametrize(
    "values",
    [
        {"title": 7},
        {"title": None},
        {"title": "\x00"},
        {"tags": None},
        {"tags": 5},
        {"confidence": "0.5"},
        {"confidence": True},
        {"confidence": float("nan")},
        {"confidence": float("inf")},
        {"when": 5},
        {"keywords": (1,)},
        {"related_files": 3},
        {"content": None},
        {"content": []},
        {"content": {"body": 5}},
        {"content": {"bodi": "x"}},
    ],
    ids=str,
)
def test_wrong_types_are_left_for_validation(values: dict[str, Any]) -> None:
    entry = fixed(_note(**values), NOTE).entry
    with pytest.raises(ValidationError) as caught:
        validate_entry(entry, NOTE)
    assert (caught.value.field or "").startswith(next(iter(values)))


def test_prose_lists_and_alternatives_get_their_valid_form() -> None:
    content = _in(
        "decision",
        status=" accepted ",
        context="\n\n  two\r\nlines \x07\n\n",
        decision="```\nopen",
        alternatives=[{"option": " A \n B", "rejected_reason": None}, {"option": "C"}],
        rationale=["  first", "second\n", ""],
        consequences=None,
    )
    assert content == {
        "status": "accepted",
        "context": "  two\nlines ",
        "decision": "```\nopen\n```",
        "alternatives": [
            {"option": "A B", "rejected_reason": ""},
            {"option": "C", "rejected_reason": ""},
        ],
        "rationale": ["first", "second", ""],
    }


def test_empty_sections_stay_and_empty_keys_and_bodies_go() -> None:
    assert _in("runbook", trigger="", symptoms=[]) == {"trigger": "", "symptoms": []}
    assert _in("constraint", expires=" ", workarounds=[]) == {"workarounds": []}
    assert _in("note", body=" \n ") == {}
    assert _in("entity", aliases=["", "b", "a", "b"], type="") == {"aliases": ["a", "b"]}


def test_examples_are_fixed_inside_their_object() -> None:
    assert _in("preference", examples={"prefer": [" x"], "avoid": None}) == {
        "examples": {"prefer": ["x"]}
    }
    assert _in("preference", examples={"prefer": None}) == {}
    assert _in("preference", examples="text") == {"examples": "text"}


def test_observations_and_relations_are_sets_by_text() -> None:
    assert _in("entity", observations=["b", " a", "b", "a"]) == {"observations": ["b", "a"]}


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=12),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3)
    ),
    max_leaves=6,
)
NAMES = sorted(
    {part.name for one in BUILT_IN.values() for part in one.sections}
    | {key.name for one in BUILT_IN.values() for key in one.keys}
    | {"body", "examples"}
)


@settings(max_examples=60, deadline=None, derandomize=True, database=None)
@given(
    category=st.sampled_from(sorted(BUILT_IN)),
    title=JSON,
    tags=st.lists(JSON, max_size=4).map(tuple) | JSON,
    confidence=JSON,
    content=st.dictionaries(st.sampled_from(NAMES), JSON, max_size=6) | JSON,
)
def test_whatever_is_given_is_fixed_for_good_or_refused(
    category: str, title: Any, tags: Any, confidence: Any, content: Any
) -> None:
    """Fixing twice changes nothing, and what passes validation is in the file's own form."""
    kind = BUILT_IN[category]
    entry = replace(
        PLAIN, category=category, title=title, tags=tags, confidence=confidence, content=content
    )
    once = fixed(entry, kind).entry
    try:
        validate_entry(once, kind)
    except ValidationError:
        return
    assert fixed(once, kind).entry == once
    assert canonical(once) == once


PIECES = [
    "a",
    "Bc",
    " ",
    "  ",
    "\n",
    "\r\n",
    "\t",
    "```",
    "~~~~",
    "## x",
    "\\",
    "- ",
    ": ",
    " #",
    "é",
]
TEXT = st.lists(
    st.sampled_from([*PIECES, "\u2028", "\ud800", "\x00", "\ufeff", " -> ", "#tags:", ",", "null"]),
    max_size=8,
).map("".join)


def _content(category: str) -> st.SearchStrategy[dict[str, Any]]:
    kinds: dict[str, st.SearchStrategy[Any]] = {
        "prose": TEXT,
        "list": st.lists(TEXT, max_size=3),
        "alternatives": st.lists(
            st.fixed_dictionaries({"option": TEXT.map("o{}".format), "rejected_reason": TEXT}),
            max_size=2,
        ),
        "string": TEXT,
        "bool": st.booleans(),
    }
    fields = {}
    for part in BUILT_IN[category].sections:
        items = st.lists(TEXT, min_size=1, max_size=3) if part.filled else kinds[part.kind]
        fields[part.name] = items if part.required else items | st.none()
    for key in BUILT_IN[category].keys:
        fields[key.name] = st.sampled_from(key.choices) if key.choices else kinds[key.kind]
    return st.fixed_dictionaries(fields)


@settings(max_examples=80, deadline=None, derandomize=True, database=None)
@given(
    category_and_content=st.sampled_from(
        ["decision", "runbook", "constraint", "tech_debt"]
    ).flatmap(lambda name: st.tuples(st.just(name), _content(name))),
    title=TEXT,
    tags=st.lists(TEXT, max_size=3),
    when=TEXT,
)
def test_any_text_of_the_right_type_becomes_valid_and_canonical(
    category_and_content: tuple[str, dict[str, Any]], title: str, tags: list[str], when: str
) -> None:
    name, content = category_and_content
    entry = _note(category=name, title=f"t{title}", tags=tuple(tags), when=when, content=content)
    once = fixed(entry, BUILT_IN[name]).entry
    validate_entry(once, BUILT_IN[name])
    assert fixed(once, BUILT_IN[name]).entry == once
    assert canonical(once) == once
