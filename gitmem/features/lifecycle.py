"""Everything that changes an entry's state or marks, one commit each (I2)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from gitmem.features.answers import Answer
from gitmem.features.workspace import Workspace, require_expected
from gitmem.features.write.reason import checked_reason
from gitmem.features.write.secrets import refuse_secrets
from gitmem.index import queries
from gitmem.model.errors import NotFound, RestoreError
from gitmem.model.times import DAY, format_time
from gitmem.store.change import Change
from gitmem.store.layout import address_of
from gitmem.store.ops import collect, marks, moves
from gitmem.store.ops.create import retired_since
from gitmem.store.ops.moves import Unchanged
from gitmem.store.snapshot import Stored
from gitmem.store.transaction import Transaction

DEFAULT_SNOOZE_DAYS = 30
_STALE_RESTORE_DAYS = 7
_DONE = {
    **{name: rule.done for name, rule in moves.MOVES.items()},
    "pin": "pinned",
    "unpin": "unpinned",
    "snooze": "snoozed",
    "review": "reviewed",
    "appreciate": "appreciated",
    "supersede": "superseded",
}


@dataclass(frozen=True, slots=True)
class Request:
    """What every such command is asked: which entry, as seen when, and why."""

    ref: str
    reason: str = ""
    expect: str | None = None


Plan = Callable[[Transaction, Stored], Change | Unchanged]


def move(workspace: Workspace, name: str, request: Request) -> Answer:
    """retire, archive, unarchive, promote or demote an entry."""
    return _run(
        workspace, name, request, lambda txn, one: moves.move(txn, name, one, request.reason)
    )


def restore(workspace: Workspace, request: Request) -> Answer:
    """Bring a retired entry back into the tier that it left, within the grace period."""
    warnings: list[str] = []

    def plan(txn: Transaction, one: Stored) -> Change | Unchanged:
        warnings.clear()
        if one.address.tier == "retired":
            warnings.extend(_restore_warnings(txn, one, workspace.now))
        return moves.move(txn, "restore", one, request.reason)

    try:
        answer = _run(workspace, "restore", request, plan)
    except NotFound as error:
        raise _not_restorable(workspace, request.ref, error) from error
    return _with_warnings(answer, warnings)


def pin(workspace: Workspace, request: Request, pinned: bool = True) -> Answer:
    """Protect an entry from upkeep, or no longer."""
    return _run(
        workspace,
        "pin" if pinned else "unpin",
        request,
        lambda txn, one: marks.pin(txn, one, pinned, request.reason),
    )


def snooze(workspace: Workspace, request: Request, until: int | None = None) -> Answer:
    """Leave an entry alone until a moment, 30 days from now unless told otherwise."""
    now = workspace.now
    moment = until if until is not None else now + DEFAULT_SNOOZE_DAYS * DAY
    answer = _run(
        workspace,
        "snooze",
        request,
        lambda txn, one: marks.snooze(txn, one, moment, now, request.reason),
    )
    return replace(answer, until=format_time(moment))


def review(workspace: Workspace, request: Request) -> Answer:
    """Say that an entry was looked at and still holds."""
    return _run(
        workspace,
        "review",
        request,
        lambda txn, one: marks.review(txn, one, workspace.now, request.reason),
    )


def appreciate(workspace: Workspace, request: Request, amount: int = 1) -> Answer:
    """Raise the bonus that keeps an entry from being forgotten."""
    answer = _run(
        workspace,
        "appreciate",
        request,
        lambda txn, one: marks.appreciate(txn, one, amount, request.reason),
    )
    found = workspace.store.snapshot().with_id(answer.id)
    return replace(answer, appreciation=found.entry().appreciation if found else None)


def supersede(workspace: Workspace, request: Request, successor: str | None = None) -> Answer:
    """Say that an entry holds no longer, and which one holds instead."""

    def plan(txn: Transaction, one: Stored) -> Change | Unchanged:
        other = txn.snapshot.find(successor) if successor else None
        return marks.supersede(txn, one, other, request.reason)

    return _run(workspace, "supersede", request, plan)


def _run(workspace: Workspace, name: str, request: Request, plan: Plan) -> Answer:
    reason = checked_reason(request.reason)
    refuse_secrets([("reason", reason)])

    def whole(txn: Transaction) -> Answer:
        one = txn.snapshot.find(request.ref)
        require_expected(txn, one, request.expect)
        change = plan(txn, one)
        if isinstance(change, Unchanged):
            return _answer(change.status, one, str(one.address), txn.commit or "", None)
        made = txn.apply(change)
        after = address_of(change.touched[0].path)
        told = (reason or "No reason provided") if name == "retire" else None
        return _answer(_DONE[name], one, str(after), made.commit, told)

    answer, written = workspace.write(whole)
    return _with_warnings(answer, written.warnings)


def _answer(status: str, one: Stored, target: str, commit: str, reason: str | None) -> Answer:
    return Answer(status, one.id, target, one.title, commit, reason=reason)


def _with_warnings(answer: Answer, warnings: Sequence[str]) -> Answer:
    return replace(answer, warnings=(*answer.warnings, *warnings)) if warnings else answer


def _restore_warnings(txn: Transaction, one: Stored, now: int) -> list[str]:
    since = retired_since(txn, one.id)
    if since is None:
        return []
    if collect.is_due(txn, one, now):
        days = txn.snapshot.config.get("delete.grace_period_days")
        raise RestoreError(
            f"{one.address} was retired at {format_time(since)}; the grace period of {days} days"
            " is over",
            fix="raise it with `gitmem config set delete.grace_period_days DAYS`, then restore",
            target=str(one.address),
            retired_at=format_time(since),
        )
    age = (now - since) // DAY
    if age <= _STALE_RESTORE_DAYS:
        return []
    return [f"it was retired {age} days ago: check that it still holds"]


def _not_restorable(workspace: Workspace, ref: str, error: NotFound) -> RestoreError:
    """A removed entry can't be restored; where gc took it, say which commit to undo."""
    snapshot = workspace.store.snapshot()
    rows = queries.history(snapshot.record, ref)
    if rows and rows[-1].path is None:
        commit = rows[-1].commit
        return RestoreError(
            f"{ref} was taken out of the tree at {format_time(commit.time)}",
            got=ref,
            fix=f"run `gitmem undo {commit.sha[:12]}` to bring it back into retired/, then restore",
        )
    return RestoreError(error.message, got=ref, fix=error.fix)
