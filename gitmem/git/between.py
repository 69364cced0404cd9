"""What happened in the code between two of its commits: which commits, and to which files.

Reads commits and trees; for branches that diverged it answers what git's `old..new` does.
"""

from __future__ import annotations

import heapq

from gitmem.git.objects import Commit, Objects
from gitmem.git.tree import diff_trees

_NEW, _OLD = 1, 2


def commits_between(objects: Objects, old: str, new: str, most: int) -> list[Commit]:
    """The commits that `new` reaches and `old` doesn't; it stops looking after `most`."""
    sides = {new: _NEW}
    sides[old] = sides.get(old, 0) | _OLD
    heap = [(-objects.commit(sha).time, sha) for sha in sides]
    heapq.heapify(heap)
    found: dict[str, Commit] = {}
    open_ones = sum(1 for _, sha in heap if sides[sha] == _NEW)
    done: set[str] = set()
    while heap and open_ones and len(done) < most:
        _, sha = heapq.heappop(heap)
        if sha in done:
            continue
        done.add(sha)
        side = sides[sha]
        commit = objects.commit(sha)
        if side == _NEW:
            open_ones -= 1
            found[sha] = commit
        for parent in commit.parents if sha not in objects.shallow else ():
            before = sides.get(parent, 0)
            after = before | side
            if before == after:
                continue
            sides[parent] = after
            open_ones += (after == _NEW) - (before == _NEW and parent not in done)
            done.discard(parent)
            heapq.heappush(heap, (-objects.commit(parent).time, parent))
    return [commit for sha, commit in found.items() if sides[sha] == _NEW]


def paths_between(objects: Objects, old: str, new: str) -> frozenset[str]:
    """The files that differ between two commits."""
    trees = (objects.commit(sha).tree for sha in (old, new))
    return frozenset(diff.path for diff in diff_trees(objects, *trees))


def paths_of(objects: Objects, commit: Commit) -> frozenset[str]:
    """The files that a commit changed; a merge only those that it has from no parent."""
    parents = () if commit.sha in objects.shallow else commit.parents
    if not parents:
        return frozenset(diff.path for diff in diff_trees(objects, None, commit.tree))
    each = (diff_trees(objects, objects.commit(one).tree, commit.tree) for one in parents)
    return frozenset.intersection(*(frozenset(diff.path for diff in diffs) for diffs in each))
