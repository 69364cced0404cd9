"""Moves between tiers: one table. A move is a pure rename: the bytes never change (I3)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from gitmem.model.categories import ACTIVE, GRAPH_FOLDER, Tier
from gitmem.model.errors import (
    ArchiveError,
    DeleteError,
    GitmemError,
    RestoreError,
    UnarchiveError,
    UpdateError,
)
from gitmem.store.change import Blob, Change, Touched
from gitmem.store.layout import new_path
from gitmem.store.ops.create import free_slug
from gitmem.store.snapshot import Stored
from gitmem.store.transaction import Transaction


@dataclass(frozen=True, slots=True)
class Unchanged:
    """Nothing to do: the state is as asked. `status` says so (`already_retired`)."""

    status: str


@dataclass(frozen=True, slots=True)
class Move:
    """Where a move starts and ends. `to` None: the tier that the entry left."""

    starts: tuple[Tier, ...]
    to: Tier | None
    done: str
    already: Mapping[Tier, str]
    error: type[GitmemError]
    fix: Mapping[Tier, str]


MOVES: dict[str, Move] = {
    "retire": Move(
        ACTIVE,
        "retired",
        "retired",
        {"retired": "already_retired"},
        DeleteError,
        {"archive": "unarchive it first"},
    ),
    "restore": Move(
        ("retired",),
        None,
        "restored",
        {"working": "already_active", "register": "already_active"},
        RestoreError,
        {"archive": "it is archived, not retired: use `gitmem unarchive`"},
    ),
    "archive": Move(
        ACTIVE,
        "archive",
        "archived",
        {"archive": "already_archived"},
        ArchiveError,
        {"retired": "restore it first"},
    ),
    "unarchive": Move(
        ("archive",),
        None,
        "unarchived",
        {},
        UnarchiveError,
        {
            "working": "it is active already",
            "register": "it is active already",
            "retired": "it is retired, not archived: use `gitmem restore`",
        },
    ),
    "promote": Move(
        ("register",),
        "working",
        "promoted",
        {"working": "already_working"},
        UpdateError,
        {"archive": "unarchive it first", "retired": "restore it first"},
    ),
    "demote": Move(
        ("working",),
        "register",
        "demoted",
        {"register": "already_register"},
        UpdateError,
        {"archive": "unarchive it first", "retired": "restore it first"},
    ),
}


def move(txn: Transaction, name: str, one: Stored, reason: str = "") -> Change | Unchanged:
    """A commit that moves an entry, or the answer that it lies there already."""
    rule = MOVES[name]
    tier = one.address.tier
    if tier in rule.already:
        return Unchanged(rule.already[tier])
    if tier not in rule.starts:
        raise rule.error(
            f"{one.address} can't be {rule.done}",
            expected=" or ".join(rule.starts),
            got=tier,
            fix=rule.fix[tier],
            target=str(one.address),
        )
    to = rule.to or left_tier(txn, one)
    if to == "working" and one.address.folder == GRAPH_FOLDER:
        raise rule.error(
            f"{one.address} is an entity: those are never in working memory",
            fix="leave it where it is; recall finds it",
        )
    return moved(txn, name, one, to, reason)


def moved(txn: Transaction, op: str, one: Stored, to: Tier, reason: str) -> Change:
    """The commit that brings an entry into another tier."""
    address = one.address.in_tier(to)
    if txn.snapshot.is_taken(address.folder, address.slug, (to,)):
        # Only plain git makes two of one slug; neither may be lost.
        address = address._replace(slug=free_slug(txn, address.folder, address.slug))
    path = new_path(address, txn.snapshot.listing)
    return Change(
        op=op,
        files={one.path: None, path: Blob(one.blob)},
        touched=(Touched(one.id, one.category, one.title, path, one.path),),
        reason=reason,
    )


def left_tier(txn: Transaction, one: Stored) -> Tier:
    """The tier that an entry was in before it came into the one it is in now."""
    for row in reversed(txn.snapshot.history(one.id)):
        if row.tier == one.address.tier and row.from_tier in ACTIVE:
            return "working" if row.from_tier == "working" else "register"
    return "register"
