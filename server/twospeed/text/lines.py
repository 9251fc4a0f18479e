r"""Lines of text as LSP counts them (LSP 3.17, "Text Documents").

Only ``\n``, ``\r\n`` and a lone ``\r`` end a line; ``str.splitlines`` also splits at form feed, U+0085 and
U+2028.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

_LINE = re.compile(r"[^\r\n]*+(?:\r\n|\n|\r)|[^\r\n]++")
"""Matches at every character, so no line is scanned twice."""

DEFAULT_EOL = "\n"


def split_lines(text: str) -> list[str]:
    """Split a text into at least one line, each with its line end; ``"".join`` restores the text."""
    if "\r" not in text:
        lines = [line + "\n" for line in text.split("\n")]
        lines[-1] = lines[-1][:-1]
        return lines
    lines = _LINE.findall(text)
    if text[-1] in "\r\n":
        lines.append("")
    return lines


def body_of(line: str) -> str:
    """Return a line without its line end."""
    if line.endswith("\n"):
        return line[:-2] if line.endswith("\r\n") else line[:-1]
    return line.removesuffix("\r")


def bodies_of(lines: Sequence[str]) -> list[str]:
    r"""Return lines without their line ends, at a twentieth of the cost of ``body_of`` for each.

    A line with a lone ``\r``, or without an end, costs as much as with ``body_of``.
    """
    text = "".join(lines).replace("\r\n", "\n")
    bodies = text.split("\n")
    if not bodies[-1] and len(bodies) > len(lines):
        bodies.pop()
    if "\r" in text or len(bodies) != len(lines):
        return [body_of(line) for line in lines]
    return bodies


def indent_of(line: str) -> str:
    """Return the white space at the start of a line."""
    return line[: indent_width(line)]


def indent_width(line: str) -> int:
    """Return the number of white-space characters at the start of a line."""
    return len(line) - len(line.lstrip())


def eol_of(line: str) -> str:
    """Return the line end of a line, or an empty string."""
    if line.endswith("\n"):
        return "\r\n" if line.endswith("\r\n") else "\n"
    return "\r" if line.endswith("\r") else ""


def dominant_eol(text: str) -> str:
    r"""Return the most frequent line end of a text, or ``\n`` if it has none."""
    return EolCounts.of([text]).most_frequent(DEFAULT_EOL)


class EolCounts(NamedTuple):
    r"""Numbers of lines that end in ``\n``, in ``\r\n`` and in a lone ``\r``."""

    lf: int
    crlf: int
    cr: int

    @classmethod
    def of(cls, lines: Iterable[str]) -> EolCounts:
        """Count the line ends of adjacent lines."""
        text = "".join(lines)
        crlf = text.count("\r\n")
        return cls(text.count("\n") - crlf, crlf, text.count("\r") - crlf)

    def most_frequent(self, usual: str) -> str:
        """Return the most frequent line end; ``usual`` wins a tie that includes it."""
        most = max(self)
        most_frequent = [eol for eol, count in zip(_EOLS, self, strict=True) if count == most]
        return usual if usual in most_frequent else most_frequent[0]

    def kinds(self) -> frozenset[str]:
        """Return the line ends that occur."""
        return frozenset(eol for eol, count in zip(_EOLS, self, strict=True) if count)


_EOLS = ("\n", "\r\n", "\r")
