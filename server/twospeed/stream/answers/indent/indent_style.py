"""The indentation of a document: its unit, its base, and the indentation of every old line."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

from twospeed.stream.aligner import is_trivial
from twospeed.stream.answers.evidence import Surroundings
from twospeed.text.lines import indent_of

_ENOUGH_STEPS = 3
"""Steps to deeper lines that show the unit; with fewer, lines near the scope count too."""

_NEAR = 100
"""Lines on each side that are near."""

_TABS = ("\t", "\t\t")
_SPACES = tuple(" " * size for size in (4, 2, 8, 3))
"""Widths of levels that models write."""


@dataclass(frozen=True, slots=True)
class Mapping:
    """Turns an answer's indentation into the document's: removes ``remove``, replaces units, adds ``add``."""

    remove: str = ""
    add: str = ""
    unit: str = ""
    to: str = ""

    def __call__(self, indent: str) -> str | None:
        """Return the document's indentation; ``None`` if the mapping does not apply."""
        if not indent.startswith(self.remove):
            return None
        rest = indent[len(self.remove) :]
        if not self.unit:
            return self.add + rest
        tail = _rest(rest, self.unit)
        if "\t" in tail:
            return None
        return self.add + self.to * ((len(rest) - len(tail)) // len(self.unit)) + tail

    @property
    def replaces_spaces(self) -> bool:
        """Whether it replaces spaces, so that alignment looks like levels."""
        return bool(self.unit) and "\t" not in self.unit

    def leaves_partial_level(self, indent: str, text: str) -> bool:
        """Whether spaces are left that may be a part of a level."""
        if not self.unit:
            return False
        tail = _rest(indent[len(self.remove) :], self.unit)
        if tail == " " and text.startswith("*"):  # a line of a block comment is one space deeper
            return False
        return len(tail) >= len(self.to) if "\t" in self.unit else bool(tail)


IDENTITY = Mapping()


@dataclass(slots=True)
class LineAbove:
    """The last line of code."""

    indent: str
    text: str = ""  # without indentation, or the old line that it changes
    written: str = ""  # the answer's, without indentation
    opens: bool | None = None  # whether deeper lines follow it in the old text; None if unknown
    is_inside: bool = False  # whether a line at the scope's base has opened the scope's block

    def is_continued_at(self, indent: str) -> bool:
        """Whether a deeper line may continue this one: aligned, or below a line that opens no block."""
        column = len(indent) - len(self.indent)
        if column <= 0 or "\t" in indent[len(self.indent) :]:
            return False
        before, after = self.written[column - 1 : column], self.written[column : column + 1].strip()
        is_aligned = bool(after) and (before in (" ", "(", "[", "{") or after == ".")
        return is_aligned or (self.opens is False and self.written == self.text)


def closes(text: str) -> bool:
    """Whether a line may be as far left as the one that opened its block."""
    return text[0] in ")]}" or is_trivial(text)


class IndentStyle:
    """The indentation of the old text."""

    def __init__(self, old: Sequence[str], around: Surroundings) -> None:
        code = [(indent_of(line), text) for line in old if (text := line.strip())]
        self.lines = frozenset(line for line in old if line.strip())
        self.blanks = {line for line in old if line.isspace()}
        # Indentation and text of the first line of code.
        self.base, self.first = code[0] if code else ("", "")
        self.indents_of: dict[str, set[str]] = {}
        for indent, text in code:
            self.indents_of.setdefault(text, set()).add(indent)
        # Indentations of a selection that exceeds the block of its first line; preprocessor lines show none.
        outside = (indent for indent, text in code if not text.startswith("#"))
        self.outer_indents = set(filter(self.is_left_of_base, outside))
        # Lines left of the base, such as preprocessor lines, are no evidence for levels.
        code = [(indent, text) for indent, text in code if indent.startswith(self.base)]
        indents = [indent for indent, _ in code]
        self.unit = _unit_of(indents, around)  # a tab, or spaces; empty if nothing is nested
        self.characters = {indent[0] for indent in indents if indent}
        # One line at the base opens all deeper ones, as a function's head does; `last` closes this block.
        self.is_block = _is_block(code)
        self.last = code[-1][1] if self.is_block and indents[-1] == self.base else ""
        self._openers: dict[str, bool | None] = {}
        self._neighbours = set[tuple[str, str]]()
        for (indent, text), (indent_below, text_below) in pairwise([*code, ("", "")]):
            opens = len(indent_below) > len(indent)
            self._openers[text] = opens if self._openers.get(text, opens) == opens else None
            self._neighbours.add((indent + text, indent_below + text_below))
        self._blank_below = {line: blank for line, blank in pairwise(old) if blank in self.blanks}
        self._around = around

    def conversions(self) -> Iterator[tuple[str, str]]:
        """Yield the units an answer may use, with the document's replacement, the likeliest first."""
        if not self.unit:
            return
        yield from ((unit, self.unit) for unit in (*_TABS, *_SPACES) if unit != self.unit)
        if "\t" not in self.unit:
            yield from (("\t", to) for to in _SPACES if to != self.unit)

    def opens(self, text: str) -> bool | None:
        """Whether deeper lines follow an old line; ``None`` if unknown."""
        return self._openers.get(text)

    def has_below(self, above: str, line: str) -> bool:
        """Whether an old line of code directly follows another one."""
        return (above, line) in self._neighbours

    def blank_below(self, line: str) -> str:
        """Return the white space of the blank line below an old line."""
        return "" if is_trivial(line) else self._blank_below.get(line, "")

    def is_foreign(self, indent: str) -> bool:
        """Whether no indentation of the scope begins with this character."""
        return bool(self.characters) and not self.characters.issuperset(indent[:1])

    def is_used_outside(self, indent: str) -> bool:
        """Whether some line outside the scope begins with this character."""
        return indent[0] in self._openings

    @cached_property
    def _openings(self) -> set[str]:
        return {line[0] for lines in (self._around.above, self._around.below) for line in lines if line}

    def is_left_of_base(self, indent: str) -> bool:
        """Whether a line is left of the scope's first one, as a preprocessor line or a label."""
        return len(indent) < len(self.base) and self.base.startswith(indent)

    def is_partial_level(self, indent: str, text: str) -> bool:
        """Whether an indentation is no multiple of the unit."""
        rest = _rest(indent.removeprefix(self.base), self.unit)
        return bool(rest) and not (rest == " " and text.startswith("*"))

    def is_likely(self, indent: str, text: str, above: LineAbove) -> bool:
        """Whether the document could have a new line with this indentation below another."""
        if self.is_foreign(indent) or not indent.startswith(self.base):
            return False
        if above.is_continued_at(indent):
            return True
        if self.is_partial_level(indent, text):
            return False
        if self.unit and len(indent) > len(above.indent) + len(self.unit):
            return False
        is_shallow = (above.opens is True and len(indent) <= len(above.indent)) or (
            above.is_inside and len(indent) <= len(self.base)
        )
        return not is_shallow or closes(text)


def _rest(indent: str, unit: str) -> str:
    at = 0
    while unit and indent.startswith(unit, at):
        at += len(unit)
    return indent[at:] if unit else ""


def _is_block(code: Sequence[tuple[str, str]]) -> bool:
    # Only closing lines may follow at the base.
    depths = [len(indent) for indent, _ in code]
    at = next((at for at, depth in enumerate(depths) if depth > depths[0]), None)
    return at is not None and all(len(indent) > depths[0] or closes(text) for indent, text in code[at:])


def _unit_of(indents: Sequence[str], around: Surroundings) -> str:
    steps = _steps(indents)
    if steps.total() < _ENOUGH_STEPS:
        near = [*around.above[-_NEAR:], *around.below[:_NEAR]]
        steps.update(_steps([indent_of(line) for line in near if line.strip()]))
    return min(steps, key=lambda step: (-steps[step], len(step)), default="")


def unit_near(around: Surroundings) -> str:
    """Return the most frequent step to a deeper line near a place; empty if there is none."""
    return _unit_of((), around)


def _steps(indents: Sequence[str]) -> Counter[str]:
    # A single space belongs to a block comment.
    kind = next((indent[0] for indent in indents if len(indent) > 1 or indent == "\t"), "")
    pairs = ((above, indent) for above, indent in pairwise(indents) if len(indent) > len(above))
    steps = (indent[len(above) :] for above, indent in pairs if indent.startswith(above))
    return Counter(step for step in steps if step != " " and set(step) == {kind})
