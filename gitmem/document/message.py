"""A commit's message: subject, reason and trailers, and back.

The reason is free text that can forge nothing: git looks for trailers in the last paragraph
only, and that is always ours; a line at which git would end the message gets a backslash. The
reader takes any message, other people's too, and never fails.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from gitmem.model.text import one_line, valid_text

OP = "Gitmem-Op"
_ENDS_MESSAGE = re.compile(r"^(?=\\*---|.*-- >8 --)", re.MULTILINE)
_ESCAPED = re.compile(r"^\\(?=\\*---|.*-- >8 --)", re.MULTILINE)
_TRAILER = re.compile(r"(Gitmem-[A-Za-z]+):(.*)")
_ENCODED_WORD = re.compile(r"[^!-~]|%")
_PERCENT = re.compile(rb"%([0-9A-Fa-f]{2})")
_SURROGATE = re.compile("[\ud800-\udfff]")

Trailer = tuple[str, tuple[str, ...]]
"""A key and its words."""


@dataclass(frozen=True, slots=True)
class Message:
    """What a commit says. Without an entry `category` is None.

    `op` is "" where no trailer names one: the commit isn't gitmem's.
    """

    op: str
    category: str | None = None
    title: str = ""
    reason: str = ""
    trailers: tuple[Trailer, ...] = ()

    def first(self, key: str) -> tuple[str, ...]:
        """The words of the first trailer of that key, () without one."""
        return next((words for name, words in self.trailers if name == key), ())

    def every(self, key: str) -> list[tuple[str, ...]]:
        """The words of each trailer of that key."""
        return [words for name, words in self.trailers if name == key]


def encode_message(message: Message) -> bytes:
    """The bytes of a commit's message."""
    paragraphs = [
        _subject(message.op, message.category, one_line(message.title)),
        _ENDS_MESSAGE.sub(r"\\", valid_text(message.reason)) if message.reason else "",
        "\n".join(filter(None, (_trailer(key, words) for key, words in message.trailers))),
    ]
    return ("\n\n".join(filter(None, paragraphs)) + "\n").encode()


def _subject(op: str, category: str | None, title: str) -> str:
    head = op if category is None else f"{op}({category})"
    return f"{head}: {title}" if title else head


def _trailer(key: str, words: Sequence[str]) -> str | None:
    value = " ".join(filter(None, map(_encoded, words)))
    return f"{key}: {value}" if value else None


def _encoded(word: str) -> str:
    if not _ENCODED_WORD.search(word):
        return word
    return "".join(
        chr(byte) if 0x21 <= byte <= 0x7E and byte != 0x25 else f"%{byte:02X}"
        for byte in _SURROGATE.sub("", word).encode()
    )


def parse_message(data: bytes) -> Message:
    """The parts of a commit's message; whatever it holds, it is read."""
    text = data.decode(errors="replace").replace("\r\n", "\n")
    head, trailers = _split_trailers(text)
    subject, _, rest = head.partition("\n")
    op = next((words[0] for key, words in trailers if key == OP), "")
    category, title = _read_subject(subject, op)
    reason = _ESCAPED.sub("", valid_text(rest)) if rest else ""
    return Message(op, category, title, reason, trailers)


def _split_trailers(text: str) -> tuple[str, tuple[Trailer, ...]]:
    """The message before its last paragraph, and the trailers in that paragraph.

    A last paragraph that holds none of ours is text like any other.
    """
    head, _, last = text.rstrip().rpartition("\n\n")
    trailers = []
    for line in last.split("\n") if head else ():
        found = _TRAILER.match(line)
        if found:
            words = tuple(_decoded(word) for word in found[2].split(" ") if word)
            if words:
                trailers.append((found[1], words))
    return (head, tuple(trailers)) if trailers else (text, ())


def _decoded(word: str) -> str:
    if "%" not in word:
        return word
    decoded = _PERCENT.sub(lambda found: bytes([int(found[1], 16)]), word.encode())
    return decoded.decode(errors="replace")


def _read_subject(subject: str, op: str) -> tuple[str | None, str]:
    """Category and title. A subject that isn't ours is a title as it stands."""
    if not op or not subject.startswith(op):
        return None, one_line(subject)
    rest = subject[len(op) :]
    category: str | None = None
    if rest.startswith("("):
        category, closed, rest = rest[1:].partition(")")
        if not closed:
            return None, one_line(subject)
    if rest and not rest.startswith(":"):
        return None, one_line(subject)
    return category, one_line(rest[1:])
