"""Auto-fix: what a writer meant, in valid form, before anything is validated.

Only what is certain is put right: text in valid form, tags in theirs, a confidence within 0..1.
Values of a wrong type stay as they are, for validation to name them. What changed visibly is
reported, so that nothing is altered in silence.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from gitmem.document.fences import close_fences
from gitmem.model.categories import GRAPH_FOLDER, GROUPED, Category
from gitmem.model.entry import Entry
from gitmem.model.text import item_text, one_line, valid_text

TAG_CAP = 12
UNTAGGED = "untagged"

_ARROW = " -> "
_MARKER = "#tags:"


@dataclass(frozen=True, slots=True)
class Fixed:
    """An entry with every text in valid form, and what changed visibly on the way."""

    entry: Entry
    warnings: tuple[str, ...] = ()


def fixed(entry: Entry, category: Category, *, cap: bool = True) -> Fixed:
    """The entry put right. An update caps its tags after the merge rule: `cap=False` here."""
    warnings: list[str] = []
    tags = _fixed_tags(entry.tags, warnings)
    if cap and isinstance(tags, tuple):
        tags = capped_tags(tags, (), warnings)
    better = replace(
        entry,
        title=_fixed_title(entry.title, category, warnings),
        tags=tags,
        related_files=_text_set(entry.related_files),
        confidence=_fixed_confidence(entry.confidence, warnings),
        when=_one_line(entry.when) or None,
        keywords=_text_set(entry.keywords),
        content=_fixed_content(entry.content, category),
    )
    return Fixed(better, tuple(warnings))


def capped_tags(tags: tuple[str, ...], old: Iterable[str], warnings: list[str]) -> tuple[str, ...]:
    """At most 12 tags: new ones go first, and an old one never while a new one stays."""
    if len(tags) <= TAG_CAP:
        return tags
    before = set(old)
    kept = [tag for tag in tags if tag in before]
    new = [tag for tag in tags if tag not in before]
    room = max(0, TAG_CAP - len(kept))
    if new[room:]:
        warnings.append(f"tags: at most {TAG_CAP}, left out: {', '.join(new[room:])}")
    return tuple(sorted(kept + new[:room]))


def _fixed_title(title: Any, category: Category, warnings: list[str]) -> Any:
    if not isinstance(title, str):
        return title
    line = one_line(title)
    # An entity's title is its name, exact: relations refer to it.
    if category.folder == GRAPH_FOLDER or (_ARROW not in line and _MARKER not in line):
        return line
    plain = _until_stable(line, lambda text: text.replace(_MARKER, "").replace(_ARROW, " - "))
    warnings.append(f"title became: {plain}")
    return plain


def _until_stable(text: str, step: Callable[[str], str]) -> str:
    """Taking a marker out may put another one together."""
    while (after := one_line(step(text))) != text:
        text = after
    return text


def _fixed_tags(tags: Any, warnings: list[str]) -> Any:
    if not isinstance(tags, tuple):
        return tags
    words = {_fixed_tag(tag) for tag in tags if isinstance(tag, str)} - {""}
    after = tuple(sorted(words)) or (UNTAGGED,)
    given = {one_line(tag) if isinstance(tag, str) else tag for tag in map(_hashable, tags)}
    if given - {""} not in (set(), set(after)):
        warnings.append(f"tags became: {', '.join(after)}")
    return after


def _hashable(tag: Any) -> Any:
    return tag if isinstance(tag, str) else repr(type(tag))


def _fixed_tag(tag: str) -> str:
    word = one_line(tag).lower()
    if "," not in word and _ARROW not in word and _MARKER not in word:
        return one_line(word)

    def step(text: str) -> str:
        return text.replace(",", " ").replace(_ARROW, " ").replace(_MARKER, "")

    return _until_stable(word, step)


def _fixed_confidence(value: Any, warnings: list[str]) -> Any:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return value
    if isinstance(value, float) and not math.isfinite(value):
        return value
    within = round(float(min(max(value, 0), 1)), 4)
    if not 0 <= value <= 1:
        warnings.append(f"confidence became {within}: it lies between 0 and 1")
    return within


def _one_line(value: Any) -> Any:
    return one_line(value) if isinstance(value, str) else value


def _prose(value: Any) -> Any:
    return valid_text(value) if isinstance(value, str) else value


def _section_prose(value: Any) -> Any:
    # An open fence would swallow the sections behind it.
    return close_fences(valid_text(value)) if isinstance(value, str) else value


def _text_set(values: Any) -> Any:
    """A list of the frontmatter is a set: sorted, nothing twice, nothing empty."""
    if not isinstance(values, list | tuple) or not all(isinstance(v, str) for v in values):
        return values
    kind = type(values)
    return kind(sorted({one_line(value) for value in values} - {""}))


def _fixed_content(content: Any, category: Category) -> Any:
    if not isinstance(content, Mapping):
        return content
    fixers = _fixers(category)
    group, members = GROUPED.get(category.name, ("", ()))
    better: dict[str, Any] = {}
    for name, value in content.items():
        if name == group and isinstance(value, Mapping):
            inner = _fixed_fields(value, fixers)
            if inner:
                better[name] = inner
        elif name in members:
            better[name] = value
        else:
            better |= _fixed_fields({name: value}, fixers)
    return better


def _fixed_fields(
    fields: Mapping[str, Any], fixers: Mapping[str, Callable[[Any], Any]]
) -> dict[str, Any]:
    """Fields in valid form; one that is null, or empty where that means absent, goes."""
    better = {}
    for name, value in fields.items():
        fixer = fixers.get(name)
        after = value if fixer is None or value is None else fixer(value)
        if after is not None:
            better[name] = after
    return better


def _fixers(category: Category) -> dict[str, Callable[[Any], Any]]:
    fixers = _cache.get(category.name)
    if fixers is None:
        fixers = {part.name: _SECTION_FIXERS[part.kind] for part in category.sections}
        fixers |= {part.name: _unique_items for part in category.sections if part.unique}
        for key in category.keys:
            plain = _text_set if key.kind == "list" else _one_line
            fixers[key.name] = plain if key.required else _or_absent(plain)
        if category.free_body:
            fixers["body"] = _or_absent(_prose)
        _cache[category.name] = fixers
    return fixers


_cache: dict[str, dict[str, Callable[[Any], Any]]] = {}


def _or_absent(fixer: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """A key or a free body that is empty isn't there."""

    def fix(value: Any) -> Any:
        after = fixer(value)
        return None if after in ("", [], ()) else after

    return fix


def _items(values: Any) -> Any:
    if not isinstance(values, list | tuple):
        return values
    return [item_text(value) if isinstance(value, str) else value for value in values]


def _unique_items(values: Any) -> Any:
    items = _items(values)
    if not isinstance(items, list) or not all(isinstance(item, str) for item in items):
        return items
    return list(dict.fromkeys(items))


def _alternatives(values: Any) -> Any:
    if not isinstance(values, list | tuple):
        return values
    return [_alternative(value) for value in values]


def _alternative(value: Any) -> Any:
    if not isinstance(value, Mapping) or "option" not in value:
        return value
    reason = value.get("rejected_reason")
    return {
        **value,
        "option": _one_line(value["option"]),
        "rejected_reason": "" if reason is None else _prose(reason),
    }


_SECTION_FIXERS: dict[str, Callable[[Any], Any]] = {
    "prose": _section_prose,
    "list": _items,
    "alternatives": _alternatives,
}
