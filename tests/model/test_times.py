"""Times in and out: the same text is the same moment everywhere."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest
from gitmem.model.times import format_time, is_date, parse_moment, parse_time
from hypothesis import given, settings
from hypothesis import strategies as st

NOW = parse_time("2026-03-31T12:00:00Z")


@settings(max_examples=100, deadline=None, derandomize=True, database=None)
@given(st.integers(-62_135_596_800, 253_402_300_799))
def test_a_time_comes_back_as_it_was_written(seconds: int) -> None:
    assert parse_time(format_time(seconds)) == seconds


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2026-11-18T07:12:03Z", "2026-11-18T07:12:03Z"),
        ("2026-11-18T07:12:03z", "2026-11-18T07:12:03Z"),
        ("2026-01-06T18:51:48.633692523+01:00", "2026-01-06T17:51:48Z"),
        ("2026-01-06T18:51:48-0530", "2026-01-07T00:21:48Z"),
        ("2026-01-06 18:51", "2026-01-06T18:51:00Z"),
        ("1969-12-31T23:59:59.5Z", "1969-12-31T23:59:59Z"),
        (" 2026-01-06\n", "2026-01-06T00:00:00Z"),
    ],
)
def test_iso_times_of_any_offset_are_read(text: str, expected: str) -> None:
    assert format_time(parse_time(text)) == expected


@pytest.mark.parametrize(
    "text",
    ["", "now", "2026-02-30T00:00:00Z", "2026-11-18T25:00:00Z", "18.11.2026", "12", "٢٠٢٦-11-18"],
)
def test_what_is_no_time_is_refused(text: str) -> None:
    with pytest.raises(ValueError):
        parse_time(text)


def test_a_moment_outside_the_calendar_is_refused() -> None:
    for text in ("0001-01-01T00:00:00+05:00", "9999-12-31T23:59:59-01:00"):
        with pytest.raises(ValueError):
            parse_time(text)
    with pytest.raises(ValueError):
        format_time(10**15)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("now", "2026-03-31T12:00:00Z"),
        ("2026-11-18", "2026-11-18T00:00:00Z"),
        ("today", "2026-03-31T00:00:00Z"),
        ("Yesterday", "2026-03-30T00:00:00Z"),
        ("tomorrow", "2026-04-01T00:00:00Z"),
        ("3 days ago", "2026-03-28T12:00:00Z"),
        ("an  hour ago", "2026-03-31T11:00:00Z"),
        ("2w ago", "2026-03-17T12:00:00Z"),
        ("a month ago", "2026-02-28T12:00:00Z"),
        ("1 year ago", "2025-03-31T12:00:00Z"),
        ("in 2 weeks", "2026-04-14T12:00:00Z"),
        ("in 11 months", "2027-02-28T12:00:00Z"),
        ("2026-01-06T18:51:48+01:00", "2026-01-06T17:51:48Z"),
    ],
)
def test_moments_as_people_say_them(text: str, expected: str) -> None:
    assert format_time(parse_moment(text, NOW)) == expected


def test_a_day_can_mean_its_last_second() -> None:
    for text in ("2026-03-30", "yesterday"):
        assert format_time(parse_moment(text, NOW, end_of_day=True)) == "2026-03-30T23:59:59Z"
    assert parse_moment("3 days ago", NOW, end_of_day=True) == NOW - 3 * 86_400


@pytest.mark.parametrize("text", ["", "soon", "3 days", "9999 years ago", "99999999 weeks ago"])
def test_a_moment_that_means_nothing_is_refused(text: str) -> None:
    with pytest.raises(ValueError):
        parse_moment(text, NOW)


def test_dates_are_days_of_the_calendar() -> None:
    assert is_date("2028-02-29")
    for text in ("2026-02-29", "2026-2-3", "2026-11-18T00:00:00Z", "20261118", "٢٠٢٦-١١-١٨"):
        assert not is_date(text)


def test_the_time_zone_of_the_machine_plays_no_part() -> None:
    program = (
        "from gitmem.model.times import *;"
        "print(parse_moment('2026-03-29', 0), parse_moment('yesterday', 1774785600),"
        " parse_moment('a month ago', 1774785600), format_time(1774785600))"
    )
    answers = {
        subprocess.run(
            [sys.executable, "-c", program],
            env={**os.environ, "TZ": zone},
            capture_output=True,
            check=True,
        ).stdout
        for zone in ("UTC", "Pacific/Kiritimati", "America/St_Johns")
    }
    assert len(answers) == 1
