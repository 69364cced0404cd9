"""Branch scope: which entries were made on a branch of the code that isn't in what is checked out.

An entry belongs where the code's commit at its making is (`Gitmem-Code`): to the branch that is
checked out, or to one that was merged into it. Entries made without code belong everywhere.
"""

from __future__ import annotations

from gitmem.document.message import parse_message
from gitmem.features.workspace import Workspace
from gitmem.git.commits import is_ancestor
from gitmem.git.glance import code_head
from gitmem.git.objects import Objects
from gitmem.index import queries
from gitmem.model.categories import TIERS
from gitmem.model.errors import GitmemError


def hidden_ids(workspace: Workspace) -> frozenset[str]:
    """The entries made on a branch that is neither the current one nor merged into it."""
    location = workspace.store.location
    head, branch = code_head(str(location.git_dir), str(location.common_dir))
    if not head:
        return frozenset()
    objects = workspace.store.objects
    merged: dict[str, bool] = {}
    hidden = []
    for entry_id, sha in queries.making_commits(workspace.snapshot().index, TIERS):
        code, made_on = code_of(objects, sha)
        if not code or not made_on or made_on == branch:
            continue
        if code not in merged:
            merged[code] = _is_merged(objects, code, head)
        if not merged[code]:
            hidden.append(entry_id)
    return frozenset(hidden)


def code_of(objects: Objects, sha: str) -> tuple[str, str]:
    """The code's commit and branch when a commit of the memory was made; "" where unknown."""
    words = parse_message(objects.commit(sha).message).first("Gitmem-Code")
    return (words[0], words[1] if len(words) > 1 else "") if words else ("", "")


def _is_merged(objects: Objects, code: str, head: str) -> bool:
    try:
        return is_ancestor(objects, code, head)
    except GitmemError:
        # A shallow clone doesn't tell: better shown than lost.
        return True
