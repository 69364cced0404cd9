"""A scratch memory for tests of features: a real repository, a clock that is set by hand."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from gitmem.features.answers import Answer
from gitmem.features.starting import Wanted, init
from gitmem.features.view.checkout import refresh
from gitmem.features.workspace import Workspace
from gitmem.features.write.draft import Draft
from gitmem.features.write.pipeline import Edit, NewEntry, create, update
from gitmem.model.categories import Tier
from gitmem.store.store import Store

from tests.helpers import make_repository

NOW = 1_790_000_000
PERSON = {"GIT_AUTHOR_NAME": "A. Person", "GIT_AUTHOR_EMAIL": "person@example.org"}


@dataclass
class Scratch:
    """A repository with a memory; `at` is what the clock says."""

    repo: Path
    at: int = NOW
    environ: Mapping[str, str] = field(default_factory=lambda: {**os.environ, **PERSON})
    source: str = "user"

    @property
    def view(self) -> Path:
        return self.repo / ".claude" / "memory"

    def clock(self) -> float:
        return self.at

    @contextmanager
    def open(self, start: Path | None = None) -> Iterator[Workspace]:
        with Store.open(start or self.repo, self.environ) as store:
            yield Workspace(
                store, self.clock, environ=self.environ, source=self.source, after_write=refresh
            )

    def add(
        self, title: str, category: str = "note", tier: Tier | None = None, **content: Any
    ) -> Answer:
        self.at += 60
        given = {"title": title, "tags": ["test"], "content": content}
        if category == "note" and not content:
            given["content"] = {"body": f"About {title}."}
        with self.open() as workspace:
            return create(workspace, NewEntry(category, Draft(given), tier=tier))

    def change(self, ref: str, *fields: str) -> Answer:
        self.at += 60
        with self.open() as workspace:
            return update(workspace, Edit(ref, fields=fields))

    def file(self, path: str) -> str:
        """A file of the view; "" where there is none."""
        full = self.view / path
        return full.read_bytes().decode() if full.is_file() else ""

    def files(self) -> set[str]:
        """The names of all files of the view."""
        return {
            path.relative_to(self.view).as_posix()
            for path in self.view.rglob("*")
            if path.is_file()
        }

    def entries(self) -> set[str]:
        """The names of the view's files that are no pages."""
        return {
            name
            for name in self.files()
            if not name.startswith("registers/") and ("/" in name or name == "config.json")
        }


def scratch(path: Path, *, view: bool = True, bare: bool = False) -> Scratch:
    """A fresh repository with a fresh memory."""
    made = Scratch(make_repository(path, bare=bare))
    init(made.repo, made.environ, made.clock, Wanted(view=view))
    return made
