"""What an update may not take away, and when it renames."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from gitmem.features.write.protect import (
    protected,
    renamed_slug,
    require_change,
    word_difference_ratio,
)
from gitmem.model.categories import BUILT_IN
from gitmem.model.entry import Entry
from gitmem.model.errors import MergeError, UpdateError

DECISION = BUILT_IN["decision"]
OLD = Entry(
    "tr8f2a1c3d7e",
    "decision",
    "Use PostgreSQL over MySQL",
    "2026-11-18T07:12:03Z",
    tags=("a", "b"),
    related_files=("gone.py", "here.py"),
    content={"rationale": ["x", "y"], "consequences": ["z"]},
)
FULL = tuple(f"t{n:02}" for n in range(12))
Outcome = tuple[Entry, tuple[str, ...]]


def _exists(path: str) -> bool:
    return path == "here.py"


def _update(old: Entry = OLD, exists: Callable[[str], bool] = _exists, **values: Any) -> Outcome:
    safe = protected(old, replace(old, **values), DECISION, exists)
    return safe.entry, safe.warnings


def test_tags_may_grow() -> None:
    assert _update(tags=("a", "b", "c"))[0].tags == ("a", "b", "c")


@pytest.mark.parametrize("tags", [("a",), ("a", "c"), ("untagged",)])
def test_below_twelve_no_tag_may_go(tags: tuple[str, ...]) -> None:
    with pytest.raises(MergeError) as caught:
        _update(tags=tags)
    assert caught.value.field == "tags"
    assert "b" in caught.value.details["removed"]
    assert caught.value.fix


def test_at_twelve_a_tag_goes_only_when_a_new_one_comes() -> None:
    old = replace(OLD, tags=FULL)
    assert _update(old, tags=(*FULL[1:], "new"))[0].tags == (*FULL[1:], "new")
    with pytest.raises(MergeError):
        _update(old, tags=FULL[1:])


def test_new_tags_beyond_twelve_are_left_out_and_named() -> None:
    old = replace(OLD, tags=FULL)
    entry, warnings = _update(old, tags=("aa", *FULL, "zz"))
    assert entry.tags == FULL
    assert warnings == ("tags: at most 12, left out: aa, zz",)


def test_an_exchange_of_tags_beyond_twelve_keeps_the_old_ones() -> None:
    old = replace(OLD, tags=FULL)
    entry, warnings = _update(old, tags=("aa", "ab", *FULL[1:]))
    assert entry.tags == ("aa", *FULL[1:])
    assert warnings == ("tags: at most 12, left out: ab",)


def test_the_placeholder_goes_when_a_real_tag_comes() -> None:
    assert _update(replace(OLD, tags=("untagged",)), tags=("a",))[0].tags == ("a",)


def test_an_existing_related_file_may_not_go_and_a_dangling_one_may() -> None:
    assert _update(related_files=("here.py",))[0].related_files == ("here.py",)
    with pytest.raises(MergeError) as caught:
        _update(related_files=("gone.py",))
    assert caught.value.field == "related_files"
    assert caught.value.details["removed"] == ["here.py"]


def test_lists_that_shrink_are_allowed_and_reported() -> None:
    warnings = _update(content={"rationale": ["x"]})[1]
    assert warnings == (
        "content.rationale has 1 of 2 items left",
        "content.consequences has 0 of 1 items left",
    )
    assert _update(content={"rationale": ["q", "r"], "consequences": ["s", "t"]})[1] == ()


def test_lists_inside_examples_are_watched_too() -> None:
    preference = BUILT_IN["preference"]
    old = replace(OLD, category="preference", content={"examples": {"prefer": ["a", "b"]}})
    new = replace(old, content={"examples": {"prefer": ["a"]}})
    warnings = protected(old, new, preference, _exists).warnings
    assert warnings == ("content.examples.prefer has 1 of 2 items left",)


def test_an_update_that_changes_nothing_is_refused() -> None:
    with pytest.raises(UpdateError):
        require_change(OLD, replace(OLD, content=dict(reversed([*OLD.content.items()]))))
    require_change(OLD, replace(OLD, confidence=0.5))


@pytest.mark.parametrize(
    ("one", "other", "ratio"),
    [
        ("Use JWT", "use  jwt", 0.0),
        ("apple banana", "cherry date", 1.0),
        ("Use JWT auth", "Use OAuth auth", 0.5),
        ("", "", 0.0),
        ("a", "", 1.0),
    ],
)
def test_word_difference_ratio(one: str, other: str, ratio: float) -> None:
    assert word_difference_ratio(one, other) == ratio


@pytest.mark.parametrize(
    ("title", "slug"),
    [
        ("Use PostgreSQL over MySQL 8", None),
        ("Use PostgreSQL instead of SQLite", "use-postgresql-instead-of-sqlite"),
        ("Something else entirely", "something-else-entirely"),
        ("数据库", None),
        ("con", None),
    ],
)
def test_a_title_with_more_than_half_new_words_renames(title: str, slug: str | None) -> None:
    new = replace(OLD, title=title)
    assert renamed_slug(OLD, new, "use-postgresql-over-mysql") == slug


def test_a_new_title_with_the_old_slug_does_not_rename() -> None:
    old = replace(OLD, title="Foo-bar")
    assert renamed_slug(old, replace(OLD, title="foo bar"), "foo-bar") is None
