"""What a writer gave: JSON or flags become a Draft, and a draft becomes an entry to be.

A draft only says which fields were given and with what; values are judged later, so they may be
of any JSON type here. State (tier, pins, ids, history) never comes out of a draft: it has commands
of its own. An import takes it, as an `ImportDraft`.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, BinaryIO

from gitmem.document.codec import canonical
from gitmem.model.categories import GROUPED, TIERS, Category, Tier
from gitmem.model.entry import Entry, Extra, ExtraKey, ExtraSection
from gitmem.model.errors import InputError, ValidationError
from gitmem.model.facts import DERIVED_KEYS, SCHEMA_VERSION, STATE_KEYS
from gitmem.model.slug import ID, slugify
from gitmem.model.text import one_line, valid_text
from gitmem.model.times import format_time, parse_time

MAX_INPUT = 2 * 1024 * 1024

_PLAIN = ("title", "confidence", "when")
_LISTS = ("tags", "related_files", "keywords")
EDITABLE = (*_PLAIN, *_LISTS, "extra", "content")
"""Top-level keys that a create or update takes, beside `created_at` (create) and `body`."""

_KNOWN = frozenset({*EDITABLE, "created_at", "body", "category", "schema_version"})
_TIER_OF_STATUS: dict[str, Tier | None] = {
    "active": None,
    "retired": "retired",
    "archived": "archive",
}


@dataclass(frozen=True, slots=True)
class Draft:
    """The fields that were given, by their JSON names; what isn't in here wasn't given."""

    given: Mapping[str, Any] = field(default_factory=dict)
    reason: str = ""


@dataclass(frozen=True, slots=True)
class ImportDraft:
    """A draft with the state that only an import may set."""

    draft: Draft
    category: str
    id: str | None = None
    tier: Tier | None = None
    slug: str | None = None
    pinned: bool = False
    snoozed_until: str | None = None
    reviewed: str | None = None
    superseded_by: str | None = None
    appreciation: int = 0
    session: str | None = None


# Reading


def read_input(source: str, stdin: BinaryIO) -> Mapping[str, Any]:
    """The JSON object in a file, or on `stdin` for `-`. InputError."""
    return parse_object(_read(source, stdin), source)


def _read(source: str, stdin: BinaryIO) -> bytes:
    try:
        if source == "-":
            data = stdin.read(MAX_INPUT + 1)
        else:
            with Path(source).open("rb") as file:
                data = file.read(MAX_INPUT + 1)
    except FileNotFoundError:
        raise _input_error(source, "there is no such file", "check the path") from None
    except (OSError, ValueError) as error:
        why = error.strerror if isinstance(error, OSError) else str(error)
        raise _input_error(source, f"it can't be read: {why}", "check the path") from None
    if len(data) > MAX_INPUT:
        raise _input_error(source, f"it is larger than {MAX_INPUT} bytes", "split it")
    return data


def parse_object(data: bytes, source: str) -> Mapping[str, Any]:
    """The JSON object in these bytes. InputError names the source."""
    try:
        value = _JSON.decode(data.decode("utf-8-sig"))
    except UnicodeDecodeError:
        raise _input_error(source, "it isn't UTF-8", "save it as UTF-8") from None
    except json.JSONDecodeError as error:
        raise _input_error(
            source, f"line {error.lineno} isn't JSON: {error.msg}", "correct the JSON"
        ) from None
    except (ValueError, RecursionError) as error:
        why = "it is nested too deeply" if isinstance(error, RecursionError) else str(error)
        raise _input_error(source, why, "correct the JSON") from None
    if not isinstance(value, dict):
        kind = "null" if value is None else type(value).__name__
        raise _input_error(source, f"it holds no JSON object but {kind}", "give one object")
    return value


def _no_constant(name: str) -> None:
    raise ValueError(f"{name} isn't JSON")


# Made once: json.loads makes a decoder for each call that asks for anything special.
_JSON = json.JSONDecoder(parse_constant=_no_constant)


def _input_error(source: str, why: str, fix: str) -> InputError:
    name = "standard input" if source == "-" else _printable(source)
    return InputError(f"{name}: {why}", fix=fix, source=name)


def _printable(text: str) -> str:
    """A name from outside, fit for a message."""
    return one_line(text.encode("utf-8", "backslashreplace").decode())[:200]


def draft_from_json(data: Mapping[str, Any]) -> Draft:
    """The draft in an entry's JSON. Derived keys are ignored, unknown ones refused."""
    _check_keys(data)
    given = {key: data[key] for key in (*EDITABLE, "created_at", "body") if key in data}
    if "extra" in given:
        given["extra"] = _extra(given["extra"])
    return Draft(given, _noted_reason(data.get("changes")))


