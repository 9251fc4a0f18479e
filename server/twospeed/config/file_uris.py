"""Turn a ``file:`` URI of the editor's into a path of this machine, or into nothing.

A URI is written by an editor, and what is in it may come from a repository. It is taken apart by one strict
pattern and decoded once. Where a path leads is for `files.read_guarded` to find out; here it is only words.
Sources: RFC 8089 (file URIs), RFC 3986 (percent-encoding), Microsoft's "Naming Files, Paths, and Namespaces".
"""

from __future__ import annotations

import os
import re
from pathlib import Path, PurePath, PurePosixPath, PureWindowsPath
from urllib.parse import unquote

# No host: a share of another machine is asked for by merely looking at it, with the user's credentials.
_FILE_URI = re.compile(r"file:(?://)?(?P<path>/(?!/)[^?#]*)", re.IGNORECASE | re.DOTALL)
_DRIVE_PATH = re.compile(r"/(?P<path>[A-Za-z]:[/\\](?![/\\]).*)", re.DOTALL)
_DEVICE = re.compile(r"(?:CON|PRN|AUX|NUL|COM[0-9¹²³]|LPT[0-9¹²³]) *(?:\..*)?", re.IGNORECASE)


def path_from_uri(uri: str) -> Path | None:
    """Give the absolute path that a URI names; ``None`` where it names no file of this machine."""
    pure = pure_path_from_uri(uri, is_windows=os.name == "nt")
    return None if pure is None else Path(pure)


def pure_path_from_uri(uri: str, *, is_windows: bool) -> PurePath | None:
    """Do the same by the rules of Windows or of everybody else, whichever system this is.

    On Windows a path begins with a drive's letter. A further colon names an alternate data stream, and some
    names are devices in every folder; neither is a file.
    """
    match = _FILE_URI.fullmatch(uri)
    if match is None:
        return None
    try:
        path = unquote(match["path"], errors="strict")
    except UnicodeDecodeError:
        return None
    if "\0" in path or path.startswith("//"):
        return None
    if not is_windows:
        return PurePosixPath(path)
    drive = _DRIVE_PATH.fullmatch(path)
    if drive is None or ":" in drive["path"][2:]:
        return None
    pure = PureWindowsPath(drive["path"])
    return None if any(_DEVICE.fullmatch(part.rstrip(" .")) for part in pure.parts[1:]) else pure
