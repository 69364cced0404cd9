"""Where the code moved on, and entries that belong to other branches of it."""

from __future__ import annotations

from pathlib import Path

import pytest
from gitmem.features.recall.scope import hidden_ids
from gitmem.features.recall.staleness import MovedOn, moved_on
from gitmem.features.settings import set_key
from gitmem.features.write.draft import Draft
from gitmem.features.write.pipeline import NewEntry, create
from gitmem.git.between import commits_between
from gitmem.git.objects import Objects
from gitmem.index.queries import entries_with_files

from tests.helpers import git
from tests.hooks.kit import Hooks, hooks

ASKED = "how does the kestrel parser read its input?"


def commit(repo: Path, name: str, text: str) -> str:
    (repo / name).write_text(text)
    git(repo, "add", name)
    git(repo, "commit", "-q", "-m", f"change {name}")
    return git(repo, "rev-parse", "HEAD")


def add(run: Hooks, title: str, *files: str) -> str:
    run.memory.at += 60
    given = {"title": title, "tags": ["x"], "content": {"body": "."}, "related_files": list(files)}
    with run.memory.open() as workspace:
        return create(workspace, NewEntry("note", Draft(given))).id


@pytest.fixture
def run(tmp_path: Path) -> Hooks:
    """A memory beside code of three files."""
    run = hooks(tmp_path / "repo")
    for name in ("parser.py", "reader.py", "other.py"):
        commit(run.repo, name, "first\n")
    return run


def test_a_hit_says_how_far_the_code_moved_on(run: Hooks) -> None:
    add(run, "The kestrel parser reads input line by line", "parser.py", "reader.py")
    run.start()
    assert "#note:" not in run.prompt(ASKED, session="before").out
    commit(run.repo, "parser.py", "second\n")
    commit(run.repo, "parser.py", "third\n")
    commit(run.repo, "reader.py", "second\n")
    commit(run.repo, "other.py", "second\n")
    run.start()
    shown = run.prompt(ASKED, session="after").out
    assert "#note:2 of its files changed in 3 commits since" in shown


def test_what_changed_and_changed_back_has_not_moved_on(run: Hooks) -> None:
    add(run, "The kestrel parser reads input line by line", "parser.py", "gone.py")
    commit(run.repo, "parser.py", "second\n")
    head = commit(run.repo, "parser.py", "first\n")
    with run.memory.open() as workspace:
        entries = entries_with_files(workspace.snapshot().index)
        assert list(moved_on(workspace, head, entries).values()) == [MovedOn(0, 0)]


def test_a_newer_change_of_the_entry_makes_it_current_again(run: Hooks) -> None:
    entry_id = add(run, "The kestrel parser reads input line by line", "parser.py")
    commit(run.repo, "parser.py", "second\n")
    run.memory.change(entry_id, "body=It reads whole files now.")
    run.start()
    assert "#note:" not in run.prompt(ASKED).out


def test_a_history_that_was_rewritten_says_nothing(run: Hooks) -> None:
    add(run, "The kestrel parser reads input line by line", "parser.py")
    git(run.repo, "checkout", "-q", "--orphan", "fresh")
    commit(run.repo, "parser.py", "second\n")
    git(run.repo, "branch", "-q", "-D", "main")
    git(run.repo, "reflog", "expire", "--expire=now", "--all")
    git(run.repo, "gc", "-q", "--prune=now")
    ended = run.start()
    assert (ended.code, ended.err) == (0, "")
    shown = run.prompt(ASKED)
    assert shown.lines
    assert "#note:" not in shown.out


def test_commits_between_are_those_that_git_lists(run: Hooks) -> None:
    repo = run.repo
    base = git(repo, "rev-parse", "HEAD")
    git(repo, "checkout", "-q", "-b", "side")
    side = commit(repo, "reader.py", "side\n")
    git(repo, "checkout", "-q", "main")
    commit(repo, "parser.py", "main\n")
    git(repo, "merge", "-q", "--no-edit", "side")
    tip = commit(repo, "other.py", "after\n")
    objects = Objects(repo / ".git")
    for old, new in ((base, tip), (side, tip), (tip, base), (tip, side), (base, base)):
        listed = git(repo, "rev-list", f"{old}..{new}").split()
        found = [one.sha for one in commits_between(objects, old, new, 1000)]
        assert sorted(found) == sorted(listed)
    objects.close()


def test_entries_of_a_branch_that_is_not_merged_are_left_out_on_request(run: Hooks) -> None:
    git(run.repo, "checkout", "-q", "-b", "feature")
    commit(run.repo, "parser.py", "feature\n")
    entry_id = add(run, "The kestrel parser reads input line by line")
    git(run.repo, "checkout", "-q", "main")
    assert run.prompt(ASKED, session="off").lines
    with run.memory.open() as workspace:
        assert hidden_ids(workspace) == {entry_id}
        set_key(workspace, "retrieval.branch_scope", True)
    assert run.prompt(ASKED, session="main").lines == []
    git(run.repo, "checkout", "-q", "feature")
    assert run.prompt(ASKED, session="feature").lines
    git(run.repo, "checkout", "-q", "main")
    git(run.repo, "merge", "-q", "--no-ff", "--no-edit", "feature")
    assert run.prompt(ASKED, session="merged").lines
