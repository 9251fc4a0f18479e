"""Refused answers as diff files, for editors that can open a document but have no diff view of ours."""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from twospeed.text.lines import bodies_of


class AnswerFiles:
    """A temporary folder that only the user can read: created at the first `write`, removed by `close`."""

    def __init__(self) -> None:
        self._folder: TemporaryDirectory[str] | None = None
        self._n_written = 0

    def write(self, diff: str) -> str:
        """Write a diff to a file of its own; return the file's URI.

        Raises:
            OSError: The file cannot be written.
        """
        if self._folder is None:
            self._folder = TemporaryDirectory(prefix="twospeed-", ignore_cleanup_errors=True)
        self._n_written += 1
        path = Path(self._folder.name) / f"answer-{self._n_written}.diff"
        path.write_text(diff, encoding="utf-8", errors="replace", newline="")
        return path.as_uri()

    def close(self) -> None:
        """Remove the folder."""
        if self._folder is not None:
            self._folder.cleanup()


def diff_of(name: str, old: Sequence[str], new: Sequence[str]) -> str:
    """Return the unified diff of two texts, given as lines with or without their ends; takes long where they are long."""
    old_bodies, new_bodies = (list(bodies_of(lines)) for lines in (old, new))
    for bodies in (old_bodies, new_bodies):
        if bodies and not bodies[-1]:  # what follows the last line end
            bodies.pop()
    lines = difflib.unified_diff(old_bodies, new_bodies, name, f"{name} (refused answer)", lineterm="")
    return "".join(f"{line}\n" for line in lines)
