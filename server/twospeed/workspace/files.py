"""Which files of a workspace may be context, and their text; each call reads the disk.

A context file is a regular file of at most 256 KB inside the workspace, with links resolved, neither on the
never-send list nor ignored by the settings or by git. Skipped folders: those with an unreadable or too long
ignore file, of version control systems, of installed packages, virtual environments (PEP 405), caches
(``CACHEDIR.TAG``), and deeper than 64 levels.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from twospeed.text.globs import folded

from .git_excludes import GIT, exclude_file_of, excludes_of
from .gitignore import IgnoreRules, parse_rules
from .guarded import MAX_BYTES, Unreadable, decoded, read_real, real_path_of
from .never_send import is_never_sent

logger = logging.getLogger(__name__)

_IGNORE_FILE = ".gitignore"
_MAX_IGNORE_BYTES = 128 * 1024
"""At this size, matching costs 10 microseconds for a character of a path."""

_MAX_DEPTH = 64
"""A walk down 2,000 levels, the longest possible path, takes more than a minute."""

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


@dataclass(frozen=True, slots=True)
class _Rules:
    """Ignore files that apply to one path, the deepest first, each with its state after the path."""

    folds_case: bool
    states: tuple[tuple[IgnoreRules, int], ...] = ()

    def after(self, path: str) -> _Rules:
        """Append to the path."""
        return replace(self, states=tuple((rules, rules.after(state, path)) for rules, state in self.states))

    def ignores(self, *, is_folder: bool = False) -> bool:
        """Return whether the deepest file with a matching pattern ignores the path."""
        answers = (rules.ignores(state, is_folder=is_folder) for rules, state in self.states)
        return next((answer for answer in answers if answer is not None), False)

    def with_file(self, path: Path, *, root: Path | None) -> _Rules | None:
        """Add the ignore file of the current folder; ``None`` if it cannot be read."""
        real_path = real_path_of(path, root=root)
        raw = read_real(real_path, max_bytes=_MAX_IGNORE_BYTES) if isinstance(real_path, str) else real_path
        if isinstance(raw, Unreadable):
            if raw.is_absent:
                return self
            logger.info(
                "no file below the folder of %s is used as context, because the ignore file %s",
                path,
                raw.reason,
            )
            return None
        rules = parse_rules(raw, folds_case=self.folds_case)
        return replace(self, states=((rules, rules.start), *self.states))


class WorkspaceFiles:
    """The files below one folder, without those that ``ignore`` matches (syntax in `text.globs`)."""

    def __init__(self, root: Path, ignore: Sequence[str]) -> None:
        self.root = Path(os.path.realpath(root))
        self._ignore = tuple(ignore)
        folders = (self.root, *self.root.parents)
        self._top = next((folder for folder in folders if _is_there(folder / GIT)), self.root)

    def paths(self) -> Iterator[Path]:
        """Yield the context files as absolute paths, sorted by name, files before subfolders.

        Links are not followed: their targets inside the workspace are found directly.
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
                elif _is_small_file(entry) and not _ignores(rules, entry.name):
                    path = self._top.joinpath(*below)
                    if not is_never_sent(self._pattern_path(path), self._ignore):
                        yield path
            waiting += reversed(folders)

    def read(self, path: Path) -> str | None:
        """Return the text of a context file; ``None`` if it may not be used.

        The path is absolute or relative to the workspace. For a link, both names are checked.
        """
        real_path = real_path_of(self.root / path, root=self.root)
        if isinstance(real_path, Unreadable) or not self._may_read(self.root / path, Path(real_path)):
            return None
        return _text_of(real_path)

    def read_named(self, path: Path) -> str | None:
        """As `read` for a path that `paths` just returned, without checking patterns: a fifth of the cost."""
        return _text_of(str(path))

    def _may_read(self, named: Path, real: Path) -> bool:
        if real == self.root or any(
            is_never_sent(self._pattern_path(path), self._ignore) for path in (named, real)
        ):
            return False
        names = real.relative_to(self._top).parts
        rules = self._rules_down_to(names[:-1])
        return rules is not None and not _ignores(rules, names[-1])

    def _pattern_path(self, path: Path) -> str:
        return str(path.relative_to(self.root) if path.is_relative_to(self.root) else path)

    def _rules_down_to(self, names: Sequence[str]) -> _Rules | None:
        # None: the folder, given by its names below the top, is skipped.
        excludes = excludes_of(self._top)
        rules: _Rules | None = _Rules(excludes.folds_case)
        for file in excludes.files:
            rules = None if rules is None else rules.with_file(file, root=None)
        if rules is not None:
            rules = rules.with_file(self._top / _IGNORE_FILE, root=self._top)
        for n_names in range(1, len(names) + 1):
            if rules is None:
                return None
            rules = self._rules_within(tuple(names[:n_names]), rules)
        return rules

    def _rules_within(self, names: tuple[str, ...], around: _Rules) -> _Rules | None:
        if len(names) > _MAX_DEPTH:
            return None
        folder = self._top.joinpath(*names)
        if folder != self.root and folder.is_relative_to(self.root):
            if folded(names[-1]).rstrip(". ") in _NOT_SOURCE:
                return None
            if any(_is_there(folder / mark) for mark in _MARKS_OF_NO_SOURCE):
                return None
        rules: _Rules | None = around.after(names[-1])
        if rules is None or rules.ignores(is_folder=True):
            return None
        rules = rules.after("/")
        if _is_there(folder / GIT) and (file := exclude_file_of(folder)):  # a submodule or nested repository
            rules = rules.with_file(file, root=None)
        return None if rules is None else rules.with_file(folder / _IGNORE_FILE, root=self._top)


def _text_of(real_path: str) -> str | None:
    raw = read_real(real_path)
    text = decoded(raw) if isinstance(raw, bytes) else raw
    return text if isinstance(text, str) else None


def _is_there(path: Path) -> bool:
    try:
        return path.exists()
    except OSError:
        return False


def _ignores(rules: _Rules, name: str) -> bool:
    return name == GIT or rules.after(name).ignores()  # in a worktree .git is a file


def _entries(folder: Path) -> list[os.DirEntry[str]]:
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
