"""create: a new entry at a free slug, unless one of that slug was retired a moment ago."""

from __future__ import annotations

from itertools import count

from gitmem.index import queries
from gitmem.model.categories import GRAPH_FOLDER, TIERS, Tier
from gitmem.model.entry import Entry
from gitmem.model.errors import AntiResurrectionError, UpdateError, ValidationError
from gitmem.model.slug import numbered, slug_for, slugify
from gitmem.model.times import format_time
from gitmem.store.change import Change, Touched
from gitmem.store.layout import Address, new_path
from gitmem.store.transaction import Transaction

RESURRECTION_SECONDS = 24 * 3600


def create(
    txn: Transaction,
    entry: Entry,
    tier: Tier,
    *,
    now: int,
    slug: str | None = None,
    reason: str = "",
    imported: tuple[str, ...] = (),
    resurrect: bool = False,
) -> Change:
    """A commit that brings `entry` into being; with `resurrect`, also a slug just retired."""
    folder = folder_of(txn, entry.category)
    if folder == GRAPH_FOLDER and tier == "working":
        raise UpdateError(
            "entities are never in working memory", fix="leave the tier out: it is register"
        )
    wanted = _checked_slug(slug) if slug else slug_for(entry.title, entry.id)
    if not resurrect:
        refuse_resurrection(txn, folder, wanted, now)
    address = Address(tier, folder, free_slug(txn, folder, wanted))
    path = new_path(address, txn.snapshot.listing)
    return Change(
        op="create",
        files={path: entry},
        touched=(Touched(entry.id, entry.category, entry.title, path),),
        reason=reason,
        imported=imported,
    )


def folder_of(txn: Transaction, category: str) -> str:
    """The folder of a category of this store."""
    found = txn.snapshot.config.category(category)
    if found is None:
        names = ", ".join(txn.snapshot.config.categories())
        raise ValidationError(
            f"there is no category {category!r}",
            field="category",
            expected=names,
            got=category,
            fix="use one of them, or declare one with"
            f" `gitmem config set categories.{slugify(category) or 'name'}.folder FOLDER`",
        )
    return found.folder


def free_slug(txn: Transaction, folder: str, slug: str) -> str:
    """The slug itself, or the first of `slug-2`, `slug-3` … that no tier holds."""
    for n in count(1):
        candidate = slug if n == 1 else numbered(slug, n)
        if not txn.snapshot.is_taken(folder, candidate, TIERS):
            return candidate
    raise AssertionError("unreachable")


def refuse_resurrection(txn: Transaction, folder: str, slug: str, now: int) -> None:
    """An entry that was retired less than 24 hours ago doesn't come back by a create."""
    newest: dict[str, queries.HistoryRow] = {}
    for row in txn.history_of_slug(folder, slug):
        newest[row.id] = row
    for row in newest.values():
        # The tier that it lies in, or lay in when gc took it away.
        tier = row.from_tier if row.path is None else row.tier
        since = retired_since(txn, row.id) if tier == "retired" else None
        if since is not None and now - since < RESURRECTION_SECONDS:
            at = format_time(since)
            raise AntiResurrectionError(
                f"{folder}/{slug} was retired at {at}, less than 24 hours ago",
                field="slug",
                got=slug,
                fix=f"restore it with `gitmem restore {row.id}` and update it, "
                "use another title, or wait",
                target=f"retired/{folder}/{slug}",
                retired_at=at,
            )


def retired_since(txn: Transaction, entry_id: str) -> int | None:
    """When an entry was retired, by a commit whose trees were compared; None: nobody knows."""
    for row in reversed(txn.verified_history(entry_id)):
        if row.tier == "retired" and row.from_tier != "retired":
            return row.commit.time
    return None


def _checked_slug(slug: str) -> str:
    if slugify(slug) != slug or slug_for(slug, "") != slug:
        raise ValidationError(
            f"{slug!r} is no slug",
            field="slug",
            expected="lower-case letters, digits and single dashes, at most 80 characters",
            got=slug,
            fix=f"use {slugify(slug)!r}" if slugify(slug) else "leave --slug out",
        )
    return slug
