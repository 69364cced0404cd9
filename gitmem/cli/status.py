"""gitmem status."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from gitmem.cli.context import Run
from gitmem.cli.options import command
from gitmem.cli.output import SHORT, facts, one_line


@command("status")
def status_command(run: Run) -> None:
    """Say where the memory is and what it holds.

    \b
    Examples:
      gitmem status
      gitmem status --json
    """
    from gitmem.features.status import status

    answer = run.read(status)
    run.output.answer(answer, _lines(answer))


def _lines(answer: dict[str, Any]) -> Iterator[str]:
    tiers, working, view = answer["entries"]["by_tier"], answer["working"], answer["view"]
    access = "" if answer["writable"] else ", read only"
    shown = {
        "memory": f"{answer['store']} on {answer['branch']}{access}",
        "commit": f"{answer['commit'][:SHORT]}, the last of {answer['commits']}",
        "entries": ", ".join(f"{count} {tier}" for tier, count in tiers.items()),
        "working": (
            f"{working['words']} of {working['word_budget']} words,"
            f" {working['characters']} of {working['character_budget']} characters"
        ),
        "view": "none" if view is None else f"{view['path']}, {_state_of(view)}",
        "author": one_line(f"{answer['identity']['name']} <{answer['identity']['email']}>"),
    }
    yield from facts(shown)
    for one in answer["problems"]:
        yield f"not an entry: {one['path']}: {one_line(one['why'])}"
    for key in answer["config"]["unknown"]:
        yield f"config key that this gitmem doesn't know: {one_line(key)}"
    for fault in answer["config"]["faults"]:
        yield f"config: {one_line(fault)}"


def _state_of(view: dict[str, Any]) -> str:
    if view["edited"]:
        return f"{len(view['edited'])} files edited (`gitmem adopt` commits them)"
    return "current" if view["current"] else "behind (`gitmem view` brings it along)"
