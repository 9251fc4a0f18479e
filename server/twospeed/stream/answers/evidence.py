"""What all stages compare an answer with: the old text and the lines outside the scope."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice, pairwise

from twospeed.stream.aligner import is_similar, is_trivial
from twospeed.text.code.import_statements import ImportMarks
from twospeed.text.edits import common_ends

_MAX_FROM_OUTSIDE = 4
"""New lines beyond the first or last old line, unique in the document, that prove that the answer exceeds the
scope. Between old lines they are allowed: code is written after a model nearby.
"""

_MIN_COMMON_SHARE = 0.7
_CODE_CHARACTER = re.compile(r"[^\w\s.,;:!?'\"\u2018-\u201f-]")

_NEIGHBOURS = 4
"""Old lines on each side, in sorted order, that may be the source of a line."""

_NEAR = 5
"""Lines on each side of the scope that an answer may repeat."""

_ANNOTATIONS = ("@", "#[", "template <", "template<")
"""Starts of lines that annotate the definition below them."""

_ONLY_ONCE = re.compile(
    r"(?:import|from|use|using|#include|require|package)\b"
    r"|(?:[a-z]+ )*(?:class|def|enum|fn|fun|func|function|interface|struct|trait)\b"
)
"""Starts of lines that code contains once."""


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why an answer cannot be used: a code of the contract and one sentence for the user."""

    code: str
    message: str


@dataclass(frozen=True, slots=True)
class Surroundings:
    """The scope's place in its document."""

    comment_markers: tuple[str, ...] = ()  # of line comments, such as ``#`` or ``//``
    above: Sequence[str] = ()  # all lines of the document above the scope
    below: Sequence[str] = ()
    # Whether a text in place of the scope adds no syntax error; None without a grammar.
    parses: Callable[[str], bool] | None = None
    # The scope's lines in the prompt, if they are not all; patches refer to these.
    prompt_lines: Sequence[str] | None = None
    delimiter: str = ""  # end of each delimiter in the prompt; no line of the document contains it
    file_name: str = ""  # without its path
    # Whether search/replace blocks were requested. A block then means the scope's lines if it matches there,
    # even if it matches elsewhere too.
    are_blocks_requested: bool = False
    fence: str = ""  # the requested one, longer than any in the scope; empty if none was requested
    is_prose: bool = False  # whether the document is prose, such as Markdown
    language_id: str = ""  # empty if unknown
    instruction: str = ""  # what it names, such as a comment instead of code, is allowed
    # How imports are written, if those in an answer are for the file; None if they belong to the scope.
    imports: ImportMarks | None = None


class OldText:
    """The scope's old lines without a byte order mark."""

    def __init__(self, lines: Sequence[str]) -> None:
        self.lines = lines
        self.exact = frozenset(lines)
        # Stripped, without blank lines.
        self.known = {text for line in self.exact if (text := line.strip())}
        self.first = next((line for line in lines if line.strip()), "")
        self.last = next((line for line in reversed(lines) if line.strip()), "")

    def has_distinctive(self, line: str) -> bool:
        """Whether a line is an old one and not trivial."""
        text = line.strip()
        return text in self.known and not is_trivial(text)

    def may_begin_with(self, line: str) -> bool:
        """Whether a line is the first old one, or a change of it."""
        new, old = line.strip(), self.first.strip()
        return bool(old) and (_is_same_or_similar(new, old) or _share_long_head(new, old))

    def may_end_with(self, line: str) -> bool:
        """Whether a line is the last old one, or a change of it."""
        return bool(self.last) and _is_same_or_similar(line.strip(), self.last.strip())

    def source_of(self, line: str) -> str:
        """Return the most similar old line, or an empty string. Cost: O(log n) for n old lines."""
        text = line.strip()
        if text in self.known:
            return text
        # A similar line shares a long head or tail, so it is near in one of the two sorted orders.
        tails = _neighbours(self._by_tail, text[::-1])
        near = {*_neighbours(self._by_head, text), *(reverse[::-1] for reverse in tails)}
        found = (old for old in near if is_similar(text, old, _MIN_COMMON_SHARE))
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
        """Whether a line is the head of an old one and ends inside a word."""
        text = line.strip()
        if text in self.known or not text[-1:].isalnum():
            return False
        return any(old.startswith(text) and old[len(text)].isalnum() for old in self.known)


