"""gitmem edit.

The text is edited in a private folder of the user's state, and what can't be saved stays there:
nothing that somebody wrote is lost to a refusal.
"""

from __future__ import annotations

import contextlib
import shlex
import shutil
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import click

from gitmem.cli.context import Run
from gitmem.cli.each import told
from gitmem.cli.options import command, reason_option, ref_argument
from gitmem.model.errors import GitmemError, InputError, PreconditionError

if TYPE_CHECKING:
    from gitmem.features.workspace import Workspace
    from gitmem.features.write.draft import Draft
    from gitmem.model.entry import Entry

VARIABLES = ("GITMEM_EDITOR", "VISUAL", "EDITOR")
FALLBACKS = ("nano", "vi", "notepad")
_OTHER_COMMANDS = {
    "id": "the id never changes",
    "category": "the category never changes",
    "created": "the time of making never changes",
    "pinned": "use `gitmem pin` or `gitmem unpin`",
    "snoozed_until": "use `gitmem snooze`",
    "reviewed": "use `gitmem review`",
    "superseded_by": "use `gitmem supersede`",
    "appreciation": "use `gitmem appreciate`",
}


@dataclass(frozen=True, slots=True)
class Opened:
    """An entry as it is given to the editor."""

    id: str
    target: str
    title: str
    commit: str
    entry: Entry
    text: bytes


@command("edit")
@ref_argument()
@click.option("--from", "start", metavar="FILE", help="Begin with this text: one that was kept.")
@reason_option()
def edit_command(run: Run, ref: str, start: str | None, reason: str) -> None:
    """Change an entry in your editor.

    The editor is $GITMEM_EDITOR, $VISUAL or $EDITOR. Saving without a change does nothing. A text
    that is refused, or that somebody was faster with, is kept in a file that is named.

    \b
    Examples:
      gitmem edit use-postgres
      gitmem edit old-cache --reason "the numbers were wrong"
    """
    editor = _editor(run)
    opened = run.read(lambda workspace: _open(workspace, ref))
    first = opened.text if start is None else _read(run.path(start))
    file = _private_folder(run) / f"{opened.target.rpartition('/')[2]}.md"
    file.write_bytes(first)
    _edit(editor, file, opened.text)
    saved = _read(file)
    if saved == opened.text:
        shutil.rmtree(file.parent, ignore_errors=True)
        _unchanged(run, opened)
        return
    try:
        _save(run, opened, saved, reason)
    except GitmemError as error:
        raise _kept(error, file, ref) from error
    shutil.rmtree(file.parent, ignore_errors=True)


def _editor(run: Run) -> list[str]:
    for name in VARIABLES:
        value = run.environ.get(name, "").strip()
        if value:
            with contextlib.suppress(ValueError):
                return shlex.split(value)
            raise PreconditionError(f"${name} can't be read: {value}", fix="correct its quotes")
    found = next(filter(None, map(shutil.which, FALLBACKS)), None) if run.interactive else None
    if found is None:
        raise PreconditionError(
            "no editor is set",
            fix="set EDITOR, or change the entry with `gitmem update`",
        )
    return [found]


def _open(workspace: Workspace, ref: str) -> Opened:
    from gitmem.document.codec import encode
    from gitmem.store.ops.update import require_active

    snapshot = workspace.snapshot()
    one = snapshot.find(ref)
    require_active(one, "an edit")
    entry = snapshot.blob_entry(one)
    return Opened(one.id, str(one.address), one.title, snapshot.commit, entry, encode(entry))


def _private_folder(run: Run) -> Path:
    """A new folder that only this user can enter."""
    try:
        edits = run.state_folder / "edits"
        edits.mkdir(mode=0o700, parents=True, exist_ok=True)
        return Path(tempfile.mkdtemp(dir=edits))
    except (OSError, RuntimeError):
        return Path(tempfile.mkdtemp(prefix="gitmem-edit-"))


def _edit(editor: list[str], file: Path, before: bytes) -> None:
    try:
        code = subprocess.run([*editor, str(file)], check=False).returncode
    except OSError as error:
        shutil.rmtree(file.parent, ignore_errors=True)
        raise PreconditionError(
            f"the editor {editor[0]} can't be started: {error.strerror}",
            fix="set EDITOR to one that can",
        ) from error
    if code == 0:
        return
    problem = PreconditionError(
        f"the editor ended with exit code {code}; nothing was changed", fix="edit it again"
    )
    if _read(file) != before:
        raise _kept(problem, file, "REF")
    shutil.rmtree(file.parent, ignore_errors=True)
    raise problem


def _read(file: Path) -> bytes:
    try:
        return file.read_bytes()
    except OSError as error:
        raise InputError(f"{file} can't be read: {error.strerror}", fix="check the path") from error


def _save(run: Run, opened: Opened, saved: bytes, reason: str) -> None:
    from gitmem.document.codec import decode
    from gitmem.features.write.pipeline import Edit, update

    entry = decode(saved)
    wanted = Edit(opened.id, document=_draft(entry), reason=reason, expect=opened.commit)
    answer = run.write(lambda workspace: update(workspace, wanted))
    run.output.warn([*_ignored(opened.entry, entry), *answer.warnings])
    run.output.answer(answer.to_json(), told(run, answer))


def _draft(entry: Entry) -> Draft:
    from gitmem.features.write.draft import Draft

    fields = ("title", "tags", "related_files", "confidence", "when", "keywords", "extra")
    given = {name: getattr(entry, name) for name in fields}
    return Draft({**given, "content": entry.content})


def _ignored(old: Entry, new: Entry) -> list[str]:
    """What was edited and has a command of its own."""
    return [
        f"{name} stays {getattr(old, name)}: {advice}"
        for name, advice in _OTHER_COMMANDS.items()
        if getattr(old, name) != getattr(new, name)
    ]


def _unchanged(run: Run, opened: Opened) -> None:
    value = {
        "status": "unchanged",
        "target": opened.target,
        "id": opened.id,
        "title": opened.title,
        "commit": opened.commit,
    }
    run.output.answer(value, [f"unchanged {opened.target}"])


def _kept(error: GitmemError, file: Path, ref: str) -> GitmemError:
    """The same error, saying where the text is."""
    again = f"your text is kept in {file}: correct it with `gitmem edit {ref} --from {file}`"
    error.fix = f"{error.fix}; {again}" if error.fix else again
    error.details["kept"] = str(file)
    return error
