"""Slugs and ids."""

from __future__ import annotations

import pytest
from gitmem.model.slug import ID, imported_id, new_id, numbered, slug_for, slugify
from gitmem.store.layout import parse_address
from hypothesis import given, settings
from hypothesis import strategies as st


@pytest.mark.parametrize(
    ("title", "slug"),
    [
        ("My Cool Decision", "my-cool-decision"),
        ("Auth: JWT + OAuth!", "auth-jwt-oauth"),
        ("src/db.py isn't used", "src-db-py-isn-t-used"),
        ("Café Münster ﬁne", "cafe-munster-fine"),
        ("数据库 v2", "v2"),
        ("数据库", ""),
        ("---", ""),
        ("a" * 79 + " bc", "a" * 79),
        ("x" * 100, "x" * 80),
    ],
)
def test_slugs_are_lower_case_ascii_with_dashes(title: str, slug: str) -> None:
    assert slugify(title) == slug


@pytest.mark.parametrize("title", ["数据库", "", "CON", "nul!", "Com1", "LPT9"])
def test_an_unusable_slug_is_the_id(title: str) -> None:
    assert slug_for(title, "tr8f2a1c3d7e") == "tr8f2a1c3d7e"


def test_names_that_only_begin_like_a_device_are_fine() -> None:
    assert slug_for("Console", "tr8f2a1c3d7e") == "console"
    assert slug_for("com10", "tr8f2a1c3d7e") == "com10"


def test_a_number_never_makes_a_slug_too_long() -> None:
    assert numbered("use-jwt", 2) == "use-jwt-2"
    assert numbered("x" * 80, 12) == "x" * 77 + "-12"
    assert numbered("x" * 77 + "-yz", 2) == "x" * 77 + "-2"


@settings(max_examples=150, deadline=None, derandomize=True, database=None)
@given(st.text(max_size=120))
def test_every_slug_is_an_address_and_stays_itself(title: str) -> None:
    slug = slug_for(title, "tr8f2a1c3d7e")
    assert len(slug) <= 80
    assert slugify(slug) == slug
    assert parse_address(f"register/notes/{slug}") is not None
    assert parse_address(f"register/notes/{numbered(slug, 2)}") is not None


def test_a_new_id_is_ten_random_hex_digits() -> None:
    assert new_id(lambda size: bytes(range(size))) == "tr0001020304"


def test_an_imported_item_has_one_id_on_every_machine() -> None:
    assert imported_id("beads", "bd-1") == "tr50c584e121"
    assert imported_id("beads", "bd-2") != imported_id("beads", "bd-1")
    assert ID.match(imported_id("files", "not-utf8-\udcff"))
