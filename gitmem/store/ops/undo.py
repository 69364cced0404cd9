"""undo: the inverse of one commit, as long as nothing that it touched has moved on."""

from __future__ import annotations

from dataclasses import replace

from gitmem.document.identify import peek_id
from gitmem.document.message import parse_message
from gitmem.git.objects import Commit, TreeItem
from gitmem.git.tree import PathDiff, diff_trees
from gitmem.index import queries
from gitmem.model.config import Config
from gitmem.model.errors import NotFound, UpdateError
from gitmem.store.change import Blob, Change, FileEdit, Touched
from gitmem.store.compare import BadFile, read_file
from gitmem.store.layout import CONFIG_PATH, address_of
from gitmem.store.root import ROOT_COMMIT
from gitmem.store.snapshot import stored
from gitmem.store.transaction import Transaction

_ABSENT = object()


def undo(txn: Transaction, sha: str, reason: str = "") -> Change:
    """The commit that takes back what `sha` did."""
    if queries.commit_named(txn.snapshot.record, sha) is None:
        raise NotFound(
            f"the memory branch has no commit {sha}", got=sha, fix="`gitmem log` lists them"
        )
    commit = txn.objects.commit(sha)
    _refuse_kinds(commit)
    parent = txn.objects.commit(commit.parents[0])
    diffs = diff_trees(txn.objects, parent.tree, commit.tree)
    if not diffs:
        raise UpdateError(
            f"{sha[:12]} changed no entry: there is nothing to undo",
            fix="see `gitmem log` for the commits that changed something",
        )
    files: dict[str, FileEdit] = {}
    for diff in diffs:
        if diff.path == CONFIG_PATH:
            files[CONFIG_PATH] = _config_before(txn, diff, sha)
        else:
            _require_unmoved(txn, diff, sha)
            _require_free(txn, diff, sha)
            files[diff.path] = Blob(diff.old.sha) if diff.old else None
    message = parse_message(commit.message)
    return Change(
        op="undo",
        files=files,
        touched=_touched(txn, diffs),
        subject=message.title,
        reason=reason,
        undoes=(sha,),
    )


def _refuse_kinds(commit: Commit) -> None:
    if commit.sha == ROOT_COMMIT or not commit.parents:
        raise UpdateError(
            f"{commit.sha[:12]} is the first commit of the store", fix="undo a later one"
        )
    if len(commit.parents) > 1:
        raise UpdateError(
            f"{commit.sha[:12]} is a merge: a merge can't be undone",
            fix="undo the commits that it brought, one by one",
        )


def _require_unmoved(txn: Transaction, diff: PathDiff, sha: str) -> None:
    if txn.item(diff.path) == diff.new:
        return
    raise UpdateError(
        f"{diff.path} has changed since {sha[:12]}: undoing it would lose the later change",
        got=diff.path,
        fix="undo the later commits first (`gitmem log` lists them), or make the change by hand"
        " with `gitmem update`",
        path=diff.path,
    )


def _require_free(txn: Transaction, diff: PathDiff, sha: str) -> None:
    """What comes back needs its slug, unless it only moves back from another tier."""
    address = address_of(diff.path)
    if diff.old is None or diff.new is not None or address is None:
        return
    own = peek_id(txn.objects.blob(diff.old.sha))
    rivals = [
        one
        for one in map(stored, queries.entries_with_slug(txn.snapshot.index, address.slug))
        if one.address.folder == address.folder and one.id != own
    ]
    if rivals:
        raise UpdateError(
            f"{rivals[0].address} has the slug that undoing {sha[:12]} would bring back",
            got=str(rivals[0].address),
            fix="give that entry another title first, then undo again",
        )


def _config_before(txn: Transaction, diff: PathDiff, sha: str) -> bytes:
    """config.json without what the commit did; keys that it didn't touch stay as they are."""
    old, new = _config(txn, diff.old), _config(txn, diff.new)
    now = dict(txn.snapshot.config.raw)
    for key in {*old.raw, *new.raw}:
        before, after = old.raw.get(key, _ABSENT), new.raw.get(key, _ABSENT)
        if before == after:
            continue
        if now.get(key, _ABSENT) != after:
            raise UpdateError(
                f"config key {key} has changed since {sha[:12]}",
                field=key,
                fix="set it with `gitmem config set`",
            )
        if before is _ABSENT:
            now.pop(key, None)
        else:
            now[key] = before
    return replace(old, raw=now).to_bytes()


def _config(txn: Transaction, item: TreeItem | None) -> Config:
    return Config.from_json(txn.objects.blob(item.sha) if item else None)


def _touched(txn: Transaction, diffs: list[PathDiff]) -> tuple[Touched, ...]:
    """The entries of the inverse: what came back, moved back or went."""
    gone = _entries(txn, [(diff.path, diff.new) for diff in diffs])
    back = _entries(txn, [(diff.path, diff.old) for diff in diffs])
    touched = [
        replace(one, from_path=gone[one.id].path if one.id in gone else None)
        for one in back.values()
    ]
    touched = [
        replace(one, from_path=None) if one.from_path == one.path else one for one in touched
    ]
    return tuple(touched + [one for one in gone.values() if one.id not in back])


def _entries(txn: Transaction, items: list[tuple[str, TreeItem | None]]) -> dict[str, Touched]:
    found: dict[str, Touched] = {}
    for path, item in items:
        row = read_file(txn.objects, path, item) if item else None
        if row is not None and not isinstance(row, BadFile):
            found[row.id] = Touched(row.id, row.category, row.title, path, fields=None)
    return found
