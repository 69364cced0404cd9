"""Trees that are stored as what changed in them, read back by us and by git."""

from __future__ import annotations

import random
import subprocess
import zlib
from pathlib import Path

import pytest
from gitmem.git.delta import make_delta
from gitmem.git.locate import locate
from gitmem.git.objects import Objects, TreeItem, new_object
from gitmem.git.pack import PackWriter, stored
from gitmem.git.packfile import apply_delta
from gitmem.git.tree import TreeDraft, walk_files

from tests.helpers import git_environment

REGULAR = 0o100644


@pytest.mark.parametrize("seed", range(4))
def test_every_version_of_an_edited_tree_is_read_back_as_it_was(seed: int, tmp_path: Path) -> None:
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True, env=git_environment())
    location = locate(tmp_path)
    chance = random.Random(seed)
    writer = PackWriter(location.common_dir, location.settings)
    objects = Objects(location.common_dir)
    draft = TreeDraft(objects, None)
    blob = new_object("blob", b"a memory\n")
    writer.add(blob)
    other = new_object("blob", b"another memory\n")
    writer.add(other)
    files: dict[str, str] = {}
    versions: dict[str, dict[str, str]] = {}
    for _ in range(60):
        for _ in range(chance.choice((1, 1, 1, 2, 5))):
            path = f"{chance.choice('ab')}/{chance.choice('cde')}/{chance.randrange(30)}.md"
            if path in files and chance.random() < 0.5:
                del files[path]
                draft.remove(path)
            else:
                files[path] = chance.choice((blob.sha, other.sha))
                draft.put(path, TreeItem(REGULAR, files[path]))
        versions[draft.write(writer.add)] = dict(files)
    writer.finish().release()
    for root, expected in versions.items():
        assert {path: item.sha for path, item in walk_files(objects, root)} == expected
    objects.close()
    subprocess.run(
        ["git", "fsck", "--strict", "--no-dangling"],
        cwd=tmp_path,
        check=True,
        env=git_environment(),
    )


def test_a_delta_with_equal_ends_named_is_the_delta_without() -> None:
    base, data = b"a" * 500 + b"old" + b"z" * 700, b"a" * 500 + b"newer" + b"z" * 700
    plain = make_delta(base, data)
    assert plain is not None
    assert make_delta(base, data, 500, 700) == make_delta(base, data, 120, 30) == plain
    assert apply_delta(base, plain) == data


@pytest.mark.parametrize("data", [b"", b"x", b"\0" * 65_535], ids=len)
def test_stored_bytes_are_a_stream_that_zlib_reads(data: bytes) -> None:
    assert zlib.decompress(stored(data)) == data
