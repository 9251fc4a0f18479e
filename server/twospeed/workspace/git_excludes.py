"""Find git's ignore files apart from ``.gitignore``: the user's own and the repository's ``info/exclude``.

In worktrees and submodules ``.git`` is a file that names the git folder (gitrepository-layout(5), "gitfile"
and "commondir").
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from .git_config import git_settings, is_remote, user_folder
from .gitignore import FOLDS_CASE
from .guarded import Unreadable, read_guarded

GIT = ".git"
_POINTER = "gitdir:"


@dataclass(frozen=True, slots=True)
class GitExcludes:
    """Ignore files apart from ``.gitignore``, possibly missing, in ascending precedence."""

    files: tuple[Path, ...]
    folds_case: bool = FOLDS_CASE


def excludes_of(top: Path) -> GitExcludes:
    """Return the ignore files of a repository with this top folder, or of a folder outside a repository."""
    git_folder = git_folder_of(top)
    common_folder = None if git_folder is None else _common_folder_of(git_folder)
    settings = git_settings(git_folder, common_folder)
    files: list[Path] = []
    if settings.excludes_file is None:
        files.append(Path(user_folder(), "ignore"))
    elif settings.excludes_file not in {"", os.devnull}:
        files.append(top / settings.excludes_file)
    if common_folder is not None:
        files.append(common_folder / "info" / "exclude")
    return GitExcludes(tuple(files), settings.folds_case)


def exclude_file_of(folder: Path) -> Path | None:
    """Return ``info/exclude`` of a nested repository, or ``None``."""
    git_folder = git_folder_of(folder)
    return None if git_folder is None else _common_folder_of(git_folder) / "info" / "exclude"


def git_folder_of(top: Path) -> Path | None:
    """Return a repository's git folder, following a ``.git`` file, or ``None``."""
    git = top / GIT
    try:
        if git.is_dir():
            return git
        text = read_guarded(git, root=None)
        if isinstance(text, Unreadable) or not text.startswith(_POINTER):
            return None
        folder = _folder_named(text.removeprefix(_POINTER), top)
        return folder if folder is not None and folder.is_dir() else None
    except OSError:
        return None


def _common_folder_of(git_folder: Path) -> Path:
    text = read_guarded(git_folder / "commondir", root=None)
    named = None if isinstance(text, Unreadable) else _folder_named(text, git_folder)
    return named or git_folder


def _folder_named(text: str, base: Path) -> Path | None:
    path = text.strip(" \r\n")
    return None if not path or is_remote(path) else base / path
