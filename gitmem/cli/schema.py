"""gitmem schema."""

from __future__ import annotations

import json
from typing import Any

import click

from gitmem.cli.context import Run
from gitmem.cli.options import command
from gitmem.model.categories import BUILT_IN
from gitmem.model.errors import NotFound


@command("schema")
@click.argument("name", required=False, metavar="[CATEGORY|config]")
def schema_command(run: Run, name: str | None) -> None:
    """Print the JSON schema of a category or of the configuration.

    Without a name: all of them. A schema says what `add --input` takes.

    \b
    Examples:
      gitmem schema decision
      gitmem schema config
    """
    answer = _all() if name is None else _one(run, name)
    run.output.answer(answer, [json.dumps(answer, ensure_ascii=False, indent=2)])


def _all() -> dict[str, Any]:
    from gitmem.model.validate import config_schema, entry_schema

    return {
        "categories": {name: entry_schema(category) for name, category in BUILT_IN.items()},
        "config": config_schema(),
    }


def _one(run: Run, name: str) -> dict[str, Any]:
    from gitmem.model.validate import config_schema, entry_schema

    if name == "config":
        return config_schema()
    # Those that come with gitmem are known without a store.
    category = BUILT_IN.get(name) or run.read(
        lambda workspace: workspace.snapshot().config.category(name)
    )
    if category is None:
        raise NotFound(
            f"there is no category {name!r}",
            got=name,
            expected=", ".join([*BUILT_IN, "config"]),
            fix="use one of " + ", ".join([*BUILT_IN, "config"]),
        )
    return entry_schema(category)
