"""One direct edit becomes one commit: an update, a new entry, or a config key.

The same rules as for every other write. What an edit may not change is put back with a warning
(marks, dates) or refused (another id or category).
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

from gitmem.document.codec import decode, encode
from gitmem.features.answers import Answer
from gitmem.features.view.contents import PLAIN_FOLDER, is_plain_path
from gitmem.features.view.edits import Edit
from gitmem.features.workspace import Workspace
from gitmem.features.write.fix import fixed
from gitmem.features.write.pipeline import apply_update, texts_of, usable_category
from gitmem.features.write.secrets import refuse_secrets
from gitmem.git.objects import TreeItem
from gitmem.git.tree import lookup
from gitmem.index import queries
from gitmem.model.categories import ACTIVE, Tier, category_named
from gitmem.model.config import Config
from gitmem.model.entry import Entry
from gitmem.model.errors import (
    ConfigError,
    InputError,
    OccConflict,
    PathError,
    PreconditionError,
    ValidationError,
)
from gitmem.model.slug import ID, slug_for, slugify
from gitmem.model.times import format_time
from gitmem.model.validate import MAX_TITLE, validate_entry
from gitmem.store.change import Change
from gitmem.store.layout import CONFIG_PATH, SUFFIX, address_of
from gitmem.store.ops.create import create as create_change
from gitmem.store.ops.create import folder_of
from gitmem.store.ops.repair import unused_id
from gitmem.store.ops.settings import set_key
from gitmem.store.ops.update import require_active
from gitmem.store.snapshot import Stored
from gitmem.store.transaction import Transaction

_MARKS = {
    "pinned": "gitmem pin",
    "snoozed_until": "gitmem snooze",
    "reviewed": "gitmem review",
    "superseded_by": "gitmem supersede",
    "appreciation": "gitmem appreciate",
}
_COMMENT = re.compile(r"(?:^|[ \t])(#.*)")
_KEY = re.compile(r"^([A-Za-z_][\w-]*):", re.MULTILINE)


class NothingNew(Exception):
    """The file differs, what it says does not."""


def take_over(workspace: Workspace, txn: Transaction, edit: Edit) -> Answer:
    """Make the commit of an edit. GitmemError: it can't be taken over; NothingNew: it says
    nothing new."""
    match edit.kind:
        case "config":
            return _config(txn, edit)
        case "page":
            raise PreconditionError(
                "this page is rendered from the entries: an edit of it changes nothing",
                fix="edit the entry that it names",
            )
        case "unknown":
            raise PathError(
                f"no entry may lie at {edit.path}",
                fix="put it at tier/folder/name.md, such as register/notes/name.md, or at"
                f" {PLAIN_FOLDER}/name",
            )
    if edit.source is None:
        return _new(workspace, txn, edit)
    return _update(workspace, txn, edit)


# Updates


def _update(workspace: Workspace, txn: Transaction, edit: Edit) -> Answer:
    one, old = _edited_entry(txn, edit)
    warnings: list[str] = []
    if edit.kind == "plain":
        new = replace(old, content={**old.content, "body": _text(edit.data)})
    else:
        given = decode(edit.data)
        _require_same(old, given)
        new = _with_marks_of(old, given, warnings)
        warnings += _lost_comments(edit.data, given)
    category = txn.snapshot.config.category(one.category) or category_named(one.category)
    if new == old or fixed(new, category, cap=False).entry == old:
        raise NothingNew
    require_active(one, "an edit")
    answer = apply_update(workspace, txn, one, old, new, category, "", edit.base)
    return replace(answer, warnings=(*warnings, *answer.warnings))


def _edited_entry(txn: Transaction, edit: Edit) -> tuple[Stored, Entry]:
    """The entry that an edited file is a version of, if it hasn't moved on."""
    assert edit.source is not None
    path = edit.source.tree_path
    row = queries.entry_at(txn.snapshot.index, path)
    one = txn.snapshot.with_id(row.id) if row is not None else None
    if one is None or one.path != path or not edit.base:
        raise OccConflict(
            f"the entry at {path} has changed since this file was edited",
            expected=edit.base or None,
            got=txn.commit,
            fix="compare the file that was set aside with the one that is there now",
        )
    return one, txn.snapshot.blob_entry(one)


