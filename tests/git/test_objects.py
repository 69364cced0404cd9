"""Objects as git stores them: loose, packed every way git packs, borrowed, damaged, gone."""

from __future__ import annotations

import gc
import warnings
import zlib
from pathlib import Path

import pytest
from gitmem.git.objects import Objects, TreeItem, new_object
from gitmem.model.errors import Corrupt, PreconditionError

from tests.helpers import MEMORY, commit_files, git, git_bytes, make_repository, rev


def fill(repo: Path, commits: int = 12) -> str:
    """A history whose blobs and trees delta well."""
    text = [f"line {number} of a file that changes little by little" for number in range(60)]
    tip = ""
    for number in range(commits):
        text[number * 3 % 60] = f"line changed in {number}"
        files = {
            "register/notes/long.md": "\n".join(text),
            f"register/notes/n{number}.md": f"note {number}\n",
            "config.json": "{}\n",
        }
        tip = commit_files(repo, files, f"change {number}", time=1_700_000_000 + number)
    return tip


def all_objects(repo: Path) -> dict[str, tuple[str, bytes]]:
    """Everything in the repository, as git itself prints it."""
    listed = git(repo, "cat-file", "--batch-all-objects", "--batch-check")
    found = {}
    for line in listed.splitlines():
        sha, kind, _ = line.split()
        found[sha] = kind, git_bytes(repo, "cat-file", kind, sha)
    return found


def loose_path(repo: Path, sha: str) -> Path:
    return repo / ".git" / "objects" / sha[:2] / sha[2:]


def rewrite_loose(repo: Path, sha: str, content: bytes) -> None:
    path = loose_path(repo, sha)
    path.chmod(0o644)
    path.write_bytes(content)


@pytest.fixture
def objects(repo: Path) -> Objects:
    return Objects(repo / ".git")


@pytest.mark.parametrize(
    "repacking",
    [
        [],
        ["repack", "-adfq"],
        ["-c", "repack.useDeltaBaseOffset=false", "repack", "-adfq"],
        ["-c", "pack.indexVersion=1", "repack", "-adfq"],
        ["-c", "pack.compression=0", "repack", "-adfq", "--depth=200"],
        ["gc", "--quiet", "--aggressive"],
    ],
    ids=["loose", "packed", "ref-deltas", "index-v1", "uncompressed", "gc"],
)
def test_every_object_reads_as_git_prints_it(repo: Path, repacking: list[str]) -> None:
    fill(repo)
    git(repo, "tag", "-a", "-m", "a tag", "v1", MEMORY)
    if repacking:
        git(repo, *repacking)
    with Objects(repo / ".git") as objects:
        for sha, expected in all_objects(repo).items():
            assert objects.has(sha)
            assert objects.read(sha) == expected


def test_a_pack_too_large_to_be_read_whole_reads_the_same(repo: Path) -> None:
    blobs = {f"f{n}": bytes((n * m * m + m) % 251 for m in range(40_000)) for n in range(1, 9)}
    commit_files(repo, dict(blobs.items()))
    git(repo, "-c", "pack.compression=0", "-c", "core.compression=0", "repack", "-adFq")
    pack = next((repo / ".git/objects/pack").glob("*.pack"))
    assert pack.stat().st_size > 1 << 18
    with Objects(repo / ".git") as objects:
        for sha, expected in all_objects(repo).items():
            assert objects.read(sha) == expected


def test_large_offsets_in_an_index_are_followed(repo: Path) -> None:
    tip = fill(repo)
    git(repo, "repack", "-adq")
    pack = next((repo / ".git/objects/pack").glob("*.pack"))
    index = pack.with_suffix(".idx")
    index.chmod(0o644)
    # From offset 100 on, the 64-bit table is used, as in a pack of more than 2 GB.
    git(repo, "index-pack", "--index-version=2,100", "-o", str(index), str(pack))
    with Objects(repo / ".git") as objects:
        assert objects.commit(tip).message == b"change 11"
        for sha, expected in all_objects(repo).items():
            assert objects.read(sha) == expected


def test_objects_written_after_opening_are_found(repo: Path, objects: Objects) -> None:
    first = fill(repo, 1)
    assert objects.commit(first).parents == ()
    second = fill(repo, 2)
    assert objects.has(second)
    git(repo, "repack", "-adq")
    third = fill(repo, 3)
    assert objects.commit(third).sha == third
    objects.close()


def test_objects_that_git_repacked_meanwhile_are_looked_for_again(
    repo: Path, objects: Objects
) -> None:
    tip = fill(repo)
    git(repo, "repack", "-dq")
    fill(repo, 14)
    assert objects.commit(tip).message == b"change 11"
    git(repo, "gc", "--quiet", "--prune=now")
    git(repo, "repack", "-adfq")
    for sha, expected in all_objects(repo).items():
        assert objects.has(sha)
        assert objects.read(sha) == expected
    objects.close()


