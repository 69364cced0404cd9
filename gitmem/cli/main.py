"""The command line: a group whose commands are imported when they are called, and its errors.

Whatever happens, a run ends with an exit code of the contract and, with `--json`, with exactly
one JSON value on standard output. Nothing is decided here about memories.
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Any

import click

from gitmem.cli.commands import COMMANDS, TOPICS
from gitmem.cli.context import Run
from gitmem.cli.failure import explained
from gitmem.cli.options import GLOBAL_OPTIONS
from gitmem.cli.output import NobodyReads

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

NAME = "gitmem"
BROKEN_PIPE = 141
"""What the shell sees of a program that SIGPIPE ended."""


class LazyGroup(click.Group):
    """All commands of the table, each imported when it is called."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        row = COMMANDS.get(cmd_name)
        if row is None:
            return None
        found = getattr(import_module(row.module), row.function)
        assert isinstance(found, click.Command)
        return found

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args[0] in COMMANDS or ctx.resilient_parsing or args[0].startswith("-"):
            return super().resolve_command(ctx, args)
        # Imported here: needed for this message alone.
        from difflib import get_close_matches

        near = get_close_matches(args[0], COMMANDS, n=1)
        hint = f", did you mean {near[0]}?" if near else ""
        raise click.UsageError(f"there is no command {args[0]!r}{hint}", ctx)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        widest = max(map(len, COMMANDS))
        for topic, commands in TOPICS.items():
            with formatter.section(topic):
                formatter.write_dl(
                    [(name.ljust(widest), row.summary) for name, row in commands.items()]
                )

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        from click.shell_completion import CompletionItem

        names = [
            CompletionItem(name, help=row.summary)
            for name, row in COMMANDS.items()
            if name.startswith(incomplete)
        ]
        return names + click.Command.shell_complete(self, ctx, incomplete)


def _version(ctx: click.Context, _: click.Parameter, wanted: bool) -> None:
    if not wanted or ctx.resilient_parsing:
        return
    from importlib.metadata import version

    number = version(NAME)
    run = ctx.find_object(Run)
    assert run is not None
    run.output.answer({"version": number}, f"{NAME} {number}\n")
    ctx.exit()


@click.group(
    NAME,
    cls=LazyGroup,
    params=[
        *GLOBAL_OPTIONS,
        click.Option(
            ["--version"],
            is_flag=True,
            expose_value=False,
            callback=_version,
            help="Print the version.",
        ),
    ],
    context_settings={"help_option_names": ["-h", "--help"]},
    no_args_is_help=False,
    invoke_without_command=True,
    subcommand_metavar="COMMAND …",
    epilog="`gitmem COMMAND --help` explains a command, with examples.",
)
@click.pass_context
def group(ctx: click.Context) -> None:
    """A memory for coding agents in which every change is a git commit.

    Entries are markdown files on a branch of their own; your code branches are never touched.

    REF names an entry: its id, the beginning of it (tr and 4 characters or more), its slug, or
    its address tier/folder/slug.
    """
    if ctx.invoked_subcommand is not None:
        return
    run = ctx.find_object(Run)
    if run is None or not run.output.json:
        click.echo(ctx.get_help())
        ctx.exit(2)
    raise click.UsageError("no command is named", ctx)


def main(arguments: Sequence[str], run: Run | None = None) -> int:
    """Run one command line; its exit code."""
    run = run or Run.of_process()
    try:
        answer: Any = group.main(list(arguments), NAME, standalone_mode=False, obj=run)
        return answer if isinstance(answer, int) else 0
    except NobodyReads:
        return BROKEN_PIPE
    except (Exception, KeyboardInterrupt) as error:  # noqa: BLE001 - the last resort: it is reported
        return _failed(run, error, arguments)


def _failed(run: Run, error: BaseException, arguments: Sequence[str]) -> int:
    # A command line that can't be read may have its --json behind the mistake.
    if isinstance(error, click.UsageError) and "--json" in _before_separator(arguments):
        run.output.json = True
    told = explained(error, run)
    try:
        run.output.failure(told, {"results": run.results} if run.results else None)
    except NobodyReads:
        return BROKEN_PIPE
    return told.exit_code


def _before_separator(arguments: Sequence[str]) -> Sequence[str]:
    return arguments[: arguments.index("--")] if "--" in arguments else arguments
