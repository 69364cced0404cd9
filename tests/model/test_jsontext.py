"""The quick reader of JSON reads as the standard one does."""

from __future__ import annotations

import json
from typing import Any

import pytest
from gitmem.model.jsontext import loads
from hypothesis import given, settings
from hypothesis import strategies as st

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=10,
)


@settings(max_examples=50)
@given(VALUES, st.booleans(), st.sampled_from(["", " ", "\n\t"]))
def test_it_reads_what_was_written(value: Any, escaped: bool, blank: str) -> None:
    text = blank + json.dumps(value, ensure_ascii=escaped) + blank
    assert loads(text) == value


@pytest.mark.parametrize("text", ["", " ", "{", "[1,", '{"a" 1}', "{} {}", "nil", '"\\x"', "01"])
def test_what_is_no_json_is_a_value_error(text: str) -> None:
    with pytest.raises(ValueError, match=":"):
        loads(text)


def test_control_characters_inside_of_strings_are_forgiven() -> None:
    assert loads('{"prompt": "two\nlines"}') == {"prompt": "two\nlines"}
