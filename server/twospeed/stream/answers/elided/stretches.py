"""Compare an old and a new text between landmarks: lines that occur once in each text."""

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
"""Weight of a missing line. Comments are reworded more often than code."""

MIN_SHARE_OF_WORDS = 0.75
"""Share of an old line's words in new lines from which it is rewritten."""

WINDOW = 2
"""New lines that one old line may have become."""

COMMON = 6
"""A word in this many old lines of code, such as ``self``, is no evidence."""

MAX_WINDOWS = 64
"""Windows compared with an old line, for each of its rarest words."""

MAX_COMPARED = 8
"""Comparisons of all lines, in overlapping stretches; then the whole scope is one stretch."""

_CHUNK = 128
"""Landmarks that are skipped together if none of them can be the next."""

_STEM = 4

_BRACKETED_WORDS = re.compile(r"[(\[{][\w'-]+( [\w'-]+)+[)\]}]")
_STRING = re.compile(r"([\"'`])[^\"'`]*\1")
_OPENER = re.compile(r"[a-z]+(?=[\s:(])")
WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+|[^\W\d_a-zA-Z]+")


class AnswerText:
    """Lines without indentation, with their indentation widths and kinds."""

    def __init__(self, markers: tuple[str, ...]) -> None:
        self.lines: list[str] = []
        self.indents: list[int] = []
        self.markers = markers
        self.kinds: list[LineKind] = []
        self._next_kinds = line_kinds(iter(self.lines), markers)

    def add(self, lines: Iterable[str]) -> None:
        """Append lines."""
        for line in lines:
            text = line.strip()
            self.lines.append(text)
            self.indents.append(line.index(text))
            self.kinds.append(next(self._next_kinds))

    @cached_property
    def counts(self) -> Counter[str]:
        """Occurrences of each line; for complete texts."""
        return Counter(self.lines)

    @cached_property
    def common_words(self) -> set[str]:
        """Words in too many lines of code to be evidence."""
        counts = Counter(word for line in self.code(0, len(self.lines)) for word in words_of([line]))
        return {word for word, count in counts.items() if count >= COMMON}

    @cached_property
    def openers(self) -> set[str]:
        """First words of lines, mostly keywords."""
        return {match[0] for line in self.lines if (match := _OPENER.match(line))}

    @cached_property
    def has_bracketed_lines(self) -> bool:
        """Whether some line consists only of words in brackets."""
        return any(map(is_bracketed, self.lines))

    def code(self, start: int, end: int) -> Iterator[str]:
        """Yield the lines of code from ``start`` up to ``end``."""
        return (self.lines[index] for index in range(start, end) if self.kinds[index] is LineKind.CODE)

    def is_only_text(self, index: int) -> bool:
        """Whether no other line of the same comment has text."""
        for step in (-1, 1):
            at = index + step
            while 0 <= at < len(self.lines) and self.kinds[at] in (LineKind.TEXT, LineKind.TRIVIAL):
                if self.kinds[at] is LineKind.TEXT and text_of(self.lines[at]):
                    return False
                at += step
        return True


@dataclass(frozen=True, slots=True)
class Stretch:
    """The differences between two landmarks."""

    n_removed: float  # weight of the missing lines
    n_lost: float  # largest weight of missing lines in one run, without rewritten ones
    n_free: int  # new lines of code beyond those that rewrite old ones
    lost: tuple[str, ...]  # missing lines of code that were not rewritten
    added: frozenset[str]  # new lines of code
    added_topics: frozenset[str]
    removed_topics: frozenset[str]  # of missing comments


