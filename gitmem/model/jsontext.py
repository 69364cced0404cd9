"""Reads JSON without the standard module's imports, where the interpreter allows it.

`json` itself is quick, but it loads `re` and `enum`, which take as long as all the rest of a hook.
CPython's scanner is the very one that `json.loads` uses, so that both read the same.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

_CONSTANTS = {"NaN": float("nan"), "Infinity": float("inf"), "-Infinity": float("-inf")}
_BLANK = " \t\n\r"


class _Rules:
    """What the scanner asks for; these are `json`'s own defaults, without its `strict`."""

    strict = False
    object_hook = None
    object_pairs_hook = None
    parse_float = float
    parse_int = int
    parse_constant = _CONSTANTS.__getitem__
    memo: dict[str, str] = {}  # noqa: RUF012 - the scanner's own


def loads(text: str) -> Any:
    """The value of a JSON text. ValueError where it is none, RecursionError where too deep."""
    scan = _scanner()
    if scan is not None:
        try:
            value, end = scan(text, len(text) - len(text.lstrip(_BLANK)))
            if not text[end:].strip(_BLANK):
                return value
        except (StopIteration, ValueError, SystemError):
            # Not JSON: what is wrong with it is for the standard module to say, which is loaded
            # only now (and without which the scanner can't even make its error).
            pass
    import json

    return json.loads(text, strict=False)


def _scanner() -> Callable[[str, int], tuple[Any, int]] | None:
    try:
        from _json import make_scanner
    except ImportError:
        return None
    scan: Callable[[Any], Callable[[str, int], tuple[Any, int]]] = make_scanner
    return scan(_Rules)
