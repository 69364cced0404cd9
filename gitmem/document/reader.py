"""A file's bytes as an entry: the frontmatter's chunks by the table of keys, then the body.

Never guesses: what would be lost, or read otherwise by somebody else, is refused with its line.
Imported when a file is decoded, not before (`codec.decode`).
"""

from __future__ import annotations

from typing import Any

from gitmem.document.body import read_body
from gitmem.document.frontmatter import (
    Chunk,
    Document,
    EventLoader,
    Items,
    Scalar,
    preferred_loader,
    read_document,
    refusal,
)
from gitmem.document.keys import EXPECTED, canonical_value, entry_of, read_scalar
from gitmem.document.limits import check_file_size
from gitmem.document.table import FileKey, Layout, in_order, layout_of
from gitmem.model.entry import Entry, Extra, ExtraKey
from gitmem.model.errors import ValidationError
from gitmem.model.text import clean_text

_NEEDED = ("id", "title", "created")


def read_entry(data: bytes, loader: EventLoader | None) -> Entry:
    """The entry that a file holds."""
    document = read_document(_clean(data), loader or preferred_loader())
    layout = layout_of(_category(document))
    values, others = _read_keys(document, layout)
    for name in _NEEDED:
        if name not in values:
            raise _missing(name, document.line)
    content, preamble, sections = read_body(document.body, layout)
    extra = Extra(in_order(others, layout.key_places), sections, preamble)
    return entry_of(values, content, extra, layout)


def _clean(data: bytes) -> str:
    check_file_size(data)
    try:
        return clean_text(data.decode())
    except UnicodeDecodeError as error:
        line = clean_text(data[: error.start].decode()).count("\n") + 1
        raise ValidationError(
            f"line {line}: not UTF-8", fix="save the file as UTF-8", line=line
        ) from error


def _missing(name: str, line: int) -> ValidationError:
    return ValidationError(
        f"line {line}: `{name}` is missing",
        field=name,
        fix=f"add a line `{name}: …`",
        line=line,
    )


def _category(document: Document) -> str:
    for chunk in document.chunks:
        if chunk.name == "category":
            value = _read_value(layout_of("").key_named["category"], chunk)
            if value is not None:
                return str(value)
    raise _missing("category", document.line)


def _read_keys(document: Document, layout: Layout) -> tuple[dict[str, Any], list[ExtraKey]]:
    """The values of known keys by name, and the unknown keys with the one they follow."""
    values: dict[str, Any] = {}
    others: list[ExtraKey] = []
    after: str | None = None
    for chunk in document.chunks:
        key = layout.key_named.get(chunk.name)
        if key is None:
            others.append(ExtraKey(after, chunk.source))
            continue
        value = _read_value(key, chunk)
        if value is not None:
            values[key.name] = value
            after = key.name
    return values, others


def _read_value(key: FileKey, chunk: Chunk) -> Any:
    """A known key's value in valid form, or None where it counts as absent."""
    if key.is_text and chunk.comment is not None:
        raise refusal(
            chunk.comment,
            f"a comment beside the text of `{key.name}` would be lost",
            "put the text in double quotes, and comments on a line of their own",
            field=key.name,
        )
    value = chunk.value
    found: Any = None
    got: str | None = None
    if isinstance(value, Scalar):
        if value.is_null:
            return None
        found = read_scalar(key, value.text)
        got = value.text
    elif isinstance(value, Items) and key.kind == "list":
        found = [item.text for item in value.scalars if not item.is_null]
    if found is None:
        expected = EXPECTED[key.kind]
        raise refusal(
            value.line,
            f"`{key.name}` must be {expected}",
            field=key.name,
            expected=expected,
            got=got,
        )
    return canonical_value(key, found)