def test_a_vanished_pack_whose_index_is_in_memory_is_looked_for_elsewhere(
    repo: Path, objects: Objects
) -> None:
    tip = fill(repo)
    git(repo, "repack", "-adq")
    assert objects.has(tip)
    # The same objects in a pack of another name; the old one goes before it was ever opened.
    old = list((repo / ".git/objects/pack").glob("pack-*"))
    fill(repo, 13)
    git(repo, "repack", "-adfq")
    assert not any(path.exists() for path in old)
    assert objects.has(tip)
    assert objects.commit(tip).message == b"change 11"
    objects.close()


def test_borrowed_objects_are_read(repo: Path, tmp_path: Path) -> None:
    tip = fill(repo)
    middle = tmp_path / "middle é"
    git(tmp_path, "clone", "-q", "--bare", "--shared", str(repo), str(middle))
    last = tmp_path / "last.git"
    git(tmp_path, "clone", "-q", "--bare", "--shared", str(middle), str(last))
    with Objects(last) as objects:
        assert objects.commit(tip).message == b"change 11"
        assert not objects.has("0" * 40)


def test_alternates_may_be_relative_quoted_and_explained(repo: Path, tmp_path: Path) -> None:
    tip = fill(repo, 1)
    other = make_repository(tmp_path / "other.git", bare=True)
    (repo.rename(tmp_path / "a\tb"))
    (other / "objects/info/alternates").write_bytes(
        b'# where it comes from\n"../../a\\tb/.git/\\157bjects"\n'
    )
    assert git(other, "cat-file", "-t", tip) == "commit"
    with Objects(other) as objects:
        assert objects.commit(tip).sha == tip


def test_alternates_in_a_circle_end(repo: Path, tmp_path: Path) -> None:
    other = make_repository(tmp_path / "other.git", bare=True)
    (other / "objects/info/alternates").write_text(f"{repo}/.git/objects\n")
    (repo / ".git/objects/info/alternates").write_text(f"{other}/objects\n")
    with Objects(other) as objects:
        assert not objects.has("1" * 40)


@pytest.mark.parametrize("damage", ["flip", "cut", "empty", "noise", "other"])
def test_a_damaged_loose_object_is_corrupt_by_name(
    repo: Path, objects: Objects, damage: str
) -> None:
    commit_files(repo, {"a.md": "some text that is long enough to be worth it\n" * 9})
    sha = git(repo, "rev-parse", f"{MEMORY}:a.md")
    good = loose_path(repo, sha).read_bytes()
    flipped = good[:20] + bytes([good[20] ^ 0x55]) + good[21:]
    other = zlib.compress(b"blob 3\0abc")
    bad = {"flip": flipped, "cut": good[:-9], "empty": b"", "noise": b"\0" * 50, "other": other}
    rewrite_loose(repo, sha, bad[damage])
    with pytest.raises(Corrupt) as caught:
        objects.read(sha)
    assert sha in caught.value.message
    assert caught.value.fix is not None
    assert "git fsck" in caught.value.fix


