"""Fields given one by one (`--field name=value`) as a draft, typed by the table of categories."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from gitmem.features.write.draft import Draft
from gitmem.model.categories import GROUPED, Category
from gitmem.model.errors import UsageError, ValidationError

_TOP = {
    "title": "string",
    "confidence": "float",
    "when": "string",
    "tags": "words",
    "keywords": "words",
    "related_files": "list",
}
_ALIASES = {"tag": "tags", "keyword": "keywords", "related_file": "related_files"}
_SEVERAL = frozenset({"words", "list", "alternatives"})
_BOOLEANS = {"true": True, "yes": True, "on": True, "false": False, "no": False, "off": False}


def fields_from_flags(category: Category, fields: Iterable[str]) -> Draft:
    """A draft of `name=value` texts; a list takes several. An empty optional field is taken away.

    Names are those of `content` (`status`, `content.status`, `examples.prefer`) and of the entry
    (`title`, `tags`, …). UsageError, ValidationError.
    """
    kinds = _content_kinds(category)
    given: dict[str, list[str]] = {}
    for field in fields:
        name, equals, value = field.partition("=")
        if not equals:
            raise UsageError(f"{field!r} is no field: write name=value", fix="--field name=value")
        given.setdefault(_known_name(name.strip(), kinds, category), []).append(value)
    top: dict[str, Any] = {}
    content: dict[str, Any] = {}
    for name, values in given.items():
        if name in _TOP:
            top[name] = _value(name, _TOP[name], False, values)
            continue
        kind, required, group = kinds[name]
        target = content if group is None else content.setdefault(group, {})
        target[name] = _value(f"content.{name}", kind, required, values)
    return Draft({**top, "content": content} if content else top)


def _content_kinds(category: Category) -> dict[str, tuple[str, bool, str | None]]:
    """Kind, whether it is required, and the object that it is nested in, of each field."""
    group, members = GROUPED.get(category.name, (None, ()))
    kinds: dict[str, tuple[str, bool, str | None]] = {}
    for key in category.keys:
        kinds[key.name] = (key.kind, key.required, None)
    for part in category.sections:
        kinds[part.name] = (part.kind, part.required, group if part.name in members else None)
    if category.free_body:
        kinds["body"] = ("prose", False, None)
    return kinds


def _known_name(name: str, kinds: dict[str, Any], category: Category) -> str:
    group, members = GROUPED.get(category.name, ("", ()))
    short = name.removeprefix("content.")
    inner = short.removeprefix(f"{group}.") if group else short
    if short in kinds or inner in members:
        return inner
    top = _ALIASES.get(name, name)
    if top in _TOP:
        return top
    # Imported here: needed for this message alone.
    from difflib import get_close_matches

    known = [*kinds, *_TOP]
    near = get_close_matches(short, known, n=1)
    raise ValidationError(
        f"{name} is no field of a {category.name}",
        field=name,
        expected=", ".join(known),
        fix=f"did you mean {near[0]}?" if near else "use one of these fields",
    )


def _value(name: str, kind: str, required: bool, values: list[str]) -> Any:
    if kind in _SEVERAL:
        return _several(name, kind, required, values)
    if len(values) > 1:
        raise UsageError(f"{name} takes one value, and was given {len(values)}", field=name)
    text = values[0]
    if not text.strip() and not required:
        return None
    match kind:
        case "bool":
            return _read(name, text, "true or false", lambda: _BOOLEANS[text.strip().lower()])
        case "int":
            return _read(name, text, "a whole number", lambda: int(text))
        case "float":
            return _read(name, text, "a number", lambda: float(text))
    return text


def _read(name: str, text: str, expected: str, reader: Any) -> Any:
    try:
        return reader()
    except (KeyError, ValueError):
        raise ValidationError(
            f"{name} is {text[:80]!r}: not {expected}",
            field=name,
            expected=expected,
            got=text[:80],
            fix=f"give {name} {expected}",
        ) from None


def _several(name: str, kind: str, required: bool, values: list[str]) -> Any:
    given = [value for value in values if value.strip()]
    if kind == "words":
        return [word for value in given for word in value.split(",") if word.strip()]
    if not given and not required and name not in _TOP:
        return None
    return [_alternative(name, value) for value in given] if kind == "alternatives" else given


def _alternative(name: str, text: str) -> Any:
    """An alternative as JSON, or as text: the first line is the option, the rest the reason."""
    if text.lstrip().startswith("{"):
        return _read(name, text, "an object {option, rejected_reason}", lambda: json.loads(text))
    option, _, reason = text.strip().partition("\n")
    return {"option": option, "rejected_reason": reason}
