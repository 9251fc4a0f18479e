"""What came and what went between two landmarks of an old and a new text, for `elision`.

Nothing here judges. A landmark is a line that occurs once in either text.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, cached_property

from twospeed.stream.aligner import is_trivial
from twospeed.stream.answers.line_kinds import LineKind, line_kinds, text_of

WEIGHTS = {LineKind.CODE: 1.0, LineKind.TEXT: 0.5, LineKind.COMMENT: 0.5, LineKind.TRIVIAL: 0.0}
"""How much a missing line counts. Comments are reworded more often than code, so they count half."""

TAKEN_OVER = 0.75
"""Share of an old line's words that must have come for it to count as rewritten."""

WRAPPED = 2
"""New lines that one old line may have become."""

COMMON = 6
"""A word in so many old lines of code, such as ``self``, tells nothing."""

MAX_HOLDERS = 64
"""Windows of new lines that are compared with an old line, for each of its rarest words."""

MAX_COMPARED = 8
"""How often all lines may be compared, in stretches that overlap; the whole scope is one stretch after that."""

_CHUNK = 128
"""Landmarks that are skipped at once where none of them can be the next one."""

_STEM = 4

_BRACKETED_WORDS = re.compile(r"[(\[{][\w'-]+( [\w'-]+)+[)\]}]")
_STRING = re.compile(r"([\"'`])[^\"'`]*\1")
_OPENER = re.compile(r"[a-z]+(?=[\s:(])")
WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+|[^\W\d_a-zA-Z]+")


class AnswerText:
    """Lines without indentation, how far they are indented, and what they are."""

    def __init__(self, markers: tuple[str, ...]) -> None:
        self.lines: list[str] = []
        self.indents: list[int] = []
        self.markers = markers
        self.kinds: list[LineKind] = []
        self._kinds_to_come = line_kinds(iter(self.lines), markers)

    def add(self, lines: Iterable[str]) -> None:
        """Take the next lines."""
        for line in lines:
            text = line.strip()
            self.lines.append(text)
            self.indents.append(line.index(text))
            self.kinds.append(next(self._kinds_to_come))

    @cached_property
    def counts(self) -> Counter[str]:
        """How often each line is there, once all are."""
        return Counter(self.lines)

    @cached_property
    def common_words(self) -> set[str]:
        """Words in so many lines of code that they tell nothing."""
        counts = Counter(word for line in self.code(0, len(self.lines)) for word in words_of([line]))
        return {word for word, count in counts.items() if count >= COMMON}

    @cached_property
    def openers(self) -> set[str]:
        """Words that lines begin with: keywords, mostly."""
        return {match[0] for line in self.lines if (match := _OPENER.match(line))}

    @cached_property
    def holds_asides(self) -> bool:
        """Whether a line is only words in brackets."""
        return any(map(is_bracketed, self.lines))

    def code(self, start: int, end: int) -> Iterator[str]:
        """Give the lines of code from ``start`` up to ``end``."""
        return (self.lines[index] for index in range(start, end) if self.kinds[index] is LineKind.CODE)

    def is_lonely(self, index: int) -> bool:
        """Whether a line is the only one that says something in a comment of several lines."""
        for step in (-1, 1):
            at = index + step
            while 0 <= at < len(self.lines) and self.kinds[at] in (LineKind.TEXT, LineKind.TRIVIAL):
                if self.kinds[at] is LineKind.TEXT and text_of(self.lines[at]):
                    return False
                at += step
        return True


@dataclass(frozen=True, slots=True)
class Stretch:
    """What happened between two landmarks.

    Attributes:
        n_gone: Weight of the lines that are nowhere any more.
        n_lost: The most weight of them in one run, without those that something took over.
        n_free: New lines of code beyond those that took over old ones.
        lost: Lines of code that are nowhere any more, and that nothing took over.
        came: New lines of code.
        came_about: What they speak of.
        gone_about: What comments that are gone spoke of.
    """

    n_gone: float
    n_lost: float
    n_free: int
    lost: tuple[str, ...]
    came: frozenset[str]
    came_about: frozenset[str]
    gone_about: frozenset[str]


