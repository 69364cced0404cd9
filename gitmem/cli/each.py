"""One change for each of several entries: told as it happens, stopped at the first error."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING

from gitmem.cli.output import SHORT, one_line

if TYPE_CHECKING:
    from gitmem.cli.context import Run
    from gitmem.features.answers import Answer
    from gitmem.features.workspace import Workspace


def change_each(run: Run, refs: Sequence[str], change: Callable[[Workspace, str], Answer]) -> None:
    """Change the entries one by one. JSON: the answer for one REF, `results` for several."""
    with run.workspace() as workspace:
        for ref in refs:
            answer = change(workspace, ref)
            run.output.warn(answer.warnings)
            if len(refs) > 1:
                run.results.append(answer.to_json())
            if not run.output.json:
                run.output.answer(None, told(run, answer))
            elif len(refs) == 1:
                run.output.answer(answer.to_json())
    if run.output.json and len(refs) > 1:
        run.output.answer({"results": run.results})


def change_one(run: Run, change: Callable[[Workspace], Answer]) -> None:
    """Make one change and tell it."""
    answer = run.write(change)
    run.output.warn(answer.warnings)
    run.output.answer(answer.to_json(), told(run, answer))


def told(run: Run, answer: Answer) -> Iterable[str]:
    """A write's answer for people."""
    output = run.output
    status = answer.status.replace("_", " ")
    done = output.styled(status, "dim" if status.startswith("already") else "green")
    identity = output.styled(answer.id, "cyan")
    yield f"{done} {answer.target}  {identity}  commit {answer.commit[:SHORT]}"
    if answer.renamed_from:
        yield f"  was {answer.renamed_from}"
    if answer.until:
        yield f"  until {answer.until}"
    if answer.appreciation is not None:
        yield f"  appreciation {answer.appreciation}"
    for one in answer.similar or ():
        yield f"  similar: {output.styled(one['id'], 'cyan')}  {one_line(one['title'])}"
