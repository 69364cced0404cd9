"""A memory in a real repository, with a clock that tests turn, and what must always hold of it."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from gitmem.features import lifecycle, settings
from gitmem.features.answers import Answer
from gitmem.features.lifecycle import Request
from gitmem.features.starting import Wanted, init
from gitmem.features.workspace import Workspace
from gitmem.features.write.draft import Draft, draft_from_json
from gitmem.features.write.pipeline import Edit, NewEntry, create, update
from gitmem.git.objects import Objects
from gitmem.index.db import Index, memory_index
from gitmem.store.catchup import catch_up
from gitmem.store.store import Store

from tests.helpers import MEMORY, fsck, git, git_bytes, make_repository, run_git

START = 1_790_000_000
DAY = 86_400
AUTHOR = {"GIT_AUTHOR_NAME": "A. Writer", "GIT_AUTHOR_EMAIL": "writer@example.org"}

CONTENTS: dict[str, dict[str, Any]] = {
    "decision": {
        "status": "accepted",
        "context": "Reports need JSON queries.",
        "decision": "All services use PostgreSQL 16.",
        "alternatives": [{"option": "MySQL 8", "rejected_reason": "JSON queries were 4x slower."}],
        "rationale": ["The team knows it.", "It is fast enough."],
    },
    "runbook": {
        "trigger": "The queue is full.",
        "steps": ["Stop the producer.", "Drain the queue."],
        "verification": "The gauge falls.",
    },
    "constraint": {
        "kind": "policy",
        "severity": "high",
        "active": True,
        "rule": "No data leaves the region.",
        "impact": ["Backups stay local."],
    },
    "tech_debt": {
        "status": "open",
        "priority": "low",
        "description": "The parser is slow.",
        "reason_deferred": "Nobody waits for it.",
    },
    "preference": {
        "topic": "naming",
        "strength": "strong",
        "value": "Plain words.",
        "reason": "They are read more often than written.",
        "examples": {"prefer": ["entry"], "avoid": ["item"]},
    },
    "session_summary": {
        "outcome": "partial",
        "goal": "Make the build green.",
        "completed": ["Fixed two tests."],
        "next_actions": ["Fix the third."],
    },
    "note": {"body": "The printer is on floor 3."},
    "open_loop": {"status": "open", "body": "Ask about the budget."},
    "daily_log": {"date": "2026-11-18", "lines": ["Met the team."]},
    "procedure": {"body": "First this, then that."},
    "identity": {"body": "I answer briefly."},
    "entity": {"type": "service", "observations": ["Runs in two regions."]},
    "file": {"path": "notes/plan.txt", "body": "1. Begin"},
}
"""A valid content of each category."""


@pytest.fixture(scope="module", autouse=True)
def unsynced() -> Iterator[None]:
    """Nothing waits for the disk: for tests of what is written, not of when."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "fsync", lambda fd: None)
        yield


class Clock:
    """The time as tests set it."""

    def __init__(self, now: int = START) -> None:
        self.now = now

    def __call__(self) -> float:
        return float(self.now)

    def tick(self, seconds: int = 60) -> None:
        self.now += seconds


@dataclass(slots=True)
class Memory:
    """A store in a scratch repository."""

    repo: Path
    clock: Clock
    workspace: Workspace

    @property
    def store(self) -> Store:
        return self.workspace.store

    @property
    def tip(self) -> str:
        return self.store.tip

    def add(self, title: str, category: str = "note", **more: Any) -> Answer:
        """Create an entry; `tier`, `slug`, `reason` go to the request, the rest into the draft."""
        self.clock.tick()
        request = {key: more.pop(key) for key in ("tier", "slug", "reason") if key in more}
        return create(self.workspace, NewEntry(category, draft(title, category, **more), **request))

    def move(self, name: str, ref: str, reason: str = "", expect: str | None = None) -> Answer:
        """retire, restore, archive, unarchive, promote or demote."""
        self.clock.tick()
        request = Request(ref, reason, expect)
        if name == "restore":
            return lifecycle.restore(self.workspace, request)
        return lifecycle.move(self.workspace, name, request)

    def edit(self, ref: str, *fields: str, **more: Any) -> Answer:
        """Change single fields, given as name=value."""
        self.clock.tick()
        return update(self.workspace, Edit(ref, fields=fields, **more))

    def set(self, key: str, value: object) -> settings.SetKey:
        """Set a config key."""
        self.clock.tick()
        return settings.set_key(self.workspace, key, value)

    def reopened(self) -> Memory:
        """The same memory by a store of its own, as another process would see it."""
        return opened(self.repo, self.clock)

    def close(self) -> None:
        self.store.close()


def draft(title: str, category: str = "note", **more: Any) -> Draft:
    """A valid draft; keywords are put over its keys, None takes one away."""
    given = {"title": title, "tags": ["one"], "content": CONTENTS[category], **more}
    return draft_from_json({key: value for key, value in given.items() if value is not None})


def new_memory(repo: Path, clock: Clock | None = None, **wanted: Any) -> Memory:
    """A repository with one commit of code, and a memory in it."""
    if not repo.exists():
        make_repository(repo)
        (repo / "main.py").write_text("pass\n")
        git(repo, "add", "main.py")
        git(repo, "commit", "-q", "-m", "code")
    clock = clock or Clock()
    init(repo, AUTHOR, clock, Wanted(view=False, **wanted))
    return opened(repo, clock)


