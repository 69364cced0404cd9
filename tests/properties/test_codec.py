"""The codec and the messages hold for every text, hostile ones first."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from gitmem.document.codec import canonical, decode, encode
from gitmem.document.frontmatter import EventLoader
from gitmem.document.lists import read_items, write_items
from gitmem.document.message import Message, encode_message, parse_message
from gitmem.model.categories import CATEGORIES, Category, category_named
from gitmem.model.entry import Entry, Extra, ExtraKey, ExtraSection, entry_from_dict, entry_to_dict
from gitmem.model.errors import ValidationError
from gitmem.model.text import item_text, one_line, valid_text
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.document.rows import LOADERS, read_rows, row_bytes
from tests.helpers import git_bytes

quick = settings(
    max_examples=120,
    deadline=None,
    derandomize=True,
    database=None,
    suppress_health_check=[HealthCheck.too_slow],
)

PIECES = [
    *("```", "````", "~~~", "## ", "##", "## Context", "## Decision:", "\\## ", "\\", "# "),
    *("- ", "-", "* ", "+ ", "1. ", "12) ", "  - ", "\t", " ", "  ", "\n", "\n\n", "\r\n", "\r"),
    *("---", "--- ", "...", ": ", ":", " #", "#", '"', "'", "[", "]", "{", "}", ",", "&a", "*a"),
    *("!x", "?", "|", ">", "%", "@", "`", "~", "null", "No", "y", "true", "0x1F", "1e3", "=", "<<"),
    *("\x00", "\x1b", "\x85", "\u2028", "\u2029", "\ufeff", "\ufffe", "\U0001fffe", "\ud800"),
    *("\u00a0", "é", "日本", "😀", "word", "Gitmem-Op: x", "-- >8 --", "2026-11-18", "/", "_", "."),
]
texts = st.lists(st.one_of(st.sampled_from(PIECES), st.text(max_size=3)), max_size=8).map("".join)
times = st.sampled_from(["2026-11-18T07:12:03Z", "2027-01-01T00:00:00Z"])
categories = [*CATEGORIES, category_named("recipe")]


def key_values(kind: str) -> st.SearchStrategy[Any]:
    return {
        "bool": st.booleans(),
        "date": st.just("2026-11-18"),
        "list": st.lists(texts, max_size=3),
    }.get(kind, texts)


def section_values(kind: str) -> st.SearchStrategy[Any]:
    alternative = st.fixed_dictionaries({"option": texts, "rejected_reason": texts})
    return {
        "prose": texts,
        "list": st.lists(texts, max_size=3),
        "alternatives": st.lists(alternative, max_size=3),
    }[kind]


@st.composite
def contents(draw: st.DrawFn, category: Category) -> dict[str, Any]:
    content = {
        key.name: draw(key_values(key.kind) if key.required else st.none() | key_values(key.kind))
        for key in category.keys
    }
    for section in category.sections:
        content[section.name] = draw(st.none() | section_values(section.kind))
    if category.name == "preference":
        content["examples"] = {name: content.pop(name) for name in ("prefer", "avoid")}
    if category.free_body:
        content["body"] = draw(st.none() | texts)
    return content


@st.composite
def entries(draw: st.DrawFn) -> Entry:
    category = draw(st.sampled_from(categories))
    return Entry(
        id="tr0123456789",
        category=category.name,
        title=draw(texts),
        created=draw(times),
        tags=tuple(draw(st.lists(texts, max_size=3))),
        related_files=tuple(draw(st.lists(texts, max_size=2))),
        confidence=draw(st.none() | st.floats(0, 1)),
        when=draw(st.none() | texts),
        keywords=tuple(draw(st.lists(texts, max_size=2))),
        pinned=draw(st.booleans()),
        snoozed_until=draw(st.none() | times),
        reviewed=draw(st.none() | times),
        superseded_by=draw(st.sampled_from([None, "", "none", "tr9876543210"])),
        appreciation=draw(st.integers(-9, 9)),
        content=draw(contents(category)),
    )


names = [key.name for key in category_named("note").keys] + ["id", "title", "tags", "when"]
extras = st.builds(
    Extra,
    keys=st.lists(
        st.builds(
            ExtraKey,
            st.none() | st.sampled_from(names),
            st.sampled_from(["{}: 1", "{}:\n- a\n\n# c", "{}: |\n  x: y\n", "{}: [a, {{b: c}}]"]),
        ),
        max_size=3,
    ).map(
        lambda keys: tuple(ExtraKey(k.after, k.source.format(f"x{n}")) for n, k in enumerate(keys))
    ),
    sections=st.lists(
        st.builds(
            ExtraSection,
            st.sampled_from([None, "context", "rationale", "elsewhere"]),
            st.sampled_from(["## Mine", "##", "##\tMine ##", "## Mine:"]),
            texts,
        ),
        max_size=3,
    ).map(tuple),
    preamble=texts,
)


@quick
@given(entries())
def test_what_was_written_is_read_back(entry: Entry) -> None:
    data = encode(entry)
    read = decode(data)
    assert read == canonical(entry)
    assert encode(read) == data
    assert canonical(read) == read
    assert entry_from_dict(entry_to_dict(read)) == read


@quick
@given(entries(), extras)
def test_what_is_unknown_is_kept_beside_any_entry(entry: Entry, extra: Extra) -> None:
    mixed = Entry(**{name: getattr(entry, name) for name in Entry.__slots__} | {"extra": extra})
    read = decode(encode(mixed))
    assert read == canonical(mixed)
    assert decode(encode(read)) == read
    kept = {key.source for key in extra.keys}
    assert {key.source for key in read.extra.keys} == kept


SEEDS = [row_bytes(row) for name in ("codec.jsonl", "codec-hand.jsonl") for row in read_rows(name)]


@st.composite
def mangled(draw: st.DrawFn) -> bytes:
    data = draw(st.sampled_from(SEEDS))
    for _ in range(draw(st.integers(1, 3))):
        at = draw(st.integers(0, min(len(data), 250)))
        piece = draw(st.one_of(st.sampled_from(PIECES), st.text(max_size=2)))
        data = (
            data[:at]
            + piece.encode("utf-8", "surrogatepass")
            + data[at + draw(st.integers(0, 3)) :]
        )
    return data


def read_or_none(data: bytes, loader: EventLoader) -> Entry | None:
    try:
        return decode(data, loader=loader)
    except ValidationError as error:
        assert error.details["line"] >= 1
        return None


@settings(quick, max_examples=400)
@given(st.one_of(mangled(), mangled(), st.binary(max_size=60)))
def test_any_bytes_are_read_alike_by_both_parsers_or_refused(data: bytes) -> None:
    first, *others = [read_or_none(data, loader) for loader in LOADERS]
    assert all(other == first for other in others)
    if first is not None:
        again = encode(first)
        assert decode(again) == first
        assert encode(decode(again)) == again


@quick
@given(st.lists(texts.map(item_text), max_size=4))
def test_a_list_is_read_back(items: list[str]) -> None:
    assert read_items(valid_text(write_items(items))) == items


@quick
@given(texts)
def test_valid_text_is_valid(text: str) -> None:
    for form in (valid_text, one_line, item_text):
        assert form(form(text)) == form(text)


words = st.lists(texts, max_size=3).map(tuple)
messages = st.builds(
    Message,
    op=st.sampled_from(["update", "config"]),
    category=st.sampled_from([None, "note", "tech_debt"]),
    title=texts,
    reason=texts,
    trailers=st.lists(
        st.tuples(st.sampled_from(["Gitmem-Path", "Gitmem-Import"]), words), max_size=3
    ),
)


def with_op(message: Message) -> Message:
    trailers = (("Gitmem-Op", (message.op,)), *message.trailers)
    return Message(message.op, message.category, message.title, message.reason, trailers)


def expected(message: Message) -> Message:
    """What of a message comes back: valid text, no empty words, no surrogates in them."""
    trailers = []
    for key, found in message.trailers:
        kept = tuple(filter(None, (word.encode(errors="ignore").decode() for word in found)))
        if kept:
            trailers.append((key, kept))
    return Message(
        message.op,
        message.category,
        one_line(message.title),
        valid_text(message.reason),
        tuple(trailers),
    )


@quick
@given(messages)
def test_a_message_is_read_back_whatever_its_reason_says(message: Message) -> None:
    sent = with_op(message)
    assert parse_message(encode_message(sent)) == expected(sent)


@quick
@given(st.binary(max_size=80) | texts.map(lambda text: text.encode("utf-8", "surrogatepass")))
def test_any_message_is_read(data: bytes) -> None:
    read = parse_message(data)
    assert read.title == one_line(read.title)


@settings(quick, max_examples=25, suppress_health_check=list(HealthCheck))
@given(message=messages)
def test_git_reads_the_same_trailers_whatever_the_reason_says(
    message: Message, tmp_path: Path
) -> None:
    data = encode_message(with_op(message))
    seen = git_bytes(tmp_path, "interpret-trailers", "--parse", data=data)
    assert seen == data.rstrip(b"\n").rpartition(b"\n\n")[2] + b"\n"
