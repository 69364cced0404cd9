"""The first commit: byte for byte the same in every store, so that any two can merge."""

from __future__ import annotations

from gitmem.git.commits import Signature
from gitmem.store.change import Change, Origin
from gitmem.store.layout import ATTRIBUTES_PATH, CONFIG_PATH

ROOT_COMMIT = "6285be261812fac5af7d57b8028bf1552545a461"
_ATTRIBUTES = b"* text eol=lf\n*.md diff=markdown merge=gitmem\nconfig.json merge=gitmem\n"
_CONFIG = b'{\n  "format": 1\n}\n'
ROOT_OP = "init"
_TIME = 1_000_000_000

ROOT_AUTHOR = Signature("gitmem", "root@gitmem.invalid", _TIME, 0)
ROOT_ORIGIN = Origin(now=_TIME, actor="", source=None)


def root_change() -> Change:
    """The tree and message of the first commit."""
    return Change(
        op=ROOT_OP,
        files={ATTRIBUTES_PATH: _ATTRIBUTES, CONFIG_PATH: _CONFIG},
        subject="gitmem format 1",
    )
