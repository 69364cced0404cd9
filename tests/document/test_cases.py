"""Inputs with their right answers: the format of files, held still."""

from __future__ import annotations

from typing import Any

import pytest
from gitmem.document.codec import canonical, decode, encode
from gitmem.document.frontmatter import EventLoader
from gitmem.model.entry import entry_from_dict, entry_to_dict
from gitmem.model.errors import ValidationError

from tests.document.rows import LOADERS, read_rows, row_bytes, without_nulls

CODEC = read_rows("codec.jsonl")
HAND = read_rows("codec-hand.jsonl")
READ = [row for row in HAND if "entry" in row]
REFUSED = [row for row in HAND if "error" in row]

Row = dict[str, Any]


def numbered(rows: list[Row]) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("row", rows, ids=range(len(rows)))


both_loaders = pytest.mark.parametrize("loader", LOADERS, ids=lambda loader: loader.__name__)


@numbered(CODEC)
def test_an_entry_has_these_bytes(row: Row) -> None:
    assert encode(entry_from_dict(row["entry"])) == row_bytes(row)


@both_loaders
@numbered(CODEC)
def test_the_bytes_give_the_entry_back(row: Row, loader: EventLoader) -> None:
    found = decode(row_bytes(row), loader=loader)
    wanted = without_nulls(row.get("decoded", row["entry"]))
    assert found == entry_from_dict(wanted)
    assert encode(found) == row_bytes(row)


@numbered(CODEC)
def test_canonical_is_what_comes_back(row: Row) -> None:
    assert canonical(entry_from_dict(row["entry"])) == decode(row_bytes(row))


@both_loaders
@numbered(READ)
def test_what_a_person_wrote_is_read(row: Row, loader: EventLoader) -> None:
    found = decode(row_bytes(row), loader=loader)
    assert without_nulls(entry_to_dict(found)) == without_nulls(row["entry"])
    assert encode(found).decode() == row["canonical"]
    assert decode(row["canonical"].encode(), loader=loader) == found


@both_loaders
@numbered(REFUSED)
def test_what_cannot_be_kept_is_refused_with_its_line(row: Row, loader: EventLoader) -> None:
    with pytest.raises(ValidationError) as caught:
        decode(row_bytes(row), loader=loader)
    assert caught.value.details["line"] == row["error"]["line"]
    assert caught.value.message.startswith(f"line {row['error']['line']}: ")


@numbered(CODEC)
def test_an_entry_survives_its_plain_form(row: Row) -> None:
    entry = decode(row_bytes(row))
    assert entry_from_dict(entry_to_dict(entry)) == entry
