"""An open store with the clock and the writer's origin: what every feature is given.

Front ends make it, because they alone read the clock, the environment and the current folder.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from gitmem.index import queries
from gitmem.model.errors import Ambiguous, NotFound, OccConflict
from gitmem.store.snapshot import Snapshot, Stored
from gitmem.store.store import Store, Written

if TYPE_CHECKING:
    from gitmem.git.objects import Objects
    from gitmem.store.change import Origin
    from gitmem.store.transaction import Transaction

T = TypeVar("T")

_COMMIT_LIKE = re.compile(r"[0-9a-f]{4,40}\Z")
_WHOLE_COMMIT = re.compile(r"[0-9a-f]{40}\Z")
AGENT_SOURCES = frozenset({"agent", "tool"})


@dataclass(slots=True)
class Workspace:
    """One store, and who works on it."""

    store: Store
    clock: Callable[[], float]
    timezone: int = 0
    actor: str = "cli"
    session: str | None = None
    source: str = "user"
    environ: Mapping[str, str] = field(default_factory=dict)
    after_write: Callable[[Workspace, Written], tuple[str, ...]] | None = None
    """Called once the ref has moved (the view follows); it answers warnings."""

    @property
    def now(self) -> int:
        return int(self.clock())

    @property
    def by_agent(self) -> bool:
        """Does an agent write, rather than a person?"""
        return self.source in AGENT_SOURCES

    @property
    def work_tree(self) -> Path | None:
        return self.store.location.work_tree

    def origin(self) -> Origin:
        """Who makes the next change, and when."""
        # Imported here: a reader needs nothing of it.
        from gitmem.store.change import Origin

        return Origin(
            now=self.now,
            timezone=self.timezone,
            actor=self.actor,
            session=self.session,
            source=self.source,
        )

    def snapshot(self, at: str | None = None) -> Snapshot:
        """The state at the tip, or at a date or commit."""
        if at is None:
            return self.store.snapshot()
        tip = self.store.snapshot()
        return self.store.snapshot(self.commit_at(tip, at))

    def commit_at(self, tip: Snapshot, at: str) -> str:
        """The commit that a date or the beginning of a hash names."""
        wanted = at.strip()
        if _COMMIT_LIKE.match(wanted):
            return self.commit_named(tip, wanted)
        from gitmem.model.errors import UsageError
        from gitmem.model.times import format_time, parse_moment

        try:
            moment = parse_moment(wanted, self.now, end_of_day=True)
        except ValueError as error:
            raise UsageError(
                f"{at!r} is neither a commit nor a date",
                got=at,
                fix="use a hash from `gitmem log`, 2026-11-18, or `3 days ago`",
            ) from error
        found = queries.commit_before(tip.record, moment)
        if found is None:
            raise NotFound(
                f"this memory has no commit from {format_time(moment)} or before",
                got=at,
                fix="`gitmem log` shows the first one",
            )
        return found.sha

    def commit_named(self, tip: Snapshot, wanted: str) -> str:
        found = queries.commits_with_prefix(tip.record, wanted)
        if len(found) == 1:
            return found[0]
        if len(found) > 1:
            raise Ambiguous(
                f"{wanted} is the beginning of {len(found)} commits",
                got=wanted,
                fix="use more of its characters",
                matches=found,
            )
        if _WHOLE_COMMIT.match(wanted) and _is_commit(self.store.objects, wanted):
            return wanted
        raise NotFound(
            f"the memory branch has no commit {wanted}", got=wanted, fix="see `gitmem log`"
        )

    def write(self, plan: Callable[[Transaction], T]) -> tuple[T, Written]:
        """Run a plan as one transaction; afterwards the view follows."""
        result, written = self.store.write(plan, self.origin())
        if written.commits and self.after_write is not None:
            more = self.after_write(self, written)
            written = Written(written.commits, written.warnings + more)
        return result, written


def _is_commit(objects: Objects, sha: str) -> bool:
    return objects.has(sha) and objects.read(sha)[0] == "commit"


def require_expected(txn: Transaction, one: Stored, expect: str | None) -> None:
    """I5: refuse when the entry's bytes or address differ between `expect` and the tip."""
    if expect is None:
        return
    from gitmem.git.tree import lookup

    current = txn.commit or ""
    wanted = expect
    if not _WHOLE_COMMIT.match(expect):
        matches = queries.commits_with_prefix(txn.snapshot.record, expect)
        wanted = matches[0] if len(matches) == 1 and _COMMIT_LIKE.match(expect) else ""
    if not wanted or not _is_commit(txn.objects, wanted):
        raise OccConflict(
            f"{expect} is no commit that this store knows",
            expected=expect,
            got=current,
            fix=f"read the entry again (`gitmem show {one.id}`) and use the commit printed there",
            target=str(one.address),
        )
    seen = lookup(txn.objects, txn.objects.commit(wanted).tree, one.path)
    if seen is None or seen.sha != one.blob:
        raise OccConflict(
            f"{one.address} has changed since {wanted[:12]}",
            expected=wanted,
            got=current,
            fix=f"read it again (`gitmem show {one.id}`), then repeat the change with the commit"
            " printed there",
            target=str(one.address),
        )
