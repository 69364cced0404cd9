"""gitmem completion."""

from __future__ import annotations

import click

from gitmem.cli.context import Run
from gitmem.cli.options import command

SHELLS = ("bash", "zsh", "fish")
VARIABLE = "_GITMEM_COMPLETE"


@command("completion")
@click.argument("shell", type=click.Choice(SHELLS))
def completion_command(run: Run, shell: str) -> None:
    """Print the completion script of a shell.

    It completes commands, options and the names of entries.

    \b
    Examples:
      gitmem completion bash > ~/.local/share/bash-completion/completions/gitmem
      gitmem completion zsh > ~/.zfunc/_gitmem
      gitmem completion fish > ~/.config/fish/completions/gitmem.fish
    """
    from click.shell_completion import get_completion_class

    from gitmem.cli.main import NAME, group

    found = get_completion_class(shell)
    assert found is not None
    maker = found(group, {}, NAME, VARIABLE)
    # Not `source()`: for bash it runs bash to ask its version, and complains where there is none.
    script = maker.source_template % maker.source_vars()
    run.output.answer({"shell": shell, "script": script}, script)
