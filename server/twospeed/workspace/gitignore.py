"""The rules of one ``.gitignore``, for paths below its folder, with git's syntax (gitignore(5)).

As in git a path is bytes: ``?`` is one byte, and only ASCII letters are folded. The file is untrusted, so
time is linear. `files` implements the rule that nothing below an ignored folder can be included again.
Sources: git's dir.c and wildmatch.c, 2.39 to 2.51; `tests/workspace/test_gitignore.py` compares with git.
"""

from __future__ import annotations

import codecs
import os
import re
import sys
import unicodedata
from collections.abc import Iterator
from functools import lru_cache

from twospeed.text.wildcards import ANY_CHARACTER, FOLDED, Item, Pattern, PatternSet, Star, read_set

FOLDS_CASE = sys.platform in {"darwin", "win32"}
"""Git's default of ``core.ignorecase`` on this system."""

_COMPOSES = sys.platform == "darwin"
"""Whether file names may be decomposed Unicode, which git composes (``core.precomposeunicode``)."""

_SPECIAL = re.compile(r"[*?[\\]")
_STARS = re.compile(r"\*+")


class IgnoreRules:
    """The lines of one file, matched from its folder down: `start`, then `after` for each further part."""

    def __init__(self, raw: bytes, *, folds_case: bool = FOLDS_CASE) -> None:
        self._folds_case = folds_case
        lines = [rule for line in _lines(raw) if (rule := _rule(line, folds_case=folds_case))]
        self._patterns = PatternSet(pattern for pattern, _ in lines)
        self._includes = [includes for _, includes in lines]
        self.start = self._patterns.start

    def after(self, state: int, path: str) -> int:
        """Return the state after more of a path, with ``/`` between names."""
        if _COMPOSES:
            path = unicodedata.normalize("NFC", path)
        text = os.fsencode(path).decode("latin-1")
        return self._patterns.after(state, text.translate(FOLDED) if self._folds_case else text)

    def ignores(self, state: int, *, is_folder: bool) -> bool | None:
        """Return whether the path of a state is ignored; ``None`` if no line matches."""
        matches = self._patterns.matches(state, is_folder=is_folder)
        return not self._includes[self._patterns.last(matches)] if matches else None


def matches_path(path: str, pattern: str, *, folds_case: bool = False) -> bool:
    """Return whether a wildmatch pattern matches a whole path, as in conditions of git's configuration."""
    items = _items(pattern.translate(FOLDED) if folds_case else pattern, in_path=True, folds_case=folds_case)
    if items is None:
        return False
    patterns = PatternSet([Pattern(items)])
    state = patterns.after(patterns.start, path.translate(FOLDED) if folds_case else path)
    return bool(patterns.matches(state, is_folder=True))


@lru_cache(maxsize=64)  # the key is the content, so a changed file is parsed again
def parse_rules(raw: bytes, *, folds_case: bool = FOLDS_CASE) -> IgnoreRules:
    """Parse the bytes of a ``.gitignore``."""
    if _COMPOSES:
        raw = os.fsencode(unicodedata.normalize("NFC", os.fsdecode(raw)))
    return IgnoreRules(raw, folds_case=folds_case)


def _lines(raw: bytes) -> Iterator[str]:
    for line in raw.removeprefix(codecs.BOM_UTF8).decode("latin-1").split("\n"):
        if not line.startswith("#"):
            yield _without_trailing_spaces(line.removesuffix("\r").partition("\0")[0])


def _without_trailing_spaces(line: str) -> str:
    stripped = line.rstrip(" ")
    n_backslashes = len(stripped) - len(stripped.rstrip("\\"))
    return stripped + " " if n_backslashes % 2 and stripped != line else stripped


def _rule(line: str, *, folds_case: bool) -> tuple[Pattern, bool] | None:
    """Return a line's pattern and whether it includes again; ``None`` if it can never match."""
    includes = line.startswith("!")
    pattern = line.removeprefix("!")
    body = pattern.removesuffix("/")
    is_for_folders = body != pattern
    if "/" in body:  # anchored
        body = body.removeprefix("/")
        # git compares the text before the first special character literally, and `**` may begin after it.
        special = _SPECIAL.search(body)
        n_plain = special.start() if special else len(body)
        plain = body[:n_plain].translate(FOLDED) if folds_case else body[:n_plain]
        rest = _items(body[n_plain:], in_path=True, folds_case=folds_case)
        items = None if rest is None else [*plain, *rest]
    else:  # the name of a file at any depth
        rest = _items(body, in_path=False, folds_case=folds_case) if body else None
        items = None if rest is None else [Star.FOLDERS, *rest]
    return None if items is None else (Pattern(items, is_for_folders), includes)


def _items(pattern: str, *, in_path: bool, folds_case: bool) -> list[Item] | None:
    """Parse a pattern as wildmatch.c does; ``None`` if it can never match."""
    items: list[Item] = []
    at = 0
    while at < len(pattern):
        character = pattern[at]
        at += 1
        match character:
            case "\\":
                if at == len(pattern):
                    return None
                items.append(pattern[at])  # not folded by git either
                at += 1
            case "?":
                items.append(ANY_CHARACTER)
            case "*":
                begin = at - 1
                stars = _STARS.match(pattern, begin)
                at = stars.end() if stars else at
                is_part = begin == 0 or pattern[begin - 1] == "/"
                if not (in_path and at - begin > 1 and is_part):
                    items.append(Star.IN_NAME)
                elif pattern.startswith("/", at):
                    items.append(Star.FOLDERS)
                    at += 1
                else:
                    is_whole = at == len(pattern) or pattern.startswith("\\/", at)
                    items.append(Star.IN_PATH if is_whole else Star.IN_NAME)
            case "[":
                read = read_set(pattern, at, folds_case=folds_case)
                if read is None:
                    return None
                characters, at = read
                items.append(characters)
            case _:
                items.append(character.translate(FOLDED) if folds_case else character)
    return items
