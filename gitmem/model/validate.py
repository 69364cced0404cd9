"""Is this entry valid? Validators and JSON schemas, built from the table of categories.

The only module that imports pydantic. It uses pydantic's core directly: the schemas are the ones
that models would get, but loading the model layer costs a command more than all the rest of it.
Nothing is converted here: values are in valid form before, and strictly of their type.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from pydantic_core import PydanticCustomError, SchemaValidator, core_schema
from pydantic_core import ValidationError as CoreError
from pydantic_core.core_schema import CoreSchema, TypedDictField

from gitmem.model.categories import GROUPED, Category, Key, KeyKind, Section, category_named
from gitmem.model.config import KEYS, NAME, PLACEHOLDER
from gitmem.model.config import Kind as ConfigKind
from gitmem.model.entry import Entry
from gitmem.model.errors import ValidationError
from gitmem.model.facts import DERIVED_KEYS, SCHEMA_VERSION, STATE_KEYS
from gitmem.model.times import is_date, parse_time

MAX_TITLE = 120
MAX_APPRECIATION = 1_000_000
DIALECT = "https://json-schema.org/draft/2020-12/schema"

_TIME = re.compile(r"\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}Z\Z", re.ASCII)

_EXPECTED: dict[KeyKind, str] = {
    "string": "one line of text",
    "enum": "one of its values",
    "bool": "true or false",
    "int": "a whole number",
    "float": "a number from 0 to 1",
    "date": "a date as 2026-11-18",
    "time": "a time as 2026-11-18T07:12:03Z",
    "id": "the id of an entry, or none",
    "list": "a list of texts that aren't empty",
}
_EXPECTED_TOP = {
    "id": "tr and 10 hex digits",
    "title": f"one line of 1 to {MAX_TITLE} characters",
    "created_at": _EXPECTED["time"],
    "tags": "a list of at least one tag",
    "related_files": _EXPECTED["list"],
    "confidence": _EXPECTED["float"],
    "when": _EXPECTED["string"],
    "keywords": _EXPECTED["list"],
    "pinned": _EXPECTED["bool"],
    "snoozed_until": _EXPECTED["time"],
    "reviewed": _EXPECTED["time"],
    "superseded_by": _EXPECTED["id"],
    "appreciation": f"a whole number of at most {MAX_APPRECIATION}",
    "content": "an object with the fields of the category",
}


def validate_entry(entry: Entry, category: Category) -> None:
    """Return if every value of the entry keeps the rules of its field, else ValidationError."""
    try:
        _validator(category.name).validate_python(
            {
                "id": entry.id,
                "category": entry.category,
                "title": entry.title,
                "created_at": entry.created,
                "tags": entry.tags,
                "related_files": entry.related_files,
                "confidence": entry.confidence,
                "when": entry.when,
                "keywords": entry.keywords,
                "pinned": entry.pinned,
                "snoozed_until": entry.snoozed_until,
                "reviewed": entry.reviewed,
                "superseded_by": entry.superseded_by,
                "appreciation": entry.appreciation,
                "content": entry.content,
            }
        )
    except CoreError as error:
        raise _explained(error, category) from None


@functools.cache
def _validator(name: str) -> SchemaValidator:
    # By name: hashing a whole category would cost more than the validation.
    return SchemaValidator(_entry_core(category_named(name)))


# Schemas


def _entry_core(category: Category) -> CoreSchema:
    texts = _tuple_of(_text(1))
    fields: dict[str, CoreSchema] = {
        "id": core_schema.str_schema(strict=True, pattern="^tr[0-9a-f]{10}$"),
        "category": core_schema.literal_schema([category.name]),
        "title": _text(1, MAX_TITLE),
        "created_at": _checked(_is_time),
        "tags": _tuple_of(_text(1), least=1),
        "related_files": texts,
        "confidence": _optional(_VALUES["float"](None)),
        "when": _optional(_text()),
        "keywords": texts,
        "pinned": _VALUES["bool"](None),
        "snoozed_until": _optional(_checked(_is_time)),
        "reviewed": _optional(_checked(_is_time)),
        "superseded_by": _optional(_VALUES["id"](None)),
        "appreciation": _VALUES["int"](None),
        "content": _content_core(category),
    }
    return _object({name: (schema, True) for name, schema in fields.items()})


def _content_core(category: Category) -> CoreSchema:
    fields = {key.name: (_key_core(category, key), key.required) for key in category.keys}
    fields |= {part.name: (_section_core(part), part.required) for part in category.sections}
    if category.free_body:
        fields["body"] = (_text(), False)
    if category.name in GROUPED:
        name, members = GROUPED[category.name]
        fields[name] = (_object({member: fields.pop(member) for member in members}), False)
    return _object(fields)


def _key_core(category: Category, key: Key) -> CoreSchema:
    special = _SPECIAL.get((category.name, key.name))
    return special if special is not None else _VALUES[key.kind](key)


def _section_core(part: Section) -> CoreSchema:
    if part.kind == "prose":
        return _text()
    if part.kind == "list":
        return core_schema.list_schema(_text(), min_length=1 if part.filled else None)
    return core_schema.list_schema(
        _object({"option": (_text(1), True), "rejected_reason": (_text(), False)})
    )


def _object(fields: Mapping[str, tuple[CoreSchema, bool]]) -> CoreSchema:
    """An object with just these fields; what isn't required may be null."""
    return core_schema.typed_dict_schema(
        {name: _member(schema, required) for name, (schema, required) in fields.items()},
        extra_behavior="forbid",
    )


