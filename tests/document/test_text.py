"""Valid text in its three forms."""

from __future__ import annotations

import pytest
from gitmem.model.text import clean_text, item_text, one_line, valid_text


@pytest.mark.parametrize("code", [0, 8, 0xB, 0xC, 0x1F, 0x7F, 0x85, 0x9F, 0xD800, 0xDFFF, 0xFEFF])
def test_characters_that_no_memory_may_hold_go(code: int) -> None:
    assert clean_text(f"a{chr(code)}b") == "ab"
    assert one_line(f"a{chr(code)}b") == "ab"


@pytest.mark.parametrize("code", [0x20, 0x7E, 0xA0, 0x200B, 0x2028, 0xE000, 0xFFFD, 0x1FFFE])
def test_all_other_characters_stay(code: int) -> None:
    assert valid_text(f"a{chr(code)}b") == f"a{chr(code)}b"


def test_line_ends_become_lf_before_anything_goes() -> None:
    assert valid_text("a\r\nb\rc\r\x00\nd") == "a\nb\nc\n\nd"


def test_only_whole_blank_lines_go_from_the_ends() -> None:
    assert valid_text(" \n\t\n  a \n\n b\t\n \n") == "  a \n\n b\t"
    assert valid_text(" \n\t") == ""
    assert valid_text("\u00a0\na") == "\u00a0\na"


def test_one_line_has_single_blanks_and_none_at_its_ends() -> None:
    assert one_line(" a\t \n b\u2028\u2029c\u00a0 ") == "a b c\u00a0"


def test_an_item_begins_with_its_text() -> None:
    assert item_text("\n \t a\n  b\n") == "a\n  b"