def _require_same(old: Entry, new: Entry) -> None:
    for name, before, after in (
        ("id", old.id, new.id),
        ("category", old.category, new.category),
    ):
        if before != after:
            raise ValidationError(
                f"{name} is {after}, and can't be changed from {before}",
                field=name,
                expected=before,
                got=after,
                fix="put it back; for another entry make another file",
            )


def _with_marks_of(old: Entry, new: Entry, warnings: list[str]) -> Entry:
    """The new text with the old date and marks: those have commands of their own."""
    for name, command in _MARKS.items():
        if getattr(old, name) != getattr(new, name):
            warnings.append(f"{name} stays as it was: use `{command}`")
    if old.created != new.created:
        warnings.append(f"created stays as it was: {old.created}")
    return replace(
        new,
        created=old.created,
        pinned=old.pinned,
        snoozed_until=old.snoozed_until,
        reviewed=old.reviewed,
        superseded_by=old.superseded_by,
        appreciation=old.appreciation,
    )


def _lost_comments(data: bytes, entry: Entry) -> list[str]:
    """Comments beside known keys, which the canonical form has no place for."""
    text = data.decode("utf-8", "replace").replace("\r\n", "\n")
    kept = encode(entry).decode()
    head = text.lstrip().removeprefix("---").partition("\n---")[0]
    found = (_COMMENT.search(line) for line in head.split("\n"))
    lost = [comment[1].strip() for comment in found if comment and comment[1].strip() not in kept]
    return [f"the comment {text!r} isn't kept" for text in lost]


# New entries


def _new(workspace: Workspace, txn: Transaction, edit: Edit) -> Answer:
    tier, folder, name = _place(edit)
    warnings: list[str] = []
    if edit.kind == "plain":
        entry = _plain_entry(workspace, txn, name, edit.data)
        slug = None
    else:
        entry = _file_entry(workspace, txn, folder, edit.data, warnings)
        stem = name.removesuffix(SUFFIX)
        slug = stem if slugify(stem) == stem and slug_for(stem, "") == stem else None
    if tier == "working" and workspace.by_agent and not txn.snapshot.config.get("working.agents"):
        tier = "register"
        warnings.append("it went to the register: working memory is for people here")
    category = usable_category(txn, entry.category, workspace.by_agent)
    better = fixed(entry, category)
    validate_entry(better.entry, category)
    refuse_secrets(texts_of(better.entry, ""))
    change = create_change(txn, better.entry, tier, now=workspace.now, slug=slug)
    made = txn.apply(change)
    target = str(address_of(change.touched[0].path))
    return Answer(
        "created",
        entry.id,
        target,
        better.entry.title,
        made.commit,
        warnings=(*warnings, *better.warnings),
    )


def _place(edit: Edit) -> tuple[Tier, str, str]:
    """Tier, folder and name that a new file asks for."""
    if edit.kind == "plain":
        return "register", PLAIN_FOLDER, edit.path.removeprefix(f"{PLAIN_FOLDER}/")
    parts = edit.path.split("/")
    if parts[0] == "graph":
        parts = ["register", *parts]
    tier = next((tier for tier in ACTIVE if tier == parts[0]), None)
    if tier is None or len(parts) < 3:
        raise PathError(
            f"a new entry can't begin at {edit.path}",
            fix="put it at working/folder/name.md or register/folder/name.md",
        )
    return tier, parts[1], parts[-1]


