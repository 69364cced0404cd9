"""Trees edited in memory are those that git would write; comparing and walking see the same."""

from __future__ import annotations

from pathlib import Path

import pytest
from gitmem.git.objects import NewObject, Objects, TreeItem, new_object
from gitmem.git.tree import PathDiff, TreeDraft, diff_trees, lookup, walk_files
from gitmem.model.errors import Corrupt, PathError
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.helpers import MEMORY, commit_files, git, make_repository

# Names around the `/` that git puts behind folders when it sorts.
NAMES = st.sampled_from(["a", "a.b", "a-b", "a0", "b", "A", "ü", "a b", "\udcff", "a.md"])
PATHS = st.lists(NAMES, min_size=1, max_size=3).map("/".join)
STEPS = st.lists(st.tuples(PATHS, st.integers(0, 4)), max_size=14)
Model = dict[str, TreeItem]


def blob(number: int) -> TreeItem:
    mode = 0o100755 if number == 4 else 0o100644
    return TreeItem(mode, new_object("blob", b"%d" % number).sha)


def git_tree(repo: Path, files: Model) -> str:
    """The tree that git's own index makes of these files."""
    env = {"GIT_INDEX_FILE": str(repo / ".git" / "test-index")}
    git(repo, "read-tree", "--empty", env=env)
    lines = "".join(f"{item.mode:o} {item.sha}\t{path}\0" for path, item in files.items())
    data = lines.encode("utf-8", "surrogateescape")
    git(repo, "update-index", "-z", "--index-info", data=data, env=env)
    return git(repo, "write-tree", "--missing-ok", env=env)


def step(draft: TreeDraft, model: Model, path: str, number: int) -> None:
    """One edit of a draft and of the plain dictionary that says what it must hold."""
    parts = path.split("/")
    above = ["/".join(parts[:n]) for n in range(1, len(parts))]
    below = any(known.startswith(f"{path}/") for known in model)
    if number == 0:
        draft.remove(path)
        for known in [k for k in model if k == path or k.startswith(f"{path}/")]:
            del model[known]
    elif below or any(part in model for part in above):
        with pytest.raises(PathError):
            draft.put(path, blob(number))
    else:
        draft.put(path, blob(number))
        model[path] = blob(number)


def listing_of(model: Model, folder: str) -> tuple[frozenset[str], frozenset[str]] | None:
    start = f"{folder}/" if folder else ""
    inside = [path[len(start) :] for path in model if path.startswith(start)]
    if folder and not inside:
        return None
    files = frozenset(path for path in inside if "/" not in path)
    return files, frozenset(path.split("/")[0] for path in inside if "/" in path)


@given(first=STEPS, second=STEPS)
@settings(max_examples=60)
def test_a_draft_writes_the_tree_that_git_writes(
    tmp_path_factory: pytest.TempPathFactory,
    first: list[tuple[str, int]],
    second: list[tuple[str, int]],
) -> None:
    repo = make_once(tmp_path_factory)
    model: Model = {}
    with Objects(repo / ".git") as objects:
        emitted: list[NewObject] = []

        def emit(made: NewObject) -> None:
            emitted.append(made)
            objects.add_pending(made.kind, made.sha, made.data)

        draft = TreeDraft(objects, None)
        for path, number in first:
            step(draft, model, path, number)
        before = draft.write(emit)
        assert before == git_tree(repo, model)
        old = dict(model)
        # Both ways on: the same draft, and a new one that reads what was written.
        fresh = TreeDraft(objects, before)
        for path, number in second:
            step(fresh, dict(model), path, number)
            step(draft, model, path, number)
            folder = path.rpartition("/")[0]
            assert draft.listing(folder) == listing_of(model, folder) == fresh.listing(folder)
            assert draft.get(path) == model.get(path) == fresh.get(path)
        after = draft.write(emit)
        assert after == git_tree(repo, model) == fresh.write(emit)
        assert dict(walk_files(objects, after)) == model
        expected = [
            PathDiff(path, old.get(path), model.get(path))
            for path in sorted(old.keys() | model.keys())
            if old.get(path) != model.get(path)
        ]
        assert diff_trees(objects, before, after) == expected


_made: list[Path] = []


def make_once(factory: pytest.TempPathFactory) -> Path:
    """One repository for all examples: they differ in trees only."""
    if not _made:
        _made.append(make_repository(factory.mktemp("trees")))
    return _made[0]


@pytest.fixture
def objects(repo: Path) -> Objects:
    return Objects(repo / ".git")


def written(draft: TreeDraft, objects: Objects) -> tuple[str, list[NewObject]]:
    made: list[NewObject] = []
    root = draft.write(made.append)
    for tree in made:
        objects.add_pending(tree.kind, tree.sha, tree.data)
    return root, made


def test_only_changed_folders_are_emitted_with_their_earlier_version(objects: Objects) -> None:
    draft = TreeDraft(objects, None)
    for path in ("register/notes/a.md", "register/decisions/b.md", "working/notes/c.md"):
        draft.put(path, blob(1))
    root, made = written(draft, objects)
    assert len(made) == 6
    assert all(tree.base is None for tree in made)
    before = lookup(objects, root, "register/notes")
    assert before is not None
    draft.put("register/notes/a.md", blob(2))
    after, again = written(draft, objects)
    assert (again[0].base, again[-1].base, again[-1].sha) == (before.sha, root, after)
    assert len(again) == 3


