"""One spelling for each file of a workspace.

The editor may spell the path of a file differently from the disk: on Windows and macOS case makes no difference, on macOS
neither does the Unicode normal form.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable

from twospeed.text.globs import folded

FOLDS_NAMES = sys.platform in {"darwin", "win32"}
"""Whether names that differ by case or normal form are one file, as is the default of file systems here."""


class Spellings:
    """The paths of files as they are known, to find them by another spelling."""

    def __init__(self, paths: Iterable[str] = (), *, folds_names: bool | None = None) -> None:
        self._folds_names = FOLDS_NAMES if folds_names is None else folds_names
        self._known: dict[str, str] = {}
        self.prefer(paths)

    def prefer(self, paths: Iterable[str]) -> None:
        """Replace the known spellings of these files."""
        if self._folds_names:
            self._known |= {folded(path): path for path in paths}

    def add(self, path: str) -> str:
        """Return the known spelling of a path, which is its own if it was not known."""
        return self._known.setdefault(folded(path), path) if self._folds_names else path

    def of(self, path: str) -> str:
        """Return the known spelling of a path; the path itself if it is not known."""
        return self._known.get(folded(path), path) if self._folds_names else path
