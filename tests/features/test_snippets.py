"""Snippets: the part of a text that fits, and the places of the words in it."""

from __future__ import annotations

from gitmem.features.snippets import WIDTH, Snippet, marked, snippet, words_of
from hypothesis import given
from hypothesis import strategies as st


def shown(found: Snippet) -> list[str]:
    return [found.text[start:end] for start, end in found.matches]


def test_a_short_text_is_shown_whole_on_one_line() -> None:
    found = snippet("First line.\n\n- Second `cache` line.", words_of("caching"))
    assert found.text == "First line. - Second `cache` line."
    assert shown(found) == ["cache"]


def test_a_long_text_is_cut_where_most_words_stand() -> None:
    filler = "nothing to see here " * 40
    text = f"{filler}a cache alone {filler}the database and its cache {filler}"
    found = snippet(text, words_of("database cache"))
    assert shown(found) == ["database", "cache"]
    assert found.text.startswith("…")
    assert found.text.endswith("…")
    assert len(found.text) <= WIDTH + 2


def test_a_text_without_a_match_shows_its_beginning() -> None:
    found = snippet("word " * 100, words_of("cache"))
    assert found.text.startswith("word word")
    assert found.matches == ()


def test_an_identifier_is_marked_whole() -> None:
    assert shown(snippet("see (getUserById).", words_of("user id"))) == ["getUserById"]


def test_scripts_without_blanks_are_marked_where_the_words_are() -> None:
    found = snippet("今天数据库迁移在部署之前运行", words_of("数据库 部署"))
    assert shown(found) == ["数据库", "部署"]


def test_a_title_is_marked_whole() -> None:
    assert marked("  Cache\tand queue ", words_of("queue")) == Snippet(
        "Cache and queue", ((10, 15),)
    )


@given(st.text(), st.text())
def test_any_text_and_query_give_one_line_with_places_inside(text: str, query: str) -> None:
    found = snippet(text, words_of(query))
    assert len(found.text.splitlines()) <= 1
    at = 0
    for start, end in found.matches:
        assert at <= start <= end <= len(found.text)
        at = end
