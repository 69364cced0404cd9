"""edit: what was written is committed or kept, and nobody's change is overwritten."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path

import pytest

from tests.cli.conftest import Cli
from tests.helpers import git


class Editor:
    """An editor that does what a test says."""

    def __init__(self, script: Path) -> None:
        self.script = script

    def that(self, body: str) -> str:
        """The EDITOR that runs these lines on `path`."""
        head = "import os, subprocess, sys\nfrom pathlib import Path\npath = Path(sys.argv[-1])\n"
        self.script.write_text(head + body)
        return shlex.join([sys.executable, str(self.script)])

    def that_replaces(self, old: str, new: str) -> str:
        return self.that(f"path.write_text(path.read_text().replace({old!r}, {new!r}))\n")


@pytest.fixture
def editor(tmp_path: Path) -> Editor:
    return Editor(tmp_path / "editor.py")


def kept() -> list[Path]:
    return sorted((Path.home() / ".local/state/gitmem/edits").glob("*/*"))


def test_edit_commits_what_was_saved(cli: Cli, store: Path, editor: Editor) -> None:
    done = cli.json(
        *("edit", "use-postgres", "--reason", "it was agreed"),
        EDITOR=editor.that_replaces("accepted", "deprecated"),
    )
    assert (done["status"], done["commit"]) == ("updated", git(store, "rev-parse", "memory"))
    assert cli.json("show", "use-postgres")["content"]["status"] == "deprecated"
    assert cli.json("log", "--limit", "1")["commits"][0]["reason"] == "it was agreed"
    assert kept() == []


def test_editor_is_shown_the_file_of_the_branch(cli: Cli, store: Path, editor: Editor) -> None:
    seen = store / "seen.md"
    copy = editor.that(f"Path({str(seen)!r}).write_bytes(path.read_bytes())")
    cli.ok("edit", "use-postgres", EDITOR=copy)
    assert seen.read_text("utf-8") == cli.ok("show", "use-postgres", "--raw").out


def test_edit_without_a_change_says_so(cli: Cli, store: Path, editor: Editor) -> None:
    tip = git(store, "rev-parse", "memory")
    done = cli.json("edit", "use-postgres", EDITOR=editor.that(""))
    assert (done["status"], done["commit"]) == ("unchanged", tip)
    assert git(store, "rev-parse", "memory") == tip
    assert kept() == []


@pytest.mark.parametrize(
    ("old", "new", "code"),
    [
        ("status: accepted", "status: perhaps", "VALIDATION_ERROR"),
        ("category: decision", "category decision", "VALIDATION_ERROR"),
        ("The team knows it.", "AKIA" + "Z7Q4M2XK9P5T3WJ6", "SECRET_FOUND"),
        ("tags: [database]", "tags: [other]", "MERGE_ERROR"),
    ],
)
def test_refused_text_is_kept_and_can_be_taken_up(
    cli: Cli, store: Path, editor: Editor, old: str, new: str, code: str
) -> None:
    done = cli("edit", "use-postgres", "--json", EDITOR=editor.that_replaces(old, new))
    assert (done.code, done.error["code"]) == (1, code)
    (file,) = kept()
    assert done.error["kept"] == str(file)
    assert new in file.read_text("utf-8")
    better = editor.that_replaces(new, "status: deprecated" if "status" in old else old)
    again = cli.json("edit", "use-postgres", "--from", str(file), EDITOR=better)
    assert again["status"] == ("updated" if "status" in old else "unchanged")


def test_faster_writer_is_not_overwritten_and_the_text_is_kept(
    cli: Cli, store: Path, editor: Editor
) -> None:
    body = (
        "subprocess.run([sys.executable, '-m', 'gitmem', 'update', 'use-postgres',"
        " '--field', 'status=superseded'], check=True, stdout=subprocess.DEVNULL)\n"
        "path.write_text(path.read_text().replace('accepted', 'deprecated'))\n"
    )
    done = cli("edit", "use-postgres", "--json", EDITOR=editor.that(body))
    assert (done.code, done.error["code"]) == (3, "OCC_CONFLICT")
    assert cli.json("show", "use-postgres")["content"]["status"] == "superseded"
    (file,) = kept()
    assert "status: deprecated" in file.read_text("utf-8")


def test_state_in_the_text_changes_nothing_and_is_told(
    cli: Cli, store: Path, editor: Editor
) -> None:
    both = editor.that_replaces("status: accepted", "status: deprecated\npinned: true")
    done = cli("edit", "use-postgres", EDITOR=both)
    assert done.code == 0
    assert "gitmem pin" in done.err
    assert not cli.json("show", "use-postgres")["pinned"]


def test_editor_that_fails_changes_nothing_and_loses_nothing(
    cli: Cli, store: Path, editor: Editor
) -> None:
    failing = editor.that("path.write_text('half a thought')\nsys.exit(3)\n")
    done = cli("edit", "use-postgres", "--json", EDITOR=failing)
    assert done.code == 1
    (file,) = kept()
    assert file.read_text("utf-8") == "half a thought"
    missing = cli("edit", "use-postgres", "--json", EDITOR=str(store / "no-editor"))
    assert missing.error["code"] == "PRECONDITION_ERROR"
    assert kept() == [file]


def test_no_editor_and_no_terminal_says_what_to_set(cli: Cli, store: Path) -> None:
    done = cli("edit", "use-postgres", "--json")
    assert done.error["code"] == "PRECONDITION_ERROR"
    assert "EDITOR" in done.error["fix"]


def test_own_variable_goes_before_visual_and_editor(cli: Cli, store: Path, editor: Editor) -> None:
    mine = editor.that_replaces("accepted", "deprecated")
    done = cli.json("edit", "use-postgres", GITMEM_EDITOR=mine, VISUAL="false", EDITOR="false")
    assert done["status"] == "updated"


def test_text_is_edited_where_nobody_else_can_read_it(
    cli: Cli, store: Path, editor: Editor
) -> None:
    private = editor.that("assert not path.parent.stat().st_mode & 0o77")
    cli.ok("edit", "use-postgres", EDITOR=private)
    assert kept() == []
