"""Search: a query in, the best entries out, each with the part of its text that fits.

Never abstains: whatever matches at all is a hit. Only the recall hook keeps silent.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

from gitmem.features.recall.finding import Ask, find
from gitmem.features.snippets import snippet, words_of
from gitmem.features.workspace import Workspace
from gitmem.index.search import Found, TermSource
from gitmem.model.categories import ACTIVE
from gitmem.model.entry import entry_from_dict
from gitmem.model.errors import UsageError
from gitmem.model.prose import prose
from gitmem.store.layout import Address
from gitmem.store.snapshot import Snapshot

STRATEGY_KEY = "retrieval.match_strategy"


@dataclass(frozen=True, slots=True)
class Hits:
    """What a search found at a commit, best first."""

    commit: str
    hits: tuple[dict[str, Any], ...]


def search(
    workspace: Workspace,
    query: str,
    *,
    limit: int = 10,
    strategy: str | None = None,
    content: bool | None = None,
    category: str | None = None,
    include_retired: bool = False,
    archived: bool = False,
    explain: bool = False,
    at: str | None = None,
    branch: bool = False,
) -> Hits:
    """The best entries for a query; active ones, unless others are asked for.

    `strategy` and `content` are the store's unless told. `branch` leaves out what was learned on
    branches of the code that aren't merged into the current one.
    """
    snapshot = workspace.snapshot(at)
    config = snapshot.config
    hide: frozenset[str] = frozenset()
    if branch:
        from gitmem.features.recall.scope import hidden_ids

        hide = hidden_ids(workspace)
    _require_category(snapshot, category)
    tiers = [*ACTIVE, *(["retired"] if include_retired else []), *(["archive"] if archived else [])]
    source = TermSource(snapshot.index, tiers, hide=hide, category=category)
    ask = Ask(
        query,
        source,
        limit,
        now=workspace.now,
        changed=lambda entry_id: _changed(snapshot, entry_id),
        descriptions=descriptions_of(snapshot),
        content=bool(config.get("retrieval.content")) if content is None else content,
        explain=explain,
    )
    hits = find(ask, strategy or config.get(STRATEGY_KEY))
    entries = source.entries([hit.row for hit in hits])
    words = words_of(query)
    shown = (_hit_json(entries[hit.row], hit.score, hit.why, words, explain) for hit in hits)
    return Hits(snapshot.commit, tuple(shown))


def descriptions_of(snapshot: Snapshot) -> dict[str, str]:
    """What the store's configuration says of its categories."""
    config = snapshot.config
    told = {name: config.get(f"categories.{name}.description") for name in config.categories()}
    return {name: text for name, text in told.items() if text}


def _require_category(snapshot: Snapshot, category: str | None) -> None:
    if category is not None and snapshot.config.category(category) is None:
        raise UsageError(
            f"there is no category {category!r}",
            field="category",
            expected=", ".join(snapshot.config.categories()),
            got=category,
            fix="use one of them",
        )


def _changed(snapshot: Snapshot, entry_id: str) -> float:
    rows = snapshot.history(entry_id)
    return float(rows[-1].commit.time) if rows else 0.0


def _hit_json(
    found: Found, score: float, why: Sequence[str], words: Collection[str], explain: bool
) -> dict[str, Any]:
    """A hit as the contract shows it."""
    entry = entry_from_dict(json.loads(found.document))
    part = snippet(prose(entry), words)
    hit: dict[str, Any] = {
        "id": found.id,
        "title": found.title,
        "category": found.category,
        "target": str(Address(found.tier, found.folder, found.slug)),
        "slug": found.slug,
        "score": round(score, 4),
        "snippet": part.text,
        "matches": [list(place) for place in part.matches],
    }
    return {**hit, "why": list(why)} if explain else hit
