"""Undo of one change, or of everything that a session did: inverse commits, all or none."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from gitmem.features.answers import Undone
from gitmem.features.workspace import Workspace
from gitmem.index import queries
from gitmem.model.errors import NotFound, UpdateError
from gitmem.store.ops.undo import undo
from gitmem.store.transaction import Transaction

_NOT_CHANGES = frozenset({"usage", "consolidate", "forget", "validate", "merge", "undo"})


def undo_commit(workspace: Workspace, commit: str, reason: str = "") -> Undone:
    """Take back one commit."""

    def plan(txn: Transaction) -> Undone:
        sha = workspace.commit_named(txn.snapshot, commit)
        made = txn.apply(undo(txn, sha, reason))
        return Undone((sha,), (made.commit,), tuple(one.id for one in made.change.touched))

    return _run(workspace, plan)


def undo_session(workspace: Workspace, session: str, reason: str = "") -> Undone:
    """Take back what a session did, newest first; nothing at all where one step is refused."""

    def plan(txn: Transaction) -> Undone:
        index = txn.snapshot.record
        taken_back = {sha for one in _undos(txn) for sha in one}
        commits = [
            one.sha
            for one in queries.log(index, session=session)
            if one.op not in _NOT_CHANGES and one.sha not in taken_back
        ]
        if not commits:
            known = any(queries.log(index, session=session, limit=1))
            problem = UpdateError if known else NotFound
            raise problem(
                f"session {session} has no change that could be undone",
                got=session,
                fix="`gitmem log` shows the session of each commit",
            )
        made = [txn.apply(undo(txn, sha, reason)) for sha in commits]
        ids = dict.fromkeys(one.id for each in made for one in each.change.touched)
        return Undone(tuple(commits), tuple(one.commit for one in made), tuple(ids))

    return _run(workspace, plan)


def _undos(txn: Transaction) -> list[tuple[str, ...]]:
    """What earlier undo commits took back."""
    from gitmem.document.message import parse_message

    found: list[tuple[str, ...]] = []
    for one in queries.log(txn.snapshot.record, op="undo"):
        message = parse_message(txn.objects.commit(one.sha).message)
        found.append(tuple(words[0] for words in message.every("Gitmem-Undoes")))
    return found


def _run(workspace: Workspace, plan: Callable[[Transaction], Undone]) -> Undone:
    answer, written = workspace.write(plan)
    return replace(answer, warnings=written.warnings)
