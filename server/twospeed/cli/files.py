"""A file on disk to the text of a document, and back with every byte outside the edit as it was.

Rules: UTF-8 only; a byte order mark, the line ends and a missing final newline are the file's own and stay.
Writing is all or nothing: a temporary file beside it takes its place, so a crash leaves the old text or the new.
The link is kept where the name is a symbolic one; further hard links keep the old text, for the new one is a new file.
"""

from __future__ import annotations

import codecs
import contextlib
import os
import stat
import tempfile
from dataclasses import dataclass
from pathlib import Path

from twospeed.workspace.guarded import open_regular

from .exits import BadInput

MAX_FILE_BYTES = 8 * 1024 * 1024
"""Source files are far smaller; the server would hold several copies of a larger one."""


@dataclass(frozen=True, slots=True)
class SourceFile:
    """A file as it was read.

    Attributes:
        path: As the user wrote it.
        data: Every byte, to tell later whether somebody else wrote the file meanwhile.
        text: Without the byte order mark, as editors send it.
    """

    path: Path
    data: bytes
    text: str

    def encoded(self, text: str) -> bytes:
        """Turn a new text into the file's bytes, with the byte order mark the file has."""
        mark = codecs.BOM_UTF8 if self.data.startswith(codecs.BOM_UTF8) else b""
        return mark + text.encode("utf-8")


def read_source(path: Path) -> SourceFile:
    """Read a text file exactly.

    Raises:
        BadInput: Missing, not a regular file, too large, binary, or not UTF-8.
    """
    try:
        if not stat.S_ISREG(path.stat().st_mode):
            raise BadInput(
                f"{path}: {'a folder' if path.is_dir() else 'not a regular file'}, not a text file"
            )
        data = _beginning_of(path, MAX_FILE_BYTES + 1)
    except OSError as error:
        raise BadInput(f"{path}: cannot be read: {_why(error)}") from error
    return source_from(path, data)


def _beginning_of(path: Path, n_bytes: int) -> bytes:
    with open(open_regular(path, os.O_RDONLY), "rb") as file:  # noqa: PTH123  # a descriptor
        return file.read(n_bytes)


def source_from(path: Path, data: bytes) -> SourceFile:
    """Make text of a file's bytes, of which one more than the limit may have been read.

    Raises:
        BadInput: Too large, binary, or not UTF-8.
    """
    if len(data) > MAX_FILE_BYTES:
        raise BadInput(f"{path}: larger than {MAX_FILE_BYTES // 1024 // 1024} MiB")
    if b"\0" in data:
        raise BadInput(f"{path}: a binary file, not text in UTF-8")
    try:
        text = data.removeprefix(codecs.BOM_UTF8).decode("utf-8")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise BadInput(f"{path}: not UTF-8 (line {line}); convert it first") from error
    return SourceFile(path, data, text)


def require_writable(path: Path) -> None:
    """Refuse a file that could not be written later, before any model is asked.

    The mode bits count even for a user whom they do not stop: a file somebody made read-only is not ours to change.

    Raises:
        BadInput: The file is read-only, or no file can be made beside it.
    """
    target = path.resolve()
    if not target.stat().st_mode & 0o222 or not os.access(target, os.W_OK):
        raise BadInput(f"{path}: read-only, so --write cannot change it")
    if not os.access(target.parent, os.W_OK):
        raise BadInput(f"{path}: its folder is read-only, so --write cannot change it")


def write_source(source: SourceFile, text: str) -> None:
    """Put a new text in the file's place, with its encoding, mode and owner.

    Raises:
        BadInput: The file was changed or removed since it was read, or the disk said no; it is left as it stands.
    """
    target = source.path.resolve()
    try:
        is_other = target.exists() and not target.is_file()  # a FIFO, say, whose reader waits for a writer
        if is_other or _beginning_of(target, len(source.data) + 1) != source.data:
            raise BadInput(f"{source.path}: changed on disk meanwhile; left as it is, run the command again")
        _replace(target, source.encoded(text))
    except OSError as error:
        raise BadInput(f"{source.path}: cannot be written: {_why(error)}") from error


def workspace_of(path: Path) -> Path:
    """Find the project a file belongs to: the nearest folder above it with a repository or our settings."""
    folder = path.resolve().parent
    marks = (".git", ".hg", ".twospeed.toml")
    return next(
        (above for above in (folder, *folder.parents) if any((above / mark).exists() for mark in marks)),
        folder,
    )


def _replace(target: Path, data: bytes) -> None:
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


def _why(error: OSError) -> str:
    return (error.strerror or type(error).__name__).lower()
