"""One file per kind of change: check its rules against a transaction's state, return a Change.

An operation decides everything from the transaction and never writes; `transaction.apply` does.
To add one: write the file, list it here.
"""

from __future__ import annotations

OPERATIONS: dict[str, str] = {
    "create": "gitmem.store.ops.create",
    "update": "gitmem.store.ops.update",
    "retire": "gitmem.store.ops.moves",
    "restore": "gitmem.store.ops.moves",
    "archive": "gitmem.store.ops.moves",
    "unarchive": "gitmem.store.ops.moves",
    "promote": "gitmem.store.ops.moves",
    "demote": "gitmem.store.ops.moves",
    "pin": "gitmem.store.ops.marks",
    "unpin": "gitmem.store.ops.marks",
    "snooze": "gitmem.store.ops.marks",
    "review": "gitmem.store.ops.marks",
    "appreciate": "gitmem.store.ops.marks",
    "supersede": "gitmem.store.ops.marks",
    "gc": "gitmem.store.ops.collect",
    "config": "gitmem.store.ops.settings",
    "undo": "gitmem.store.ops.undo",
    "usage": "gitmem.store.ops.usage",
    "repair": "gitmem.store.ops.repair",
}
"""Every operation and the module that holds its rules; listing them imports nothing."""
