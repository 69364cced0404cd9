"""The rendered pages of a view: one module each, snapshot in, text out.

A module has `files(snapshot, touched)`: the names of its files that a change may alter (all of
them where `touched` is None), and `render(snapshot, file, prefix)`: the text of one, or None where
it isn't to exist. Pages are bounded, so that keeping them current costs the same in any store. A
page ends with a checksum: that is how an edited one is known. To add one, write the module and
list it here; listing them imports nothing.
"""

from __future__ import annotations

import hashlib
import importlib
import re
from collections.abc import Iterable, Sequence
from typing import Protocol

from gitmem.features.view.contents import Touched
from gitmem.store.snapshot import Snapshot

PAGES: dict[str, str] = {
    "index.md": "gitmem.features.view.pages.index",
    "RECENT.md": "gitmem.features.view.pages.recent",
    "SUMMARY.md": "gitmem.features.view.pages.summary",
    "PINNED.md": "gitmem.features.view.pages.pinned",
    "registers/": "gitmem.features.view.pages.registers",
}
"""Each page, or the folder of several, and the module that renders it."""

_SEAL = re.compile(rb"\n<!-- checksum ([0-9a-f]{16}) -->\n\Z")


class Page(Protocol):
    """What a page's module offers."""

    def files(self, snapshot: Snapshot, touched: Sequence[Touched] | None) -> Iterable[str]:
        """The files that a change may alter; None: all that there are."""

    def render(self, snapshot: Snapshot, file: str, prefix: str) -> str | None:
        """The text of a file; None: it isn't to exist. `prefix` leads to the view."""


def is_page(path: str) -> bool:
    """Is this the place of a rendered page?"""
    return path in PAGES or (path.partition("/")[0] + "/") in PAGES


def files(snapshot: Snapshot, touched: Sequence[Touched] | None) -> set[str]:
    """The files of pages that a change may alter; all where `touched` is None."""
    return {file for name in PAGES for file in _module(name).files(snapshot, touched)}


def render(snapshot: Snapshot, file: str, prefix: str) -> bytes | None:
    """A page as the bytes of its file; None: there is to be none."""
    name = file if file in PAGES else file.partition("/")[0] + "/"
    text = _module(name).render(snapshot, file, prefix)
    return None if text is None else _sealed(text.encode("utf-8", "replace"))


def is_intact(data: bytes) -> bool:
    """Is this a page as it was rendered, edited by nobody?"""
    found = _SEAL.search(data)
    return found is not None and found[1] == _checksum(data[: found.start()])


def _sealed(text: bytes) -> bytes:
    body = text.rstrip(b"\n") + b"\n"
    return b"%s\n<!-- checksum %s -->\n" % (body, _checksum(body))


def _checksum(body: bytes) -> bytes:
    return hashlib.sha256(body).hexdigest()[:16].encode()


def _module(name: str) -> Page:
    module: Page = importlib.import_module(PAGES[name])
    return module
