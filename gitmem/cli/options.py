"""Options and arguments that several commands share."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

import click

from gitmem.cli.context import Run

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

    from gitmem.features.workspace import Workspace

F = TypeVar("F", bound=Callable[..., Any])

MOST_COMPLETIONS = 200


def _run_of(ctx: click.Context) -> Run:
    run = ctx.find_object(Run)
    assert run is not None
    return run


def _set_folder(ctx: click.Context, _: click.Parameter, folders: tuple[str, ...]) -> None:
    for folder in folders:
        _run_of(ctx).change_folder(folder)


def _set_store(ctx: click.Context, _: click.Parameter, store: str | None) -> None:
    if store:
        _run_of(ctx).store = store


def _set_json(ctx: click.Context, _: click.Parameter, json: bool) -> None:
    if json:
        _run_of(ctx).output.json = True


def _global_options(hidden: bool) -> list[click.Parameter]:
    return [
        click.Option(
            ["-C", "folder"],
            metavar="DIR",
            multiple=True,
            is_eager=True,
            expose_value=False,
            callback=_set_folder,
            hidden=hidden,
            help="Run as if started in DIR.",
        ),
        click.Option(
            ["--store"],
            metavar="project|user|PATH",
            is_eager=True,
            expose_value=False,
            callback=_set_store,
            hidden=hidden,
            help="The memory to use: this repository's, your personal one, or the one at PATH.",
        ),
        click.Option(
            ["--json"],
            is_flag=True,
            is_eager=True,
            expose_value=False,
            callback=_set_json,
            help="Answer with one JSON value.",
        ),
    ]


GLOBAL_OPTIONS = _global_options(hidden=False)
_AGAIN = _global_options(hidden=True)
"""The same behind the command, where only `--json` is shown."""


class Command(click.Command):
    """A command that also takes the global options."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.params = [*self.params, *_AGAIN]


class CommandGroup(click.Group):
    """A command with commands of its own; each takes the global options."""

    command_class = Command

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.params = [*self.params, *_AGAIN]


def complete_ref(ctx: click.Context, _: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """The entries that a shell may complete to: slugs, ids and addresses from the index."""
    from click.shell_completion import CompletionItem

    from gitmem.model.errors import GitmemError

    try:
        found = _run_of(ctx).read(lambda workspace: _names(workspace, incomplete))
    except (GitmemError, OSError):
        # A completion that can't be had is none: the shell has no place for errors.
        return []
    return [CompletionItem(name, help=title) for name, title in found]


def _names(workspace: Workspace, incomplete: str) -> list[tuple[str, str]]:
    from gitmem.model.categories import TIERS

    found: list[tuple[str, str]] = []
    for one in workspace.snapshot().entries(TIERS):
        for name in (one.address.slug, one.id, str(one.address)):
            # Only what was begun: all ids of a store help nobody.
            if name.startswith(incomplete) and (incomplete or name == one.address.slug):
                found.append((name, one.title))
                break
        if len(found) == MOST_COMPLETIONS:
            break
    return found


def command(name: str) -> Callable[[Callable[..., Any]], Command]:
    """A command; its first argument is the Run."""

    def made(function: Callable[..., Any]) -> Command:
        return click.command(name, cls=Command)(click.pass_obj(function))

    return made


def ref_argument(name: str = "ref", *, required: bool = True) -> Callable[[F], F]:
    """An entry; the shell completes it."""
    shown = name.upper() if required else f"[{name.upper()}]"
    return click.argument(name, required=required, metavar=shown, shell_complete=complete_ref)


def refs_argument() -> Callable[[F], F]:
    """One entry or several."""
    return click.argument(
        "refs", nargs=-1, required=True, metavar="REF…", shell_complete=complete_ref
    )


def at_option() -> Callable[[F], F]:
    return click.option(
        "--at",
        metavar="WHEN",
        help="Read the memory as it was: a commit, 2026-11-18, or `3 days ago`.",
    )


def reason_option() -> Callable[[F], F]:
    return click.option("--reason", default="", metavar="TEXT", help="Why; kept in the commit.")


def expect_option() -> Callable[[F], F]:
    return click.option(
        "--expect",
        metavar="COMMIT",
        help="Refuse when the entry differs from what it was at this commit.",
    )
