"""gitmem doctor."""

from __future__ import annotations

import click

from gitmem.cli.context import Run
from gitmem.cli.options import command
from gitmem.cli.output import one_line


@command("doctor")
def doctor_command(run: Run) -> None:
    """Look for what is broken, and say how to mend it.

    Nothing is changed. The exit code is 1 when something was found.

    \b
    Examples:
      gitmem doctor
      gitmem doctor --json
    """
    from gitmem.features.doctor import doctor

    checks = doctor(run.start, run.environ, run.clock)
    sound = all(one.ok for one in checks)
    value = {
        "ok": sound,
        "checks": [
            {"name": one.name, "ok": one.ok, "message": one.message, "fix": one.fix}
            for one in checks
        ],
    }
    lines = []
    for one in checks:
        mark = run.output.styled("ok", "green") if one.ok else run.output.styled("bad", "red")
        lines.append(f"{mark:<3} {one.name}: {one_line(one.message)}")
        if one.fix and not one.ok:
            lines.append(f"    fix: {one_line(one.fix)}")
    run.output.answer(value, lines)
    if not sound:
        click.get_current_context().exit(1)
