"""doctor: looks for what is broken and says how to mend it. Changes nothing of the memory.

Every check stands alone: a damaged store makes checks fail, never the command.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from gitmem.features.status import status
from gitmem.features.workspace import Workspace
from gitmem.git.locate import Location, locate
from gitmem.git.tip import memory_branch, read_ref
from gitmem.index import queries
from gitmem.model.categories import TIERS
from gitmem.model.errors import GitmemError
from gitmem.store.compare import BadFile, read_file
from gitmem.store.layout import CONFIG_PATH
from gitmem.store.store import BACKUP_REF, Store, no_branch

MANY_PACKS = 50
"""Past so many the user's own git starts to repack."""
_SHOWN = 5


@dataclass(frozen=True, slots=True)
class Check:
    """One thing that was looked at."""

    name: str
    ok: bool
    message: str
    fix: str | None = None


Look = Callable[[Workspace], Check]


def doctor(start: Path, environ: Mapping[str, str], clock: Callable[[], float]) -> list[Check]:
    """Everything that was looked at, broken or not."""
    try:
        location = locate(start)
    except (GitmemError, OSError) as error:
        return [_failed("repository", error)]
    checks = [Check("repository", True, _kind(location))]
    try:
        branch = memory_branch(location)
    except (GitmemError, OSError) as error:
        return [*checks, _failed("branch", error)]
    if branch is None or read_ref(location.common_dir, branch.ref) is None:
        return [*checks, _failed("branch", no_branch(location))]
    with Store(location, branch, environ) as store:
        workspace = Workspace(store, clock, environ=environ)
        for name, look in _CHECKS.items():
            checks.append(_looked(name, look, workspace))
    return checks


def index_matches(workspace: Workspace) -> list[str]:
    """How the index differs from the branch; nothing where it holds what it should."""
    store = workspace.store
    snapshot = store.snapshot()
    snapshot.index.check()
    return list(_differences(workspace))


def _looked(name: str, look: Look, workspace: Workspace) -> Check:
    try:
        return look(workspace)
    except (GitmemError, OSError) as error:
        return _failed(name, error)


def _failed(name: str, error: GitmemError | OSError) -> Check:
    if isinstance(error, GitmemError):
        return Check(name, False, error.message, error.fix)
    told = f"{error.filename}: {error.strerror}" if error.filename else str(error)
    return Check(name, False, told, "check who owns the file and what its permissions are")


def _kind(location: Location) -> str:
    if location.work_tree is None:
        return f"a bare repository in {location.common_dir}"
    if location.git_dir != location.common_dir:
        return f"a linked work tree in {location.work_tree}"
    return f"an ordinary repository in {location.work_tree}"


# The branch


def _branch(workspace: Workspace) -> Check:
    branch, tip = workspace.store.branch, workspace.store.tip
    if not branch.local:
        return Check(
            "branch",
            False,
            f"{branch.ref} is a remote's memory, and only read here",
            "run `gitmem init` to take it over",
        )
    return Check("branch", True, f"{branch.ref} at {tip[:12]}")


def _format(workspace: Workspace) -> Check:
    config = workspace.store.config_at(workspace.store.tip)
    if not config.writable:
        return Check(
            "format", False, f"the store has format {config.format}", "upgrade gitmem to write it"
        )
    return Check("format", True, f"format {config.format}")


def _objects(workspace: Workspace) -> Check:
    """Every object of the tip is there and holds what its name says."""
    from gitmem.git.tree import walk_files

    objects = workspace.store.objects
    count = 0
    for _, item in walk_files(objects, objects.commit(workspace.store.tip).tree):
        objects.blob(item.sha)
        count += 1
    return Check("objects", True, f"all {count} files of the tip can be read")


def _entries(workspace: Workspace) -> Check:
    """Files in entries' places are entries, and those that a merge set aside are named."""
    from gitmem.git.tree import walk_files

    store = workspace.store
    bad: list[str] = []
    for path, item in walk_files(store.objects, store.objects.commit(store.tip).tree):
        if path.startswith("invalid/"):
            bad.append(f"{path} was set aside by a merge")
            continue
        found = read_file(store.objects, path, item)
        if isinstance(found, BadFile):
            line = f" (line {found.line})" if found.line else ""
            bad.append(f"{path}{line}: {found.why}")
    if bad:
        return Check(
            "entries",
            False,
            _listed(bad),
            "correct or remove these files on the branch with git; they are left as they are",
        )
    return Check("entries", True, "every file in an entry's place is an entry")


def _ids(workspace: Workspace) -> Check:
    copies = queries.duplicate_ids(workspace.store.snapshot().index)
    if copies:
        return Check(
            "ids",
            False,
            f"several files have one id: {_listed(copies)}",
            "nothing to do: the next write gives the copies ids of their own",
        )
    return Check("ids", True, "every id is there once")


def _index(workspace: Workspace) -> Check:
    wrong = index_matches(workspace)
    if wrong:
        return Check("index", False, _listed(wrong), "run `gitmem index --rebuild`")
    return Check("index", True, "the index holds what the branch does")


