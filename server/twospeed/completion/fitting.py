"""Fit an answer to the cursor: without what the document has already, and with its indentation. Pure, no parsing."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from twospeed.stream.aligner import is_trivial
from twospeed.stream.hidden_output import HiddenOutput
from twospeed.text.lines import indent_of

from .place import Place

_LEAST_REPEATED = 3
"""Characters of the line before the cursor that a model of Chat repeats on purpose, and not by chance."""

_LEFT_OF_BLOCK = re.compile(r"[)\]}>;,]+|end\b|fi\b|done\b|esac\b")
"""What a line begins with that closes a block, and may be further left than the block."""

_OPEN, _CLOSE = "([{", ")]}"
_OPENERS = (":", "(", "[", "{")


def fit(text: str, place: Place, *, is_chat: bool) -> str:
    r"""Return the text to insert at the cursor, with ``\n`` for every line end; empty if there is none.

    ``text`` is the code of the answer. A model of Chat may repeat the line of the cursor, or start at another indentation; a model for fill-in-the-middle continues at the cursor.
    """
    lines = _cleaned(text.replace("\r\n", "\n").replace("\r", "\n").split("\n"), place)
    lines = _in_style_of(lines, place)
    if is_chat:
        lines = _placed(_without_echo(lines, place), place)
    if place.opening or (not place.before.strip() and not place.rest.strip()):
        while len(lines) > 1 and not lines[0].strip():  # the cursor is at the start of the new code already
            lines = [lines[1].removeprefix(place.indent), *lines[2:]]
    lines = _within_block(_before_repetition(lines, place), place)
    if place.rest.strip() and not place.has_only_closers_behind:
        lines = lines[:1]
    fitted = _without_rest("\n".join(lines), place)
    if not place.rest.strip():
        fitted = fitted.rstrip()
    return place.opening + fitted if fitted.strip() else ""


def _cleaned(lines: Sequence[str], place: Place) -> list[str]:
    hidden = HiddenOutput((*place.above, place.before, place.rest, *place.below))
    return [hidden.clean_line(line) for line in lines]


def _in_style_of(lines: list[str], place: Place) -> list[str]:
    """Replace spaces by tabs, or tabs by spaces, if the document indents with the other kind only."""
    own = [indent for line in lines[1:] if line.strip() and (indent := indent_of(line))]
    near = [indent for line in (*place.above, *place.below) if line.strip() and (indent := indent_of(line))]
    near += [place.indent] if place.indent else []
    if not own or not near:
        return lines
    if all(indent.strip("\t") == "" for indent in near) and all(indent.strip(" ") == "" for indent in own):
        return _converted(lines, " " * _step(map(len, own)), "\t")
    if all(indent.strip(" ") == "" for indent in near) and all(indent.strip("\t") == "" for indent in own):
        return _converted(lines, "\t", " " * _step(map(len, near)))
    return lines


def _step(widths: Iterator[int]) -> int:
    known = sorted(set(widths))
    return max(min((b - a for a, b in zip([0, *known], known, strict=False)), default=4), 2)


def _converted(lines: Sequence[str], unit: str, to: str) -> list[str]:
    return [
        to * (len(indent_of(line)) // len(unit)) + line.lstrip() if line.strip() else "" for line in lines
    ]


def _without_echo(lines: list[str], place: Place) -> list[str]:
    while lines and not lines[0].strip():
        lines = lines[1:]
    if not lines:
        return lines
    comment = place.comment_line
    if comment is not None and lines[0].strip() == place.document.lines[comment].strip():
        return lines[1:]
    before, first = place.before.lstrip(), lines[0].lstrip()
    if not place.opening and len(before.strip()) >= _LEAST_REPEATED:
        if first.startswith(before):
            return [first[len(before) :], *lines[1:]]
        if first.startswith(before.rstrip()):
            return [first[len(before.rstrip()) :], *lines[1:]]
    return lines


def _placed(lines: Sequence[str], place: Place) -> list[str]:
    """Move the lines of a block to the indentation of the cursor; the first one begins at the cursor."""
    while lines and not lines[0].strip():
        lines = lines[1:]
    if not lines or (place.before.strip() and not place.opening):
        return list(lines)
    own = indent_of(lines[0])
    others = [indent_of(line) for line in lines[1:] if line.strip()]
    first = lines[0].lstrip()
    if own == place.indent or not others:
        return [first, *lines[1:]]
    least = len(place.indent) + first.endswith(_OPENERS)  # the lines below an opener are deeper
    if not own and len(others[0]) >= least and all(len(indent) >= len(place.indent) for indent in others):
        return [first, *lines[1:]]  # only the first line begins at the cursor
    moved = [
        place.indent + line.removeprefix(own) if line.strip() and indent_of(line).startswith(own) else line
        for line in lines[1:]
    ]
    return [first, *moved]


def _within_block(lines: Sequence[str], place: Place) -> list[str]:
    """Return the lines up to the first one that is left of the block of the cursor."""
    width = len(place.indent)
    for number, line in enumerate(lines[1:], 1):
        text = line.strip()
        if text and len(indent_of(line)) < width and not _LEFT_OF_BLOCK.match(text):
            return list(lines[:number])
    return list(lines)


def _before_repetition(lines: Sequence[str], place: Place) -> list[str]:
    """Return the lines up to the first one that begins to repeat the lines below the cursor."""
    following = [line for line in place.below if line.strip()]
    if not following:
        return list(lines)
    first = following[0]
    for number in range(0 if not place.before.strip() or place.opening else 1, len(lines)):
        if lines[number].strip() != first.strip():
            continue
        if not is_trivial(first) and (number == 0 or indent_of(lines[number]) == indent_of(first)):
            return list(lines[:number])
        rest = [line.strip() for line in lines[number:] if line.strip()]
        is_unpaired = len(rest) == 1 and _n_unpaired("\n".join(lines)) > 0
        if (len(rest) > 1 or is_unpaired) and rest == [line.strip() for line in following[: len(rest)]]:
            return list(lines[:number])
    return list(lines)


def _without_rest(text: str, place: Place) -> str:
    """Remove an end that repeats what is behind the cursor in its line."""
    rest = place.rest.strip()
    if not rest:
        return text
    trimmed = text.rstrip()
    if not place.has_only_closers_behind:
        return trimmed[: -len(rest)] if trimmed.endswith(rest) else text
    # Closing brackets may be those of the answer, so only unpaired ones repeat what is behind.
    if trimmed.endswith(rest) and _n_unpaired(trimmed):
        return trimmed[: -len(rest)].rstrip()
    if rest[0] in "\"'`" and trimmed.endswith(rest) and trimmed.count(rest[0]) % 2:
        return trimmed[: -len(rest)]
    while trimmed and trimmed[-1] == rest[0] and trimmed[-1] in _CLOSE and _n_unpaired(trimmed):
        trimmed = text = trimmed[:-1]
    return text


def _n_unpaired(text: str) -> int:
    """Return the number of closing brackets without an opening one in a text."""
    depth = n_unpaired = 0
    for character in text:
        if character in _OPEN:
            depth += 1
        elif character in _CLOSE:
            n_unpaired += not depth
            depth -= bool(depth)
    return n_unpaired
