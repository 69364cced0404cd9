"""What people see: aligned, without control characters, coloured on a terminal only."""

from __future__ import annotations

import io
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from gitmem.cli.output import Output, clean, columns, facts, short, width

from tests.cli.conftest import Cli
from tests.helpers import commit_files

ENTRY = """---
id: tr0123456789
category: note
title: "Ring \\x1b[31m bell"
created: 2026-11-18T07:12:03Z
tags: [bell]
---

Text.
"""


class Terminal(io.TextIOWrapper):
    """A stream that says that it is a terminal."""

    def __init__(self) -> None:
        super().__init__(io.BytesIO(), encoding="utf-8")

    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(
    ("environ", "coloured"),
    [({}, True), ({"NO_COLOR": "1"}, False), ({"NO_COLOR": ""}, True), ({"TERM": "dumb"}, False)],
)
def test_colours_follow_terminal_and_no_color(environ: dict[str, str], coloured: bool) -> None:
    output = Output(environ, Terminal(), Terminal())
    assert ("\x1b" in output.styled("done", "green")) is coloured


def test_no_colours_in_a_pipe() -> None:
    output = Output({}, io.TextIOWrapper(io.BytesIO()), io.TextIOWrapper(io.BytesIO()))
    assert output.styled("done", "green") == "done"


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain — ä", "plain — ä"),
        ("two\nlines\tand a tab", "two\nlines\tand a tab"),
        ("\x1b[31mred", "\\x1b[31mred"),
        ("bell\x07", "bell\\x07"),
        ("c1 \x9b31m", "c1 \\x9b31m"),
        ("back\rover", "back\\x0dover"),
    ],
)
def test_control_characters_are_made_visible(text: str, shown: str) -> None:
    assert clean(text) == shown


def test_title_from_a_hand_made_commit_brings_no_escape_to_the_terminal(
    cli: Cli, store: Path
) -> None:
    files = {"register/notes/bell.md": ENTRY.replace("\\x1b", "\x1b")}
    commit_files(store, files, "hand: \x1b[31mred", time=2_000_000_000)
    for line in ("log --patch", "list", "show bell", "status", "diff 2020-01-01", "doctor"):
        done = cli(*line.split())
        assert "\x1b" not in done.out + done.err, line


def test_columns_align_wide_and_narrow_letters() -> None:
    rows = columns([("ä", "one"), ("日本", "two"), ("abc", "three")])
    assert [width(first) for first, _ in rows] == [6, 6, 6]
    assert [last for _, last in rows] == ["one", "two", "three"]
    assert columns([]) == []


def test_long_values_are_cut_and_kept_on_one_line() -> None:
    assert short("a\nb") == "a b"
    assert short(["a", 1]) == '["a", 1]'
    assert len(short("x" * 500)) == 60


def test_facts_align() -> None:
    assert list(facts({"a": "one", "longer": "two"})) == ["a       one", "longer  two"]


def test_list_aligns_and_marks(cli: Cli, store: Path) -> None:
    cli.ok("pin", "old-cache")
    cli.ok("supersede", "old-cache", "use-postgres")
    lines = cli.ok("list").out.splitlines()
    (marked,) = [line for line in lines if "register/notes/old-cache" in line]
    assert marked.endswith("Old cache  [pinned, superseded]")
    assert len({re.search(r"(register|working)/", line).start() for line in lines if line}) == 1  # type: ignore[union-attr]


def test_show_names_address_and_commit_before_the_markdown(cli: Cli, store: Path) -> None:
    shown = cli.ok("show", "old-cache").out
    commit = cli.json("show", "old-cache")["commit"]
    head, _, text = shown.partition("\n\n")
    assert head.startswith(f"register/notes/old-cache  commit {commit[:12]}  updated ")
    assert text == cli.ok("show", "old-cache", "--raw").out


def test_warnings_go_to_standard_error_and_into_the_json(cli: Cli, store: Path) -> None:
    words = ("add", "note", "--title", "Twelve and more", "--body", "x")
    tags = [word for number in range(14) for word in ("--tag", f"tag-{number}")]
    done = cli(*words, *tags, "--json")
    assert done.code == 0
    assert done.json["warnings"]
    assert done.err.startswith("warning: ")


def test_writing_to_a_closed_standard_output_still_writes_the_memory(cli: Cli, store: Path) -> None:
    words = [sys.executable, "-m", "gitmem", "remember", "Said to nobody"]
    with Path(os.devnull).open() as nothing:
        done = subprocess.run(
            ["sh", "-c", '"$@" >&-', "sh", *words], stdin=nothing, capture_output=True, check=False
        )
    assert done.returncode == 0, done.stderr
    assert cli.json("show", "said-to-nobody")["tier"] == "working"
