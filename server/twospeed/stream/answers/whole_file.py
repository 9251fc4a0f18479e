"""An answer that is the whole file: the part of it that is the scope.

The lines outside say where the scope lies: as many lines at the head as stand above it, as many at the tail as stand
below. They must be the document's own, to the letter; only blank lines at the file's very ends may come or go.
"""

from __future__ import annotations

from collections.abc import Sequence

from twospeed.stream.aligner import is_trivial

from .evidence import Refusal, Surroundings, balance, to_last_line

BYTE_ORDER_MARK = "\ufeff"

ENOUGH_OUTSIDE = 4
"""Telling lines outside the scope that make a whole file; fewer may as well be new lines that equal them."""


def cut_to_scope(
    lines: Sequence[str], old: Sequence[str], around: Surroundings
) -> list[str] | Refusal | None:
    """Cut a whole file to its scope.

    Args:
        lines: The answer's code, without the fence around it and without line ends.
        old: The scope's lines.
        around: The scope's place.

    Returns:
        The scope's new lines, with the old text's blank lines at an end that is the file's too; a ``Refusal`` where
        the answer is the whole file with a change outside the scope; ``None`` where it is no whole file, or
        nothing tells.
    """
    above, below = _from_first_line(around.above), to_last_line(around.below)
    whole = to_last_line(_from_first_line(lines))
    known = {line.strip() for line in old}
    telling = [[text for line in side if _tells(text := line.strip(), known)] for side in (above, below)]
    outside = {*telling[0], *telling[1]}
    if len(outside) < ENOUGH_OUTSIDE:
        return None
    new = between(whole, above, below)
    if new is None:
        n_found = len(outside.intersection(line.strip() for line in whole))
        is_whole = n_found >= ENOUGH_OUTSIDE and n_found * 2 >= len(outside)
        return (
            Refusal("extent", "the answer is the whole file, and changes it outside of what is edited, too")
            if is_whole
            else None
        )
    is_open = any(side and not texts for side, texts in zip((above, below), telling, strict=True))
    if is_open and balance(new) != balance(old):
        return None  # the bracket that closes the scope may have been taken for the one below it
    head = [] if above else old[: len(old) - len(_from_first_line(old))]
    tail = [] if below else old[len(to_last_line(old)) :]
    return [*head, *new, *tail]


def between(lines: Sequence[str], above: Sequence[str], below: Sequence[str]) -> list[str] | None:
    """Return what a document's lines hold between those above and below; ``None`` where these are not its ends."""
    end = len(lines) - len(below)
    if end < len(above) or list(lines[: len(above)]) != list(above) or list(lines[end:]) != list(below):
        return None
    return list(lines[len(above) : end])


def without_mark(lines: Sequence[str]) -> list[str]:
    """Return a document's lines without its byte order mark."""
    return [lines[0].removeprefix(BYTE_ORDER_MARK), *lines[1:]] if lines else []


def _tells(text: str, known: set[str]) -> bool:
    return not is_trivial(text) and text not in known


def _from_first_line(lines: Sequence[str]) -> Sequence[str]:
    """Drop the byte order mark and the blank lines a text begins with."""
    lines = without_mark(lines)
    return next((lines[index:] for index, line in enumerate(lines) if line.strip()), [])
