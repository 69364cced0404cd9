"""A store: one memory branch of one repository, read at a commit, changed in transactions.

Reading costs the index alone while it reflects the tip. Writing takes the lock, reads the tip,
lets the caller plan against that very state, writes one pack, moves the ref by compare-and-swap
and only then reports success (I4). After the ref has moved nothing is an error any more: what
fails then (index, backup ref, work trees) is a warning.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Mapping
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from gitmem.git.locate import Location, locate
from gitmem.git.platform import FileLock
from gitmem.git.tip import Branch, memory_branch, read_ref
from gitmem.index import queries
from gitmem.index.db import Index, IndexDamaged, memory_index
from gitmem.model.config import Config
from gitmem.model.errors import GitmemError, Locked, NotAStore, PreconditionError, WriteError
from gitmem.store.indexing import CurrentIndex
from gitmem.store.layout import CONFIG_PATH, Lister
from gitmem.store.snapshot import Snapshot

if TYPE_CHECKING:
    from gitmem.git.commits import Signature
    from gitmem.git.identity import Identity
    from gitmem.git.objects import Objects
    from gitmem.git.ref import Refs
    from gitmem.git.tree import TreeDraft
    from gitmem.index.state import State
    from gitmem.store.catchup import Progress
    from gitmem.store.change import Origin
    from gitmem.store.transaction import Transaction

T = TypeVar("T")

BACKUP_REF = "refs/gitmem/backup"
LOCK_FILE = "lock"
_ATTEMPTS = 200
"""Races with writers that don't take our lock; each one lost means that another one won."""


class Written(NamedTuple):
    """What a transaction left behind."""

    commits: tuple[str, ...]
    warnings: tuple[str, ...] = ()


