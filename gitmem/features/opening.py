"""Opens a store as a workspace: the one place where store, view and writer come together."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

from gitmem.features.workspace import Workspace
from gitmem.model.errors import NotAStore
from gitmem.store.store import Store, Written

PROJECT = "project"
USER = "user"


def open_workspace(
    start: Path,
    environ: Mapping[str, str],
    clock: Callable[[], float],
    *,
    store: str = PROJECT,
    timezone: int = 0,
    actor: str = "cli",
    session: str | None = None,
    source: str = "user",
) -> Workspace:
    """The workspace of the repository that holds `start`, of the personal store, or of a path."""
    return Workspace(
        Store.open(store_path(start, environ, store), environ),
        clock,
        timezone=timezone,
        actor=actor,
        session=session,
        source=source,
        environ=environ,
        after_write=_refresh_view,
    )


def store_path(start: Path, environ: Mapping[str, str], store: str) -> Path:
    """Where to look for the repository: `project`, `user`, or a path of its own."""
    if store == PROJECT:
        return start
    if store == USER:
        from gitmem.features.starting import user_store

        path, fix = user_store(environ), "make it with `gitmem init --user`"
        there = (path / "HEAD").is_file()
    else:
        path = start / Path(store).expanduser()
        fix = "check the path, or make one there with `gitmem init --standalone PATH`"
        there = path.exists()
    # Without this look a missing store would be sought in the folders above, where another
    # repository may lie: a home that is under git, for instance.
    if not there:
        raise NotAStore(f"there is no store at {path}", fix=fix)
    return path


def _refresh_view(workspace: Workspace, written: Written) -> tuple[str, ...]:
    from gitmem.features.view.checkout import refresh

    return refresh(workspace, written)
