"""What a prompt is shown from memory: the hook's whole work between its input and its output.

For each store: where it is and at which commit, its index as that commit has it, the strategy's
best entries without those the session has already, the block, and the note of what was shown. As
long as the index is current only the standard library is loaded, and of it little; else the index
is brought along by `catch_up`, and when that takes too long the old one answers, without the hits
that are gone. Never writes to a branch, and no failure of the ledger keeps an answer back (I8).
"""

from __future__ import annotations

import os
from time import sleep

from gitmem.git.glance import Glance, Unusual, code_head, glance, repository_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any

    from gitmem.features.recall.block import Shown
    from gitmem.index.bare import Connection
    from gitmem.index.search import Found
    from gitmem.index.sessions import Sessions

FORMAT = 1
"""A store of a newer format is left alone by hooks."""
MOST_SHOWN, SHOWN = 20, 5
SHORTEST = 10
"""A prompt of fewer characters gets nothing, whatever the strategy."""
PROJECT, USER = "project memory", "user memory"
_TRIES, _PAUSE = 3, 0.002


class Asked:
    """A prompt, and where it was typed."""

    __slots__ = ("catch_up", "cwd", "environ", "now", "prompt", "session", "user_store")

    def __init__(
        self,
        prompt: str,
        session: str,
        cwd: str,
        now: float,
        user_store: str,
        environ: Mapping[str, str],
        catch_up: Callable[[str, bool], None],
    ) -> None:
        self.prompt = prompt
        self.session = session
        """"" for none: then nothing is noted."""
        self.cwd = cwd
        self.now = now
        self.user_store = user_store
        self.environ = environ
        self.catch_up = catch_up
        """Has index and caches of the repository at a path brought along; True: waits a while."""


class Injected:
    """The text for the model, and what went wrong beside it."""

    __slots__ = ("problems", "text")

    def __init__(self) -> None:
        self.text = ""
        self.problems: list[Exception] = []


class _Open:
    """A store's index at some commit."""

    __slots__ = ("commit", "config", "place", "sql")

    def __init__(
        self, place: Glance, sql: Connection, commit: str, config: Mapping[str, Any]
    ) -> None:
        self.place = place
        self.sql = sql
        self.commit = commit
        self.config = config

    @property
    def stale(self) -> bool:
        return self.commit != self.place.tip

    def flag(self, key: str, default: bool) -> bool:
        value = self.config.get(key, default)
        return value if isinstance(value, bool) else default


def inject(asked: Asked) -> Injected:
    """What to say to a prompt. Never raises for a store that can't be used."""
    injected = Injected()
    root = repository_of(asked.cwd)
    project = _opened(root, asked, injected) if root is not None else None
    if project is not None:
        _answer(project, PROJECT, asked, injected)
    wants_user = project is None or project.flag("retrieval.user_store", True)
    if wants_user and asked.user_store and root != os.path.realpath(asked.user_store):
        user = _opened(asked.user_store, asked, injected)
        if user is not None:
            _answer(user, USER, asked, injected)
    return injected


def _opened(root: str, asked: Asked, injected: Injected) -> _Open | None:
    try:
        found = _current(root, asked)
    except Exception as error:  # noqa: BLE001 - another store may still answer (I8)
        injected.problems.append(error)
        return None
    if found is None or not found.flag("retrieval.enabled", True):
        return None
    form = found.config.get("format", FORMAT)
    return None if isinstance(form, int) and form > FORMAT else found


def _current(root: str, asked: Asked) -> _Open | None:
    """The store at `root` with its index at the tip, if that can be had in time."""
    from gitmem.index.bare import open_index
    from gitmem.model.jsontext import loads

    caught_up = False
    while True:
        place = _place(root, asked)
        if place is None:
            return None
        opened = None
        for _ in range(_TRIES):
            opened = open_index(place.folder)
            if opened is not None and opened[1] == place.tip:
                break
            # A writer may be between the two: the ref moves first, the index follows.
            sleep(_PAUSE)
            place = _place(root, asked) or place
        if caught_up or (opened is not None and opened[1] == place.tip):
            break
        if not os.access(place.common_dir, os.W_OK):
            # Nobody could keep what was brought along.
            break
        asked.catch_up(root, True)
        caught_up = True
    if opened is None:
        return None
    try:
        config = loads(opened[2])
    except ValueError:
        config = {}
    return _Open(place, opened[0], opened[1], config if isinstance(config, dict) else {})


