"""The files of a workspace that may be context: no secrets, ignored files, foreign files or devices."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest
from tests.security.traps import set_traps
from tests.timing import within

from twospeed.workspace.files import WorkspaceFiles
from twospeed.workspace.guarded import MAX_BYTES

pytestmark = pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs links and pipes of Unix")

INSIDE, OUTSIDE = "inside", "outside"


def make(root: Path, *names: str, text: str = INSIDE) -> None:
    for name in names:
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)


def listed(root: Path, *ignore: str) -> list[str]:
    files = WorkspaceFiles(root, ignore)
    paths = list(files.paths())
    assert all(files.read(path) is not None for path in paths)
    return [str(path.relative_to(files.root)) for path in paths]


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = tmp_path / "root"
    root.mkdir()
    return root


def test_files_are_sorted_before_subfolders(root: Path) -> None:
    make(root, "b/x.py", "a/y.py", "a/b/z.py", "c.py", "B.py")
    assert listed(root) == ["B.py", "c.py", "a/y.py", "a/b/z.py", "b/x.py"]


@pytest.mark.security("R4.1")
def test_files_that_are_never_sent_are_no_context(root: Path) -> None:
    make(root, ".env", "sub/.env.local", "id_rsa", "a.pem", ".ssh/config", "secrets.yaml", "x.tfvars", "a.py")
    assert listed(root) == ["a.py"]


@pytest.mark.security("R4.1")
def test_files_ignored_by_the_settings_are_no_context(root: Path) -> None:
    make(root, "a.py", "notes/a.md", "deep/b.log")
    assert listed(root, "notes/", "*.log") == ["a.py"]


@pytest.mark.security("R4.1")
def test_files_ignored_by_git_are_no_context(root: Path) -> None:
    make(root, "a.py", "a.log", "keep.log", "out/x.py", "sub/b.py", "sub/private.py", "sub/out/keep.log")
    make(root, ".gitignore", text="*.log\n!keep.log\n/out/\n")
    make(root, "sub/.gitignore", text="private.py\n!*.log\n")
    assert listed(root) == [
        ".gitignore",
        "a.py",
        "keep.log",
        "sub/.gitignore",
        "sub/b.py",
        "sub/out/keep.log",
    ]


@pytest.mark.security("R4.1")
def test_files_below_an_ignored_folder_cannot_be_included_again(root: Path) -> None:
    make(root, "out/a.py", "a.py")
    make(root, "out/.gitignore", text="!*\n")
    make(root, ".gitignore", text="out\n!out/a.py\n")
    assert listed(root) == [".gitignore", "a.py"]


@pytest.mark.security("R4.1")
def test_ignore_files_above_the_workspace_apply_up_to_the_repository(root: Path) -> None:
    make(root, "pack/a.py", "pack/b.log", "pack/c.tmp", "pack/local.py", ".git/info/x", "d.py")
    make(root, ".gitignore", text="*.log\n/pack/local.py\n")
    make(root, ".git/info/exclude", text="*.tmp\n")
    make(root.parent, ".gitignore", text="*.py\n")
    assert listed(root / "pack") == ["a.py"]


@pytest.mark.security("R4.1")
@pytest.mark.parametrize("kind", ["too large", "a pipe", "a folder", "leads out"])
def test_a_folder_with_an_unreadable_ignore_file_is_skipped(root: Path, kind: str) -> None:
    make(root, "a.py", "sub/b.py", "sub/deep/c.py")
    path = root / "sub" / ".gitignore"
    match kind:
        case "too large":
            path.write_text("x\n" * 70_000)
        case "a pipe":
            os.mkfifo(path)
        case "a folder":
            path.mkdir()
        case _:
            make(root.parent, "elsewhere", text="")
            path.symlink_to("../../elsewhere")
    assert listed(root) == ["a.py"]
    assert WorkspaceFiles(root, ()).read(Path("sub/deep/c.py")) is None


def test_an_ignore_file_in_another_encoding_is_applied(root: Path) -> None:
    make(root, os.fsdecode("caf\u00e9.py".encode("latin-1")), "a.py")
    (root / ".gitignore").write_bytes("# \u00e9\ncaf\u00e9.py\n".encode("latin-1"))
    assert [path.name for path in WorkspaceFiles(root, ()).paths()] == [".gitignore", "a.py"]


def test_folders_without_source_are_skipped_even_if_not_ignored(root: Path) -> None:
    make(
        root,
        "node_modules/x/a.js",
        "pkg/__pycache__/a.py",
        "env/pyvenv.cfg",
        "env/lib/a.py",
        ".tox/a.py",
        ".hg/a",
    )
    make(root, "target/CACHEDIR.TAG", "target/debug/a.rs", "vendor/a.go", "build/a.py", ".github/ci.yml")
    assert listed(root) == [".github/ci.yml", "build/a.py", "vendor/a.go"]


def test_very_deep_folders_are_skipped(root: Path) -> None:
    deep = root.joinpath(*["d"] * 64)
    (deep / "deeper").mkdir(parents=True)
    for folder in (deep, deep / "deeper"):
        (folder / "a.py").write_text("x = 1\n")
    files = WorkspaceFiles(root, ())
    assert deep / "a.py" in files.paths()
    assert deep / "deeper" / "a.py" not in files.paths()
    assert files.read(deep / "a.py") == "x = 1\n"
    assert files.read(deep / "deeper" / "a.py") is None


def test_a_large_file_is_no_context(root: Path) -> None:
    make(root, "large.py", text="x" * (MAX_BYTES + 1))
    make(root, "just.py", text="x" * MAX_BYTES)
    assert listed(root) == ["just.py"]
    assert WorkspaceFiles(root, ()).read(Path("large.py")) is None


def test_a_linked_workspace_is_resolved(root: Path) -> None:
    make(root, "a.py")
    (root.parent / "link").symlink_to(root)
    files = WorkspaceFiles(root.parent / "link", ())
    assert list(files.paths()) == [files.root / "a.py"]
    assert files.read(root.parent / "link" / "a.py") == INSIDE


def test_a_missing_workspace_has_no_files(root: Path) -> None:
    assert listed(root / "gone") == []
    assert WorkspaceFiles(root / "gone", ()).read(Path("a.py")) is None


def test_an_unreadable_folder_does_not_hide_others(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    make(root, "a.py", "database/b.py", "src/c.py")
    stat = os.stat

    def guarded(path: Any, **more: Any) -> os.stat_result:
        if Path(path).parent.name == "database":
            raise PermissionError(13, "Permission denied", path)
        return stat(path, **more)

    monkeypatch.setattr(os, "stat", guarded)
    paths = {str(path.relative_to(root)) for path in WorkspaceFiles(root, ()).paths()}
    assert paths >= {"a.py", "src/c.py"}


def test_a_workspace_that_cannot_be_checked_has_no_files(root: Path) -> None:
    name = "x" * 300  # longer than a name may be
    assert listed(root / name) == []
    assert WorkspaceFiles(root / name, ()).read(Path("a.py")) is None


def test_a_file_that_is_not_utf_8_has_no_text(root: Path) -> None:
    (root / "a.py").write_bytes(b"\xff\xfe")
    assert WorkspaceFiles(root, ()).read(Path("a.py")) is None


def test_a_file_replaced_by_a_link_is_not_read(root: Path) -> None:
    make(root, "a.py", "sub/b.py")
    make(root.parent, "a.py", "b.py", text=OUTSIDE)
    files = WorkspaceFiles(root, ())
    named = list(files.paths())
    assert [files.read_named(path) for path in named] == [INSIDE, INSIDE]
    (root / "a.py").unlink()
    (root / "a.py").symlink_to(root.parent / "a.py")
    (root / "sub" / "b.py").unlink()
    (root / "sub").rmdir()
    (root / "sub").symlink_to(root.parent)
    assert [files.read_named(path) for path in named] == [None, None]


@pytest.fixture
def trapped(root: Path) -> Path:
    """A workspace with links, devices and pipes, next to the files that the links lead to."""
    make(root, "a b.py", "sub/deep.py", "notes.md", "\u00e9.py", "sub/a:b.py", "dot.")
    make(root.parent, "outside.py", "root2/a.py", "Root/a.py", text=OUTSIDE)
    make(
        root,
        ".env",
        ".git/config",
        "sub/.git/config",
        "ignored.py",
        "id_rsa",
        "node_modules/a.js",
        text=OUTSIDE,
    )
    make(root, ".gitignore", text="ignored.py\n/hidden/\n")
    make(root, "hidden/a.py", text=OUTSIDE)
    set_traps(root)
    links = {
        "alias.md": "notes.md",
        "sub/alias.py": "../a b.py",
        "harmless.py": ".env",
        "harmless.md": "ignored.py",
        "open": "hidden",
        "store.pem": "notes.md",
        "git": ".git",
    }
    for name, target in links.items():
        (root / name).symlink_to(target)
    return root


READ = [
    "a b.py",
    "./a b.py",
    "sub/deep.py",
    "sub/../a b.py",
    "{root}/a b.py",
    "{root}/sub/../sub/deep.py",
    "alias.md",
]
READ += [
    "sub/alias.py",
    "\u00e9.py",
    "sub/a:b.py",
    "{root}//notes.md",
    "sub/" + "../sub/" * 400 + "deep.py",
    "dot.",
]

NOT_READ = [
    *("../outside.py", "sub/../../outside.py", "{folder}/outside.py", "{root}2/a.py", "{folder}/Root/a.py"),
    *(
        "..\\outside.py",
        "%2e%2e/outside.py",
        "sub/..%2f..%2foutside.py",
        "{root}/../root2/a.py",
        "/../etc/passwd",
    ),
    *(
        "a b.py\0",
        "a b.py\0.txt",
        "\0",
        "a%20b.py",
        "A B.PY",
        "AB~1.PY",
        "a b.py.",
        "a b.py ",
        "a b.py/..",
        "a b.py/x",
    ),
    *("a b.py::$DATA", "a b.py:stream", "a" * 300, "a/" * 3000, "", ".", "sub", "sub/", "{root}", "/"),
    *(
        "link.py",
        "absolute.py",
        "chain1",
        "chain3",
        "up/outside.py",
        "up/root2/a.py",
        "loop1",
        "self",
        "dangling",
    ),
    *("zero", "random", "terminal", "environ", "memory", "descriptor", "fifo", "sub/fifo.py"),
    *("/dev/zero", "/dev/stdin", "/proc/self/environ", "/proc/self/root{root}/../outside.py", "/etc/passwd"),
    *(".env", ".ENV", "sub/../.env", "harmless.py", "id_rsa", "store.pem", ".git/config", "sub/.git/config"),
    *("git/config", "ignored.py", "harmless.md", "hidden/a.py", "open/a.py", "node_modules/a.js"),
    *(
        "file://{root}/a b.py",
        "~/a b.py",
        "$HOME",
        "\ud800",
        "CON",
        "C:\\Windows\\win.ini",
        "//server/share/a.py",
    ),
]


def read(pattern: str, root: Path) -> str | None:
    """Read a path within the required 50 ms of work."""
    path = Path(pattern.replace("{root}", str(root)).replace("{folder}", str(root.parent)))
    files = WorkspaceFiles(root, ())
    return within(0.05, lambda: files.read(path))


@pytest.mark.security("R9")
@pytest.mark.parametrize("pattern", READ)
def test_a_file_of_the_workspace_is_read(trapped: Path, pattern: str) -> None:
    assert read(pattern, trapped) == INSIDE


@pytest.mark.security("R9")
@pytest.mark.parametrize("pattern", NOT_READ)
def test_other_paths_are_not_read(trapped: Path, pattern: str) -> None:
    assert read(pattern, trapped) is None


@pytest.mark.security("R9")
def test_links_pipes_and_devices_are_not_opened(trapped: Path) -> None:
    expected = ["a b.py", "dot.", "notes.md", "\u00e9.py", "sub/a:b.py", "sub/deep.py"]
    assert sorted(listed(trapped)) == sorted([".gitignore", *expected])


@pytest.mark.security("R9")
@pytest.mark.parametrize("moment", ["lstat", "open", "fstat"])
@pytest.mark.parametrize("trap", ["link", "secret", "folder", "fifo"])
def test_a_file_swapped_for_a_link_is_not_followed(
    trapped: Path, monkeypatch: pytest.MonkeyPatch, moment: str, trap: str
) -> None:
    root = trapped
    (root / ".gitignore").unlink()  # the requested file is to be the first that is opened
    real = getattr(os, moment)

    def swap() -> None:
        (root / "sub").rename(root / "was")
        if trap == "folder":
            (root / "sub").symlink_to(root.parent)
            (root.parent / "deep.py").write_text(OUTSIDE)
            return
        (root / "sub").mkdir()
        match trap:
            case "fifo":
                os.mkfifo(root / "sub" / "deep.py")
            case "link":
                (root / "sub" / "deep.py").symlink_to(root.parent / "outside.py")
            case _:
                (root / "sub" / "deep.py").symlink_to(root / ".env")

    def after_the_swap(path, *args, **kwargs):
        if isinstance(path, int) or str(path).endswith("deep.py"):
            monkeypatch.undo()
            swap()
        return real(path, *args, **kwargs)

    files = WorkspaceFiles(root, ())
    monkeypatch.setattr(os, moment, after_the_swap)
    assert files.read(Path("sub/deep.py")) in (None, INSIDE)
