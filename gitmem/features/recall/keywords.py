"""The strategy `keywords`: an entry matches when any word of the prompt does, in three ways.

As a whole word of the entry's name and keywords, as a part of one, or as a near spelling of one.
It ranks nothing; entries come in the order of their names. Pure functions, exactly as the
original program matches.
"""

from __future__ import annotations

import re

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable
    from typing import Protocol, TypeVar

    class Row(Protocol):
        """An entry as this strategy sees it."""

        @property
        def name(self) -> str:
            """The slug; its dashes part words."""

        @property
        def keywords(self) -> Collection[str]: ...
        @property
        def when(self) -> str: ...
        @property
        def body(self) -> str: ...

    R = TypeVar("R", bound=Row)


_WORD = re.compile(r"[a-z0-9_]+")
_SHORTEST = 2
_SHORTEST_ALIKE = 3
ALIKE = 0.95

_COMMON = """
about above across actually add added adding adds after again all allow allowed allowing allows
alongside already alright also although always am an and any anything anyway are around as at back
bad basically be because been before being best better between big bit both break breaking breaks
broke broken but by call called calling calls came can case cases change changed changes changing
check checked checking come comes coming cool could cover covered covering covers current
currently data default did do does doesn doing done during each empty end ended ending ends even
every everything example existing fail failed feature few figured file files find finding finds
fine finish finished first fix fixed for found from full gave get gets getting give given gives
giving go going gone good got great had handle handling happen happened happening happens has have
having he heard hello her here hers hey hi high him his how idea if in increase increased
increases increasing instead into is isn it its just keep keeping keeps kept kill killed killing
kind knew know knowing known knows last leave leaves leaving left let lets letting level levels
like liked likes ll long look looked looking looks lot low made make makes making many may me
meant might mine more most move moved moves moving much must my name need needed needs never new
next nice no not nothing now number of ok okay old on only open opened opening opens option
options or other our ours out over own part parts pick picked picking piece pieces place please
point pretty previous problem process project put puts putting question ran re read reading really
reason recent remind rest right run running runs said same save saved saving saw say saying says
see seeing seem seemed seems seen sees send sending sent set sets setting shall she short should
show showed showing shown shows similar since small so some something sometimes specifically start
started starting starts still stop stopped stops stuff style such sure take taken takes taking
talked tell telling tells than thank thanks that the their theirs them then there these they thing
things think thinking thinks this those thought through to told too took touch toward towards
tried tries try trying turn turned turning turns type types under unless until up upon us use used
uses using value values ve very wait walk walked walking want wanted wanting wants was way we well
went were what when where whether which while who whole whom why will with within without
wondering work worked working works worried worse worst would write writes writing written wrong
wrote yes you your yours
"""
STOP_WORDS = frozenset(_COMMON.split())


def tokens(text: str) -> list[str]:
    """The words of a prompt that count, each once, in their order."""
    words = dict.fromkeys(_WORD.findall(text.lower()))
    return [word for word in words if len(word) >= _SHORTEST and word not in STOP_WORDS]


def search(prompt: str, rows: Iterable[R], *, content: bool = False) -> list[R]:
    """The rows that any word of the prompt matches, by name; `content`: bodies count too."""
    asked = tokens(prompt)
    found = [row for row in rows if asked and _matches(asked, _searched(row, content))]
    return sorted(found, key=lambda row: row.name)


def _searched(row: Row, content: bool) -> str:
    parts = [row.name.replace("-", " ")]
    if row.keywords:
        parts += row.keywords
    else:
        parts.append(row.when or row.body.strip().partition("\n")[0])
    if content:
        parts += [row.when, row.body]
    return " ".join(parts).lower()


def _matches(asked: Iterable[str], text: str) -> bool:
    there = set(_WORD.findall(text))
    return any(_hits(word, there, text) for word in asked)


def _hits(word: str, there: Collection[str], text: str) -> bool:
    if word in there:
        return True
    if len(word) <= _SHORTEST:
        return False
    # A part of any word is a part of the text, and a word holds no blank.
    return word in text or any(
        len(other) >= _SHORTEST_ALIKE and _alike(word, other) for other in there
    )


def _alike(word: str, other: str) -> bool:
    """difflib's ratio of at least 0.95, asked of difflib only where the lengths allow it."""
    least, most = sorted((len(word), len(other)))
    if 2 * least < ALIKE * (least + most):
        return False
    from difflib import SequenceMatcher

    return SequenceMatcher(None, word, other).ratio() >= ALIKE
