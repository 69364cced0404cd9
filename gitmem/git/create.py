"""A fresh repository that git takes for its own, made without a git binary.

Never touches a repository that is there already. HEAD is written last: until then git sees no
repository, so a crash in between leaves a folder that a second run completes.
"""

from __future__ import annotations

import contextlib
import sys
from pathlib import Path

from gitmem.git.platform import fsync_dir, fsync_file
from gitmem.git.tip import valid_ref
from gitmem.model.errors import PreconditionError, WriteError

MAIN = "refs/heads/main"
_FOLDERS = ("hooks", "info", "objects/info", "objects/pack", "refs/heads", "refs/tags")
_DESCRIPTION = b"Unnamed repository; edit this file 'description' to name the repository.\n"
_EXCLUDE = b"# Patterns of files that only this copy of the repository leaves out.\n"


def create_repository(path: Path, *, bare: bool, head: str = MAIN) -> None:
    """Make `path` a repository on the unborn branch `head`; bare, or with a work tree."""
    git_dir = path if bare else path / ".git"
    if not valid_ref(head):
        raise ValueError(f"{head!r} is no ref")
    try:
        if (git_dir / "HEAD").exists() or (git_dir.is_file() and not bare):
            raise PreconditionError(
                f"{path} is a git repository already",
                fix="choose another folder, or run `gitmem init` in it",
                path=str(path),
            )
        for folder in _FOLDERS:
            (git_dir / folder).mkdir(parents=True, exist_ok=True)
        _write(git_dir / "description", _DESCRIPTION)
        _write(git_dir / "info" / "exclude", _EXCLUDE)
        _write(git_dir / "config", _config(git_dir, bare))
        _write(git_dir / "HEAD.new", f"ref: {head}\n".encode())
        (git_dir / "HEAD.new").replace(git_dir / "HEAD")
        fsync_dir(git_dir)
    except OSError as error:
        raise WriteError(
            f"no repository can be made at {path}: {error.strerror or error}",
            fix="check the disk space and who owns the folder",
            path=str(path),
        ) from error


def _config(git_dir: Path, bare: bool) -> bytes:
    lines = [
        "[core]",
        "\trepositoryformatversion = 0",
        f"\tfilemode = {_word(_keeps_modes(git_dir))}",
        f"\tbare = {_word(bare)}",
    ]
    if not bare:
        lines.append("\tlogallrefupdates = true")
        if not _has_links(git_dir):
            lines.append("\tsymlinks = false")
    if _ignores_case(git_dir):
        lines.append("\tignorecase = true")
    if sys.platform == "darwin":
        lines.append("\tprecomposeunicode = true")
    return "".join(f"{line}\n" for line in lines).encode()


def _word(value: bool) -> str:
    return "true" if value else "false"


def _keeps_modes(folder: Path) -> bool:
    """Does a file keep the executable bit here?"""
    if sys.platform == "win32":
        return False
    probe = folder / "description"
    mode = probe.stat().st_mode
    probe.chmod(mode ^ 0o100)
    kept = probe.stat().st_mode != mode
    probe.chmod(mode)
    return kept


def _ignores_case(folder: Path) -> bool:
    return (folder / "DESCRIPTION").exists()


def _has_links(folder: Path) -> bool:
    probe = folder / "link.new"
    try:
        probe.symlink_to("description")
    except (OSError, NotImplementedError):
        return False
    with contextlib.suppress(OSError):
        probe.unlink()
    return True


def _write(path: Path, data: bytes) -> None:
    with path.open("wb") as file:
        file.write(data)
        file.flush()
        fsync_file(file.fileno())
