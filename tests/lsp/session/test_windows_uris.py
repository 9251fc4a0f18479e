"""A document on Windows or macOS has one path, however the client spells its URI. Tried on any system, by the rules of each."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from pathlib import PurePosixPath, PureWindowsPath
from typing import Literal
from urllib.parse import quote

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from twospeed.lsp.session import document_paths
from twospeed.lsp.session.document_paths import DocumentPaths, pure_path_from_uri
from twospeed.text.globs import folded
from twospeed.workspace.never_send import is_never_sent

DEVICES = ["con", "prn", "aux", "nul", "conin$", "conout$", "com1", "com9", "com³", "lpt0", "lpt1", "LPT²"]

CHARACTERS = st.characters(exclude_categories=["Cs", "Cc"], exclude_characters='<>:"/\\|?*')
"""What a name may contain on Windows."""

NAMES = st.text(CHARACTERS, min_size=1, max_size=12).filter(
    lambda name: (
        name not in {".", ".."} and name.rstrip(" .").partition(".")[0].rstrip().lower() not in DEVICES
    )
)
PATHS = st.lists(NAMES, min_size=1, max_size=4).map("/".join)
DRIVES = st.sampled_from("aCdZ")
HOSTS = st.from_regex(r"[A-Za-z0-9][A-Za-z0-9._-]{0,8}\$?", fullmatch=True).filter(
    lambda host: host.lower() != "localhost"
)
SHARES = NAMES.filter(lambda name: name.rstrip(" .").lower() not in {"pipe", "mailslot", "ipc$", ""})


def spellings_on_a_drive(drive: str, path: str) -> Iterator[str]:
    """Yield the URIs of a file as VS Code, Python, Neovim and Emacs write them."""
    for letter in (drive.lower(), drive.upper()):
        yield f"file:///{letter}%3A/{quote(path)}"
        yield f"file:///{letter}%3a/{quote(path)}"
        yield f"file:///{letter}:/{quote(path)}"
        yield f"file:///{letter}:/{quote(path, safe='/!$&()*+,;=@[] ')}"
        yield f"file://localhost/{letter}:/{quote(path)}"
        yield f"FILE:///{letter}:/{quote(path)}"


def spellings_on_a_share(host: str, share: str, path: str) -> Iterator[str]:
    for each in (host, host.lower(), host.upper(), quote(host)):
        yield f"file://{each}/{quote(share)}/{quote(path)}"
        yield f"file://{each}/{quote(share, safe='$ ')}/{quote(path, safe='/ ')}"


@given(DRIVES, PATHS)
def test_every_spelling_of_a_file_on_a_drive_is_one_path(drive: str, path: str) -> None:
    expected = PureWindowsPath(f"{drive}:/{path}")
    for uri in spellings_on_a_drive(drive, path):
        assert pure_path_from_uri(uri, is_windows=True) == expected, uri


@given(HOSTS, SHARES, PATHS)
def test_every_spelling_of_a_file_on_a_share_is_one_path(host: str, share: str, path: str) -> None:
    expected = PureWindowsPath(f"//{host}/{share}/{path}")
    for uri in spellings_on_a_share(host, share, path):
        assert pure_path_from_uri(uri, is_windows=True) == expected, uri


@given(st.one_of(st.tuples(DRIVES, PATHS), st.tuples(HOSTS, SHARES, PATHS)))
def test_a_path_survives_the_way_to_a_uri_and_back(parts: tuple[str, ...]) -> None:
    is_on_drive = len(parts) == 2
    path = PureWindowsPath(f"{parts[0]}:/{parts[1]}" if is_on_drive else f"//{'/'.join(parts)}")
    assert pure_path_from_uri(path.as_uri(), is_windows=True) == path


@given(PATHS, st.sampled_from(["NFC", "NFD"]))
def test_a_name_keeps_its_normal_form(path: str, form: Literal["NFC", "NFD"]) -> None:
    named = unicodedata.normalize(form, f"/{path}")
    for uri in (f"file://{quote(named)}", f"file://localhost{quote(named)}"):
        assert str(pure_path_from_uri(uri, is_windows=False)) == str(PurePosixPath(named))


@given(
    DRIVES,
    st.lists(NAMES, max_size=2),
    st.sampled_from(DEVICES),
    st.booleans(),
    st.sampled_from(["", ".", " ", ". .", ".txt", " .py", ".tar.gz "]),
    st.lists(NAMES, max_size=2),
)
def test_a_device_is_no_file_wherever_its_name_is(
    drive: str, above: list[str], device: str, is_upper: bool, end: str, below: list[str]
) -> None:
    name = (device.upper() if is_upper else device) + end
    path = "/".join([*above, name, *below])
    for uri in spellings_on_a_drive(drive, path):
        assert pure_path_from_uri(uri, is_windows=True) is None, uri
    for uri in spellings_on_a_share("host", "share", path):
        assert pure_path_from_uri(uri, is_windows=True) is None, uri


@given(DRIVES, PATHS, NAMES)
def test_a_stream_of_a_file_is_no_file(drive: str, path: str, stream: str) -> None:
    for end in (f":{stream}", f"%3A{quote(stream)}", "::$DATA"):
        assert pure_path_from_uri(f"file:///{drive}:/{quote(path)}{end}", is_windows=True) is None


def by_windows_rules(uri: str) -> PureWindowsPath | None:
    path = pure_path_from_uri(uri, is_windows=True)
    assert path is None or isinstance(path, PureWindowsPath)
    return path


@pytest.fixture
def _on_windows(monkeypatch: pytest.MonkeyPatch) -> None:
    """Paths are those of Windows, and the disk has none of them."""
    monkeypatch.setattr(document_paths, "path_from_uri", by_windows_rules)
    monkeypatch.setattr(document_paths, "_real_path", lambda path: path)
    monkeypatch.setattr(document_paths, "_status", lambda _: None)


def check_inside(roots: Iterator[str], files: Iterator[str], path: str, sibling: str) -> None:
    known = list(files)
    for root in roots:
        paths = DocumentPaths(root)
        assert paths.unread_root is None
        for uri in known:
            assert folded(paths.of(uri)) == folded(paths.real_of(uri)) == folded(path), (root, uri)
        assert PureWindowsPath(paths.of(sibling)).is_absolute(), (root, sibling)


@pytest.mark.usefixtures("_on_windows")
@given(DRIVES, PATHS, PATHS)
def test_a_file_on_a_drive_is_inside_its_workspace_however_both_are_spelled(
    drive: str, root: str, path: str
) -> None:
    sibling = f"file:///{drive}:/{quote(root)}2/{quote(path)}"
    files = spellings_on_a_drive(drive, f"{root}/{path}")
    check_inside(spellings_on_a_drive(drive, root), files, path, sibling)


@pytest.mark.usefixtures("_on_windows")
@given(HOSTS, SHARES, PATHS, PATHS)
def test_a_file_on_a_share_is_inside_its_workspace_however_both_are_spelled(
    host: str, share: str, root: str, path: str
) -> None:
    sibling = f"file://{host}/{quote(share)}/{quote(root)}2/{quote(path)}"
    files = spellings_on_a_share(host, share, f"{root}/{path}")
    check_inside(spellings_on_a_share(host, share, root), files, path, sibling)


@pytest.mark.security("R4.1")
@pytest.mark.usefixtures("_on_windows")
@given(
    st.sampled_from([".env", "id_rsa", "server.pem", ".ssh/config", "secrets.yaml"]),
    st.sampled_from(["", ".", " ", ". ", "..."]),
    st.booleans(),
    DRIVES,
)
def test_a_private_file_is_private_under_each_name_that_windows_opens(
    name: str, end: str, is_upper: bool, drive: str
) -> None:
    paths = DocumentPaths(f"file:///{drive}%3A/shop")
    for uri in spellings_on_a_drive(drive, f"shop/{name.upper() if is_upper else name}{end}"):
        assert is_never_sent(paths.of(uri)), uri


@given(st.text(max_size=30))
def test_any_text_is_a_path_or_none(text: str) -> None:
    assume("\ud800" not in text)
    for uri in (text, f"file:{text}", f"file://{text}", f"file:///{text}", f"file:///c:/{text}"):
        for is_windows in (True, False):
            path = pure_path_from_uri(uri, is_windows=is_windows)
            assert path is None or path.is_absolute()