def _plain_entry(workspace: Workspace, txn: Transaction, path: str, data: bytes) -> Entry:
    if not is_plain_path(path):
        raise PathError(
            f"{PLAIN_FOLDER}/{path} is no name that every system can hold",
            got=path,
            fix="use letters, digits, blanks, `.`, `-` and `_`, and no device names",
        )
    title = path if len(path) <= MAX_TITLE else "…" + path[-(MAX_TITLE - 1) :]
    created = format_time(workspace.now)
    content = {"path": path, "body": _text(data)}
    return Entry(unused_id(txn), "file", title, created, tags=("untagged",), content=content)


def _file_entry(
    workspace: Workspace, txn: Transaction, folder: str, data: bytes, warnings: list[str]
) -> Entry:
    entry = decode(_completed(workspace, txn, folder, data))
    warnings += _lost_comments(data, entry)
    expected = folder_of(txn, entry.category)
    if expected != folder:
        raise ValidationError(
            f"an entry of category {entry.category} lies in {expected}, not in {folder}",
            field="category",
            expected=expected,
            got=folder,
            fix=f"move the file into {expected}/, or correct its category",
        )
    held = queries.id_was_held(txn.snapshot.record, entry.id)
    if held or not ID.match(entry.id):
        entry = replace(entry, id=unused_id(txn))
    blank = Entry("", "", "", "")
    dropped = [name for name in _MARKS if getattr(entry, name) != getattr(blank, name)]
    warnings += [f"{name} isn't taken from a new file: use `{_MARKS[name]}`" for name in dropped]
    return _with_marks_of(replace(blank, created=entry.created), entry, [])


def _completed(workspace: Workspace, txn: Transaction, folder: str, data: bytes) -> bytes:
    """A file as people write it: what follows from its place and the clock is filled in."""
    text = _text(data)
    head, line, rest = text.partition("\n")
    keys = rest.partition("\n---")[0]
    if head.rstrip() != "---" or not line:
        return data
    known = set(_KEY.findall(keys))
    category = txn.snapshot.config.folder_category(folder)
    defaults = {
        "id": unused_id(txn),
        "category": category.name if category else "",
        "created": format_time(workspace.now),
    }
    added = [f"{key}: {value}" for key, value in defaults.items() if key not in known and value]
    return "\n".join([head, *added, rest]).encode()


def _text(data: bytes) -> str:
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise InputError("it isn't UTF-8", fix="save it as UTF-8") from None


# Config


def _config(txn: Transaction, edit: Edit) -> Answer:
    """Each key that the edited config.json sets anew is one commit."""
    new = Config.from_json(edit.data)
    if new.broken:
        raise ConfigError(new.broken, fix="correct the JSON")
    old = txn.snapshot.config.raw
    changed: dict[str, Any] = {
        key: value for key, value in new.raw.items() if key not in old or old[key] != value
    }
    lost = sorted(key for key in old if key not in new.raw)
    if lost:
        raise ConfigError(
            f"config.json lacks {', '.join(lost)}: a key can't be taken out here",
            fix="set it with `gitmem config set`",
        )
    if not changed:
        raise NothingNew
    if not edit.base or _config_at(txn, edit.base) != _config_at(txn, txn.base or ""):
        raise OccConflict(
            "config.json has changed since it was edited",
            fix="set the key with `gitmem config set`",
        )
    refuse_secrets((key, str(value)) for key, value in changed.items())
    _check_all(txn.snapshot.config, changed)
    commit = txn.commit or ""
    for key, value in changed.items():
        change = set_key(txn, key, value)
        commit = txn.apply(change).commit if isinstance(change, Change) else commit
    return Answer("updated", "", CONFIG_PATH, ", ".join(changed), commit)


def _config_at(txn: Transaction, commit: str) -> TreeItem | None:
    return lookup(txn.objects, txn.objects.commit(commit).tree, CONFIG_PATH)


def _check_all(config: Config, changed: dict[str, Any]) -> None:
    """All keys or none: a refusal halfway would leave commits of the others."""
    for key, value in changed.items():
        config = config.with_value(key, value)
