"""One analyser for both sides: what a person writes and what an entry holds meet in terms."""

from __future__ import annotations

import subprocess
import sys

import pytest
from gitmem.index.analyser import LONGEST, date_terms, stem, terms
from gitmem.index.stop_words import COMMON, FILLERS, STOP_WORDS
from hypothesis import given, settings
from hypothesis import strategies as st


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        ("user id", "getUserById"),
        ("get_user_by_id", "getUserById"),
        ("get-user-by-id", "GetUserById()"),
        ("HTTP server", "HTTPServer"),
        ("db.py", "src/db.py"),
        ("src/shop/money.py", "`src/shop/money.py`,"),
        ("pg_replication_slots", "SELECT * FROM pg_replication_slots;"),
        ("email", "e-mail"),
        ("reunion equipe", "la réunion d'équipe"),
        ("Mullabfuhr", "Die Müllabfuhr"),
        ("Strasse", "Straße"),
        ("Lodz", "Łódź"),
        ("火曜日の会議", "会議は毎週火曜日"),
        ("ガイド", "ガイド"),
        ("备份保留多久", "备份文件保留三十天"),
        ("금요일", "배포는 금요일에 하지 않는다"),
        ("हिन्दी", "हिन्दी में"),
        ("ｆｕｌｌ", "full"),
    ],
)
def test_what_is_asked_finds_what_is_told(asked: str, told: str) -> None:
    assert terms(asked)
    assert set(terms(asked)) & set(terms(told))


@pytest.mark.parametrize(
    "forms",
    [
        "decide decides decided deciding",
        "migrate migrates migrated migrating migration migrations",
        "run runs ran running",
        "stop stops stopped stopping",
        "study studies studied studying",
        "teach taught teacher teaching",
        "normalise normalize normalisation normalization",
        "deploy deployed deployment deploys",
        "buy bought buys",
        "child children kids",
        "match matches matched matching",
        "crash crashes crashed",
    ],
)
def test_forms_of_a_word_share_their_stem(forms: str) -> None:
    assert len({stem(form) for form in forms.split()}) == 1


@pytest.mark.parametrize(
    "pair",
    [
        "meeting meter",
        "session sea",
        "version verse",
        "bus busy",
        "status state",
        "class clay",
        "this thing",
    ],
)
def test_different_words_keep_different_stems(pair: str) -> None:
    first, second = pair.split()
    assert stem(first) != stem(second)


def test_contractions_leave_no_stray_letters() -> None:
    assert terms("don't won't she'll I've they're Ada's") == [stem("ada")]


def test_an_identifier_keeps_its_parts_in_order_and_its_whole() -> None:
    assert terms("parse_valid_until") == ["pars", "valid", "parsevaliduntil"]


def test_a_file_name_keeps_its_ending() -> None:
    assert "testspy" in terms("src/tests.py")


def test_a_single_kana_is_no_term_but_a_single_ideograph_is() -> None:
    assert terms("の") == []
    assert terms("猫") == ["猫"]


def test_a_date_is_told_as_people_write_it() -> None:
    assert date_terms("2026-05-07T10:00:00Z") == ["may", "7", "2026"]
    assert date_terms("2026-13-07") == date_terms("") == date_terms("soon") == []


def test_a_hash_or_key_is_cut() -> None:
    assert all(len(term) <= LONGEST for term in terms("a" * 5_000 + " " + "é" * 5_000))


def test_the_lists_of_words_do_not_overlap() -> None:
    assert not STOP_WORDS & FILLERS
    assert not STOP_WORDS & COMMON
    assert not FILLERS & COMMON


@settings(deadline=None, database=None, derandomize=True, max_examples=150)
@given(st.text(max_size=60))
def test_any_text_gives_terms_that_a_table_holds_as_they_are(text: str) -> None:
    found = terms(text)
    assert found == terms(text)
    for term in found:
        assert term
        assert not set(term) & set(" \n\t\"'*()-_:^.")
        assert not any("A" <= character <= "Z" for character in term)


def test_importing_the_recall_core_loads_nothing_slow() -> None:
    code = (
        "import sys; before = set(sys.modules);"
        "import gitmem; own = {'typing'} & set(sys.modules);"
        "import gitmem.features.recall.ranked, gitmem.features.recall.block;"
        "print(*sorted((set(sys.modules) - before - own)"
        " & {'re', 'json', 'typing', 'dataclasses', 'pathlib', 'unicodedata', 'inspect'}))"
    )
    done = subprocess.run(
        [sys.executable, "-I", "-c", code], capture_output=True, text=True, check=True
    )
    loaded = set(done.stdout.split())
    # `typing`, which the package itself loads so far, brings `re`.
    assert not loaded - {"re"}
