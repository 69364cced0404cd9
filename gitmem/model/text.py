"""Valid text: which characters a memory may hold, and where its lines and blanks begin and end.

Three forms: prose (several lines), one line (titles, tags, options), a list item. Each function
takes any `str`, hostile ones too, never fails and changes nothing when it is applied twice.
Everything that is validated, written or compared went through here first. *Blank* = space.
Standard library only.
"""

from __future__ import annotations

import re

_REMOVED = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff\ufeff\ufffe\uffff]+")
_BLANK_RUNS = re.compile("[ \t\n\u2028\u2029]+")


def clean_text(text: str) -> str:
    """CRLF and CR as LF; control characters, surrogates and byte order marks gone."""
    # str.isprintable is several times faster than the pattern, and no printable goes away.
    if text.isprintable() or text.replace("\n", "").isprintable():
        return text
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    return _REMOVED.sub("", text)


def valid_text(text: str) -> str:
    """Prose: `clean_text` without first and last lines of only blanks and tabs."""
    text = clean_text(text)
    if text and not text[0].isspace() and not text[-1].isspace():
        return text
    body = text.lstrip(" \t\n")
    if not body:
        return ""
    # Blanks before the first word and behind the last one stay: only whole lines go.
    start = text.rfind("\n", 0, len(text) - len(body)) + 1
    end = text.find("\n", len(text.rstrip(" \t\n")))
    return text[start:] if end < 0 else text[start:end]


def one_line(text: str) -> str:
    """One line: each run of blanks, tabs and line ends is one blank, and none at the ends."""
    if text.isprintable() and "  " not in text:
        return text.strip(" ")
    return _BLANK_RUNS.sub(" ", clean_text(text)).strip(" ")


def item_text(text: str) -> str:
    """A list item: `valid_text` without blanks and tabs before its first character."""
    return valid_text(text).lstrip(" \t")
