"""Rules of the format that the cases don't reach: limits, leniency at the edges, cost."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace

import pytest
from gitmem.document.codec import canonical, decode, encode
from gitmem.document.frontmatter import EventLoader
from gitmem.model.categories import DEFAULTS
from gitmem.model.entry import Entry, Extra, ExtraKey, ExtraSection
from gitmem.model.errors import ValidationError

from tests.document.rows import LOADERS

KEYS = "id: tr0123456789\ncategory: {}\ntitle: T\ncreated: 2026-11-18T07:12:03Z\ntags: [a]\n"
NOTE = Entry("tr0123456789", "note", "T", "2026-11-18T07:12:03Z", ("a",))
DECISION = replace(NOTE, category="decision", content={"status": "accepted", "context": "c"})


def file_of(keys: str = "", body: str = "", category: str = "note") -> bytes:
    return f"---\n{KEYS.format(category)}{keys}---\n{body}".encode()


def line_of_refusal(data: bytes, loader: EventLoader | None = None) -> int:
    with pytest.raises(ValidationError) as caught:
        decode(data, loader=loader)
    line: int = caught.value.details["line"]
    return line


# Limits


def test_a_file_of_one_mebibyte_is_read_and_one_byte_more_is_not() -> None:
    head = len(file_of())
    assert decode(file_of(body="x" * (1_048_576 - head))).content["body"].startswith("x")
    assert line_of_refusal(file_of(body="x" * (1_048_577 - head))) == 1


def test_frontmatter_of_64_kibibytes_is_read_and_one_byte_more_is_not() -> None:
    room = 65_536 - len(KEYS.format("note")) - len("x: \n")
    assert decode(file_of(f"x: {'y' * room}\n")).extra.keys
    assert line_of_refusal(file_of(f"x: {'y' * (room + 1)}\n")) == 1


def test_frontmatter_is_measured_in_bytes_not_characters() -> None:
    assert line_of_refusal(file_of(f"x: {'é' * 33_000}\n")) == 1


def test_what_could_not_be_read_again_is_not_written() -> None:
    with pytest.raises(ValidationError, match="the file has"):
        encode(replace(NOTE, content={"body": "x" * 1_048_576}))
    with pytest.raises(ValidationError, match="the frontmatter has"):
        encode(replace(NOTE, keywords=tuple(f"{n:08}" for n in range(7000))))


@pytest.mark.parametrize("loader", LOADERS)
def test_twenty_levels_are_read_and_twenty_one_are_not(loader: EventLoader) -> None:
    nested = "x:\n" + "".join(f"{' ' * depth}k:\n" for depth in range(1, 19))
    assert decode(file_of(nested + " " * 19 + "k: v\n"), loader=loader).extra.keys
    assert line_of_refusal(file_of(nested + " " * 19 + "k: [v]\n"), loader) == 26


# What is refused, and where


@pytest.mark.parametrize("loader", LOADERS)
@pytest.mark.parametrize(
    ("keys", "line"),
    [
        ("...\n", 7),
        ("--- x\n", 7),
        ('x: "a\nb: c"\n', 8),
        ('"x": 1\n', 7),
        ("x y: 1\n", 7),
        ("x : 1\n", 7),
        ("x:\n  a: 1\n  a: 2\n", 9),
        ("reviewed: 2026-11-18 07:12:03\n", 7),
        ("reviewed: 2026-02-30T07:12:03Z\n", 7),
        ("reviewed: 2026-11-18T24:00:00Z\n", 7),
        ("reviewed: 2026-11-18T07:12:03+00:00\n", 7),
        ("appreciation: 1_000\n", 7),
        ("appreciation: 1.5\n", 7),
        ("confidence: inf\n", 7),
        ("confidence: 1e999\n", 7),
        ("pinned: y\n", 7),
        ("when: >  # c\n  a\n", 7),
        ("when:\n  # c\n  a\n", 8),
        ("when: 'a\n  b' # c\n", 8),
        ("keywords:\n  - a\n  - b: c\n", 9),
        ("x: [a?b]\n", 7),
        ("x: [a:]\n", 7),
        ("x: [? , a]\n", 7),
        ('x: "\\ud800"\n', 7),
        ('x: "\\UFFFFFFFF"\n', 7),
    ],
)
def test_a_key_that_cannot_be_kept_is_refused(keys: str, line: int, loader: EventLoader) -> None:
    assert line_of_refusal(file_of(keys), loader) == line


def test_a_date_must_be_a_day_of_the_calendar() -> None:
    data = file_of("date: {}\n", "\n## Lines\n", "daily_log").decode()
    assert decode(data.format("2028-02-29").encode()).content["date"] == "2028-02-29"
    for text in ("2026-02-29", "2026-13-01", "2026-00-01", "2026-1-1", "0000-01-01", "today"):
        assert line_of_refusal(data.format(text).encode()) == 7


@pytest.mark.parametrize("name", ["id", "category", "title", "created"])
def test_a_file_without_a_key_that_every_entry_has_is_refused(name: str) -> None:
    kept = [line for line in file_of().decode().split("\n") if not line.startswith(f"{name}:")]
    with pytest.raises(ValidationError, match=f"`{name}` is missing") as caught:
        decode("\n".join(kept).encode())
    assert caught.value.field == name


@pytest.mark.parametrize("data", [b"", b"\n\n", b"---", b"---\n", b"---\n---\n", b"----\nid: x\n"])
def test_a_file_without_frontmatter_is_refused(data: bytes) -> None:
    line_of_refusal(data)


def test_lines_count_from_the_start_of_the_file_whatever_ends_them() -> None:
    assert line_of_refusal(b"\n \n" + file_of("pinned: maybe\n")) == 9
    assert line_of_refusal(file_of("pinned: maybe\n").replace(b"\n", b"\r\n")) == 7
    assert line_of_refusal(file_of("pinned: maybe\n").replace(b"\n", b"\r")) == 7
    assert line_of_refusal(file_of(body="\r\nx\r\n") + b"\xff") == 10


# What is taken


@pytest.mark.parametrize("loader", LOADERS)
def test_comments_around_known_keys_are_taken_and_go(loader: EventLoader) -> None:
    data = file_of("# c\nwhen: a\n# c\nkeywords: # c\n  - k # c\npinned: yes # c\n")
    entry = decode(data, loader=loader)
    assert encode(entry) == file_of("when: a\nkeywords: [k]\npinned: true\n")


def test_a_hash_inside_a_text_is_no_comment() -> None:
    assert decode(file_of("when: |\n  a # b\n")).when == "a # b"
    assert decode(file_of('when: "a\n  # b"\n')).when == "a # b"
    assert decode(file_of("when: a#b\n")).when == "a#b"


def test_empty_lines_and_comments_behind_an_unknown_key_stay_with_it() -> None:
    data = file_of("x: 1\n\n# about y\ny: 2\nwhen: w\n")
    assert encode(decode(data)) == data


def test_unknown_keys_follow_the_known_key_that_has_a_value() -> None:
    entry = decode(file_of("pinned: false\nx: 1\nwhen: w\ny: 2\n"))
    assert [(key.after, key.source) for key in entry.extra.keys] == [
        ("tags", "x: 1"),
        ("when", "y: 2"),
    ]
    without = encode(replace(entry, when=None))
    assert without == file_of("x: 1\ny: 2\n")


def test_unknown_sections_keep_their_place_when_the_section_before_them_goes() -> None:
    extra = Extra(sections=(ExtraSection("decision", "## Mine", "m"),))
    entry = replace(DECISION, content={"context": "c", "rationale": ["r"]}, extra=extra)
    assert (
        encode(entry).decode().endswith("## Context\n\nc\n\n## Mine\n\nm\n\n## Rationale\n\n- r\n")
    )


def test_extras_that_follow_nothing_known_are_written_last() -> None:
    extra = Extra((ExtraKey("status", "x: 1"),), (ExtraSection("nothing", "## Y", "y"),), "p")
    data = encode(replace(NOTE, content={"body": "b"}, extra=extra))
    assert data == file_of("x: 1\n", "\np\n\nb\n\n## Y\n\ny\n")


def test_a_fence_that_reaches_over_a_heading_hides_it() -> None:
    entry = decode(file_of("", "## Context\n```\n## Decision\nd\n```\n", "decision"))
    assert entry.content == {"context": "```\n## Decision\nd\n```"}


def test_of_two_open_fences_the_first_is_closed() -> None:
    body = "## Context\n~~~~ x\n```y\n## Decision\n```z\n"
    entry = decode(file_of("", body, "decision"))
    assert entry.content == {"context": "~~~~ x\n```y\n~~~~", "decision": "```z\n```"}
    assert decode(encode(entry)) == entry


def test_an_open_fence_in_a_list_is_text() -> None:
    entry = decode(file_of("", "## Rationale\n- a\n```\n- b\n", "decision"))
    assert entry.content == {"rationale": ["a\n```", "b"]}


def test_sets_of_an_entity_lose_repeats_and_keep_their_order() -> None:
    entity = replace(NOTE, category="entity", content={"observations": ["b", "a", " b"]})
    assert canonical(entity).content == {"observations": ["b", "a"]}
    assert decode(encode(entity)) == canonical(entity)


def test_an_alternative_without_an_option_takes_the_first_line_of_its_reason() -> None:
    alternatives = [{"option": " ", "rejected_reason": "## a\nb"}, {"option": ""}]
    entry = replace(DECISION, content={"alternatives": alternatives})
    assert decode(encode(entry)).content["alternatives"] == [
        {"option": "## a", "rejected_reason": "b"},
        {"option": "", "rejected_reason": ""},
    ]
    assert encode(canonical(entry)) == encode(entry)


def test_headings_match_however_they_are_decorated() -> None:
    body = "## root-CAUSE: ##\na\n##  Root  cause\nb\n## Root\u00a0cause\nc\n"
    entry = decode(file_of("", body, "runbook"))
    assert entry.content == {"root_cause": "a\n\nb"}
    assert [section.heading for section in entry.extra.sections] == ["## Root\u00a0cause"]


def test_no_value_can_forge_a_key_or_a_heading() -> None:
    forged = replace(
        DECISION,
        title='x"\npinned: true',
        reviewed="2026-11-18\npinned: true",
        content={"status": "a\nb: c", "context": "x\n## Decision\n\nforged"},
    )
    text = encode(forged).decode()
    assert "\npinned:" not in text
    assert "\n## Decision" not in text


def test_every_default_is_a_false_value() -> None:
    assert not any(DEFAULTS.values())


def test_encoding_imports_no_yaml() -> None:
    code = (
        "import sys, gitmem.document.codec as codec, gitmem.document.message\n"
        "from gitmem.model.entry import Entry\n"
        "codec.encode(Entry('tr0123456789', 'note', 't', '2026-11-18T07:12:03Z'))\n"
        "print([name for name in ('yaml', 'frontmatter') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"