def _check_keys(data: Mapping[str, Any]) -> None:
    for key in data:
        if key not in _KNOWN and key not in DERIVED_KEYS and key not in STATE_KEYS:
            # Imported here: needed for this message alone.
            from difflib import get_close_matches

            name = _printable(key)
            near = get_close_matches(name, _KNOWN, n=1)
            raise ValidationError(
                f"{name} is no field of an entry",
                field=name,
                expected=", ".join(sorted(_KNOWN)),
                fix=f"did you mean {near[0]}?" if near else f"remove {name}",
            )
    if data.get("schema_version") not in (None, "", SCHEMA_VERSION):
        raise _wrong("schema_version", f'"{SCHEMA_VERSION}"', data["schema_version"])


def _noted_reason(changes: object) -> str:
    """The last change note of a draft says why it is written."""
    last = changes[-1] if isinstance(changes, list) and changes else None
    summary = last.get("summary") if isinstance(last, dict) else None
    return valid_text(summary) if isinstance(summary, str) else ""


def _extra(value: object) -> Extra:
    match value:
        case None:
            return Extra()
        case dict():
            rest = set(value) - {"keys", "sections", "preamble"}
            preamble = value.get("preamble") or ""
            if not rest and isinstance(preamble, str):
                keys = _records(value.get("keys"), ("after", "source"))
                sections = _records(value.get("sections"), ("after", "heading", "text"))
                return Extra(
                    tuple(ExtraKey(*record) for record in keys),
                    tuple(ExtraSection(*record) for record in sections),
                    preamble,
                )
    raise _wrong("extra", "an object with keys, sections and preamble", value)


def _records(value: object, names: tuple[str, ...]) -> list[list[Any]]:
    """Rows of texts, the first of which may be null."""
    rows = [] if value is None else value
    wanted = f"a list of objects with {', '.join(names)}"
    if not isinstance(rows, list):
        raise _wrong("extra", wanted, value)
    for row in rows:
        fits = isinstance(row, dict) and set(row) == set(names)
        if not fits or not all(isinstance(row[name], str) for name in names[1:]):
            raise _wrong("extra", wanted, row)
        if not isinstance(row["after"], str | None):
            raise _wrong("extra", wanted, row)
    return [[row[name] for name in names] for row in rows]


def _wrong(name: str, expected: str, got: object) -> ValidationError:
    return ValidationError(
        f"{name} is not {expected}",
        field=name,
        expected=expected,
        got=repr(got)[:200],
        fix=f"give {name} {expected}",
    )


def import_draft(data: Mapping[str, Any]) -> ImportDraft:
    """The draft of an imported entry, with its state. ValidationError."""
    category = data.get("category")
    if not isinstance(category, str) or not category:
        raise _wrong("category", "the name of a category", category)
    draft = draft_from_json(data)
    created = _time_given(data, "created_at")
    reviewed = _time_given(data, "reviewed_at")
    successor = _text_given(data, "superseded_by")
    if successor is not None and successor != "none" and not ID.match(successor):
        raise _wrong("superseded_by", "the id of an entry, or none", successor)
    return ImportDraft(
        draft=draft,
        category=category,
        id=_id_given(data),
        tier=_tier_given(data),
        slug=_slug_given(data),
        pinned=_state_given(data, "pinned", bool, False),
        snoozed_until=_time_given(data, "snoozed_until"),
        # An export shows the day of the create where there was no review.
        reviewed=None if reviewed == created else reviewed,
        superseded_by=successor,
        appreciation=_state_given(data, "appreciation", int, 0),
        session=_text_given(data, "session"),
    )


def _text_given(data: Mapping[str, Any], key: str) -> str | None:
    value = data.get(key)
    if value is None or value == "":
        return None
    if not isinstance(value, str):
        raise _wrong(key, "text", value)
    return one_line(value) or None


def _time_given(data: Mapping[str, Any], key: str) -> str | None:
    text = _text_given(data, key)
    return None if text is None else _normal_time(key, text)


def _state_given(data: Mapping[str, Any], key: str, kind: type, default: Any) -> Any:
    value = data.get(key)
    if value is None:
        return default
    if type(value) is not kind:
        raise _wrong(key, "true or false" if kind is bool else "a whole number", value)
    return value


def _id_given(data: Mapping[str, Any]) -> str | None:
    text = _text_given(data, "id")
    if text is not None and not ID.match(text):
        raise _wrong("id", "tr and 10 hex digits", text)
    return text


def _slug_given(data: Mapping[str, Any]) -> str | None:
    text = _text_given(data, "slug")
    if text is not None and slugify(text) != text:
        raise _wrong("slug", "at most 80 of a-z 0-9 -", text)
    return text


