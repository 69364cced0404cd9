"""gitmem init."""

from __future__ import annotations

import click

from gitmem.cli.context import Run
from gitmem.cli.options import command
from gitmem.cli.output import SHORT
from gitmem.model.errors import UsageError


@command("init")
@click.option("--branch", metavar="NAME", help="The branch to use instead of `memory`.")
@click.option(
    "--hidden", is_flag=True, help="Use refs/gitmem/memory, which `git push --all` leaves alone."
)
@click.option("--standalone", metavar="PATH", help="A repository of its own, made at PATH.")
@click.option("--user", is_flag=True, help="Your personal store, for all projects.")
@click.option("--no-view", is_flag=True, help="Write no plain directory of memories.")
def init_command(
    run: Run, branch: str | None, hidden: bool, standalone: str | None, user: bool, no_view: bool
) -> None:
    """Start a memory in this repository, or take over the one it has.

    The memory is a branch without shared history with your code. If a remote already has one, it
    is taken over; if the branch was lost, it comes back. Running it again changes nothing.

    \b
    Examples:
      gitmem init
      gitmem init --standalone notes.git
      gitmem init --user --json
    """
    from gitmem.features.starting import Wanted, init

    if standalone and user:
        raise UsageError("--standalone and --user name two stores", fix="use one of them")
    own = standalone or (run.store if run.store not in ("project", "user") else None)
    wanted = Wanted(
        branch=branch,
        hidden=hidden,
        standalone=run.path(own) if own else None,
        user=user or run.store == "user",
        view=not no_view,
    )
    answer = init(run.folder, run.environ, run.clock, wanted)
    done = "started" if answer.status == "initialized" else "there already:"
    run.output.answer(
        answer.to_json(),
        [
            f"{done} memory of {answer.store} on {answer.branch}  commit {answer.commit[:SHORT]}",
            *answer.notes,
        ],
    )
