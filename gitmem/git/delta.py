"""A later version of an object as the difference to an earlier one, in git's delta format.

One edit region: common start, what is new, common end. A one-entry commit changes one line of
each tree on the way, so that is what its trees differ by; finding it takes a few comparisons of
slices, where a search for matching blocks would take longer than all the rest of a write.
"""

from __future__ import annotations

_LONGEST_COPY = 0x10000
_LONGEST_INSERT = 0x7F


def make_delta(base: bytes, data: bytes, start: int = 0, end: int = 0) -> bytes | None:
    """The delta that turns `base` into `data`; None when it would be no smaller than `data`.

    `start` and `end`: so many bytes at both ends the caller knows to be equal.
    """
    room = min(len(base), len(data)) - start - end
    if room:
        same = _common_start(base[start : start + room], data[start : start + room], room)
        start, room = start + same, room - same
    if room:
        one, other = len(base) - end, len(data) - end
        end += _common_end(base[one - room : one], data[other - room : other], room)
    fresh = data[start : len(data) - end]
    if len(fresh) + 16 >= len(data):
        return None
    delta = bytearray(_size(len(base)) + _size(len(data)))
    _copy(delta, 0, start)
    for at in range(0, len(fresh), _LONGEST_INSERT):
        piece = fresh[at : at + _LONGEST_INSERT]
        delta.append(len(piece))
        delta += piece
    _copy(delta, len(base) - end, end)
    return bytes(delta)


def _common_start(one: bytes, other: bytes, limit: int) -> int:
    if one == other:
        return limit
    low, high = 0, limit
    while high - low > 1:
        middle = (low + high) // 2
        if one[low:middle] == other[low:middle]:
            low = middle
        else:
            high = middle
    return low


def _common_end(one: bytes, other: bytes, limit: int) -> int:
    if one == other:
        return limit
    low, high = 0, limit
    while high - low > 1:
        middle = (low + high) // 2
        if one[limit - middle : limit - low] == other[limit - middle : limit - low]:
            low = middle
        else:
            high = middle
    return low


def _copy(delta: bytearray, offset: int, length: int) -> None:
    while length > _LONGEST_COPY:
        _copy(delta, offset, _LONGEST_COPY)
        offset += _LONGEST_COPY
        length -= _LONGEST_COPY
    if not length:
        return
    at = len(delta)
    op = 0x80
    delta.append(op)
    bit = 1
    while offset:
        if byte := offset & 0xFF:
            op |= bit
            delta.append(byte)
        offset >>= 8
        bit <<= 1
    # The longest copy is written as length 0.
    if byte := length & 0xFF:
        op |= 0x10
        delta.append(byte)
    if byte := length >> 8 & 0xFF:
        op |= 0x20
        delta.append(byte)
    delta[at] = op


def _size(number: int) -> bytes:
    out = bytearray()
    while number > 0x7F:
        out.append(number & 0x7F | 0x80)
        number >>= 7
    out.append(number)
    return bytes(out)
