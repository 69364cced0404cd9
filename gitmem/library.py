"""The library: one memory, as an object. Every method is one feature; nothing is decided here.

    import gitmem

    with gitmem.open("path/to/repo") as memory:
        memory.create("decision", title="Use PostgreSQL", tags=["database"], content={...})

Errors are those of `gitmem.model.errors`; answers are frozen dataclasses or the JSON of the
contract as plain dicts.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from gitmem.features.answers import Answer, Collected, Undone
from gitmem.features.lifecycle import Request
from gitmem.features.opening import PROJECT, open_workspace
from gitmem.features.starting import Started, Wanted
from gitmem.features.starting import init as start_memory
from gitmem.features.workspace import Workspace
from gitmem.model.categories import Tier


def open(
    path: str | Path = ".",
    *,
    store: str = PROJECT,
    actor: str = "library",
    session: str | None = None,
    source: str = "user",
    environ: Mapping[str, str] | None = None,
    clock: Callable[[], float] = time.time,
) -> Memory:
    """Open the memory of the repository that holds `path`.

    `store` may be "project", "user" or a path. `actor`, `session` and `source` are what the
    commits say of their writer. Close it, or use it in a `with`.
    """
    workspace = open_workspace(
        Path(path),
        os.environ if environ is None else environ,
        clock,
        store=store,
        actor=actor,
        session=session,
        source=source,
    )
    return Memory(workspace)


def init(
    path: str | Path = ".",
    *,
    branch: str | None = None,
    hidden: bool = False,
    standalone: bool = False,
    view: bool = True,
    environ: Mapping[str, str] | None = None,
    clock: Callable[[], float] = time.time,
) -> Started:
    """Start a memory in the repository at `path`; with `standalone`, in a new one of its own."""
    wanted = Wanted(
        branch=branch,
        hidden=hidden,
        standalone=Path(path) if standalone else None,
        view=view,
    )
    return start_memory(Path(path), os.environ if environ is None else environ, clock, wanted)


class Memory:
    """An open memory."""

    def __init__(self, workspace: Workspace) -> None:
        self.workspace = workspace

    def __enter__(self) -> Memory:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close every file; the object can't be used afterwards."""
        self.workspace.store.close()

    @property
    def commit(self) -> str:
        """The commit at the tip: what `expect` takes."""
        return self.workspace.store.tip

    # Writing

    def create(
        self,
        category: str,
        *,
        title: str,
        tags: Sequence[str] = (),
        content: Mapping[str, Any] | None = None,
        tier: Tier | None = None,
        slug: str | None = None,
        reason: str = "",
        **fields: Any,
    ) -> Answer:
        """Make an entry. `fields`: confidence, when, keywords, related_files, created_at, body."""
        from gitmem.features.write.draft import draft_from_json
        from gitmem.features.write.pipeline import NewEntry, create

        given = {"title": title, "tags": list(tags), "content": dict(content or {}), **fields}
        wanted = NewEntry(category, draft_from_json(given), tier=tier, slug=slug, reason=reason)
        return create(self.workspace, wanted)

    def remember(self, text: str, *, tags: Sequence[str] = ()) -> Answer:
        """Keep a text as a note; in working memory when a person says it."""
        from gitmem.features.write.pipeline import remember

        return remember(self.workspace, text, tags=tuple(tags))

    def update(
        self, ref: str, *, reason: str = "", expect: str | None = None, **fields: Any
    ) -> Answer:
        """Change the fields that are given (title, tags, content, …); the others stay."""
        from gitmem.features.write.draft import draft_from_json
        from gitmem.features.write.pipeline import Edit, update

        wanted = Edit(ref, patch=draft_from_json(fields), reason=reason, expect=expect)
        return update(self.workspace, wanted)

    def replace(
        self,
        ref: str,
        document: Mapping[str, Any],
        *,
        reason: str = "",
        expect: str | None = None,
    ) -> Answer:
        """Put a whole document in an entry's place: content fields that it lacks are removed."""
        from gitmem.features.write.draft import draft_from_json
        from gitmem.features.write.pipeline import Edit, update

        wanted = Edit(ref, document=draft_from_json(document), reason=reason, expect=expect)
        return update(self.workspace, wanted)

    def retire(self, ref: str, reason: str = "", *, expect: str | None = None) -> Answer:
        """Soft-delete an entry; `restore` brings it back within the grace period."""
        return self._move("retire", ref, reason, expect)

    def restore(self, ref: str, reason: str = "", *, expect: str | None = None) -> Answer:
        """Bring a retired entry back into the tier that it left."""
        from gitmem.features.lifecycle import restore

        return restore(self.workspace, Request(ref, reason, expect))

    def archive(self, ref: str, reason: str = "", *, expect: str | None = None) -> Answer:
        """Shelve an entry: searchable on request, never loaded, never collected."""
        return self._move("archive", ref, reason, expect)

    def unarchive(self, ref: str, reason: str = "", *, expect: str | None = None) -> Answer:
        """Bring an archived entry back into the tier that it left."""
        return self._move("unarchive", ref, reason, expect)

    def promote(self, ref: str, reason: str = "", *, expect: str | None = None) -> Answer:
        """Load an entry into every session."""
        return self._move("promote", ref, reason, expect)

    def demote(self, ref: str, reason: str = "", *, expect: str | None = None) -> Answer:
        """Load an entry no longer into every session; it is recalled when relevant."""
        return self._move("demote", ref, reason, expect)

    def pin(self, ref: str, reason: str = "", *, expect: str | None = None) -> Answer:
        """Protect an entry from upkeep."""
        from gitmem.features.lifecycle import pin

        return pin(self.workspace, Request(ref, reason, expect))

    def unpin(self, ref: str, reason: str = "", *, expect: str | None = None) -> Answer:
        """Protect an entry no longer."""
        from gitmem.features.lifecycle import pin

        return pin(self.workspace, Request(ref, reason, expect), pinned=False)

    def snooze(
        self,
        ref: str,
        *,
        until: int | None = None,
        reason: str = "",
        expect: str | None = None,
    ) -> Answer:
        """Leave an entry alone until a moment (seconds since 1970); 30 days unless given."""
        from gitmem.features.lifecycle import snooze

        return snooze(self.workspace, Request(ref, reason, expect), until)

    def review(self, ref: str, reason: str = "", *, expect: str | None = None) -> Answer:
        """Say that an entry was looked at and still holds."""
        from gitmem.features.lifecycle import review

        return review(self.workspace, Request(ref, reason, expect))

    def appreciate(
        self, ref: str, amount: int = 1, reason: str = "", *, expect: str | None = None
    ) -> Answer:
        """Raise the bonus that keeps an entry from being forgotten."""
        from gitmem.features.lifecycle import appreciate

        return appreciate(self.workspace, Request(ref, reason, expect), amount)

    def supersede(
        self,
        ref: str,
        successor: str | None = None,
        reason: str = "",
        *,
        expect: str | None = None,
    ) -> Answer:
        """Say that an entry holds no longer, and which one holds instead."""
        from gitmem.features.lifecycle import supersede

        return supersede(self.workspace, Request(ref, reason, expect), successor)

    def undo(self, commit: str, reason: str = "") -> Undone:
        """Take back one commit."""
        from gitmem.features.undo import undo_commit

        return undo_commit(self.workspace, commit, reason)

    def undo_session(self, session: str, reason: str = "") -> Undone:
        """Take back everything that a session did, or nothing."""
        from gitmem.features.undo import undo_session

        return undo_session(self.workspace, session, reason)

    def gc(self, *, dry_run: bool = False) -> Collected:
        """Take away what was retired long enough ago, and fold the packs."""
        from gitmem.features.upkeep.collect import gc

        return gc(self.workspace, dry_run=dry_run)

    def set_config(self, key: str, value: object, reason: str = "") -> str:
        """Set a config key; the commit that did it."""
        from gitmem.features.settings import set_key

        return set_key(self.workspace, key, value, reason).commit

    def import_jsonl(self, lines: Iterable[str]) -> dict[str, Any]:
        """Import entries, one JSON object a line, one commit each."""
        from gitmem.features.importers.gitmem import import_jsonl

        return import_jsonl(self.workspace, (line.encode() for line in lines)).to_json()

    # Reading

    def get(self, ref: str, *, at: str | None = None) -> dict[str, Any]:
        """One entry with all that history says of it."""
        from gitmem.features.reading import show

        return show(self.workspace, ref, at)

    def list(
        self,
        *,
        tier: str | None = None,
        category: str | None = None,
        tags: Sequence[str] = (),
        pinned: bool | None = None,
        at: str | None = None,
    ) -> tuple[dict[str, Any], ...]:
        """The entries of a tier (both active ones unless named), without their text."""
        from gitmem.features.reading import list_entries

        return list_entries(
            self.workspace, tier=tier, category=category, tags=tags, pinned=pinned, at=at
        ).entries

    def search(
        self,
        query: str,
        *,
        limit: int = 10,
        strategy: str | None = None,
        category: str | None = None,
        include_retired: bool = False,
        archived: bool = False,
        explain: bool = False,
        at: str | None = None,
    ) -> tuple[dict[str, Any], ...]:
        """The entries that fit a question, best first, each with the part of its text that fits."""
        from gitmem.features.searching import search

        found = search(
            self.workspace,
            query,
            limit=limit,
            strategy=strategy,
            category=category,
            include_retired=include_retired,
            archived=archived,
            explain=explain,
            at=at,
        )
        return found.hits

    def candidate(
        self, category: str, new_info: str, lifecycle_event: str | None = None
    ) -> dict[str, Any]:
        """Which entry of a category new information is about, and what may be done with it."""
        from gitmem.features.capture.selecting import candidate

        return candidate(self.workspace, category, new_info, lifecycle_event)

    def log(
        self, ref: str | None = None, *, limit: int | None = None, session: str | None = None
    ) -> Iterator[dict[str, Any]]:
        """The commits of the branch or of one entry, newest first."""
        from gitmem.features.reading import log, logged_json

        _, found = log(self.workspace, ref, limit=limit, session=session)
        return (logged_json(self.workspace, one) for one in found)

    def config(self, key: str) -> Any:
        """The value of a config key that counts."""
        from gitmem.features.settings import get_key

        return get_key(self.workspace, key)

    def export_jsonl(self, *, at: str | None = None) -> Iterator[str]:
        """Every entry as one JSON line: what `import_jsonl` takes."""
        from gitmem.features.export import export_jsonl

        return export_jsonl(self.workspace, at=at)

    def _move(self, name: str, ref: str, reason: str, expect: str | None) -> Answer:
        from gitmem.features.lifecycle import move

        return move(self.workspace, name, Request(ref, reason, expect))
