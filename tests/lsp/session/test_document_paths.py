"""A document's path is relative to the workspace wherever the file system says that it is inside."""

from __future__ import annotations

import os
import unicodedata
from pathlib import Path, PureWindowsPath

import pytest

from twospeed.lsp.session import document_paths
from twospeed.lsp.session.document_paths import DocumentPaths


def folding_status(path: Path) -> os.stat_result | None:
    """Look at a path as macOS and Windows do: case and normal form make no difference."""
    found = Path(path.anchor)
    for name in path.parts[1:]:
        named = {folded(each.name): each for each in found.iterdir()} if found.is_dir() else {}
        if folded(name) not in named:
            return None
        found = named[folded(name)]
    return found.stat()


def folded(name: str) -> str:
    return unicodedata.normalize("NFC", name).casefold()


def test_a_folder_is_the_root_if_the_file_system_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(document_paths, "_status", folding_status)
    (tmp_path / "Caf\u00e9" / "src").mkdir(parents=True)
    paths = DocumentPaths((tmp_path / "Caf\u00e9").as_uri())
    for name in ("CAFE\u0301", "caf\u00e9", "CAF\u00c9"):
        uri = (tmp_path / name / "src" / "a.py").as_uri()
        assert paths.of(uri) == paths.real_of(uri) == "src/a.py"


def test_folders_that_differ_by_case_are_two_where_the_file_system_says_so(tmp_path: Path) -> None:
    for name in ("shop", "Shop"):
        (tmp_path / name).mkdir()
    if len(list(tmp_path.iterdir())) == 1:
        pytest.skip("the file system ignores case")
    other = tmp_path / "Shop" / "a.py"
    assert DocumentPaths((tmp_path / "shop").as_uri()).of(other.as_uri()) == other.as_posix()


def test_both_names_of_a_link_are_known(tmp_path: Path) -> None:
    root = tmp_path / "root"
    root.mkdir()
    (root / "inside").symlink_to(root / "b")
    (root / "outside").symlink_to(tmp_path / "c")
    paths = DocumentPaths(root.as_uri())
    for name, real in (("inside", "b/a.py"), ("outside", (tmp_path / "c" / "a.py").as_posix())):
        uri = (root / name / "a.py").as_uri()
        assert (paths.of(uri), paths.real_of(uri)) == (f"{name}/a.py", real)


def test_a_document_below_the_root_by_name_needs_no_disk_access(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    paths = DocumentPaths(tmp_path.as_uri())
    monkeypatch.setattr(document_paths, "_status", None)
    monkeypatch.setattr(document_paths, "_real_path", None)
    assert paths.of((tmp_path / "a" / "b.py").as_uri()) == "a/b.py"


@pytest.mark.parametrize(
    ("root", "uri", "path"),
    [
        (None, "untitled:Untitled-1", "Untitled-1"),
        (None, "file:///a/b.py", "/a/b.py"),
        ("file:///no-such-folder", "untitled:Untitled-1", "Untitled-1"),
        ("file://server/share", "file://server/share/a/b.py", "a/b.py"),
        ("file://server/share/", "file://SERVER/share/a%20b.py?x", "a b.py"),
        ("file://server/share", "file://server/share2/b.py", "//server/share2/b.py"),
        ("file://server/share", "file://other/share/b.py", "//other/share/b.py"),
        ("file://wsl%24/U/home", "file://wsl$/U/home/b.py", "b.py"),
        ("vscode-vfs://github/me/shop", "vscode-vfs://github/me/shop/a.py", "a.py"),
        ("vscode-vfs://github/me/shop", "other://github/me/shop/a.py", "//github/me/shop/a.py"),
    ],
)
def test_a_document_that_is_not_a_local_file_is_named_by_its_uri(
    root: str | None, uri: str, path: str
) -> None:
    assert DocumentPaths(root).of(uri) == path
    assert DocumentPaths(root).real_of(uri) == path


@pytest.mark.parametrize(
    ("root", "uri", "path"),
    [
        ("ssh://host/a", "ssh://host/a/b", "b"),
        ("ssh://host/a", "ssh://host/a", "//host/a"),
        ("ssh://host/a", "SSH://host/A/b#c", "b"),
        ("ssh://host/a", "ftp://host/a/b", "//host/a/b"),
        ("ssh://host/a", "ssh://host/b/c", "//host/b/c"),
        ("ssh://host/a/b", "ssh://host/a/c/b", "//host/a/c/b"),
        (None, "ssh://host/a?x#y", "//host/a"),
        (None, "nothing", "nothing"),
        ("x:a", "x:a/b", "b"),
        (None, "a%20b:", "a b:"),
        ("untitled:", "untitled:x", "x"),
    ],
)
def test_a_document_outside_the_workspace_is_named_by_its_uri(root: str | None, uri: str, path: str) -> None:
    paths = DocumentPaths(root)
    assert (paths.of(uri), paths.real_of(uri)) == (path, path)


def test_a_cell_has_the_path_of_its_notebook_and_a_file_its_own(tmp_path: Path) -> None:
    (tmp_path / "public").symlink_to(tmp_path / "private")
    notebook, cell, file = (
        f"{tmp_path.as_uri()}/{name}" for name in ("public/a.ipynb", "b.ipynb#W0", ".env")
    )
    paths = DocumentPaths(tmp_path.as_uri())
    paths.notebook_of |= dict.fromkeys((cell, file), notebook)
    assert (paths.of(cell), paths.real_of(cell)) == ("public/a.ipynb", "private/a.ipynb")
    assert paths.of(file) == paths.real_of(file) == ".env"


@pytest.mark.parametrize(
    ("root", "unread"),
    [(None, None), ("", None), ("ssh://host/a", "ssh://host/a"), ("file:///a", None)],
)
def test_a_workspace_that_cannot_be_read_is_named(root: str | None, unread: str | None) -> None:
    assert DocumentPaths(root).unread_root == unread


def test_paths_on_another_computer_are_not_accessed(monkeypatch: pytest.MonkeyPatch) -> None:
    def uri_to_windows_path(uri: str) -> PureWindowsPath:
        return PureWindowsPath(uri.removeprefix("w:"))

    asked: list[object] = []

    def real(path: object) -> object:
        asked.append(path)
        return path

    monkeypatch.setattr(document_paths, "path_from_uri", uri_to_windows_path)
    monkeypatch.setattr(document_paths, "_real_path", real)
    monkeypatch.setattr(document_paths, "_status", asked.append)
    for root, path, is_asked in (
        (None, r"\\other\share\a.py", False),
        ("w:C:\\project", r"\\other\share\a.py", False),
        (r"w:\\other\share\project", r"\\OTHER\share\a.py", True),
        (r"w:\\other\share\project", r"\\third\share\a.py", False),
        ("w:C:\\project", "D:\\a.py", True),
    ):
        paths = DocumentPaths(root)
        asked.clear()
        assert paths.real_of(f"w:{path}") == PureWindowsPath(path).as_posix()
        assert bool(asked) is is_asked, path