class Stretches:
    """Find what happened between the landmarks around a place."""

    def __init__(self, old: AnswerText, new: AnswerText) -> None:
        self._old, self._new = old, new
        self._places = {
            line: index
            for index, line in enumerate(old.lines)
            if old.counts[line] == new.counts[line] == 1 and not is_trivial(line)
        }
        self._landmarks = [index for index, line in enumerate(new.lines) if line in self._places]
        self._old_places = [self._places[new.lines[index]] for index in self._landmarks]
        self._n_left = MAX_COMPARED * (len(old.lines) + len(new.lines))
        self._known: dict[tuple[int, int, int, int], Stretch] = {}

    def around(self, first: int, last: int) -> Stretch:
        """Return the stretch that holds the new lines ``first`` to ``last``."""
        at = bisect_left(self._landmarks, first)
        above = self._landmarks[at - 1] if at else -1
        start = self._old_places[at - 1] + 1 if at else 0
        below = self._next_landmark(bisect_left(self._landmarks, last + 1), start)
        if below is None:
            return self._between(start, len(self._old.lines), above + 1, len(self._new.lines))
        return self._between(start, self._old_places[below], above + 1, self._landmarks[below])

    def _next_landmark(self, at: int, start: int) -> int | None:
        """Return the first landmark from number ``at`` on whose old line is not above ``start``."""
        while at < len(self._old_places):
            if at % _CHUNK == 0 and self._furthest[at // _CHUNK] < start:
                at += _CHUNK
            elif self._old_places[at] >= start:
                return at
            else:
                at += 1
        return None

    @cached_property
    def _furthest(self) -> list[int]:
        """The greatest old place in each chunk of landmarks."""
        places = self._old_places
        return [max(places[at : at + _CHUNK]) for at in range(0, len(places), _CHUNK)]

    @property
    def whole(self) -> Stretch:
        """The scope as one stretch: code may be missing far from its marker where lines were moved."""
        return self._between(0, len(self._old.lines), 0, len(self._new.lines))

    def _between(self, start: int, end: int, new_start: int, new_end: int) -> Stretch:
        ends = start, end, new_start, new_end
        if ends not in self._known:
            # Where lines were moved, stretches overlap: in a reversed scope each one reaches to the end.
            self._n_left -= end - start + new_end - new_start
            if self._n_left < 0:
                ends = 0, len(self._old.lines), 0, len(self._new.lines)
        if ends not in self._known:
            self._known[ends] = self._compare(*ends)
        return self._known[ends]

    def _compare(self, start: int, end: int, new_start: int, new_end: int) -> Stretch:
        old, new = self._old, self._new
        stood, stands = Counter(old.lines[start:end]), Counter(new.lines[new_start:new_end])
        came = [
            index for index in range(new_start, new_end) if stands[new.lines[index]] > stood[new.lines[index]]
        ]
        is_taken_over = _taken_over_by([new.lines[index] for index in came])
        n_gone = n_lost = run = 0.0
        n_taken_over = 0
        comments, lost = list[str](), list[str]()
        for index in range(start, end):
            line, kind = old.lines[index], old.kinds[index]
            if is_trivial(line):
                continue
            if new.counts[line] >= old.counts[line]:
                run = 0.0  # it stands, here or where it was moved to
                continue
            n_gone += WEIGHTS[kind]
            if kind is not LineKind.CODE:
                comments.append(line)
            if is_taken_over(line):
                n_taken_over += kind is LineKind.CODE
            else:
                lost += [line] if kind is LineKind.CODE else []
                run += WEIGHTS[kind]
                n_lost = max(n_lost, run)
        code = [new.lines[index] for index in came if new.kinds[index] is LineKind.CODE]
        n_free = len(code) - n_taken_over
        about = (topics_of_code(code), topics(words_of(comments)))
        return Stretch(n_gone, n_lost, n_free, tuple(lost), frozenset(code), *about)


def _taken_over_by(came: Sequence[str]) -> Callable[[str], bool]:
    """Return what tells whether new lines that follow each other hold most words of an old one.

    Cost: an old line is compared with ``MAX_HOLDERS`` windows for each of its rarest words, however many hold them.
    """
    every = (frozenset(words_of(came[index : index + WRAPPED])) for index in range(len(came)))
    windows = list(dict.fromkeys(every))
    holders: dict[str, list[int]] = defaultdict(list)
    for index, words in enumerate(windows):
        for word in words:
            holders[word].append(index)

    @cache
    def is_taken_over(line: str) -> bool:
        # A window with most of the words has one of the rarest few, so only those windows are compared.
        words = sorted(words_of([line]), key=lambda word: len(holders.get(word, ())))
        rarest = words[: int(len(words) * (1 - TAKEN_OVER)) + 1]
        candidates = {index for word in rarest for index in holders.get(word, ())[:MAX_HOLDERS]}
        return any(len(windows[index].intersection(words)) >= TAKEN_OVER * len(words) for index in candidates)

    return is_taken_over


def is_bracketed(line: str) -> bool:
    """Whether a line is only words in brackets."""
    return bool(_BRACKETED_WORDS.fullmatch(line))


def topics_of_code(lines: Iterable[str]) -> frozenset[str]:
    """Return what code speaks of; sentences in its strings say nothing about what it does."""
    return topics(
        words_of(_STRING.sub(lambda match: "" if " " in match[0] else match[0], line) for line in lines)
    )


def topics(words: Iterable[str]) -> frozenset[str]:
    """Return how words begin: ``validates`` is about ``validation``."""
    return frozenset(word[:_STEM] for word in words)


def words_of(texts: Iterable[str]) -> set[str]:
    """Return the words of texts, names taken apart: ``sumOf_items`` has three."""
    return {word.lower() for text in texts for word in WORD.findall(text)}
