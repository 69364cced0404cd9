"""gc: retired entries leave the tree after their grace period, one commit each; packs fold."""

from __future__ import annotations

from dataclasses import replace

from gitmem.features.answers import Collected
from gitmem.features.workspace import Workspace
from gitmem.model.times import DAY, format_time
from gitmem.store.ops import collect
from gitmem.store.ops.create import retired_since
from gitmem.store.snapshot import Stored
from gitmem.store.transaction import Transaction


def gc(workspace: Workspace, *, dry_run: bool = False) -> Collected:
    """Take away what was retired long enough ago. A dry run only says what that would be."""
    now = workspace.now

    def plan(txn: Transaction) -> Collected:
        removed: list[dict[str, str | None]] = []
        skipped: list[dict[str, str]] = []
        for one in list(txn.snapshot.entries(("retired",))):
            why = _why_not(txn, one, now)
            if why is not None:
                skipped.append({"target": str(one.address), "why": why})
                continue
            commit = None if dry_run else txn.apply(collect.collect(txn, one)).commit
            removed.append({"id": one.id, "target": str(one.address), "commit": commit})
        return Collected(dry_run, tuple(removed), tuple(skipped), txn.commit or "")

    if dry_run:
        return workspace.store.look(plan, workspace.origin())
    answer, written = workspace.write(plan)
    return replace(answer, packs=workspace.store.tidy(), warnings=written.warnings)


def _why_not(txn: Transaction, one: Stored, now: int) -> str | None:
    since = retired_since(txn, one.id)
    if since is None:
        return "no commit says when it was retired"
    if collect.is_due(txn, one, now):
        return None
    days = txn.snapshot.config.get("delete.grace_period_days")
    return f"retired at {format_time(since)}, stays until {format_time(since + days * DAY)}"
