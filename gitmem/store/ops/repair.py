"""repair: an id that a hand-made copy uses twice; the copy gets a new one before the next write."""

from __future__ import annotations

import os
from dataclasses import replace

from gitmem.index import queries
from gitmem.model.slug import new_id
from gitmem.store.change import Change, Touched
from gitmem.store.snapshot import Stored, stored
from gitmem.store.transaction import Transaction


def repair_copied_ids(txn: Transaction) -> None:
    """Give every copy an id of its own, in one commit; nothing to do in a sound store."""
    copies: list[Stored] = []
    for entry_id in queries.duplicate_ids(txn.snapshot.index):
        claims = [stored(row) for row in queries.entries_with_id(txn.snapshot.index, entry_id)]
        first = _original(txn, claims)
        copies += [one for one in claims if one.path != first.path]
    if copies:
        txn.apply(_renumbered(txn, copies))


def _original(txn: Transaction, claims: list[Stored]) -> Stored:
    """The file to which the entry's own way leads; without a history the first by its address."""
    by_path = {one.path: one for one in claims}
    at: str | None = None
    for row in txn.snapshot.history(claims[0].id):
        # A copy comes from nowhere while the entry lies somewhere else.
        if row.from_path == at:
            at = row.path
    if at is not None and at in by_path:
        return by_path[at]
    return min(claims, key=lambda one: (one.address.folder, one.address.slug, one.path))


def _renumbered(txn: Transaction, copies: list[Stored]) -> Change:
    files, touched = {}, []
    for one in copies:
        fresh = replace(txn.snapshot.blob_entry(one), id=unused_id(txn))
        files[one.path] = fresh
        touched.append(Touched(fresh.id, one.category, one.title, one.path))
    return Change(
        op="repair",
        files=files,
        touched=tuple(touched),
        reason="a copied file had the id of another entry",
    )


def unused_id(txn: Transaction) -> str:
    """A random id that this store never held."""
    while queries.id_was_held(txn.snapshot.record, fresh := new_id(os.urandom)):
        pass
    return fresh