def _place(root: str, asked: Asked) -> Glance | None:
    try:
        return glance(root)
    except Unusual:
        return _looked_closely(root, asked)


def _looked_closely(root: str, asked: Asked) -> Glance | None:
    from pathlib import Path

    from gitmem.model.errors import NotAStore
    from gitmem.store.store import Store

    try:
        with Store.open(Path(root), asked.environ) as store:
            at = store.location
            tree = str(at.work_tree) if at.work_tree is not None else None
            return Glance(str(at.git_dir), str(at.common_dir), tree, store.branch.ref, store.tip)
    except NotAStore:
        return None


def _answer(store: _Open, name: str, asked: Asked, injected: Injected) -> None:
    """Add what this store has to say, and note it in the session's ledger."""
    sessions = None
    try:
        sessions = _sessions(store) if asked.session else None
        had = sessions.shown(asked.session) if sessions is not None else set()
        found = [one for one in _picked(store, asked, sessions) if one.id not in had]
        text, ids = _block(store, name, found, sessions, asked, len(injected.text))
    except Exception as error:  # noqa: BLE001 - another store may still answer (I8)
        injected.problems.append(error)
        return
    if sessions is not None:
        try:
            sessions.add_prompt(asked.session, int(asked.now), store.commit, ids, len(text))
        except Exception as error:  # noqa: BLE001 - what was found is said all the same (I8)
            injected.problems.append(error)
    injected.text += text


def _picked(store: _Open, asked: Asked, sessions: Sessions | None) -> Sequence[Found]:
    if len(asked.prompt.strip()) < SHORTEST:
        return ()
    from gitmem.features.recall.finding import DEFAULT, STRATEGIES, Ask, find
    from gitmem.index.search import TermSource

    config = store.config
    off = [key.split(".")[1] for key in config if key.endswith(".enabled") and _is_off(key, config)]
    hidden = _hidden(store, sessions, asked)
    source = TermSource(store.sql, hide=hidden, categories_off=frozenset(off))
    named = config.get("retrieval.match_strategy")
    ask = Ask(
        asked.prompt,
        source,
        _limit(config),
        now=asked.now,
        descriptions=_descriptions(config),
        content=store.flag("retrieval.content", False),
        hesitant=True,
    )
    hits = find(ask, named if isinstance(named, str) and named in STRATEGIES else DEFAULT)
    entries = source.entries([hit.row for hit in hits]) if hits else {}
    found = [entries[hit.row] for hit in hits]
    return _still_there(store, found, asked) if store.stale else found


def _is_off(key: str, config: Mapping[str, Any]) -> bool:
    return key.startswith("categories.") and config[key] is False


def _limit(config: Mapping[str, Any]) -> int:
    value = config.get("retrieval.max_inject", SHOWN)
    if not isinstance(value, int) or isinstance(value, bool):
        return SHOWN
    return min(max(value, 0), MOST_SHOWN)


def _descriptions(config: Mapping[str, Any]) -> dict[str, str]:
    """What the store says of its categories, by category."""
    found: dict[str, str] = {}
    for key in sorted(config):
        parts = key.split(".")
        if len(parts) == 3 and parts[0] == "categories" and parts[2] == "description":
            value = config[key]
            if isinstance(value, str) and value.strip():
                found[parts[1]] = value
    return found


def _sessions(store: _Open) -> Sessions | None:
    """The ledger; None where it can't be kept (a folder that is read only)."""
    from gitmem.index.bare import open_state
    from gitmem.index.sessions import VERSION, Sessions

    folder = store.place.folder
    connection = open_state(folder, VERSION)
    if connection is None:
        # The first time only: the file is made, or brought to the version of today.
        from pathlib import Path

        from gitmem.index.state import open_state as open_or_make

        open_or_make(Path(folder)).close()
        connection = open_state(folder, VERSION)
    return None if connection is None else Sessions(connection)


