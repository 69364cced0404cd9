"""The help: what is listed exists, what exists is listed, and every example runs."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import click
import gitmem.cli
import pytest
from gitmem.cli.commands import COMMANDS
from gitmem.cli.main import group

from tests.cli.conftest import Cli
from tests.helpers import git

SHARED = {"main", "commands", "context", "each", "failure", "options", "output"}
"""Modules of the command line that aren't commands."""
COMMIT_OF_EXAMPLES = "4f1c2ab"


def command_of(name: str) -> click.Command:
    row = COMMANDS[name]
    found = getattr(import_module(row.module), row.function)
    assert isinstance(found, click.Command)
    return found


def with_subcommands(name: str) -> Iterator[tuple[str, click.Command]]:
    command = command_of(name)
    yield name, command
    if isinstance(command, click.Group):
        for inner, one in command.commands.items():
            yield f"{name} {inner}", one


def examples_of(command: click.Command) -> list[list[str]]:
    """The words of each example, without `gitmem` and without redirections."""
    text = (command.help or "").partition("Examples:")[2].replace("\\\n", " ")
    lines = [shlex.split(line) for line in text.splitlines() if line.strip()]
    assert all(words[0] == "gitmem" for words in lines), lines
    return [words[1 : words.index(">")] if ">" in words else words[1:] for words in lines]


def runnable_examples(name: str, store: Path) -> Iterator[list[str]]:
    """The examples of a command; the commit that they name is the tip by then."""
    for _, command in with_subcommands(name):
        for words in examples_of(command):
            tip = git(store, "rev-parse", "memory")
            yield [re.sub(rf"\b{COMMIT_OF_EXAMPLES}\b", tip[:12], word) for word in words]


@pytest.mark.parametrize("name", COMMANDS)
def test_summary_in_the_table_is_the_first_line_of_the_help(name: str) -> None:
    assert (command_of(name).help or "").splitlines()[0] == COMMANDS[name].summary


@pytest.mark.parametrize("name", COMMANDS)
def test_command_shows_examples_of_itself(name: str) -> None:
    for full, command in with_subcommands(name):
        examples = examples_of(command)
        assert examples, f"{full} has none"
        for words in examples:
            assert next(word for word in words if word != "--json") == name


def test_every_module_of_a_command_is_in_the_table() -> None:
    (folder,) = gitmem.cli.__path__
    files = {path.stem for path in Path(folder).glob("*.py")} - SHARED - {"__init__"}
    assert {name.removesuffix("_").replace("_", "-") for name in files} == set(COMMANDS)


def test_help_lists_every_command_with_its_summary(cli: Cli) -> None:
    shown = " ".join(cli.ok("--help").out.split())
    for name, row in COMMANDS.items():
        assert f"{name} {row.summary}" in shown


@pytest.mark.parametrize("name", COMMANDS)
def test_every_option_is_explained(name: str) -> None:
    for full, command in with_subcommands(name):
        for param in command.params:
            assert not isinstance(param, click.Option) or param.help, f"{full} {param.name}"


@pytest.mark.parametrize("name", COMMANDS)
def test_short_and_long_help_option_print_the_help(cli: Cli, name: str) -> None:
    assert cli.ok(name, "-h").out == cli.ok(name, "--help").out
    assert COMMANDS[name].summary in " ".join(cli.ok(name, "-h").out.split())


@pytest.mark.parametrize("name", COMMANDS)
def test_every_example_runs(cli: Cli, store: Path, name: str) -> None:
    for words in runnable_examples(name, store):
        cli.ok(*words, EDITOR="true")


@pytest.mark.parametrize("name", COMMANDS)
def test_every_example_answers_json_with_one_value(cli: Cli, store: Path, name: str) -> None:
    for words in runnable_examples(name, store):
        again = [] if "--json" in words else ["--json"]
        done = cli.ok(*words, *again, EDITOR="true")
        assert isinstance(json.loads(done.out), dict), words


def test_the_group_alone_prints_help_and_ends_as_wrong_usage(cli: Cli) -> None:
    done = cli()
    assert done.code == 2
    assert done.out.startswith("Usage: gitmem")


def test_group_knows_no_command_that_the_table_lacks() -> None:
    context = click.Context(group)
    assert group.list_commands(context) == list(COMMANDS)
    assert group.get_command(context, "serch") is None