def _tier_given(data: Mapping[str, Any]) -> Tier | None:
    text = _text_given(data, "tier")
    if text is None:
        status = _text_given(data, "record_status") or "active"
        if status not in _TIER_OF_STATUS:
            raise _wrong("record_status", "one of " + ", ".join(_TIER_OF_STATUS), status)
        return _TIER_OF_STATUS[status]
    for tier in TIERS:
        if tier == text:
            return tier
    raise _wrong("tier", "one of " + ", ".join(TIERS), text)


# Entries to be


def new_entry(draft: Draft, category: Category, now: int, id: str) -> Entry:
    """The entry that a create makes of a draft, not yet fixed or validated."""
    return _entry_of(draft, category, now, id)


def _entry_of(draft: Draft, category: Category, now: int, id: str, **state: Any) -> Entry:
    given = draft.given
    wanted = ("title", "tags") if "body" in given else ("title", "tags", "content")
    missing = [name for name in wanted if name not in given]
    if missing:
        raise ValidationError(
            f"{missing[0]} is missing",
            field=missing[0],
            expected="a value",
            got="nothing",
            fix=f"add {' and '.join(missing)}",
        )
    created = given.get("created_at")
    if created and not isinstance(created, str):
        raise _wrong("created_at", "a time as 2026-11-18T07:12:03Z", created)
    created = _normal_time("created_at", created) if created else format_time(now)
    empty = Entry(id, category.name, "", created, tags=("",), **state)
    return replaced(empty, draft, category)


def imported_entry(source: ImportDraft, category: Category, now: int, id: str) -> Entry:
    """The entry of an imported item, not yet fixed or validated."""
    return _entry_of(
        source.draft,
        category,
        now,
        id,
        pinned=source.pinned,
        snoozed_until=source.snoozed_until,
        reviewed=source.reviewed,
        superseded_by=source.superseded_by,
        appreciation=source.appreciation,
    )


def replaced(old: Entry, draft: Draft, category: Category) -> Entry:
    """The old entry under a whole document: absent keys keep their value, content is replaced.

    What updates can't change (id, category, created, state) stays as it was, whatever was given.
    """
    given = draft.given
    return _edited(old, given, given.get("content", old.content), category)


def patched(old: Entry, draft: Draft, category: Category) -> Entry:
    """The old entry with single fields changed; a content field of None is taken away."""
    given = draft.given
    content = {**old.content}
    for name, value in (given.get("content") or {}).items():
        if name == GROUPED.get(old.category, ("",))[0]:
            value = {**(content.get(name) or {}), **(value or {})}
        content[name] = value
    return _edited(old, given, content, category)


def _edited(old: Entry, given: Mapping[str, Any], content: Any, category: Category) -> Entry:
    if "body" in given:
        content = _with_body(given, content, category)
    values: dict[str, Any] = {name: given[name] for name in _PLAIN if name in given}
    values |= {name: _texts(name, given[name]) for name in _LISTS if name in given}
    if "extra" in given and given["extra"] != old.extra:
        values["extra"] = _kept_extra(given["extra"], category)
    return replace(old, content=content, **values)


def _kept_extra(extra: Extra, category: Category) -> Extra:
    """ValidationError if a file could not hold this beside what gitmem knows."""
    probe = Entry("tr0000000000", category.name, "x", format_time(0), tags=("x",), extra=extra)
    read = canonical(probe)
    lost = sorted(key.source for key in extra.keys) != sorted(key.source for key in read.extra.keys)
    lost |= sorted((part.heading, part.text) for part in extra.sections) != sorted(
        (part.heading, part.text) for part in read.extra.sections
    )
    if lost or extra.preamble != read.extra.preamble or replace(read, extra=extra) != probe:
        raise _wrong("extra", "unknown keys and sections as `show` prints them", extra)
    return extra


def _with_body(given: Mapping[str, Any], content: Any, category: Category) -> Any:
    """A top-level `body` is the body of the content."""
    inner = given.get("content")
    twice = isinstance(inner, dict) and inner.get("body") not in (None, given["body"])
    if not category.free_body or twice:
        raise ValidationError(
            "body is given twice" if twice else f"a {category.name} has sections, no body",
            field="body",
            fix="give content.body alone" if twice else "give the text in the content's fields",
        )
    return {**content, "body": given["body"]} if isinstance(content, Mapping) else content


def _texts(name: str, value: Any) -> Any:
    """A list as the entry holds it; a text alone is a list of one. Others are refused later."""
    if isinstance(value, str):
        return (value,)
    if value is None and name != "tags":
        return ()
    return tuple(value) if isinstance(value, Sequence) else value


def _normal_time(name: str, text: str) -> str:
    try:
        return format_time(parse_time(text))
    except ValueError:
        raise _wrong(name, "a time as 2026-11-18T07:12:03Z", text) from None
