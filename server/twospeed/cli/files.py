"""Reads a UTF-8 file as the text of a document, and writes it back with every byte outside the edit unchanged."""

from __future__ import annotations

import codecs
import contextlib
import os
import stat
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from twospeed.workspace.guarded import open_regular

from .exits import BadInput

MAX_FILE_BYTES = 8 * 1024 * 1024
"""The server would store several copies of a larger file."""


@dataclass(frozen=True, slots=True)
class SourceFile:
    """A file that was read."""

    path: Path  # as the user wrote it
    data: bytes  # to detect that another program writes the file later
    text: str  # without the byte order mark, as editors send it

    def encoded(self, text: str) -> bytes:
        """Encode a new text, with the byte order mark if the file has one."""
        mark = codecs.BOM_UTF8 if self.data.startswith(codecs.BOM_UTF8) else b""
        return mark + text.encode("utf-8")


def read_source(path: Path) -> SourceFile:
    """Read a text file; raises `BadInput`."""
    try:
        if not stat.S_ISREG(path.stat().st_mode):
            raise BadInput(
                f"{path}: {'this is a folder' if path.is_dir() else 'not a regular file'}, not a text file"
            )
        data = _beginning_of(path, MAX_FILE_BYTES + 1)
    except OSError as error:
        raise BadInput(f"{path}: cannot be read: {_reason_of(error)}") from error
    return source_from(path, data)


def _beginning_of(path: Path, n_bytes: int) -> bytes:
    with open(open_regular(path, os.O_RDONLY), "rb") as file:  # noqa: PTH123  # a descriptor
        return file.read(n_bytes)


def read_stdin(path: Path) -> SourceFile:
    """Read stdin to its end as the text of a file that need not exist; raises `BadInput`."""
    try:
        return source_from(path, sys.stdin.buffer.read(MAX_FILE_BYTES + 1))
    except OSError as error:
        raise BadInput(f"stdin cannot be read: {_reason_of(error)}") from error


def source_from(path: Path, data: bytes) -> SourceFile:
    """Decode a file's bytes; raises `BadInput` if they are too many, binary or not UTF-8."""
    if len(data) > MAX_FILE_BYTES:
        raise BadInput(f"{path}: larger than {MAX_FILE_BYTES // 1024 // 1024} MiB")
    if b"\0" in data:
        raise BadInput(f"{path}: this is a binary file, not UTF-8 text")
    try:
        text = data.removeprefix(codecs.BOM_UTF8).decode("utf-8")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise BadInput(f"{path}: line {line} is not UTF-8; convert the file first") from error
    return SourceFile(path, data, text)


def require_writable(path: Path) -> None:
    """Raise `BadInput` if the file or its folder is read-only."""
    target = path.resolve()
    # The mode bits count even for a user who could ignore them.
    if not target.stat().st_mode & 0o222 or not os.access(target, os.W_OK):
        raise BadInput(f"{path}: the file is read-only, so it cannot be changed")
    if not os.access(target.parent, os.W_OK):
        raise BadInput(f"{path}: the folder is read-only, so the file cannot be changed")


def write_source(source: SourceFile, text: str) -> None:
    """Replace the text of a file; raises `BadInput` if it has changed or writing fails, and leaves it unchanged."""
    require_unchanged(source)
    try:
        _replace(source.path.resolve(), source.encoded(text))
    except OSError as error:
        raise BadInput(f"{source.path}: cannot be written: {_reason_of(error)}") from error


def require_unchanged(source: SourceFile) -> None:
    """Raise `BadInput` if the file has changed since it was read."""
    target = source.path.resolve()
    try:
        is_other = target.exists() and not target.is_file()  # opening a FIFO would wait for a writer
        if is_other or _beginning_of(target, len(source.data) + 1) != source.data:
            raise BadInput(f"{source.path}: another program changed the file; nothing was written")
    except OSError as error:
        raise BadInput(f"{source.path}: cannot be written: {_reason_of(error)}") from error


def workspace_of(path: Path) -> Path:
    """Return the nearest folder with a repository or our settings, else the file's folder."""
    folder = path.resolve().parent
    marks = (".git", ".hg", ".twospeed.toml")
    return next(
        (above for above in (folder, *folder.parents) if any((above / mark).exists() for mark in marks)),
        folder,
    )


def _replace(target: Path, data: bytes) -> None:
    # Atomic. A symbolic link is kept, because the target is resolved; other hard links keep the old text.
    was = target.stat()
    handle, name = tempfile.mkstemp(prefix=".twospeed-", dir=target.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        with contextlib.suppress(OSError, AttributeError):  # not the owner, or no owners on this system
            os.chown(name, was.st_uid, was.st_gid)
        Path(name).chmod(stat.S_IMODE(was.st_mode))
        Path(name).replace(target)
    except BaseException:
        with contextlib.suppress(FileNotFoundError):
            Path(name).unlink()
        raise


def _reason_of(error: OSError) -> str:
    return (error.strerror or type(error).__name__).lower()