def test_any_damaged_byte_of_a_pack_is_corrupt_or_harmless(repo: Path) -> None:
    fill(repo, 4)
    git(repo, "repack", "-adfq")
    expected = all_objects(repo)
    pack = next((repo / ".git/objects/pack").glob("*.pack"))
    for path in (pack, pack.with_suffix(".idx")):
        path.chmod(0o644)
        good = path.read_bytes()
        for at in range(0, len(good), 37):
            path.write_bytes(good[:at] + bytes([good[at] ^ 0xFF]) + good[at + 1 :])
            with Objects(repo / ".git") as objects:
                for sha, content in expected.items():
                    try:
                        assert objects.read(sha) == content
                    except Corrupt as error:
                        assert sha in error.message
        path.write_bytes(good[: len(good) // 2])
        with Objects(repo / ".git") as objects, pytest.raises(Corrupt):
            for sha in expected:
                objects.read(sha)
        path.write_bytes(good)


def test_a_good_copy_is_read_where_another_one_is_damaged(repo: Path, objects: Objects) -> None:
    commit_files(repo, {"a.md": "text\n"})
    sha = git(repo, "rev-parse", f"{MEMORY}:a.md")
    git(repo, "repack", "-aq")
    pack = next((repo / ".git/objects/pack").glob("*.pack"))
    pack.chmod(0o644)
    pack.write_bytes(b"not a pack at all")
    assert objects.blob(sha) == b"text\n"
    objects.close()


def test_an_object_that_is_nowhere_is_missing(objects: Objects) -> None:
    for sha in ("1" * 40, "", "HEAD", "x" * 40, "A" * 40, "1" * 39, "1" * 64):
        assert not objects.has(sha)
        with pytest.raises(Corrupt):
            objects.read(sha)


def test_an_object_of_another_kind_is_corrupt(repo: Path, objects: Objects) -> None:
    tip = fill(repo, 1)
    tree = git(repo, "rev-parse", f"{MEMORY}^{{tree}}")
    with pytest.raises(Corrupt, match="is a commit, not a tree"):
        objects.tree(tip)
    with pytest.raises(Corrupt, match="is a tree, not a blob"):
        objects.blob(tree)
    with pytest.raises(Corrupt, match="is a tree, not a commit"):
        objects.commit(tree)


@pytest.mark.parametrize(
    "data", [b"100644 a", b"100644 a\0short", b"9 a\0" + b"x" * 20, b"100644 a/b\0" + b"x" * 20]
)
def test_a_tree_that_cant_be_parsed_is_corrupt(repo: Path, objects: Objects, data: bytes) -> None:
    sha = git(repo, "hash-object", "-w", "-t", "tree", "--literally", "--stdin", data=data)
    with pytest.raises(Corrupt, match=sha):
        objects.tree(sha)


@pytest.mark.parametrize("data", [b"", b"parent x\n\nm", b"tree 12\n\nm", b"\n\ntree"])
def test_a_commit_without_a_tree_is_corrupt(repo: Path, objects: Objects, data: bytes) -> None:
    sha = git(repo, "hash-object", "-w", "-t", "commit", "--literally", "--stdin", data=data)
    with pytest.raises(Corrupt, match=sha):
        objects.commit(sha)


def test_a_tree_lists_what_git_lists(repo: Path, objects: Objects) -> None:
    commit_files(repo, {"b.md": "b", "a b/ü.md": "ü", "ab": "x", "a.b": "y"})
    root = git(repo, "rev-parse", f"{MEMORY}^{{tree}}")
    listed = git(repo, "ls-tree", "-z", root).rstrip("\0").split("\0")
    expected = {
        line.partition("\t")[2]: TreeItem(int(line.split()[0], 8), line.split()[2][:40])
        for line in listed
    }
    assert dict(objects.tree(root)) == expected
    assert list(objects.tree(root)) == list(expected)
    assert objects.tree(root) is objects.tree(root)


def test_the_empty_tree_needs_no_object(objects: Objects) -> None:
    assert objects.tree("4b825dc642cb6eb9a060e54bf8d69288fbee4904") == {}


def test_pending_objects_are_readable_until_dropped(objects: Objects) -> None:
    blob = new_object("blob", b"not on disk yet")
    objects.add_pending(blob.kind, blob.sha, blob.data)
    assert objects.has(blob.sha)
    assert objects.blob(blob.sha) == b"not on disk yet"
    objects.drop_pending()
    assert not objects.has(blob.sha)


def test_hashes_are_those_of_git(repo: Path) -> None:
    for kind, data in (("blob", b""), ("blob", b"a\0b"), ("tree", b"")):
        expected = git(repo, "hash-object", "-t", kind, "--stdin", data=data)
        assert new_object(kind, data).sha == expected


def test_a_partial_clone_says_so_when_a_memory_is_missing(repo: Path, tmp_path: Path) -> None:
    tip = fill(repo, 2)
    git(repo, "config", "uploadpack.allowFilter", "true")
    clone = tmp_path / "partial"
    git(tmp_path, "clone", "-qn", "--filter=blob:none", "-b", "memory", repo.as_uri(), str(clone))
    blob = git(repo, "rev-parse", f"{MEMORY}:config.json")
    with Objects(clone / ".git") as objects:
        assert objects.commit(tip).sha == tip
        with pytest.raises(PreconditionError, match="partial clone") as caught:
            objects.blob(blob)
        assert caught.value.fix is not None
        advised = caught.value.fix.split("`")[1].split()
        assert advised[0] == "git"
        git(clone, *advised[1:])
        assert objects.blob(blob) == b"{}\n"


def test_shallow_commits_are_known(repo: Path, tmp_path: Path, objects: Objects) -> None:
    tip = fill(repo, 3)
    assert objects.shallow == frozenset()
    clone = tmp_path / "shallow.git"
    git(tmp_path, "clone", "-q", "--bare", "--depth=1", "-b", "memory", repo.as_uri(), str(clone))
    with Objects(clone) as cut:
        assert cut.shallow == {tip}


def test_a_repository_that_cant_be_written_is_read(repo: Path) -> None:
    tip = fill(repo, 2)
    git(repo, "repack", "-adq")
    folders = [path for path in (repo / ".git").rglob("*") if path.is_dir()]
    for folder in folders:
        folder.chmod(0o555)
    try:
        with Objects(repo / ".git") as objects:
            assert objects.commit(tip).sha == tip
    finally:
        for folder in folders:
            folder.chmod(0o755)


def test_reading_leaves_no_file_open(repo: Path) -> None:
    tip = fill(repo)
    git(repo, "repack", "-adq")
    with warnings.catch_warnings():
        warnings.simplefilter("error", ResourceWarning)
        with Objects(repo / ".git") as objects:
            objects.commit(tip)
        Objects(repo / ".git").commit(tip)
        gc.collect()
    assert rev(repo, MEMORY) == tip
