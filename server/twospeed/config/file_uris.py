"""Convert a ``file:`` URI of the editor to a local path, or to nothing.

A URI may contain text from a repository, so it is parsed by one strict pattern and decoded once. Only
`files.read_guarded` follows the path.
Sources: RFC 8089 (section 2 for ``localhost``, appendix E.3 for hosts and UNC paths), RFC 3986
(percent-encoding), Microsoft's "Naming Files, Paths, and Namespaces" and "[MS-DTYP] UNC".
"""

from __future__ import annotations

import os
import re
from pathlib import Path, PurePath, PurePosixPath, PureWindowsPath
from urllib.parse import unquote

_FILE_URI = re.compile(r"file:(?://(?P<host>[^/?#]*))?(?P<path>/(?!/)[^?#]*)", re.IGNORECASE | re.DOTALL)
_DRIVE_PATH = re.compile(r"/(?P<path>[A-Za-z]:[/\\](?![/\\]).*)", re.DOTALL)
_DEVICE = re.compile(r"(?:CON|PRN|AUX|NUL|COM[0-9¹²³]|LPT[0-9¹²³]) *(?:\..*)?", re.IGNORECASE)

# The first character excludes "." and "?", the hosts of Windows device paths.
_HOST = re.compile(r"[A-Za-z0-9][A-Za-z0-9._$-]*")
_SHARE_PATH = re.compile(r"/(?P<share>[^/\\:]+)(?:[/\\](?P<path>(?![/\\])[^:]*))?", re.DOTALL)
_NO_SHARES = frozenset({"pipe", "mailslot", "ipc$", ""})
"""Share names that contain no files; final dots and spaces are ignored."""


def path_from_uri(uri: str) -> Path | None:
    """Return the absolute path of a URI; ``None`` if it is not a file on this machine."""
    pure = pure_path_from_uri(uri, is_windows=os.name == "nt")
    return None if pure is None else Path(pure)


def pure_path_from_uri(uri: str, *, is_windows: bool) -> PurePath | None:
    """As `path_from_uri`, by the rules of Windows or POSIX on any system.

    ``localhost`` is this machine. On Windows another host makes a UNC path, ``//host/share/…``; elsewhere its
    files cannot be opened. On Windows a path without a host begins with a drive letter. Alternate data streams
    (a further colon) and device names are not files.
    """
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
        return _without_devices(_on_share(host, path) if host else _on_drive(path))
    return None if host else PurePosixPath(path)


def _on_drive(path: str) -> PureWindowsPath | None:
    drive = _DRIVE_PATH.fullmatch(path)
    return None if drive is None or ":" in drive["path"][2:] else PureWindowsPath(drive["path"])


def _on_share(host: str, path: str) -> PureWindowsPath | None:
    """Return the UNC path of a shared file; WSL shares Linux files this way."""
    share = _SHARE_PATH.fullmatch(path)
    if share is None or _HOST.fullmatch(host) is None or share["share"].rstrip(" .").lower() in _NO_SHARES:
        return None
    return PureWindowsPath(f"//{host}/{share['share']}/{share['path'] or ''}")


def _without_devices(path: PureWindowsPath | None) -> PureWindowsPath | None:
    has_device = path is not None and any(_DEVICE.fullmatch(part.rstrip(" .")) for part in path.parts[1:])
    return None if has_device else path
