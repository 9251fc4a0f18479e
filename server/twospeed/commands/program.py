"""Find a program, and make the environment of a command."""

from __future__ import annotations

import os
from collections.abc import Collection, Mapping
from pathlib import Path

_WINDOWS_PROGRAMS = (".exe", ".com")
"""Suffixes of programs that Windows starts without a shell. cmd.exe runs a batch file, and parses its arguments."""


def find_program(name: str, environ: Mapping[str, str]) -> str | None:
    """Return the path of a program; ``None`` if there is none.

    A name without a folder is searched in the absolute folders of PATH: a relative one may be in a repository.
    """
    names = program_names(name, is_windows=os.name == "nt")
    if Path(name).is_absolute():
        return next(filter(_is_program, names), None)
    if Path(name).name != name:
        return None
    folders = [Path(folder) for folder in environ.get("PATH", "").split(os.pathsep)]
    paths = (str(folder / each) for folder in folders if folder.is_absolute() for each in names)
    return next(filter(_is_program, paths), None)


def program_names(name: str, *, is_windows: bool) -> tuple[str, ...]:
    """Return the names of files that a program's name can mean, by the rules of Windows or POSIX on any system."""
    if not is_windows or name.lower().endswith(_WINDOWS_PROGRAMS):
        return (name,)
    return tuple(name + suffix for suffix in _WINDOWS_PROGRAMS)


def _is_program(path: str) -> bool:
    return os.access(path, os.X_OK) and Path(path).is_file()


def environment_without(environ: Mapping[str, str], keys: Collection[str]) -> dict[str, str]:
    """Return an environment without the variables of API keys, and without those that have the same value."""
    values = {value for name in keys if (value := environ.get(name, "").strip())}
    return {
        name: value for name, value in environ.items() if name not in keys and value.strip() not in values
    }
