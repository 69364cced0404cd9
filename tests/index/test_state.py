"""state.db keeps what no commit holds, and loses nothing that it can't read."""

from __future__ import annotations

import os
import sqlite3
import sys
from pathlib import Path

import pytest
from gitmem.index.state import open_state, state_file


def folder(tmp_path: Path) -> Path:
    return tmp_path / "code" / ".git" / "gitmem"


def test_a_view_keeps_its_commit(tmp_path: Path) -> None:
    view = tmp_path / "code" / ".claude" / "memory"
    with open_state(folder(tmp_path)) as state:
        assert state.view_commit(view) is None
        state.set_view(view, "a" * 40)
        state.set_view(view, "b" * 40)
    with open_state(folder(tmp_path)) as state:
        assert state.view_commit(view) == "b" * 40
        assert state.views() == {view: "b" * 40}


def test_a_dropped_view_is_forgotten_with_its_files(tmp_path: Path) -> None:
    view = tmp_path / "code" / "view"
    with open_state(folder(tmp_path)) as state:
        state.set_view(view, "a" * 40)
        state.leave(view, "x.md", "a" * 40)
        state.drop_view(view)
        assert (state.views(), state.left_alone(view)) == ({}, {})


def test_an_edited_file_keeps_the_commit_that_it_was_first_edited_from(tmp_path: Path) -> None:
    view = tmp_path / "code" / "view"
    with open_state(folder(tmp_path)) as state:
        state.leave(view, "x.md", "a" * 40)
        state.leave(view, "x.md", "b" * 40)
        assert state.left_alone(view) == {"x.md": "a" * 40}
        state.settle(view, "x.md")
        assert state.left_alone(view) == {}


def test_a_view_is_found_after_the_repository_was_moved(tmp_path: Path) -> None:
    with open_state(folder(tmp_path)) as state:
        state.set_view(tmp_path / "code" / "view", "a" * 40)
    (tmp_path / "code").rename(tmp_path / "moved")
    with open_state(tmp_path / "moved" / ".git" / "gitmem") as state:
        assert state.view_commit(tmp_path / "moved" / "view") == "a" * 40


@pytest.mark.skipif(sys.platform in ("win32", "darwin"), reason="names are Unicode there")
def test_a_view_whose_path_isnt_utf8_can_be_kept(tmp_path: Path) -> None:
    view = Path(os.fsdecode(os.fsencode(tmp_path) + b"/\xff/view"))
    with open_state(folder(tmp_path)) as state:
        state.set_view(view, "a" * 40)
        assert state.view_commit(view) == "a" * 40


@pytest.mark.parametrize(
    "damage", [b"no database at all" * 100, b"SQLite format 3\0" + b"x" * 5000]
)
def test_a_damaged_file_is_set_aside_and_started_anew(tmp_path: Path, damage: bytes) -> None:
    file = state_file(folder(tmp_path))
    file.parent.mkdir(parents=True)
    file.write_bytes(damage)
    with open_state(file.parent) as state:
        assert state.kept
        assert len(state.warnings) == 1
        state.set_view(tmp_path, "a" * 40)
    (aside,) = file.parent.glob("state.db.corrupt.*")
    assert aside.read_bytes() == damage
    with open_state(file.parent) as state:
        assert state.warnings == ()


def test_a_folder_that_cannot_be_made_still_gives_a_state(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x", "utf-8")
    with open_state(tmp_path / "file" / "gitmem") as state:
        assert not state.kept
        state.set_view(tmp_path, "a" * 40)
        assert state.view_commit(tmp_path) == "a" * 40


def test_in_a_read_only_folder_what_is_there_is_read(tmp_path: Path) -> None:
    view = tmp_path / "view"
    with open_state(folder(tmp_path)) as state:
        state.set_view(view, "a" * 40)
    file = state_file(folder(tmp_path))
    file.chmod(0o444)
    file.parent.chmod(0o555)
    try:
        with open_state(file.parent) as state:
            assert state.view_commit(view) == "a" * 40
    finally:
        file.parent.chmod(0o755)


def test_a_newer_gitmems_tables_are_left_alone(tmp_path: Path) -> None:
    with open_state(folder(tmp_path)) as state:
        state.set_view(tmp_path, "a" * 40)
    connection = sqlite3.connect(state_file(folder(tmp_path)))
    connection.execute("CREATE TABLE later (x)")
    connection.execute("PRAGMA user_version = 99")
    connection.commit()
    connection.close()
    with open_state(folder(tmp_path)) as state:
        assert state.view_commit(tmp_path) == "a" * 40
    connection = sqlite3.connect(state_file(folder(tmp_path)))
    assert connection.execute("PRAGMA user_version").fetchone() == (99,)
    connection.close()
