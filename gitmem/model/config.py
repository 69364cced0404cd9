"""The one table of config keys, and `config.json` as data.

One flat object with dotted keys, versioned with the entries. Readers never fail on it: an unknown
key is kept and reported, a wrong value falls back to the default, a number is clamped. Writers are
strict. To add a key, add a row to `KEYS`: help, checks and schema follow. Standard library only.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal, NamedTuple

from gitmem.model.categories import (
    BUILT_IN,
    BUILT_IN_FOLDERS,
    GRAPH_FOLDER,
    TIERS,
    Category,
    category_named,
)
from gitmem.model.errors import ConfigError
from gitmem.model.slug import is_device_name

FORMAT = 1
"""The newest format of a store that this program writes."""

Kind = Literal["bool", "int", "string", "path", "folder"]
PLACEHOLDER = "<category>"

NAME = re.compile(r"[a-z0-9][a-z0-9_-]{0,63}\Z")
"""Names and folders of custom categories."""

RESERVED_FOLDERS = frozenset({*BUILT_IN_FOLDERS, *TIERS, GRAPH_FOLDER, "invalid"})

_INTEGER = re.compile(r"[+-]?[0-9]{1,18}\Z")
_TRUE = frozenset({"true", "yes", "on"})
_FALSE = frozenset({"false", "no", "off"})
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]")


class Key(NamedTuple):
    """A config key; `<category>` in the pattern stands for the name of a category."""

    pattern: str
    kind: Kind
    default: Any
    purpose: str
    low: int | None = None
    high: int | None = None
    choices: tuple[str, ...] = ()

    @property
    def expected(self) -> str:
        """What a value must be, for people."""
        if self.choices:
            return "one of " + ", ".join(self.choices)
        if self.kind == "int" and self.high is not None:
            return f"a whole number from {self.low} to {self.high}"
        return _EXPECTED[self.kind]


_EXPECTED: dict[Kind, str] = {
    "bool": "true or false",
    "int": "a whole number",
    "string": "one line of text",
    "path": "a relative path inside the work tree, without `..` and outside .git",
    "folder": "a folder name of a-z 0-9 _ - that no other category or tier uses",
}

KEYS: tuple[Key, ...] = (
    Key(
        "memory_root",
        "path",
        ".claude/memory",
        "where the view, a plain copy of the memory, lies in the work tree",
    ),
    Key(
        "categories.<category>.enabled",
        "bool",
        True,
        "false: agents may not create entries of this category, and prompts don't recall it",
    ),
    Key(
        "categories.<category>.description",
        "string",
        "",
        "what belongs into this category, in one line",
    ),
    Key(
        "categories.<category>.folder",
        "folder",
        None,
        "declares a category of your own: the folder that holds it",
    ),
    Key(
        "delete.grace_period_days",
        "int",
        30,
        "days that a retired entry stays restorable before gc takes it away",
        low=0,
        high=36_500,
    ),
    Key(
        "delete.archive_retired",
        "bool",
        False,
        "true: gc archives retired entries instead of taking them away",
    ),
    Key(
        "retrieval.enabled",
        "bool",
        True,
        "false: prompts recall nothing",
    ),
    Key(
        "retrieval.max_inject",
        "int",
        5,
        "entries that a prompt recalls at most",
        low=0,
        high=20,
    ),
    Key(
        "retrieval.match_strategy",
        "string",
        "ranked",
        "how search and recall find entries",
        choices=("ranked", "title_tags", "keywords"),
    ),
    Key(
        "retrieval.content",
        "bool",
        False,
        "true: the strategy keywords looks at whole entries, not at names and keywords alone",
    ),
    Key(
        "retrieval.user_store",
        "bool",
        True,
        "false: prompts recall nothing from your personal store",
    ),
    Key(
        "retrieval.branch_scope",
        "bool",
        False,
        "true: prompts don't recall what was learned on code branches that aren't merged here",
    ),
    Key(
        "working.agents",
        "bool",
        False,
        "true: what an agent remembers is loaded into every session",
    ),
)

_ROWS = {key.pattern: key for key in KEYS}


def row_of(key: str) -> Key | None:
    """The row of the table that a key belongs to."""
    found = _ROWS.get(key)
    if found is not None:
        return None if PLACEHOLDER in key else found
    return _pattern_row(key)[0]


def _pattern_row(key: str) -> tuple[Key | None, str]:
    """The row of a key with a category in it, and that category."""
    parts = key.split(".")
    for at, part in enumerate(parts):
        found = _ROWS.get(".".join([*parts[:at], PLACEHOLDER, *parts[at + 1 :]]))
        if found is not None and NAME.match(part):
            return found, part
    return None, ""


def check_value(key: str, value: object) -> Any:
    """The value in the form that is stored; text is read as the key's kind. ConfigError."""
    row = row_of(key)
    if row is None:
        raise _unknown(key, all_keys(BUILT_IN))
    if row.kind == "folder" and _pattern_row(key)[1] in BUILT_IN:
        raise ConfigError(
            f"{key} can't be set: the folder of a built-in category is fixed",
            field=key,
            fix="choose another name for a category of your own",
        )
    if isinstance(value, str):
        value = _from_text(row, value)
    checked = _typed(row, value)
    if checked is None or checked != _clamped(row, checked):
        raise ConfigError(
            f"{key} takes {row.expected}, not {_shown(value)}",
            field=key,
            expected=row.expected,
            got=_shown(value),
            fix=f"give {key} {row.expected}",
        )
    return checked


