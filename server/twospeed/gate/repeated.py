"""Detect an answer that contains the old and the new version, or one version twice."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import islice

from twospeed.text.lines import indent_width

from .facts import GateFacts, Remark
from .signatures import Signature, defined_twice

MIN_LINES = 2
"""Lines of a scope whose repetition counts. A single line may be intended."""

MIN_SHARE = 2 / 3
"""Share of the scope's lines that is repeated before or after the old ones."""

MIN_SIMILARITY = 0.55
"""Share of common words that makes a line a new version of another. New list entries share half of them."""

MAX_PAIRED = 50
"""Lines that are compared by their words."""

MIN_WORDS = 2
"""Words of a line from which a line with all of them is its new version. A block's first line needs more."""

_WORD = re.compile(r"\w+")


def repeated_code(facts: GateFacts) -> Iterator[Remark]:
    """Report code that the answer repeats and the old lines did not."""
    is_reported = False
    for line, name in _repeated_definitions(facts):
        is_reported = True
        yield Remark(f'"{name}" is defined twice in the same way', (line, line))
    if not is_reported and (again := _first_repeated_line(facts)) is not None:
        yield Remark("the lines of the scope are repeated here", (again, again))


def _repeated_definitions(facts: GateFacts) -> Iterator[tuple[int, str]]:
    after, language_id = facts.definitions_after or (), facts.language_id
    again = defined_twice(after, facts.new_lines, facts.first_line, language_id)
    old: Counter[Signature] | None = None
    for each, signature in again:
        if old is None:
            before = defined_twice(facts.definitions_before, facts.old_lines, facts.first_line, language_id)
            old = Counter(found for _, found in before)
        old[signature] -= 1
        if old[signature] < 0:
            yield each.first_line, each.name


def _first_repeated_line(facts: GateFacts) -> int | None:
    old = _numbered_lines(facts.old_lines)
    new = _numbered_lines(facts.new_lines)
    n_old, n_new = len(old), len(new)
    if n_old < MIN_LINES or n_new <= n_old:
        return None
    texts, half = [text for _, text in new], n_new // 2
    olds = [text for _, text in old]
    if n_new == 2 * half and texts[:half] == texts[half:] and not _is_doubled(olds):
        return facts.first_line + new[half][0]
    may_change = not facts.definitions_before  # repeated definitions are found by their signature
    if texts[:n_old] == olds and _is_version(texts[n_old:], olds, may_change=may_change):
        return facts.first_line + new[n_old][0]
    if texts[-n_old:] == olds and _is_version(texts[:-n_old], olds, may_change=may_change):
        return facts.first_line + new[-n_old][0]
    is_both = may_change and n_new == 2 * half and _is_version(texts[:half], olds, may_change=True)
    if is_both and not _is_doubled(olds) and _n_repeated(texts[half:], texts[:half], may_change=True) == half:
        return facts.first_line + new[half][0]
    return None


def _is_doubled(texts: Sequence[str]) -> bool:
    half = len(texts) // 2
    return len(texts) == 2 * half and texts[:half] == texts[half:]


def _is_version(rest: Sequence[str], old: Sequence[str], *, may_change: bool) -> bool:
    if len(rest) > 2 * len(old):
        return False
    if may_change and _begins_again(rest, old):
        return True
    return _are_all_repeated(rest, old) or _n_repeated(rest, old, may_change=may_change) >= MIN_SHARE * len(
        old
    )


def _begins_again(rest: Sequence[str], old: Sequence[str]) -> bool:
    is_block = indent_width(old[1]) > indent_width(old[0]) and len(_bare_words(old[0])) >= MIN_WORDS
    return is_block and any(line.strip() == old[0].strip() for line in rest)


def _are_all_repeated(rest: Sequence[str], old: Sequence[str]) -> bool:
    long = {line for line in old if len(_bare_words(line)) > 2 * MIN_WORDS}
    return all(line in long for line in rest)


def _n_repeated(rest: Sequence[str], old: Sequence[str], *, may_change: bool) -> int:
    left = Counter(rest)
    changed: list[str] = []
    n_repeated = 0
    for text in old:
        if left[text] > 0:
            left[text] -= 1
            n_repeated += 1
        else:
            changed.append(text)
    others = list(islice(left.elements(), MAX_PAIRED))
    for text in changed[:MAX_PAIRED]:
        words = _bare_words(text)
        here = [other for other in others if may_change or indent_width(text) == indent_width(other)]
        found = next((other for other in here if may_change and _is_similar(text, other)), None)
        if found is not None:
            others.remove(found)
            n_repeated += 1
        elif len(words) >= MIN_WORDS:
            n_repeated += any(words <= _bare_words(other) for other in here)
    return n_repeated


def _is_similar(old: str, new: str) -> bool:
    words, others = _bare_words(old), _bare_words(new)
    return old.strip() == new.strip() or len(words & others) >= MIN_SIMILARITY * max(len(words), len(others))


def _bare_words(line: str) -> set[str]:
    return {*_WORD.findall(line)}


def _numbered_lines(lines: Sequence[str]) -> list[tuple[int, str]]:
    return [(index, line.rstrip()) for index, line in enumerate(lines) if _WORD.search(line)]
