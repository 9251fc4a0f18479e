"""Of the paths that an editor or a repository names, only files inside the workspace are read, without a hang."""

from __future__ import annotations

import ast
import os
from collections.abc import Iterator
from pathlib import Path, PurePosixPath, PureWindowsPath

import pytest
from tests.security.traps import set_traps
from tests.sources import MODULES, PACKAGE, nodes_of
from tests.timing import within

from twospeed.lsp.session.document_paths import path_from_uri, pure_path_from_uri
from twospeed.workspace.guarded import Unreadable, read_guarded

pytestmark = [
    pytest.mark.security("R9"),
    pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs links and pipes of Unix"),
]

INSIDE, OUTSIDE = "inside", "outside"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A workspace with links, devices and pipes, next to the files that the links lead to."""
    root = tmp_path / "root"
    (root / "sub").mkdir(parents=True)
    (root / "a b.py").write_text(INSIDE)
    (root / "sub" / "deep.py").write_text(INSIDE)
    for folder in ("root2", "rootling", "Root"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "a.py").write_text(OUTSIDE)
    (tmp_path / "outside.py").write_text(OUTSIDE)
    set_traps(root)
    return root


READ = [
    "{root}/a%20b.py",
    "{root}/a b.py",
    "{root}/sub/deep.py",
    "{root}/sub/../a%20b.py",
    "{root}/./a%20b.py",
]
READ += ["{root}/a%20b.py/", "{root}/" + "sub/../" * 400 + "a%20b.py"]

NOT_READ = [
    "{root}/../outside.py",
    "{root}/sub/../../outside.py",
    "{root}/%2e%2e/outside.py",
    "{root}/%2E%2E/outside.py",
    "{root}/.%2e/outside.py",
    "{root}/%252e%252e/outside.py",
    "{root}/..%2foutside.py",
    "{root}/..%5coutside.py",
    "{root}/..\\outside.py",
    "{root}%2f..%2foutside.py",
    "{root}/sub/%2e%2e/%2e%2e/root2/a.py",
    "{root}2/a.py",
    "{root}ling/a.py",
    "{folder}/Root/a.py",
    "{folder}/outside.py",
    "{root}/a%20b.py%00",
    "{root}/a%20b.py%00.txt",
    "{root}/%00/../a%20b.py",
    "{root}/a%2520b.py",
    "{root}/a+b.py",
    "{root}/a%20b.py.",
    "{root}/a%20b.py...",
    "{root}/a%20b.py%20",
    "{root}/a%20b.py/..",
    "{root}/A%20B.PY",
    "{root}/AB~1.PY",
    "{root}/a%20b.py::$DATA",
    "{root}/a%20b.py:stream",
    "{root}/%ff.py",
    "{root}/%c0%ae%c0%ae/outside.py",
    "{root}/%e2%80%a5/outside.py",
    "{root}/" + "a" * 300,
    "{root}",
    "{root}/",
    "{root}/sub",
    "{root}/link.py",
    "{root}/absolute.py",
    "{root}/chain1",
    "{root}/up/outside.py",
    "{root}/up/root2/a.py",
    "{root}/loop1",
    "{root}/self",
    "{root}/dangling",
    "{root}/zero",
    "{root}/random",
    "{root}/terminal",
    "{root}/environ",
    "{root}/memory",
    "{root}/descriptor",
    "{root}/fifo",
    "{root}/sub/fifo.py",
    "/dev/zero",
    "/dev/stdin",
    "/proc/self/environ",
    "/proc/self/root{root}/../outside.py",
    "/etc/passwd",
    "/C:/Windows/win.ini",
    "/c%3A/Windows/win.ini",
]

OTHER_URIS = [
    "",
    "{root}/a b.py",
    "file:",
    "file://",
    "file:{root_without_slash}/a%20b.py",
    "file://server/share/a.py",
    "file://server{root}/a%20b.py",
    "file://127.0.0.1{root}/a%20b.py",
    "file://localhost:80{root}/a%20b.py",
    "file://localhost/{root}/a%20b.py",
    "file:////server/share/a.py",
    "file://{root}//../..//etc/passwd?x",
    "file:///%2fserver/share/a.py",
    "file://{root}/a%20b.py?query",
    "file://{root}/a%20b.py#fragment",
    "file://user@{root}/a%20b.py",
    "file:\\\\{root}/a%20b.py",
    " file://{root}/a%20b.py",
    "fi\tle://{root}/a%20b.py",
    "http://{root}/a%20b.py",
    "untitled:{root}/a%20b.py",
    "vscode-remote://ssh{root}/a%20b.py",
    "jar:file://{root}/a%20b.py",
]


def read(uri: str, root: Path) -> str | Unreadable | None:
    """Read the file of a URI in a workspace, within the required 50 ms of work."""

    def read() -> str | Unreadable | None:
        path = path_from_uri(uri)
        return None if path is None else read_guarded(path, root=root)

    return within(0.05, read)


def filled(pattern: str, root: Path) -> str:
    for name, value in (
        ("{root_without_slash}", str(root)[1:]),
        ("{root}", str(root)),
        ("{folder}", str(root.parent)),
    ):
        pattern = pattern.replace(name, value)
    return pattern


@pytest.mark.parametrize("pattern", READ)
@pytest.mark.parametrize("scheme", ["file://", "FILE://", "file:", "file://localhost", "file://LocalHost"])
def test_a_file_of_the_workspace_is_read(root: Path, pattern: str, scheme: str) -> None:
    assert read(scheme + filled(pattern, root), root) == INSIDE


@pytest.mark.parametrize("pattern", NOT_READ)
def test_other_paths_are_not_read(root: Path, pattern: str) -> None:
    assert not isinstance(read("file://" + filled(pattern, root), root), str)


@pytest.mark.parametrize("pattern", OTHER_URIS)
def test_a_uri_without_a_plain_local_path_is_refused(root: Path, pattern: str) -> None:
    assert read(filled(pattern, root), root) is None


def test_a_file_generated_by_the_kernel_is_not_read() -> None:
    if not Path("/proc/self/environ").exists():
        pytest.skip("needs /proc")
    assert read("file:///proc/self/environ", Path("/")) == Unreadable("is not a regular file")
    assert read("file:///proc/self/cmdline", Path("/proc")) == Unreadable("is not a regular file")


@pytest.mark.parametrize("moment", ["lstat", "open", "fstat"])
@pytest.mark.parametrize("trap", ["link", "folder", "fifo"])
def test_a_file_swapped_for_a_link_is_not_followed(
    root: Path, monkeypatch: pytest.MonkeyPatch, moment: str, trap: str
) -> None:
    """Between two checks, the file becomes a link or a pipe, or its folder becomes a link."""
    path, real = root / "sub" / "deep.py", getattr(os, moment)

    def swap() -> None:
        (root / "sub").rename(root / "was")
        if trap == "folder":
            (root / "sub").symlink_to(root.parent)
            (root.parent / "deep.py").write_text(OUTSIDE)
            return
        (root / "sub").mkdir()
        os.mkfifo(path) if trap == "fifo" else path.symlink_to(root.parent / "outside.py")

    def after_the_swap(*args, **kwargs):
        monkeypatch.undo()
        swap()
        return real(*args, **kwargs)

    monkeypatch.setattr(os, moment, after_the_swap)
    assert read_guarded(path, root=root) not in (OUTSIDE, "")


WINDOWS = {
    "file:///C:/a/b.py": "C:/a/b.py",
    "file:///c%3A/a/b.py": "c:/a/b.py",
    "file:///C:/a%20b/../c.py": "C:/a b/../c.py",
    "file:///C:%5Ca%5Cb.py": "C:/a/b.py",
    "file://localhost/C:/a/b.py": "C:/a/b.py",
    "file://server/share/a/b.py": "//server/share/a/b.py",
    "file://server/share": "//server/share/",
    "file://192.168.0.7/C$/b.py": "//192.168.0.7/C$/b.py",
    "file://wsl%24/Ubuntu/home/me/b.py": "//wsl$/Ubuntu/home/me/b.py",
    "file://wsl$/Ubuntu-24.04/home/me/b%20c.py": "//wsl$/Ubuntu-24.04/home/me/b c.py",
    "file://wsl.localhost/Ubuntu/home/me/b.py": "//wsl.localhost/Ubuntu/home/me/b.py",
}
NOT_WINDOWS = [
    "file:///a/b.py",
    "file:///C:",
    "file:///C:b.py",
    "file:///CC:/b.py",
    "file:///C://server/share",
    "file:///C:%5C%5Cserver",
    "file:///%5C%5Cserver/share/b.py",
    "file:///%5C%5C?%5CC:%5Cb.py",
    "file:///C:/b.py:stream",
    "file:///C:/b.py::$DATA",
    "file:///C:/b%3Astream",
    "file:///C:/NUL",
    "file:///C:/a/con.py",
    "file:///C:/a/COM1",
    "file:///C:/a/lpt%C2%B9.txt",
    "file:///C:/a/aux%20.py",
    "file:///C:/b%00.py",
    "file://C:/b.py",
    "file://server/C:/b.py",
    "file://server/",
    "file://server//share/b.py",
    "file://server/share//other/b.py",
    "file://server/share/b.py:stream",
    "file://server/share/nul",
    "file://server/pipe/lsass",
    "file://server/IPC$/b",
    "file://server/mailslot/b",
    "file://server/../share/b",
    "file://./C:/b.py",
    "file://./pipe/b",
    "file://%3F/C:/b.py",
    "file://%3f/UNC/server/share/b.py",
    "file://a%5Cb/share/b.py",
    "file://a%2Fb/share/b.py",
    "file://server:80/share/b.py",
    "file://me@server/share/b.py",
    "file://%ff/share/b.py",
    "file://localhost/share/b.py",
]


@pytest.mark.parametrize("uri", WINDOWS)
def test_a_windows_path_begins_with_a_drive_or_a_share(uri: str) -> None:
    assert pure_path_from_uri(uri, is_windows=True) == PureWindowsPath(WINDOWS[uri])


@pytest.mark.parametrize("uri", NOT_WINDOWS)
def test_windows_streams_devices_and_pipes_are_no_paths(uri: str) -> None:
    assert pure_path_from_uri(uri, is_windows=True) is None


def test_a_colon_is_an_ordinary_character_outside_windows() -> None:
    assert pure_path_from_uri("file:///a/b:c.py", is_windows=False) == PurePosixPath("/a/b:c.py")


OWN_FILES = {
    "cli/browser.py": "a page with the address for the browser, in a folder of its own",
    "cli/demo.py": "its recorded answer, and a config in a folder of its own",
    "cli/files.py": "the file that the user names on the command line",
    "cli/main.py": "/dev/null, in place of a standard stream that was closed",
    "cli/setup/config.py": "creates the user's config file",
    "cli/setup/log.py": "the log, to print its last lines",
    "cli/stats/command.py": "writes the page that the user names on the command line",
    "cli/visible.py": "/dev/null, in place of a reader that has left",
    "cli/web.py": "the parts of its page",
    "workspace/guarded.py": "the guarded read itself",
    "workspace/own_files.py": "writes saved edits, the last edit and the user's consent, for the user alone",
    "budget/spending.py": "counts what was spent today, in the user's state folder",
    "history/file.py": "figures of edits, in the user's state folder",
    "models/llama/llama_child.py": "the GGUF that the user's config names, and /dev/null",
    "lsp/transport/editor_process.py": "/proc, to know whether the editor is alive",
    "lsp/client/answer_files.py": "writes a refused answer into a folder of its own, that only the user can read",
    "lsp/log.py": "writes the log",
}
"""Modules that open other files, and which."""

OPENERS = {"open", "fdopen", "read_text", "read_bytes", "write_text", "write_bytes", "mkstemp", "open_code"}
NO_FILES = {"self", "session.documents"}
"""Objects whose ``open`` opens a model or a document."""


def opened_by(path: Path) -> Iterator[str]:
    for node in nodes_of(path):
        if isinstance(node, ast.Call):
            match node.func:
                case ast.Name(id="open"):
                    yield "open"
                case ast.Attribute(value=value, attr=name) if (
                    name in OPENERS and ast.unparse(value) not in NO_FILES
                ):
                    yield name


def test_only_the_listed_modules_open_files() -> None:
    openers = {path.relative_to(PACKAGE).as_posix() for path in MODULES if any(opened_by(path))}
    assert openers == set(OWN_FILES)
