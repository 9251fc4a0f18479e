"""Open files that may not be regular files of ordinary size.

A repository can contain links to any path, blocking pipes and files of any size, so `read_guarded` is the
only way to read files of a workspace.
"""

from __future__ import annotations

import contextlib
import errno
import os
import stat
from dataclasses import dataclass
from pathlib import Path

MAX_BYTES = 256 * 1024

# Windows lacks these flags; it has neither such links nor named pipes in folders.
NO_LINK = getattr(os, "O_NOFOLLOW", 0)
"""Flag for `open_regular`: fail if the path is a link."""

_NO_WAITING = getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)

_NOT_REGULAR = "is not a regular file"


@dataclass(frozen=True, slots=True)
class Unreadable:
    """Why a file was not read: a phrase to follow its name, and a line from 1."""

    reason: str
    is_absent: bool = False
    line: int | None = None


def read_guarded(path: Path, *, root: Path | None, max_bytes: int = MAX_BYTES) -> str | Unreadable:
    """Return the UTF-8 text of a regular file, or why it was not read. Links are followed.

    ``root`` must contain the resolved path; ``None`` for the user's own files.
    """
    real_path = real_path_of(path, root=root)
    raw = read_real(real_path, max_bytes=max_bytes) if isinstance(real_path, str) else real_path
    return decoded(raw) if isinstance(raw, bytes) else raw


def real_path_of(path: Path, *, root: Path | None) -> str | Unreadable:
    """Resolve all links of a path; `Unreadable` if it does not exist or leads out of ``root``."""
    try:
        real_path = os.path.realpath(path, strict=True)
        if root is not None and not Path(real_path).is_relative_to(os.path.realpath(root, strict=True)):
            return Unreadable(f"leads out of {root}")
    except (OSError, ValueError) as error:
        return _unreadable(error)
    return real_path


def read_real(real_path: str, *, max_bytes: int = MAX_BYTES) -> bytes | Unreadable:
    """Read a file whose path has no links; nothing is read if it was replaced since."""
    try:
        return _read(real_path, max_bytes)
    except (OSError, ValueError) as error:
        return _unreadable(error)


def open_regular(path: str | os.PathLike[str], flags: int, mode: int = 0o600) -> int:
    """Open one of twospeed's own files without blocking, and return its descriptor (`os.open`).

    Links are followed unless ``flags`` contain `NO_LINK`.

    Raises:
        OSError: It cannot be opened, or is a pipe, a socket, a device or a folder.
    """
    with contextlib.suppress(FileNotFoundError):
        _require_regular(os.stat(path))  # noqa: PTH116  # before opening, because opening a device may have effects
    descriptor = os.open(path, flags | _NO_WAITING, mode)
    try:
        _require_regular(os.fstat(descriptor))
    except BaseException:
        os.close(descriptor)
        raise
    return descriptor


def _require_regular(status: os.stat_result) -> None:
    if stat.S_ISDIR(status.st_mode):
        raise OSError(errno.EISDIR, "is a folder, not a file")
    if not stat.S_ISREG(status.st_mode):
        raise OSError(errno.EINVAL, _NOT_REGULAR)


def trouble_with(path: Path, *, max_bytes: int | None = None) -> str | None:
    """Return why one of twospeed's own files cannot be used, as a phrase to follow its name, or ``None``."""
    try:
        status = path.stat()
        _require_regular(status)
    except FileNotFoundError:
        return None
    except OSError as error:
        return _reason_of(error)
    return None if max_bytes is None or status.st_size <= max_bytes else _too_large(max_bytes)


def _reason_of(error: OSError) -> str:
    reason = error.strerror or "unknown error"
    return reason if reason.startswith("is ") else f"cannot be used: {reason.lower()}"


def _too_large(max_bytes: int) -> str:
    return f"is larger than {max_bytes // 1024} KB"


def _unreadable(error: OSError | ValueError) -> Unreadable:
    if isinstance(error, FileNotFoundError | NotADirectoryError):
        return Unreadable("does not exist", is_absent=True)
    if isinstance(error, OSError):
        return Unreadable(f"cannot be read: {(error.strerror or 'unknown error').lower()}")
    return Unreadable("is not a valid file name")


def _read(real_path: str, max_bytes: int) -> bytes | Unreadable:
    expected = os.lstat(real_path)
    if stat.S_ISDIR(expected.st_mode):
        return Unreadable("is a folder, not a file")
    if not stat.S_ISREG(expected.st_mode):
        return Unreadable(_NOT_REGULAR)
    with open(os.open(real_path, os.O_RDONLY | NO_LINK | _NO_WAITING), "rb") as file:  # noqa: PTH123  # pathlib cannot open a descriptor
        is_same = os.path.samestat(expected, os.fstat(file.fileno()))
        if not is_same or os.path.realpath(real_path) != real_path:
            return Unreadable("was replaced while it was opened")
        raw = file.read(max_bytes + 1)
    if raw and not expected.st_size:
        return Unreadable(_NOT_REGULAR)  # generated by the kernel, as in /proc
    return raw if len(raw) <= max_bytes else Unreadable(_too_large(max_bytes))


def decoded(raw: bytes) -> str | Unreadable:
    """Decode UTF-8; `Unreadable` with the line of the first invalid byte."""
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        return Unreadable(f"is not UTF-8 (byte 0x{raw[error.start]:02x})", line=line)
