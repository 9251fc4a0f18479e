"""Turn a ``file:`` URI of the editor's into a path of this machine, or into nothing.

A URI is written by an editor, and what is in it may come from a repository. It is taken apart by one strict
pattern and decoded once. Where a path leads is for `files.read_guarded` to find out; here it is only words.
Sources: RFC 8089 (file URIs; section 2 for ``localhost``, appendix E.3 for hosts and UNC paths), RFC 3986
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

# The first character keeps out "." and "?", with which Windows names devices.
_HOST = re.compile(r"[A-Za-z0-9][A-Za-z0-9._$-]*")
_SHARE_PATH = re.compile(r"/(?P<share>[^/\\:]+)(?:[/\\](?P<path>(?![/\\])[^:]*))?", re.DOTALL)
_NO_SHARES = frozenset({"pipe", "mailslot", "ipc$", ""})
"""Names in the place of a share behind which there are no files; dots and spaces at the end do not count."""


def path_from_uri(uri: str) -> Path | None:
    """Return the absolute path that a URI names; ``None`` where it names no file that this machine can open."""
    pure = pure_path_from_uri(uri, is_windows=os.name == "nt")
    return None if pure is None else Path(pure)


def pure_path_from_uri(uri: str, *, is_windows: bool) -> PurePath | None:
    r"""Return the same by the rules of Windows or of POSIX, whichever system this is.

    ``localhost`` is this machine. On Windows any other host is that of a UNC path, ``\\host\share\…``; elsewhere
    its files cannot be opened. On Windows a path without a host begins with a drive's letter. A further colon names
    an alternate data stream there, and some names are devices in every folder; neither is a file.
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
    """Return the UNC path of a file that another computer shares, as WSL does those of Linux."""
    share = _SHARE_PATH.fullmatch(path)
    if share is None or _HOST.fullmatch(host) is None or share["share"].rstrip(" .").lower() in _NO_SHARES:
        return None
    return PureWindowsPath(f"//{host}/{share['share']}/{share['path'] or ''}")


def _without_devices(path: PureWindowsPath | None) -> PureWindowsPath | None:
    has_device = path is not None and any(_DEVICE.fullmatch(part.rstrip(" .")) for part in path.parts[1:])
    return None if has_device else path
