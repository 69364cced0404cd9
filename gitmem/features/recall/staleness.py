"""Where the code moved on: which entries speak of files that changed since they were written.

Derived from git alone: the code's commit at an entry's last change (`Gitmem-Code`) against the
code's commit now. Computed off the hook's path, kept per version of the entry and commit of the
code in `state.db`; the hook only looks it up.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from gitmem.features.recall.scope import code_of, hidden_ids
from gitmem.features.workspace import Workspace
from gitmem.git.between import commits_between, paths_between, paths_of
from gitmem.git.glance import code_head
from gitmem.git.objects import Commit, Objects
from gitmem.index import queries
from gitmem.index.queries import FoundEntry
from gitmem.index.sessions import MOVED_ON, SCOPE
from gitmem.model.errors import GitmemError

MOST_COMMITS = 2_000
"""Further back nobody counts: the entry is old enough."""
MOST_HEADS = 8
"""Of so many commits of the code what was computed is kept: work trees have one each."""


@dataclass(frozen=True, slots=True)
class MovedOn:
    """So many of an entry's files changed, in so many commits of the code."""

    files: int
    commits: int


def is_current(workspace: Workspace) -> bool:
    """Is what the hook looks up computed for the code and the memory as they are?"""
    at = _position(workspace)
    if at is None:
        return True
    snapshot = workspace.snapshot()
    with workspace.store.state.sessions() as sessions:
        wanted = [(MOVED_ON, at[0])]
        if snapshot.config.get("retrieval.branch_scope"):
            wanted.append((SCOPE, ":".join(at)))
        return all(sessions.computed(*one) == snapshot.commit for one in wanted)


def refresh(workspace: Workspace) -> None:
    """Compute what the hook will look up, unless that was done."""
    at = _position(workspace)
    if at is None or is_current(workspace):
        return
    snapshot, head = workspace.snapshot(), at[0]
    with workspace.store.state.sessions() as sessions:
        known = sessions.known_blobs(head)
    entries = queries.entries_with_files(snapshot.index)
    found = moved_on(workspace, head, [one for one in entries if one.blob not in known])
    scoped = bool(snapshot.config.get("retrieval.branch_scope"))
    hidden = hidden_ids(workspace) if scoped else frozenset()
    with workspace.store.state.sessions() as sessions:
        sessions.drop_computed(head, MOST_HEADS)
        rows = {blob: (one.files, one.commits) for blob, one in found.items()}
        sessions.put_moved_on(head, rows)
        sessions.set_computed(MOVED_ON, head, snapshot.commit)
        if scoped:
            sessions.put_out_of_scope(":".join(at), hidden)
            sessions.set_computed(SCOPE, ":".join(at), snapshot.commit)


def moved_on(
    workspace: Workspace, head: str, entries: Sequence[FoundEntry]
) -> Mapping[str, MovedOn]:
    """By blob: how far the code has moved on since each of these entries was written."""
    objects = workspace.store.objects
    index = workspace.snapshot().index
    history = _History(objects, head)
    found: dict[str, MovedOn] = {}
    for one in entries:
        files = _files(one)
        sha = queries.newest_commit(index, one.id) if files else None
        code, _ = code_of(objects, sha) if sha else ("", "")
        found[one.blob] = history.since(code, files) if code else MovedOn(0, 0)
    return found


class _History:
    """What happened in the code up to `head`; each commit is looked at once."""

    def __init__(self, objects: Objects, head: str) -> None:
        self._objects = objects
        self._head = head
        self._differing: dict[str, frozenset[str]] = {}
        self._commits: dict[str, list[Commit]] = {}
        self._paths: dict[str, frozenset[str]] = {}

    def since(self, code: str, files: frozenset[str]) -> MovedOn:
        """How many of these files differ from what they were at `code`, and by how many commits."""
        objects = self._objects
        try:
            if code not in self._differing:
                self._differing[code] = paths_between(objects, code, self._head)
            changed = files & self._differing[code]
            if not changed:
                return MovedOn(0, 0)
            if code not in self._commits:
                self._commits[code] = commits_between(objects, code, self._head, MOST_COMMITS)
            times = sum(1 for one in self._commits[code] if changed & self._changed(one))
        except GitmemError:
            # A commit that was rebased away, or that a shallow clone left out: nothing is known.
            return MovedOn(0, 0)
        return MovedOn(len(changed), max(times, 1))

    def _changed(self, commit: Commit) -> frozenset[str]:
        if commit.sha not in self._paths:
            self._paths[commit.sha] = paths_of(self._objects, commit)
        return self._paths[commit.sha]


def _position(workspace: Workspace) -> tuple[str, str] | None:
    """The code's commit and branch; None where there is no code."""
    location = workspace.store.location
    head, branch = code_head(str(location.git_dir), str(location.common_dir))
    if not head or f"refs/heads/{branch}" == workspace.store.branch.ref:
        return None
    return head, branch


def _files(one: FoundEntry) -> frozenset[str]:
    named = json.loads(one.document).get("related_files") or ()
    return frozenset(path for path in named if isinstance(path, str) and path)