def _hidden(store: _Open, sessions: Sessions | None, asked: Asked) -> frozenset[str]:
    """Entries of other branches of the code, where the store asks to leave them out."""
    if sessions is None or not store.flag("retrieval.branch_scope", False):
        return frozenset()
    from gitmem.index.sessions import SCOPE

    head = ":".join(code_head(store.place.git_dir, store.place.common_dir))
    if not sessions.computed(SCOPE, head):
        asked.catch_up(store.place.root, True)
    return frozenset(sessions.out_of_scope(head))


def _still_there(store: _Open, found: Sequence[Found], asked: Asked) -> list[Found]:
    """Those that the tip still holds at their place: the index is of an older commit."""
    from pathlib import Path

    from gitmem.git.objects import Objects
    from gitmem.git.tree import lookup

    objects = Objects(Path(store.place.common_dir))
    try:
        tree = objects.commit(store.place.tip).tree
        return [one for one in found if lookup(objects, tree, one.path) is not None]
    finally:
        objects.close()


def _block(
    store: _Open,
    name: str,
    found: Sequence[Found],
    sessions: Sessions | None,
    asked: Asked,
    used: int,
) -> tuple[str, list[str]]:
    """The block of a store, within what another one has left, and the ids that stand in it."""
    if not found:
        return "", []
    from gitmem.features.recall.block import MOST_CHARACTERS, render

    root = _view(store.place, store.config)
    shown = _lines(store, found, root, _notes(store, found, sessions, asked))
    named = f"{root}/" if root else name
    while shown:
        text = render(shown, named, _descriptions(store.config))
        lines = text.count("\n- [")
        if used + len(text) <= MOST_CHARACTERS and lines == len(shown):
            return text, [one.id for one in found[: len(shown)]]
        shown.pop()
    return "", []


def _lines(
    store: _Open, found: Sequence[Found], root: str, notes: Mapping[str, str]
) -> list[Shown]:
    from gitmem.features.recall.block import Shown
    from gitmem.index.bare import sources

    rests_on = sources(store.sql, [one.id for one in found])
    return [
        Shown(
            one.category,
            one.title,
            _shown_path(store.place, root, one),
            one.tags.split("\n") if one.tags else (),
            rests_on.get(one.id, "unknown"),
            notes.get(one.blob, ""),
        )
        for one in found
    ]


def _notes(
    store: _Open, found: Sequence[Found], sessions: Sessions | None, asked: Asked
) -> Mapping[str, str]:
    """Where the code has moved on since, as far as that was computed before."""
    about_files = [one.blob for one in found if '"related_files"' in one.document]
    if sessions is None or not about_files:
        return {}
    head, _ = code_head(store.place.git_dir, store.place.common_dir)
    if not head:
        return {}
    from gitmem.features.recall.notes import moved_on_note
    from gitmem.index.sessions import MOVED_ON

    if not sessions.computed(MOVED_ON, head):
        # The code has a new commit: the next prompt will know.
        sessions.set_computed(MOVED_ON, head, "asked for")
        asked.catch_up(store.place.root, False)
    moved = sessions.moved_on(head, about_files)
    return {blob: moved_on_note(*counts) for blob, counts in moved.items()}


def _view(place: Glance, config: Mapping[str, Any]) -> str:
    """The root of the view as the work tree names it; "" where there is none."""
    root = config.get("memory_root")
    if not isinstance(root, str) or root.startswith(("/", "~")) or ".." in root:
        root = ".claude/memory"
    there = place.work_tree is not None and os.path.isdir(f"{place.work_tree}/{root}")  # noqa: PTH112
    return root if there else ""


def _shown_path(place: Glance, root: str, one: Found) -> str:
    """The file in the view, which the model can read; else the address that commands take."""
    path = f"{root}/{one.path}"
    if root and os.path.exists(f"{place.work_tree}/{path}"):  # noqa: PTH110
        return path
    return f"{one.tier}/{one.folder}/{one.slug}"
