"""Slugs and ids: the names that entries go by.

A slug is ASCII, lower case, at most 80 characters with any suffix, and never a name that Windows
keeps for a device. An id never changes; an imported item's id follows from its source, so that
two machines that import the same thing get one entry. Standard library only.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable

MAX_SLUG = 80
ID = re.compile(r"tr[0-9a-f]{10}\Z")

_BREAKS = re.compile(r"[^a-z0-9]+")
_DEVICE = re.compile(r"(?:con|prn|aux|nul|com[0-9]|lpt[0-9])\Z")


def slugify(title: str) -> str:
    """`Auth: JWT + OAuth!` -> `auth-jwt-oauth`; "" when no letter or digit is left."""
    if not title.isascii():
        title = unicodedata.normalize("NFKD", title).encode("ascii", "ignore").decode("ascii")
    return _BREAKS.sub("-", title.lower()).strip("-")[:MAX_SLUG].rstrip("-")


def slug_for(title: str, entry_id: str) -> str:
    """The slug of a new entry: from its title, or the id where that gives no usable name."""
    slug = slugify(title)
    return entry_id if not slug or is_device_name(slug) else slug


def is_device_name(name: str) -> bool:
    """Would Windows take this name for a device, whatever its suffix?"""
    return _DEVICE.match(name.lower()) is not None


def numbered(slug: str, n: int) -> str:
    """`slug-2`: the slug cut where the suffix would make it too long."""
    suffix = f"-{n}"
    return slug[: MAX_SLUG - len(suffix)].rstrip("-") + suffix


def new_id(random: Callable[[int], bytes]) -> str:
    """A random id; whether the store ever held it is for the caller to check."""
    return "tr" + random(5).hex()


def imported_id(format: str, source_key: str) -> str:
    """The id of an imported item: the same wherever it is imported."""
    # A file name that isn't UTF-8 reaches us with surrogates; it still needs one id.
    named = f"{format}\0{source_key}".encode("utf-8", "surrogatepass")
    # Imported here: it takes long to load, and only imports ask.
    from hashlib import sha256

    return "tr" + sha256(named).hexdigest()[:10]
