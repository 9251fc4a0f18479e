"""Whether an import of one file refers to another file of the workspace, by their paths alone."""

from __future__ import annotations

import sys
from collections.abc import Collection
from posixpath import dirname, normpath, splitext
from typing import Literal

Match = Literal["certain", "possible", "none"]

SCRIPT_ENDINGS = (".js", ".jsx", ".ts", ".tsx", ".mjs", ".cjs", ".mts", ".cts")
_SOURCE_FOLDERS = frozenset({"src", "lib", "python"})
"""Folders that projects put on the path of modules."""


def stem_of(path: str) -> str:
    """Return the name by which a file is imported: of its folder for ``__init__`` and ``index``."""
    stem = splitext(path)[0]
    folder, _, name = stem.rpartition("/")
    return folder.rpartition("/")[2] if name in ("__init__", "index") else name


def match_python(
    module: str, path: str, home: str, files: Collection[str], others: Collection[str] = ()
) -> Match:
    """Return whether a module that the file ``path`` imports is the file ``home``.

    Args:
        module: As written, with leading dots.
        path: The importing file.
        home: The file of the definition.
        files: The known files, which show the packages.
        others: Files that define the same name.
    """
    names = module.lstrip(".")
    level = len(module) - len(names)
    written = names.replace(".", "/")
    if level:
        folder: str | None = dirname(path)
        for _ in range(level - 1):
            folder = dirname(folder) if folder else None
        if folder is None:
            return "none"
        return _relation("/".join(part for part in (folder, written) if part), home, others, "__init__")
    first = written.partition("/")[0]
    if not written or (first in sys.stdlib_module_names and not home.startswith(f"{first}/")):
        return "none"
    if _is_module_of(written, path, home, files):
        return "certain"
    is_related = first in splitext(home)[0].split("/") and not _is_defined_in(written, others, "__init__")
    return "possible" if is_related else "none"


def _is_module_of(written: str, path: str, home: str, files: Collection[str]) -> bool:
    """Return whether an absolute module, with slashes, is certainly the file ``home``."""
    target, folder = _without_ending(home, "__init__"), dirname(home)
    if not _is_package(folder, files) and written == target.rpartition("/")[2] and dirname(path) == folder:
        return True  # a script and a module in its folder
    root = _python_root(home, files)
    around = dirname(root) if root.rpartition("/")[2] in _SOURCE_FOLDERS else root
    is_near = not around or path.startswith(f"{around}/")
    is_root_known = root != folder or not root or root in _SOURCE_FOLDERS
    return is_near and is_root_known and written == (target.removeprefix(f"{root}/") if root else target)


def _python_root(home: str, files: Collection[str]) -> str:
    """Return the folder from which the modules around a file are named."""
    folder = dirname(home)
    if not _is_package(folder, files):
        first, _, _ = home.partition("/")
        return first if first in _SOURCE_FOLDERS and "/" in home else ""
    while folder and _is_package(folder, files):
        folder = dirname(folder)
    return folder


def _is_package(folder: str, files: Collection[str]) -> bool:
    return bool(folder) and f"{folder}/__init__.py" in files


def match_script(
    module: str, path: str, home: str, files: Collection[str], others: Collection[str] = ()
) -> Match:
    """Return the same for the specifier of a JavaScript or TypeScript import."""
    target = _without_ending(home, "index")
    if module.startswith("."):
        written = normpath("/".join(part for part in (dirname(path), module) if part))
        stem, ending = splitext(written)
        written = stem if ending in SCRIPT_ENDINGS else written
        relation = _relation(written.removesuffix("/index"), home, others, "index")
        if relation != "certain":
            return relation
        same = [f"{base}{end}" for base in (target, f"{target}/index") for end in SCRIPT_ENDINGS]
        return "certain" if not any(each != home and each in files for each in same) else "possible"
    last = splitext(module.rpartition("/")[2])[0]
    return (
        "possible" if last == stem_of(home) or (module[:1] in ("@", "~", "#") and "/" in module) else "none"
    )


def _without_ending(home: str, index: str) -> str:
    return splitext(home)[0].removesuffix(f"/{index}")


def _relation(written: str, home: str, others: Collection[str], index: str) -> Match:
    """Return whether a path without ending is a file; another file of the project may export its names again."""
    if written == _without_ending(home, index):
        return "certain"
    return "none" if _is_defined_in(written, others, index) else "possible"


def _is_defined_in(written: str, others: Collection[str], index: str) -> bool:
    return any(_without_ending(each, index) == written for each in others)
