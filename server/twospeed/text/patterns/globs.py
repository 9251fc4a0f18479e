"""Patterns of file names, in the style of ``.gitignore``.

* A pattern without a slash matches a name anywhere: ``*.pem``, ``node_modules``.
* A pattern with a slash before its end is anchored at the workspace's root: ``build/out``, ``/notes.md``.
* ``**`` as a whole part of a path stands for any number of folders, none included.
* ``*``, ``?``, ``[a-z]``, ``[!a-z]`` and ``[[:digit:]]`` match within one name; a ``[`` without its ``]`` is itself.
  A pattern that matches a folder matches all that is in it; one that ends with a slash matches folders only.

Names are compared case-folded and in Unicode's composed form, for file systems that do the same: this can only
match more. There is no ``!`` and no escape character, because such a list only adds.
A pattern may come from a repository, so it takes linear time to read and to match, whatever it is (`wildcards`).
Source: gitignore(5), "Pattern format".
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Iterator
from functools import lru_cache

from .character_sets import ANY_CHARACTER, read_set
from .wildcards import Item, Pattern, PatternSet, Star

_ANY_FOLDERS = "**"


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
    pattern_set, kept = _pattern_set(patterns)
    names = parts_of(path)
    matches, state = 0, pattern_set.start
    for n_names, name in enumerate(names, 1):
        state = pattern_set.after(state, name)
        matches |= pattern_set.matches(state, is_folder=n_names < len(names))
        state = pattern_set.after(state, "/")
    return kept[pattern_set.first(matches)] if matches else None


def parts_of(path: str) -> tuple[str, ...]:
    """Cut a path into folded names, without empty parts and ``.``."""
    names = folded(path).replace("\\", "/").split("/")
    return tuple(name for name in names if name not in {"", "."})


def folded(text: str) -> str:
    """Bring a name into the form in which names are compared: composed and case-folded."""
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", text).casefold())


@lru_cache(maxsize=32)
def _pattern_set(patterns: tuple[str, ...]) -> tuple[PatternSet, tuple[str, ...]]:
    """Read patterns; return them with those that can match anything."""
    kept = tuple(pattern for pattern in patterns if pattern.strip("/"))
    return PatternSet(Pattern(list(_items(pattern)), pattern.endswith("/")) for pattern in kept), kept


def _items(pattern: str) -> Iterator[Item]:
    body = pattern.rstrip("/")
    parts = parts_of(body)
    if not parts:  # the root itself
        yield Star.IN_PATH
    if "/" not in body:
        yield Star.FOLDERS
    for number, part in enumerate(parts):
        if part != _ANY_FOLDERS:
            yield from _items_of_name(part)
            yield from "/" if number + 1 < len(parts) else ""
        else:
            yield Star.FOLDERS
            if number + 1 == len(parts):  # "a/**" is what is in it, not the folder
                yield Star.IN_NAME


def _items_of_name(part: str) -> Iterator[Item]:
    at = 0
    may_open = True
    while at < len(part):
        character = part[at]
        at += 1
        if character == "*":
            yield Star.IN_NAME
        elif character == "?":
            yield ANY_CHARACTER
        elif character == "[" and may_open and (read := read_set(part, at, folds_case=True)):
            characters, at = read
            yield characters
        elif character == "[":
            may_open = False  # each further one would read to the end again
            yield character
        else:
            yield character
