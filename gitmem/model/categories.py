"""The one table of categories (DESIGN "An entry"): codec, validators, help and schemas follow it.

To add a category, add a row to `CATEGORIES`. Whatever a category needs elsewhere is derived.
Standard library only.
"""

from __future__ import annotations

from typing import Literal, NamedTuple

KeyKind = Literal["string", "enum", "bool", "int", "float", "date", "time", "id", "list"]
SectionKind = Literal["prose", "list", "alternatives"]
Tier = Literal["working", "register", "archive", "retired"]

TIERS: tuple[Tier, ...] = ("working", "register", "archive", "retired")
ACTIVE: tuple[Tier, ...] = ("working", "register")
"""Where entries are in use: loaded or recalled."""
GRAPH_FOLDER = "graph"
"""Entities lie in `graph/` itself when active: tier register, no tier folder in the path."""


class Key(NamedTuple):
    """A frontmatter key: one line, or one `[…]` list."""

    name: str
    kind: KeyKind
    required: bool = False
    choices: tuple[str, ...] = ()

    @property
    def is_text(self) -> bool:
        """Whether the value is free text, in which a YAML comment would be lost text."""
        return self.kind in ("string", "id")


class Section(NamedTuple):
    """A `## Heading` of the body. `filled`: a list with at least one item."""

    name: str
    kind: SectionKind
    required: bool = False
    filled: bool = False
    unique: bool = False

    @property
    def heading(self) -> str:
        """`root_cause` -> `Root cause`."""
        words = self.name.replace("_", " ")
        return words[:1].upper() + words[1:]


class Category(NamedTuple):
    """A kind of memory. Without sections the body is free text (`content.body`)."""

    name: str
    folder: str
    purpose: str
    keys: tuple[Key, ...] = ()
    sections: tuple[Section, ...] = ()
    custom: bool = False

    @property
    def free_body(self) -> bool:
        return not self.sections

    @property
    def display(self) -> str:
        return self.name.upper()


def _enum(name: str, *choices: str) -> Key:
    return Key(name, "enum", required=True, choices=choices)


def _prose(name: str, *, required: bool = False) -> Section:
    return Section(name, "prose", required=required)


def _list(
    name: str, *, required: bool = False, filled: bool = False, unique: bool = False
) -> Section:
    return Section(name, "list", required=required, filled=filled, unique=unique)


LEADING_KEYS: tuple[Key, ...] = (
    Key("id", "id", required=True),
    Key("category", "string", required=True),
    Key("title", "string", required=True),
    Key("created", "time", required=True),
    Key("tags", "list", required=True),
    Key("related_files", "list"),
    Key("confidence", "float"),
)
"""Keys of every entry that stand before the category's own."""

TRAILING_KEYS: tuple[Key, ...] = (
    Key("when", "string"),
    Key("keywords", "list"),
    Key("pinned", "bool"),
    Key("snoozed_until", "time"),
    Key("reviewed", "time"),
    Key("superseded_by", "id"),
    Key("appreciation", "int"),
)
"""Keys of every entry that stand behind the category's own."""

DEFAULTS: dict[str, object] = {"pinned": False, "appreciation": 0}
"""Values that are not written: a key with its default is absent from the file."""

CATEGORIES: tuple[Category, ...] = (
    Category(
        "decision",
        "decisions",
        "a choice and why it was made",
        (_enum("status", "proposed", "accepted", "deprecated", "superseded"),),
        (
            _prose("context", required=True),
            _prose("decision", required=True),
            Section("alternatives", "alternatives"),
            _list("rationale", required=True, filled=True),
            _list("consequences"),
        ),
    ),
    Category(
        "runbook",
        "runbooks",
        "how an error is found, fixed and checked",
        (),
        (
            _prose("trigger", required=True),
            _list("symptoms"),
            _list("steps", required=True, filled=True),
            _prose("verification", required=True),
            _prose("root_cause"),
            _prose("environment"),
        ),
    ),
    Category(
        "constraint",
        "constraints",
        "a lasting limit",
        (
            _enum("kind", "limitation", "gap", "policy", "technical"),
            _enum("severity", "high", "medium", "low"),
            Key("active", "bool", required=True),
            Key("expires", "string"),
        ),
        (
            _prose("rule", required=True),
            _list("impact", required=True, filled=True),
            _list("workarounds"),
        ),
    ),
    Category(
        "tech_debt",
        "tech-debt",
        "work put off, and why",
        (
            _enum("status", "open", "in_progress", "resolved", "wont_fix"),
            _enum("priority", "critical", "high", "medium", "low"),
        ),
        (
            _prose("description", required=True),
            _prose("reason_deferred", required=True),
            _list("impact"),
            _list("suggested_fix"),
            _list("acceptance_criteria"),
        ),
    ),
    Category(
        "preference",
        "preferences",
        "how things should be done",
        (Key("topic", "string", required=True), _enum("strength", "strong", "default", "soft")),
        (
            _prose("value", required=True),
            _prose("reason", required=True),
            _list("prefer"),
            _list("avoid"),
        ),
    ),
    Category(
        "session_summary",
        "sessions",
        "where a session left off",
        (_enum("outcome", "success", "partial", "blocked", "abandoned"),),
        (
            _prose("goal", required=True),
            _list("completed", required=True),
            _list("in_progress"),
            _list("blockers"),
            _list("next_actions", required=True),
            _list("key_changes"),
            _prose("learned"),
        ),
    ),
    Category("note", "notes", "anything worth keeping"),
    Category(
        "open_loop",
        "open-loops",
        "something to come back to",
        (_enum("status", "open", "resolved"), Key("due", "date")),
    ),
    Category(
        "daily_log",
        "daily",
        "the lines of one day",
        (Key("date", "date", required=True),),
        (_list("lines", required=True),),
    ),
    Category("procedure", "procedures", "how a task is done"),
    Category("identity", "identity", "who the agent is and whom it works with"),
    Category(
        "entity",
        GRAPH_FOLDER,
        "a node of the knowledge graph",
        (Key("type", "string"), Key("aliases", "list")),
        (_list("observations", unique=True), _list("relations", unique=True)),
    ),
    Category(
        "file",
        "memories",
        "a plain file of the memory tool",
        (Key("path", "string", required=True),),
    ),
)

BUILT_IN: dict[str, Category] = {category.name: category for category in CATEGORIES}
BUILT_IN_FOLDERS: dict[str, Category] = {category.folder: category for category in CATEGORIES}

GROUPED: dict[str, tuple[str, tuple[str, ...]]] = {
    "preference": ("examples", ("prefer", "avoid")),
}
"""Sections that JSON nests in one object: `content.examples.prefer`."""


def category_named(name: str, folder: str | None = None) -> Category:
    """The category of that name; one that isn't built in is a custom one with a free body."""
    found = BUILT_IN.get(name)
    if found is not None:
        return found
    return Category(name, folder or name.replace("_", "-"), "a category of this store", custom=True)


def file_keys(category: Category) -> tuple[Key, ...]:
    """All frontmatter keys of a category in the order of the file."""
    return LEADING_KEYS + category.keys + TRAILING_KEYS
