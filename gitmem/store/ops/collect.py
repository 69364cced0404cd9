"""gc: takes one retired entry out of the tree after its grace period; history keeps it."""

from __future__ import annotations

from gitmem.model.times import DAY
from gitmem.store.change import Change, Touched
from gitmem.store.ops.create import retired_since
from gitmem.store.ops.moves import moved
from gitmem.store.snapshot import Stored
from gitmem.store.transaction import Transaction


def is_due(txn: Transaction, one: Stored, now: int) -> bool:
    """Is the grace period of a retired entry over?"""
    since = retired_since(txn, one.id)
    days = txn.snapshot.config.get("delete.grace_period_days")
    return since is not None and now - since >= days * DAY


def collect(txn: Transaction, one: Stored) -> Change:
    """The commit that takes a retired entry away, or archives it where config says so."""
    if txn.snapshot.config.get("delete.archive_retired"):
        return moved(txn, "gc", one, "archive", "retired, past its grace period")
    return Change(
        op="gc",
        files={one.path: None},
        touched=(Touched(one.id, one.category, one.title, one.path),),
        reason="retired, past its grace period",
    )
