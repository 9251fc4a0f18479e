"""The lines of a ``.gitignore`` have the same meaning as in git."""

from __future__ import annotations

import os
import random
import shutil
import subprocess
from pathlib import Path

import pytest
from tests.timing import within
from tests.workspace.ignore_files import Judges

from twospeed.workspace.files import WorkspaceFiles
from twospeed.workspace.gitignore import parse_rules

IGNORED = [
    ("*.log", "a.log"),
    ("*.log", "deep/in/a.log"),
    ("build/", "build/"),
    ("build/", "src/build/"),
    ("/notes", "notes"),
    ("docs/*.txt", "docs/a.txt"),
    ("docs/**", "docs/a/b"),
    ("**/x", "x"),
    ("**/x", "a/b/x"),
    ("a/**/z", "a/z"),
    ("a/**/z", "a/b/c/z"),
    ("[a-c]?.py", "b1.py"),
    ("[!a].py", "b.py"),
    ("[^a].py", "b.py"),
    ("v[[:digit:]]", "v7"),
    ("[\\]x]", "]"),
    ("c[a\\-z]", "c-"),
    ("\\#notes", "#notes"),
    ("\\!loud", "!loud"),
    ("a\\*b", "a*b"),
    ("trailing  ", "trailing"),
    ("space\\ ", "space "),
    ("\ufefffirst", "first"),
    ("one\r\ntwo\r\n", "one"),
    ("one\r\ntwo\r\n", "two"),
    ("*\n!*.py\nsecret.py", "secret.py"),
    ("*", ".hidden"),
    ("*[[:punct:]].py", "a^.py"),
    ("a\\ b.py", "a b.py"),
    ("lib\\/secret.py", "lib/secret.py"),
    ("[]-a]", "^"),
    ("?\u0301", "e\u0301"),
    ("lib**/x", "lib/a/x"),
    ("first\0second", "first"),
]

NOT_IGNORED = [
    ("*.log", "a.log.py"),
    ("build/", "build"),
    ("/notes", "docs/notes"),
    ("docs/*.txt", "docs/a/b.txt"),
    ("docs/*.txt", "x/docs/a.txt"),
    ("docs/**", "docs/"),
    ("a/**/z", "a/zz"),
    ("[^a].py", "a.py"),
    ("v[[:digit:]]", "vx"),
    ("c[a\\-z]", "cf"),
    ("a\\*b", "axb"),
    ("# a comment", "# a comment"),
    ("a.log\n!a.log", "a.log"),
    ("*\n!*.py", "a.py"),
    ("*.py\n!/keep/*.py", "keep/a.py"),
    ("broken\\", "broken"),
    ("", "a"),
    ("/", "a"),
    ("!", "a"),
    ("[[:foo:]]", "a"),
    ("[a", "[a"),
    ("?.py", "\u00e9.py"),
    ("CAF\u00c9", "caf\u00e9"),
]


def is_ignored(text: str, path: str) -> bool:
    return bool(decision(text, path))


def decision(text: str, path: str) -> bool | None:
    rules = parse_rules(text.encode())
    return rules.ignores(rules.after(rules.start, path.rstrip("/")), is_folder=path.endswith("/"))


@pytest.mark.security("R4.1")
@pytest.mark.parametrize(("text", "path"), IGNORED)
def test_path_is_ignored(text: str, path: str) -> None:
    assert is_ignored(text, path)


@pytest.mark.parametrize(("text", "path"), NOT_IGNORED)
def test_path_is_not_ignored(text: str, path: str) -> None:
    assert not is_ignored(text, path)


def test_a_path_without_matching_line_has_no_decision() -> None:
    assert decision("!keep\ngone", "other") is None
    assert decision("!keep\ngone", "keep") is False


