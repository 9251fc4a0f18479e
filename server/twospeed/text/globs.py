"""File patterns in the style of ``.gitignore`` (gitignore(5), "Pattern format"), matched in linear time.

* A pattern without a slash matches a name at any depth: ``*.pem``, ``node_modules``.
* A pattern with a slash before its end is anchored at the workspace root: ``build/out``.
* ``**`` as a whole part matches any number of folders.
* ``*``, ``?``, ``[a-z]``, ``[!a-z]`` and ``[[:digit:]]`` match within one name.
* A pattern that matches a folder matches its content. A final slash means only folders.

Names are compared case-folded and in NFC. There is no ``!`` and no escape character, because such a list only
adds.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Iterator
from functools import lru_cache

from .wildcards import ANY_CHARACTER, Item, Pattern, PatternSet, Star, read_set

_ANY_FOLDERS = "**"


def first_match(path: str, patterns: Iterable[str]) -> str | None:
    """Return the first pattern that matches a path below the root, or an absolute one, or ``None``."""
    return _first_match(path, tuple(patterns))


def first_match_of_file(path: str, patterns: Iterable[str]) -> str | None:
    """Return the first pattern that matches any name which opens the file, or ``None``.

    Windows opens ``.env`` for ``.env::$DATA`` and ``id_rsa`` for ``id_rsa. ``.
    """
    names = path.replace("\\", "/").split("/")
    plain = "/".join(name.split(":")[0].rstrip(". ") or name for name in names)
    patterns = tuple(patterns)
    return first_match(path, patterns) or (first_match(plain, patterns) if plain != path else None)


@lru_cache(maxsize=256)  # each edit of a document repeats the query
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
    """Split a path into folded names, without empty parts and ``.``."""
    names = folded(path).replace("\\", "/").split("/")
    return tuple(name for name in names if name not in {"", "."})


def folded(text: str) -> str:
    """Return a name in the compared form: NFC and case-folded."""
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", text).casefold())


@lru_cache(maxsize=32)
def _pattern_set(patterns: tuple[str, ...]) -> tuple[PatternSet, tuple[str, ...]]:
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
            if number + 1 == len(parts):  # "a/**" matches the content of a, not a itself
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
            may_open = False  # each further "[" would scan to the end again
            yield character
        else:
            yield character
