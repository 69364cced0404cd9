"""Where an entry lies: address <-> path, and the fan-out of large folders (DESIGN "The tree").

Pure functions over names; what a tree really holds is asked through `Lister`. The rule that
existing files never move is kept here: only a *new* path is chosen by the size of a folder.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache
from typing import NamedTuple

from gitmem.model.categories import GRAPH_FOLDER, TIERS, Tier
from gitmem.model.errors import PathError

CONFIG_PATH = "config.json"
ATTRIBUTES_PATH = ".gitattributes"
SUFFIX = ".md"
FAN_OUT = 128
"""A folder with this many files sends new ones to a child folder."""

_TIER_NAMED: Mapping[str, Tier] = {tier: tier for tier in TIERS}
_FOLDER = re.compile(r"[a-z0-9][a-z0-9_-]*\Z")
_NAME = re.compile(r"[a-z0-9][a-z0-9-]*(?:\.[a-z0-9]+)?\Z")

Files = frozenset[str]
Children = frozenset[str]
Lister = Callable[[str], tuple[Files, Children] | None]
"""Names of the files and the folders below a folder, or None where there is no such folder."""


class Address(NamedTuple):
    """`tier/folder/slug`: what people and programs call an entry, whatever its path."""

    tier: Tier
    folder: str
    slug: str

    def __str__(self) -> str:
        return f"{base_folder(self.tier, self.folder)}/{self.slug}"

    def in_tier(self, tier: Tier) -> Address:
        return Address(tier, self.folder, self.slug)


def base_folder(tier: Tier, folder: str) -> str:
    """The folder of a tier; active entities lie in `graph/` itself."""
    if folder == GRAPH_FOLDER and tier == "register":
        return GRAPH_FOLDER
    return f"{tier}/{folder}"


def parse_address(text: str) -> Address | None:
    """The address that a text spells, or None. `register/graph/x` and `graph/x` are one."""
    parts = text.split("/")
    if parts[0] == GRAPH_FOLDER and len(parts) == 2:
        parts = ["register", *parts]
    if len(parts) != 3 or not _FOLDER.match(parts[1]) or not _NAME.match(parts[2]):
        return None
    tier = _tier(parts[0])
    return Address(tier, parts[1], parts[2]) if tier else None


@lru_cache(maxsize=256)
def address_of(path: str) -> Address | None:
    """The address of the entry at a path of the tree, or None where no entry may lie."""
    if not path.endswith(SUFFIX):
        return None
    parts = path[: -len(SUFFIX)].split("/")
    if parts[0] == GRAPH_FOLDER:
        parts = ["register", *parts]
    if len(parts) < 3:
        return None
    tier, (folder, *fans, name) = _tier(parts[0]), parts[1:]
    if tier is None or not _FOLDER.match(folder) or not _NAME.match(name):
        return None
    if folder == GRAPH_FOLDER and tier == "working":
        return None
    if fans != list(fan_digits(name)[: len(fans)]):
        return None
    return Address(tier, folder, name)


def in_entry_land(path: str) -> bool:
    """Does a path lie where only entries may lie: below a tier or `graph/`?"""
    first = path.partition("/")[0]
    return first == GRAPH_FOLDER or _tier(first) is not None


@lru_cache(maxsize=256)
def fan_digits(name: str) -> str:
    """The hash that names fan-out folders: of the slug alone, without an id behind a dot."""
    # Imported here: it takes as long to load as half of gitmem, and a reader seldom asks.
    from hashlib import sha1

    return sha1(name.split(".")[0].encode(), usedforsecurity=False).hexdigest()


def possible_paths(address: Address, listing: Lister) -> Iterator[str]:
    """Every path along the hash where the tree has a file of that address."""
    folder = base_folder(address.tier, address.folder)
    file = address.slug + SUFFIX
    for digit in fan_digits(address.slug):
        found = listing(folder)
        if found is None:
            return
        files, children = found
        if file in files:
            yield f"{folder}/{file}"
        if digit not in children:
            return
        folder = f"{folder}/{digit}"


def find_path(address: Address, listing: Lister) -> str | None:
    """The path of the file of that address in a tree."""
    return next(possible_paths(address, listing), None)


def new_path(address: Address, listing: Lister) -> str:
    """The path for a file that is new in this folder: the first level that isn't full."""
    folder = base_folder(address.tier, address.folder)
    for digit in fan_digits(address.slug):
        found = listing(folder)
        if found is None or len(found[0]) < FAN_OUT:
            break
        folder = f"{folder}/{digit}"
    return f"{folder}/{address.slug}{SUFFIX}"


def require_address(text: str) -> Address:
    """The address that a text spells; anything that could lead elsewhere is refused."""
    address = parse_address(text)
    if address is None:
        raise PathError(
            f"{text!r} is no address of an entry",
            expected="tier/folder/slug",
            got=text,
            fix=f"use one of the tiers {', '.join(TIERS)}, as `gitmem list` prints them",
        )
    return address


def _tier(text: str) -> Tier | None:
    return _TIER_NAMED.get(text)
