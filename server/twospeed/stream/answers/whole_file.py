"""Cut an answer that is the whole file to the scope.

The lines above and below the scope must be the document's own; only blank lines at the ends of the file may
differ.
"""

from __future__ import annotations

from collections.abc import Sequence

from twospeed.stream.aligner import is_trivial

from .evidence import Refusal, Surroundings, balance, to_last_line

BYTE_ORDER_MARK = "\ufeff"

ENOUGH_OUTSIDE = 4
"""Distinctive lines outside the scope that identify a whole file; fewer may be new equal lines."""


def cut_to_scope(
    lines: Sequence[str], old: Sequence[str], around: Surroundings
) -> list[str] | Refusal | None:
    """Return the scope's new lines in a whole file; ``None`` if it is not certainly one.

    A ``Refusal`` is returned if the file has a change outside the scope.
    """
    above, below = _from_first_line(around.above), to_last_line(around.below)
    whole = to_last_line(_from_first_line(lines))
    known = {line.strip() for line in old}
    distinctive = [
        [text for line in side if _is_distinctive(text := line.strip(), known)] for side in (above, below)
    ]
    outside = {*distinctive[0], *distinctive[1]}
    if len(outside) < ENOUGH_OUTSIDE:
        return None
    new = between(whole, above, below)
    if new is None:
        n_found = len(outside.intersection(line.strip() for line in whole))
        is_whole = n_found >= ENOUGH_OUTSIDE and n_found * 2 >= len(outside)
        return (
            Refusal("extent", "the answer is the whole file and changes lines outside the scope")
            if is_whole
            else None
        )
    is_open = any(side and not texts for side, texts in zip((above, below), distinctive, strict=True))
    if is_open and balance(new) != balance(old):
        return None  # the scope's last bracket may be confused with the one below it
    head = [] if above else old[: len(old) - len(_from_first_line(old))]
    tail = [] if below else old[len(to_last_line(old)) :]
    return [*head, *new, *tail]


def without_above(lines: Sequence[str], old: Sequence[str], around: Surroundings) -> list[str] | None:
    """Return the lines below those above the scope; ``None`` if an answer has other lines outside the scope."""
    new = between(to_last_line(_from_first_line(lines)), _from_first_line(around.above), ())
    known = {line.strip() for line in old}
    below = {text for line in around.below if _is_distinctive(text := line.strip(), known)}
    if new is None or any(line.strip() in below for line in new):
        return None
    return [*new, *old[len(to_last_line(old)) :]]


def between(lines: Sequence[str], above: Sequence[str], below: Sequence[str]) -> list[str] | None:
    """Return the lines between those above and below; ``None`` if one of these is missing."""
    end = len(lines) - len(below)
    if end < len(above) or list(lines[: len(above)]) != list(above) or list(lines[end:]) != list(below):
        return None
    return list(lines[len(above) : end])


def without_mark(lines: Sequence[str]) -> list[str]:
    """Return the lines without a byte order mark."""
    return [lines[0].removeprefix(BYTE_ORDER_MARK), *lines[1:]] if lines else []


def _is_distinctive(text: str, known: set[str]) -> bool:
    return not is_trivial(text) and text not in known


def _from_first_line(lines: Sequence[str]) -> Sequence[str]:
    lines = without_mark(lines)
    return next((lines[index:] for index, line in enumerate(lines) if line.strip()), [])
