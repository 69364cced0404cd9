"""Merge protections: what an update may not take away, and when it renames.

An update is made by somebody who saw part of the entry. Tags and related files therefore only
grow, lists that get shorter are reported, and an update that changes nothing is refused, not
committed. Nothing here reads the store.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from gitmem.features.write.fix import TAG_CAP, UNTAGGED, Fixed, capped_tags
from gitmem.model.categories import GROUPED, Category
from gitmem.model.entry import Entry
from gitmem.model.errors import MergeError, UpdateError
from gitmem.model.slug import is_device_name, slugify

RENAME_ABOVE = 0.5


def protected(old: Entry, new: Entry, category: Category, exists: Callable[[str], bool]) -> Fixed:
    """The update as it may be made, with warnings. MergeError where it takes too much away.

    `exists` says whether a related file is there; one that isn't may go.
    """
    _check_tags(old.tags, new.tags)
    _check_files(old.related_files, new.related_files, exists)
    warnings = list(_shrunk_lists(old, new, category))
    tags = capped_tags(new.tags, old.tags, warnings)
    return Fixed(new if tags == new.tags else replace(new, tags=tags), tuple(warnings))


def require_change(old: Entry, new: Entry) -> None:
    """UpdateError when two versions in canonical form are the same."""
    if old == new:
        raise UpdateError(
            f"nothing changes: {old.id} holds these values already",
            fix="change at least one field",
        )


def _check_tags(old: tuple[str, ...], new: tuple[str, ...]) -> None:
    removed = sorted(set(old) - set(new) - {UNTAGGED})
    if not removed or (len(old) >= TAG_CAP and set(new) - set(old)):
        return
    full = len(old) >= TAG_CAP
    rule = "a tag goes only when a new one comes" if full else "tags only grow"
    raise MergeError(
        f"the update drops the tags {', '.join(removed)}: {rule}",
        field="tags",
        rule=rule,
        removed=removed,
        fix=f"keep {', '.join(removed)}",
    )


def _check_files(old: tuple[str, ...], new: tuple[str, ...], exists: Callable[[str], bool]) -> None:
    removed = sorted(path for path in set(old) - set(new) if exists(path))
    if removed:
        raise MergeError(
            f"the update drops related files that exist: {', '.join(removed)}",
            field="related_files",
            rule="related files only grow, unless they are gone",
            removed=removed,
            fix=f"keep {', '.join(removed)}",
        )


def _shrunk_lists(old: Entry, new: Entry, category: Category) -> Iterator[str]:
    before, after = _lists(old.content, category), _lists(new.content, category)
    for name, count in before.items():
        left = after.get(name, 0)
        if left < count:
            yield f"content.{name} has {left} of {count} items left"


def _lists(content: Mapping[str, Any], category: Category) -> dict[str, int]:
    """How many items each list of the content has, by its dotted name."""
    group = GROUPED.get(category.name, ("",))[0]
    found = {}
    for name, value in content.items():
        if isinstance(value, list):
            found[name] = len(value)
        elif name == group and isinstance(value, Mapping):
            inner = {f"{group}.{member}": items for member, items in value.items()}
            found |= {key: len(items) for key, items in inner.items() if isinstance(items, list)}
    return found


def word_difference_ratio(one: str, other: str) -> float:
    """The share of words that only one of two titles has, from 0 to 1."""
    a, b = set(one.lower().split()), set(other.lower().split())
    return len(a ^ b) / len(a | b) if a or b else 0.0


def renamed_slug(old: Entry, new: Entry, slug: str) -> str | None:
    """The slug that a new title asks for, or None where the entry keeps its own.

    Whether that slug is free is for the store to say; where it isn't, the entry keeps its own.
    """
    if word_difference_ratio(old.title, new.title) <= RENAME_ABOVE:
        return None
    wanted = slugify(new.title)
    return None if wanted in ("", slug) or is_device_name(wanted) else wanted
