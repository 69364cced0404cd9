"""Changes become commits: objects into one pack, rows into the index, then one move of the ref.

Nothing is visible before `publish` moves the ref by compare-and-swap (I4); until then an abort,
a crash or Ctrl-C leaves the old state. Operations see what earlier changes of the same
transaction did through `snapshot`.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from gitmem.document.codec import encode
from gitmem.document.message import encode_message
from gitmem.git.commits import Signature, commit_data, reflog_person
from gitmem.git.fold import note_pack
from gitmem.git.locate import Location
from gitmem.git.objects import Objects, TreeItem, new_object
from gitmem.git.pack import PackWriter
from gitmem.git.ref import Refs
from gitmem.git.tree import PathDiff, TreeDraft
from gitmem.index import queries, rows
from gitmem.index.db import Index
from gitmem.model.config import Config
from gitmem.model.entry import Entry
from gitmem.store.catchup import add_usage, put_file, verify_commit
from gitmem.store.change import Blob, Change, FileEdit, Origin, Touched, message_of
from gitmem.store.compare import (
    ONLY_TREES_TELL,
    REGULAR,
    change_row,
    changes_of,
    commit_row,
    entry_row,
)
from gitmem.store.layout import CONFIG_PATH, address_of
from gitmem.store.root import ROOT_AUTHOR, ROOT_OP, ROOT_ORIGIN, root_change
from gitmem.store.snapshot import Snapshot


@dataclass(frozen=True, slots=True)
class Made:
    """A commit that a transaction made. It counts once the transaction is published."""

    commit: str
    change: Change


class Transaction:
    """A chain of commits on `base` that isn't published yet."""

    def __init__(
        self,
        *,
        location: Location,
        ref: str,
        objects: Objects,
        index: Index,
        base: str | None,
        config: Config,
        origin: Origin,
        author: Signature,
        code: tuple[str, ...],
        sign: Callable[[bytes], bytes] | None = None,
        draft: TreeDraft | None,
    ) -> None:
        self.location = location
        self.objects = objects
        self.base = base
        self.commit = base
        self.origin = origin
        self.made: list[Made] = []
        self._ref = ref
        self._index = index
        self._author = author
        self._code = code
        self._sign = sign
        self._config = config
        self._pack = PackWriter(location.common_dir, location.settings)
        self._packed = False
        self._draft = draft or TreeDraft(objects, objects.commit(base).tree if base else None)
        self._snapshot: Snapshot | None = None

    @property
    def draft(self) -> TreeDraft:
        """The tree after the changes made so far."""
        return self._draft

    @property
    def snapshot(self) -> Snapshot:
        """The state after the changes made so far."""
        if self._snapshot is None:
            self._snapshot = Snapshot(
                commit=self.commit or "",
                index=self._index,
                scope=None,
                config=self._config,
                listing=self._draft.listing,
                read_blob=self.objects.blob,
                record=self._index,
            )
        return self._snapshot

    def history_of_slug(self, folder: str, slug: str) -> list[queries.HistoryRow]:
        """What happened at a slug, by commits whose trees were compared."""
        return self._verified(lambda: queries.history_of_slug(self._index, folder, slug))

    def verified_history(self, entry_id: str) -> list[queries.HistoryRow]:
        """What happened to an entry, by commits whose trees were compared."""
        return self._verified(lambda: queries.history(self._index, entry_id))

    def _verified(self, read: Callable[[], list[queries.HistoryRow]]) -> list[queries.HistoryRow]:
        found = read()
        claims = {row.commit.sha for row in found if not row.verified}
        for sha in claims:
            verify_commit(self._index, self.objects, sha)
        return read() if claims else found

    def item(self, path: str) -> TreeItem | None:
        """What lies at a path now."""
        return self._draft.get(path)

    def apply(self, change: Change, origin: Origin | None = None) -> Made:
        """Make one commit of a change (I2), by the transaction's origin unless told another."""
        return self._commit(change, origin or self.origin, self._author, self._code)

    def apply_root(self) -> Made:
        """Make the first commit: the same in every store, whoever makes it."""
        return self._commit(root_change(), ROOT_ORIGIN, ROOT_AUTHOR, ())

    def _commit(
        self, change: Change, origin: Origin, author: Signature, code: tuple[str, ...]
    ) -> Made:
        before = {path: self._draft.get(path) for path in change.files}
        blobs = self._write_files(change.files, before)
        tree = self._draft.write(self._pack.add)
        message = message_of(change, origin, code)
        parents = (self.commit,) if self.commit else ()
        data = commit_data(tree, parents, author, author, encode_message(message))
        if self._sign is not None and change.op != ROOT_OP:
            signature = self._sign(data)
            data = commit_data(tree, parents, author, author, encode_message(message), signature)
        commit = new_object("commit", data)
        self._pack.add(commit)
        self.objects.add_pending(commit.kind, commit.sha, commit.data)
        seq = rows.add_commit(
            self._index,
            commit_row(commit.sha, author.time, parents, message),
            self._change_rows(change, before),
        )
        add_usage(self._index, seq, message)
        self._index_files(change.files, blobs, before)
        self.commit = commit.sha
        self._snapshot = None
        made = Made(commit.sha, change)
        self.made.append(made)
        return made

    def publish(self, refs: Refs, flock_held: bool) -> bool:
        """Make the commits durable, then move the ref. False: another writer was faster."""
        self._index.set_meta("commit", self.made[-1].commit)
        kept = self._pack.finish()
        self._packed = True
        try:
            moved = refs.move(
                self._ref,
                self.base,
                self.commit,
                who=reflog_person(self._author),
                message=f"gitmem: {self.made[0].change.op}",
                flock_held=flock_held,
            )
        finally:
            # Whatever came of it the pack stays, noted as ours before `.keep` goes so that a fold
            # finds it. When `move` failed nobody knows whether the ref has moved; and after a lost
            # race git may have dropped somebody's copy of an object because this pack had it too.
            note_pack(self.location, kept.name)
            kept.release()
        if not moved:
            self.abort()
        return moved

    def keep_index(self) -> None:
        """The ref has moved: what the transaction wrote into the index is true now."""
        self.objects.drop_pending()
        self._index.keep()

    def abort(self) -> None:
        """Leave the old state."""
        if not self._packed:
            self._pack.abort()
        self.objects.drop_pending()
        self._index.roll_back()

    def _write_files(
        self, files: Mapping[str, FileEdit], before: Mapping[str, TreeItem | None]
    ) -> dict[str, str]:
        blobs: dict[str, str] = {}
        # What goes away goes first: a file may take the place of a folder that it emptied.
        for path in (path for path, edit in files.items() if edit is None):
            self._draft.remove(path)
        for path, edit in files.items():
            if edit is None:
                continue
            if isinstance(edit, Blob):
                blobs[path] = edit.sha
            else:
                data = encode(edit) if isinstance(edit, Entry) else edit
                old = before[path] or next((item for item in before.values() if item), None)
                blob = new_object("blob", data, old.sha if old else None)
                self._pack.add(blob)
                self.objects.add_pending(blob.kind, blob.sha, blob.data)
                blobs[path] = blob.sha
            self._draft.put(path, TreeItem(REGULAR, blobs[path]))
        return blobs

    def _index_files(
        self,
        files: Mapping[str, FileEdit],
        blobs: Mapping[str, str],
        before: Mapping[str, TreeItem | None],
    ) -> None:
        left = {item.sha: path for path, item in before.items() if item and files[path] is None}
        for path, edit in files.items():
            address = address_of(path)
            if path == CONFIG_PATH:
                self._take_config(blobs[path])
            elif address is None or edit is None:
                continue
            elif isinstance(edit, Entry):
                row = entry_row(edit, address, path, blobs[path])
                rows.put_entry(self._index, row, new=before[path] is None)
            elif blobs[path] in left:
                rows.move_entry(
                    self._index, left[blobs[path]], path, address.tier, address.folder, address.slug
                )
            else:
                put_file(self._index, self.objects, path, TreeItem(REGULAR, blobs[path]))
        for path, edit in files.items():
            if edit is None:
                rows.remove_path(self._index, path)

    def _take_config(self, blob: str) -> None:
        data = self.objects.blob(blob)
        self._config = Config.from_json(data)
        self._index.set_meta("config", data.decode("utf-8", "replace"))

    def _change_rows(
        self, change: Change, before: Mapping[str, TreeItem | None]
    ) -> list[rows.ChangeRow]:
        if change.op not in ONLY_TREES_TELL:
            return [self._change_row(one, change, before) for one in change.touched]
        diffs = [PathDiff(path, old, self._draft.get(path)) for path, old in before.items()]

        def lies_elsewhere(entry_id: str) -> bool:
            found = queries.entries_with_id(self._index, entry_id)
            return any(one.path not in before for one in found)

        return changes_of(self.objects, diffs, lies_elsewhere)

    def _change_row(
        self, one: Touched, change: Change, before: Mapping[str, TreeItem | None]
    ) -> rows.ChangeRow:
        removed = one.path in change.files and change.files[one.path] is None
        origin = one.from_path or (one.path if before.get(one.path) else None)
        return change_row(one.id, None if removed else one.path, origin, fields=_fields_json(one))


def _fields_json(one: Touched) -> str | None:
    if not one.fields:
        return None if one.fields is None else "[]"
    return json.dumps([[field.field, field.old, field.new] for field in one.fields])