def _member(schema: CoreSchema, required: bool) -> TypedDictField:
    return core_schema.typed_dict_field(
        schema if required else _optional(schema), required=required
    )


def _optional(schema: CoreSchema) -> CoreSchema:
    return core_schema.nullable_schema(schema)


def _text(least: int | None = None, most: int | None = None) -> CoreSchema:
    return core_schema.str_schema(strict=True, min_length=least, max_length=most)


def _tuple_of(item: CoreSchema, least: int | None = None) -> CoreSchema:
    return core_schema.tuple_schema([item], variadic_item_index=0, strict=True, min_length=least)


def _checked(rule: Callable[[str], bool]) -> CoreSchema:
    def check(value: str) -> str:
        if not rule(value):
            raise PydanticCustomError("rule", "breaks the rule of its field")
        return value

    return core_schema.no_info_after_validator_function(check, _text())


def _is_time(text: str) -> bool:
    if not _TIME.match(text):
        return False
    try:
        parse_time(text)
    except ValueError:
        return False
    return True


def _is_file_path(text: str) -> bool:
    """A path that stays below `memories/` on every system."""
    if text.startswith("/") or "\\" in text:
        return False
    return all(part not in ("", ".", "..") for part in text.split("/"))


_VALUES: dict[KeyKind, Callable[[Key | None], CoreSchema]] = {
    "string": lambda key: _text(),
    "enum": lambda key: core_schema.literal_schema(list(key.choices if key else ())),
    "bool": lambda key: core_schema.bool_schema(strict=True),
    "int": lambda key: core_schema.int_schema(
        strict=True, ge=-MAX_APPRECIATION, le=MAX_APPRECIATION
    ),
    "float": lambda key: core_schema.float_schema(strict=True, ge=0, le=1, allow_inf_nan=False),
    "date": lambda key: _checked(is_date),
    "time": lambda key: _checked(_is_time),
    "id": lambda key: core_schema.str_schema(strict=True, pattern="^(none|tr[0-9a-f]{10})$"),
    "list": lambda key: core_schema.list_schema(_text(1)),
}

_SPECIAL: dict[tuple[str, str], CoreSchema] = {("file", "path"): _checked(_is_file_path)}
_SPECIAL_EXPECTED = {("file", "path"): "a relative path without `..`"}


# Errors


def _explained(error: CoreError, category: Category) -> ValidationError:
    """The first fault, said in the words of the category; further ones are named."""
    faults = error.errors(include_url=False, include_context=False)
    first = faults[0]
    field, kind, got = _dotted(first["loc"]), first["type"], shown(first["input"])
    expected = _expected(category, first["loc"])
    if kind == "missing":
        message, got, fix = f"{field} is missing", "nothing", f"add {field}: {expected}"
    elif kind == "extra_forbidden":
        message, expected, fix = _not_a_field(field, first["loc"], category)
    elif kind == "string_too_long":
        message = f"{field} is {len(first['input'])} characters, at most {MAX_TITLE}"
        fix = "shorten it; detail belongs into the content"
    else:
        message, fix = f"{field} is {got}: not {expected}", f"give {field} {expected}"
    others = {"also": also} if (also := [_dotted(fault["loc"]) for fault in faults[1:10]]) else {}
    return ValidationError(message, field=field, expected=expected, got=got, fix=fix, **others)


def _not_a_field(field: str, loc: Sequence[str | int], category: Category) -> tuple[str, str, str]:
    # Imported here: needed for this message alone.
    from difflib import get_close_matches

    known = content_fields(category)
    if loc[:2] != ("content", loc[-1]):
        return f"{field} isn't known", "no such field", f"remove {field}"
    near = get_close_matches(str(loc[-1]), known, n=1)
    fix = f"did you mean content.{near[0]}?" if near else f"remove {field}"
    return f"{field} is no field of a {category.name}", ", ".join(known), fix


