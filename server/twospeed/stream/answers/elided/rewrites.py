"""Distinguish a rewritten block with a comment from a comment in place of a block, for `elision`.

New code that does the same work uses the same parameters, members, texts and numbers. Code after an omission
uses a variable that only omitted lines defined, or other names.

Measured on 3,915 answers made from 1,011 edits of public histories, with a comment in place of lines, in
phrases without an ellipsis: this rule accepts ten more.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence

from twospeed.stream.aligner import is_trivial
from twospeed.stream.answers.evidence import OldText, balance
from twospeed.stream.answers.line_kinds import LineKind

from .stretches import WEIGHTS, AnswerText

LEADING_SHARE, INNER_SHARE = 1 / 3, 1 / 2
"""Share of the old code's free names in the new code, below a comment that leads the block, and else."""

NEW_PER_MISSING = 0.8
"""New lines for each missing one, around a comment that does not lead its block."""

_CODE = (LineKind.CODE, LineKind.TRIVIAL)
_TOKEN = re.compile(r"\w+|\S")
_NAME = re.compile(r"\w+")
_LOOPS = frozenset(["for", "foreach"])
_BETWEEN = frozenset(["in", "of", ":", "=", ";"])
"""Tokens between a loop's variable and what it iterates over."""

_PARAMETERS = frozenset(["def", "fn", "fun", "func", "function", "lambda", "read"])
"""Words followed by parameters; a shell's ``read`` names variables."""

_BEFORE_EQUALS = frozenset("+-*/%|&^:?.")
_COMPARES = frozenset("=<>!~")


def is_rewritten(old: AnswerText, new: AnswerText, first: int, n_lost: float) -> bool:
    """Whether the comment at line ``first`` is in a rewritten block that accounts for all lost lines.

    Cost: linear in the two blocks; a new block is read up to its first old line.
    """
    head = _head_of_block(old, new, first)
    if head < 0 or old.counts[new.lines[head]] != 1 or new.counts[new.lines[head]] != 1:
        return False
    added = list[str]()
    for line, kind in _block(new, head):
        is_old = line in old.counts and not (is_trivial(line) or _is_word(line))
        if is_old and kind is LineKind.CODE:
            return False
        added += [line] if kind in _CODE else []
    block = list(_block(old, old.lines.index(new.lines[head])))
    old_code = [line for line, kind in block if kind in _CODE]
    removed = [line for line in old_code if line not in new.counts]
    n_removed = sum(WEIGHTS[kind] for line, kind in block if line not in new.counts)
    if not added or not removed or n_removed < n_lost or balance(added) != balance(old_code):
        return False
    changed = OldText(removed)
    sources = {line: changed.source_of(line) for line in added}
    added = [line for line in added if not sources[line]]  # a changed line is no evidence about the others
    removed = [line for line in removed if line not in sources.values()]
    share = _share_of_names(removed, added, [new.lines[head]], old.openers)
    if _distinctive_above(new, first) == head:
        return share >= LEADING_SHARE
    return share >= INNER_SHARE and sum(not is_trivial(line) for line in added) >= NEW_PER_MISSING * len(
        removed
    )


def _share_of_names(
    removed: Sequence[str], added: Sequence[str], kept: Sequence[str], keywords: Collection[str]
) -> float:
    defined = set(names_defined_in(removed)) - names_in(kept)
    free = names_in(removed) - defined - set(keywords)
    if not free or not _names_used(added).isdisjoint(defined):
        return 0.0  # the new code uses a name that is defined no more
    return len(free & names_in(added)) / len(free)


def _head_of_block(old: AnswerText, new: AnswerText, index: int) -> int:
    # The nearest old line of code above, if it is less indented than all code between.
    indent = new.indents[index]
    for at in range(index - 1, -1, -1):
        is_old = new.lines[at] in old.counts
        if new.kinds[at] is not LineKind.CODE or not (is_old or new.indents[at] < indent):
            continue
        if is_old:
            return at if new.indents[at] < indent else -1
        indent = new.indents[at]
    return -1


