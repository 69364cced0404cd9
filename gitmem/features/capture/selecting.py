"""The candidate for new information, among the active entries of a store."""

from __future__ import annotations

import json
from typing import Any

from gitmem.features.capture.candidate import Excerpt, Row, Verdict, key_fields, select
from gitmem.features.workspace import Workspace
from gitmem.index.search import Found, TermSource
from gitmem.model.categories import Category
from gitmem.model.entry import entry_from_dict
from gitmem.model.errors import UsageError
from gitmem.store.layout import Address
from gitmem.store.snapshot import Snapshot


def candidate(
    workspace: Workspace, category: str, new_info: str, lifecycle_event: str | None = None
) -> dict[str, Any]:
    """Which entry of a category new information is about, and what may be done with it."""
    snapshot = workspace.snapshot()
    kind = snapshot.config.category(category)
    if kind is None:
        raise UsageError(
            f"there is no category {category!r}",
            field="category",
            expected=", ".join(snapshot.config.categories()),
            got=category,
            fix="use one of them",
        )
    found = {one.path: one for one in TermSource(snapshot.index, category=category).all_entries()}
    rows = (Row(path, one.title, _tags(one)) for path, one in found.items())
    verdict = select(category, new_info, rows, lifecycle_event)
    chosen = found[verdict.candidate.path] if verdict.candidate else None
    return {**_answer(snapshot, verdict, chosen, kind), "commit": snapshot.commit}


def without_store(category: str, new_info: str, lifecycle_event: str | None) -> dict[str, Any]:
    """The answer where there is no memory yet: nothing can be a candidate."""
    return select(category, new_info, (), lifecycle_event).to_json()


def _answer(
    snapshot: Snapshot, verdict: Verdict, chosen: Found | None, kind: Category
) -> dict[str, Any]:
    if chosen is None:
        return verdict.to_json()
    entry = entry_from_dict(json.loads(chosen.document))
    excerpt = Excerpt(
        title=entry.title,
        record_status="active",
        tags=entry.tags,
        last_change_summary=_last_change(snapshot, chosen.id),
        key_fields=key_fields(kind, entry.content),
    )
    address = Address(chosen.tier, chosen.folder, chosen.slug)
    return verdict.to_json(excerpt, id=chosen.id, target=str(address), slug=chosen.slug)


def _last_change(snapshot: Snapshot, entry_id: str) -> str:
    later = [row.commit for row in snapshot.history(entry_id) if row.from_path is not None]
    return later[-1].reason or later[-1].op if later else "Initial creation"


def _tags(one: Found) -> tuple[str, ...]:
    return tuple(one.tags.lower().split("\n"))
