"""Paths of documents in the workspace, for rules that match file names.

A client may spell the workspace and a document differently (symbolic link, case, Unicode normal form). The file system decides
whether two folders are one; if it cannot, folded names are compared, which can only match more.
"""

from __future__ import annotations

import os
import re
from pathlib import Path, PurePath, PurePosixPath, PureWindowsPath
from urllib.parse import unquote

from twospeed.text.globs import folded

# A file URI may contain text from a repository, so it is parsed by one strict pattern and decoded once.
# Sources: RFC 8089 (section 2 for ``localhost``, appendix E.3 for hosts and UNC paths), RFC 3986
# (percent-encoding), Microsoft's "Naming Files, Paths, and Namespaces" and "[MS-DTYP] UNC".
_FILE_URI = re.compile(r"file:(?://(?P<host>[^/?#]*))?(?P<path>/(?!/)[^?#]*)", re.IGNORECASE | re.DOTALL)
_DRIVE_PATH = re.compile(r"/(?P<path>[A-Za-z]:[/\\](?![/\\]).*)", re.DOTALL)
_DEVICE = re.compile(
    r"(?:CON|CONIN\$|CONOUT\$|PRN|AUX|NUL|COM[0-9¹²³]|LPT[0-9¹²³]) *(?:\..*)?", re.IGNORECASE
)

# The first character excludes "." and "?", the hosts of Windows device paths.
_HOST = re.compile(r"[A-Za-z0-9][A-Za-z0-9._$-]*")
_SHARE_PATH = re.compile(r"/(?P<share>[^/\\:]+)(?:[/\\](?P<path>(?![/\\])[^:]*))?", re.DOTALL)
_NO_SHARES = frozenset({"pipe", "mailslot", "ipc$", ""})
"""Shares without files; final dots and spaces are ignored."""


class DocumentPaths:
    """The paths of documents in one workspace."""

    def __init__(self, root_uri: str | None) -> None:
        self._root_uri = root_uri
        # As the client spells it; None if the URI is not a folder of this machine.
        self.root = path_from_uri(root_uri) if root_uri else None
        self._real_root = _real_path(self.root) if self.root else None
        self.notebook_of: dict[str, str] = {}
        """The URI of its notebook for each cell, which has the notebook's path."""

    @property
    def unread_root(self) -> str | None:
        """The URI of a workspace whose files cannot be read; else None."""
        return self._root_uri if self._root_uri and self.root is None else None

    def of(self, uri: str) -> str:
        """Return a document's path, relative to the workspace if it is inside.

        The file system is accessed only if the document is not below the root by name.
        """
        uri, path = self._named_by(uri)
        return self._by_uri(uri) if path is None else self._relative(path)

    def below_root(self, uri: str) -> str | None:
        """Return the path of a file below the workspace by its name, else ``None``; accesses no file system."""
        path = path_from_uri(uri)
        return None if path is None else self._below_root(path)

    def real_of(self, uri: str) -> str:
        """As `of`, with symbolic links and ``..`` resolved."""
        _, path = self._named_by(uri)
        if path is None or not self._may_access(path):
            return self.of(uri)
        return self._relative(_real_path(path))

    def _named_by(self, uri: str) -> tuple[str, Path | None]:
        """Return the URI that names a document, and its path; a file keeps its own name even if it is called a cell."""
        path = path_from_uri(uri)
        notebook = self.notebook_of.get(uri) if path is None else None
        return (uri, path) if notebook is None else (notebook, path_from_uri(notebook))

    def _below_root(self, path: Path) -> str | None:
        for root in (self.root, self._real_root):
            if root and path.is_relative_to(root):
                return path.relative_to(root).as_posix()
        return None

    def _relative(self, path: Path) -> str:
        if below := self._below_root(path):
            return below
        folder = self._root_above(path)
        return (path.relative_to(folder) if folder else path).as_posix()

    def _root_above(self, path: Path) -> Path | None:
        if self.root is None or not self._may_access(path):
            return None
        root = _status(self.root)
        for folder in path.parents:
            status = _status(folder)
            if root and status:
                is_root = os.path.samestat(root, status)
            else:
                is_root = folded(folder.as_posix()) == folded(self.root.as_posix())
            if is_root:
                return folder
        return None

    def _may_access(self, path: Path) -> bool:
        # Not a share of another computer, which may be slow or hostile, unless the workspace is there.
        own_drive = self.root.drive if self.root else ""
        return not path.drive.startswith("\\\\") or path.drive.casefold() == own_drive.casefold()

    def _by_uri(self, uri: str) -> str:
        scheme, path = _scheme_and_path(uri)
        root_scheme, root = _scheme_and_path(self._root_uri or "")
        names, root_names = PurePosixPath(path).parts, PurePosixPath(root).parts
        n_names = len(root_names)
        is_inside = n_names > 0 and scheme == root_scheme and len(names) > n_names
        if is_inside and all(map(_is_same_name, names, root_names)):
            return "/".join(names[n_names:])
        return path


def _real_path(path: Path) -> Path:
    try:
        return Path(os.path.realpath(path))
    except (OSError, ValueError):
        return path


def _status(path: Path) -> os.stat_result | None:
    try:
        return path.stat()
    except (OSError, ValueError):
        return None


def _scheme_and_path(uri: str) -> tuple[str, str]:
    scheme, _, path = re.split(r"[?#]", uri)[0].partition(":")
    return scheme.lower(), unquote(path or uri)


def _is_same_name(name: str, other: str) -> bool:
    return folded(name) == folded(other)


def path_from_uri(uri: str) -> Path | None:
    """Return the absolute path of a URI; None if it is not a file on this machine."""
    pure = pure_path_from_uri(uri, is_windows=os.name == "nt")
    return None if pure is None else Path(pure)


def pure_path_from_uri(uri: str, *, is_windows: bool) -> PurePath | None:
    """As `path_from_uri`, by the rules of Windows or POSIX on any system."""
    match = _FILE_URI.fullmatch(uri)
    if match is None:
        return None
    try:
        path = unquote(match["path"], errors="strict")
        host = unquote(match["host"] or "", errors="strict")
    except UnicodeDecodeError:
        return None
    if "\0" in path or path.startswith("//"):
        return None
    host = "" if host.lower() == "localhost" else host
    if is_windows:
        # Another host makes a UNC path, `//host/share/…`, as WSL shares Linux files. Other paths begin with a drive letter.
        # Alternate data streams (a further colon) and device names are not files.
        return _without_devices(_on_share(host, path) if host else _on_drive(path))
    return None if host else PurePosixPath(path)


def _on_drive(path: str) -> PureWindowsPath | None:
    drive = _DRIVE_PATH.fullmatch(path)
    return None if drive is None or ":" in drive["path"][2:] else PureWindowsPath(drive["path"])


def _on_share(host: str, path: str) -> PureWindowsPath | None:
    share = _SHARE_PATH.fullmatch(path)
    if share is None or _HOST.fullmatch(host) is None or share["share"].rstrip(" .").lower() in _NO_SHARES:
        return None
    return PureWindowsPath(f"//{host}/{share['share']}/{share['path'] or ''}")


def _without_devices(path: PureWindowsPath | None) -> PureWindowsPath | None:
    has_device = path is not None and any(_DEVICE.fullmatch(part.rstrip(" .")) for part in path.parts[1:])
    return None if has_device else path
