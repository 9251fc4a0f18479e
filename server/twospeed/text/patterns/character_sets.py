"""Parse character sets of wildcard patterns, such as ``[a-z]`` and ``[![:digit:]]``.

The notation is that of ``dowild`` in git's wildmatch.c: ``!`` and ``^`` negate, a leading ``]`` is literal,
so is ``-`` where no range is possible, a backslash escapes, and classes contain only ASCII.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

_DIGITS, _LOWER, _UPPER = ("0", "9"), ("a", "z"), ("A", "Z")
_CLASSES: dict[str, tuple[tuple[str, str], ...]] = {
    "alnum": (_DIGITS, _LOWER, _UPPER),
    "alpha": (_LOWER, _UPPER),
    "blank": ((" ", " "), ("\t", "\t")),
    "cntrl": (("\0", "\x1f"), ("\x7f", "\x7f")),
    "digit": (_DIGITS,),
    "graph": (("!", "~"),),
    "lower": (_LOWER,),
    "print": ((" ", "~"),),
    "punct": (("!", "/"), (":", "@"), ("[", "`"), ("{", "~")),
    "space": ((" ", " "), ("\t", "\n"), ("\r", "\r")),  # git's own isspace(), without \v and \f
    "upper": (_UPPER,),
    "xdigit": (_DIGITS, ("a", "f"), ("A", "F")),
}
FOLDED = str.maketrans({chr(code): chr(code + 32) for code in range(ord("A"), ord("Z") + 1)})
"""Table for `str.translate` that lowers ASCII letters."""


@dataclass(frozen=True, slots=True)
class CharacterSet:
    """Matches one character, never ``/``.

    Attributes:
        ranges: First and last character of each range.
        is_negated: Whether it matches the characters outside the set.
    """

    singles: frozenset[str] = frozenset()
    ranges: tuple[tuple[str, str], ...] = ()
    is_negated: bool = False

    def __contains__(self, character: str) -> bool:
        is_in = character in self.singles or any(first <= character <= last for first, last in self.ranges)
        return is_in is not self.is_negated and character != "/"


ANY_CHARACTER = CharacterSet(is_negated=True)
"""Any character but ``/``."""


def read_set(pattern: str, at: int, *, folds_case: bool) -> tuple[CharacterSet, int] | None:
    """Parse a set, in time linear in its length.

    Args:
        pattern: The whole pattern.
        at: Index after the ``[``.
        folds_case: Whether ``A`` to ``Z`` are folded in the paths. As in git, single letters of a set are not folded.

    Returns:
        The set and the index after its ``]``. ``None`` if it has no end or an unknown class.
    """
    is_negated = pattern.startswith(("!", "^"), at)
    at += is_negated
    begin = at
    singles: set[str] = set()
    ranges: list[tuple[str, str]] = []
    before = ""  # possible start of a range
    closing = at  # the first "]" from here on; searched once, so that parsing takes linear time
    while at < len(pattern) and (pattern[at] != "]" or at == begin):
        if pattern[at] == "-" and before and pattern[at + 1 : at + 2] not in {"", "]"}:
            last, at = _character(pattern, at + 1)
            ranges += _range(before, last, folds_case=folds_case) if last else ()
            before = ""
            continue
        if pattern.startswith("[:", at):
            closing = pattern.find("]", at + 2) if closing < at + 2 else closing
            if closing < 0:
                return None
            if closing > at + 2 and pattern[closing - 1] == ":":
                named = _CLASSES.get(pattern[at + 2 : closing - 1])
                if named is None:
                    return None
                ranges += (_LOWER, _UPPER) if folds_case and named == (_UPPER,) else named
                before, at = "", closing + 1
                continue
        before, at = _character(pattern, at)
        singles.add(before)
    return (
        None if at >= len(pattern) else (CharacterSet(frozenset(singles), tuple(ranges), is_negated), at + 1)
    )


def _character(pattern: str, at: int) -> tuple[str, int]:
    """Return a possibly escaped character (empty at the end of the pattern) and the index after it."""
    at += pattern.startswith("\\", at)
    return pattern[at : at + 1], at + 1


def _range(first: str, last: str, *, folds_case: bool) -> Iterator[tuple[str, str]]:
    yield first, last
    if folds_case and max(first, "A") <= min(last, "Z"):
        yield max(first, "A").translate(FOLDED), min(last, "Z").translate(FOLDED)
