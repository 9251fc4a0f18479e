"""Read two keys of git's configuration (git-config(1)) without running git.

A repository's configuration can name programs that git executes (``core.fsmonitor``).
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from .gitignore import FOLDS_CASE, matches_path
from .guarded import read_guarded

_MAX_FILES = 32
"""Limit of configuration files, including included ones."""

_SYSTEM_FILES = (
    "/etc/gitconfig",
    "/opt/homebrew/etc/gitconfig",
    "/usr/local/etc/gitconfig",
    "C:/Program Files/Git/etc/gitconfig",
)
_NO = {"false", "no", "off", "0", ""}

_SECTION = re.compile(r'[ \t]*\[[ \t]*([A-Za-z0-9.-]+)(?:[ \t]+"((?:\\.|[^"\\\n])*)")?[ \t]*\]')
_KEY = re.compile(r"[ \t]*([A-Za-z][A-Za-z0-9-]*)[ \t]*(=?)[ \t]*")
_COMMENT = re.compile(r"[ \t]*(?:[#;][^\n]*)?(?:\n|$)")
_ESCAPES = {"n": "\n", "t": "\t", "b": "\b", '"': '"', "\\": "\\", "\n": ""}


@dataclass(frozen=True, slots=True)
class GitSettings:
    """``core.excludesFile`` with ``~`` expanded, and ``core.ignoreCase``."""

    excludes_file: str | None = None
    folds_case: bool = FOLDS_CASE


def user_home() -> str:
    """Return the folder that git expands ``~`` to."""
    return os.environ.get("HOME") or os.path.expanduser("~")  # noqa: PTH111  # pathlib raises without a home folder


def user_folder() -> str:
    """Return the folder of the user's git files ``ignore`` and ``config``."""
    return os.path.join(os.environ.get("XDG_CONFIG_HOME") or os.path.join(user_home(), ".config"), "git")  # noqa: PTH118


def with_home(path: str) -> str:
    """Expand ``~`` at the start of a path."""
    return user_home() + path[1:] if path == "~" or path.startswith("~/") else os.path.expanduser(path)  # noqa: PTH111


def is_remote(path: str) -> bool:
    """Return whether opening a path would contact another machine, which a repository must not cause."""
    return os.name == "nt" and path.replace("\\", "/").startswith("//")


def git_settings(git_folder: Path | None, common_folder: Path | None) -> GitSettings:
    """Read the system's, the user's and the repository's configuration; the last value of a key counts.

    ``common_folder`` is shared by the worktrees of ``git_folder``; both are ``None`` outside a repository.
    """
    excludes_file, folds_case = None, FOLDS_CASE
    n_left = [_MAX_FILES]
    for file in _files(git_folder, common_folder):
        for key, value in _values(Path(file), git_folder, n_left):
            if key == "core.excludesfile":
                excludes_file = value if value is None or is_remote(value) else with_home(value)
            elif key == "core.ignorecase":
                folds_case = value is None or value.lower() not in _NO
    return GitSettings(excludes_file, folds_case)


def _files(git_folder: Path | None, common_folder: Path | None) -> Iterator[str | Path]:
    environ: Mapping[str, str] = os.environ
    if environ.get("GIT_CONFIG_NOSYSTEM", "").lower() in _NO:
        yield from (environ["GIT_CONFIG_SYSTEM"],) if "GIT_CONFIG_SYSTEM" in environ else _SYSTEM_FILES
    if "GIT_CONFIG_GLOBAL" in environ:
        yield environ["GIT_CONFIG_GLOBAL"]
    else:
        yield f"{user_folder()}/config"
        yield f"{user_home()}/.gitconfig"
    if common_folder is not None:
        yield common_folder / "config"
    if git_folder is not None:
        yield git_folder / "config.worktree"


def _values(file: Path, git_folder: Path | None, n_left: list[int]) -> Iterator[tuple[str, str | None]]:
    if not n_left[0]:
        return
    n_left[0] -= 1
    text = read_guarded(file, root=None)
    for section, condition, key, value in _entries(text) if isinstance(text, str) else ():
        if key == "path" and value and section in {"include", "includeif"}:
            path = with_home(value)
            if not is_remote(path) and (
                section == "include" or _condition_holds(condition, file, git_folder)
            ):
                yield from _values(file.parent / path, git_folder, n_left)
        elif not condition:
            yield f"{section}.{key}", value


def _condition_holds(condition: str, file: Path, git_folder: Path | None) -> bool:
    kind, _, pattern = condition.partition(":")
    if git_folder is None or kind not in {"gitdir", "gitdir/i"}:
        return False
    pattern = with_home(pattern)
    if pattern.startswith("./"):
        pattern = f"{os.path.realpath(file.parent)}{pattern[1:]}"
    elif not os.path.isabs(pattern):  # noqa: PTH117
        pattern = f"**/{pattern}"
    pattern += "**" if pattern.endswith("/") else ""
    return any(
        matches_path(str(folder), pattern, folds_case=kind == "gitdir/i")
        for folder in (git_folder, os.path.realpath(git_folder))
    )


@lru_cache(maxsize=64)
def _entries(text: str) -> tuple[tuple[str, str, str, str | None], ...]:
    entries: list[tuple[str, str, str, str | None]] = []
    section = subsection = ""
    text = text.removeprefix("\ufeff").replace("\r\n", "\n")
    at = 0
    while at < len(text):
        if header := _SECTION.match(text, at):
            section, subsection = header[1].lower(), re.sub(r"\\(.)", r"\1", header[2] or "")
            at = header.end()
        elif comment := _COMMENT.match(text, at):
            at = comment.end()
        elif key := _KEY.match(text, at):
            at = key.end()
            value = None
            if key[2]:
                read = _value(text, at)
                if read is None:
                    break
                value, at = read
            entries.append((section, subsection, key[1].lower(), value))
        else:
            break
    return tuple(entries)


def _value(text: str, at: int) -> tuple[str, int] | None:
    value: list[str] = []
    n_kept = 0  # length without trailing blanks
    is_quoted = False
    while at < len(text) and text[at] != "\n":
        character = text[at]
        at += 1
        if character == '"':
            is_quoted = not is_quoted
            continue
        if character in "#;" and not is_quoted:
            at = (text.find("\n", at) + 1 or len(text) + 1) - 1
            break
        if character == "\\":
            escaped = _ESCAPES.get(text[at : at + 1])
            if escaped is None:
                return None
            value.append(escaped)
            n_kept, at = len(value), at + 1
        else:
            value.append(character)
            n_kept = n_kept if character in " \t" and not is_quoted else len(value)
    return None if is_quoted else ("".join(value[:n_kept]), at)
