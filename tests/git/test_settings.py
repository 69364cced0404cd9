"""The repository's config reads as `git config` reads it, and is edited without other traces."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from gitmem.git import settings as settings_module
from gitmem.git.configfile import BadConfig, Item, edited, parse
from gitmem.git.settings import Settings, read_settings, set_setting
from gitmem.model.errors import ConfigError, Corrupt, Locked, ReadError, WriteError
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.helpers import git, git_bytes, run_git

FILES = {
    "plain": "[core]\n\tbare = false\n\tname = a b\n",
    "case": '[CORE]\nBare=TRUE\n[Remote "OriGin"]\nURL=x\n[old.Style]\nkey=1\n',
    "same line": "[a] b = c\n[d]e=f # comment\n[g]h\n",
    "comments": "# one\n; two\n[a] ; three\nb = c ; four\nd = e#five\n\t# six\n",
    "quotes": '[a]\nb = " c "\nd = "x # y" z\ne = a"b c"d\nf = "" \ng = "a\\"b\\\\c"\n',
    "escapes": "[a]\nb = one\\ttwo\\nthree\\bx\n",
    "continued": '[a]\nb = one \\\n   two \\\n\nc = "x\\\n y"\nd = z\n',
    "no value": "[a]\nb\nc =\nd = \n",
    "spaces": "[a]\n   b   =   c  d   \n\n\n",
    "subsections": '[a "b.c"]\nd=1\n[a "x \\"y\\" \\\\z"]\nd=2\n[a ""]\nd=3\n',
    "several": "[a]\nb=1\nb=2\n[c]\nd=1\n[a]\nb=3\n",
    "crlf": '[a]\r\nb = c\r\nd = "e"  \r\nf\r\n',
    "bom": "\ufeff[a]\nb=c\n",
    "no end": "[a]\nb = c",
    "empty": "",
    "unicode": '[a "ä ö"]\nb = é\n',
    "no section": "b = c\n[a]\nd = e\n",
    "signs": "[a-1]\nb-2 = x=y [z]\n",
}
BAD = {
    "comment": "[a]\nb # no value\n",
    "open quote": '[a]\nb = "c\n',
    "unknown escape": "[a]\nb = \\x\n",
    "open header": "[a\nb = c\n",
    "odd name": "[a]\nb_c = d\n",
    "two words": "[a]\nb c = d\n",
    "odd section": "[a_b]\nc = d\n",
    "digit": "[a]\n1b = c\n",
}


def by_git(path: Path) -> list[tuple[str, str | None]] | None:
    """What git reads in a file; None when it refuses it."""
    done = run_git(path.parent, ["config", "-f", str(path), "--no-includes", "--list", "-z"])
    if done.returncode:
        return None
    listed = done.stdout.decode("utf-8", "surrogateescape").split("\0")[:-1]
    pairs = (line.partition("\n") for line in listed)
    return [(key, value if separator else None) for key, separator, value in pairs]


def by_us(data: bytes) -> list[tuple[str, str | None]] | None:
    try:
        return [(item.key, item.value) for item in parse(data) if isinstance(item, Item)]
    except BadConfig:
        return None


@pytest.mark.parametrize("text", FILES.values(), ids=FILES.keys())
def test_a_config_reads_as_git_reads_it(tmp_path: Path, text: str) -> None:
    path = tmp_path / "config"
    path.write_bytes(text.encode())
    expected = by_git(path)
    assert expected is not None
    assert by_us(text.encode()) == expected


@pytest.mark.parametrize("text", BAD.values(), ids=BAD.keys())
def test_what_git_refuses_is_refused_with_its_line(repo: Path, text: str) -> None:
    path = repo / ".git" / "config"
    path.write_text("[core]\n\tbare = false\n")
    path.write_bytes(b"# a comment\n" + text.encode())
    assert by_git(path) is None
    with pytest.raises(Corrupt, match=r"line [123] can't be read"):
        read_settings(repo / ".git")
    with pytest.raises(Corrupt, match=r"line [123] can't be read"):
        set_setting(repo / ".git", "gitmem.ref", "x")
    assert path.read_bytes() == b"# a comment\n" + text.encode()
    assert not (repo / ".git" / "config.lock").exists()


PIECES = st.sampled_from(
    ["[a]", '[b "c d"]', "[B.c]", "\n", "\n", "\r\n", "k", "key", "=", " = ", '"', "\\", "\\n",
     "#", ";", "v", " ", "é", "[", "]", "x y"]
)  # fmt: skip


@given(st.lists(PIECES, max_size=14).map(lambda pieces: "[s]\n" + "".join(pieces)))
@settings(max_examples=150)
def test_any_config_reads_as_git_reads_it(
    tmp_path_factory: pytest.TempPathFactory, text: str
) -> None:
    path = tmp_path_factory.getbasetemp() / f"config-{os.getpid()}"
    path.write_bytes(text.encode())
    assert by_us(text.encode()) == by_git(path)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("b", True),
        ("b = yes", True),
        ("b = ON", True),
        ("b = 2", True),
        ("b = 1k", True),
        ("b =", False),
        ("b = No", False),
        ("b = 0", False),
        ("b = perhaps", None),
        ("c = 1", None),
    ],
)
def test_yes_and_no_are_understood_as_git_does(
    repo: Path, text: str, expected: bool | None
) -> None:
    (repo / ".git" / "config").write_text(f"[a]\n{text}\n")
    found = read_settings(repo / ".git")
    for default in (True, False):
        assert found.get_bool("A.B", default) is (default if expected is None else expected)


def test_the_last_value_counts_and_all_are_there() -> None:
    found = Settings([("a.b", "1"), ("a.X y.b", "s"), ("a.b", None), ("a.b", "2")])
    assert found.get("A.B") == "2"
    assert found.get_all("a.b") == ("1", "", "2")
    assert found.get("a.X y.b") == "s"
    assert found.get("a.x y.b") is None
    assert found.subsections("A") == ("X y",)
    assert found.names("a") == ("b",)


def test_included_files_count_where_they_are_included(repo: Path, clean_environment: Path) -> None:
    config = repo / ".git" / "config"
    config.write_text(
        "[a]\nb = 1\n[include]\npath = more\npath = missing\npath = ~/mine\n[a]\nc = 3\n"
        '[includeIf "gitdir:/**"]\npath = conditional\n'
    )
    (repo / ".git" / "more").write_text("[a]\nb = 2\nc = 2\n[include]\npath = more\n")
    (repo / ".git" / "conditional").write_text("[a]\nb = 9\n")
    (clean_environment / "mine").write_text("[a]\nd = home\n")
    found = read_settings(repo / ".git")
    assert (found.get("a.b"), found.get("a.c"), found.get("a.d")) == ("2", "3", "home")


def test_a_work_tree_has_its_own_config_where_that_is_on(repo: Path) -> None:
    git(repo, "config", "a.b", "all")
    (repo / ".git" / "config.worktree").write_text("[a]\nb = mine\n")
    assert read_settings(repo / ".git").get("a.b") == "all"
    git(repo, "config", "extensions.worktreeConfig", "true")
    assert read_settings(repo / ".git").get("a.b") == "mine"


def test_a_repository_without_config_has_no_settings(tmp_path: Path) -> None:
    assert read_settings(tmp_path).get("core.bare") is None


def test_a_config_that_cant_be_read_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "config").mkdir()
    with pytest.raises(ReadError, match="config"):
        read_settings(tmp_path)


VALUES = [
    "refs/heads/memory",
    "a b",
    " a ",
    "",
    "#x",
    "a;b",
    'q"u\\o',
    "l\nm\tn",
    "é",
    "a\rb",
    "][",
]
KEYS = ["gitmem.ref", "user.name", "merge.git mem.driver", 'x.a "b\\.c', "gitmem.some-Name"]


@pytest.mark.parametrize("value", VALUES)
@pytest.mark.parametrize("key", KEYS)
def test_git_reads_back_what_was_set(repo: Path, key: str, value: str) -> None:
    before = by_git(repo / ".git" / "config")
    assert before is not None
    set_setting(repo / ".git", key, value)
    assert git_bytes(repo, "config", "-z", "--get", key) == value.encode() + b"\0"
    assert read_settings(repo / ".git").get(key) == value
    set_setting(repo / ".git", key, "other")
    assert git(repo, "config", "--get-all", key) == "other"
    set_setting(repo / ".git", key, None)
    assert run_git(repo, ["config", "--get", key]).returncode == 1
    after = by_git(repo / ".git" / "config")
    assert after == [pair for pair in before if pair[0] != key]


@pytest.mark.parametrize(
    ("before", "value", "after"),
    [
        ("[a]\n  b = c  # why\n", "d", "[a]\n  b = d  # why\n"),
        ("[a]\nB=c\n; end\n", "d", "[a]\nB=d\n; end\n"),
        ("[a]\nb\n", "d", "[a]\nb = d\n"),
        ("[a]\nb =# none\n", "d", "[a]\nb =d # none\n"),
        ("[a]\nb = one \\\n two\nc = x\n", "d", "[a]\nb = d\nc = x\n"),
        ("[a]\nb = 1\n[z]\ny = x\n[a]\nb = 2\n", "d", "[a]\n[z]\ny = x\n[a]\nb = d\n"),
        (
            "# mine\n[A]\n\tx = y\n# more\n[z]\n",
            "d",
            "# mine\n[A]\n\tx = y\n\tb = d\n# more\n[z]\n",
        ),
        ("[a] x = y\n[z]\n", "d", "[a] x = y\n\tb = d\n[z]\n"),
        ("[a]", "d", "[a]\n\tb = d\n"),
        ("[z]\ny = x", "d", "[z]\ny = x\n[a]\n\tb = d\n"),
        ("", "d", "[a]\n\tb = d\n"),
        ("[a] b = c # why\nx = y\n", None, "[a] # why\nx = y\n"),
        ("[a]\nb = c\n# why\n", None, "[a]\n# why\n"),
        ("[z]\ny = x\n[a]\n\tb = c\n", None, "[z]\ny = x\n"),
        ("[z]\r\ny = x\r\n", None, "[z]\r\ny = x\r\n"),
    ],
)
def test_every_other_byte_stays(before: str, value: str | None, after: str) -> None:
    assert edited(before.encode(), "a.b", value) == after.encode()


@given(
    st.lists(PIECES, max_size=12).map(lambda pieces: "[s]\n" + "".join(pieces)),
    st.sampled_from(["s.k", "a.key", "b.c d.k", "b.c.key"]),
    st.sampled_from([None, "v", " w # x"]),
)
@settings(max_examples=300)
def test_an_edit_changes_one_key_only(text: str, key: str, value: str | None) -> None:
    before = by_us(text.encode())
    if before is None:
        return
    after = by_us(edited(text.encode(), key, value))
    assert after is not None
    assert [pair for pair in after if pair[0] != key] == [p for p in before if p[0] != key]
    assert [pair[1] for pair in after if pair[0] == key] == ([] if value is None else [value])


@pytest.mark.parametrize("key", ["", "a", ".b", "a.", "a.b_c", "a b.c", "a.1b", "a.x\ny.b"])
def test_what_is_no_key_is_refused(repo: Path, key: str) -> None:
    with pytest.raises(ConfigError):
        set_setting(repo / ".git", key, "x")
    assert not (repo / ".git" / "config.lock").exists()


def test_a_change_waits_for_gits_own_lock(repo: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(settings_module, "LOCK_TIMEOUT", 0.05)
    before = (repo / ".git" / "config").read_bytes()
    lock = repo / ".git" / "config.lock"
    lock.write_text("")
    with pytest.raises(Locked, match="has been changing"):
        set_setting(repo / ".git", "gitmem.ref", "x")
    assert lock.exists()
    assert (repo / ".git" / "config").read_bytes() == before


def test_mode_and_link_of_the_config_are_kept(repo: Path, tmp_path: Path) -> None:
    real = tmp_path / "real-config"
    (repo / ".git" / "config").rename(real)
    real.chmod(0o640)
    (repo / ".git" / "config").symlink_to(real)
    set_setting(repo / ".git", "gitmem.ref", "refs/heads/x")
    assert (repo / ".git" / "config").is_symlink()
    assert real.stat().st_mode & 0o777 == 0o640
    assert git(repo, "config", "gitmem.ref") == "refs/heads/x"


def test_a_folder_that_isnt_there_is_a_write_error(tmp_path: Path) -> None:
    with pytest.raises(WriteError, match="can't be written"):
        set_setting(tmp_path / "none", "a.b", "c")
