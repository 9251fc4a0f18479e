"""Detect an answer that omits code and puts a comment in its place.

A marker may use any words and language, so no phrases are known. New comments are suspects if old lines were
lost between the nearest landmarks (lines that occur once in each text). The more lines are lost, the more
evidence a comment needs. In doubt the answer is refused: a wrong refusal costs a retry, lost code may go
unnoticed. Law: the verdict depends on the old text and the answer only, not on chunks or alignment.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice

from twospeed.stream.aligner import is_similar
from twospeed.stream.answers.evidence import Refusal
from twospeed.stream.answers.line_kinds import LineKind, text_of

from .explaining import Explanations
from .rewrites import is_rewritten
from .stretches import (
    WORD,
    AnswerText,
    Stretch,
    Stretches,
    is_bracketed,
    topics,
    topics_of_code,
    words_of,
)

NEEDS_CODE, NEEDS_CODE_BELOW, NEEDS_REWRITE = 2, 3, 6
"""Lost lines from which a comment needs code to explain; new code directly below; enough new code for a
rewrite.
"""

REWRITE_RATIO = 0.5
"""New lines of code for each lost one that are enough for a rewrite."""

LOST_ANYWHERE = 4
"""Lost lines in the whole scope from which a comment must share a topic with some change."""

LINES_BELOW = 3
"""Lines of code below a comment that it may explain."""

MAX_MARKER_WORDS = 4
"""Words up to which a line among several new comments may be the marker."""

_MIN_WORD_CHARS = 3
_EDGE = 20
"""Characters at each end of a comment that are searched for an ellipsis."""

_HEAD, _MAX_COMMENTS = 8, 4
"""Common first characters of a reworded comment and the old one, and number of old ones compared."""

_LABEL = re.compile(r"[A-Z]{3,}(?=[:(]|$)")
_WORDS = re.compile(r"\w+")
_QUOTED = re.compile(r"[\"'`]([^\"'`]+)")
_ELLIPSIS_FIRST = re.compile(r"[\W_]*?(\.{3}|\u2026)")
_ELLIPSIS_LAST = re.compile(r"(\.{3}|\u2026)[\W_]*$")
_ELLIPSIS_ALONE = re.compile(r"(\.{3,}|\u2026)(\s.*)?")
_BRACKETS = {"(": ")", "[": "]", "{": "}", "<": ">"}
_LIST = re.compile(r"[(\[] ?[\w.*+-]+(?:, ?[\w.*+-]+)+ ?[)\]]")
"""A list of single words, such as the shape of a matrix."""


def is_marker(comment: str) -> bool:
    """Whether a comment is only an ellipsis, or between two of them."""
    return all(_ellipses(text_of(comment)))


class ElisionCheck:
    """Compares the lines of an answer with the old ones; ``refusal`` is set if it omits code.

    A comment that ``instruction`` quotes, or names by its label such as ``TODO``, is an edit.
    """

    def __init__(self, old: Sequence[str], markers: tuple[str, ...], instruction: str = "") -> None:
        self._instruction = instruction
        self._old, self._old_rest = AnswerText(markers), iter(old)
        self._new = AnswerText(markers)
        self.unread: list[str] = []
        self.refusal: Refusal | None = None

    def receive_line(self, line: str) -> None:
        """Receive a line of the new scope."""
        self.unread.append(line)

    def catch_up(self) -> None:
        """Classify the received lines while no line waits, so that less work is left for the end."""
        if self.unread:
            self._new.add(self.unread)
            self._old.add(islice(self._old_rest, len(self.unread)))
            self.unread.clear()

    def finish(self, *, is_patch: bool = False) -> None:
        """Receive the end of a complete answer.

        A patch lists the removed lines, so only an ellipsis is an omission there.
        """
        self.catch_up()
        self._old.add(self._old_rest)
        if _omits_code(self._old, self._new, self._instruction, is_patch=is_patch):
            self.refusal = Refusal("elided", "the answer replaces lines of code by a comment")


@dataclass(frozen=True, slots=True)
class _Remark:
    """A new line, or its end, that is not code; ``is_omission`` if it is written as one."""

    text: str
    is_omission: bool


@dataclass(frozen=True, slots=True)
class _Suspect:
    """New comments without code between them, and the code below."""

    about: frozenset[str]
    is_omission: bool
    below: tuple[str, ...]

    @classmethod
    def of(cls, remarks: Sequence[_Remark], below: Sequence[str], old: AnswerText) -> _Suspect:
        words = words_of(remark.text for remark in remarks) - old.common_words
        distinctive = (word for word in words if len(word) >= _MIN_WORD_CHARS or not word.isascii())
        return cls(topics(distinctive), any(remark.is_omission for remark in remarks), tuple(below))

    def is_accepted(self, stretch: Stretch) -> bool:
        # From NEEDS_REWRITE lost lines on, shared words are not enough: new code is needed too.
        if self.is_omission or (
            stretch.n_lost >= NEEDS_REWRITE and stretch.n_free < REWRITE_RATIO * stretch.n_lost
        ):
            return not stretch.n_lost
        if stretch.n_lost >= NEEDS_CODE_BELOW:
            return self._shares(topics_of_code(line for line in self.below if line in stretch.added))
        if stretch.n_lost < 1 or (
            stretch.n_lost == 1 and stretch.added and stretch.n_removed < NEEDS_CODE_BELOW
        ):
            return True
        # A comment that shares no distinctive word with the code next to it explains nothing.
        is_old_comment_reworded = 2 * len(self.about & stretch.removed_topics) >= max(1, len(self.about))
        return is_old_comment_reworded or self._shares(topics_of_code(self.below) | stretch.added_topics)

    def explains_anything(self, whole: Stretch) -> bool:
        others = topics_of_code(self.below) | whole.added_topics | whole.removed_topics
        return not self.is_omission and self._shares(others)

    def _shares(self, topics: Collection[str]) -> bool:
        return not self.about.isdisjoint(topics)


def _omits_code(old: AnswerText, new: AnswerText, instruction: str, *, is_patch: bool) -> bool:
    remarks = _remarks(old, new, instruction, is_patch=is_patch)
    if not remarks:
        return False
    stretches, places = Stretches(old, new), list(_blocks(list(remarks), new))
    around, whole = [stretches.around(first, last) for first, last in places], stretches.whole
    explanations = Explanations(old, new, around)
    for (first, last), stretch in zip(places, around, strict=True):
        block = [remarks[index] for index in range(first, last + 1) if index in remarks]
        below = [*islice(new.code(last, len(new.lines)), LINES_BELOW)]
        suspects = [_Suspect.of(block, below, old)]
        if not suspects[0].is_omission and (
            is_rewritten(old, new, first, stretch.n_lost)
            or explanations.is_explanation(first, last, suspects[0].about, stretch, whole)
        ):
            continue
        if stretch.n_lost >= NEEDS_CODE and explanations.explains_nothing(first, last, stretch):
            return True
        if stretch.n_lost >= NEEDS_CODE_BELOW:  # a short line among several comments may be the marker
            short = [remark for remark in block if len(WORD.findall(remark.text)) <= MAX_MARKER_WORDS]
            suspects += [_Suspect.of([remark], below, old) for remark in short]
        if not all(suspect.is_accepted(stretch) for suspect in suspects):
            return True
        # If lines moved, code may be missing far from its marker.
        if whole.n_lost >= LOST_ANYWHERE and not suspects[0].explains_anything(whole):
            return True
    return False


def _remarks(old: AnswerText, new: AnswerText, instruction: str, *, is_patch: bool) -> dict[int, _Remark]:
    remarks = {
        index: remark
        for index, line in enumerate(new.lines)
        if line and line not in old.counts and (remark := _remark_in(new, index, old))
    }
    named, removed = _WORDS.findall(instruction.casefold()), _removed_comments(old, new) if remarks else {}
    quoted = {text_of(part.strip()) for part in _QUOTED.findall(instruction)}
    for index, remark in list(remarks.items()):
        label = _LABEL.match(remark.text)
        is_explicit = is_patch and not any(_ellipses(remark.text))
        if is_explicit or remark.text in quoted or (label and label[0].casefold() in named):
            del remarks[index]
        elif remark.is_omission and _is_reworded(new.lines[index], removed):
            remarks[index] = replace(remark, is_omission=False)
    return remarks


def _removed_comments(old: AnswerText, new: AnswerText) -> dict[str, list[str]]:
    removed: dict[str, list[str]] = {}
    for line in old.counts:
        if line not in new.counts and line.startswith(old.markers):
            removed.setdefault(line[:_HEAD], []).append(line)
    return removed


def _is_reworded(line: str, removed: Mapping[str, Sequence[str]]) -> bool:
    return any(is_similar(line, comment) for comment in removed.get(line[:_HEAD], ())[:_MAX_COMMENTS])


def _remark_in(new: AnswerText, index: int, old: AnswerText) -> _Remark | None:
    line, kind = new.lines[index], new.kinds[index]
    if kind in (LineKind.COMMENT, LineKind.TEXT):
        text = text_of(line)
        is_omission = _is_written_as_omission(text)
        is_comment = (
            kind is LineKind.COMMENT or line.startswith(old.markers) or is_omission or new.is_only_text(index)
        )
        return _Remark(text, is_omission) if text and is_comment else None
    bare = line[1:-1].strip() if _BRACKETS.get(line[0]) == line[-1] else line
    is_bare_ellipsis = bare.startswith((".", "\u2026")) and (
        bool(_ELLIPSIS_ALONE.fullmatch(bare)) or all(_ellipses(bare))
    )
    if is_bare_ellipsis or (kind is LineKind.TRIVIAL and any(_ellipses(line))):
        return _Remark(line, is_omission=True)
    is_aside = line.startswith(tuple(_BRACKETS)) and is_bracketed(line)
    if is_aside and not old.has_bracketed_lines:  # in Lisp, for example, these are code
        return _Remark(line, is_omission=True)
    for marker in old.markers:
        code, found, comment = line.partition(f" {marker}")
        if not found:
            continue
        text = text_of(comment.strip())
        if text and (_is_written_as_omission(text) or code.strip() in old.counts):
            return _Remark(text, _is_written_as_omission(text))
    return None


def _is_written_as_omission(text: str) -> bool:
    is_in_brackets = len(text) > 1 and _BRACKETS.get(text[0]) == text[-1]
    begins, ends = _ellipses(text)
    is_omission = begins or (ends and not _ends_with_open_list(text))
    return is_omission or (is_in_brackets and not _LIST.fullmatch(text))


def _ends_with_open_list(text: str) -> bool:
    """Whether a text ends with examples in brackets, such as ``shaped (rows, columns, ...)``."""
    list_, _, tail = text.rpartition("..." if "..." in text else "\u2026")
    at = max(map(list_.rfind, _BRACKETS))
    return at > 0 and list_.rstrip().endswith(",") and tail.startswith(_BRACKETS[list_[at]])


def _ellipses(text: str) -> tuple[bool, bool]:
    return bool(_ELLIPSIS_FIRST.match(text[:_EDGE])), bool(_ELLIPSIS_LAST.search(text[-_EDGE:]))


def _blocks(indices: Sequence[int], new: AnswerText) -> Iterator[tuple[int, int]]:
    first = 0
    for at, index in enumerate(indices):
        is_last = at + 1 == len(indices)
        if is_last or any(True for _ in new.code(index + 1, indices[at + 1])):
            yield indices[first], index
            first = at + 1
