"""Addresses, paths and the fan-out of large folders (DESIGN "The tree")."""

from __future__ import annotations

import hashlib

import pytest
from gitmem.model.errors import PathError
from gitmem.store.layout import (
    FAN_OUT,
    Address,
    Lister,
    address_of,
    find_path,
    new_path,
    parse_address,
    require_address,
)

from tests.store import kit


def lister(*paths: str) -> Lister:
    def listing(folder: str) -> tuple[frozenset[str], frozenset[str]] | None:
        below = [path[len(folder) + 1 :] for path in paths if path.startswith(f"{folder}/")]
        files = frozenset(name for name in below if "/" not in name)
        folders = frozenset(name.split("/")[0] for name in below if "/" in name)
        return (files, folders) if below else None

    return listing


def digits(slug: str) -> str:
    return hashlib.sha1(slug.encode()).hexdigest()


@pytest.mark.parametrize(
    ("text", "path"),
    [
        ("register/notes/a-b", "register/notes/a-b.md"),
        ("working/decisions/x", "working/decisions/x.md"),
        ("graph/mail-server", "graph/mail-server.md"),
        ("register/graph/mail-server", "graph/mail-server.md"),
        ("archive/graph/old", "archive/graph/old.md"),
        ("retired/tech-debt/x.tr0123456789", "retired/tech-debt/x.tr0123456789.md"),
    ],
)
def test_an_address_and_its_path_name_each_other(text: str, path: str) -> None:
    address = parse_address(text)
    assert address is not None
    assert new_path(address, lister()) == path
    assert address_of(path) == address
    assert str(address) == path.removesuffix(".md")


@pytest.mark.parametrize(
    "text",
    [
        *("", "x", "notes/x", "register/notes", "register/notes/x/y", "../notes/x"),
        *("register/../x", "register/notes/..", "register/notes/.x", "elsewhere/notes/x"),
        *("register/Notes/x", "register/notes/X", "/register/notes/x", "register//x"),
        *("register/notes/x\n", "invalid/a/b"),
    ],
)
def test_a_text_that_could_lead_elsewhere_is_no_address(text: str) -> None:
    assert parse_address(text) is None
    with pytest.raises(PathError):
        require_address(text)


@pytest.mark.parametrize(
    "path",
    [
        *("register/notes/x.txt", "register/x.md", "config.json", "invalid/register/notes/x.md"),
        *("working/graph/x.md", "register/notes/X.md", "register/notes/a b.md", "notes/x.md"),
    ],
)
def test_no_entry_may_lie_elsewhere(path: str) -> None:
    assert address_of(path) is None


def test_a_fan_out_folder_belongs_to_the_address_only_along_its_hash() -> None:
    first, second = tuple(digits("x")[:2])
    wrong = next(digit for digit in "0123456789abcdef" if digit != first)
    expected = Address("register", "notes", "x")
    assert address_of(f"register/notes/{first}/x.md") == expected
    assert address_of(f"register/notes/{first}/{second}/x.md") == expected
    assert address_of(f"register/notes/{wrong}/x.md") is None
    assert address_of(f"register/notes/{first}/x.trabc.md") == Address(
        "register", "notes", "x.trabc"
    )


def test_a_full_folder_sends_new_files_one_level_down() -> None:
    full = [f"register/notes/f-{number}.md" for number in range(FAN_OUT)]
    one = Address("register", "notes", "one-more")
    digit = digits("one-more")
    below = f"register/notes/{digit[0]}"
    assert new_path(one, lister(*full[1:])) == "register/notes/one-more.md"
    assert new_path(one, lister(*full)) == f"{below}/one-more.md"
    fuller = [*full, *(f"{below}/g-{number}.md" for number in range(FAN_OUT))]
    assert new_path(one, lister(*fuller)) == f"{below}/{digit[1]}/one-more.md"


def test_a_file_is_found_wherever_it_lies_along_its_hash() -> None:
    one = Address("register", "notes", "x")
    first, second = tuple(digits("x")[:2])
    for path in ("x.md", f"{first}/x.md", f"{first}/{second}/x.md"):
        assert find_path(one, lister(f"register/notes/{path}")) == f"register/notes/{path}"
    assert find_path(one, lister("register/notes/y.md")) is None


def test_a_large_folder_fans_out_and_its_entries_are_found_all_the_same(
    memory: kit.Memory,
) -> None:
    for number in range(FAN_OUT):
        memory.add(f"Number {number}")
    one = memory.add("One more")
    path = f"register/notes/{digits('one-more')[0]}/one-more.md"
    assert one.target == "register/notes/one-more"
    assert path in kit.tree_of(memory.repo)
    assert memory.add("One more").target == "register/notes/one-more-2"
    assert memory.store.snapshot().find("register/notes/one-more").path == path
    memory.edit("one-more", "body=It stays where it lies.")
    assert path in kit.tree_of(memory.repo)
    moved = memory.move("archive", "one-more")
    assert moved.target == "archive/notes/one-more"
    assert "archive/notes/one-more.md" in kit.tree_of(memory.repo)
    memory.move("unarchive", "one-more")
    assert path in kit.tree_of(memory.repo)
    kit.assert_sound(memory)
