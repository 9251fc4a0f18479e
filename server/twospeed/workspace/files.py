"""Which files of a workspace may be used as context, and their text.

A file counts if it is a regular one inside the workspace with every link followed, of at most 256 KB, is not on
the never-send list (`prompt.never_send`), is not ignored by the settings, and not by git: ``.gitignore`` in each folder
from the repository's top down, and the repository's ``info/exclude``. What git ignores is left out also where git
tracks it, and a folder whose ``.gitignore`` cannot be read is left out whole: nobody knows what it should keep back.
Folders that hold no source of the project are left out, ignored or not: a version control system's own, installed
packages, virtual environments (known by ``pyvenv.cfg``) and caches (known by ``CACHEDIR.TAG``). So are those that are
deeper than anybody nests.
All of it reads the disk, so it is for a thread. Nothing is remembered: an answer is that of the moment.
Sources: gitignore(5); PEP 405; "Cache Directory Tagging Specification".
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path

from twospeed.prompt.never_send import is_never_sent
from twospeed.text.globs import folded

from .gitignore import IgnoreRules, parse_rules
from .guarded import MAX_BYTES, Unreadable, decoded, read_real, real_path_of

_IGNORE_FILE = ".gitignore"
_MAX_IGNORE_BYTES = 64 * 1024
"""Of one file of patterns; real ones have some hundred lines."""

_MAX_DEPTH = 64
"""Folders in folders, from the repository's top on: more than anybody nests. A walk down 2,000 of them, as many as a path
can name, takes more than a minute."""

_NOT_SOURCE = frozenset(
    {
        ".git",
        ".hg",
        ".svn",
        ".jj",
        ".bzr",
        "cvs",
        "node_modules",
        "site-packages",
        "__pycache__",
        ".tox",
        ".nox",
    }
)
_MARKS_OF_NO_SOURCE = frozenset({"pyvenv.cfg", "CACHEDIR.TAG"})

_Rules = tuple[tuple[int, IgnoreRules], ...]
"""The rules that hold in a folder, the deepest first, each with how many names its own folder is below the top."""


class WorkspaceFiles:
    """The files below one folder.

    Args:
        root: The workspace's folder.
        ignore: Patterns of the settings, in the form `text.globs` describes.

    Attributes:
        root: The folder, with every link followed.
    """

    def __init__(self, root: Path, ignore: Sequence[str]) -> None:
        self.root = Path(os.path.realpath(root))
        self._ignore = tuple(ignore)
        folders = (self.root, *self.root.parents)
        self._top = next((folder for folder in folders if _is_there(folder / ".git")), self.root)

    def paths(self) -> Iterator[Path]:
        """Walk the files that may be used as context: in order of names, a folder's own before those of its folders.

        Yields:
            Absolute paths below ``root``, no link in them: what a link leads to inside the workspace is met there.
        """
        names = self.root.relative_to(self._top).parts
        rules = self._rules_down_to(names)
        waiting = [] if rules is None else [(names, rules)]
        while waiting:
            names, rules = waiting.pop()
            folders: list[tuple[tuple[str, ...], _Rules]] = []
            for entry in _entries(self._top.joinpath(*names)):
                below = (*names, entry.name)
                if entry.is_dir(follow_symlinks=False):
                    further = self._rules_within(below, rules)
                    folders += [] if further is None else [(below, further)]
                elif _is_small_file(entry) and not _ignores(rules, below):
                    path = self._top.joinpath(*below)
                    if not is_never_sent(self._in_workspace(path), self._ignore):
                        yield path
            waiting += reversed(folders)

    def read(self, path: Path) -> str | None:
        """Read a file, if it may be used as context.

        Args:
            path: Absolute, or relative to ``root``. It may be a link to a file of the workspace: then both names count.

        Returns:
            The text, decoded from UTF-8, with its line ends; ``None`` where there is none that may be used.
        """
        real_path = real_path_of(self.root / path, root=self.root)
        if isinstance(real_path, Unreadable) or not self._may_read(self.root / path, Path(real_path)):
            return None
        return _text_of(real_path)

    def read_named(self, path: Path) -> str | None:
        """Read a file that `paths` has named a moment ago, as `read` does; the patterns are not asked again.

        Cost: a fifth of what `read` takes.
        """
        return _text_of(str(path))

    def _may_read(self, named: Path, real: Path) -> bool:
        if real == self.root or any(
            is_never_sent(self._in_workspace(path), self._ignore) for path in (named, real)
        ):
            return False
        names = real.relative_to(self._top).parts
        rules = self._rules_down_to(names[:-1])
        return rules is not None and not _ignores(rules, names)

    def _in_workspace(self, path: Path) -> str:
        """Name a path as patterns judge it."""
        return str(path.relative_to(self.root) if path.is_relative_to(self.root) else path)

    def _rules_down_to(self, names: Sequence[str]) -> _Rules | None:
        """Find the rules that hold in a folder, given by its names from the top on; ``None`` if it is left out."""
        rules: _Rules | None = ()
        if _is_there(self._top / ".git", is_folder=True):  # it is a file in a worktree
            rules = self._with_rules_of((), (), Path(".git", "info", "exclude"))
        if rules is not None:
            rules = self._with_rules_of((), rules, Path(_IGNORE_FILE))
        for n_names in range(1, len(names) + 1):
            if rules is None:
                return None
            rules = self._rules_within(tuple(names[:n_names]), rules)
        return rules

    def _rules_within(self, names: tuple[str, ...], around: _Rules) -> _Rules | None:
        """Find the rules that hold in a folder, given those of the folder around it; ``None`` if it is left out."""
        if len(names) > _MAX_DEPTH:
            return None
        folder = self._top.joinpath(*names)
        if folder != self.root and folder.is_relative_to(self.root):
            if folded(names[-1]).rstrip(". ") in _NOT_SOURCE:
                return None
            if any(_is_there(folder / mark) for mark in _MARKS_OF_NO_SOURCE):
                return None
        if _ignores(around, names, is_folder=True):
            return None
        return self._with_rules_of(names, around, Path(_IGNORE_FILE))

    def _with_rules_of(self, names: tuple[str, ...], around: _Rules, file: Path) -> _Rules | None:
        """Put a folder's own rules in front; ``None`` if there is a file of them that cannot be read."""
        real_path = real_path_of(self._top.joinpath(*names, file), root=self._top)
        raw = read_real(real_path, max_bytes=_MAX_IGNORE_BYTES) if isinstance(real_path, str) else real_path
        if isinstance(raw, Unreadable):
            return around if raw.is_absent else None
        # As file names are decoded, so that a pattern in another encoding than UTF-8 matches its name all the same.
        return ((len(names), parse_rules(os.fsdecode(raw))), *around)


def _text_of(real_path: str) -> str | None:
    raw = read_real(real_path)
    text = decoded(raw) if isinstance(raw, bytes) else raw
    return text if isinstance(text, str) else None


def _is_there(path: Path, *, is_folder: bool = False) -> bool:
    """Tell whether there is such a file or folder, or such a folder; there is none where nobody may look."""
    try:
        return path.is_dir() if is_folder else path.exists()
    except OSError:
        return False


def _ignores(rules: _Rules, names: Sequence[str], *, is_folder: bool = False) -> bool:
    """Ask the rules about a path, given by its names from the top on; the deepest that say anything decide."""
    answers = (each.ignores(names[n_names:], is_folder=is_folder) for n_names, each in rules)
    return next((answer for answer in answers if answer is not None), False)


def _entries(folder: Path) -> list[os.DirEntry[str]]:
    """List what is in a folder, by name; nothing where it cannot be listed."""
    try:
        with os.scandir(folder) as entries:
            return sorted(entries, key=lambda entry: entry.name)
    except OSError:
        return []


def _is_small_file(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_file(follow_symlinks=False) and entry.stat(follow_symlinks=False).st_size <= MAX_BYTES
    except OSError:
        return False
