"""Tell a rewritten block with a comment from a comment in the place of the block, for `elision`.

Where the comment is the first line of a block whose whole code is new, nothing of the old block is left to compare
with. What tells then is names. New code that does the work of the old speaks of the same things: parameters, members,
texts, numbers. Code that goes on behind an omission uses a variable that only the omitted lines defined, or speaks of
something else.

Measured on 1,011 edits from public histories: of 3,915 answers made from them with a comment in the place of lines,
in phrases without an ellipsis, ten more land by this rule.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence

from twospeed.stream.aligner import is_trivial
from twospeed.stream.answers.evidence import OldText, balance
from twospeed.stream.answers.line_kinds import LineKind

from .stretches import WEIGHTS, AnswerText

SPOKEN_OF, MOST = 1 / 3, 1 / 2
"""Share of what the old code named, and did not define itself, that the new code has to name: below a comment that leads
the block, and around one that does not."""

GROWN = 0.8
"""New lines for each one that is gone, around a comment that does not lead the block."""

_CODE = (LineKind.CODE, LineKind.TRIVIAL)
_TOKEN = re.compile(r"\w+|\S")
_NAME = re.compile(r"\w+")
_LOOPS = frozenset(["for", "foreach"])
_BETWEEN = frozenset(["in", "of", ":", "=", ";"])
"""What parts a loop's variable from what it runs over."""

_PARAMETERS = frozenset(["def", "fn", "fun", "func", "function", "lambda", "read"])
"""Words behind which names are parameters; a shell's ``read`` names variables."""

_BEFORE_EQUALS = frozenset("+-*/%|&^:?.")
_COMPARES = frozenset("=<>!~")


def is_rewritten(old: AnswerText, new: AnswerText, first: int, n_lost: float) -> bool:
    """Whether the comment that begins at the new line ``first`` is in a rewritten block.

    Args:
        old: The scope's lines.
        new: Those of the answer.
        first: The first line of the comment.
        n_lost: Weight of the lines that are lost around the comment: the block has to account for them.

    Cost: linear in the two blocks; a new block is read up to its first old line.
    """
    head = _head(old, new, first)
    if head < 0 or old.counts[new.lines[head]] != 1 or new.counts[new.lines[head]] != 1:
        return False
    came = list[str]()
    for line, kind in _block(new, head):
        is_old = line in old.counts and not (is_trivial(line) or _is_word(line))
        if is_old and kind is LineKind.CODE:
            return False
        came += [line] if kind in _CODE else []
    block = list(_block(old, old.lines.index(new.lines[head])))
    stood = [line for line, kind in block if kind in _CODE]
    gone = [line for line in stood if line not in new.counts]
    n_gone = sum(WEIGHTS[kind] for line, kind in block if line not in new.counts)
    if not came or not gone or n_gone < n_lost or balance(came) != balance(stood):
        return False
    changed = OldText(gone)
    sources = {line: changed.source_of(line) for line in came}
    came = [line for line in came if not sources[line]]  # what is left of a line says nothing of the others
    gone = [line for line in gone if line not in sources.values()]
    share = _share_spoken_of(gone, came, [new.lines[head]], old.openers)
    if _above(new, first) == head:
        return share >= SPOKEN_OF
    return share >= MOST and sum(not is_trivial(line) for line in came) >= GROWN * len(gone)


def _share_spoken_of(
    gone: Sequence[str], came: Sequence[str], kept: Sequence[str], keywords: Collection[str]
) -> float:
    """Return which share of the names that the old code used the new one has; 0 where it uses one that is gone."""
    defined = set(names_defined_in(gone)) - names_in(kept)
    free = names_in(gone) - defined - set(keywords)
    if not free or not _uses(came).isdisjoint(defined):
        return 0.0
    return len(free & names_in(came)) / len(free)


def _head(old: AnswerText, new: AnswerText, index: int) -> int:
    """Return the nearest old line above a new one that is less indented; -1 where there is none, or old code is between."""
    indent = new.indents[index]
    for at in range(index - 1, -1, -1):
        is_old = new.lines[at] in old.counts
        if new.kinds[at] is not LineKind.CODE or not (is_old or new.indents[at] < indent):
            continue
        if is_old:
            return at if new.indents[at] < indent else -1
        indent = new.indents[at]
    return -1


