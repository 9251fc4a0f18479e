"""Match a path against many wildcard patterns at once, without backtracking.

All patterns form one nondeterministic automaton with one bit for each state in one integer (shift-and:
Baeza-Yates and Gonnet, 1992). Character sets are parsed like ``dowild`` of git's wildmatch.c: ``!`` and ``^``
negate, a leading ``]`` is literal, so is ``-`` where no range is possible, a backslash escapes, and classes
contain only ASCII.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import NamedTuple

_MAX_STEPS = 512
"""Characters with cached transitions. Paths in most languages use fewer."""

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
    """Matches one character, never ``/``; ``ranges`` include both ends."""

    singles: frozenset[str] = frozenset()
    ranges: tuple[tuple[str, str], ...] = ()
    is_negated: bool = False

    def __contains__(self, character: str) -> bool:
        is_in = character in self.singles or any(first <= character <= last for first, last in self.ranges)
        return is_in is not self.is_negated and character != "/"


ANY_CHARACTER = CharacterSet(is_negated=True)
"""Any character but ``/``."""


def read_set(pattern: str, at: int, *, folds_case: bool) -> tuple[CharacterSet, int] | None:
    """Parse the set whose ``[`` precedes an index; return it and the index after its ``]``, in linear time.

    ``None`` without an end or for an unknown class. As in git, ``folds_case`` does not fold single letters.
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
    at += pattern.startswith("\\", at)
    return pattern[at : at + 1], at + 1


def _range(first: str, last: str, *, folds_case: bool) -> Iterator[tuple[str, str]]:
    yield first, last
    if folds_case and max(first, "A") <= min(last, "Z"):
        yield max(first, "A").translate(FOLDED), min(last, "Z").translate(FOLDED)


class Star(Enum):
    """A part of a pattern that matches any number of characters.

    Attributes:
        IN_NAME: Any characters except ``/``.
        IN_PATH: Any characters.
        FOLDERS: Nothing, or any characters followed by ``/``.
    """

    IN_NAME = 0
    IN_PATH = 1
    FOLDERS = 2


Item = str | CharacterSet | Star
"""A part of a pattern. A string is one character."""


class Pattern(NamedTuple):
    """A pattern for a whole path, or only for paths of folders."""

    items: Sequence[Item]
    is_for_folders: bool = False


class PatternSet:
    """Patterns in the order of their lines.

    A state is one integer: begin with `start`, then call `after` with each part of the path, with ``/``
    between names.
    """

    def __init__(self, patterns: Iterable[Pattern]) -> None:
        self._literals: dict[str, list[int]] = {}
        self._sets: dict[CharacterSet, list[int]] = {}
        self._steps: dict[str, int] = {}
        self._numbers: dict[int, int] = {}
        starts: list[int] = []
        loops_in_name: list[int] = []
        loops_in_path: list[int] = []
        folders: list[int] = []
        ends_of_files: list[int] = []
        state = 0
        for number, (items, is_for_folders) in enumerate(patterns):
            starts.append(state)
            for index, item in enumerate(items):
                if item is Star.IN_NAME:
                    loops_in_name.append(state)
                elif item is Star.IN_PATH:
                    loops_in_path.append(state)
                elif item is Star.FOLDERS:
                    if index and items[index - 1] is Star.FOLDERS:
                        continue  # "**/**/" means "**/"
                    # Three states: before it, within the name of a folder, after it.
                    folders.append(state)
                    loops_in_path.append(state + 1)
                    state += 2
                    self._literals.setdefault("/", []).append(state)
                else:
                    state += 1
                    if isinstance(item, CharacterSet):
                        self._sets.setdefault(item, []).append(state)
                    else:
                        self._literals.setdefault(item, []).append(state)
            self._numbers[state] = number
            if not is_for_folders:
                ends_of_files.append(state)
            state += 1
        self._n_states = state
        self._in_path = self._bits(loops_in_path)
        self._in_name = self._bits(loops_in_name) | self._in_path
        self._folders = self._bits(folders)
        self._ends = self._bits(self._numbers)
        self._ends_of_files = self._bits(ends_of_files)
        self.start = self._entered(self._bits(starts))

    def after(self, state: int, text: str) -> int:
        """Return the state after a further part of the path."""
        for character in text:
            if not state:
                break
            step = self._steps.get(character)
            if step is None:
                step = self._step(character)
            loops = self._in_path if character == "/" else self._in_name
            state = self._entered((state << 1) & step | state & loops)
        return state

    def matches(self, state: int, *, is_folder: bool) -> int:
        """Return the patterns that match the path of a state, for `first` and `last`; 0 if there are none."""
        return state & (self._ends if is_folder else self._ends_of_files)

    def first(self, matches: int) -> int:
        """Return the number of the first pattern that matches."""
        return self._numbers[(matches & -matches).bit_length() - 1]

    def last(self, matches: int) -> int:
        """Return the number of the last pattern that matches."""
        return self._numbers[matches.bit_length() - 1]

    def _entered(self, state: int) -> int:
        entered = state & self._folders
        return state | entered << 1 | entered << 2 if entered else state

    def _step(self, character: str) -> int:
        states = list(self._literals.get(character, ()))
        for characters, places in self._sets.items():
            if character in characters:
                states += places
        if len(self._steps) >= _MAX_STEPS:
            self._steps.clear()
        step = self._steps[character] = self._bits(states)
        return step

    def _bits(self, states: Iterable[int]) -> int:
        raw = bytearray(self._n_states // 8 + 1)
        for state in states:
            raw[state >> 3] |= 1 << (state & 7)
        return int.from_bytes(raw, "little")
