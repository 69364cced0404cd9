"""gitmem adopt."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from gitmem.cli.context import Run
from gitmem.cli.options import command
from gitmem.cli.output import SHORT, one_line

if TYPE_CHECKING:
    from gitmem.features.view.adopt import Adopted


@command("adopt")
@click.argument("paths", nargs=-1, metavar="[PATH…]")
def adopt_command(run: Run, paths: tuple[str, ...]) -> None:
    """Commit what was edited by hand in the view.

    Every changed file becomes one commit, with all checks of `update`. What is refused is set
    aside beside the file, which shows the entry as it is again; the exit code is 1 then.

    \b
    Examples:
      gitmem adopt
    """
    from gitmem.features.view.adopt import adopt

    answer = run.write(lambda workspace: adopt(workspace, [run.path(path) for path in paths]))
    run.output.warn(answer.warnings)
    run.output.answer(answer.to_json(), _lines(run, answer))
    if answer.invalid:
        click.get_current_context().exit(1)


def _lines(run: Run, answer: Adopted) -> list[str]:
    done = run.output.styled("adopted", "green")
    lines = [
        f"{done} {one['target']}  {one['id']}  commit {one['commit'][:SHORT]}"
        for one in answer.adopted
    ]
    for one in answer.invalid:
        lines.append(f"{run.output.styled('refused', 'red')} {one['path']}: {one_line(one['why'])}")
        if one.get("fix"):
            lines.append(f"    fix: {one_line(one['fix'])}")
        if one["kept_as"]:
            lines.append(f"    your text is in {one['kept_as']}")
    return lines or ["no file of the view was changed"]