def _distinctive_above(text: AnswerText, index: int) -> int:
    return next((at for at in range(index - 1, -1, -1) if not is_trivial(text.lines[at])), -1)


def _block(text: AnswerText, head: int) -> Iterator[tuple[str, LineKind]]:
    is_inside = False
    for index in range(head + 1, len(text.lines)):
        line = text.lines[index]
        if line and text.indents[index] <= text.indents[head]:
            if is_inside or not is_trivial(line):
                return
        elif line:
            is_inside = True
            yield line, text.kinds[index]


def _is_word(line: str) -> bool:
    return len(_NAME.findall(line)) == 1


def names_in(lines: Collection[str]) -> set[str]:
    """Return the words and numbers of lines."""
    return {name for line in lines for name in _NAME.findall(line)}


def _names_used(lines: Sequence[str]) -> set[str]:
    used = {
        token
        for line in lines
        for above, token in _with_previous(_TOKEN.findall(line))
        if above not in (".", "-") and _NAME.fullmatch(token)
    }
    return used.difference(names_defined_in(lines))


def _with_previous(tokens: Sequence[str]) -> Iterator[tuple[str, str]]:
    return zip(("", *tokens), tokens, strict=False)


def names_defined_in(lines: Sequence[str]) -> Iterator[str]:
    """Yield the names that lines assign, loop over, or have as parameters, in most languages."""
    for line in lines:
        tokens = _TOKEN.findall(line)
        for at, word in enumerate(tokens):
            if word == "=":
                yield from _assigned(tokens, at)
            elif word in _LOOPS:
                end = next((to for to in range(at + 1, len(tokens)) if tokens[to] in _BETWEEN), at)
                yield from _names_before(tokens, end)
            elif word in _PARAMETERS:
                yield from _parameters(tokens[at + 1 :])
            elif word in ("|", ">"):
                yield from _anonymous_parameters(tokens, at)


def _assigned(tokens: Sequence[str], at: int) -> Iterator[str]:
    # ``total =``, ``total +=``, ``total :=``, ``total: int =``, but no comparison.
    after = tokens[at + 1] if at + 1 < len(tokens) else ""
    to = at - 1
    if to < 0 or after in ("=", ">", "~") or tokens[to] in _COMPARES:
        return
    while to > 0 and tokens[to] in _BEFORE_EQUALS:
        to -= 1
    if to > 1 and tokens[to - 1] == ":":
        to -= 2
    yield from _names_before(tokens, to + 1)


def _names_before(tokens: Sequence[str], end: int) -> Iterator[str]:
    # Comma-separated names, without members.
    to = end - 1
    if to > 0 and tokens[to] == ")":
        to -= 1
    while to >= 0 and _NAME.fullmatch(tokens[to]):
        if to == 0 or tokens[to - 1] != ".":
            yield tokens[to]
        if to <= 1 or tokens[to - 1] != ",":
            return
        to -= 2


def _parameters(tokens: Sequence[str]) -> Iterator[str]:
    for token in tokens:
        if token in ("{", "=", "|", ";"):
            return
        if _NAME.fullmatch(token):
            yield token


def _anonymous_parameters(tokens: Sequence[str], at: int) -> Iterator[str]:
    # ``|a, b|``, ``a ->``, ``(a, { b }) =>``
    if tokens[at] == "|":
        yield from _names_before(tokens, at)
    elif at > 1 and tokens[at - 1] in ("-", "="):
        if tokens[at - 2] == ")":
            yield from _in_brackets(tokens, at - 2)
        else:
            yield from _names_before(tokens, at - 1)


def _in_brackets(tokens: Sequence[str], end: int) -> Iterator[str]:
    # Without members, types and defaults.
    depth = 0
    for at in range(end, 0, -1):
        depth += (tokens[at] == ")") - (tokens[at] == "(")
        if not depth:
            return
        if _NAME.fullmatch(tokens[at]) and tokens[at - 1] not in (".", ":", "="):
            yield tokens[at]
