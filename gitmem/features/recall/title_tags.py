"""Points of an entry for a prompt, by the words of its title and its tags.

2 for each word that the title has, 3 for each that is a tag, 1 for each further word of at least
4 letters that a title word or tag begins with. Pure functions over words.
"""

from __future__ import annotations

import re
from collections.abc import Collection

_WORD = re.compile(r"[a-z0-9]+")
_SHORTEST = 3
_SHORTEST_PREFIX = 4

_COMMON = """
about also and are been being but can could did does else for from get had has have help how
into just know let like make may might must need not out please see shall she should that the
then these they think this those too use very want was were what when where which who whom why
will with would yes you your
"""
STOP_WORDS = frozenset(_COMMON.split())


def tokens(text: str) -> frozenset[str]:
    """The words of a text that count: at least 3 of a-z 0-9, and no stop word."""
    words = _WORD.findall(text.lower())
    return frozenset(word for word in words if len(word) >= _SHORTEST) - STOP_WORDS


def points(asked: Collection[str], title_words: frozenset[str], tags: Collection[str]) -> int:
    """The points for these words. Tags are compared whole; lower case is theirs already."""
    score = 0
    beginnings = "\n".join(("", *title_words, *tags))
    for word in asked:
        title, tag = word in title_words, word in tags
        if title or tag:
            score += 2 * title + 3 * tag
        elif len(word) >= _SHORTEST_PREFIX and f"\n{word}" in beginnings:
            score += 1
    return score
