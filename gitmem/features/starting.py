"""init: a new memory branch, one taken over from a remote, or a lost one brought back.

Every store begins with the same commit, so any two of them can be merged later. Nothing but the
memory's own ref and the `gitmem` section of the repository's config is written.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gitmem.features.workspace import Workspace
from gitmem.git.locate import Location, locate
from gitmem.git.settings import set_setting
from gitmem.git.tip import HIDDEN, MEMORY, Branch, memory_branch, read_ref, valid_ref
from gitmem.model.errors import NotAStore, UsageError
from gitmem.store.layout import CONFIG_PATH
from gitmem.store.store import BACKUP_REF, Store, foreign

REF_KEY = "gitmem.ref"


@dataclass(frozen=True, slots=True)
class Started:
    """What init did, and where the memory is."""

    status: str
    branch: str
    commit: str
    store: Path
    notes: tuple[str, ...] = ()

    def to_json(self) -> dict[str, Any]:
        return {
            "status": self.status,
            "branch": self.branch,
            "commit": self.commit,
            "store": str(self.store),
            "notes": list(self.notes),
        }


@dataclass(frozen=True, slots=True)
class Wanted:
    """How init was asked to do it."""

    branch: str | None = None
    hidden: bool = False
    standalone: Path | None = None
    user: bool = False
    view: bool = True


def user_store(environ: Mapping[str, str]) -> Path:
    """Where the personal store lies."""
    base = environ.get("XDG_DATA_HOME", "")
    # The specification of that variable says to ignore a relative one.
    folder = Path(base) if base.startswith("/") else Path.home() / ".local" / "share"
    return folder / "gitmem" / "memory.git"


def init(
    start: Path, environ: Mapping[str, str], clock: Callable[[], float], wanted: Wanted
) -> Started:
    """Start a memory, or find the one that is there."""
    ref = _ref_of(wanted)
    own = user_store(environ) if wanted.user else wanted.standalone
    location = _own_repository(own, ref or MEMORY) if own else _code_repository(start)
    existing = memory_branch(location)
    if ref is not None:
        return _start(location, ref, environ, clock, wanted)
    if existing is not None and existing.chosen:
        return _start(location, existing.ref, environ, clock, wanted)
    return _start(
        location, existing.ref if existing and existing.local else MEMORY, environ, clock, wanted
    )


def _ref_of(wanted: Wanted) -> str | None:
    if wanted.hidden and wanted.branch:
        raise UsageError("--hidden and --branch name two places", fix="use one of them")
    if wanted.hidden:
        return HIDDEN
    if not wanted.branch:
        return None
    ref = wanted.branch if wanted.branch.startswith("refs/") else f"refs/heads/{wanted.branch}"
    if not valid_ref(ref):
        raise UsageError(f"{wanted.branch!r} is no name for a branch", fix="use one such as memory")
    return ref


def _own_repository(path: Path, ref: str) -> Location:
    from gitmem.git.create import create_repository

    if not path.exists() or not any(path.iterdir()):
        create_repository(path, bare=True, head=ref)
    return locate(path)


def _code_repository(start: Path) -> Location:
    try:
        return locate(start)
    except NotAStore as error:
        raise NotAStore(
            error.message,
            fix="run it inside a git repository, make one with `git init`, or keep a memory of"
            " its own with `gitmem init --standalone PATH` or `gitmem init --user`",
        ) from error


def _start(
    location: Location,
    ref: str,
    environ: Mapping[str, str],
    clock: Callable[[], float],
    wanted: Wanted,
) -> Started:
    store = Store(location, Branch(ref, local=True, chosen=True), environ)
    with store:
        workspace = Workspace(store, clock)
        there = read_ref(location.common_dir, ref)
        notes: list[str] = []
        if there is None:
            there = _first_commit(workspace, ref, notes)
            status = "initialized"
        else:
            _require_ours(store, there, ref)
            status = "already_initialized"
        if location.settings.get(REF_KEY) != ref:
            set_setting(location.common_dir, REF_KEY, ref)
        if wanted.view and location.work_tree is not None:
            from gitmem.features.view.checkout import set_up

            notes += set_up(workspace)
        where = location.work_tree or location.common_dir
        return Started(status, ref, there, where, tuple(notes))


def _first_commit(workspace: Workspace, ref: str, notes: list[str]) -> str:
    """The tip of a branch that isn't there yet: taken over, brought back, or new."""
    from gitmem.git.commits import reflog_person

    store = workspace.store
    found = _lost_or_remote(store)
    if found is None:
        made, _ = store.write(lambda txn: txn.apply_root(), workspace.origin(), create=True)
        return made.commit
    sha, why = found
    _require_ours(store, sha, ref)
    store.refs.move(
        ref,
        None,
        sha,
        who=reflog_person(store.signature(workspace.origin())),
        message=f"gitmem: {why}",
        flock_held=False,
    )
    notes.append(why)
    return sha


def _lost_or_remote(store: Store) -> tuple[str, str] | None:
    location = store.location
    lost = read_ref(location.common_dir, BACKUP_REF)
    if lost is not None:
        return lost, f"brought the lost branch back at {lost[:12]}"
    known = memory_branch(store.location)
    if known is not None and not known.local:
        sha = read_ref(location.common_dir, known.ref)
        if sha is not None:
            return sha, f"took over {known.ref}"
    return None


def _require_ours(store: Store, commit: str, ref: str) -> None:
    """A branch of that name may be somebody's: ours has a config with a format."""
    from gitmem.git.tree import lookup

    tree = store.objects.commit(commit).tree
    item = lookup(store.objects, tree, CONFIG_PATH)
    if item is not None and "format" in store.config_at(commit).raw:
        return
    raise foreign(ref)
