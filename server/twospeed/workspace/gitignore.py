r"""What the lines of one ``.gitignore`` say of the files below its folder.

All of git's notation: ``!`` takes back, the last line that matches decides, ``**`` stands for folders, a backslash
escapes, sets may hold classes such as ``[[:digit:]]``. Names are compared as git compares them on this system:
folded where file systems are (`CASE_FOLDS`), else as they are.
Such a file comes from a repository, so no pattern may take long: within a name `fnmatch` makes every ``*`` but the
last atomic, and folders are stepped through without backtracking, as in `text.globs`.
Not here: that nothing below an ignored folder can be taken back, which whoever walks sees to (`files`).
Source: gitignore(5), "Pattern format".
"""

from __future__ import annotations

import fnmatch
import re
import sys
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from twospeed.text.globs import ANY_FOLDERS, matched_lengths

CASE_FOLDS = sys.platform in {"darwin", "win32"}

_CLASSES = {
    "alnum": "0-9A-Za-z",
    "alpha": "A-Za-z",
    "blank": " \t",
    "digit": "0-9",
    "lower": "a-z",
    "punct": "!-/:-@[-`{-~",
    "space": " \t\n\r\v\f",
    "upper": "A-Z",
    "xdigit": "0-9A-Fa-f",
}
_CLASS = re.compile(r"\[:([a-z]+):\]")
_PIECE = re.compile(r"\\(?P<escaped>.)|(?P<set>\[[!^]?\]?(?:\[:[a-z]+:\]|\\.|[^]\\])*\])|(?P<open>\[)")


@dataclass(frozen=True, slots=True)
class Rule:
    """One line.

    Attributes:
        parts: Pattern of each name on the way, in `fnmatch`'s notation, or ``**``.
        takes_back: Whether what matches is not ignored after all.
        is_for_folders: Whether only a folder can match.
    """

    parts: tuple[str, ...]
    takes_back: bool
    is_for_folders: bool

    @property
    def name(self) -> str | None:
        """The pattern where it is one of a name at any depth."""
        return self.parts[1] if self.parts[:1] == (ANY_FOLDERS,) and len(self.parts) == len("*/") else None

    def matches(self, names: Sequence[str], *, is_folder: bool) -> bool:
        """Tell whether the rule is about a path, given name by name from the rules' folder on."""
        return (is_folder or not self.is_for_folders) and len(names) in matched_lengths(names, self.parts)


class IgnoreRules:
    """The lines of one file.

    Args:
        text: The file's text.
    """

    def __init__(self, text: str) -> None:
        rules = [rule for line in text.removeprefix("\ufeff").split("\n") if (rule := _rule(line))]
        names = dict.fromkeys(rule.name for rule in rules if rule.name is not None)
        self._rules = rules[::-1]
        self._with_folders = [rule for rule in self._rules if rule.name is None]
        self._any_name = re.compile("|".join(map(fnmatch.translate, names)) or "(?!)")

    def ignores(self, path: Sequence[str], *, is_folder: bool) -> bool | None:
        """Say whether a path is ignored; ``None`` where no line is about it.

        Args:
            path: Its names from the rules' folder on, the last one its own.
            is_folder: Whether it is a folder.
        """
        names = [_compared(name) for name in path]
        # Most names are in no pattern, which one look tells.
        rules = self._rules if self._any_name.match(names[-1]) else self._with_folders
        rule = next((rule for rule in rules if rule.matches(names, is_folder=is_folder)), None)
        return None if rule is None else not rule.takes_back


@lru_cache(maxsize=256)  # by the text: a file that was changed has other rules
def parse_rules(text: str) -> IgnoreRules:
    """Read the text of a ``.gitignore``."""
    return IgnoreRules(text)


def _rule(line: str) -> Rule | None:
    """Take a line apart; ``None`` for an empty one and a comment."""
    pattern = _without_trailing_spaces(line.removesuffix("\r"))
    if pattern.startswith("#"):
        return None
    takes_back = pattern.startswith("!")
    pattern = pattern.removeprefix("!")
    body = pattern.rstrip("/")
    if not body:
        return None
    # A slash before the end anchors the pattern at its folder; else its name is looked for at any depth.
    parts = [ANY_FOLDERS] if "/" not in body else []
    parts += [part if part == ANY_FOLDERS else _as_fnmatch(part) for part in body.split("/") if part]
    if parts[-1] == ANY_FOLDERS:  # "a/**" is what is in it, not the folder
        parts.append("*")
    return Rule(tuple(parts), takes_back, pattern.endswith("/"))


def _without_trailing_spaces(line: str) -> str:
    stripped = line.rstrip(" ")
    n_backslashes = len(stripped) - len(stripped.rstrip("\\"))
    return stripped + " " if n_backslashes % 2 and stripped != line else stripped


def _as_fnmatch(part: str) -> str:
    r"""Write a name's pattern as `fnmatch` has it: no backslashes, sets without classes, ``!`` for not."""
    return _compared(_PIECE.sub(_rewritten, part))


def _rewritten(match: re.Match[str]) -> str:
    if match["set"] is not None:
        return _rewritten_set(match["set"])
    character = match["escaped"] or match["open"]
    return f"[{character}]" if character in "*?[" else character


def _rewritten_set(text: str) -> str:
    negation, body = ("!", text[2:-1]) if text[1] in "!^" else ("", text[1:-1])
    body = _CLASS.sub(lambda named: _CLASSES.get(named[1], ""), body)
    escaped = {match[1] for match in re.finditer(r"\\(.)", body)}
    body = re.sub(r"\\(.)", "", body)
    # What was escaped goes where it means itself: "]" first, "-" last.
    first = "]" if "]" in escaped else ""
    last = "-" if "-" in escaped else ""
    return f"[{negation}{first}{body}{''.join(sorted(escaped - {']', '-'}))}{last}]"


def _compared(name: str) -> str:
    composed = unicodedata.normalize("NFC", name)
    return unicodedata.normalize("NFC", composed.casefold()) if CASE_FOLDS else composed
