"""gitmem config."""

from __future__ import annotations

import json
from typing import Any

import click

from gitmem.cli.context import Run
from gitmem.cli.options import CommandGroup, at_option, command, reason_option
from gitmem.cli.output import SHORT, columns, one_line


@click.group("config", cls=CommandGroup, subcommand_metavar="COMMAND …")
def config_command() -> None:
    """Show and set the store's configuration.

    It is versioned with the entries: every setting is a commit.

    \b
    Examples:
      gitmem config list
      gitmem config get delete.grace_period_days
      gitmem config set delete.grace_period_days 60
    """


@command("get")
@click.argument("key")
@at_option()
def get_command(run: Run, key: str, at: str | None) -> None:
    """Print the value that counts: the store's, or the default.

    \b
    Examples:
      gitmem config get working.agents
    """
    from gitmem.features.settings import get_key

    value = run.read(lambda workspace: get_key(workspace, key, at))
    run.output.answer({"key": key, "value": value}, [_shown(value)])


@command("set")
@click.argument("key")
@click.argument("value")
@reason_option()
def set_command(run: Run, key: str, value: str, reason: str) -> None:
    """Set a key.

    \b
    Examples:
      gitmem config set working.agents true --reason "we trust them"
    """
    from gitmem.features.settings import set_key

    answer = run.write(lambda workspace: set_key(workspace, key, value, reason))
    run.output.warn(answer.warnings)
    run.output.answer(
        answer.to_json(), [f"{key} = {_shown(answer.value)}  commit {answer.commit[:SHORT]}"]
    )


@command("list")
@at_option()
def list_command(run: Run, at: str | None) -> None:
    """List every key with its value and what it is for.

    What this store sets itself is marked with a star.

    \b
    Examples:
      gitmem config list --json
    """
    from gitmem.features.settings import list_keys

    keys = run.read(lambda workspace: list_keys(workspace, at))
    run.output.answer({"keys": keys}, _lines(run, keys))


def _lines(run: Run, keys: list[dict[str, Any]]) -> list[str]:
    rows = [
        ("*" if one["is_set"] else " ", one["key"], _shown(one["value"]), one["purpose"])
        for one in keys
    ]
    return [
        f"{mark}{run.output.styled(key, 'cyan')}{value}{run.output.styled(purpose, 'dim')}"
        for mark, key, value, purpose in columns(rows)
    ]


def _shown(value: object) -> str:
    return one_line(value if isinstance(value, str) else json.dumps(value, ensure_ascii=False))


for _command in (get_command, set_command, list_command):
    config_command.add_command(_command)
