"""The lines of a ``.gitignore`` mean what git says they mean."""

from __future__ import annotations

import os
import shutil
import subprocess
import time
from pathlib import Path

import pytest

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
]


def is_ignored(text: str, path: str) -> bool:
    names = path.rstrip("/").split("/")
    return bool(parse_rules(text).ignores(names, is_folder=path.endswith("/")))


@pytest.mark.security("R4.1")
@pytest.mark.parametrize(("text", "path"), IGNORED)
def test_path_is_ignored(text: str, path: str) -> None:
    assert is_ignored(text, path)


@pytest.mark.parametrize(("text", "path"), NOT_IGNORED)
def test_path_is_not_ignored(text: str, path: str) -> None:
    assert not is_ignored(text, path)


def test_what_no_line_is_about_is_left_to_the_folder_above() -> None:
    assert parse_rules("!keep\ngone").ignores(["other"], is_folder=False) is None
    assert parse_rules("!keep\ngone").ignores(["keep"], is_folder=False) is False


@pytest.mark.skipif(shutil.which("git") is None, reason="needs git")
def test_git_leaves_out_the_same_files(tmp_path: Path) -> None:
    """Git itself reads the tables above, each case in a folder of one repository."""
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
    environ = os.environ | {"GIT_CONFIG_NOSYSTEM": "1"}
    subprocess.run(["git", "init", "-q", root], check=True, env=environ)
    (root / ".git" / "info" / "exclude").write_text("/1/\nother.py\n")
    listing = subprocess.run(
        ["git", "ls-files", "-o", "--exclude-standard", "-z"],
        cwd=root,
        check=True,
        capture_output=True,
        env=environ,
    )
    listed = {root / os.fsdecode(name) for name in listing.stdout.split(b"\0") if name}
    assert set(WorkspaceFiles(root, ()).paths()) == listed
    assert len(listed) > len(NOT_IGNORED)


@pytest.mark.security("R2.2")
@pytest.mark.parametrize(
    ("text", "path"),
    [
        ("*a" * 100 + "b", "a" * 250),
        ("*[ab]a" * 60 + "b", "a" * 250),
        ("**/" * 60 + "b", "a/" * 400 + "a"),
        ("**/a/" * 40 + "b", "a/" * 400 + "a"),
        ("[" * 200 + "b", "a" * 250),
        ("\n".join(f"*{number}*a" for number in range(2000)), "a" * 250),
    ],
)
def test_a_hostile_file_is_answered_soon(text: str, path: str) -> None:
    started = time.process_time()
    assert not is_ignored(text, path)
    assert time.process_time() - started < 1
