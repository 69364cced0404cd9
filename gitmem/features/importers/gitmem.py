"""Reads gitmem's own JSON lines: one entry a line, one commit each, all in one transaction.

The inverse of `export`. A line that is refused is reported with its number and doesn't stop the
others. An id that the store holds, or ever held, is skipped, so a second run does nothing and an
import brings nothing back that was taken away.
"""

from __future__ import annotations

import gc
import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any

from gitmem.features.workspace import Workspace
from gitmem.features.write.draft import ImportDraft, import_draft, imported_entry, parse_object
from gitmem.features.write.fix import fixed
from gitmem.features.write.pipeline import texts_of, usable_category
from gitmem.features.write.reason import checked_reason
from gitmem.features.write.secrets import refuse_secrets
from gitmem.index import queries
from gitmem.model.categories import ACTIVE
from gitmem.model.entry import Entry
from gitmem.model.errors import GitmemError
from gitmem.model.slug import imported_id
from gitmem.model.validate import validate_entry
from gitmem.store.change import Change
from gitmem.store.layout import address_of
from gitmem.store.ops.create import create
from gitmem.store.transaction import Transaction

FORMAT = "gitmem"
SOURCE = "import"
_STEP = 100
"""Progress is told every so many lines."""

Progress = Callable[[int, int], None]


@dataclass(frozen=True, slots=True)
class Imported:
    """What an import did, or would do."""

    dry_run: bool
    created: int
    skipped: int
    failed: tuple[dict[str, Any], ...]
    commit: str
    items: tuple[dict[str, Any], ...] = ()
    warnings: tuple[str, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """The answer of the contract; a dry run lists what it would do with each line."""
        told: dict[str, Any] = {
            "status": "planned" if self.dry_run else "imported",
            "format": FORMAT,
            "created": self.created,
            "skipped": self.skipped,
            "failed": list(self.failed),
            "commit": self.commit,
            "warnings": list(self.warnings),
        }
        if self.dry_run:
            told["items"] = list(self.items)
        return told


@dataclass(frozen=True, slots=True)
class _Line:
    """A line that could be read: who it is, and what makes its commit traceable."""

    number: int
    draft: ImportDraft
    id: str
    key: str
    digest: str


@dataclass(slots=True)
class _Tally:
    """What one run of the plan did; a run after a lost race starts a new one."""

    created: int = 0
    skipped: int = 0
    failed: list[dict[str, Any]] = field(default_factory=list)
    items: list[dict[str, Any]] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    commit: str = ""


def import_jsonl(
    workspace: Workspace,
    lines: Iterable[bytes],
    *,
    dry_run: bool = False,
    progress: Progress | None = None,
) -> Imported:
    """Make an entry of each line that the store doesn't know yet."""
    read: list[_Line] = []
    bad: list[dict[str, Any]] = []
    for number, line in enumerate(lines, 1):
        if line.strip():
            try:
                read.append(_read(number, line))
            except GitmemError as error:
                bad.append(_failure(number, error))

    def plan(txn: Transaction) -> _Tally:
        tally = _Tally()
        for done, line in enumerate(read):
            if progress and done % _STEP == 0:
                progress(done, len(read))
            _take(workspace, txn, line, tally, dry_run)
        if progress:
            progress(len(read), len(read))
        tally.commit = txn.commit or ""
        return tally

    if dry_run:
        tally = workspace.store.look(plan, workspace.origin())
        # What a look makes is never published: the state is the one that it saw.
        tally.commit = workspace.store.tip
    else:
        with _without_collector():
            tally, written = workspace.write(plan)
        tally.warnings += written.warnings
    return Imported(
        dry_run,
        tally.created,
        tally.skipped,
        tuple(sorted([*bad, *tally.failed], key=lambda one: int(one["line"]))),
        tally.commit,
        tuple(tally.items),
        tuple(tally.warnings),
    )


@contextmanager
def _without_collector() -> Iterator[None]:
    """All that an import makes lives to its end: to search it for garbage takes a tenth of it."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


def _read(number: int, line: bytes) -> _Line:
    data = dict(parse_object(line, f"line {number}"))
    slug = data.get("slug")
    if isinstance(slug, str) and "." in slug:
        # A merge gave the file an id behind its slug; here the slug is free, or gets a number.
        data["slug"] = slug.partition(".")[0]
    draft = import_draft(data)
    digest = hashlib.sha256(line.strip()).hexdigest()
    key = draft.id or digest
    return _Line(number, draft, draft.id or imported_id(FORMAT, key), key, digest)


def _take(
    workspace: Workspace, txn: Transaction, line: _Line, tally: _Tally, dry_run: bool
) -> None:
    if queries.id_was_held(txn.snapshot.record, line.id):
        tally.skipped += 1
        if dry_run:
            tally.items.append(_item(line, line.draft.draft.given, None, "skip"))
        return
    try:
        entry, change, warnings = _change(workspace, txn, line)
        txn.apply(change, replace(workspace.origin(), source=SOURCE, session=line.draft.session))
    except GitmemError as error:
        tally.failed.append(_failure(line.number, error))
        return
    tally.created += 1
    tally.warnings += [f"line {line.number}: {text}" for text in warnings]
    if dry_run:
        path = change.touched[0].path
        tally.items.append(_item(line, {"title": entry.title}, path, "create"))


def _change(
    workspace: Workspace, txn: Transaction, line: _Line
) -> tuple[Entry, Change, tuple[str, ...]]:
    source = line.draft
    category = usable_category(txn, source.category, workspace.by_agent)
    better = fixed(imported_entry(source, category, workspace.now, line.id), category)
    entry = better.entry
    validate_entry(entry, category)
    reason = checked_reason(source.draft.reason)
    refuse_secrets(texts_of(entry, reason))
    tier = source.tier or "register"
    change = create(
        txn,
        entry,
        tier,
        now=workspace.now,
        slug=source.slug,
        reason=reason,
        imported=(FORMAT, line.key, line.digest),
        # With an id it is that very entry, which this store never held: nothing comes back.
        resurrect=source.id is not None or tier not in ACTIVE,
    )
    return entry, change, better.warnings


def _item(line: _Line, given: Mapping[str, Any], path: str | None, action: str) -> dict[str, Any]:
    address = address_of(path) if path else None
    return {
        "path": None,
        "line": line.number,
        "title": given.get("title"),
        "category": line.draft.category,
        "tier": address.tier if address else line.draft.tier or "register",
        "action": action,
    }


def _failure(number: int, error: GitmemError) -> dict[str, Any]:
    told = f"{error.field}: {error.message}" if error.field else error.message
    return {"line": number, "error": f"{told} ({error.fix})" if error.fix else told}