def _from_text(row: Key, text: str) -> object:
    word = text.strip()
    if row.kind == "bool" and word.lower() in _TRUE | _FALSE:
        return word.lower() in _TRUE
    if row.kind == "int" and _INTEGER.match(word):
        return int(word)
    return word


def _typed(row: Key, value: object) -> Any:
    """The value, or None if it isn't of the row's kind."""
    match row.kind:
        case "bool":
            return value if isinstance(value, bool) else None
        case "int":
            return value if isinstance(value, int) and not isinstance(value, bool) else None
        case "path":
            return _view_path(value)
        case "folder":
            return value if isinstance(value, str) and _free_folder(value) else None
        case "string":
            fits = isinstance(value, str) and not _CONTROL.search(value)
            return value if fits and (not row.choices or value in row.choices) else None


def _view_path(value: object) -> str | None:
    """A path below the work tree's root, with plain slashes, or None."""
    if not isinstance(value, str) or _CONTROL.search(value) or "\\" in value or ":" in value:
        return None
    if value.startswith(("/", "~")):
        return None
    parts = [part for part in value.split("/") if part not in ("", ".")]
    outside = any(part == ".." or part.lower() == ".git" for part in parts)
    return None if outside or not parts else "/".join(parts)


def _free_folder(folder: str) -> bool:
    if folder in RESERVED_FOLDERS or is_device_name(folder):
        return False
    return NAME.match(folder) is not None


def _clamped(row: Key, value: Any) -> Any:
    if row.low is not None and value < row.low:
        return row.low
    if row.high is not None and value > row.high:
        return row.high
    return value


def _shown(value: object) -> str:
    shown = repr(value)
    return shown if len(shown) <= 200 else shown[:199] + "…"


def all_keys(categories: Mapping[str, Category]) -> Iterator[str]:
    """Every key that can be set, for these categories."""
    for key in KEYS:
        if PLACEHOLDER not in key.pattern:
            yield key.pattern
            continue
        for name in categories:
            if key.kind != "folder" or name not in BUILT_IN:
                yield key.pattern.replace(PLACEHOLDER, name)


def _unknown(key: str, keys: Iterator[str]) -> ConfigError:
    if key == "format":
        return ConfigError(
            "format can't be set: it says which gitmem can write this store", field=key
        )
    # Imported here: needed for this message alone.
    from difflib import get_close_matches

    near = get_close_matches(key, list(keys), n=1, cutoff=0.5)
    hint = f"did you mean {near[0]}?" if near else "`gitmem config list` shows every key"
    return ConfigError(
        f"there is no config key {key}",
        field=key,
        expected=near[0] if near else None,
        got=key,
        fix=hint,
    )


