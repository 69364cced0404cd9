"""update: new bytes for one entry, under a new slug where its title became another one."""

from __future__ import annotations

from gitmem.model.categories import ACTIVE, TIERS
from gitmem.model.difference import field_changes
from gitmem.model.entry import Entry
from gitmem.model.errors import UpdateError
from gitmem.store.change import Change, Touched
from gitmem.store.layout import Address, new_path
from gitmem.store.snapshot import Stored
from gitmem.store.transaction import Transaction


def require_active(one: Stored, what: str) -> None:
    """Retired and archived entries stay as they are."""
    if one.address.tier in ACTIVE:
        return
    state, back = ("retired", "restore") if one.tier == "retired" else ("archived", "unarchive")
    raise UpdateError(
        f"{one.address} is {state}; {what} needs it active",
        got=one.address.tier,
        fix=f"run `gitmem {back} {one.id}` first",
        target=str(one.address),
    )


def edit(
    txn: Transaction,
    op: str,
    one: Stored,
    old: Entry,
    new: Entry,
    *,
    slug: str | None = None,
    reason: str = "",
    warnings: tuple[str, ...] = (),
) -> Change:
    """A commit that writes `new` in the place of `old`; with `slug`, under another name."""
    path = one.path
    files: dict[str, Entry | None] = {}
    if slug is not None:
        path = new_path(Address(one.address.tier, one.address.folder, slug), txn.snapshot.listing)
        files[one.path] = None
    files[path] = new
    touched = Touched(
        one.id,
        one.category,
        new.title,
        path,
        one.path if slug is not None else None,
        field_changes(old, new),
    )
    return Change(op=op, files=files, touched=(touched,), reason=reason, warnings=warnings)


def slug_is_free(txn: Transaction, one: Stored, slug: str) -> bool:
    """Can the entry take this slug? One of any tier in its folder blocks it."""
    return not txn.snapshot.is_taken(one.address.folder, slug, TIERS)
