"""Notice that an answer leaves lines out and puts a comment in their place.

Three signs, from the surest to the one that needs the most context: a new comment with an ellipsis; a new comment
whose every word speaks of code that is not there; a new comment where far more code goes than comes.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from .aligner import is_trivial
from .evidence import Refusal
from .ops import Change, Delete, Insert, Keep, Op

LEFT_OUT = 2
"""Lines of code that must be lost at a new comment for it to count as a marker for lines left out."""

_WORD = re.compile(r"[a-z]+")
_SHORT_COMMENT_WORDS = 8
_ABSENCE = frozenset(
    [
        "as",
        "before",
        "elided",
        "existing",
        "identical",
        "intact",
        "kept",
        "omitted",
        "original",
        "previous",
        "remainder",
        "remaining",
        "rest",
        "same",
        "skipped",
        "snip",
        "truncated",
        "unchanged",
        "unmodified",
        "untouched",
    ]
)
_COMPANY = frozenset(
    [
        "above",
        "and",
        "are",
        "below",
        "body",
        "code",
        "content",
        "file",
        "function",
        "goes",
        "here",
        "implementation",
        "is",
        "it",
        "keep",
        "line",
        "lines",
        "logic",
        "method",
        "of",
        "remains",
        "stay",
        "stays",
        "the",
        "this",
    ]
)
_ELLIPSIS = re.compile(r"\.\.\.|\u2026")


def is_marker(comment: str) -> bool:
    """Whether a comment can only stand for lines left out."""
    words = _WORD.findall(comment.lower())
    speaks_of_nothing_else = not _ABSENCE.isdisjoint(words) and _ABSENCE.union(_COMPANY).issuperset(words)
    return bool(_ELLIPSIS.search(comment)) or speaks_of_nothing_else


def _speaks_of_absence(comment: str) -> bool:
    """Whether a short comment speaks of code that is not there; only asked where code is in fact missing."""
    words = _WORD.findall(comment.lower())
    return len(words) <= _SHORT_COMMENT_WORDS and not _ABSENCE.isdisjoint(words)


class ElisionCheck:
    """Notice a comment that stands where several old lines vanished: "rest unchanged", in any words.

    The sign is in the structure: far more code goes there than comes. A comment that explains comes before the code
    it explains, so one that is the last new line before an old one stands for code. In between, where structure
    cannot tell, a short comment that speaks of absence is taken at its word.
    """

    def __init__(self, old: Sequence[str], is_comment: Callable[[str], bool]) -> None:
        self._old = old
        self._is_comment = is_comment
        self._at = 0
        self._gone: list[str] = []
        self._new: list[str] = []
        self.refusal: Refusal | None = None

    def receive_op(self, op: Op) -> None:
        """Follow one step of the aligner."""
        match op:
            case Insert(line):
                self._new.append(line)
            case Change(index, line):
                self._new.append(line)
                self._pass_to(index + 1)
            case Delete(until):
                self._pass_to(until)
            case Keep(until):
                # A kept bracket or blank line parts nothing.
                if any(not is_trivial(line) for line in self._old[self._at : until]):
                    self.finish()
                    self._gone, self._new = [], []
                self._at = until

    def finish(self) -> None:
        """Judge what stands between the last kept line that tells something and here."""
        new = [line for line in self._new if not is_trivial(line)]
        comments = [line for line in new if self._is_comment(line)]
        gone = [line for line in self._gone if not is_trivial(line) and not self._is_comment(line)]
        n_lost = len(gone) - (len(new) - len(comments))
        is_last = bool(comments) and comments[-1] is new[-1]
        if (is_last and n_lost >= LEFT_OUT) or (n_lost > 0 and any(map(_speaks_of_absence, comments))):
            self.refusal = Refusal("elided", "the answer puts a comment where lines of code were")

    def _pass_to(self, until: int) -> None:
        self._gone += self._old[self._at : until]
        self._at = until
