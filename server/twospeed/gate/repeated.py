"""Notice code that an answer writes twice: the old version and the new one, or the same answer again."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import islice

from twospeed.text.scope_code import Definition

from .dropped import path_of
from .facts import GateFacts, Remark

MIN_LINES = 2
"""Lines of a scope that can be told to stand twice; a single one may well be wanted again."""

MIN_SHARE = 2 / 3
"""Share of the scope's lines that come again behind, or before, the old ones."""

MAX_PAIRED = 50
"""Lines that differ in their words and are compared with each other."""

MAX_HEADER_LINES = 30

MIN_WORDS = 2
"""Words and indentation that a line has more of, if another with all of them is to be its new version."""

_WORD = re.compile(r"\w+")


def repeated_code(facts: GateFacts) -> Iterator[Remark]:
    """Say what stands twice in an answer, and did not before."""
    told = False
    for line, name in _definitions_twice(facts):
        told = True
        yield Remark(f'"{name}" is defined twice in the same way', (line, line))
    if not told and (again := _where_again(facts)) is not None:
        yield Remark("the lines of the scope stand here twice", (again, again))


def _definitions_twice(facts: GateFacts) -> Iterator[tuple[int, str]]:
    """Yield definitions with the same header in the same place; other parameters make an overload."""
    before, after = facts.definitions_before, facts.definitions_after or ()
    old = Counter(_signature(each, facts.old_lines, facts.first_line) for each in before)
    new = Counter[tuple[str, ...]]()
    for each in after:
        signature = _signature(each, facts.new_lines, facts.first_line)
        new[signature] += 1
        if new[signature] > max(1, old[signature]):
            yield each.first_line, each.name


def _signature(definition: Definition, lines: Sequence[str], start: int) -> tuple[str, ...]:
    """Return what a definition is called, where, and how its header reads."""
    header: list[str] = []
    n_open, is_named = 0, False
    first, behind = definition.first_line - start, definition.last_line - start + 1
    for line in lines[first:behind][:MAX_HEADER_LINES]:
        header.append(line.strip())
        n_open += line.count("(") - line.count(")")
        is_named = is_named or definition.name in line
        if is_named and n_open <= 0:
            break
    return (definition.kind, *path_of(definition), *header)


def _where_again(facts: GateFacts) -> int | None:
    """Return the line from which an answer says once more what it said, or what the old lines say."""
    old = _told(facts.old_lines)
    new = _told(facts.new_lines)
    n_old, n_new = len(old), len(new)
    if n_old < MIN_LINES or n_new <= n_old:
        return None
    texts, half = [text for _, text in new], n_new // 2
    olds = [text for _, text in old]
    if n_new == 2 * half and texts[:half] == texts[half:] and not _is_doubled(olds):
        return facts.first_line + new[half][0]
    if texts[:n_old] == olds and _is_version(texts[n_old:], olds):
        return facts.first_line + new[n_old][0]
    if texts[-n_old:] == olds and _is_version(texts[:-n_old], olds):
        return facts.first_line + new[-n_old][0]
    return None


def _is_doubled(texts: Sequence[str]) -> bool:
    half = len(texts) // 2
    return len(texts) == 2 * half and texts[:half] == texts[half:]


def _is_version(rest: Sequence[str], old: Sequence[str]) -> bool:
    """Whether lines say what the old ones say: most are the same, or have all words of one and more."""
    left = Counter(rest)
    changed: list[set[str]] = []
    n_again = 0
    for text in old:
        if left[text] > 0:
            left[text] -= 1
            n_again += 1
        else:
            changed.append(_words(text))
    others = list(map(_words, islice(left.elements(), MAX_PAIRED)))
    for words in changed[:MAX_PAIRED]:
        n_again += len(words) > MIN_WORDS and any(words <= other for other in others)
    return n_again >= MIN_SHARE * len(old) and len(rest) <= 2 * len(old)


def _words(line: str) -> set[str]:
    """Return the words of a line, and its indentation, which is another one in another block."""
    return {*_WORD.findall(line), line[: len(line) - len(line.lstrip())]}


def _told(lines: Sequence[str]) -> list[tuple[int, str]]:
    return [(index, line.rstrip()) for index, line in enumerate(lines) if _WORD.search(line)]