def content_fields(category: Category) -> list[str]:
    """The names that `content` of this category may hold."""
    names = [key.name for key in category.keys] + [part.name for part in category.sections]
    if category.free_body:
        names.append("body")
    if category.name in GROUPED:
        group, members = GROUPED[category.name]
        names = [name for name in names if name not in members] + [group]
    return names


def _expected(category: Category, loc: Sequence[str | int]) -> str:
    """What the field at this place takes."""
    top, *rest = loc
    if top != "content":
        return f"{category.name}" if top == "category" else _EXPECTED_TOP.get(str(top), "a value")
    names = [part for part in rest if isinstance(part, str)]
    if not names:
        return _EXPECTED_TOP["content"]
    if names[-1] == "option":
        return "one line of text that isn't empty"
    for key in category.keys:
        if key.name == names[-1]:
            special = _SPECIAL_EXPECTED.get((category.name, key.name))
            choices = "one of " + ", ".join(key.choices) if key.choices else None
            return special or choices or _EXPECTED[key.kind]
    for part in category.sections:
        if part.name == names[-1]:
            return _item_expected(part) if isinstance(rest[-1], int) else _section_expected(part)
    group, members = GROUPED.get(category.name, ("", ()))
    return f"an object with {' and '.join(members)}" if names[-1] == group else "text"


def _section_expected(part: Section) -> str:
    if part.kind == "alternatives":
        return "a list of {option, rejected_reason}"
    if part.kind == "prose":
        return "text"
    return "a list of at least one text" if part.filled else "a list of texts"


def _item_expected(part: Section) -> str:
    return "an object {option, rejected_reason}" if part.kind == "alternatives" else "text"


def _dotted(loc: Sequence[str | int]) -> str:
    # A lone surrogate in a name that was given could not be printed.
    name = ".".join(str(part)[:80] for part in loc)
    return name.encode("utf-8", "backslashreplace").decode()


def shown(value: object) -> str:
    """A value for a message, short enough to read."""
    if isinstance(value, tuple):
        value = list(value)
    text = repr(value[:200] if isinstance(value, str) else value)
    return text if len(text) <= 200 else text[:199] + "…"


# JSON schemas


def entry_schema(category: Category) -> dict[str, Any]:
    """The JSON schema of an entry of this category as `--input` takes it."""
    # Imported here: it loads pydantic's model layer, which no write needs.
    from pydantic.json_schema import GenerateJsonSchema

    texts = core_schema.list_schema(_text(1))
    given: dict[str, tuple[CoreSchema, bool]] = {
        "schema_version": (core_schema.literal_schema([SCHEMA_VERSION]), False),
        "category": (core_schema.literal_schema([category.name]), False),
        "title": (_text(1, MAX_TITLE), True),
        "created_at": (_text(), False),
        "tags": (texts, True),
        "related_files": (texts, False),
        "confidence": (_VALUES["float"](None), False),
        "when": (_text(), False),
        "keywords": (texts, False),
        "content": (_content_core(category), True),
    }
    schema = GenerateJsonSchema().generate(_object(given))
    schema["properties"] |= {
        name: {"description": "derived by gitmem, ignored on input"}
        for name in sorted(DERIVED_KEYS | STATE_KEYS)
    }
    schema["properties"]["changes"] = {
        "type": ["array", "null"],
        "description": "the last item's summary becomes the reason of the change",
    }
    schema["properties"]["extra"] = {
        "type": ["object", "null"],
        "description": "unknown keys and sections of the file, as `show` prints them",
    }
    titled = {"$schema": DIALECT, "title": category.name, "description": category.purpose}
    return titled | schema


_CONFIG_TYPES: dict[ConfigKind, str] = {
    "bool": "boolean",
    "int": "integer",
    "string": "string",
    "path": "string",
    "folder": "string",
}


def config_schema() -> dict[str, Any]:
    """The JSON schema of config.json. Unknown keys are allowed: a newer gitmem may know them."""
    fixed: dict[str, Any] = {"format": {"type": "integer", "minimum": 1}}
    patterns: dict[str, Any] = {}
    for key in KEYS:
        row: dict[str, Any] = {"type": _CONFIG_TYPES[key.kind], "description": key.purpose}
        row |= {"default": key.default} if key.default is not None else {}
        row |= {"minimum": key.low} if key.low is not None else {}
        row |= {"maximum": key.high} if key.high is not None else {}
        row |= {"enum": list(key.choices)} if key.choices else {}
        if PLACEHOLDER in key.pattern:
            name = NAME.pattern.removesuffix(r"\Z")
            parts = [re.escape(part) for part in key.pattern.split(PLACEHOLDER)]
            patterns[f"^{name.join(parts)}$"] = row
        else:
            fixed[key.pattern] = row
    return {
        "$schema": DIALECT,
        "title": "config.json",
        "type": "object",
        "properties": fixed,
        "patternProperties": patterns,
    }