def _differences(workspace: Workspace) -> Iterator[str]:
    from gitmem.git.commits import new_commits
    from gitmem.git.tree import walk_files

    store = workspace.store
    snapshot = store.snapshot()
    index, objects = snapshot.index, store.objects
    held = {row.path: row for row in queries.entries_in(index, TIERS)}
    bad = {one.path for one in queries.problems(index)}
    for path, item in walk_files(objects, objects.commit(snapshot.commit).tree):
        found = read_file(objects, path, item)
        if found is None:
            continue
        row = held.pop(path, None)
        if isinstance(found, BadFile):
            if path not in bad:
                yield f"{path} is no entry, and the index doesn't know"
            bad.discard(path)
        elif row is None:
            yield f"{path} isn't in the index"
        elif (row.blob, row.id, row.document) != (found.blob, found.id, found.document):
            yield f"{path} is another one in the index"
    yield from (f"{path} is in the index and not on the branch" for path in [*held, *sorted(bad)])
    missing = new_commits(
        objects, [snapshot.commit], lambda sha: queries.commit_named(index, sha) is not None
    )
    yield from (f"commit {one.sha[:12]} isn't in the index" for one in missing)


def _config(workspace: Workspace) -> Check:
    config = workspace.store.config_at(workspace.store.tip)
    if config.faults:
        return Check("config", False, _listed(config.faults), "set them with `gitmem config set`")
    if config.unknown:
        return Check(
            "config",
            True,
            f"keys that this gitmem doesn't know are kept: {_listed(config.unknown)}",
        )
    return Check("config", True, f"{CONFIG_PATH} is sound")


# What surrounds it


def _leftovers(workspace: Workspace) -> Check:
    """Locks and halves that a program left when it died. Ours go with the next write."""
    location = workspace.store.location
    lock = location.common_dir / f"{workspace.store.branch.ref}.lock"
    if lock.exists():
        age = max(0, workspace.now - int(lock.stat().st_mtime))
        return Check(
            "leftovers",
            False,
            f"{lock} is there, {age} s old",
            "if no git is running here, that file is left over from one that died;"
            " one of gitmem's own goes with the next write",
        )
    pack = location.common_dir / "objects" / "pack"
    found = [path.name for path in sorted(pack.glob("pack-*.part"))]
    found += [path.name for path in sorted(pack.glob("*.keep")) if _is_ours(path)]
    if found:
        return Check(
            "leftovers",
            False,
            f"a gitmem that died, or one that is writing now, left {_listed(found)}",
            "nothing to do: the next write clears up",
        )
    return Check("leftovers", True, "no locks and no halves")


def _is_ours(keep: Path) -> bool:
    with keep.open("rb") as file:
        return file.read(7) == b"gitmem "


def _packs(workspace: Workspace) -> Check:
    count = len(list((workspace.store.location.common_dir / "objects" / "pack").glob("*.pack")))
    if count > MANY_PACKS:
        return Check(
            "packs",
            False,
            f"there are {count} packs",
            "run `gitmem gc`, which folds gitmem's own; `git gc` takes care of the others",
        )
    return Check("packs", True, f"{count} packs")


def _identity(workspace: Workspace) -> Check:
    who = workspace.store.identity
    if not who.known:
        return Check(
            "identity",
            False,
            f"git knows no name for you: commits are made as {who.name} <{who.email}>",
            "set them with `git config --global user.name NAME` and `user.email MAIL`",
        )
    return Check("identity", True, f"{who.name} <{who.email}>")


def _view(workspace: Workspace) -> Check:
    view = status(workspace)["view"]
    if view is None:
        return Check("view", True, "this work tree has no view")
    if not view["current"]:
        return Check("view", False, f"{view['path']} is behind the branch", "run `gitmem view`")
    if view["edited"]:
        return Check(
            "view", False, f"edited and left alone: {_listed(view['edited'])}", "run `gitmem adopt`"
        )
    return Check("view", True, f"{view['path']} is current")


def _backup(workspace: Workspace) -> Check:
    store = workspace.store
    backup = read_ref(store.location.common_dir, BACKUP_REF)
    if backup is None:
        return Check("backup", True, "there is no backup ref yet: the next write makes it")
    if not store.objects.has(backup):
        return Check(
            "backup",
            False,
            f"{BACKUP_REF} names a commit that isn't here",
            "nothing to do: the next write sets it anew",
        )
    same = "the tip" if backup == store.tip else "an earlier commit"
    return Check("backup", True, f"{BACKUP_REF} stands at {same}")


def _work_trees(workspace: Workspace) -> Check:
    """Work trees that have the branch checked out follow every write."""
    location, ref = workspace.store.location, workspace.store.branch.ref
    heads = [location.common_dir / "HEAD", *location.common_dir.glob("worktrees/*/HEAD")]
    there = [path.parent for path in heads if path.is_file() and _stands_on(path, ref)]
    if location.bare:
        there = [path for path in there if path != location.common_dir]
    if there:
        names = [path.name for path in there]
        return Check("work trees", True, f"{ref} is checked out in {_listed(names)}, and follows")
    return Check("work trees", True, f"{ref} is checked out nowhere")


def _stands_on(head: Path, ref: str) -> bool:
    text = head.read_bytes().decode("utf-8", "replace")
    return text.startswith("ref:") and text.removeprefix("ref:").strip() == ref


def _listed(items: list[str] | tuple[str, ...]) -> str:
    more = len(items) - _SHOWN
    shown = "; ".join(items[:_SHOWN])
    return f"{shown}; and {more} more" if more > 0 else shown


_CHECKS: dict[str, Look] = {
    "branch": _branch,
    "format": _format,
    "objects": _objects,
    "entries": _entries,
    "ids": _ids,
    "index": _index,
    "config": _config,
    "leftovers": _leftovers,
    "packs": _packs,
    "identity": _identity,
    "view": _view,
    "backup": _backup,
    "work trees": _work_trees,
}
