"""Find a program, and make the environment of a command."""

from __future__ import annotations

import os
import shutil
from collections.abc import Collection, Mapping
from pathlib import Path


def find_program(name: str, environ: Mapping[str, str]) -> str | None:
    """Return the path of a program; ``None`` if there is none.

    A name without a folder is searched in the absolute folders of PATH: a relative one may be in a repository.
    """
    if Path(name).is_absolute():
        return name if os.access(name, os.X_OK) and Path(name).is_file() else None
    if Path(name).name != name:
        return None
    folders = [Path(folder) for folder in environ.get("PATH", "").split(os.pathsep)]
    # With a folder in the name, `which` does not search the working folder first, as on Windows.
    found = (shutil.which(str(folder / name)) for folder in folders if folder.is_absolute())
    return next((path for path in found if path), None)


def environment_without(environ: Mapping[str, str], keys: Collection[str]) -> dict[str, str]:
    """Return an environment without the variables of API keys, and without those that have the same value."""
    values = {value for name in keys if (value := environ.get(name, "").strip())}
    return {
        name: value for name, value in environ.items() if name not in keys and value.strip() not in values
    }