def opened(repo: Path, clock: Clock | None = None) -> Memory:
    """The memory of a repository that has one."""
    clock = clock or Clock()
    return Memory(repo, clock, Workspace(Store.open(repo, AUTHOR), clock, session="s-1"))


def tree_of(repo: Path, commit: str = MEMORY) -> dict[str, str]:
    """Path to mode and blob of every file, as git lists them."""
    listed = git_bytes(repo, "ls-tree", "-r", "-z", "--full-tree", commit).decode()
    found = {}
    for line in filter(None, listed.split("\0")):
        what, _, path = line.partition("\t")
        found[path] = what
    return found


def commits_of(repo: Path, ref: str = MEMORY) -> list[str]:
    """Every commit that a ref reaches, newest first."""
    return git(repo, "rev-list", ref).split()


def file_at(repo: Path, path: str, commit: str = MEMORY) -> str:
    return git_bytes(repo, "show", f"{commit}:{path}").decode()


def entry_text(entry_id: str, title: str, body: str = "By hand.", category: str = "note") -> str:
    """The file of an entry with a free body, as a person would write it."""
    return (
        f"---\nid: {entry_id}\ncategory: {category}\ntitle: {title}\n"
        f"created: 2026-11-18T07:12:03Z\ntags: [hand]\n---\n\n{body}\n"
    )


def index_content(index: Index) -> dict[str, list[tuple[Any, ...]]]:
    """What an index holds, without what depends on how it was built.

    Row numbers follow the order of building, and whether a change was verified, or its fields
    compared, depends on who asked.
    """
    queries = {
        "meta": "SELECT key, value FROM meta",
        "entries": "SELECT path, id, tier, folder, slug, blob, category, title, created, pinned,"
        " document, tags FROM entries",
        "problems": "SELECT path, why, line FROM problems",
        "commits": "SELECT sha, time, clock, op, category, title, reason, actor, session, source"
        " FROM commits",
        "parents": "SELECT c.sha, p.sha FROM parents x JOIN commits c ON c.seq = x.seq"
        " JOIN commits p ON p.seq = x.parent",
        "changes": "SELECT c.sha, h.id, h.path, h.from_path, h.tier, h.from_tier, h.folder, h.slug"
        " FROM changes h JOIN commits c ON c.seq = h.seq",
        "used": "SELECT u.session, u.id, u.count, c.sha FROM used u"
        " JOIN commits c ON c.seq = u.seq",
        "sessions": "SELECT session, clock FROM sessions",
        "recalled": "SELECT e.path, r.words FROM recalled r LEFT JOIN entries e USING (row)",
        "frequencies": "SELECT term, entries FROM frequencies",
        "totals": "SELECT entries, terms FROM totals WHERE entries",
        "origins": "SELECT o.id, m.session, o.place FROM origins o JOIN makers m USING (maker)",
    }
    content = {name: sorted(index.rows(query), key=repr) for name, query in queries.items()}
    content["terms"] = sorted(_terms(index))
    return content


def _terms(index: Index) -> list[tuple[Any, ...]]:
    """Which words the full-text table finds at which path."""
    stored = index.rows("SELECT words FROM recalled")
    words = {word for (line,) in stored for word in line.split()}
    found: list[tuple[Any, ...]] = []
    for word in words:
        for (path,) in index.rows(
            "SELECT e.path FROM terms t LEFT JOIN entries e ON e.row = t.rowid WHERE terms MATCH ?",
            (f'"{word}"',),
        ):
            found.append((word, str(path)))
    return found


def built_index(objects: Objects, tip: str) -> Index:
    """An index built from nothing."""
    index = memory_index()
    with index.writing():
        catch_up(index, objects, tip)
    return index


def assert_index_is_true(memory: Memory) -> None:
    """The index equals one that is built from the branch alone."""
    snapshot = memory.store.snapshot()
    assert snapshot.commit == memory.tip
    fresh = built_index(memory.store.objects, snapshot.commit)
    assert index_content(snapshot.index) == index_content(fresh)
    fresh.close()


def leftovers(repo: Path) -> list[str]:
    """Files that belong to a write under way: there are none between writes."""
    common = Path(git(repo, "rev-parse", "--path-format=absolute", "--git-common-dir"))
    found = [
        path
        for pattern in ("objects/pack/*.keep", "objects/pack/*.part", "refs/**/*.lock", "*.lock")
        for path in common.glob(pattern)
    ]
    return [path.relative_to(common).as_posix() for path in found]


def assert_sound(memory: Memory) -> None:
    """What holds after every write: git is content, the index true, nothing left behind."""
    assert fsck(memory.repo) == ""
    assert leftovers(memory.repo) == []
    assert_index_is_true(memory)


def code_state(repo: Path) -> dict[str, object]:
    """Everything of the user's repository that a memory must leave alone."""
    git_dir = repo / ".git"
    status = run_git(repo, ["status", "--porcelain=v1", "--untracked-files=all"])
    refs = git(repo, "for-each-ref", "--format=%(refname) %(objectname)").splitlines()
    ours = (MEMORY, "refs/gitmem/")
    return {
        "HEAD": (git_dir / "HEAD").read_bytes(),
        "index": (git_dir / "index").read_bytes() if (git_dir / "index").exists() else None,
        "refs": [line for line in refs if not line.startswith(ours)],
        "stash": git(repo, "stash", "list"),
        "status": status.stdout,
        "files": {
            path.relative_to(repo).as_posix(): path.read_bytes()
            for path in sorted(repo.rglob("*"))
            if path.is_file() and ".git" not in path.relative_to(repo).parts
        },
    }
