"""What sessions were shown: receipts of prompts, what they cost, and what else a session was given.

Reads and writes `state.db` alone; a store whose hook never ran has nothing here.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from gitmem.features.workspace import Workspace
from gitmem.index import queries
from gitmem.index.db import Index
from gitmem.index.sessions import Receipt
from gitmem.index.state import state_file
from gitmem.model.errors import Ambiguous, NotFound
from gitmem.model.times import format_time

_SHORTEST = 4
"""A session may be named by the beginning of its id, if it is this long."""


@dataclass(frozen=True, slots=True)
class Injected:
    """What recall put into contexts."""

    sessions: int
    prompts: int
    answered: int
    """Prompts that were shown something."""
    shown: int
    entries: int
    """Different ones among those shown."""
    characters: int

    def to_json(self) -> dict[str, Any]:
        return {
            "sessions": self.sessions,
            "prompts": self.prompts,
            "answered": self.answered,
            "shown": self.shown,
            "entries": self.entries,
            "characters": self.characters,
        }


def note_given(workspace: Workspace, session: str, ids: Iterable[str]) -> None:
    """Entries a session was given otherwise: prompts don't repeat them, nothing counts them."""
    with workspace.store.state.sessions() as sessions:
        sessions.note_given(session, ids)


def receipts(workspace: Workspace, session: str | None = None) -> list[dict[str, Any]]:
    """Which entries at which commit each prompt was shown; of one session or of all."""
    index = workspace.snapshot().index
    return [_shown(index, one) for one in _receipts(workspace, session)]


def injected(workspace: Workspace, session: str | None = None) -> Injected:
    """How much context recall took, in all or of one session."""
    found = _receipts(workspace, session)
    ids = [entry_id for one in found for entry_id in one.ids]
    sessions, prompts = 0, 0
    if state_file(workspace.store.folder).exists():
        with workspace.store.state.sessions() as table:
            sessions, prompts = table.prompts(found[0].session if session and found else session)
    characters = sum(one.characters for one in found)
    return Injected(sessions, prompts, len(found), len(ids), len(set(ids)), characters)


def _receipts(workspace: Workspace, session: str | None) -> list[Receipt]:
    if not state_file(workspace.store.folder).exists():
        if session is not None:
            raise _unknown(session)
        return []
    with workspace.store.state.sessions() as sessions:
        if session is None:
            return sessions.receipts()
        named = sessions.sessions_like(session)
        if session in named:
            return sessions.receipts(session)
        if not named or len(session) < _SHORTEST:
            raise _unknown(session)
        if len(named) > 1:
            raise Ambiguous(
                f"{session} is the beginning of {len(named)} sessions",
                got=session,
                fix="use more of its characters",
                matches=named[:10],
            )
        return sessions.receipts(named[0])


def _unknown(session: str) -> NotFound:
    return NotFound(
        f"no prompt of a session {session} came by here",
        got=session,
        fix="`gitmem receipts` lists what the sessions of this machine were shown",
    )


def _shown(index: Index, one: Receipt) -> dict[str, Any]:
    return {
        "session": one.session,
        "prompt": one.prompt,
        "time": format_time(one.time),
        "commit": one.commit,
        "entries": [{"id": entry_id, "title": _title(index, entry_id)} for entry_id in one.ids],
        "characters": one.characters,
    }


def _title(index: Index, entry_id: str) -> str | None:
    """The entry's title as it is now; None where it is no longer there."""
    found = queries.entries_with_id(index, entry_id)
    return found[0].title if found else None
