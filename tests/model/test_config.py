"""config.json: strict to write, forgiving to read, nothing unknown is lost."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from gitmem.model.config import KEYS, Config, check_value
from gitmem.model.errors import ConfigError
from gitmem.model.validate import config_schema


def _config(**raw: Any) -> Config:
    return Config.from_json(json.dumps({"format": 1, **raw}).encode())


def test_every_key_has_its_default_in_an_empty_store() -> None:
    config = Config.from_json(b'{\n  "format": 1\n}\n')
    assert config.get("memory_root") == ".claude/memory"
    assert config.get("categories.decision.enabled") is True
    assert config.get("categories.decision.description") == ""
    assert config.get("delete.grace_period_days") == 30
    assert config.get("delete.archive_retired") is False
    assert config.get("working.agents") is False
    assert config.unknown == ()
    assert config.faults == ()


def test_the_first_file_is_written_to_the_byte() -> None:
    assert Config.from_json(None).to_bytes() == b'{\n  "format": 1\n}\n'


def test_a_file_is_sorted_and_readable() -> None:
    config = _config().with_value("working.agents", "true")
    config = config.with_value("categories.note.description", "alles Übrige")
    assert config.to_bytes().decode() == (
        '{\n  "categories.note.description": "alles Übrige",\n'
        '  "format": 1,\n  "working.agents": true\n}\n'
    )
    assert Config.from_json(config.to_bytes()) == config


def test_unknown_keys_are_kept_and_reported() -> None:
    raw = {"later.key": {"a": [1]}, "categories.ghost.enabled": True, "<category>": 1}
    config = _config(**raw).with_value("working.agents", True)
    assert config.unknown == ("<category>", "categories.ghost.enabled", "later.key")
    assert json.loads(config.to_bytes()) == {"format": 1, "working.agents": True, **raw}


def test_a_lone_surrogate_in_a_file_survives() -> None:
    data = b'{\n  "format": 1,\n  "x": "\\ud800"\n}\n'
    assert Config.from_json(data).to_bytes() == data


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("delete.grace_period_days", "30"),
        ("delete.grace_period_days", True),
        ("delete.grace_period_days", 1.5),
        ("delete.archive_retired", 1),
        ("memory_root", "/etc"),
        ("memory_root", "a/../../b"),
        ("memory_root", ".git/memory"),
        ("memory_root", "C:\\x"),
        ("memory_root", ""),
        ("categories.note.description", 5),
        ("categories.note.description", "two\nlines"),
        ("categories.mine.folder", "working"),
        ("categories.note.folder", "elsewhere"),
    ],
)
def test_a_wrong_value_in_a_file_falls_back_to_the_default(key: str, value: Any) -> None:
    config = _config(**{key: value})
    assert config.get(key) == Config().get(key)
    assert len(config.faults) == 1
    assert key in config.faults[0]
    assert json.loads(config.to_bytes())[key] == value


def test_numbers_in_a_file_are_clamped() -> None:
    assert _config(**{"delete.grace_period_days": -5}).get("delete.grace_period_days") == 0
    assert _config(**{"delete.grace_period_days": 10**9}).get("delete.grace_period_days") == 36_500
    assert _config(**{"delete.grace_period_days": -5}).faults == ()


@pytest.mark.parametrize(
    "data",
    [b"", b"{", b"[]", b"null", b"\xff", b"[" * 100_000, b'{"a": ' + b"9" * 5000 + b"}"],
    ids=range(7),
)
def test_a_broken_file_reads_as_defaults_and_cannot_be_written(data: bytes) -> None:
    config = Config.from_json(data)
    assert config.get("delete.grace_period_days") == 30
    assert len(config.faults) == 1
    with pytest.raises(ConfigError) as caught:
        config.with_value("working.agents", True)
    assert caught.value.fix


def test_a_newer_format_is_read_and_not_written() -> None:
    config = Config.from_json(b'{"format": 2, "delete.grace_period_days": 7}')
    assert (config.format, config.writable) == (2, False)
    assert config.get("delete.grace_period_days") == 7
    assert Config().writable


@pytest.mark.parametrize(
    ("key", "text", "value"),
    [
        ("delete.grace_period_days", " 7 ", 7),
        ("delete.grace_period_days", "+7", 7),
        ("delete.grace_period_days", 0, 0),
        ("delete.archive_retired", "Yes", True),
        ("categories.note.enabled", "off", False),
        ("memory_root", "./docs//memory/", "docs/memory"),
        ("categories.note.description", "  one line ", "one line"),
        ("categories.recipe.folder", "recipes", "recipes"),
    ],
)
def test_values_from_the_command_line_are_typed(key: str, text: Any, value: Any) -> None:
    assert check_value(key, text) == value


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("delete.grace_period_days", "-1"),
        ("delete.grace_period_days", "36501"),
        ("delete.grace_period_days", "seven"),
        ("delete.grace_period_days", "٧"),
        ("delete.grace_period_days", True),
        ("delete.grace_period_days", "9" * 5000),
        ("working.agents", "maybe"),
        ("working.agents", None),
        ("memory_root", "../x"),
        ("memory_root", "x/.GIT/y"),
        ("memory_root", "~/x"),
        ("memory_root", "."),
        ("categories.note.description", "a\nb"),
        ("categories.recipe.folder", "Recipes"),
        ("categories.recipe.folder", "a/b"),
        ("categories.recipe.folder", "graph"),
        ("categories.recipe.folder", "retired"),
        ("categories.recipe.folder", "invalid"),
        ("categories.recipe.folder", "notes"),
        ("categories.recipe.folder", "nul"),
        ("categories.note.folder", "mine"),
        ("format", "2"),
    ],
)
def test_a_wrong_value_is_refused(key: str, value: Any) -> None:
    with pytest.raises(ConfigError) as caught:
        check_value(key, value)
    assert caught.value.field == key
    assert len(caught.value.message) < 400


@pytest.mark.parametrize(
    ("key", "nearest"),
    [
        ("delete.grace_period", "delete.grace_period_days"),
        ("working.agent", "working.agents"),
        ("memoryroot", "memory_root"),
        ("categories.decision.enable", "categories.decision.enabled"),
        ("categories.decison.enabled", "categories.decision.enabled"),
        ("categories.recipe.enabled", None),
        ("categories.<category>.enabled", None),
        ("zzz", None),
    ],
)
def test_an_unknown_key_is_refused_and_the_nearest_named(key: str, nearest: str | None) -> None:
    with pytest.raises(ConfigError) as caught:
        Config().with_value(key, "true")
    if nearest:
        assert nearest in (caught.value.fix or "")
    with pytest.raises(ConfigError):
        Config().get("zzz")


def test_a_folder_declares_a_category() -> None:
    config = Config().with_value("categories.recipe.folder", "recipes")
    config = config.with_value("categories.recipe.description", "how we cook")
    category = config.category("recipe")
    assert category is not None
    assert (category.folder, category.purpose, category.custom) == ("recipes", "how we cook", True)
    assert category.free_body
    assert config.folder_category("recipes") == category
    assert list(config.custom_categories()) == ["recipe"]
    assert config.unknown == ()
    assert Config().category("recipe") is None
    assert Config().folder_category("recipes") is None


def test_built_in_categories_are_found_by_name_and_folder() -> None:
    category = Config().category("tech_debt")
    assert category is not None
    assert Config().folder_category("tech-debt") == category
    assert Config().folder_category("graph") == Config().category("entity")


def test_two_categories_cannot_share_a_folder() -> None:
    config = Config().with_value("categories.recipe.folder", "recipes")
    with pytest.raises(ConfigError, match="recipe"):
        config.with_value("categories.dish.folder", "recipes")
    merged = _config(**{"categories.recipe.folder": "x", "categories.dish.folder": "x"})
    assert list(merged.custom_categories()) == ["dish"]
    assert len(merged.faults) == 1


def test_the_folder_of_a_declared_category_stays() -> None:
    config = Config().with_value("categories.recipe.folder", "recipes")
    assert config.with_value("categories.recipe.folder", "recipes") == config
    with pytest.raises(ConfigError, match="recipes"):
        config.with_value("categories.recipe.folder", "cookbook")


def test_the_schema_knows_every_key_and_default() -> None:
    schema = config_schema()
    rows = {**schema["properties"], **schema["patternProperties"]}
    assert len(rows) == len(KEYS) + 1
    for key in KEYS:
        name = key.pattern.replace("<category>", "note")
        found = [
            row
            for pattern, row in rows.items()
            if pattern == name or (pattern.startswith("^") and re.match(pattern, name))
        ]
        assert len(found) == 1
        assert found[0].get("default") == key.default
        assert found[0]["description"] == key.purpose
