"""`ranked` puts the entry that a prompt is about first, and says why."""

from __future__ import annotations

import pytest
from gitmem.features.recall import ranked

from tests.features.recall.sources import MemorySource


def filled() -> MemorySource:
    source = MemorySource()
    source.add("Use PostgreSQL for orders", "Reports need JSON queries.", keywords=["migration"])
    source.add("Session cookies live in Redis", "A login lasts 14 days.", tags=["auth"])
    source.add("Webhook deliveries stuck", "Look at src/shop/hooks.py and getUserById first.")
    source.add("会議は毎週火曜日の午前十時から", "場所は三階の小会議室。")
    source.add("Die Müllabfuhr kommt donnerstags", "Gelber Sack am Dienstag.")
    source.add("Deploys freeze in December", when="the prompt mentions a release")
    return source


def first(prompt: str, source: MemorySource) -> int | None:
    hits = ranked.search(prompt, source, 5)
    return hits[0].row if hits else None


@pytest.mark.parametrize(
    ("prompt", "row"),
    [
        ("can I run a migration now", 1),
        ("how long does a login last", 2),
        ("where is get_user_by_id called", 3),
        ("open hooks.py", 3),
        ("火曜日の会議は何時ですか", 4),
        ("wann kommt die Mullabfuhr", 5),
        ("is a release allowed", 6),
        ("does postgersql hold them", 1),
        ("who is authenticated by cookie", 2),
    ],
)
def test_the_entry_that_the_prompt_is_about_comes_first(prompt: str, row: int) -> None:
    assert first(prompt, filled()) == row


def test_a_keyword_outweighs_the_title_and_the_title_the_body() -> None:
    source = MemorySource()
    body = source.add("Alpha notes", "the parser is slow")
    title = source.add("The parser", "alpha is slow")
    keyword = source.add("Gamma notes", "it is slow", keywords=["parser"])
    source.add("Something else")
    hits = ranked.search("parser", source, 5)
    assert [hit.row for hit in hits] == [keyword, title, body]


def test_a_word_of_the_prompt_outweighs_a_word_that_only_means_the_same() -> None:
    source = MemorySource()
    related = source.add("The automobile and the vehicle")
    same = source.add("The car and the garage")
    source.add("Something else entirely")
    assert [hit.row for hit in ranked.search("car", source, 5)] == [same, related]


def test_words_that_stand_together_lift_an_entry() -> None:
    source = MemorySource()
    apart = source.add("Notes", "rate of growth for the quarter in each region, no limit")
    together = source.add("Notes", "growth of the quarter in each region, no rate limit here")
    hits = ranked.search("rate limit", source, 5)
    assert [hit.row for hit in hits] == [together, apart]


def test_of_equals_the_newer_comes_first() -> None:
    source = MemorySource()
    older, newer = source.add("The parser"), source.add("The parser")
    assert [hit.row for hit in ranked.search("parser", source, 5)] == [newer, older]


def test_the_answer_after_the_line_that_was_asked_about_is_found() -> None:
    source = MemorySource()
    for number in range(20):
        source.add(f"Unrelated line {number}", "noor talks", session=number + 10)
    source.add("Noor: did you send the grant application?", session=1)
    answer = source.add("Caleb: yes, noor, five minutes before midnight", session=1)
    assert answer in [hit.row for hit in ranked.search("noor grant application", source, 2)]


def test_what_may_not_be_shown_leaves_room_for_others() -> None:
    source = MemorySource()
    rows = [source.add(f"The parser {number}") for number in range(200)]
    source.hidden = set(rows[20:])
    hits = ranked.search("parser", source, 5)
    assert len(hits) == 5
    assert not {hit.row for hit in hits} & source.hidden


def test_common_words_do_not_find_entries_but_count_in_the_score(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(ranked, "ENOUGH_ROWS", 40)
    source = MemorySource()
    for number in range(60):
        source.add(f"server {number}")
        source.add(f"client {number}")
    wanted = source.add("gearbox of the server")
    other = source.add("gearbox manual")
    hits = ranked.search("server gearbox", source, 5)
    assert [hit.row for hit in hits] == [wanted, other]
    assert source.asked_rows == 2


def test_every_hit_is_explained_when_asked_and_never_otherwise() -> None:
    source = filled()
    hits = ranked.search("login cookies in Redis", source, 5, explain=True)
    assert any(line.startswith("redis in title: ") for line in hits[0].why)
    assert any(line.startswith("share of the prompt met") for line in hits[0].why)
    plain = ranked.search("login cookies in Redis", source, 5)
    assert [(hit.row, hit.score) for hit in hits] == [(hit.row, hit.score) for hit in plain]
    assert not any(hit.why for hit in plain)


@pytest.mark.parametrize("prompt", ["", "   ", "the of and", "?!", "の"])
def test_a_prompt_without_a_word_finds_nothing(prompt: str) -> None:
    assert ranked.search(prompt, filled(), 5) == []


def test_an_empty_store_finds_nothing() -> None:
    assert ranked.search("anything at all", MemorySource(), 5) == []
    assert ranked.recall("anything at all", MemorySource(), 5) == []


def test_a_store_of_one_entry_is_searched() -> None:
    source = MemorySource()
    row = source.add("Use tabs")
    assert first("tabs or spaces", source) == row


def test_a_pasted_log_is_answered() -> None:
    source = filled()
    log = "Traceback at 0x7f " * 20_000
    hits = ranked.search(f"webhook deliveries hang {log}", source, 3)
    assert hits[0].row == 3
