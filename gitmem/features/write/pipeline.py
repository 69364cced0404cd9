"""The one write pipeline, for people, hooks, servers and agents alike.

create: input, auto-fix, validation, secrets, then the store's rules. update: the entry, input,
auto-fix with immutable fields put back, validation, merge protections, secrets, rename, expected
commit. Everything is decided against the state that the commit is built on.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import PurePosixPath

from gitmem.features.answers import Answer
from gitmem.features.facts import is_update
from gitmem.features.workspace import Workspace, require_expected
from gitmem.features.write import protect
from gitmem.features.write.draft import Draft, new_entry, patched, replaced
from gitmem.features.write.fix import fixed
from gitmem.features.write.flags import fields_from_flags
from gitmem.features.write.reason import checked_reason
from gitmem.features.write.secrets import refuse_secrets
from gitmem.features.write.similar import Row, asked_words, similar
from gitmem.index import queries
from gitmem.model.categories import GRAPH_FOLDER, Category, Tier
from gitmem.model.entry import Entry
from gitmem.model.errors import InputError, PreconditionError
from gitmem.model.text import one_line, valid_text
from gitmem.model.validate import validate_entry
from gitmem.store.change import Change
from gitmem.store.layout import address_of
from gitmem.store.ops.create import create as create_change
from gitmem.store.ops.create import folder_of
from gitmem.store.ops.repair import unused_id
from gitmem.store.ops.update import edit, require_active, slug_is_free
from gitmem.store.snapshot import Stored
from gitmem.store.transaction import Transaction

TITLE_LENGTH = 120
_LOOK = 100
_COMPARE = 12
"""For `similar`: entries looked at for each word, and those compared in full."""


@dataclass(frozen=True, slots=True)
class NewEntry:
    """What a create is asked for."""

    category: str
    draft: Draft
    tier: Tier | None = None
    slug: str | None = None
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Edit:
    """What an update is asked for: a whole `document`, or `fields` as name=value texts."""

    ref: str
    document: Draft | None = None
    fields: tuple[str, ...] = ()
    patch: Draft | None = None
    more_tags: tuple[str, ...] = ()
    """Tags to add to those that the entry has."""
    reason: str = ""
    expect: str | None = None


def create(workspace: Workspace, wanted: NewEntry) -> Answer:
    """Make an entry. It lands in the register unless a tier is named."""

    def plan(txn: Transaction) -> Answer:
        category = usable_category(txn, wanted.category, workspace.by_agent)
        draft = wanted.draft
        given = new_entry(draft, category, workspace.now, unused_id(txn))
        better = fixed(given, category)
        entry = better.entry
        validate_entry(entry, category)
        reason = checked_reason(wanted.reason or draft.reason)
        refuse_secrets([*texts_of(entry, reason), *_texts("tags", given.tags)])
        alike = similar(entry.title, entry.tags, _alike(txn, entry))
        change = create_change(
            txn,
            entry,
            wanted.tier or "register",
            now=workspace.now,
            slug=wanted.slug,
            reason=reason,
        )
        made = txn.apply(change)
        return Answer(
            "created",
            entry.id,
            _target(change),
            entry.title,
            made.commit,
            warnings=better.warnings,
            similar=tuple(alike),
        )

    return _finished(workspace, plan)


def remember(workspace: Workspace, text: str, *, tags: tuple[str, ...] = ()) -> Answer:
    """Keep a text as a note: in working memory when a person says it, else in the register."""
    body = valid_text(text)
    if not body:
        raise InputError("there is nothing to remember", fix='say it: gitmem remember "text"')
    config = workspace.store.snapshot().config
    working = not workspace.by_agent or bool(config.get("working.agents"))
    given = {"title": title_of(body), "tags": list(tags), "content": {"body": body}}
    return create(
        workspace, NewEntry("note", Draft(given), tier="working" if working else "register")
    )


def title_of(body: str) -> str:
    """The first line, cut at a word to at most 120 characters."""
    line = one_line(body.lstrip("\n").split("\n", 1)[0])
    if len(line) <= TITLE_LENGTH:
        return line
    head = line[: TITLE_LENGTH + 1].rpartition(" ")[0]
    return head.rstrip() or line[:TITLE_LENGTH]


def update(workspace: Workspace, wanted: Edit) -> Answer:
    """Change an entry: the whole of it, or single fields."""

    def plan(txn: Transaction) -> Answer:
        one = txn.snapshot.find(wanted.ref)
        require_active(one, "an update")
        category = usable_category(txn, one.category, False)
        old = txn.snapshot.blob_entry(one)
        new, reason = _asked(old, wanted, category)
        return apply_update(workspace, txn, one, old, new, category, reason, wanted.expect)

    return _finished(workspace, plan)


def apply_update(
    workspace: Workspace,
    txn: Transaction,
    one: Stored,
    old: Entry,
    new: Entry,
    category: Category,
    reason: str,
    expect: str | None = None,
) -> Answer:
    """Judge a new version of an entry and make its commit."""
    better = fixed(new, category, cap=False)
    validate_entry(better.entry, category)
    safe = protect.protected(old, better.entry, category, _exists_in(workspace))
    entry = safe.entry
    refuse_secrets([*texts_of(entry, reason), *_texts("tags", new.tags)])
    warnings = [*better.warnings, *safe.warnings]
    slug = protect.renamed_slug(old, entry, one.address.slug)
    if one.address.folder == GRAPH_FOLDER:
        slug = None
    if slug is not None and not slug_is_free(txn, one, slug):
        warnings.append(f"the entry keeps its slug: {one.address.folder}/{slug} is taken")
        slug = None
    protect.require_change(old, entry)
    require_expected(txn, one, expect)
    change = edit(txn, "update", one, old, entry, slug=slug, reason=reason)
    made = txn.apply(change)
    return Answer(
        "updated",
        one.id,
        _target(change),
        entry.title,
        made.commit,
        warnings=tuple(warnings),
        times_updated=sum(1 for row in txn.snapshot.history(one.id) if is_update(row)),
        renamed_from=str(one.address) if slug is not None else None,
    )


def _asked(old: Entry, wanted: Edit, category: Category) -> tuple[Entry, str]:
    """The version that is asked for, and why."""
    reason = wanted.reason
    new = old
    if wanted.document is not None:
        new = replaced(new, wanted.document, category)
        reason = reason or wanted.document.reason
    if wanted.patch is not None:
        new = patched(new, wanted.patch, category)
    if wanted.fields:
        new = patched(new, fields_from_flags(category, wanted.fields), category)
    if wanted.more_tags:
        new = patched(new, Draft({"tags": [*new.tags, *wanted.more_tags]}), category)
    return new, checked_reason(reason)


def usable_category(txn: Transaction, name: str, by_agent: bool) -> Category:
    """The category of that name; agents may be kept from creating entries of some."""
    config = txn.snapshot.config
    folder_of(txn, name)
    category = config.category(name)
    assert category is not None
    if by_agent and not config.get(f"categories.{name}.enabled"):
        raise PreconditionError(
            f"agents may not create entries of category {name} here",
            field="category",
            got=name,
            fix=f"a person can, or runs `gitmem config set categories.{name}.enabled true`",
        )
    return category


def texts_of(entry: Entry, reason: str) -> Iterator[tuple[str, str]]:
    """Every text that a writer chose, with its field, for the search for secrets.

    Tags are searched as they were given too: in lower case many a secret looks like none.
    """
    yield "reason", reason
    for name in ("title", "tags", "related_files", "when", "keywords"):
        yield from _texts(name, getattr(entry, name))
    for name, value in entry.content.items():
        yield from _texts(f"content.{name}", value)
    if entry.extra:
        yield "extra", entry.extra.preamble
        yield from (("extra", key.source) for key in entry.extra.keys)
        yield from (("extra", f"{part.heading}\n{part.text}") for part in entry.extra.sections)


def _texts(name: str, value: object) -> Iterator[tuple[str, str]]:
    if isinstance(value, str):
        yield name, value
    elif isinstance(value, dict):
        for key, inner in value.items():
            yield from _texts(f"{name}.{key}", inner)
    elif isinstance(value, list | tuple):
        for inner in value:
            yield from _texts(name, inner)


def _alike(txn: Transaction, entry: Entry) -> Iterator[Row]:
    asked = sorted(asked_words(entry.title, entry.tags))
    words = [f"{word}*" if len(word) > 3 else word for word in asked]
    for row in queries.entries_matching(txn.snapshot.index, words, look=_LOOK, most=_COMPARE):
        yield Row(row.id, row.title, row.tags)


def _exists_in(workspace: Workspace) -> Callable[[str], bool]:
    root = workspace.work_tree

    def exists(path: str) -> bool:
        if root is None:
            return False
        inside = PurePosixPath(path)
        return not inside.is_absolute() and ".." not in inside.parts and (root / inside).exists()

    return exists


def _finished(workspace: Workspace, plan: Callable[[Transaction], Answer]) -> Answer:
    answer, written = workspace.write(plan)
    return replace(answer, warnings=answer.warnings + written.warnings)


def _target(change: Change) -> str:
    return str(address_of(change.touched[0].path))
