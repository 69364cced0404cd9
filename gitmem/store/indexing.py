"""The index of an open store: opened, brought to the tip, built anew where it is damaged.

The index is derived (I1), so nothing here ever loses anything: what can't be read goes away and
is built from the branch. Where its file can't be written the index lives in memory.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from gitmem.index.db import Index, IndexDamaged, memory_index, open_index, remove_index

if TYPE_CHECKING:
    from gitmem.git.objects import Objects
    from gitmem.store.catchup import Progress


class CurrentIndex:
    """One store's index."""

    def __init__(
        self, folder: Path, objects: Callable[[], Objects], tip: Callable[[], str]
    ) -> None:
        self._folder = folder
        self._objects = objects
        self._tip = tip
        self._index: Index | None = None
        self._at = ""

    def close(self) -> None:
        if self._index is not None:
            self._index.close()
            self._index = None

    def at_tip(self, progress: Progress | None = None) -> tuple[Index, str]:
        """The index, and the tip of the branch that it reflects."""
        tip = self._tip()
        index = self.opened()
        try:
            if index.commit != tip:
                if not index.writable:
                    index.close()
                    self._index = index = memory_index()
                tip = self._brought_along(index, progress)
        except IndexDamaged:
            index = self.fresh()
            tip = self._brought_along(index, progress)
        self._at = tip
        index.mend = self._mend
        return index, tip

    def opened(self) -> Index:
        """The index as it is, whatever it reflects."""
        if self._index is None:
            self._index = open_index(self._folder)
        return self._index

    def fresh(self) -> Index:
        """An empty index in the place of the one that is there."""
        self.close()
        remove_index(self._folder)
        index = open_index(self._folder)
        if not index.writable:
            # The file couldn't be removed, and is what we want to be rid of.
            index.close()
            index = memory_index()
        self._index = index
        return index

    def _brought_along(self, index: Index, progress: Progress | None) -> str:
        from gitmem.store.catchup import catch_up

        with index.writing():
            # Asked again: whoever had the index before us may have moved branch and index on,
            # and to bring an index back means to build all of it.
            tip = self._tip()
            catch_up(index, self._objects(), tip, progress)
        return tip

    def _mend(self) -> None:
        """A reader met damage: build the index anew, as of the commit that is being read."""
        from gitmem.store.catchup import catch_up

        index, fresh = self.opened(), self.fresh()
        with fresh.writing():
            catch_up(fresh, self._objects(), self._at)
        index.take_over(fresh)
        self._index = index
