"""What recall says of an entry beside its own words."""

from __future__ import annotations


def moved_on_note(files: int, commits: int) -> str:
    """That files an entry speaks of have changed since it was written."""
    which = "1 of its files" if files == 1 else f"{files} of its files"
    times = "1 commit" if commits == 1 else f"{commits} commits"
    return f"{which} changed in {times} since"
