"""gitmem resolve."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import click

from gitmem.cli.context import Run
from gitmem.cli.options import command


@command("resolve")
@click.option(
    "--l1",
    "structural",
    required=True,
    metavar="ACTION|JSON|FILE",
    help="What structure allows: an action, or the answer of `gitmem candidate`.",
)
@click.option("--l2", "proposed", required=True, metavar="ACTION", help="What the agent proposes.")
@click.option("--veto", "vetoes", multiple=True, metavar="TEXT", help="What is forbidden besides.")
def resolve_command(run: Run, structural: str, proposed: str, vetoes: tuple[str, ...]) -> None:
    """Settle what is done when structure and an agent each named an action.

    ACTION is CREATE, UPDATE, UPDATE_OR_DELETE (for --l1), DELETE or NOOP; --l1 - reads the answer
    of `gitmem candidate` from standard input. Always answers JSON.

    \b
    Examples:
      gitmem resolve --l1 UPDATE_OR_DELETE --l2 DELETE
      gitmem resolve --l1 '{"structural_cud": "UPDATE", "vetoes": []}' --l2 CREATE
    """
    from gitmem.features.capture.resolve import STRUCTURAL, resolve, resolve_candidate

    run.output.json = True
    if structural.strip().upper() in STRUCTURAL:
        made = resolve(structural, proposed, vetoes)
    else:
        made = resolve_candidate(_answer_of(run, structural), proposed, vetoes)
    run.output.answer(made.to_json())


def _answer_of(run: Run, given: str) -> Mapping[str, Any]:
    if given.lstrip().startswith("{"):
        from gitmem.features.write.draft import parse_object

        return parse_object(given.encode(), "--l1")
    return run.json_object(given)
