"""The state of the memory at one commit: find entries, read them, ask their history.

Answers come from the index that reflects this very commit; what is about to be rewritten is
read from its blob, because the branch alone is the truth (I1). Inside a transaction the same
class shows what the transaction has done so far.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from gitmem.index import queries
from gitmem.index.db import Index
from gitmem.index.rows import EntryRow
from gitmem.model.config import Config
from gitmem.model.entry import Entry, entry_from_dict
from gitmem.model.errors import Ambiguous, Corrupt, NotFound
from gitmem.store.layout import Address, Lister, address_of, possible_paths, require_address

SHORTEST_PREFIX = 4
"""A prefix of an id needs this many characters behind `tr`."""
_ID_LIKE = re.compile(rf"tr[0-9a-f]{{{SHORTEST_PREFIX},10}}\Z")
_LISTED = 10


class Stored(NamedTuple):
    """An entry where it lies at a commit."""

    id: str
    category: str
    title: str
    address: Address
    path: str
    blob: str
    document: str

    @property
    def tier(self) -> str:
        return self.address.tier

    def entry(self) -> Entry:
        """The entry as the index holds it."""
        return entry_from_dict(json.loads(self.document))


@dataclass(frozen=True, slots=True)
class Snapshot:
    """The memory at `commit`."""

    commit: str
    index: Index
    scope: queries.Scope
    config: Config
    listing: Lister
    read_blob: Callable[[str], bytes]
    record: Index
    """Where history is asked: the same index, or the whole one for an older commit."""

    def find(self, ref: str) -> Stored:
        """The entry that a REF names: id, prefix of one, slug or address."""
        found = self._candidates(ref)
        if not found:
            raise NotFound(
                f"no entry is called {ref!r}",
                got=ref,
                fix="`gitmem list` shows the active ones, `gitmem list --tier all` the others too",
            )
        if len(found) > 1:
            raise Ambiguous(
                f"{ref!r} fits {len(found)} entries: "
                + ", ".join(f"{one.id} ({one.address})" for one in found[:_LISTED]),
                got=ref,
                fix="use one of their ids",
                matches=[
                    {"id": one.id, "title": one.title, "target": str(one.address)} for one in found
                ],
            )
        return found[0]

    def _candidates(self, ref: str) -> list[Stored]:
        if "/" in ref:
            address = address_of(ref) or require_address(ref.removesuffix(".md"))
            found = self.at_address(address)
            return [found] if found else []
        if _ID_LIKE.match(ref):
            by_id = queries.entries_with_prefix(self.index, ref)
            if by_id:
                return [stored(row) for row in by_id]
        exact = queries.entries_with_id(self.index, ref)
        return [stored(row) for row in exact or queries.entries_with_slug(self.index, ref)]

    def with_id(self, entry_id: str) -> Stored | None:
        """The entry of a full id."""
        found = queries.entries_with_id(self.index, entry_id)
        return stored(found[0]) if found else None

    def at_address(self, address: Address) -> Stored | None:
        """The entry of an address."""
        for path in possible_paths(address, self.listing):
            row = queries.entry_at(self.index, path)
            if row is not None:
                return stored(row)
        return None

    def is_taken(self, folder: str, slug: str, tiers: Sequence[str]) -> bool:
        """Does any file lie at this slug of a folder, in any of the tiers?"""
        addresses = (Address(tier, folder, slug) for tier in tiers)  # type: ignore[arg-type]
        return any(next(possible_paths(one, self.listing), None) for one in addresses)

    def entries(
        self,
        tiers: Sequence[str],
        *,
        category: str | None = None,
        folder: str | None = None,
        pinned: bool | None = None,
        newest: int | None = None,
    ) -> Iterator[Stored]:
        """The entries of some tiers, by folder and title, or the newest ones first."""
        rows = queries.entries_in(
            self.index, tiers, category=category, folder=folder, pinned=pinned, newest=newest
        )
        return (stored(row) for row in rows)

    def history(self, entry_id: str) -> list[queries.HistoryRow]:
        """What happened to an entry up to this commit, oldest first."""
        return queries.history(self.record, entry_id, self.scope)

    def blob_entry(self, one: Stored) -> Entry:
        """The entry as its file holds it: what an update starts from."""
        from gitmem.document.codec import decode
        from gitmem.model.errors import ValidationError

        try:
            return decode(self.read_blob(one.blob))
        except ValidationError as error:
            raise Corrupt(
                f"{one.path} isn't the entry that the index holds: {error.message}",
                fix="run `gitmem index --rebuild`, then `gitmem doctor`",
            ) from error


def stored(row: queries.FoundEntry | EntryRow) -> Stored:
    """A row of the index as an entry of a snapshot."""
    address = Address(row.tier, row.folder, row.slug)  # type: ignore[arg-type]
    return Stored(row.id, row.category, row.title, address, row.path, row.blob, row.document)
