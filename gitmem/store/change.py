"""A change: what one commit does to the tree, and what its message says (DESIGN "A commit").

An operation checks its rules against a snapshot and returns a Change; the store alone turns it
into objects, a commit and a moved ref. I2 is kept by construction: one Change, one commit.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from gitmem.document.message import Message
from gitmem.model.difference import FieldChange
from gitmem.model.entry import Entry


@dataclass(frozen=True, slots=True)
class Blob:
    """A blob that the repository holds already: moving it is a pure rename (I3)."""

    sha: str


FileEdit = Entry | bytes | Blob | None
"""An entry to be written, plain bytes, a blob that is there already, or None: take it away."""


@dataclass(frozen=True, slots=True)
class Touched:
    """An entry that a change touches, as its trailers name it."""

    id: str
    category: str
    title: str
    path: str
    """Where it lies after the change; if it was removed, where it lay."""
    from_path: str | None = None
    """Where a moved one lay before."""
    fields: tuple[FieldChange, ...] | None = ()
    """What the index tells of an edit without comparing versions again; None: compare."""


@dataclass(frozen=True, slots=True)
class Origin:
    """Who makes a change, and when; read in the front ends and passed down."""

    now: int
    """Seconds since 1970."""
    timezone: int = 0
    """Offset from UTC in seconds, for the commit's author line."""
    actor: str = "cli"
    session: str | None = None
    source: str | None = "user"


@dataclass(frozen=True, slots=True)
class Change:
    """One commit to be."""

    op: str
    files: Mapping[str, FileEdit] = field(default_factory=dict)
    touched: tuple[Touched, ...] = ()
    subject: str = ""
    """For changes without an entry: what stands behind the op (`config: KEY`)."""
    reason: str = ""
    undoes: tuple[str, ...] = ()
    used: tuple[tuple[str, int], ...] = ()
    """`Gitmem-Used`: ids and how often the session was shown them."""
    imported: tuple[str, ...] = ()
    """`Gitmem-Import`: format, source key, hash of the source."""
    warnings: tuple[str, ...] = ()


def message_of(change: Change, origin: Origin, code: tuple[str, ...]) -> Message:
    """The commit message of a change, trailers in DESIGN's order."""
    trailers: list[tuple[str, tuple[str, ...]]] = [("Gitmem-Op", (change.op,))]
    for entry in change.touched:
        trailers.append(("Gitmem-Id", (entry.id,)))
        trailers.append(("Gitmem-Path", (entry.path,)))
        if entry.from_path is not None:
            trailers.append(("Gitmem-From", (entry.from_path,)))
    trailers += [
        ("Gitmem-Session", (origin.session,) if origin.session else ()),
        ("Gitmem-Actor", (origin.actor,) if origin.actor else ()),
        ("Gitmem-Source", (origin.source,) if origin.source else ()),
        ("Gitmem-Code", code),
        *(("Gitmem-Undoes", (commit,)) for commit in change.undoes),
        *(("Gitmem-Used", (entry_id, str(count))) for entry_id, count in change.used),
        ("Gitmem-Import", change.imported),
    ]
    first = change.touched[0] if change.touched else None
    return Message(
        op=change.op,
        category=first.category if first else None,
        title=first.title if first else change.subject,
        reason=change.reason,
        trailers=tuple((key, words) for key, words in trailers if words),
    )