@pytest.mark.skipif(shutil.which("git") is None, reason="needs git")
def test_git_ignores_the_same_files(tmp_path: Path) -> None:
    """Git evaluates the tables above, each case in a folder of one repository."""
    root = tmp_path / "root"
    for number, (text, path) in enumerate(IGNORED + NOT_IGNORED):
        folder = root / str(number)
        for name in (path, "other.py", "deep/other.py", "build/x", "x-y/b/z"):
            file = folder / (name + "inside" if name.endswith("/") else name)
            if not file.parent.is_file():
                file.parent.mkdir(parents=True, exist_ok=True)
                file.is_dir() or file.write_text("")
        (folder / ".gitignore").write_bytes(text.encode())
    (root / ".gitignore").write_text("/3/**/other.py\n!/5/other.py\n")
    (root / ".git" / "info").mkdir(parents=True)
    (root / ".git" / "info" / "exclude").write_text("/1/\nother.py\n")
    listed = git_lists(root)
    assert set(WorkspaceFiles(root, ()).paths()) == listed
    assert len(listed) > len(NOT_IGNORED)


@pytest.mark.skipif(shutil.which("git") is None, reason="needs git")
@pytest.mark.security("R4.1")
@pytest.mark.parametrize("ignores_case", [False, True])
def test_generated_rules_decide_as_git_does(tmp_path: Path, ignores_case: bool) -> None:
    """A selection; ``make gitignore`` compares 100,000."""
    judges = Judges(tmp_path, random.Random(19), 40, ignores_case=ignores_case)
    assert [differing for _ in range(2) for differing in judges.round()] == []


@pytest.mark.skipif(shutil.which("git") is None, reason="needs git")
@pytest.mark.security("R4.1")
def test_every_byte_is_in_the_same_classes_as_in_git(tmp_path: Path) -> None:
    root = tmp_path.resolve()
    for name in CLASSES:
        (root / name).mkdir()
        (root / name / ".gitignore").write_text(f"[[:{name}:]]\n")
        for code in range(1, 256):
            if chr(code) not in "./":
                (root / name / os.fsdecode(bytes([code]))).touch()
    assert set(WorkspaceFiles(root, ()).paths()) == git_lists(root)


CLASSES = [
    "alnum",
    "alpha",
    "blank",
    "cntrl",
    "digit",
    "graph",
    "lower",
    "print",
    "punct",
    "space",
    "upper",
    "xdigit",
]


def git_lists(root: Path) -> set[Path]:
    environ = os.environ | {"GIT_CONFIG_NOSYSTEM": "1"}
    subprocess.run(["git", "init", "-q", root], check=True, env=environ)
    listing = subprocess.run(
        ["git", "ls-files", "-o", "--exclude-standard", "-z"],
        cwd=root,
        check=True,
        capture_output=True,
        env=environ,
    )
    return {root / os.fsdecode(name) for name in listing.stdout.split(b"\0") if name}


HOSTILE_LINES = [
    ("*a" * 100 + "b", "a" * 250),
    ("*[ab]a" * 60 + "b", "a" * 250),
    ("**/" * 60 + "b", "a/" * 400 + "a"),
    ("**/a/" * 40 + "b", "a/" * 400 + "a"),
    ("[" * 200 + "b", "a" * 250),
    ("\n".join(f"*{number}*a" for number in range(2000)), "a" * 250),
    *[
        ((unit * 100_000)[:100_000] + end, "a/" * 20 + "abc.py")
        for unit in (
            "[!",
            "[[:",
            "[a",
            "[a-",
            "[^]",
            "[[:a]",
            "[!a]",
            "[[:alpha:]]",
            "*a",
            "**/q*",
            "**/a/",
            "?",
            "\\[",
        )
        for end in ("", "b", "]b", "\n", ":]]b")
    ],
    *[
        ("\n".join([line] * 9_000), "a/" * 20 + "abc.py")
        for line in ("**/a/**/b", "[!a]*b", "*[a-y]*z", "/a/**b")
    ],
    ("\n".join(f"[{chr(48 + n % 70)}-{chr(50 + n % 70)}]z" for n in range(14_000)), "a/" * 20 + "abc.py"),
]


@pytest.mark.security("R2.2")
@pytest.mark.parametrize(("text", "path"), HOSTILE_LINES, ids=lambda text: repr(text[:8]))
def test_a_hostile_ignore_file_takes_bounded_time(text: str, path: str) -> None:
    assert not within(2, lambda: is_ignored(text, path))