def test_a_draft_without_changes_emits_nothing(repo: Path, objects: Objects) -> None:
    commit_files(repo, {"a/b.md": "text"})
    root = git(repo, "rev-parse", f"{MEMORY}^{{tree}}")
    draft = TreeDraft(objects, root)
    assert written(draft, objects) == (root, [])
    draft.put("a/b.md", blob(1))
    draft.remove("a/b.md")
    draft.put("a/b.md", TreeItem(0o100644, git(repo, "rev-parse", f"{MEMORY}:a/b.md")))
    sha, _ = written(draft, objects)
    assert sha == root


def test_an_emptied_draft_is_the_empty_tree(repo: Path, objects: Objects) -> None:
    commit_files(repo, {"a/b/c.md": "text"})
    draft = TreeDraft(objects, git(repo, "rev-parse", f"{MEMORY}^{{tree}}"))
    draft.remove("a/b/c.md")
    assert draft.listing("a") is None
    assert draft.listing("") == (frozenset(), frozenset())
    root, _ = written(draft, objects)
    assert root == "4b825dc642cb6eb9a060e54bf8d69288fbee4904"
    sha, made = written(TreeDraft(objects, None), objects)
    assert (sha, [tree.data for tree in made]) == (root, [b""])


def test_a_whole_folder_can_be_put_and_removed(repo: Path, objects: Objects) -> None:
    commit_files(repo, {"a/b/c.md": "text", "a/d.md": "x"})
    root = git(repo, "rev-parse", f"{MEMORY}^{{tree}}")
    folder = lookup(objects, root, "a/b")
    assert folder is not None
    assert folder.is_folder
    draft = TreeDraft(objects, root)
    draft.put("a/b/new.md", blob(1))
    draft.put("z/y", folder)
    draft.put("a/b", folder)
    after, _ = written(draft, objects)
    assert [path for path, _ in walk_files(objects, after)] == ["a/b/c.md", "a/d.md", "z/y/c.md"]
    draft.remove("a")
    after, _ = written(draft, objects)
    assert [path for path, _ in walk_files(objects, after)] == ["z/y/c.md"]


@pytest.mark.parametrize("path", ["", "/a", "a/", "a//b", "../a", "a/../b", "./a", "a\0b"])
def test_a_path_that_leads_elsewhere_is_refused(objects: Objects, path: str) -> None:
    with pytest.raises(PathError):
        TreeDraft(objects, None).put(path, blob(1))


def test_paths_of_any_depth_work(objects: Objects) -> None:
    path = "/".join(["d"] * 3000)
    draft = TreeDraft(objects, None)
    draft.put(f"{path}/file", blob(1))
    root, made = written(draft, objects)
    assert len(made) == 3001
    assert [found for found, _ in walk_files(objects, root)] == [f"{path}/file"]
    assert diff_trees(objects, None, root) == [PathDiff(f"{path}/file", None, blob(1))]
    draft.remove(path)
    assert draft.listing("d") is None


def test_walking_starts_at_a_folder(repo: Path, objects: Objects) -> None:
    commit_files(repo, {"a/b/c.md": "1", "a/d.md": "2", "ab/e.md": "3", "f": "4"})
    root = git(repo, "rev-parse", f"{MEMORY}^{{tree}}")
    listed = git(repo, "ls-tree", "-r", "--name-only", MEMORY).splitlines()
    assert [path for path, _ in walk_files(objects, root)] == listed
    assert [path for path, _ in walk_files(objects, root, "a")] == ["a/b/c.md", "a/d.md"]
    assert list(walk_files(objects, root, "f")) == []
    assert list(walk_files(objects, root, "none/such")) == []


def test_looking_up_a_path_finds_files_and_folders(repo: Path, objects: Objects) -> None:
    commit_files(repo, {"a/b/c.md": "1"})
    root = git(repo, "rev-parse", f"{MEMORY}^{{tree}}")
    for path in ("a", "a/b", "a/b/c.md"):
        found = lookup(objects, root, path)
        assert found is not None
        assert found.sha == git(repo, "rev-parse", f"{MEMORY}:{path}")
    for path in ("b", "a/x", "a/b/c.md/d"):
        assert lookup(objects, root, path) is None


def test_a_file_that_becomes_a_folder_is_two_differences(repo: Path, objects: Objects) -> None:
    commit_files(repo, {"a": "1"})
    old = git(repo, "rev-parse", f"{MEMORY}^{{tree}}")
    commit_files(repo, {"a": None, "a/b": "1"})
    new = git(repo, "rev-parse", f"{MEMORY}^{{tree}}")
    found = diff_trees(objects, old, new)
    assert [(d.path, d.old is None, d.new is None) for d in found] == [
        ("a", False, True),
        ("a/b", True, False),
    ]


def test_a_tree_that_isnt_sorted_is_read_but_not_edited(repo: Path, objects: Objects) -> None:
    raw = bytes.fromhex(blob(1).sha)
    data = b"100644 b\0" + raw + b"100644 a\0" + raw
    sha = git(repo, "hash-object", "-w", "-t", "tree", "--literally", "--stdin", data=data)
    assert set(objects.tree(sha)) == {"a", "b"}
    with pytest.raises(Corrupt, match=sha):
        TreeDraft(objects, sha)
