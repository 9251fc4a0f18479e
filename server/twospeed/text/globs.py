"""Patterns of file names, in the style of ``.gitignore``.

* A pattern without a slash matches a name anywhere: ``*.pem``, ``node_modules``.
* A pattern with a slash before its end is anchored at the workspace's root: ``build/out``, ``/notes.md``.
* ``**`` as a whole part of a path stands for any number of folders, none included.
* ``*``, ``?`` and ``[a-z]`` match within one name. A pattern that matches a folder matches all that is in it;
  one that ends with a slash matches folders only.

Names are compared case-folded and in Unicode's composed form, for file systems that do the same: this can only
match more. There is no ``!`` and no escape character, because such a list only adds.
A pattern may come from a repository, so a match must not take long whatever it says: folders are stepped
through without backtracking, and within a name `fnmatch` makes every ``*`` but the last atomic.
Source: gitignore(5), "Pattern format".
"""

from __future__ import annotations

import fnmatch
import unicodedata
from collections.abc import Iterable, Sequence
from functools import lru_cache

ANY_FOLDERS = "**"
"""Part of a pattern that stands for any number of folders, none included."""


def first_match(path: str, patterns: Iterable[str]) -> str | None:
    """Return the first pattern that matches a path, ``None`` where none does.

    Args:
        path: Relative to the workspace's root, or absolute for a file outside of it, with ``/`` or a
            backslash between its parts.
        patterns: As in the module's description.
    """
    return _first_match(path, tuple(patterns))


def first_match_of_file(path: str, patterns: Iterable[str]) -> str | None:
    """Do the same for whatever file a path opens: Windows takes ``id_rsa. `` for ``id_rsa``, ``.env::$DATA`` for ``.env``."""
    names = path.replace("\\", "/").split("/")
    plain = "/".join(name.split(":")[0].rstrip(". ") or name for name in names)
    patterns = tuple(patterns)
    return first_match(path, patterns) or (first_match(plain, patterns) if plain != path else None)


@lru_cache(maxsize=256)  # every edit of a document asks the same again
def _first_match(path: str, patterns: tuple[str, ...]) -> str | None:
    parts = parts_of(path)
    return next((pattern for pattern in patterns if _matches(parts, pattern)), None)


def parts_of(path: str) -> tuple[str, ...]:
    """Cut a path into folded names, without empty parts and ``.``."""
    names = folded(path).replace("\\", "/").split("/")
    return tuple(name for name in names if name not in {"", "."})


def folded(text: str) -> str:
    """Bring a name into the form in which names are compared: composed and case-folded."""
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", text).casefold())


def _matches(parts: tuple[str, ...], pattern: str) -> bool:
    if not pattern.strip("/"):
        return False
    wanted, only_folders = _parse(pattern)
    n_folders = len(parts) - 1 if only_folders else len(parts)
    return any(n_parts <= n_folders for n_parts in matched_lengths(parts, wanted))


@lru_cache(maxsize=1024)
def _parse(pattern: str) -> tuple[tuple[str, ...], bool]:
    """Cut a pattern into parts, ``**`` first where it is not anchored, and tell whether it asks for a folder."""
    body = pattern.rstrip("/")
    parts = parts_of(body)
    anywhere = () if "/" in body else (ANY_FOLDERS,)
    inside = ("*",) if parts[-1:] == (ANY_FOLDERS,) else ()  # "a/**" is what is in it, not the folder
    return (*anywhere, *parts, *inside), pattern.endswith("/")


def matched_lengths(parts: Sequence[str], wanted: Sequence[str]) -> set[int]:
    """Return the lengths of all beginnings of ``parts`` that the whole pattern matches.

    Args:
        parts: Names on the way to a file.
        wanted: Pattern of each name, in `fnmatch`'s notation, or ``**``.

    Cost: O(parts x wanted) name comparisons.
    """
    reached = {0}
    for part in wanted:
        if part == ANY_FOLDERS:
            reached = set(range(min(reached), len(parts) + 1)) if reached else reached
        else:
            reached = {n + 1 for n in reached if n < len(parts) and fnmatch.fnmatchcase(parts[n], part)}
    return reached
