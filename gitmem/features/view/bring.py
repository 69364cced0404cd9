"""Brings the files of a view in line with a commit, and never touches what somebody edited.

A file counts as edited unless it holds what the view's commit, the new one, or a commit between
them has there: a crash halfway leaves such files, and they are no edits. An edited file is left
alone, and the commit that it was edited from is noted, so that adopting it can tell whether the
entry has moved on.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from gitmem.document.identify import peek_id
from gitmem.features.view import pages
from gitmem.features.view.contents import (
    PLAIN_FOLDER,
    Difference,
    Held,
    Source,
    body_bytes,
    difference,
    held_at,
    held_at_tip,
)
from gitmem.features.view.files import Files, InTheWay
from gitmem.features.view.place import Place
from gitmem.features.workspace import Workspace
from gitmem.git.objects import Objects, TreeItem, object_sha
from gitmem.git.tree import lookup
from gitmem.index import queries
from gitmem.index.state import State
from gitmem.model.errors import GitmemError
from gitmem.store.snapshot import Snapshot


@dataclass(slots=True)
class Brought:
    """What was done to the files of a view."""

    written: list[str] = field(default_factory=list)
    removed: list[str] = field(default_factory=list)
    edited: list[str] = field(default_factory=list)
    blocked: list[str] = field(default_factory=list)

    def warnings(self) -> tuple[str, ...]:
        """What the user should know."""
        told = [
            f"{path} in the view was edited and is left alone: `gitmem adopt` takes the edit over"
            for path in self.edited
            if not pages.is_page(path)
        ]
        told += [
            f"{path} in the view is a rendered page that was edited, and is left alone:"
            " `gitmem adopt` sets it aside"
            for path in self.edited
            if pages.is_page(path)
        ]
        return (*told, *self.blocked)


class View:
    """A view, its state and the snapshot of the tip. For whoever holds the lock."""

    def __init__(self, workspace: Workspace, state: State, place: Place) -> None:
        self.place = place
        self.files = Files(place.root)
        self.snapshot: Snapshot = workspace.store.snapshot()
        self.base = state.view_commit(place.root)
        self.left = state.left_alone(place.root)
        self._state = state
        self._objects: Objects = workspace.store.objects
        self._done = Brought()

    def follow(self, settled: Mapping[str, bytes] | None = None) -> Brought:
        """Go from the view's commit to the tip in O(changes).

        `settled` are files whose edits were taken over, with the bytes that were.
        """
        change = self._difference()
        if change is None:
            return self.check_out(settled)
        if self.base != self.snapshot.commit or settled:
            for path in {**change.old, **change.new, **(settled or {})}:
                old, new = change.old.get(path), change.new.get(path)
                if old is None and new is None and settled:
                    new = held_at(self.snapshot, self._objects, path)
                self._put(path, old, new, (settled or {}).get(path))
            self._render(pages.files(self.snapshot, change.touched))
            self._finish()
        return self._done

    def check_out(self, settled: Mapping[str, bytes] | None = None) -> Brought:
        """Look at every file, whatever the state says."""
        new = held_at_tip(self.snapshot, self._objects)
        old = self._held_at_base(new)
        for path in {**old, **new}:
            self._put(path, old.get(path), new.get(path), (settled or {}).get(path))
        on_disk = {path for path in self.files.walk("registers") if pages.is_page(path)}
        self._render(pages.files(self.snapshot, None) | on_disk)
        self._finish()
        return self._done

    def restore(self, paths: Iterable[str]) -> None:
        """Write files again that aren't there any more; pages too."""
        for path in paths:
            if pages.is_page(path):
                self._render([path])
                continue
            held = held_at(self.snapshot, self._objects, path)
            if held is not None and self.files.read(path) is None:
                self._write(path, held.data(self._objects))
                self._settle(path)

    def _difference(self) -> Difference | None:
        if self.base is None or not self.place.root.is_dir():
            return None
        try:
            return difference(self.snapshot, self._objects, self.base)
        except GitmemError:
            # The commit is gone (a rewritten branch, a new clone in the old place): look at all.
            self.base = None
            return None

    def _held_at_base(self, new: Held) -> Held:
        if self.base is None or self.base == self.snapshot.commit:
            return new if self.base else {}
        try:
            change = difference(self.snapshot, self._objects, self.base)
        except GitmemError:
            self.base = None
            return {}
        kept = {path: source for path, source in new.items() if path not in change.new}
        return kept | change.old

    def _put(
        self, path: str, old: Source | None, new: Source | None, settled: bytes | None
    ) -> None:
        try:
            now = self.files.read(path)
            want = new.data(self._objects) if new else None
            if now == want:
                self._settle(path)
            elif now is None or self._may_go(path, now, old, new, settled):
                if want is None:
                    self.files.remove(path)
                    self._done.removed.append(path)
                else:
                    self._write(path, want)
                self._settle(path)
            else:
                self._leave(path, old)
        except InTheWay as error:
            self._done.blocked.append(f"the view lacks {path}: {error}")

    def _write(self, path: str, data: bytes) -> None:
        self.files.write(path, data)
        self._done.written.append(path)

    def _may_go(
        self, path: str, now: bytes, old: Source | None, new: Source | None, settled: bytes | None
    ) -> bool:
        """Is nothing lost when the file goes?"""
        if now == settled:
            return True
        if self.base is None:
            # Nobody knows what the view held: bytes that the repository has are a copy of it.
            return not path.startswith(f"{PLAIN_FOLDER}/") and self._objects.has(_blob_sha(now))
        before = self._edited_from(path, old)
        if before is not None and now == before.data(self._objects):
            return True
        return any(self._was_written(source, now) for source in (old, new) if source is not None)

    def _edited_from(self, path: str, old: Source | None) -> Source | None:
        """What the file was a copy of when it was last ours."""
        base = self.left.get(path)
        if not base:
            return old
        item = self._item(base, path)
        return Source(path, item.sha) if item else None

    def _item(self, commit: str, path: str) -> TreeItem | None:
        try:
            return lookup(self._objects, self._objects.commit(commit).tree, path)
        except GitmemError:
            return None

    def _was_written(self, source: Source, now: bytes) -> bool:
        """Is this a version that a commit after the view's has?"""
        entry_id = peek_id(self._objects.blob(source.blob))
        base = queries.commit_named(self.snapshot.record, self.base or "")
        if entry_id is None or base is None:
            return False
        for row in self.snapshot.history(entry_id):
            if row.commit.seq > base.seq and row.path:
                item = self._item(row.commit.sha, row.path)
                if item is not None and self._holds(source, item, now):
                    return True
        return False

    def _holds(self, source: Source, item: TreeItem, now: bytes) -> bool:
        if source.body is None:
            return item.sha == _blob_sha(now)
        from gitmem.document.codec import decode

        try:
            body = decode(self._objects.blob(item.sha)).content.get("body") or ""
        except GitmemError:
            return False
        return now == body_bytes(body)

    def _leave(self, path: str, old: Source | None) -> None:
        self._done.edited.append(path)
        base = self.base or ""
        if old is None and self.base is not None:
            # A file that somebody made where none was: it comes from no commit.
            base = ""
        self._state.leave(self.place.root, path, base)
        self.left.setdefault(path, base)

    def _settle(self, path: str) -> None:
        if path in self.left:
            self._state.settle(self.place.root, path)
            del self.left[path]

    def _render(self, names: Iterable[str]) -> None:
        for name in sorted(names):
            try:
                self._render_one(name)
            except InTheWay as error:
                self._done.blocked.append(f"the view lacks {name}: {error}")

    def _render_one(self, name: str) -> None:
        want = pages.render(self.snapshot, name, self.place.prefix)
        now = self.files.read(name)
        if now == want:
            return
        if now is not None and not pages.is_intact(now):
            self._done.edited.append(name)
        elif want is None:
            self.files.remove(name)
            self._done.removed.append(name)
        else:
            self._write(name, want)

    def _finish(self) -> None:
        if self.base != self.snapshot.commit:
            self._state.set_view(self.place.root, self.snapshot.commit)
            self.base = self.snapshot.commit


def _blob_sha(data: bytes) -> str:
    return object_sha("blob", data)
