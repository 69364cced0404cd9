"""Finds the repository around a folder, and refuses the kinds that gitmem can't read.

Looks at the config itself: libraries open some of them and then read nonsense. Reads a handful
of small files, changes nothing, starts no git. Standard library only.
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import NamedTuple

from gitmem.git.settings import Settings, read_settings
from gitmem.model.errors import NotAStore, PreconditionError, ReadError

# Those of version 0 too, which git honours there as well.
_KNOWN_EXTENSIONS = {
    "noop",
    "noop-v1",
    "objectformat",
    "partialclone",
    "preciousobjects",
    "refstorage",
    "relativeworktrees",
    "worktreeconfig",
}
_HEAD = re.compile(rb"(ref:\s*refs/|[0-9a-f]{40}|[0-9a-f]{64})")


class Location(NamedTuple):
    """Where a repository's parts lie."""

    git_dir: Path
    """Of this work tree: HEAD and the index."""
    common_dir: Path
    """Of all work trees of the repository: objects, refs, config."""
    work_tree: Path | None
    settings: Settings

    @property
    def bare(self) -> bool:
        """Is there no work tree here?"""
        return self.work_tree is None

    @property
    def gitmem_dir(self) -> Path:
        """Where gitmem keeps what is derived or private to this machine."""
        return self.common_dir / "gitmem"


def locate(start: Path) -> Location:
    """The repository that `start` lies in, found upward as git does."""
    # What `..` means behind a symbolic link is the file system's to say.
    start = start.resolve()
    for folder in (start, *start.parents):
        try:
            found = _here(folder)
        except PermissionError as error:
            raise ReadError(
                f"{error.filename or folder} can't be read: {error.strerror}",
                fix="check who owns the repository and what its permissions are",
                path=str(error.filename or folder),
            ) from error
        if found is not None:
            return found
    raise NotAStore(
        f"{start} is in no git repository",
        fix="run `git init` first, or `gitmem init --standalone DIR` for a store of its own",
        path=str(start),
    )


def git_dir_of(dot_git: Path) -> Path:
    """The folder that a `.git` file points at. NotAStore: it isn't one of those files."""
    text = os.fsdecode(dot_git.read_bytes())
    if not text.startswith("gitdir:"):
        raise NotAStore(
            f"{dot_git} is a file that points to no repository",
            fix="a linked work tree or a submodule has a line `gitdir: PATH` there",
            path=str(dot_git),
        )
    return _joined(dot_git.parent, text[len("gitdir:") :].removeprefix(" "))


def _here(folder: Path) -> Location | None:
    """The repository that begins at this folder: `.git` in it, or the folder itself."""
    dot_git = folder / ".git"
    if dot_git.is_file():
        git_dir = git_dir_of(dot_git)
        if not _is_git_dir(git_dir):
            raise NotAStore(
                f"{dot_git} points to {git_dir}, which is no git repository",
                fix="run `git worktree repair` in the main work tree, or clone again",
                path=str(dot_git),
            )
        return _location(git_dir, folder)
    if _is_git_dir(dot_git):
        return _location(dot_git, folder)
    return _location(folder, None) if _is_git_dir(folder) else None


def _is_git_dir(path: Path) -> bool:
    """Does git take this folder for a repository? HEAD, objects and refs make one."""
    try:
        head = (path / "HEAD").read_bytes()
    except (FileNotFoundError, NotADirectoryError, IsADirectoryError):
        return False
    if not _HEAD.match(head):
        return False
    common = common_dir_of(path)
    return (common / "objects").is_dir() and (common / "refs").is_dir()


def common_dir_of(git_dir: Path) -> Path:
    """The folder that a linked work tree shares with the others; else the folder itself."""
    try:
        text = os.fsdecode((git_dir / "commondir").read_bytes())
    except (FileNotFoundError, NotADirectoryError):
        return git_dir
    return _joined(git_dir, text)


def _location(git_dir: Path, work_tree: Path | None) -> Location:
    common = common_dir_of(git_dir)
    settings = read_settings(common, git_dir)
    _refuse_unknown(common, settings)
    return Location(git_dir, common, _work_tree(git_dir, common, work_tree, settings), settings)


def _work_tree(git_dir: Path, common: Path, found: Path | None, settings: Settings) -> Path | None:
    if git_dir != common:
        # A linked work tree: core.bare and core.worktree speak of the main one.
        return found or linked_work_tree(git_dir)
    if settings.get_bool("core.bare", False):
        return None
    set_to = settings.get("core.worktree")
    if set_to:
        return _joined(git_dir, set_to)
    if found is None and git_dir.name == ".git":
        return git_dir.parent
    return found


def linked_work_tree(git_dir: Path) -> Path | None:
    """The work tree that an administrative folder below `worktrees/` belongs to."""
    try:
        text = os.fsdecode((git_dir / "gitdir").read_bytes())
    except (FileNotFoundError, NotADirectoryError):
        return None
    return _joined(git_dir, text).parent


def _joined(base: Path, text: str) -> Path:
    return Path(os.path.normpath(base / text.rstrip("\r\n")))


def _refuse_unknown(common: Path, settings: Settings) -> None:
    version = settings.get("core.repositoryformatversion") or "0"
    object_format = (settings.get("extensions.objectformat") or "sha1").lower()
    ref_storage = (settings.get("extensions.refstorage") or "files").lower()
    if object_format != "sha1":
        raise _refusal(
            common,
            f"its objects are named by {object_format}; gitmem reads SHA-1 repositories only",
            "keep the memory in a repository of its own: `gitmem init --standalone DIR`",
        )
    if ref_storage != "files":
        raise _refusal(
            common,
            f"its refs are stored as {ref_storage}; gitmem reads the files format only",
            "run `git refs migrate --ref-format=files`, or keep the memory in a repository of "
            "its own: `gitmem init --standalone DIR`",
        )
    if version not in ("0", "1"):
        raise _refusal(
            common,
            f"its format has version {version}; gitmem knows 0 and 1",
            "use a newer gitmem",
        )
    unknown = [name for name in settings.names("extensions") if name not in _KNOWN_EXTENSIONS]
    if version == "1" and unknown:
        raise _refusal(
            common,
            f"it uses the extension {unknown[0]}, which gitmem doesn't know",
            "use a newer gitmem",
        )


def _refusal(common: Path, why: str, fix: str) -> PreconditionError:
    return PreconditionError(
        f"the repository {common} can't be used: {why}", fix=fix, path=str(common)
    )
