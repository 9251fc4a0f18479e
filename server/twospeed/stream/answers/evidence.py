"""What vouches for an answer, or speaks against it: the old text, and the lines outside."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice, pairwise

from twospeed.stream.aligner import is_similar, is_trivial
from twospeed.text.edits import common_ends

_MAX_FROM_OUTSIDE = 4
"""New lines before the old first line, or behind the old last one, that stand once in the document, elsewhere: so many
are no chance, the answer goes beyond the scope. In between they are: code is written after a model nearby."""

_MOST = 0.7
_CODE_CHARACTER = re.compile(r"[^\w\s.,;:!?'\"\u2018-\u201f-]")

_NEIGHBOURS = 4
"""Old lines on either side of a line, in sorted order, that may be its source."""

_NEAR = 5
"""Lines on either side of the scope that an answer may echo."""

_ANNOTATIONS = ("@", "#[", "template <", "template<")
"""How lines begin that say something of the definition below them, in some language. Many definitions may have the same."""

_ONLY_ONCE = re.compile(
    r"(?:import|from|use|using|#include|require|package)\b"
    r"|(?:[a-z]+ )*(?:class|def|enum|fn|fun|func|function|interface|struct|trait)\b"
)
"""How lines begin that code holds once: imports, and the heads of definitions."""


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
        shown: The scope's lines as the model was shown them, where that is not all of them: a patch speaks of these.
        delimiter: The word that ends each mark of the request: a line that holds it is none of the document.
        file_name: The document's name without its path.
        is_asked_for_blocks: Whether the answer was asked for as search/replace blocks of the scope's lines: then a block
            means the scope where its lines stand there, whatever repeats elsewhere.
        fence: The fence that the answer was asked to be delimited with, longer than any of the scope; empty where
            none was asked for.
        is_prose: Whether the document is written for people, such as Markdown.
        instruction: The user's words: what they name, such as a comment that takes the place of code, is asked for.
    """

    comment_markers: tuple[str, ...] = ()
    above: Sequence[str] = ()
    below: Sequence[str] = ()
    parses: Callable[[str], bool] | None = None
    shown: Sequence[str] | None = None
    delimiter: str = ""
    file_name: str = ""
    is_asked_for_blocks: bool = False
    fence: str = ""
    is_prose: bool = False
    instruction: str = ""


class OldText:
    """The scope's old lines, as an answer's lines are compared with them.

    Attributes:
        lines: Without line ends, and without a byte order mark.
        exact: The same as a set.
        known: Those that are not blank, without white space around them.
        first: The first that is not blank, empty where all are.
        last: The last that is not blank, empty where all are.
    """

    def __init__(self, lines: Sequence[str]) -> None:
        self.lines = lines
        self.exact = frozenset(lines)
        self.known = {text for line in self.exact if (text := line.strip())}
        self.first = next((line for line in lines if line.strip()), "")
        self.last = next((line for line in reversed(lines) if line.strip()), "")

    def tells_of(self, line: str) -> bool:
        """Whether a line is an old one, and no bracket that any code might hold."""
        text = line.strip()
        return text in self.known and not is_trivial(text)

    def may_begin_with(self, line: str) -> bool:
        """Whether a line is the first old one, or a changed version of it."""
        new, old = line.strip(), self.first.strip()
        return bool(old) and (_is_same_or_similar(new, old) or _go_on_otherwise(new, old))

    def may_end_with(self, line: str) -> bool:
        """Whether a line is the last old one, or a changed version of it."""
        return bool(self.last) and _is_same_or_similar(line.strip(), self.last.strip())

    def source_of(self, line: str) -> str:
        """Return the old line that a line equals, or the most similar one; empty where none is similar enough.

        A similar line shares a long head or a long tail, so only the neighbours in sorted order are compared: those
        with the longest common heads, and those with the longest common tails.

        Cost: O(log n) for a scope of n lines.
        """
        text = line.strip()
        if text in self.known:
            return text
        tails = _neighbours(self._by_tail, text[::-1])
        near = {*_neighbours(self._by_head, text), *(reverse[::-1] for reverse in tails)}
        found = (old for old in near if is_similar(text, old, _MOST))
        return max(
            found, key=lambda old: (sum(common_ends(text, old)) / max(len(text), len(old)), old), default=""
        )

    @cached_property
    def _by_head(self) -> list[str]:
        return sorted(self.known)

    @cached_property
    def _by_tail(self) -> list[str]:
        return sorted(text[::-1] for text in self.known)

    def is_cut_off_at(self, line: str) -> bool:
        """Whether a line is the head of an old one, no old one itself, and ends within a word."""
        text = line.strip()
        if text in self.known or not text[-1:].isalnum():
            return False
        return any(old.startswith(text) and old[len(text)].isalnum() for old in self.known)


