"""gitmem recall."""

from __future__ import annotations

from gitmem.cli.context import Run
from gitmem.cli.options import at_option, command, refs_argument
from gitmem.cli.output import clean


@command("recall")
@refs_argument()
@at_option()
def recall_command(run: Run, refs: tuple[str, ...], at: str | None) -> None:
    """Print the text of entries and nothing else.

    A name may also be that of a file, as the block of recalled memories shows it.

    \b
    Examples:
      gitmem recall use-postgres
      gitmem recall register/decisions/use-postgres.md old-cache
    """
    from gitmem.features.recalling import texts

    found = run.read(lambda workspace: texts(workspace, refs, at))
    answer = {"commit": found.commit, "entries": found.entries}
    run.output.answer(answer, "\n".join(clean(one["text"]) + "\n" for one in found.entries))
