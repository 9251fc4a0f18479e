"""A file URI is a local path by the rules of its system, or nothing."""

from __future__ import annotations

import os
from pathlib import Path, PurePosixPath, PureWindowsPath

import pytest

from twospeed.lsp.session import document_paths
from twospeed.lsp.session.document_paths import path_from_uri, pure_path_from_uri


@pytest.mark.parametrize(
    ("uri", "windows", "elsewhere"),
    [
        ("file:///c:/a/b.py", "c:/a/b.py", "/c:/a/b.py"),
        ("file:///C%3A/a.py", "C:/a.py", "/C:/a.py"),
        ("file:///c:/a:b.py", None, "/c:/a:b.py"),
        ("file:///c:/con/b.py", None, "/c:/con/b.py"),
        ("file:///c:/a/nul.txt", None, "/c:/a/nul.txt"),
        ("file:///c:/a/CONIN$", None, "/c:/a/CONIN$"),
        ("file:///c:/a/conout%24.txt", None, "/c:/a/conout$.txt"),
        ("file:///c:/a/console.txt", "c:/a/console.txt", "/c:/a/console.txt"),
        ("file:///home/a.py", None, "/home/a.py"),
        ("file:///%00", None, None),
        ("file:////server/a.py", None, None),
        ("file:///%ff", None, None),
        ("http:///a.py", None, None),
    ],
)
def test_a_uri_becomes_a_path_by_the_rules_of_the_system(
    uri: str, windows: str | None, elsewhere: str | None
) -> None:
    expected = None if windows is None else PureWindowsPath(windows)
    assert pure_path_from_uri(uri, is_windows=True) == expected
    assert pure_path_from_uri(uri, is_windows=False) == (
        None if elsewhere is None else PurePosixPath(elsewhere)
    )


SHARES = [
    ("file://host/share/a.py", "//host/share/a.py"),
    ("file://host/share", "//host/share/"),
    ("file://host/share/", "//host/share/"),
    ("file://host.example/c$/a.py", "//host.example/c$/a.py"),
    ("file://localhost/c:/a.py", "c:/a.py"),
    ("file://LOCALHOST/c:/a.py", "c:/a.py"),
    ("file://host/pipe/a", None),
    ("file://host/PIPE. /a", None),
    ("file://host/mailslot/a", None),
    ("file://host/ipc$/a", None),
    ("file://host/", None),
    ("file://host/share/a:b", None),
    ("file://host/share//a", None),
    ("file://host/share/con", None),
    ("file://%3f/share/a", None),
    ("file://./share/a", None),
    ("file://ho%20st/share/a", None),
    ("file://host/share/lpt1.txt", None),
    ("file://host/share/com0 .x", None),
]


def test_a_host_is_a_share_on_windows_and_no_path_elsewhere() -> None:
    for uri, windows in SHARES:
        expected = None if windows is None else PureWindowsPath(windows)
        assert pure_path_from_uri(uri, is_windows=True) == expected, uri
        is_here = uri.lower().startswith("file://localhost/")
        assert pure_path_from_uri(uri, is_windows=False) == (
            PurePosixPath("/c:/a.py") if is_here else None
        ), uri


def test_the_rules_follow_the_system_of_this_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    assert path_from_uri("file:///a/b%20c.py") == Path("/a/b c.py")
    assert path_from_uri("http://a/b") is None
    systems: list[bool] = []

    def pure(_: str, *, is_windows: bool) -> None:
        systems.append(is_windows)

    monkeypatch.setattr(document_paths, "pure_path_from_uri", pure)
    for name in ("nt", "posix"):
        monkeypatch.setattr(os, "name", name)
        document_paths.path_from_uri("file:///a")
    assert systems == [True, False]
