"""Judge an edit's lines by its outcome: the row of the contract's table, for lines in which a person typed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from .ledger import Text
from .watched import Touch, Watched


def why_text_is_wrong(watched: Watched, text: Text, outcome: str) -> str | None:
    """Say in what an edit's lines are not as its outcome demands; nothing where they are.

    Args:
        watched: The edit.
        text: The document.
        outcome: One of the contract's, or ``rejected``.
    """
    if watched.old is None or watched.answer is None:
        return None  # it has touched nothing, which is checked where changes come
    lines = watched.lines(text)
    old, new = watched.old.splitlines(), list(watched.answer.lines)
    if outcome == "cancelled" and watched.keeps_part:
        return _why_no_part(watched, lines, old, new)
    wanted = new if outcome in ("applied", "unchanged") else old
    match watched.touch:
        case Touch.NOTHING:
            why = _difference(lines, wanted)
        case Touch.OPENED_LINES:
            why = _difference(_solid(watched, lines), _solid(watched, wanted))
        case Touch.TYPED_IN_LINES:
            why = _why_not_around_typing(watched, lines, wanted, outcome)
        case Touch.DELETED:
            why = _why_from_nowhere(watched, lines, [*old, *new])
        case Touch.ANYTHING:
            why = None
    return why


def _why_no_part(
    watched: Watched, lines: Sequence[str], old: Sequence[str], new: Sequence[str]
) -> str | None:
    """A kept part is the head of the new lines and the tail of the old ones."""
    if watched.touch is not Touch.NOTHING:
        return None if watched.touch is Touch.ANYTHING else _why_from_nowhere(watched, lines, [*old, *new])
    tails = {tuple(old[at:]) for at in range(len(old) + 1)}
    heads = {tuple(new[:at]) for at in range(len(new) + 1)}
    is_part = any(tuple(lines[:at]) in heads and tuple(lines[at:]) in tails for at in range(len(lines) + 1))
    return None if is_part else f"is no part of the answer before the rest of the old lines: {lines}"


def _why_not_around_typing(
    watched: Watched, lines: Sequence[str], wanted: Sequence[str], outcome: str
) -> str | None:
    """Lines that were typed in stay, and stand for at most a line each; all others are as they should be."""
    typed = [line for line in lines if watched.is_typed(line) and not watched.is_theirs(line)]
    rest = _solid(watched, (line for line in lines if not watched.is_typed(line)))
    wanted = _solid(watched, wanted)
    too_many = Counter(rest) - Counter(wanted)
    if outcome == "applied" and too_many:
        return f"has lines that should have gone: {sorted(too_many)}"
    missing = Counter(wanted) - Counter(rest)
    told = [clash.proposed for clash in watched.edit.report().clashes] if outcome == "applied" else []
    stands_for = Counter("".join(char for char in line if not watched.is_fresh(char)) for line in typed)
    unexplained = [
        line for line in (missing - Counter(told)) if not any(_is_alike(line, each) for each in stands_for)
    ]
    if outcome == "applied" and unexplained:
        return f"misses lines, and tells of no clash: {unexplained}"
    if len(list(missing.elements())) > len(typed) + len(told) and outcome != "rejected":
        return f"misses more lines than were typed in: {sorted(missing)}"
    return None


def _is_alike(line: str, typed: str) -> bool:
    """Whether a line is what a person typed in, but for the marks that begin a comment."""
    return line.replace(" ", "").replace("#", "") == typed.replace(" ", "").replace("#", "")


def _why_from_nowhere(watched: Watched, lines: Sequence[str], known: Sequence[str]) -> str | None:
    strange = [line for line in _solid(watched, lines) if line not in known and not watched.is_typed(line)]
    return f"has lines from nowhere: {strange}" if strange else None


def _solid(watched: Watched, lines: Iterable[str]) -> list[str]:
    """Leave out the lines that are the person's own, and blank ones, which cannot be told from theirs."""
    return [line for line in lines if not watched.is_theirs(line)]


def _difference(lines: Sequence[str], wanted: Sequence[str]) -> str | None:
    return None if lines == wanted else f"its lines are {lines}, not {wanted}"
