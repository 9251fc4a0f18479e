"""Restore the document's indentation if the model changed it.

Models drop a scope's indentation, double it, write tabs for spaces, begin at the text of the first line, or
use another unit. Each of these is a `Mapping`.

Laws: an answer with the document's indentation is unchanged; otherwise the result has the document's, or the
answer is refused. Lines are held until all possible mappings agree; none is held if the answer begins at the
scope's base and continues at possible places.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from twospeed.stream.aligner import is_similar, is_trivial
from twospeed.stream.answers.evidence import Refusal, Surroundings, annotates
from twospeed.text.lines import indent_of

from .indent_lines import IndentedLines
from .indent_style import IDENTITY, IndentStyle, LineAbove, Mapping, unit_near

MAX_HELD = 12
"""Lines of code held at most; then the likeliest mapping is used, or the answer is refused."""

LEAD = 2
"""Known lines by which a mapping must lead an equally likely one."""

_MAX_BLANK = 200
"""Blank lines on each side of an insertion that are skipped."""

_CLOSING_CHARACTERS = (")", "]", "}", "</")
_CLOSING_WORDS = ("end", "fi", "done", "esac")
"""Starts of lines, and words alone on a line, that close a block in some language."""


@dataclass(frozen=True, slots=True)
class _Candidate:
    """A mapping, and the indentation of the first line, which may be an exception."""

    head: str
    mapping: Mapping


@dataclass(frozen=True, slots=True)
class _Evidence:
    """The evidence for a candidate: few unlikely lines first, then many known lines at their places."""

    candidate: _Candidate
    indents: tuple[str, ...]
    n_unlikely: int
    n_known: int
    n_moved: int

    @property
    def is_guess(self) -> bool:
        """Whether it changes the unit without proof by a known line."""
        return self.n_moved > 0 and bool(self.candidate.mapping.unit)


class Reindenter:
    """Returns the code lines of an answer with the document's indentation, until ``refusal`` is set."""

    def __init__(self, old: Sequence[str], around: Surroundings) -> None:
        self._style = IndentStyle(old, around)
        self._insertion = _Insertion(around)
        self._candidates: list[_Candidate] = []
        self._mapping: Mapping | None = None
        self._starts_in_place = False
        self._opening: str | None = None
        self._kept: set[str] = set()
        self._head: str | None = None
        self._head_text = ""  # the first line, or the old one it is a change of
        self._held: list[str] = []
        self._n_held = 0
        self._above = LineAbove(self._style.base)
        self._output = IndentedLines(self._style)
        self.refusal: Refusal | None = None

    def receive_line(self, line: str) -> list[str]:
        """Return the lines that are certain after one more line of code, in order."""
        if self.refusal:
            return []
        if not self._style.first:
            return [self._insertion.indented(line)]
        if self._mapping is not None:
            if self._mapping is IDENTITY and line in self._style.lines:
                self._output.append(line)
                return [line]
            return self._indented([line], self._mapping)
        return self._receive_undecided(line)

    def finish(self) -> list[str]:
        """Return the held lines, or set ``refusal``."""
        lines = self._decide(is_last=True) if self._n_held and not self.refusal else []
        last, ends = self._output.last, {self._style.base, *self._style.outer_indents}
        if self._style.last and last.strip() == self._style.last and indent_of(last) not in ends:
            self._refuse()  # the block's end is not at the indentation of its start
        return [] if self.refusal else lines

    def begins_inside(self, first: str) -> bool:
        """Whether an answer with this first line is the body of the scope's block."""
        style, indent = self._style, indent_of(first)
        return style.is_block and indent != style.base and indent.startswith(style.base)

    # Which mapping

    def _receive_undecided(self, line: str) -> list[str]:
        if not line.strip():
            if not self._n_held and (not self._candidates or self._may_be_untouched):
                return [line]
            self._held.append(line)
            return []
        if not self._candidates:
            self._begin(line)
        self._held.append(line)
        self._n_held += 1
        if self._n_held == 1 and self._may_be_untouched and self._fits():
            return self._keep(line)
        return self._decide(is_last=self._n_held == MAX_HELD)

    @property
    def _may_be_untouched(self) -> bool:
        return self._starts_in_place and self._candidates[0].mapping == IDENTITY

    def _begin(self, line: str) -> None:
        # If the first line is at its place, other candidates are made only when a later line is not.
        text, first = line.strip(), self._style.first
        is_changed = text not in self._style.indents_of and is_similar(text, first)
        self._head_text = first if is_changed else text
        is_elsewhere = line in self._style.lines and text != first
        head = indent_of(line) if is_elsewhere else self._style.base
        self._starts_in_place = indent_of(line) == head
        if self._starts_in_place:
            self._candidates, self._opening = [_Candidate(head, IDENTITY)], line
        else:
            self._candidates = list(self._changes(line, head))

    def _changes(self, line: str, head: str) -> Iterator[_Candidate]:
        indent, base = indent_of(line), self._style.base
        if indent == head:
            if base:
                yield _Candidate(head, Mapping(add=base))
        elif base.endswith(indent):
            yield _Candidate(base, Mapping(add=base.removesuffix(indent)))
        elif indent.endswith(base):
            yield _Candidate(base, Mapping(remove=indent.removesuffix(base)))
        for unit, to in self._style.conversions():
            if (mapping := Mapping(unit=unit, to=to))(indent) == head:
                yield _Candidate(head, mapping)
            if indent or head:
                yield _Candidate(head, Mapping(indent, head, unit, to))
        if indent != head:
            yield _Candidate(head, IDENTITY)
            if line in self._style.lines or self._head_text not in self._style.indents_of:
                yield _Candidate(indent, IDENTITY)

    def _fits(self) -> bool:
        if self._head is None and self._candidates[0].head == self._style.base:
            return True
        weighed = self._weigh(self._candidates[0])
        return weighed is not None and not weighed.n_unlikely

    def _keep(self, line: str) -> list[str]:
        indent = indent_of(line)
        if self._head is None:
            return self._emit(self._candidates[0], self._candidates)
        # A deeper line leaves no candidate for the whole answer, except a line of a block comment, which is
        # one space deeper in any unit.
        if indent == self._head or is_trivial(line) or line[len(indent)] == "*":
            self._kept.add(indent)
            return self._emit(self._candidates[0], self._agreeing(self._candidates))
        self._opening = None
        return self._emit(self._candidates[0], self._candidates[:1])

    def _agreeing(self, candidates: Iterable[_Candidate]) -> list[_Candidate]:
        return [
            found for found in candidates if all(found.mapping(indent) == indent for indent in self._kept)
        ]

    def _decide(self, *, is_last: bool) -> list[str]:
        if self._opening is not None:
            self._candidates += self._agreeing(self._changes(self._opening, self._candidates[0].head))
            self._opening = None
        candidates = dict.fromkeys([*self._candidates, *self._agreeing(self._shifts())])
        weighed = [found for candidate in candidates if (found := self._weigh(candidate))]
        least = min((found.n_unlikely for found in weighed), default=0)
        likely = [found for found in weighed if found.n_unlikely == least]
        most = max((found.n_known for found in likely), default=0)
        best = [found for found in likely if found.n_known == most]
        if not best:
            self._refuse()
            return []
        if self._may_be_untouched and likely[0].candidate == self._candidates[0]:
            best, is_clear = likely[:1], most > 0 or is_last
        else:
            lead = 1 if is_last else LEAD
            is_ahead = all(
                found.indents == best[0].indents or most - found.n_known >= lead for found in likely
            )
            is_proved = most > 0 or (is_last and not least and not best[0].is_guess)
            is_clear = (is_ahead and is_proved) or all(found.indents == best[0].indents for found in weighed)
        if is_clear:
            agreeing = [found.candidate for found in likely if found.indents == best[0].indents]
            return self._emit(best[0].candidate, agreeing)
        if is_last:
            self._refuse()
        return []

    def _shifts(self) -> Iterator[_Candidate]:
        if not self._may_be_untouched:
            return
        # The first known line shows the shift, if only the first line of the answer stayed.
        for line in self._held:
            text, indent = line.strip(), indent_of(line)
            if len(old_indents := self._style.indents_of.get(text, set())) == 1 and not is_trivial(text):
                (old_indent,) = old_indents
                if indent.endswith(old_indent) and indent != old_indent:
                    yield _Candidate(self._style.base, Mapping(remove=indent.removesuffix(old_indent)))
                elif old_indent.endswith(indent) and indent != old_indent:
                    yield _Candidate(self._style.base, Mapping(add=old_indent.removesuffix(indent)))
                return

    def _weigh(self, candidate: _Candidate) -> _Evidence | None:
        style, above = self._style, self._above
        n_unlikely = n_known = n_moved = 0
        indents = []
        is_head = self._head is None
        for line in self._held:
            if not (text := line.strip()):
                continue
            indent = indent_of(line)
            mapped = candidate.head if is_head else candidate.mapping(indent)
            if line in style.lines and style.is_left_of_base(indent):
                indents.append(indent)  # for example a preprocessor line, which mappings do not change
                is_head = False
                continue
            if mapped is None:
                return None
            old_indents = style.indents_of.get(text, ())
            stayed = mapped in old_indents
            if old_indents and not is_head and not is_trivial(text):
                n_known += stayed
                n_moved += not stayed
            if stayed:
                is_far = bool(style.unit) and len(mapped) > len(above.indent) + len(style.unit)
                n_unlikely += is_far and not style.has_below(above.indent + above.text, mapped + text)
            elif old_indents or mapped not in style.outer_indents:
                n_unlikely += not style.is_likely(mapped, text, above)
            n_unlikely += not is_head and candidate.mapping.leaves_partial_level(indent, text)
            above = self._below(above, mapped, self._head_text if is_head else text, text)
            indents.append(mapped)
            is_head = False
        return _Evidence(candidate, tuple(indents), n_unlikely, n_known, n_moved)

    def _emit(self, best: _Candidate, agreeing: Sequence[_Candidate]) -> list[str]:
        held, self._held, self._n_held = self._held, [], 0
        lines: list[str] = []
        if self._head is None:
            self._head = best.head
            self._above = self._below(self._above, best.head, self._head_text, held[0].strip())
            lines = [best.head + held[0].lstrip()]
            self._output.append(lines[0])
            held = held[1:]
        self._candidates = list(agreeing)
        if self._opening is None and len({candidate.mapping for candidate in agreeing}) == 1:
            self._mapping = best.mapping
        return lines + self._indented(held, best.mapping)

    def _indented(self, lines: Sequence[str], mapping: Mapping) -> list[str]:
        indented: list[str] = []
        for line in lines:
            result = self._output.indented(line, mapping)
            if result is None:
                self._refuse()
                return []
            indented.append(result)
            if result.strip() and self._mapping is None:
                self._above = self._below(self._above, indent_of(result), result.strip(), result.strip())
        return indented

    def _below(self, above: LineAbove, indent: str, text: str, written: str) -> LineAbove:
        style = self._style
        if style.is_left_of_base(indent):
            return above
        opens = style.opens(text)
        is_inside = above.is_inside or (style.is_block and bool(opens) and indent == style.base)
        return LineAbove(indent, text, written, opens, is_inside)

    def _refuse(self) -> None:
        self._held.clear()
        self._n_held = 0
        self.refusal = Refusal(
            "indentation",
            "the answer is indented differently from the document, and the difference is unclear",
        )