@dataclass(frozen=True, slots=True)
class Config:
    """What `config.json` says, every key with its default."""

    raw: Mapping[str, Any] = field(default_factory=lambda: {"format": FORMAT})
    broken: str = ""
    """Why the file couldn't be read; then every key has its default."""

    @classmethod
    def from_json(cls, data: bytes | None) -> Config:
        """Read the file; None where there is none. Never fails."""
        if data is None:
            return cls()
        try:
            raw = json.loads(data.decode("utf-8"))
        except (ValueError, RecursionError) as error:
            return cls(broken=f"config.json can't be read: {_reason(error)}")
        if not isinstance(raw, dict):
            return cls(broken="config.json holds no JSON object")
        return cls(raw)

    def to_bytes(self) -> bytes:
        """The file: the same for the same keys and values."""
        text = json.dumps(self.raw, sort_keys=True, indent=2, ensure_ascii=False) + "\n"
        # A lone surrogate, which UTF-8 can't hold, goes back to the escape that JSON has for it.
        return text.encode("utf-8", "backslashreplace")

    def get(self, key: str) -> Any:
        """The value that counts: clamped, or the default where the file has none of its kind."""
        row = row_of(key)
        if row is None:
            raise _unknown(key, all_keys(self.categories()))
        if row.kind == "folder":
            declared = self.custom_categories().get(_pattern_row(key)[1])
            return row.default if declared is None else declared.folder
        if key not in self.raw:
            return row.default
        value = _typed(row, self.raw[key])
        return row.default if value is None else _clamped(row, value)

    def with_value(self, key: str, value: object) -> Config:
        """This config with one key set. ConfigError where key or value is wrong."""
        if self.broken:
            raise ConfigError(
                f"{self.broken}; nothing can be set in it",
                fix="put a valid config.json on the memory branch with git, then set the key",
            )
        categories = self.categories()
        row, name = _pattern_row(key)
        if row is not None and row.kind != "folder" and name not in categories:
            raise _unknown(key, all_keys(categories))
        checked = check_value(key, value)
        if row is not None and row.kind == "folder":
            self._check_folder(key, name, checked)
        return replace(self, raw={**self.raw, key: checked})

    def _check_folder(self, key: str, name: str, folder: str) -> None:
        owner = self.folder_category(folder)
        if owner is not None and owner.name != name:
            raise ConfigError(
                f"folder {folder} is that of category {owner.name}",
                field=key,
                got=folder,
                fix="choose another folder",
            )
        declared = self.custom_categories().get(name)
        if declared is not None and declared.folder != folder:
            raise ConfigError(
                f"category {name} has the folder {declared.folder}: its entries lie there",
                field=key,
                expected=declared.folder,
                got=folder,
                fix="declare another category for the new folder",
            )

    @property
    def format(self) -> int:
        """The store's format."""
        value = self.raw.get("format", FORMAT)
        return value if isinstance(value, int) and not isinstance(value, bool) else FORMAT

    @property
    def writable(self) -> bool:
        """Whether this program may write a store of this format; it can read newer ones."""
        return self.format <= FORMAT

    @property
    def unknown(self) -> tuple[str, ...]:
        """Keys that this program doesn't know; they are kept."""
        categories = self.categories()
        return tuple(sorted(key for key in self.raw if not _is_known(key, categories)))

    @property
    def faults(self) -> tuple[str, ...]:
        """Values that don't count because they are wrong, each with what counts instead."""
        if self.broken:
            return (self.broken,)
        found = []
        declared = self.custom_categories()
        for key, value in sorted(self.raw.items()):
            row = row_of(key)
            if row is None:
                continue
            if row.kind == "folder":
                if _pattern_row(key)[1] not in declared:
                    found.append(f"{key} is {_shown(value)}: not {row.expected}; it is ignored")
            elif _typed(row, value) is None:
                default = json.dumps(row.default)
                found.append(f"{key} is {_shown(value)}: not {row.expected}; {default} is used")
        return tuple(found)

    def custom_categories(self) -> Mapping[str, Category]:
        """The categories that this store declares. Of two with one folder the first name has it."""
        found: dict[str, Category] = {}
        folders: set[str] = set()
        for key in sorted(key for key in self.raw if key.endswith(".folder")):
            row, name = _pattern_row(key)
            folder = None if row is None else _typed(row, self.raw[key])
            if folder is None or name in BUILT_IN or folder in folders:
                continue
            folders.add(folder)
            category = category_named(name, folder)
            purpose = self.get(f"categories.{name}.description") or category.purpose
            found[name] = category._replace(purpose=purpose)
        return found

    def categories(self) -> Mapping[str, Category]:
        """All categories of this store by name."""
        return {**BUILT_IN, **self.custom_categories()}

    def category(self, name: str) -> Category | None:
        """The category of that name, built in or declared."""
        return BUILT_IN.get(name) or self.custom_categories().get(name)

    def folder_category(self, folder: str) -> Category | None:
        """The category whose folder this is."""
        if folder in BUILT_IN_FOLDERS:
            return BUILT_IN_FOLDERS[folder]
        declared = self.custom_categories().values()
        return next((category for category in declared if category.folder == folder), None)


def _is_known(key: str, categories: Mapping[str, Category]) -> bool:
    if key == "format":
        return True
    if key in _ROWS:
        return PLACEHOLDER not in key
    row, name = _pattern_row(key)
    return row is not None and (row.kind == "folder" or name in categories)


def _reason(error: Exception) -> str:
    if isinstance(error, json.JSONDecodeError):
        return f"line {error.lineno}: {error.msg}"
    if isinstance(error, UnicodeDecodeError):
        return "it isn't UTF-8"
    if isinstance(error, RecursionError):
        return "it is nested too deeply"
    return str(error)
