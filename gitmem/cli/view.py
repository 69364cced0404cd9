"""gitmem view."""

from __future__ import annotations

from gitmem.cli.context import Run
from gitmem.cli.options import command
from gitmem.cli.output import SHORT


@command("view")
def view_command(run: Run) -> None:
    """Write the plain directory of memories again.

    The view is a copy of the entries with rendered pages, for people and tools that read files. It
    follows every change by itself; this command makes it where it isn't yet, or was deleted. What
    was edited there by hand and isn't committed yet is never overwritten: see `gitmem adopt`.

    \b
    Examples:
      gitmem view
    """
    from gitmem.features.view.checkout import checkout

    answer = run.write(checkout)
    run.output.warn(answer.warnings)
    lines = [f"the view in {answer.path} holds commit {answer.commit[:SHORT]}"]
    lines += [f"left as it is, because it was edited: {path}" for path in answer.edited]
    run.output.answer(answer.to_json(), lines)
