"""Brings the index from the commit that it reflects to another one.

A step forward costs what has changed since; a cold build takes history from the trailers, which
claim, and compares trees only where there are none. Rows that rest on a claim are marked, and
`verify_commit` looks before anything is decided by one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from gitmem.document.message import Message, parse_message
from gitmem.git.commits import new_commits
from gitmem.git.objects import Commit, Objects, TreeItem
from gitmem.git.tree import diff_trees, lookup, walk_files
from gitmem.index import queries, rows
from gitmem.index.db import Index
from gitmem.store.compare import (
    BadFile,
    claimed_changes,
    commit_row,
    compared_changes,
    read_file,
)
from gitmem.store.layout import CONFIG_PATH

COLD = 200
"""From this many new commits on, trailers are believed first and checked when it matters."""

Progress = Callable[[int, int], None]
"""Called with steps done and steps in all, now and then."""


def catch_up(index: Index, objects: Objects, tip: str, progress: Progress | None = None) -> None:
    """Make the index reflect `tip`; a transaction on the index must be open."""
    at = index.commit
    if at == tip:
        return
    reached: set[str] = set()

    def known(sha: str) -> bool:
        row = queries.commit_named(index, sha) if at else None
        if row is not None:
            reached.add(sha)
        return row is not None

    commits = new_commits(objects, [tip], known)
    if at is not None and at not in reached:
        # The branch was rewound or rewritten: what the index holds isn't its past.
        index.clear()
        at, commits = None, new_commits(objects, [tip], lambda sha: False)
    _add_history(index, objects, commits, progress)
    _update_entries(index, objects, at, tip)
    config = lookup(objects, objects.commit(tip).tree, CONFIG_PATH)
    text = objects.blob(config.sha).decode("utf-8", "replace") if config else "{}"
    index.set_meta("config", text)
    index.set_meta("commit", tip)


def _add_history(
    index: Index, objects: Objects, commits: Sequence[Commit], progress: Progress | None
) -> None:
    cold = len(commits) >= COLD
    for done, commit in enumerate(commits):
        message = parse_message(commit.message)
        changes = claimed_changes(message) if cold and len(commit.parents) == 1 else None
        if changes is None:
            changes = compared_changes(objects, commit)
        seq = rows.add_commit(
            index, commit_row(commit.sha, commit.time, commit.parents, message), changes
        )
        add_usage(index, seq, message)
        if progress and done % 1000 == 0:
            progress(done, len(commits))


def add_usage(index: Index, seq: int, message: Message) -> None:
    """Record what a usage commit says that its session used."""
    session = message.first("Gitmem-Session")
    if message.first("Gitmem-Op") != ("usage",) or not session:
        return
    counts: list[tuple[str, int]] = []
    for words in message.every("Gitmem-Used"):
        if len(words) == 2 and words[1].isascii() and words[1].isdigit():
            counts.append((words[0], int(words[1])))
    rows.add_usage(index, seq, session[0], counts)


def _update_entries(index: Index, objects: Objects, at: str | None, tip: str) -> None:
    new = objects.commit(tip).tree
    if at is None:
        for path, item in walk_files(objects, new):
            put_file(index, objects, path, item)
        return
    for diff in diff_trees(objects, objects.commit(at).tree, new):
        if diff.new is None:
            rows.remove_path(index, diff.path)
        else:
            put_file(index, objects, diff.path, diff.new)


def put_file(index: Index, objects: Objects, path: str, item: TreeItem) -> None:
    """Record what a file of the tree holds: an entry, a problem, or nothing of ours."""
    found = read_file(objects, path, item)
    if isinstance(found, rows.EntryRow):
        rows.put_entry(index, found)
    elif isinstance(found, BadFile):
        rows.put_problem(index, path, found.why, found.line)


def entries_only(objects: Objects, index: Index, commit: str, lent: Index) -> None:
    """Fill an empty index with the entries at a commit, reusing what `lent` knows of the blobs."""
    for path, item in walk_files(objects, objects.commit(commit).tree):
        known = queries.entry_at(lent, path)
        if known is not None and known.blob == item.sha:
            rows.copy_entry(index, lent, path)
        else:
            put_file(index, objects, path, item)


def verify_commit(index: Index, objects: Objects, sha: str) -> None:
    """Replace what a commit's trailers claim by what its trees say."""
    commit = queries.commit_named(index, sha)
    if commit is not None and queries.unverified(index, sha):
        changes = compared_changes(objects, objects.commit(sha))
        rows.replace_changes(index, commit.seq, changes)
