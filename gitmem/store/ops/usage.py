"""usage: which entries a session was shown; the tree stays as it is, one commit a session."""

from __future__ import annotations

from collections.abc import Iterable

from gitmem.index import queries
from gitmem.store.change import Change
from gitmem.store.transaction import Transaction

ONCE = 1
"""An entry counts once in a session, however often it was shown."""


def tell(txn: Transaction, session: str, ids: Iterable[str]) -> Change | None:
    """The commit that tells of a session; None where the branch knows all of it already."""
    known = queries.used_by(txn.snapshot.record, session)
    if known is not None and known.issuperset(ids):
        return None
    # What an earlier commit of the session told is said again: age counts from the last commit
    # that names an entry, and the session isn't later than itself.
    every = sorted({*ids, *(known or ())})
    return Change(op="usage", used=tuple((entry_id, ONCE) for entry_id in every))