class Store:
    """An open memory branch. Close it, or use it in a `with`."""

    def __init__(self, location: Location, branch: Branch, environ: Mapping[str, str]) -> None:
        self.location = location
        self.branch = branch
        self.environ = environ
        self._left: tuple[str | None, TreeDraft] | None = None
        """What the last write left: its commit and the folders it has read."""
        self._indexing = CurrentIndex(self.folder, lambda: self.objects, lambda: self.tip)

    @classmethod
    def open(cls, start: Path, environ: Mapping[str, str]) -> Store:
        """The store of the repository that holds `start`."""
        location = locate(start)
        branch = memory_branch(location)
        if branch is None:
            raise no_branch(location)
        return cls(location, branch, environ)

    def __enter__(self) -> Store:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close every file; the store can't be used afterwards."""
        self._indexing.close()
        if "state" in self.__dict__:
            self.state.close()
        if "objects" in self.__dict__:
            self.objects.close()

    @cached_property
    def objects(self) -> Objects:
        from gitmem.git.objects import Objects

        return Objects(self.location.common_dir)

    @cached_property
    def refs(self) -> Refs:
        from gitmem.git.ref import Refs

        return Refs(self.location)

    @cached_property
    def state(self) -> State:
        """What this machine knows and no commit holds; kept open: closing waits for the disk."""
        from gitmem.index.state import open_state

        return open_state(self.folder)

    @cached_property
    def identity(self) -> Identity:
        from gitmem.git.identity import identity

        return identity(self.location, self.environ)

    @property
    def folder(self) -> Path:
        """Where the store keeps what isn't versioned: index, state, lock."""
        return self.location.gitmem_dir

    @property
    def tip(self) -> str:
        """The commit that the memory branch names now."""
        tip = read_ref(self.location.common_dir, self.branch.ref)
        if tip is None:
            raise no_branch(self.location)
        return tip

    def signature(self, origin: Origin) -> Signature:
        """The author of a commit: the user as git knows them, at the origin's time."""
        from gitmem.git.commits import Signature

        return Signature(self.identity.name, self.identity.email, origin.now, origin.timezone)

    # Reading

    def snapshot(self, commit: str | None = None) -> Snapshot:
        """The state at the tip, or at a commit."""
        index, tip = self._indexing.at_tip()
        if commit is None or commit == tip:
            return self._snapshot(tip, index, None)
        return self._older(commit, index)

    def _snapshot(self, commit: str, index: Index, scope: queries.Scope) -> Snapshot:
        return Snapshot(
            commit=commit,
            index=index,
            scope=scope,
            config=self.config_at(commit, index),
            listing=self._listing_at(commit),
            read_blob=lambda sha: self.objects.blob(sha),
            record=index,
        )

    def _older(self, commit: str, index: Index) -> Snapshot:
        from gitmem.store.catchup import entries_only

        past = memory_index()
        with past.writing():
            entries_only(self.objects, past, commit, index)
        # History is asked of the whole index, entries of the one made for this commit.
        return Snapshot(
            commit=commit,
            index=past,
            scope=queries.scope_of(index, commit),
            config=self.config_at(commit, None),
            listing=self._listing_at(commit),
            read_blob=self.objects.blob,
            record=index,
        )

    def config_at(self, commit: str, index: Index | None = None) -> Config:
        """The store's configuration at a commit."""
        kept = index.meta("config") if index is not None else None
        if kept is not None and index is not None and index.commit == commit:
            return Config.from_json(kept.encode())
        from gitmem.git.tree import lookup

        item = lookup(self.objects, self.objects.commit(commit).tree, CONFIG_PATH)
        return Config.from_json(self.objects.blob(item.sha) if item else None)

    def _listing_at(self, commit: str) -> Lister:
        """What folders hold at a commit; trees are read when somebody asks."""
        draft: TreeDraft | None = None

        def listing(folder: str) -> tuple[frozenset[str], frozenset[str]] | None:
            nonlocal draft
            if draft is None:
                from gitmem.git.tree import TreeDraft

                draft = TreeDraft(self.objects, self.objects.commit(commit).tree)
            return draft.listing(folder)

        return listing

    def rebuild_index(self, progress: Progress | None = None) -> None:
        """Throw the index away and build it from the branch."""
        with self._lock():
            self._indexing.fresh()
            self._indexing.at_tip(progress)

    # Writing

    def write(
        self, plan: Callable[[Transaction], T], origin: Origin, *, create: bool = False
    ) -> tuple[T, Written]:
        """Run a plan against the tip and publish the commits that it made.

        When another writer was faster the plan runs again on the new tip, so it must decide
        everything from the transaction that it is given.
        """
        # Loaded before the lock is taken, so that nobody waits for our imports.
        from gitmem.git.fold import sweep
        from gitmem.store.ops.repair import repair_copied_ids

        if not self.branch.local:
            raise PreconditionError(
                f"{self.branch.ref} is a copy of a remote's memory and can only be read",
                fix="run `gitmem init` to take it over into a branch of your own",
            )
        mended = False
        with self._lock() as lock:
            if lock.held:
                sweep(self.location)
            for _ in range(_ATTEMPTS):
                try:
                    txn = self._begin(origin, create)
                    try:
                        repair_copied_ids(txn)
                        result = plan(txn)
                        published = not txn.made or txn.publish(self.refs, lock.held)
                    except BaseException:
                        txn.abort()
                        raise
                except IndexDamaged:
                    if mended:
                        raise
                    self._indexing.fresh()
                    mended = True
                    continue
                if published:
                    return result, self._after(txn, lock.held)
        raise Locked(
            f"{self.branch.ref} kept moving while we tried to write",
            fix="see which program moves it, then try again",
        )

    def look(self, plan: Callable[[Transaction], T], origin: Origin) -> T:
        """Run a plan without publishing anything: what it would do."""
        with self._lock():
            txn = self._begin(origin, create=False)
            try:
                return plan(txn)
            finally:
                txn.abort()

    def tidy(self) -> int:
        """Fold our packs into one and remove what dead processes left; packs that went."""
        from gitmem.git.fold import collect, sweep

        with self._lock() as lock:
            if not lock.held:
                return 0
            sweep(self.location)
            return collect(self.location, self.objects)

    def _begin(self, origin: Origin, create: bool) -> Transaction:
        from gitmem.store.catchup import catch_up
        from gitmem.store.origin import code_position, signer
        from gitmem.store.transaction import Transaction

        tip = read_ref(self.location.common_dir, self.branch.ref)
        if tip is None and not create:
            raise no_branch(self.location)
        index = self._empty_index() if tip is None else self._indexing.at_tip()[0]
        index.begin()
        try:
            if tip is not None:
                # Under the index's lock: a writer without our flock may have been faster.
                tip = self.tip
                catch_up(index, self.objects, tip)
            config = self.config_at(tip, index) if tip else Config.from_json(None)
            require_writable(config)
            if tip:
                require_ours(config, index, self.branch.ref)
        except BaseException:
            index.roll_back()
            raise
        left, self._left = self._left, None
        return Transaction(
            location=self.location,
            ref=self.branch.ref,
            objects=self.objects,
            index=index,
            base=tip,
            config=config,
            origin=origin,
            author=self.signature(origin),
            code=code_position(self.location, self.branch.ref),
            sign=signer(self.location, self.environ, self.identity, origin),
            draft=left[1] if left and left[0] == tip and left[1].is_small else None,
        )

    def _empty_index(self) -> Index:
        index = self._indexing.opened()
        if index.commit is not None:
            with index.writing():
                index.clear()
        return index

    def _after(self, txn: Transaction, flock_held: bool) -> Written:
        """What follows the move of the ref; none of it can undo the write."""
        self._left = txn.commit, txn.draft
        if not txn.made:
            txn.abort()
            return Written(())
        from gitmem.git.fold import fold_packs
        from gitmem.git.worktrees import bring_along

        warnings: list[str] = []
        tip = txn.commit or ""
        try:
            txn.keep_index()
        except GitmemError as error:
            warnings.append(f"the index isn't up to date: {error.message}")
        self.refs.set_quietly(BACKUP_REF, tip)
        try:
            if flock_held:
                # Two that fold the same packs would take each other's: without locks on this file
                # system the packs are left to git's own upkeep.
                fold_packs(self.location, self.objects)
            warnings += bring_along(self.location, self.objects, self.branch.ref, txn.base, tip)
        except (GitmemError, OSError) as error:
            warnings.append(f"the change is saved, but what follows it failed: {error}")
        return Written(tuple(made.commit for made in txn.made), tuple(warnings))

    @contextlib.contextmanager
    def _lock(self) -> Iterator[FileLock]:
        """One writer at a time: it saves work, correctness rests on the compare-and-swap."""
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise WriteError(
                f"can't write to {self.folder}: {error.strerror}",
                fix="check the rights of the repository's git folder",
            ) from error
        lock = FileLock(self.folder / LOCK_FILE)
        try:
            lock.acquire()
        except OSError as error:
            raise WriteError(
                f"can't lock {lock.path}: {error.strerror}",
                fix="check the rights of the repository's git folder",
            ) from error
        try:
            yield lock
        finally:
            lock.release()


