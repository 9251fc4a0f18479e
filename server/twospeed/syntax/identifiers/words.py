"""Search lines for whole words."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from itertools import accumulate


class WordSearch:
    """Lines of a document, joined for the search of whole words.

    Args:
        first_line: The number of the first line.
        lines: The lines.
    """

    def __init__(self, first_line: int, lines: Sequence[str]) -> None:
        self._first_line = first_line
        self._text = "\n".join(lines)
        self._starts = list(accumulate((len(line) + 1 for line in lines), initial=0))

    def places(self, word: str) -> Iterator[tuple[int, int]]:
        """Yield the line and the column of each occurrence of a whole word, in order."""
        at = self._text.find(word)
        while at >= 0:
            end = at + len(word)
            if not (_is_part_of_name(self._text[at - 1 : at]) or _is_part_of_name(self._text[end : end + 1])):
                row = bisect_right(self._starts, at) - 1
                yield self._first_line + row, at - self._starts[row]
            at = self._text.find(word, end)


def _is_part_of_name(char: str) -> bool:
    return char.isalnum() or char in {"_", "$"}