class Stretches:
    """Compares the texts between landmarks."""

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
        """Return the stretch around the new lines ``first`` to ``last``."""
        at = bisect_left(self._landmarks, first)
        above = self._landmarks[at - 1] if at else -1
        start = self._old_places[at - 1] + 1 if at else 0
        below = self._next_landmark(bisect_left(self._landmarks, last + 1), start)
        if below is None:
            return self._between(start, len(self._old.lines), above + 1, len(self._new.lines))
        return self._between(start, self._old_places[below], above + 1, self._landmarks[below])

    def _next_landmark(self, at: int, start: int) -> int | None:
        # The first landmark from `at` on whose old line is not above `start`; lines may have moved.
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
        places = self._old_places
        return [max(places[at : at + _CHUNK]) for at in range(0, len(places), _CHUNK)]

    @property
    def whole(self) -> Stretch:
        """The scope as one stretch; lines may have moved far from a marker."""
        return self._between(0, len(self._old.lines), 0, len(self._new.lines))

    def _between(self, start: int, end: int, new_start: int, new_end: int) -> Stretch:
        ends = start, end, new_start, new_end
        if ends not in self._known:
            # If lines moved, stretches overlap: in a reversed scope each one reaches the end.
            self._n_left -= end - start + new_end - new_start
            if self._n_left < 0:
                ends = 0, len(self._old.lines), 0, len(self._new.lines)
        if ends not in self._known:
            self._known[ends] = self._compare(*ends)
        return self._known[ends]

    def _compare(self, start: int, end: int, new_start: int, new_end: int) -> Stretch:
        old, new = self._old, self._new
        old_counts, new_counts = Counter(old.lines[start:end]), Counter(new.lines[new_start:new_end])
        added = [
            index
            for index in range(new_start, new_end)
            if new_counts[new.lines[index]] > old_counts[new.lines[index]]
        ]
        is_reworded = _reworded_test([new.lines[index] for index in added])
        n_removed = n_lost = run = 0.0
        n_reworded = 0
        comments, lost = list[str](), list[str]()
        for index in range(start, end):
            line, kind = old.lines[index], old.kinds[index]
            if is_trivial(line):
                continue
            if new.counts[line] >= old.counts[line]:
                run = 0.0  # the line is still there, perhaps elsewhere
                continue
            n_removed += WEIGHTS[kind]
            if kind is not LineKind.CODE:
                comments.append(line)
            if is_reworded(line):
                n_reworded += kind is LineKind.CODE
            else:
                lost += [line] if kind is LineKind.CODE else []
                run += WEIGHTS[kind]
                n_lost = max(n_lost, run)
        code = [new.lines[index] for index in added if new.kinds[index] is LineKind.CODE]
        n_free = len(code) - n_reworded
        about = (topics_of_code(code), topics(words_of(comments)))
        return Stretch(n_removed, n_lost, n_free, tuple(lost), frozenset(code), *about)


def _reworded_test(added: Sequence[str]) -> Callable[[str], bool]:
    """Return a test whether adjacent new lines contain most words of an old line."""
    every = (frozenset(words_of(added[index : index + WINDOW])) for index in range(len(added)))
    windows = list(dict.fromkeys(every))
    windows_with: dict[str, list[int]] = defaultdict(list)
    for index, words in enumerate(windows):
        for word in words:
            windows_with[word].append(index)

    @cache
    def is_reworded(line: str) -> bool:
        # A window with most of the words has one of the rarest, so only such windows are compared.
        words = sorted(words_of([line]), key=lambda word: len(windows_with.get(word, ())))
        rarest = words[: int(len(words) * (1 - MIN_SHARE_OF_WORDS)) + 1]
        candidates = {index for word in rarest for index in windows_with.get(word, ())[:MAX_WINDOWS]}
        return any(
            len(windows[index].intersection(words)) >= MIN_SHARE_OF_WORDS * len(words) for index in candidates
        )

    return is_reworded


def is_bracketed(line: str) -> bool:
    """Whether a line consists only of words in brackets."""
    return bool(_BRACKETED_WORDS.fullmatch(line))


def topics_of_code(lines: Iterable[str]) -> frozenset[str]:
    """Return the topics of code, ignoring sentences in its strings."""
    return topics(
        words_of(_STRING.sub(lambda match: "" if " " in match[0] else match[0], line) for line in lines)
    )


def topics(words: Iterable[str]) -> frozenset[str]:
    """Return word beginnings: ``validates`` and ``validation`` are one topic."""
    return frozenset(word[:_STEM] for word in words)


def words_of(texts: Iterable[str]) -> set[str]:
    """Return the words of texts in lower case; ``sumOf_items`` has three."""
    return {word.lower() for text in texts for word in WORD.findall(text)}