def require_writable(config: Config) -> None:
    """A store of a newer format is read, never written."""
    if not config.writable:
        raise PreconditionError(
            f"this store has format {config.format}, which is newer than this gitmem",
            fix="upgrade gitmem to write to it; reading works",
        )


def require_ours(config: Config, index: Index, ref: str) -> None:
    """A branch of that name may be somebody's code: ours says its format, or began as ours."""
    if "format" in config.raw and not config.broken:
        return
    from gitmem.store.root import ROOT_COMMIT

    if queries.commit_named(index, ROOT_COMMIT) is None:
        raise foreign(ref)


def foreign(ref: str) -> PreconditionError:
    """The error for a branch that isn't a memory."""
    return PreconditionError(
        f"{ref} exists and isn't a gitmem memory",
        got=ref,
        fix="choose another place: `gitmem init --branch NAME` or `gitmem init --hidden`",
    )


def no_branch(location: Location) -> GitmemError:
    """There is no memory here: say how to get one, or how to get the lost one back."""
    lost = read_ref(location.common_dir, BACKUP_REF)
    where = location.work_tree or location.common_dir
    if lost is not None:
        return NotAStore(
            f"the memory branch of {where} is gone; its last commit was {lost[:12]}",
            fix="run `gitmem init` to bring the branch back at that commit",
            backup=lost,
        )
    return NotAStore(
        f"{where} has no memory branch", fix="run `gitmem init` to start a memory here"
    )
