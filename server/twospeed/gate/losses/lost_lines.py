"""Report lines that an answer omits with few or no lines in their place, even if it was requested.

A parser accepts code without a loop. A replacement has about as many lines as the old text.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from twospeed.gate.facts import PROSE, GateFacts, Remark
from twospeed.text.code.scope import ScopeCode
from twospeed.text.lines import indent_width

from .cut_ends import cut_end
from .quoting import quotes_around
from .small_losses import removal_message, small_losses

MIN_REMOVED = 5
"""Adjacent removed lines that few added ones do not replace. A loop that becomes an expression has four."""

REMOVED_PER_ADDED = 3
"""Removed lines for each added one that count as a loss."""

MAX_PAIRED = 60
"""Lines between two kept ones that are compared one by one."""

MIN_REMOVED_ALONE = 2
"""Adjacent removed lines that count if none was added. A loop has two."""

MAX_SHARED_WORDS = 0.25
"""Share of the removed words up to which added lines are no replacement. Of 1,161 edits by people, 20 have so
few.
"""

_WORD = re.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class _Gap:
    """Lines between two kept or changed ones; ``is_head`` if no code above was kept.

    Attributes:
        has_other_words: Whether the added lines have few of the removed words, such as an entry that replaces
            a list.
    """

    first: int
    n_removed: int
    n_added: int
    is_head: bool = False
    has_other_words: bool = False


def lines_gone(facts: GateFacts) -> Iterator[Remark]:
    """Report removed lines with few or no added ones, the largest gap first."""
    if not any(map(str.strip, facts.new_lines)):
        return
    if facts.is_unclosed:
        end = facts.last_line
        yield Remark("the code block of the answer was not closed: lines may be missing here", (end, end))
    if quotes := _new_quotes(facts):
        lines = (facts.first_line, facts.last_line)
        yield Remark(f"these lines are now between {quotes} and {quotes}", lines)
    gaps = [gap for gap in _gaps(facts) if _is_loss(gap, facts)]
    if not gaps and (n_lost := _n_replaced_by_fewer(facts)):
        gaps = [_Gap(0, n_lost, len(_lines_with_words(facts.new_lines)))]
    for gap in sorted(gaps, key=lambda gap: -gap.n_removed):
        line = facts.line_of_removed(gap.first)
        yield Remark(removal_message(gap.n_removed, gap.n_added), (line, line))
    if gaps:
        return
    others = [*small_losses(facts)] or [*_comments_gone(facts)]
    yield from others
    if not others and (cut := cut_end(facts)) and not cut.names:
        yield Remark(removal_message(cut.n_lines, 0), (cut.line, cut.line))


def _new_quotes(facts: GateFacts) -> str | None:
    quotes = quotes_around(facts)
    if quotes is None or facts.language_id in PROSE:
        return quotes
    words = {word for line in facts.new_lines for word in _WORD.findall(line)}
    old = {word for line in facts.old_lines for word in _WORD.findall(line)}
    return quotes if 2 * len(words & old) >= min(len(words), len(old)) else None


def _is_loss(gap: _Gap, facts: GateFacts) -> bool:
    if gap.has_other_words:
        return True
    if gap.n_added:
        return gap.n_removed >= MIN_REMOVED and gap.n_removed >= REMOVED_PER_ADDED * gap.n_added
    # Lines above all definitions of a file are its package or its imports.
    is_head = gap.is_head and facts.kind == "file" and bool(facts.definitions_before or facts.errors_before)
    return gap.n_removed >= (1 if is_head else MIN_REMOVED_ALONE)


def _gaps(facts: GateFacts) -> Iterator[_Gap]:
    kept, old = facts.kept, _is_code(facts.before, facts.old_lines, facts.first_line)
    for each in facts.missing_definitions:  # reported by `dropped-definition`
        first, behind = each.first_line - facts.first_line, each.last_line + 1 - facts.first_line
        old[first:behind] = [False] * (min(behind, len(old)) - first)  # its end may be below the scope
    new = _is_code(facts.after, facts.new_lines, facts.first_line)
    kept_rows = set(kept.values())
    added = [index for index, is_code in enumerate(new) if is_code and index not in kept_rows]
    words_kept = {word for index in kept for word in _WORD.findall(facts.old_lines[index])}
    words_added = {word for index in added for word in _WORD.findall(facts.new_lines[index])}
    removed, start = list[int](), 0  # index in the new lines, after the last kept one
    for index in range(len(facts.old_lines) + 1):
        is_end = index == len(facts.old_lines)
        if is_end or (index in kept and _has_words(facts.old_lines[index])):
            end = len(new) if is_end else kept[index]
            if removed:
                is_moved = end < start  # these two swapped places: any added line may replace a removed one
                here = added if is_moved else added[bisect_left(added, start) : bisect_left(added, end)]
                words = {word for at in removed for word in _WORD.findall(facts.old_lines[at])} - words_kept
                has_other_words = _has_other_words(facts, removed, len(here), words, words_added)
                if has_other_words or max(len(removed), len(here)) > MAX_PAIRED:
                    yield _Gap(removed[0], len(removed), len(here), has_other_words=has_other_words)
                else:
                    yield from _between_changed(facts, removed, here, is_head=not start)
            removed, start = [], end + 1
        elif index not in kept and old[index]:
            removed.append(index)


def _comments_gone(facts: GateFacts) -> Iterator[Remark]:
    code = facts.before.code if facts.before else ()
    if len(code) != len(facts.old_lines):
        return
    added = [line - facts.first_line for line, _ in facts.added]
    removed = list[int]()
    above: int | None = -1  # None after removed code, which the added lines may replace
    for index, line in enumerate((*facts.old_lines, "end")):
        if not line.strip():
            continue
        below = len(facts.new_lines) if index == len(facts.old_lines) else facts.kept.get(index)
        if below is None and above is not None and not code[index].strip():
            removed.append(index)
            continue
        if below is not None and above is not None and len(removed) >= MIN_REMOVED:
            n_added = bisect_left(added, below) - bisect_left(added, above + 1)
            if not n_added:
                at = facts.line_of_removed(removed[0])
                yield Remark(f"{len(removed)} lines of comments were removed here", (at, at))
        removed, above = [], below


def _has_other_words(
    facts: GateFacts, removed: Sequence[int], n_added: int, words: set[str], words_added: set[str]
) -> bool:
    max_added = len(removed) - (facts.language_id in PROSE)  # a translation has as many lines and other words
    if min(len(removed), len(words)) < MIN_REMOVED_ALONE or not 0 < n_added <= max_added:
        return False
    widths = {indent_width(facts.old_lines[at]) for at in removed}
    if n_added == 1 and len(widths) > 1:
        return False
    return len(words & words_added) <= MAX_SHARED_WORDS * len(words)


def _between_changed(
    facts: GateFacts, removed: Sequence[int], added: Sequence[int], *, is_head: bool
) -> Iterator[_Gap]:
    new = [_words(facts.new_lines[index]) for index in added]
    first, at = 0, 0
    for number, index in enumerate(removed):
        words = _words(facts.old_lines[index])
        found = next((place for place in range(at, len(new)) if _are_similar(words, new[place])), None)
        if found is not None:
            yield _Gap(
                removed[first], number - first, found - at, is_head
            )  # of no lines where two changed in a row
            first, at, is_head = number + 1, found + 1, False
    if first < len(removed):
        yield _Gap(removed[first], len(removed) - first, len(added) - at, is_head)


def _words(line: str) -> set[str]:
    return {*_WORD.findall(line)}


def _are_similar(one: set[str], other: set[str]) -> bool:
    return 2 * len(one & other) >= max(len(one), len(other), 1)


def _n_replaced_by_fewer(facts: GateFacts) -> int:
    has_stayed = any(_has_words(facts.old_lines[index]) for index in facts.kept)
    words = {word for line in facts.new_lines for word in _WORD.findall(line)}
    old, n_added = _lines_with_words(facts.old_lines), len(_lines_with_words(facts.new_lines))
    n_lost = sum(not words.issuperset(_WORD.findall(line)) for line in old)
    is_opened = _has_line_of_brackets(facts.old_lines) and not _has_line_of_brackets(facts.new_lines)
    is_less = 0 < n_added < len(old) and (n_lost >= MIN_REMOVED_ALONE or is_opened)  # a block lost its body
    return n_lost if is_less and not has_stayed and facts.kind != "function" else 0  # a header is kept


def _has_line_of_brackets(lines: Sequence[str]) -> bool:
    return any(line.strip() and not _WORD.search(line) for line in lines)


def _has_words(line: str) -> bool:
    # Brackets and Markdown fences equal many others.
    return _WORD.search(line) is not None and not line.lstrip().startswith(("```", "~~~"))


def _lines_with_words(lines: Sequence[str]) -> list[str]:
    return [line for line in lines if _has_words(line)]


def _is_code(code: ScopeCode | None, lines: Sequence[str], start: int) -> list[bool]:
    if code is None or len(code.code) != len(lines):
        return [_has_words(line) for line in lines]
    texts = {literal.line - start for literal in code.literals}
    return [_has_words(text) or index in texts for index, text in enumerate(code.code)]
