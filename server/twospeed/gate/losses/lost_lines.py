"""Report how many lines an answer leaves out, where little or nothing came in their place.

A parser accepts code without a loop, or without the end of a function. A replacement has about as many lines as what it
replaces, so removed lines without one get a finding. A deletion that the user asked for gets it, too.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from twospeed.gate.facts import PROSE, GateFacts, Remark
from twospeed.text.code.scope_code import ScopeCode

from .cut_ends import cut_end
from .dropped_definitions import gone_from
from .quoting import quotes_around
from .small_losses import small_losses

MIN_GONE = 5
"""Lines of code that are gone together, from which few that came for them are no replacement: a loop that becomes an
expression has four."""

GONE_FOR_ONE = 3
"""Lines that are gone for each one that came."""

MAX_PAIRED = 60
"""Lines between two kept ones that are compared with each other, to see which were only changed."""

MIN_GONE_WITHOUT = 2
"""Lines that are gone together where nothing came for them: a loop has two."""

MAX_SHARE_AGAIN = 0.25
"""Share of the words that went with lines and came with others, up to which the others do not replace the lines. Measured on
1,161 edits by people: in 20 of them the new lines share so few words with the old ones."""

_WORD = re.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class _Gap:
    """Lines of code between two that stayed, or were changed in their place.

    Attributes:
        first: The first that is gone, as an index of the old lines.
        n_gone: How many are.
        n_came: How many came between the same two.
        is_head: Whether no line of code above them stayed.
        is_unlike: Whether what came has few of their words, as the new entry of a list that was to be longer.
    """

    first: int
    n_gone: int
    n_came: int
    is_head: bool = False
    is_unlike: bool = False


def lines_gone(facts: GateFacts) -> Iterator[Remark]:
    """Say where lines are gone for which few or none came, most of them first; what is empty is another check's matter."""
    if not any(map(str.strip, facts.new_lines)):
        return
    if facts.is_open:
        end = facts.last_line
        yield Remark("the answer does not say that it is whole: lines may be missing here", (end, end))
    if quotes := _new_quotes(facts):
        lines = (facts.first_line, facts.last_line)
        yield Remark(f"these lines are between {quotes} and {quotes} now", lines)
    gaps = [gap for gap in _gaps(facts) if _is_loss(gap, facts)]
    if not gaps and (n_lost := _all_replaced(facts)):
        gaps = [_Gap(0, n_lost, len(_told(facts.new_lines)))]
    for gap in sorted(gaps, key=lambda gap: -gap.n_gone):
        line = facts.place_of_old(gap.first)
        yield Remark(_message(gap.n_gone, gap.n_came), (line, line))
    if gaps:
        return
    others = [*small_losses(facts)] or [*_comments_gone(facts)]
    yield from others
    if not others and (cut := cut_end(facts)) and not cut.names:
        yield Remark(_message(cut.n_lines, 0), (cut.line, cut.line))


def _message(n_gone: int, n_came: int) -> str:
    gone = "1 line was removed here" if n_gone == 1 else f"{n_gone} lines were removed here"
    return f"{gone}, and {n_came} came for {'it' if n_gone == 1 else 'them'}" if n_came else gone


def _new_quotes(facts: GateFacts) -> str | None:
    """Return the quotes that came around lines that say the same as before: code between them is a text."""
    quotes = quotes_around(facts)
    if quotes is None or facts.language_id in PROSE:
        return quotes
    words = {word for line in facts.new_lines for word in _WORD.findall(line)}
    old = {word for line in facts.old_lines for word in _WORD.findall(line)}
    return quotes if 2 * len(words & old) >= min(len(words), len(old)) else None


def _is_loss(gap: _Gap, facts: GateFacts) -> bool:
    if gap.is_unlike:
        return True
    if gap.n_came:
        return gap.n_gone >= MIN_GONE and gap.n_gone >= GONE_FOR_ONE * gap.n_came
    # What is above all definitions of a file names its package, or imports.
    is_head = gap.is_head and facts.kind == "file" and bool(facts.definitions_before or facts.errors_before)
    return gap.n_gone >= (1 if is_head else MIN_GONE_WITHOUT)


def _gaps(facts: GateFacts) -> Iterator[_Gap]:
    """Yield what is gone between lines that stayed.

    Brackets alone are no lines, as each of them equals many others. A definition that is gone is left out: `dropped-definition` reports it by name.
    """
    kept, old = facts.kept, _code_lines(facts.before, facts.old_lines, facts.first_line)
    for each in gone_from(facts):
        first, behind = each.first_line - facts.first_line, each.last_line + 1 - facts.first_line
        old[first:behind] = [False] * (min(behind, len(old)) - first)  # its end may be below the scope
    new = _code_lines(facts.after, facts.new_lines, facts.first_line)
    stayed = set(kept.values())
    came = [index for index, is_code in enumerate(new) if is_code and index not in stayed]
    words_kept = {word for index in kept for word in _WORD.findall(facts.old_lines[index])}
    words_came = {word for index in came for word in _WORD.findall(facts.new_lines[index])}
    gone, start = list[int](), 0  # of the new lines, the one below the last that stayed
    for index in range(len(facts.old_lines) + 1):
        is_end = index == len(facts.old_lines)
        if is_end or (index in kept and _tells(facts.old_lines[index])):
            end = len(new) if is_end else kept[index]
            if gone:
                is_moved = end < start  # these two changed places: all that came may be for what is gone
                here = came if is_moved else came[bisect_left(came, start) : bisect_left(came, end)]
                words = {word for at in gone for word in _WORD.findall(facts.old_lines[at])} - words_kept
                is_unlike = _is_unlike(facts, gone, len(here), words, words_came)
                if is_unlike or max(len(gone), len(here)) > MAX_PAIRED:
                    yield _Gap(gone[0], len(gone), len(here), is_unlike=is_unlike)
                else:
                    yield from _between_changed(facts, gone, here, is_head=not start)
            gone, start = [], end + 1
        elif index not in kept and old[index]:
            gone.append(index)


