"""config: versioned with the entries; strict to writers, lenient to readers."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from gitmem.features.settings import get_key, list_keys
from gitmem.model.errors import ConfigError, SecretFound

from tests.helpers import commit_files
from tests.store import kit
from tests.store.kit import unsynced as unsynced

DAYS = "delete.grace_period_days"


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[kit.Memory]:
    memory = kit.new_memory(tmp_path / "repo")
    yield memory
    memory.close()


def test_a_key_is_set_by_a_commit_and_read_at_any_other(memory: kit.Memory) -> None:
    before = memory.tip
    answer = memory.set(DAYS, "7")
    assert (answer.key, answer.value, answer.commit) == (DAYS, 7, memory.tip)
    assert get_key(memory.workspace, DAYS) == 7
    assert get_key(memory.workspace, DAYS, at=before) == 30
    file = kit.file_at(memory.repo, "config.json")
    assert file == '{\n  "delete.grace_period_days": 7,\n  "format": 1\n}\n'


def test_a_value_that_is_there_already_makes_no_commit(memory: kit.Memory) -> None:
    memory.set(DAYS, 7)
    before = memory.tip
    assert memory.set(DAYS, 7).status == "already_set"
    assert memory.tip == before


@pytest.mark.parametrize(
    ("key", "value", "told"),
    [
        ("delete.grace_period_dais", 3, DAYS),
        ("format", 2, "can't be set"),
        (DAYS, "soon", "whole number"),
        (DAYS, -1, "whole number"),
        (DAYS, True, "whole number"),
        ("delete.archive_retired", "maybe", "true or false"),
        ("categories.decision.folder", "elsewhere", "built-in"),
        ("categories.recipe.folder", "notes", "folder"),
        ("categories.recipe.enabled", False, "no config key"),
        ("memory_root", "../outside", "inside"),
        ("auto_commit", True, "no config key"),
    ],
)
def test_a_wrong_key_or_value_is_refused(
    memory: kit.Memory, key: str, value: object, told: str
) -> None:
    before = memory.tip
    with pytest.raises(ConfigError) as refused:
        memory.set(key, value)
    assert told in f"{refused.value.message} {refused.value.fix}"
    assert memory.tip == before


def test_a_secret_is_no_setting(memory: kit.Memory) -> None:
    with pytest.raises(SecretFound):
        memory.set("memory_root", "AKIA" + "IOSFODNN7EXAMPLQ")


def test_what_a_newer_gitmem_wrote_is_kept(memory: kit.Memory) -> None:
    text = '{"format": 1, "from.the.future": [1, 2], "delete.grace_period_days": 9999999}\n'
    commit_files(memory.repo, {"config.json": text}, "newer")
    assert memory.store.snapshot().config.unknown == ("from.the.future",)
    assert get_key(memory.workspace, DAYS) < 9999999
    memory.set("delete.archive_retired", True)
    assert '"from.the.future": [\n    1,\n    2\n  ]' in kit.file_at(memory.repo, "config.json")


def test_a_config_that_cant_be_read_is_never_overwritten(memory: kit.Memory) -> None:
    commit_files(memory.repo, {"config.json": "{ not json"}, "by hand")
    with pytest.raises(ConfigError, match="can't be read"):
        memory.set(DAYS, 3)
    assert kit.file_at(memory.repo, "config.json") == "{ not json"


def test_every_key_is_listed_with_what_it_is_for(memory: kit.Memory) -> None:
    memory.set(DAYS, 7)
    listed = {one["key"]: one for one in list_keys(memory.workspace)}
    assert listed[DAYS]["value"] == 7
    assert (listed[DAYS]["default"], listed[DAYS]["is_set"]) == (30, True)
    assert all(one["purpose"] for one in listed.values())
    assert "categories.decision.enabled" in listed
    assert "categories.decision.folder" not in listed
