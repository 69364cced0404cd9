"""Commits are byte for byte git's; foreign ones never crash; walks meet each commit once."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest
from gitmem.git.commits import Signature, commit_data, is_ancestor, new_commits
from gitmem.git.objects import Objects, object_sha
from gitmem.git.parse import parse_commit
from gitmem.model.errors import PreconditionError
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.helpers import MEMORY, commit_files, git, git_bytes, make_repository

EMPTY = "4b825dc642cb6eb9a060e54bf8d69288fbee4904"
ZERO = "0" * 40
NAMED = st.text(st.characters(codec="utf-8", exclude_characters="\0."), max_size=12)
_made: list[Path] = []


def make_once(factory: pytest.TempPathFactory) -> Path:
    if not _made:
        _made.append(make_repository(factory.mktemp("commits")))
    return _made[0]


def zone(minutes: int) -> str:
    return f"{'-' if minutes < 0 else '+'}{abs(minutes) // 60:02d}{abs(minutes) % 60:02d}"


@given(
    name=NAMED.map(lambda text: f"x{text}y"),
    surroundings=st.text(" ,:;<>\"\\'\t\n", max_size=4),
    mail=NAMED,
    time=st.integers(0, 1 << 40),
    minutes=st.integers(-14 * 60, 14 * 60),
    message=st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=30),
)
@settings(max_examples=40)
def test_a_commit_is_byte_for_byte_the_one_git_makes(
    tmp_path_factory: pytest.TempPathFactory,
    name: str,
    surroundings: str,
    mail: str,
    time: int,
    minutes: int,
    message: str,
) -> None:
    repo = make_once(tmp_path_factory)
    git(repo, "hash-object", "-w", "-t", "tree", "--stdin", data="")
    name = surroundings + name + surroundings
    when = f"@{time} {zone(minutes)}"
    env = {
        "GIT_AUTHOR_NAME": name,
        "GIT_AUTHOR_EMAIL": mail,
        "GIT_AUTHOR_DATE": when,
        "GIT_COMMITTER_NAME": "Ç " + name,
        "GIT_COMMITTER_EMAIL": "c@example.org",
        "GIT_COMMITTER_DATE": when,
    }
    made = git(repo, "commit-tree", EMPTY, "-F", "-", data=message, env=env)
    # commit-tree takes a message without an end of line as it is; nothing else is added.
    body = git_bytes(repo, "cat-file", "commit", made)
    data = commit_data(
        EMPTY,
        (),
        Signature(name, mail, time, minutes * 60),
        Signature("Ç " + name, "c@example.org", time, minutes * 60),
        message.encode(),
    )
    assert data == body
    assert object_sha("commit", data) == made


def test_parents_and_a_signature_stand_where_git_puts_them(repo: Path, tmp_path: Path) -> None:
    signature = b"-----BEGIN X-----\n\nabc\ndef\n-----END X-----\n"
    (tmp_path / "signature").write_bytes(signature)
    program = tmp_path / "sign"
    program.write_text(
        '#!/bin/sh\ncat >/dev/null\nprintf "\\n[GNUPG:] SIG_CREATED x\\n" >&2\n'
        f'cat "{tmp_path}/signature"\n'
    )
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    one = commit_files(repo, {"a": "1"})
    two = commit_files(repo, {"a": "2"}, ref="refs/heads/other")
    tree = git(repo, "rev-parse", f"{one}^{{tree}}")
    sign = ["-c", f"gpg.program={program}"]
    made = git(repo, *sign, "commit-tree", "-Skey", "-p", one, "-p", two, tree, data="said\n")
    who = Signature("A. Person", "person@example.org", 1_700_000_000, 0)
    data = commit_data(tree, [one, two], who, who, b"said\n", signature)
    assert data == git_bytes(repo, "cat-file", "commit", made)
    assert parse_commit(made, data).parents == (one, two)
    assert parse_commit(made, data).message == b"said\n"


@pytest.mark.parametrize("name", ["", "  ", "<>", "...\n", "\0", "\udcff"])
def test_a_commit_by_nobody_is_still_one_that_fsck_takes(repo: Path, name: str) -> None:
    git(repo, "hash-object", "-w", "-t", "tree", "--stdin", data="")
    who = Signature(name, name, -5, -59)
    data = commit_data(EMPTY, (), who, who, b"m\n")
    # Without --literally, git checks what it is given.
    sha = git(repo, "hash-object", "-w", "-t", "commit", "--stdin", data=data)
    git(repo, "update-ref", MEMORY, sha)
    git(repo, "fsck", "--strict")
    assert parse_commit(sha, data).time == 0


def parsed(headers: bytes, message: bytes = b"message\n") -> tuple[str, int, int, bytes]:
    commit = parse_commit(ZERO, b"tree " + ZERO.encode() + b"\n" + headers + b"\n\n" + message)
    return commit.author, commit.time, commit.offset, commit.message


def test_what_git_writes_is_read() -> None:
    headers = b"author A <a@b> 5 +0000\ncommitter C D <c@d> 1700000000 -0330"
    assert parsed(headers) == ("A <a@b>", 1_700_000_000, -12600, b"message\n")
    commit = parse_commit(ZERO, b"tree " + ZERO.encode() + b"\n" + headers + b"\n\n")
    assert (commit.author_time, commit.message, commit.tree) == (5, b"", ZERO)


@pytest.mark.parametrize(
    ("line", "time", "offset"),
    [
        (b"A <a@b> 99999999999999999999999999 +0000", 0, 0),
        (b"A <a@b> 999999999999999999 +0000", 253_402_300_799, 0),
        (b"A <a@b> -5 +0000", 0, 0),
        (b"A <a@b> 7 +9999", 7, 86340),
        (b"A <a@b> 7 -9999", 7, -86340),
        (b"A <a@b> 7 +00000100", 7, 0),
        (b"A <a@b> 7 UTC", 7, 0),
        (b"A <a@b> 7", 7, 0),
        (b"A <a@b>", 0, 0),
        (b"A <a@b> 1.5 +0000", 0, 0),
        (b"A <a <b> c> 7 +0100", 7, 3600),
        (b"no mail at all", 0, 0),
        (b"", 0, 0),
    ],
)
def test_odd_times_and_zones_are_read_as_far_as_they_go(
    line: bytes, time: int, offset: int
) -> None:
    assert parsed(b"author X <x@y> 1 +0000\ncommitter " + line)[1:3] == (time, offset)


def test_a_commit_without_people_has_blank_ones() -> None:
    assert parsed(b"x y") == ("", 0, 0, b"message\n")


def test_a_commit_says_in_which_encoding_it_is() -> None:
    headers = b"author J\xe9r <a@b> 1 +0000\ncommitter J\xe9r <a@b> 1 +0000\nencoding "
    name, *_, message = parsed(headers + b"ISO-8859-1", b"caf\xe9")
    assert (name, message) == ("Jér <a@b>", "café".encode())
    for wrong in (b"no-such", b"zip", b"idna", b"\xff", b"a\0b", b"undefined", b""):
        assert parsed(headers + wrong, b"caf\xe9")[0].startswith("J")
    plain = headers.removesuffix(b"\nencoding ")
    assert parsed(plain, b"caf\xe9") == ("J\ufffdr <a@b>", 1, 0, b"caf\xe9")


@given(st.binary(max_size=60))
def test_no_header_crashes_the_reader(noise: bytes) -> None:
    author, time, offset, _ = parsed(b"author " + noise + b"\ncommitter " + noise)
    author.encode()
    assert 0 <= time < 1 << 40
    assert abs(offset) < 86400


def test_continuation_lines_are_no_headers() -> None:
    parent = b"1" * 40
    headers = b"gpgsig x\n parent " + parent + b"\n author Evil <e@e> 9 +0000"
    assert parsed(headers + b"\nauthor A <a@b> 1 +0000\ncommitter A <a@b> 2 +0000")[:2] == (
        "A <a@b>",
        2,
    )


def make_graph(repo: Path, edges: dict[str, list[str]], times: dict[str, int]) -> dict[str, str]:
    made: dict[str, str] = {}
    for name, parents in edges.items():
        who = Signature(name, "a@b", times.get(name, 1), 0)
        data = commit_data(EMPTY, [made[p] for p in parents], who, who, name.encode())
        made[name] = git(repo, "hash-object", "-w", "-t", "commit", "--stdin", data=data)
    return made


@st.composite
def graphs(draw: st.DrawFn) -> tuple[dict[str, list[str]], dict[str, int]]:
    edges: dict[str, list[str]] = {}
    times = {}
    for number in range(draw(st.integers(1, 8))):
        earlier = list(edges)
        parents = st.lists(st.sampled_from(earlier), max_size=3, unique=True)
        edges[f"c{number}"] = draw(parents) if earlier else []
        times[f"c{number}"] = draw(st.integers(0, 5))
    return edges, times


@given(graph=graphs(), data=st.data())
@settings(max_examples=20)
def test_walks_agree_with_git_whatever_the_clocks_say(
    tmp_path_factory: pytest.TempPathFactory,
    graph: tuple[dict[str, list[str]], dict[str, int]],
    data: st.DataObject,
) -> None:
    repo = make_once(tmp_path_factory)
    git(repo, "hash-object", "-w", "-t", "tree", "--stdin", data="")
    made = make_graph(repo, *graph)
    shas = list(made.values())
    tips = data.draw(st.lists(st.sampled_from(shas), min_size=1, max_size=3))
    old = data.draw(st.lists(st.sampled_from(shas), max_size=2))
    listed = git(repo, "rev-list", *tips, *(f"^{sha}" for sha in old)).split()
    behind = set(git(repo, "rev-list", *old).split()) if old else set()
    with Objects(repo / ".git") as objects:
        found = new_commits(objects, tips, behind.__contains__)
        order = [commit.sha for commit in found]
        assert sorted(order) == sorted(listed)
        for number, commit in enumerate(found):
            assert all(p in behind or p in order[:number] for p in commit.parents)
        assert new_commits(objects, tips, behind.__contains__) == found
        for one in shas:
            reached = set(git(repo, "rev-list", tips[0]).split())
            assert is_ancestor(objects, one, tips[0]) == (one in reached)


def test_long_histories_are_walked_without_recursion(bare_repo: Path) -> None:
    lines = [
        f"commit {MEMORY}\ncommitter A <a@b> {number} +0000\ndata 1\nx\n" for number in range(3000)
    ]
    git(bare_repo, "fast-import", "--quiet", data="".join(lines))
    tip = git(bare_repo, "rev-parse", MEMORY)
    with Objects(bare_repo) as objects:
        found = new_commits(objects, [tip], lambda _: False)
        assert [commit.time for commit in found] == list(range(3000))
        assert is_ancestor(objects, found[0].sha, tip)


def test_nothing_behind_a_known_commit_is_read(repo: Path) -> None:
    first = commit_files(repo, {"a": "1"})
    second = commit_files(repo, {"a": "2"})
    third = commit_files(repo, {"a": "3"})
    path = repo / ".git/objects" / first[:2] / first[2:]
    path.unlink()
    with Objects(repo / ".git") as objects:
        found = new_commits(objects, [third], lambda sha: sha == second)
        assert [commit.sha for commit in found] == [third]


def test_a_shallow_history_is_refused_where_it_is_cut_off(repo: Path, tmp_path: Path) -> None:
    for number in range(4):
        commit_files(repo, {"a": str(number)})
    clone = tmp_path / "shallow.git"
    git(tmp_path, "clone", "-q", "--bare", "--depth=2", "-b", "memory", repo.as_uri(), str(clone))
    tip = git(clone, "rev-parse", MEMORY)
    middle = git(clone, "rev-parse", f"{MEMORY}~1")
    gone = git(repo, "rev-parse", f"{MEMORY}~2")
    with Objects(clone) as objects:
        with pytest.raises(PreconditionError, match="shallow") as caught:
            new_commits(objects, [tip], lambda _: False)
        assert caught.value.fix is not None
        assert "--unshallow" in caught.value.fix
        with pytest.raises(PreconditionError, match="shallow"):
            is_ancestor(objects, gone, tip)
        assert is_ancestor(objects, middle, tip)
        # What is new can be read as long as what is cut off is known already.
        found = new_commits(objects, [tip], lambda sha: sha == gone)
        assert [commit.sha for commit in found] == [middle, tip]
