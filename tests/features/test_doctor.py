"""doctor finds what is broken, says how to mend it, and never breaks itself."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest
from gitmem.features.doctor import Check, doctor, index_matches
from gitmem.features.lifecycle import Request, move
from gitmem.index.db import index_file

from tests.features.scratch import Scratch, scratch
from tests.helpers import commit_files, git, make_repository


@pytest.fixture
def memory(tmp_path: Path) -> Scratch:
    made = scratch(tmp_path / "code")
    made.add("Use tabs")
    one = made.add("Use blanks")
    with made.open() as workspace:
        move(workspace, "archive", Request(one.id))
    return made


def checks(memory: Scratch) -> dict[str, Check]:
    return {one.name: one for one in doctor(memory.repo, memory.environ, memory.clock)}


def failed(memory: Scratch) -> set[str]:
    found = checks(memory)
    assert all(one.fix for one in found.values() if not one.ok)
    return {one.name for one in found.values() if not one.ok}


def test_a_sound_store_passes_every_check(memory: Scratch) -> None:
    assert failed(memory) == set()


def test_outside_a_repository_it_says_so(tmp_path: Path) -> None:
    (found,) = doctor(tmp_path, {}, lambda: 0)
    assert (found.name, found.ok) == ("repository", False)


def test_without_a_branch_it_names_init(tmp_path: Path) -> None:
    repo = make_repository(tmp_path / "code")
    found = doctor(repo, {}, lambda: 0)
    assert [one.ok for one in found] == [True, False]
    assert "gitmem init" in (found[1].fix or "")


def test_a_lost_branch_is_told_with_its_last_commit(memory: Scratch) -> None:
    tip = git(memory.repo, "rev-parse", "memory")
    git(memory.repo, "update-ref", "-d", "refs/heads/memory")
    found = checks(memory)["branch"]
    assert not found.ok
    assert tip[:12] in found.message


def test_a_damaged_object_is_named(memory: Scratch) -> None:
    blob = git(memory.repo, "rev-parse", "memory:register/notes/use-tabs.md")
    packs = sorted((memory.repo / ".git/objects/pack").glob("*.pack"))
    git(memory.repo, "gc", "-q", "--prune=now")
    for pack in (memory.repo / ".git/objects/pack").glob("*.pack"):
        git(memory.repo, "unpack-objects", "-q", data=_taken(pack))
    assert packs
    loose = memory.repo / ".git/objects" / blob[:2] / blob[2:]
    loose.chmod(0o644)
    loose.write_bytes(b"damaged")
    found = checks(memory)
    assert not found["objects"].ok
    assert blob in found["objects"].message


def _taken(pack: Path) -> bytes:
    """The bytes of a pack that is removed."""
    data = pack.read_bytes()
    for file in pack.parent.glob(f"{pack.stem}.*"):
        file.unlink()
    return data


def test_files_that_are_no_entries_are_named_with_their_line(memory: Scratch) -> None:
    commit_files(
        memory.repo,
        {"register/notes/x.md": "no entry", "invalid/notes/y.md": "from a merge"},
        time=memory.at,
    )
    found = checks(memory)["entries"]
    assert not found.ok
    assert "register/notes/x.md (line 1)" in found.message
    assert "invalid/notes/y.md" in found.message


def test_an_id_that_two_files_have_is_told(memory: Scratch) -> None:
    text = git(memory.repo, "show", "memory:register/notes/use-tabs.md") + "\n"
    commit_files(memory.repo, {"register/notes/copy.md": text}, time=memory.at)
    assert "ids" in failed(memory)


def test_an_index_that_differs_from_the_branch_is_found(memory: Scratch) -> None:
    connection = sqlite3.connect(index_file(memory.repo / ".git" / "gitmem"))
    connection.execute("UPDATE entries SET document = replace(document, 'About', 'Against')")
    connection.execute("DELETE FROM entries WHERE tier = 'archive'")
    connection.commit()
    connection.close()
    found = checks(memory)["index"]
    assert not found.ok
    assert "register/notes/use-tabs.md is another one" in found.message
    assert "archive/notes/use-blanks.md isn't in the index" in found.message
    with memory.open() as workspace:
        workspace.store.rebuild_index()
        assert index_matches(workspace) == []


def test_a_damaged_index_is_a_failed_check_or_mended_never_an_error(memory: Scratch) -> None:
    file = index_file(memory.repo / ".git" / "gitmem")
    for part in ("", "-wal", "-shm"):
        Path(f"{file}{part}").unlink(missing_ok=True)
    file.write_bytes(b"no database" * 1000)
    assert failed(memory) <= {"index"}


def test_a_faulty_config_is_told(memory: Scratch) -> None:
    commit_files(memory.repo, {"config.json": "{broken"}, time=memory.at)
    assert "config" in failed(memory)


def test_a_store_of_a_newer_format_is_told(memory: Scratch) -> None:
    commit_files(memory.repo, {"config.json": '{\n  "format": 2\n}\n'}, time=memory.at)
    assert "format" in failed(memory)


def test_a_left_over_lock_is_told_with_its_age(memory: Scratch) -> None:
    (memory.repo / ".git/refs/heads/memory.lock").write_text("", "utf-8")
    found = checks(memory)["leftovers"]
    assert not found.ok
    assert "memory.lock" in found.message


def test_halves_of_a_dead_gitmem_are_told_and_others_keeps_are_not(memory: Scratch) -> None:
    packs = memory.repo / ".git/objects/pack"
    (packs / f"pack-{'0' * 40}.keep").write_text("fetch-pack 1 on host\n", "utf-8")
    assert checks(memory)["leftovers"].ok
    (packs / f"pack-{'1' * 40}.keep").write_text("gitmem host 1\n", "utf-8")
    assert not checks(memory)["leftovers"].ok


def test_a_person_git_doesnt_know_is_told(memory: Scratch) -> None:
    memory.environ = {k: v for k, v in memory.environ.items() if not k.startswith("GIT_AUTHOR")}
    assert "identity" in failed(memory)


def test_an_edited_view_is_told(memory: Scratch) -> None:
    (memory.view / "register/notes/use-tabs.md").write_text("mine", "utf-8")
    memory.change("use-tabs", "body=Other.")
    found = checks(memory)["view"]
    assert not found.ok
    assert "gitmem adopt" in (found.fix or "")


def test_a_work_tree_on_the_branch_is_told(memory: Scratch, tmp_path: Path) -> None:
    git(memory.repo, "worktree", "add", "-q", str(tmp_path / "seen"), "memory")
    assert "seen" in checks(memory)["work trees"].message


def test_it_changes_nothing_of_the_memory(memory: Scratch) -> None:
    commit_files(memory.repo, {"register/notes/x.md": "no entry"}, time=memory.at)
    before = git(memory.repo, "for-each-ref")
    checks(memory)
    assert git(memory.repo, "for-each-ref") == before
