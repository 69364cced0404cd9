"""Times as text and as seconds since 1970: ISO 8601 out, ISO 8601 and a few plain words in.

Everything is UTC: the same input means the same moment on every machine, so nothing here looks
at a clock or a time zone; `now` is handed in. Standard library only.
"""

from __future__ import annotations

import re
import time
from math import floor

DAY = 86_400

_EARLIEST = -62_135_596_800
_LATEST = 253_402_300_799
_UNITS = {"second": 1, "minute": 60, "hour": 3600, "day": DAY, "week": 7 * DAY}
_DATE = re.compile(r"\d{4}-\d{2}-\d{2}\Z", re.ASCII)
_AMOUNT = r"(an?|\d{1,9})\s*(seconds?|minutes?|hours?|days?|weeks?|months?|years?|[smhdw])"
_RELATIVE = rf"(?a:in\s+{_AMOUNT}|{_AMOUNT}\s+ago)\Z"
_SHORT = {"s": "second", "m": "minute", "h": "hour", "d": "day", "w": "week"}
_WORDS = {"yesterday": -DAY, "today": 0, "tomorrow": DAY}


def format_time(seconds: float) -> str:
    """`2026-11-18T07:12:03Z`; fractions of a second are dropped. ValueError outside 1..9999."""
    whole = floor(seconds)
    if not _EARLIEST <= whole <= _LATEST:
        raise ValueError(f"no calendar date for {seconds!r} seconds since 1970")
    year, month, day, hour, minute, second, *_ = time.gmtime(whole)
    return f"{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}Z"


def parse_time(text: str) -> int:
    """Seconds since 1970 of an ISO 8601 time; without an offset it is UTC. ValueError."""
    # Imported here: readers that only print times start faster without it.
    from datetime import UTC, datetime, timedelta

    moment = datetime.fromisoformat(text.strip().upper())
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    seconds = (moment - datetime(1970, 1, 1, tzinfo=UTC)) // timedelta(seconds=1)
    if not _EARLIEST <= seconds <= _LATEST:
        raise ValueError(f"{text!r} is outside the calendar")
    return seconds


def is_date(text: str) -> bool:
    """Is this a day of the calendar, written `2026-11-18`?"""
    if not _DATE.match(text):
        return False
    from datetime import date

    try:
        date.fromisoformat(text)
    except ValueError:
        return False
    return True


def parse_moment(text: str, now: int, *, end_of_day: bool = False) -> int:
    """The moment that a person means: an ISO time or date, `3 days ago`, `in 2 weeks`, `yesterday`.

    A day without a time of day is its first second, or its last with `end_of_day`. ValueError.
    """
    wanted = " ".join(text.lower().split())
    if wanted == "now":
        return now
    if is_date(wanted):
        return _day(parse_time(wanted), end_of_day)
    if wanted in _WORDS:
        return _day(now + _WORDS[wanted], end_of_day)
    found = re.match(_RELATIVE, wanted)
    if found:
        ahead, ahead_unit, back, back_unit = found.groups()
        return _shifted(now, ahead or back, ahead_unit or back_unit, 1 if ahead else -1)
    try:
        return parse_time(wanted)
    except ValueError:
        raise ValueError(
            f"{text!r} is no time: use 2026-11-18, 2026-11-18T07:12:03Z or `3 days ago`"
        ) from None


def _day(moment: int, end: bool) -> int:
    first = moment - moment % DAY
    return first + DAY - 1 if end else first


def _shifted(now: int, amount: str, unit: str, sign: int) -> int:
    count = sign * (1 if amount in ("a", "an") else int(amount))
    name = _SHORT.get(unit, unit.rstrip("s"))
    if name in _UNITS:
        moment = now + count * _UNITS[name]
    else:
        moment = _months_later(now, count * (12 if name == "year" else 1))
    if not _EARLIEST <= moment <= _LATEST:
        raise ValueError(f"{amount} {unit} is outside the calendar")
    return moment


def _months_later(now: int, months: int) -> int:
    from calendar import monthrange
    from datetime import UTC, datetime

    then = datetime.fromtimestamp(now, UTC)
    year, month = divmod(then.year * 12 + then.month - 1 + months, 12)
    if not 1 <= year <= 9999:
        raise ValueError(f"{months} months from here is outside the calendar")
    # 31 March less a month is the last day of February.
    day = min(then.day, monthrange(year, month + 1)[1])
    return int(then.replace(year=year, month=month + 1, day=day).timestamp())
