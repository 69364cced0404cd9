"""The values of frontmatter keys: how each kind is written, and what is taken for it.

A value has one written form: strings are plain where plain is safe for every YAML reader, else
in double quotes; lists are sorted sets on one line. Keys without a value, or with their default,
are not written. Reading takes more forms; what isn't of the key's kind is refused, never guessed.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from gitmem.document.table import FileKey, Layout, by_place
from gitmem.model.entry import Entry, Extra
from gitmem.model.text import clean_text, one_line

# Both say what is not allowed: a class that reaches to U+10FFFF takes 15 ms to compile.
_PLAIN_START = re.compile(r"[^\x00-.0-@\[-^`{-\x9f]")
_PLAIN_ITEM = re.compile(r"[^\x00-.0-@\[-^`{-\x9f][^\x00-\x1f!-*,:-@\[-^`{-\x9f]*\Z")
_WORDS = frozenset(("y", "n", "yes", "no", "on", "off", "true", "false", "null"))
_BOOLEANS = {"true": True, "yes": True, "on": True, "false": False, "no": False, "off": False}
_INTEGER = re.compile(r"[-+]?[0-9]{1,4000}\Z")
_NUMBER = re.compile(r"[-+]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][-+]?[0-9]+)?\Z")
_DATE = re.compile(r"([0-9]{4})-([0-9]{2})-([0-9]{2})\Z")
_TIME = re.compile(r"([0-9-]{10})T([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]Z\Z")
_MONTHS = (31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)

# Writing


def write_keys(entry: Entry, layout: Layout) -> list[str]:
    """The lines between the two `---`."""
    others = by_place(entry.extra.keys, layout.key_places) if entry.extra.keys else {}
    lines = [clean_text(extra.source) for extra in others.get(None, ())]
    content = entry.content
    for key in layout.keys:
        raw = content.get(key.name) if key.own else getattr(entry, key.name)
        # Most keys of most entries have no value.
        value = canonical_value(key, raw) if raw or not key.optional else None
        if value is not None:
            lines.append(f"{key.name}: {_WRITERS[key.kind](value)}")
        if others:
            lines += [clean_text(extra.source) for extra in others.get(key.name, ())]
    return lines


def raw_value(entry: Entry, key: FileKey) -> Any:
    """The key's value as the entry holds it."""
    return entry.content.get(key.name) if key.own else getattr(entry, key.name)


def _write_string(text: str) -> str:
    if (
        _PLAIN_START.match(text)
        and ": " not in text
        and " #" not in text
        and text[-1] != ":"
        and text.lower() not in _WORDS
    ):
        return text
    return _quoted(text)


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def _write_list(items: Sequence[str]) -> str:
    written = [
        item if _PLAIN_ITEM.match(item) and item.lower() not in _WORDS else _quoted(item)
        for item in items
    ]
    return f"[{', '.join(written)}]"


def _write_date(text: str) -> str:
    """A date or time as it is; anything else in quotes, so that it can forge nothing."""
    return text if _DATE.match(text) or _TIME.match(text) else _quoted(text)


_WRITERS: dict[str, Callable[[Any], str]] = {
    "string": _write_string,
    "enum": _write_string,
    "id": _write_string,
    "bool": lambda value: "true" if value else "false",
    "int": str,
    "float": repr,
    "date": _write_date,
    "time": _write_date,
    "list": _write_list,
}

# Values in valid form


def canonical_value(key: FileKey, value: Any) -> Any:
    """The value as it comes back when it was written and read; None if it isn't written."""
    if key.optional and not value:
        return None
    if value is None:
        return () if key.kind == "list" else None
    value = _CANONICAL[key.kind](value)
    return value if value or not key.optional else None


def entry_of(
    values: Mapping[str, Any], content: Mapping[str, Any], extra: Extra, layout: Layout
) -> Entry:
    """An entry of canonical values; absent ones take the entry's own default."""
    beside: dict[str, Any] = {}
    within: dict[str, Any] = {}
    for key in layout.keys:
        value = values.get(key.name)
        if value is None:
            continue
        if key.own:
            within[key.name] = list(value) if isinstance(value, tuple) else value
        else:
            beside[key.name] = value
    return Entry(**beside, content={**within, **content}, extra=extra)


def canonical_list(items: Iterable[str]) -> tuple[str, ...]:
    """A set in its written order: valid, not empty, by code point."""
    return tuple(sorted({one_line(item) for item in items} - {""}))


_CANONICAL: dict[str, Callable[[Any], Any]] = {
    "string": one_line,
    "enum": one_line,
    "id": one_line,
    "bool": bool,
    "int": int,
    "float": lambda value: round(float(value), 4),
    "date": one_line,
    "time": one_line,
    "list": canonical_list,
}

# Reading


def read_scalar(key: FileKey, text: str) -> Any:
    """The value that a scalar's text stands for, None if it is none of the key's kind."""
    return _READERS[key.kind](one_line(text))


def _read_integer(text: str) -> int | None:
    return int(text) if _INTEGER.match(text) else None


def _read_number(text: str) -> float | None:
    number = float(text) if _NUMBER.match(text) else math.inf
    return round(number, 4) if math.isfinite(number) else None


def _read_date(text: str) -> str | None:
    """`text` if it is a day of the calendar."""
    date = _DATE.match(text)
    if date is None:
        return None
    year, month, day = map(int, date.groups())
    if not (year and 1 <= month <= 12):
        return None
    leap = month == 2 and year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)
    return text if 1 <= day <= _MONTHS[month - 1] + leap else None


def _read_time(text: str) -> str | None:
    time = _TIME.match(text)
    return text if time is not None and _read_date(time[1]) else None


_READERS: dict[str, Callable[[str], Any]] = {
    "string": str,
    "enum": str,
    "id": str,
    "bool": lambda text: _BOOLEANS.get(text.lower()),
    "int": _read_integer,
    "float": _read_number,
    "date": _read_date,
    "time": _read_time,
    "list": lambda text: text.split(","),
}
EXPECTED = {
    "string": "text",
    "enum": "one word",
    "id": "an id",
    "bool": "true or false",
    "int": "a whole number",
    "float": "a number",
    "date": "a date like 2026-11-18",
    "time": "a time like 2026-11-18T07:12:03Z",
    "list": "a list like [a, b]",
}
"""What each kind takes, for messages."""
