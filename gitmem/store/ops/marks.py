"""Marks in the frontmatter: pin, snooze, review, appreciate, supersede. One key, one commit."""

from __future__ import annotations

from dataclasses import replace

from gitmem.model.entry import Entry
from gitmem.model.errors import UpdateError, ValidationError
from gitmem.model.times import format_time
from gitmem.store.change import Change
from gitmem.store.ops.moves import Unchanged
from gitmem.store.ops.update import edit, require_active
from gitmem.store.snapshot import Stored
from gitmem.store.transaction import Transaction

NO_SUCCESSOR = "none"
_MOST_APPRECIATION = 1_000_000


def pin(txn: Transaction, one: Stored, pinned: bool, reason: str = "") -> Change | Unchanged:
    """Protect an entry from upkeep, or no longer."""
    op = "pin" if pinned else "unpin"
    require_active(one, op)
    old = txn.snapshot.blob_entry(one)
    if old.pinned == pinned:
        return Unchanged("already_pinned" if pinned else "already_unpinned")
    return edit(txn, op, one, old, replace(old, pinned=pinned), reason=reason)


def snooze(
    txn: Transaction, one: Stored, until: int, now: int, reason: str = ""
) -> Change | Unchanged:
    """Leave an entry alone until a moment."""
    require_active(one, "snooze")
    if until <= now:
        raise ValidationError(
            f"{format_time(until)} is past",
            field="snoozed_until",
            expected="a moment to come",
            got=format_time(until),
            fix="name a later one, such as --days 30",
        )
    old = txn.snapshot.blob_entry(one)
    if old.snoozed_until == format_time(until):
        return Unchanged("already_snoozed")
    new = replace(old, snoozed_until=format_time(until))
    return edit(txn, "snooze", one, old, new, reason=reason)


def review(txn: Transaction, one: Stored, now: int, reason: str = "") -> Change | Unchanged:
    """Say that an entry was looked at and still holds."""
    require_active(one, "review")
    old = txn.snapshot.blob_entry(one)
    if old.reviewed == format_time(now):
        return Unchanged("already_reviewed")
    return edit(txn, "review", one, old, replace(old, reviewed=format_time(now)), reason=reason)


def appreciate(txn: Transaction, one: Stored, amount: int, reason: str = "") -> Change:
    """Raise (or lower) the bonus that keeps an entry from being forgotten."""
    require_active(one, "appreciate")
    old = txn.snapshot.blob_entry(one)
    total = old.appreciation + amount
    if amount == 0 or abs(total) > _MOST_APPRECIATION:
        raise ValidationError(
            f"appreciation can't change by {amount}",
            field="appreciation",
            expected=f"a whole number that isn't 0, the sum at most {_MOST_APPRECIATION}",
            got=amount,
            fix="use 1",
        )
    return edit(txn, "appreciate", one, old, replace(old, appreciation=total), reason=reason)


def supersede(
    txn: Transaction, one: Stored, successor: Stored | None, reason: str = ""
) -> Change | Unchanged:
    """Say that an entry holds no longer, and which one holds instead. Edits the old one only."""
    if one.address.tier == "retired":
        require_active(one, "supersede")
    if successor is not None and successor.id == one.id:
        raise UpdateError(
            f"{one.address} can't supersede itself", fix="name another entry as its successor"
        )
    by = successor.id if successor else NO_SUCCESSOR
    old = txn.snapshot.blob_entry(one)
    if old.superseded_by == by:
        return Unchanged("already_superseded")
    new = replace(old, superseded_by=by, content=_superseded_content(old))
    return edit(txn, "supersede", one, old, new, reason=reason)


def _superseded_content(old: Entry) -> dict[str, object]:
    content = dict(old.content)
    if old.category == "decision":
        content["status"] = "superseded"
    return content
