"""The hook reads config without the table of keys, and reads it as the table does."""

from __future__ import annotations

from pathlib import Path

import pytest
from gitmem.features.recall import injection
from gitmem.features.starting import user_store
from gitmem.git.glance import Glance
from gitmem.hooks.user_prompt_submit import user_store as hooks_user_store
from gitmem.index.bare import Connection
from gitmem.model.config import FORMAT, Config

PLACE = Glance("/r/.git", "/r/.git", "/r", "refs/heads/memory", "0" * 40)
ODD: list[object] = [0, 1, 5, 20, 21, -3, 10**9, True, False, None, "7", 2.5, [], {}]


@pytest.mark.parametrize("value", ODD, ids=repr)
def test_the_number_of_entries_is_clamped_as_everywhere(value: object) -> None:
    raw = {"retrieval.max_inject": value}
    assert injection._limit(raw) == Config(raw).get("retrieval.max_inject")
    assert injection._limit({}) == Config({}).get("retrieval.max_inject")


@pytest.mark.parametrize(
    "key", ["enabled", "content", "user_store", "branch_scope"], ids=lambda key: f"retrieval.{key}"
)
@pytest.mark.parametrize("value", ODD, ids=repr)
def test_flags_of_the_wrong_kind_have_their_default(key: str, value: object) -> None:
    name = f"retrieval.{key}"
    raw = {name: value}
    sql = Connection(":memory:")
    store = injection._Open(PLACE, sql, PLACE.tip, raw)
    assert store.flag(name, Config({}).get(name)) == Config(raw).get(name)
    sql.close()


def test_the_hook_knows_the_format_that_is_written() -> None:
    assert injection.FORMAT == FORMAT


def test_the_hook_finds_the_personal_store_where_it_is_made(
    tmp_path: Path,
) -> None:
    for environ in ({}, {"XDG_DATA_HOME": str(tmp_path)}, {"XDG_DATA_HOME": "relative"}):
        place = user_store(environ)
        assert hooks_user_store(environ) == ""
        place.mkdir(parents=True)
        (place / "HEAD").write_text("ref: refs/heads/memory\n")
        assert hooks_user_store(environ) == str(place)
        (place / "HEAD").unlink()
        place.rmdir()