def _neighbours(ordered: Sequence[str], text: str) -> Sequence[str]:
    at = bisect_left(ordered, text)
    return ordered[max(0, at - _NEIGHBOURS) : at + _NEIGHBOURS]


def _is_same_or_similar(new: str, old: str) -> bool:
    return new == old or is_similar(new, old)


def _share_long_head(new: str, old: str) -> bool:
    # The line of code became much longer or was split.
    head = new[: common_ends(new, old)[0]]
    shorter = min(len(new), len(old))
    return len(head) > shorter * _MIN_COMMON_SHARE and bool(_CODE_CHARACTER.search(head))


class Outside:
    """The lines of the document outside the scope."""

    def __init__(self, around: Surroundings, old: OldText) -> None:
        self._around = around
        self._old = old

    def count_unique(self, lines: Sequence[str]) -> int:
        """Count the lines that are unique in the document, outside the scope. Cost: O(document)."""
        return len(self._unique_among([line.strip() for line in lines]))

    def is_reached_by(self, lines: Sequence[str]) -> bool:
        """Whether a complete answer begins above the scope or ends below it."""
        texts = [line.strip() for line in lines]
        first, last = self._old.first.strip(), self._old.last.strip()
        if not is_trivial(first) and first in texts:
            before = list(_distinctive(texts[: texts.index(first)]))
        else:
            before = list(islice(_distinctive(texts), 1 if first else 2))
        after: list[str] = []
        if not is_trivial(last) and last in texts:
            after = list(_distinctive(texts[len(texts) - texts[::-1].index(last) :]))
        elif (next_below := next(_distinctive(self._around.below), "").rstrip()) and next_below in lines:
            after = list(_distinctive(texts[lines.index(next_below) :]))
        above, below = self._around.above, self._around.below
        if first:
            return self._is_outside(before, above) or self._is_outside(after, below)
        is_above = self._is_outside(before[:1], above) and _repeats(before, above)
        return is_above or (self._is_outside(after, below) and _repeats(after[:2], below))

    def _is_outside(self, texts: Sequence[str], side: Sequence[str]) -> bool:
        if not texts:
            return False
        # Half of the lines are the document's and one is near an edge, or many are unique there.
        near = {line.strip() for lines in (side, side[::-1]) for line in islice(_distinctive(lines), _NEAR)}
        if not (near - self._old.known).isdisjoint({texts[0], texts[-1]}):
            known = {line.strip() for line in side} - self._old.known
            if sum(text in known for text in texts) * 2 >= len(texts):
                return True
        return len(texts) >= _MAX_FROM_OUTSIDE and len(self._unique_among(texts)) >= _MAX_FROM_OUTSIDE

    def _unique_among(self, texts: Sequence[str]) -> list[str]:
        candidates = {text for text in texts if text not in self._old.known and not is_trivial(text)}
        counts = Counter(
            text
            for side in (self._around.above, self._around.below)
            for line in (side if candidates else ())
            if (text := line.strip()) in candidates
        )
        return [text for text in texts if counts[text] == 1]


def _repeats(head: Sequence[str], side: Sequence[str]) -> bool:
    if len(head) == 1 or _ONLY_ONCE.match(head[0]):
        return True
    # A single equal line is no evidence: both lines must also follow each other outside.
    return any(pair == tuple(head) for pair in pairwise(_distinctive(line.strip() for line in side)))


def _distinctive(lines: Iterable[str]) -> Iterator[str]:
    return (line for line in lines if not is_trivial(line) and not annotates(line.strip()))


def annotates(text: str) -> bool:
    """Whether a stripped line annotates the definition below it."""
    return text.startswith(_ANNOTATIONS) or (text.startswith("[") and text.endswith("]"))


def balance(lines: Sequence[str]) -> Counter[str]:
    """Return open minus closed brackets, also in strings and comments."""
    text = "".join(lines)
    return Counter({pair: text.count(pair[0]) - text.count(pair[1]) for pair in ("()", "[]", "{}")})


def to_last_line(lines: Sequence[str]) -> Sequence[str]:
    """Return the lines without blank ones at the end."""
    end = len(lines)
    while end and not lines[end - 1].strip():
        end -= 1
    return lines[:end]
