"""What the index keeps of an entry for `ranked`: its terms by field, as one line of text each.

The same text is what the full-text table is given and, for a table without content, what it must
be given again to forget the entry. Pure; no SQL here.
"""

from __future__ import annotations

from collections.abc import Iterable

from gitmem.index.analyser import date_terms, terms

FIELDS = ("keywords", "title", "when", "tags", "note", "body", "date")
"""The fields in the order of the stored lines.

`note` holds the body of an entry whose title is only its beginning (`remember`, imported
lines): there the title says nothing of its own, so it isn't counted beside.
"""

MOST_BODY = 400
"""Of the body so many terms are kept; what an entry is about stands near its start."""
_MOST_CHARACTERS = 20_000
"""Far more than so many terms take: a body of a megabyte isn't read to its end."""


def stored_words(
    *,
    title: str,
    body: str = "",
    when: str | None = None,
    keywords: Iterable[str] = (),
    tags: Iterable[str] = (),
    created: str = "",
) -> str:
    """The terms of an entry: one line a field, in the order of `FIELDS`, blanks between terms."""
    repeated = bool(body) and _begins(body, title)
    told = terms(body[:_MOST_CHARACTERS])[:MOST_BODY]
    lines = (
        terms(" ".join(keywords)),
        [] if repeated else terms(title),
        terms(when or ""),
        terms(" ".join(tags)),
        told if repeated else [],
        [] if repeated else told,
        date_terms(created),
    )
    return "\n".join(" ".join(line) for line in lines)


def distinct(words: str) -> set[str]:
    """The terms that count towards document frequencies, each once."""
    return set(words.split())


def length(words: str) -> int:
    """How many terms there are."""
    return len(words.split())


def _begins(body: str, title: str) -> bool:
    """Whether the title is the start of the body; a cut title may end in an ellipsis."""
    start = " ".join(title.rstrip(" .…").lower().split())
    return bool(start) and " ".join(body[: 2 * len(title) + 20].lower().split()).startswith(start)
