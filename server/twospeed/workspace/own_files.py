"""Write twospeed's own files, which only the user can read (mode 0600)."""

from __future__ import annotations

import contextlib
import os
import tempfile
from pathlib import Path


def replace_own_file(path: Path, text: str) -> None:
    """Write a file atomically, and create its folder; a link is replaced, not followed. Raises OSError."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    descriptor, temporary = tempfile.mkstemp(dir=path.parent)  # mode 0600
    try:
        _write(descriptor, text)
        Path(temporary).replace(path)
    except BaseException:
        with contextlib.suppress(OSError):
            Path(temporary).unlink()
        raise


def create_own_file(path: Path, text: str) -> None:
    """Write a new file; raises FileExistsError also for a link, and OSError."""
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        _write(descriptor, text)
    except BaseException:
        with contextlib.suppress(OSError):
            path.unlink()
        raise


def _write(descriptor: int, text: str) -> None:
    with open(descriptor, "w", encoding="utf-8", newline="") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