def _comments_gone(facts: GateFacts) -> Iterator[Remark]:
    """Yield where lines of comments are gone together, and nothing came between their neighbours."""
    code = facts.before.code if facts.before else ()
    if len(code) != len(facts.old_lines):
        return
    came = [line - facts.first_line for line, _ in facts.added]
    gone = list[int]()
    above: int | None = -1  # none behind code that is gone: what came is for that
    for index, line in enumerate((*facts.old_lines, "end")):
        if not line.strip():
            continue
        below = len(facts.new_lines) if index == len(facts.old_lines) else facts.kept.get(index)
        if below is None and above is not None and not code[index].strip():
            gone.append(index)
            continue
        if below is not None and above is not None and len(gone) >= MIN_GONE:
            n_came = bisect_left(came, below) - bisect_left(came, above + 1)
            if not n_came:
                at = facts.place_of_old(gone[0])
                yield Remark(f"{len(gone)} lines of comments were removed here", (at, at))
        gone, above = [], below


def _is_unlike(
    facts: GateFacts, gone: Sequence[int], n_came: int, words: set[str], words_came: set[str]
) -> bool:
    """Whether lines came that say little of what is gone.

    A loop that becomes an expression may share no word with it: one line replaces a block and its head.

    Args:
        facts: The edit.
        gone: Lines that are gone together, as indices of the old ones.
        n_came: Lines that came in their place.
        words: Words of the lines that are gone and of no line that stayed.
        words_came: Words of all lines that came.
    """
    max_came = len(gone) - (facts.language_id in PROSE)  # a translation has as many lines, and other words
    if min(len(gone), len(words)) < MIN_GONE_WITHOUT or not 0 < n_came <= max_came:
        return False
    widths = {len(line) - len(line.lstrip()) for line in (facts.old_lines[at] for at in gone)}
    if n_came == 1 and len(widths) > 1:
        return False
    return len(words & words_came) <= MAX_SHARE_AGAIN * len(words)


def _between_changed(
    facts: GateFacts, gone: Sequence[int], came: Sequence[int], *, is_head: bool
) -> Iterator[_Gap]:
    """Cut a gap at the lines that came back changed: with most of their words, in the same order."""
    new = [_words(facts.new_lines[index]) for index in came]
    first, at = 0, 0
    for number, index in enumerate(gone):
        words = _words(facts.old_lines[index])
        found = next((place for place in range(at, len(new)) if _are_alike(words, new[place])), None)
        if found is not None:
            yield _Gap(
                gone[first], number - first, found - at, is_head
            )  # of no lines where two changed in a row
            first, at, is_head = number + 1, found + 1, False
    if first < len(gone):
        yield _Gap(gone[first], len(gone) - first, len(came) - at, is_head)


def _words(line: str) -> set[str]:
    return {*_WORD.findall(line)}


def _are_alike(one: set[str], other: set[str]) -> bool:
    return 2 * len(one & other) >= max(len(one), len(other), 1)


def _all_replaced(facts: GateFacts) -> int:
    """Count the old lines that said what no new one says, where no line stayed and fewer came."""
    has_stayed = any(_tells(facts.old_lines[index]) for index in facts.kept)
    words = {word for line in facts.new_lines for word in _WORD.findall(line)}
    old, n_came = _told(facts.old_lines), len(_told(facts.new_lines))
    n_lost = sum(not words.issuperset(_WORD.findall(line)) for line in old)
    is_opened = _has_brackets(facts.old_lines) and not _has_brackets(facts.new_lines)
    is_less = 0 < n_came < len(old) and (n_lost >= MIN_GONE_WITHOUT or is_opened)  # a head without its body
    return n_lost if is_less and not has_stayed and facts.kind != "function" else 0  # a function's head stays


def _has_brackets(lines: Sequence[str]) -> bool:
    """Whether a line has brackets alone."""
    return any(line.strip() and not _WORD.search(line) for line in lines)


def _tells(line: str) -> bool:
    """Whether a line has more than brackets, and is no fence of Markdown, which equal many others."""
    return _WORD.search(line) is not None and not line.lstrip().startswith(("```", "~~~"))


def _told(lines: Sequence[str]) -> list[str]:
    return [line for line in lines if _tells(line)]


def _code_lines(code: ScopeCode | None, lines: Sequence[str], start: int) -> list[bool]:
    """Say of each line whether it holds more than a comment and brackets."""
    if code is None or len(code.code) != len(lines):
        return [_tells(line) for line in lines]
    texts = {literal.line - start for literal in code.literals}
    return [_tells(text) or index in texts for index, text in enumerate(code.code)]
