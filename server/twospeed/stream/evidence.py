"""What vouches for an answer, or speaks against it: its place, its indentation, its brackets."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from .aligner import is_trivial

_MAX_FROM_OUTSIDE = 4
"""New lines that stand once in the document, elsewhere: so many are no chance, the answer goes beyond the scope."""

_NEAR = 5
"""Lines on either side of the scope that an answer may echo."""


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why an answer cannot be used: a code of the contract's closed list and one sentence for the user."""

    code: str
    message: str


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What is known of the scope's place.

    Attributes:
        comment_markers: What opens a comment in this language, such as ``#`` or ``//``.
        above: The document's lines above the scope.
        below: The document's lines below it.
        parses: Whether a text in the scope's place adds no syntax error; ``None`` without a grammar.
    """

    comment_markers: tuple[str, ...] = ()
    above: Sequence[str] = ()
    below: Sequence[str] = ()
    parses: Callable[[str], bool] | None = None


class Outside:
    """Lines of the document outside the scope, by which an answer that goes beyond it is known."""

    def __init__(self, around: Surroundings, known: set[str]) -> None:
        telling_above = [text for line in around.above if not is_trivial(text := line.strip())]
        telling_below = [text for line in around.below if not is_trivial(text := line.strip())]
        counts = Counter([*telling_above, *telling_below])
        self._unique = {text for text, count in counts.items() if count == 1 and text not in known}
        self._heads = {*telling_above[-_NEAR:], *telling_above[:_NEAR]} - known
        self._tails = {*telling_below[:_NEAR], *telling_below[-_NEAR:]} - known
        self._n_found = 0

    def holds_many_with(self, line: str) -> bool:
        """Take a line of the answer; return whether too many have been lines from outside."""
        self._n_found += line.strip() in self._unique
        return self._n_found >= _MAX_FROM_OUTSIDE

    def is_edge(self, first: str, last: str) -> bool:
        """Whether an answer begins or ends with a line near the scope's edges, or the document's."""
        return first.strip() in self._heads or last.strip() in self._tails


class Indents:
    """How a text is indented: with which characters, and how deep its first level is."""

    def __init__(self, lines: Sequence[str]) -> None:
        self._base: int | None = None
        self._characters: set[str] = set()
        self.unit = 0
        for line in lines:
            if line.strip():
                self.add(line)

    def add(self, line: str) -> None:
        """Take the next line that is not blank."""
        indent = indent_of(line)
        self._characters.update(indent)
        if self._base is None:
            self._base = len(indent)
        depth = len(indent) - self._base
        if depth > 0 and not 0 < self.unit <= depth:
            self.unit = depth

    def allow(self, line: str) -> bool:
        """Whether a line is indented with the characters of this text; any will do where it has none."""
        return not self._characters or self._characters.issuperset(indent_of(line))


def balance(lines: Sequence[str]) -> Counter[str]:
    """Count what is opened and not closed; strings and comments count too, since nothing here can parse."""
    text = "".join(lines)
    return Counter({pair: text.count(pair[0]) - text.count(pair[1]) for pair in ("()", "[]", "{}")})


def indent_of(line: str) -> str:
    """Return the white space a line begins with."""
    return line[: len(line) - len(line.lstrip())]
