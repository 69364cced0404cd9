"""gitmem hook."""

from __future__ import annotations

import click

from gitmem.cli.context import Run
from gitmem.cli.options import command


@command("hook")
@click.argument("event", metavar="EVENT")
def hook_command(run: Run, event: str) -> int:
    """Answer an event of the coding agent.

    Its JSON is read from standard input, and the answer printed. EVENT is session-start,
    user-prompt-submit or session-end; events that gitmem has no answer for are passed over in
    silence. The exit code is always 0: `gitmem hook-log` shows what failed.

    \b
    Examples:
      gitmem hook user-prompt-submit
      gitmem hook session-end
    """
    from gitmem.hooks.main import main

    folder = str(run.folder) if run.folder_given else None
    if not run.output.json:
        return main([event], folder)
    said: list[str] = []
    main([event], folder, said.append)
    run.output.answer({"event": event, "text": "".join(said)})
    return 0


# A mistake in the wiring must not look like an answer: exit code 2 would erase the user's prompt.
hook_command.ignore_unknown_options = True
hook_command.allow_extra_args = True