def _neighbours(ordered: Sequence[str], text: str) -> Sequence[str]:
    """Return the texts of a sorted sequence that are next to the place of ``text``."""
    at = bisect_left(ordered, text)
    return ordered[max(0, at - _NEIGHBOURS) : at + _NEIGHBOURS]


def _is_same_or_similar(new: str, old: str) -> bool:
    return new == old or is_similar(new, old)


def _go_on_otherwise(new: str, old: str) -> bool:
    """Whether a line of code was made much longer, or was cut into several: most of the shorter one is its head."""
    head = new[: common_ends(new, old)[0]]
    shorter = min(len(new), len(old))
    return len(head) > shorter * _MOST and bool(_CODE_CHARACTER.search(head))


class Outside:
    """Lines of the document outside the scope, by which an answer that goes beyond it is known.

    Args:
        around: The scope's place.
        old: The scope's lines.
    """

    def __init__(self, around: Surroundings, old: OldText) -> None:
        self._around = around
        self._old = old

    def count_alone(self, lines: Sequence[str]) -> int:
        """Count the lines that occur once in the document, outside the scope; one pass over the document for all."""
        return len(self._alone_among([line.strip() for line in lines]))

    def is_reached_by(self, lines: Sequence[str]) -> bool:
        """Whether a whole answer begins above the scope or ends below it."""
        texts = [line.strip() for line in lines]
        first, last = self._old.first.strip(), self._old.last.strip()
        if not is_trivial(first) and first in texts:
            before = list(_telling(texts[: texts.index(first)]))
        else:
            before = list(islice(_telling(texts), 1 if first else 2))
        behind: list[str] = []
        if not is_trivial(last) and last in texts:
            behind = list(_telling(texts[len(texts) - texts[::-1].index(last) :]))
        elif (next_below := next(_telling(self._around.below), "").rstrip()) and next_below in lines:
            behind = list(_telling(texts[lines.index(next_below) :]))
        above, below = self._around.above, self._around.below
        if first:
            return self._is_outside(before, above) or self._is_outside(behind, below)
        is_above = self._is_outside(before[:1], above) and _repeats(before, above)
        return is_above or (self._is_outside(behind, below) and _repeats(behind[:2], below))

    def _is_outside(self, texts: Sequence[str], side: Sequence[str]) -> bool:
        """Whether lines beside the old ones are half the document's and begin or end near an edge, or many are."""
        if not texts:
            return False
        near = {line.strip() for lines in (side, side[::-1]) for line in islice(_telling(lines), _NEAR)}
        if not (near - self._old.known).isdisjoint({texts[0], texts[-1]}):
            known = {line.strip() for line in side} - self._old.known
            if sum(text in known for text in texts) * 2 >= len(texts):
                return True
        return len(texts) >= _MAX_FROM_OUTSIDE and len(self._alone_among(texts)) >= _MAX_FROM_OUTSIDE

    def _alone_among(self, texts: Sequence[str]) -> list[str]:
        """Return those that occur once in the document and not in the scope; O(document), whatever is asked."""
        asked = {text for text in texts if text not in self._old.known and not is_trivial(text)}
        counts = Counter(
            text
            for side in (self._around.above, self._around.below)
            for line in (side if asked else ())
            if (text := line.strip()) in asked
        )
        return [text for text in texts if counts[text] == 1]


def _repeats(head: Sequence[str], side: Sequence[str]) -> bool:
    """Whether two lines of what is inserted follow each other outside, too: one alone is often in other code as well."""
    if len(head) == 1 or _ONLY_ONCE.match(head[0]):
        return True
    return any(pair == tuple(head) for pair in pairwise(_telling(line.strip() for line in side)))


def _telling(lines: Iterable[str]) -> Iterator[str]:
    """Yield the lines that are neither trivial nor an annotation."""
    return (line for line in lines if not is_trivial(line) and not annotates(line.strip()))


def annotates(text: str) -> bool:
    """Whether a line without white space around it says something of the definition below it, as a decorator does."""
    return text.startswith(_ANNOTATIONS) or (text.startswith("[") and text.endswith("]"))


def balance(lines: Sequence[str]) -> Counter[str]:
    """Count what is opened and not closed; strings and comments count too, since nothing here can parse."""
    text = "".join(lines)
    return Counter({pair: text.count(pair[0]) - text.count(pair[1]) for pair in ("()", "[]", "{}")})


def to_last_line(lines: Sequence[str]) -> Sequence[str]:
    """Return a text's lines without the blank ones at its end."""
    end = len(lines)
    while end and not lines[end - 1].strip():
        end -= 1
    return lines[:end]


def indent_of(line: str) -> str:
    """Return the white space a line begins with."""
    return line[: len(line) - len(line.lstrip())]