def _above(text: AnswerText, index: int) -> int:
    """Return the nearest line above that tells something; -1 where there is none."""
    return next((at for at in range(index - 1, -1, -1) if not is_trivial(text.lines[at])), -1)


def _block(text: AnswerText, head: int) -> Iterator[tuple[str, LineKind]]:
    """Give the lines below one that are deeper, and their kinds; a bracket of its own line may stand before them."""
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
    """Whether a line is one word, such as ``end``, that any code might hold."""
    return len(_NAME.findall(line)) == 1


def names_in(lines: Collection[str]) -> set[str]:
    """Return the words and numbers of lines."""
    return {name for line in lines for name in _NAME.findall(line)}


def _uses(lines: Sequence[str]) -> set[str]:
    """Return the names that lines use and do not define; a member is none."""
    used = {
        token
        for line in lines
        for above, token in _pairs(_TOKEN.findall(line))
        if above not in (".", "-") and _NAME.fullmatch(token)
    }
    return used.difference(names_defined_in(lines))


def _pairs(tokens: Sequence[str]) -> Iterator[tuple[str, str]]:
    return zip(("", *tokens), tokens, strict=False)


def names_defined_in(lines: Sequence[str]) -> Iterator[str]:
    """Give the names that lines assign, loop with, or take as parameters, as most languages write it."""
    for line in lines:
        tokens = _TOKEN.findall(line)
        for at, word in enumerate(tokens):
            if word == "=":
                yield from _assigned(tokens, at)
            elif word in _LOOPS:
                end = next((to for to in range(at + 1, len(tokens)) if tokens[to] in _BETWEEN), at)
                yield from _listed(tokens, end)
            elif word in _PARAMETERS:
                yield from _words(tokens[at + 1 :])
            elif word in ("|", ">"):
                yield from _taken(tokens, at)


def _assigned(tokens: Sequence[str], at: int) -> Iterator[str]:
    """Give what is left of an ``=`` that assigns: ``total +=``, ``total :=``, ``total: int =``."""
    behind = tokens[at + 1] if at + 1 < len(tokens) else ""
    to = at - 1
    if to < 0 or behind in ("=", ">", "~") or tokens[to] in _COMPARES:
        return
    while to > 0 and tokens[to] in _BEFORE_EQUALS:
        to -= 1
    if to > 1 and tokens[to - 1] == ":":
        to -= 2
    yield from _listed(tokens, to + 1)


def _listed(tokens: Sequence[str], end: int) -> Iterator[str]:
    """Give the names, with commas between, that end before a token; a member is none."""
    to = end - 1
    if to > 0 and tokens[to] == ")":
        to -= 1
    while to >= 0 and _NAME.fullmatch(tokens[to]):
        if to == 0 or tokens[to - 1] != ".":
            yield tokens[to]
        if to <= 1 or tokens[to - 1] != ",":
            return
        to -= 2


def _words(tokens: Sequence[str]) -> Iterator[str]:
    """Give the names up to where a list of parameters ends."""
    for token in tokens:
        if token in ("{", "=", "|", ";"):
            return
        if _NAME.fullmatch(token):
            yield token


def _taken(tokens: Sequence[str], at: int) -> Iterator[str]:
    """Give the parameters of a function without a name: ``|a, b|``, ``a ->``, ``(a, { b }) =>``."""
    if tokens[at] == "|":
        yield from _listed(tokens, at)
    elif at > 1 and tokens[at - 1] in ("-", "="):
        if tokens[at - 2] == ")":
            yield from _in_brackets(tokens, at - 2)
        else:
            yield from _listed(tokens, at - 1)


def _in_brackets(tokens: Sequence[str], end: int) -> Iterator[str]:
    """Give the names in the round brackets that end at a token; a member, a type and a default value are none."""
    depth = 0
    for at in range(end, 0, -1):
        depth += (tokens[at] == ")") - (tokens[at] == "(")
        if not depth:
            return
        if _NAME.fullmatch(tokens[at]) and tokens[at - 1] not in (".", ":", "="):
            yield tokens[at]