class _Insertion:
    """Indents an answer's lines for an empty scope at least as the lines around it require.

    A blank line between two lines of a block is in the block, so an insertion there must not end it.
    """

    def __init__(self, around: Surroundings) -> None:
        self._around = around
        self._added = ""
        self._is_decided = False

    def indented(self, line: str) -> str:
        """Return a line of the answer with its indentation in the document."""
        if not line.strip():
            return line
        if not self._is_decided:
            self._added = self._missing(line)
            # After an annotation, the next line decides again: both have the same indentation, unless the
            # model omitted that of the first line only.
            self._is_decided = not annotates(line.strip())
        return self._added + line

    def _missing(self, first: str) -> str:
        text, indent = first.strip(), indent_of(first)
        if self._around.is_prose or text.startswith("#!") or _is_closing(text):
            return ""
        least = _least_indent(self._around)
        return least.removesuffix(indent) if least.endswith(indent) else ""


def _least_indent(around: Surroundings) -> str:
    above, below = (_first_text(lines) for lines in (reversed(around.above), around.below))
    if not above or not below:
        return ""
    outer, inner = sorted((indent_of(above), indent_of(below)), key=len)
    if not inner.startswith(outer):
        return ""
    if len(indent_of(above)) > len(indent_of(below)) and _is_closing(below.strip()):
        # The lines of the block that ends below are one level deeper than its end.
        unit = unit_near(around)
        return outer + unit if unit and inner.startswith(outer + unit) else inner
    return outer


def _is_closing(text: str) -> bool:
    word = text[: len(text) - len(text.lstrip("abcdefghijklmnopqrstuvwxyz"))]
    return text.startswith(_CLOSING_CHARACTERS) or (word in _CLOSING_WORDS and text.rstrip(";,") == word)


def _first_text(lines: Iterable[str]) -> str:
    return next((line for line in islice(lines, _MAX_BLANK) if line.strip()), "")
