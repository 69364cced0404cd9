"""gitmem: a git-native memory store for AI coding agents.

    import gitmem

    gitmem.init("path/to/repo")
    with gitmem.open("path/to/repo") as memory:
        memory.remember("The staging database is read-only on Fridays.")

Names are loaded when they are first used: a hook that imports a module of this package pays for
nothing else.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from gitmem.features.answers import Answer, Collected, Undone
    from gitmem.features.starting import Started
    from gitmem.library import Memory, init, open
    from gitmem.model.errors import GitmemError

__version__ = "0.1.0"

_HOMES = {
    "Memory": "gitmem.library",
    "init": "gitmem.library",
    "open": "gitmem.library",
    "Answer": "gitmem.features.answers",
    "Collected": "gitmem.features.answers",
    "Undone": "gitmem.features.answers",
    "Started": "gitmem.features.starting",
    "GitmemError": "gitmem.model.errors",
}

__all__ = [
    "Answer",
    "Collected",
    "GitmemError",
    "Memory",
    "Started",
    "Undone",
    "__version__",
    "init",
    "open",
]


def __getattr__(name: str) -> Any:
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(home), name)


def __dir__() -> list[str]:
    return sorted(__all__)
