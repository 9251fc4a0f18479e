"""The patterns that git reads besides ``.gitignore``: the user's and the repository's."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from twospeed.workspace.files import WorkspaceFiles

pytestmark = [
    pytest.mark.skipif(shutil.which("git") is None, reason="needs git"),
    pytest.mark.security("R4.1"),
]


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    home = tmp_path / "home"
    home.mkdir()
    for name in [name for name in os.environ if name.startswith("GIT_")]:
        monkeypatch.delenv(name)
    monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")
    return home


@pytest.fixture
def root(home: Path, tmp_path: Path) -> Path:
    root = tmp_path / "work" / "root"
    write(root, **dict.fromkeys(("a.py", "b.local", "sub/c.local", "sub/d.py", "e.tmp", "f.own"), ""))
    git(root, "init", "-q")
    return root


def write(folder: Path, **texts: str) -> None:
    for name, text in texts.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)


def git(folder: Path, *arguments: str) -> str:
    who = ("-c", "user.name=a", "-c", "user.email=a@example.org")
    ran = subprocess.run(["git", *who, *arguments], cwd=folder, check=True, capture_output=True, text=True)
    return ran.stdout


def listed(root: Path) -> list[str]:
    """Return the context files, after a check that git lists the same."""
    by_git = git(root, "ls-files", "-o", "--exclude-standard", "-z").split("\0")[:-1]
    by_us = [path.relative_to(root).as_posix() for path in WorkspaceFiles(root, ()).paths()]
    assert sorted(by_us) == sorted(by_git)
    return [path for path in by_us if path.endswith((".local", ".tmp", ".own"))]


def test_the_users_patterns_are_read_from_the_config_folder(home: Path, root: Path) -> None:
    assert listed(root) == ["b.local", "e.tmp", "f.own", "sub/c.local"]
    write(home, **{".config/git/ignore": "*.local\n"})
    assert listed(root) == ["e.tmp", "f.own"]


def test_xdg_config_home_moves_the_config_folder(
    home: Path, root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(home, **{".config/git/ignore": "*.tmp\n"})
    write(tmp_path, **{"xdg/git/ignore": "*.local\n"})
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "xdg"))
    assert listed(root) == ["e.tmp", "f.own"]
    monkeypatch.setenv("XDG_CONFIG_HOME", "")
    assert listed(root) == ["b.local", "f.own", "sub/c.local"]


@pytest.mark.parametrize(
    ("config", "expected"),
    [
        ("[core]\n\texcludesFile = ~/patterns\n", ["e.tmp", "f.own"]),
        ('[CORE] ExcludesFile="~/patterns" ; mine\n', ["e.tmp", "f.own"]),
        ('[core]\nexcludesfile = ~/pat"tern"s # mine\n', ["e.tmp", "f.own"]),
        ("[core]\nexcludesfile = ~/pat\\\nterns\n", ["e.tmp", "f.own"]),
        ("[core]\r\n\texcludesfile = ~/patterns\r\n", ["e.tmp", "f.own"]),
        ("[core]\nexcludesfile = ~/other\nexcludesfile = ~/patterns\n", ["e.tmp", "f.own"]),
        ("[core]\nexcludesfile =\n", ["b.local", "e.tmp", "f.own", "sub/c.local"]),
        ("[core]\nexcludesfile = /dev/null\n", ["b.local", "e.tmp", "f.own", "sub/c.local"]),
        ("[core]\nexcludesfile = ~/absent\n", ["b.local", "e.tmp", "f.own", "sub/c.local"]),
        ('[core "x"]\nexcludesfile = ~/patterns\n', ["b.local", "f.own", "sub/c.local"]),
        ("[alias]\nco = checkout\n[core]\nbare\neditor = vi\nexcludesfile=~/patterns", ["e.tmp", "f.own"]),
        ("[include]\npath = more\n", ["e.tmp", "f.own"]),
        (
            "[include]\npath = ~/more\n[core]\nexcludesfile = ~/absent\n",
            ["b.local", "e.tmp", "f.own", "sub/c.local"],
        ),
        ('[includeIf "gitdir:**/work/"]\npath = more\n', ["e.tmp", "f.own"]),
        ('[includeIf "gitdir:work/**/.git"]\npath = more\n', ["e.tmp", "f.own"]),
        ('[includeIf "gitdir/i:WORK/"]\npath = more\n', ["e.tmp", "f.own"]),
        ('[includeIf "gitdir:play/"]\npath = more\n', ["b.local", "f.own", "sub/c.local"]),
        ("[include]\npath = .gitconfig-that-is-absent\n", ["b.local", "f.own", "sub/c.local"]),
    ],
)
def test_the_users_config_may_name_the_file(home: Path, root: Path, config: str, expected: list[str]) -> None:
    write(
        home,
        **{
            ".config/git/ignore": "*.tmp\n",
            "patterns": "*.local\n",
            "more": "[core]\nexcludesfile = ~/patterns\n",
            ".gitconfig": config,
        },
    )
    assert listed(root) == expected


def test_the_last_configured_excludes_file_wins(
    home: Path, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(home, own="*.own\n", local="*.local\n", tmp="*.tmp\n")
    write(home, **{".config/git/config": "[core]\nexcludesfile = ~/own\n"})
    assert listed(root) == ["b.local", "e.tmp", "sub/c.local"]
    write(home, **{".gitconfig": "[core]\nexcludesfile = ~/local\n"})
    assert listed(root) == ["e.tmp", "f.own"]
    git(root, "config", "core.excludesFile", "~/tmp")
    assert listed(root) == ["b.local", "f.own", "sub/c.local"]
    git(root, "config", "--unset", "core.excludesFile")
    write(home, elsewhere="[core]\nexcludesfile = ~/own\n")
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(home / "elsewhere"))
    assert listed(root) == ["b.local", "e.tmp", "sub/c.local"]


def test_a_nearer_ignore_file_takes_precedence(home: Path, root: Path) -> None:
    write(home, **{".config/git/ignore": "*.local\n*.tmp\n*.own\n"})
    write(root, **{".git/info/exclude": "!*.local\n!*.tmp\n", "sub/.gitignore": "*.local\n!.gitignore\n"})
    assert listed(root) == ["b.local", "e.tmp"]


def test_a_worktree_has_the_patterns_of_its_repository(home: Path, root: Path) -> None:
    git(root, "commit", "-q", "--allow-empty", "-m", "first")
    git(root, "worktree", "add", "-q", "../tree")
    tree = root.parent / "tree"
    write(tree, **{"a.py": "", "b.local": "", "e.tmp": ""})
    assert listed(tree) == ["b.local", "e.tmp"]
    write(root, **{".git/info/exclude": "*.local\n"})
    assert (tree / ".git").is_file()
    assert [path.name for path in WorkspaceFiles(tree, ()).paths()] == ["a.py", "e.tmp"]


def test_a_nested_repository_has_its_own_patterns(home: Path, root: Path) -> None:
    git(root / "sub", "init", "-q")
    write(root, **{"sub/.git/info/exclude": "*.local\n"})
    names = [path.name for path in WorkspaceFiles(root, ()).paths()]
    assert names == ["a.py", "b.local", "e.tmp", "f.own", "d.py"]


def test_case_is_folded_if_the_repository_folds_it(home: Path, root: Path) -> None:
    write(root, **{".git/info/exclude": "*.LOCAL\n[E].tmp\n"})
    assert listed(root) == ["b.local", "e.tmp", "f.own", "sub/c.local"]
    git(root, "config", "core.ignorecase", "true")
    assert listed(root) == ["e.tmp", "f.own"]


def test_no_program_that_a_repository_names_is_run(home: Path, root: Path, tmp_path: Path) -> None:
    program = tmp_path / "program"
    program.write_text(f"#!/bin/sh\ntouch {tmp_path}/ran\n")
    program.chmod(0o755)
    for key in ("core.fsmonitor", "core.sshCommand", "core.pager", "core.hooksPath"):
        git(root, "config", key, str(program))
    (tmp_path / "ran").unlink(missing_ok=True)
    assert [path.name for path in WorkspaceFiles(root, ()).paths()]
    assert not (tmp_path / "ran").exists()


@pytest.mark.parametrize("kind", ["a pipe", "too long"])
def test_no_file_is_context_if_global_patterns_are_unreadable(home: Path, root: Path, kind: str) -> None:
    file = home / ".config" / "git" / "ignore"
    file.parent.mkdir(parents=True)
    if kind == "a pipe":
        os.mkfifo(file)
    else:
        file.write_text("#" * 200_000)
    assert list(WorkspaceFiles(root, ()).paths()) == []
    assert WorkspaceFiles(root, ()).read(root / "a.py") is None


@pytest.mark.parametrize(
    "text", ["gitdir: ../pipes", "gitdir: /dev/zero", "gitdir:", "x" * 1000, "gitdir: \0"]
)
def test_a_dangling_git_file_is_ignored(home: Path, tmp_path: Path, text: str) -> None:
    root = tmp_path / "copy"
    write(root, **{"a.py": "", ".git": text})
    (tmp_path / "pipes").mkdir()
    for name in ("commondir", "config"):
        os.mkfifo(tmp_path / "pipes" / name)
    assert "a.py" in [path.name for path in WorkspaceFiles(root, ()).paths()]


def test_a_self_including_config_terminates(home: Path, root: Path) -> None:
    write(
        home,
        **{
            ".gitconfig": "[core]\nexcludesfile = ~/p\n" + "[include]\npath = .gitconfig\n" * 9,
            "p": "*.own\n",
        },
    )
    names = [path.name for path in WorkspaceFiles(root, ()).paths()]
    assert "f.own" not in names
    assert "b.local" in names
