"""Messages: the cases, git's own reading of ours, and our reading of other people's."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from gitmem.document.message import Message, encode_message, parse_message

from tests.document.rows import read_rows
from tests.helpers import git

ROWS = read_rows("messages.jsonl")
OURS = [row for row in ROWS if not row.get("read_only")]

Row = dict[str, Any]


def message_of(row: Row) -> Message:
    trailers = tuple((key, tuple(words)) for key, words in row["trailers"])
    return Message(row["op"], row["category"], row["title"], row["reason"], trailers)


@pytest.mark.parametrize("row", OURS, ids=range(len(OURS)))
def test_a_message_has_these_bytes(row: Row) -> None:
    assert encode_message(message_of(row)) == row["message"].encode()


@pytest.mark.parametrize("row", ROWS, ids=range(len(ROWS)))
def test_a_message_is_read_back(row: Row) -> None:
    assert parse_message(row["message"].encode()) == message_of({**row, **row.get("read", {})})


@pytest.mark.parametrize("row", OURS[::6], ids=range(len(OURS[::6])))
def test_git_sees_our_trailers_and_no_others(row: Row, tmp_path: Path) -> None:
    data = encode_message(message_of(row))
    seen = git(tmp_path, "interpret-trailers", "--parse", data=data)
    assert seen.encode() == data.rstrip(b"\n").rpartition(b"\n\n")[2]


@pytest.mark.parametrize(
    ("text", "title", "reason"),
    [
        ("", "", ""),
        ("Fix typo\n", "Fix typo", ""),
        ("Fix typo\n\nIt was wrong.\n\nReally.\n", "Fix typo", "It was wrong.\n\nReally."),
        ("Two\nlines\n", "Two", "lines"),
        ("x\n\nSigned-off-by: A <a@b.c>\n", "x", "Signed-off-by: A <a@b.c>"),
        ("Gitmem-Op: forged\n", "Gitmem-Op: forged", ""),
        ("x\r\n\r\nwhy\r\n", "x", "why"),
    ],
)
def test_a_message_of_another_hand_is_a_title_and_a_reason(
    text: str, title: str, reason: str
) -> None:
    assert parse_message(text.encode()) == Message("", None, title, reason)


def test_a_subject_that_somebody_rewrote_is_the_title() -> None:
    read = parse_message(b"Better words\n\nGitmem-Op: update\nGitmem-Id: tr0123456789\n")
    assert (read.op, read.category, read.title) == ("update", None, "Better words")
    assert read.first("Gitmem-Id") == ("tr0123456789",)


def test_a_message_that_is_not_utf8_is_read() -> None:
    assert parse_message(b"caf\xe9\n").title == "caf\ufffd"
    assert parse_message(b"x\n\nGitmem-Op: %FF%zz%\n").op == "\ufffd%zz%"


def test_trailers_are_found_by_key() -> None:
    trailers = (("Gitmem-Op", ("usage",)), ("Gitmem-Used", ("a", "1")), ("Gitmem-Used", ("b", "2")))
    message = Message("usage", trailers=trailers)
    assert message.every("Gitmem-Used") == [("a", "1"), ("b", "2")]
    assert message.first("Gitmem-Used") == ("a", "1")
    assert message.first("Gitmem-Code") == ()
