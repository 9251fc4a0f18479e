"""Decide whether new code replaces a secret that an answer omits, such as a call that reads it.

The place of a line is between the nearest unchanged lines above and below. A new line there replaces it if it
uses a name of the old line and is not a change of another line. The old line with other words instead of the
secret does not count: there the model lost a placeholder.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cached_property
from itertools import islice

from twospeed.text.edits import common_ends

from .aligner import is_trivial

_NEAR = 8
"""Lines on each side of which a new line may be a changed version."""

_MAX_NEW_LINES = 200
"""New lines that are considered as replacements; functions that read a secret have few."""

_NAME = re.compile(r"[^\W\d]\w{2,}")
_CODE = re.compile(r"[$({]")
"""Characters of a value that is read from elsewhere, such as ``${NAME}``."""


class SecretPlaces:
    """The places of old lines, with their secrets, in the new text."""

    def __init__(self, old: Sequence[str], new: Sequence[str]) -> None:
        self._old, self._new = old, new

    def are_replaced(self, secret: str) -> bool:
        """Return whether each place of a secret missing from the new text was replaced. Line ends are LF."""
        first = secret.split("\n", 1)[0]
        places = [index for index, line in enumerate(self._old) if first in line]
        return bool(places) and all(self._is_replaced(index, first) for index in places)

    def _is_replaced(self, index: int, secret: str) -> bool:
        line = self._old[index]
        before, _, after = line.partition(secret)
        names = {name.casefold() for name in _NAME.findall(before + " " + after)}
        near = {text for at in self._near(index) if (text := self._text(at)) not in self._new_texts}
        return any(
            not self._is_filled_in(new_line, before, after)
            and not names.isdisjoint(name.casefold() for name in _NAME.findall(new_line))
            and not any(_is_version(new_line.strip(), other) for other in near)
            for new_line in self._new_lines_at(index)
        )

    def _near(self, index: int) -> Iterator[int]:
        around = range(max(index - _NEAR, 0), min(index + _NEAR + 1, len(self._old)))
        return (at for at in around if at != index and self._text(at))

    def _is_filled_in(self, line: str, before: str, after: str) -> bool:
        """Return whether the line is the old one with plain words instead of the secret."""
        if not (line.startswith(before) and line.endswith(after)):
            return False
        value = line[len(before) : len(line) - len(after)]
        return not _CODE.search(value)

    def _new_lines_at(self, index: int) -> Iterator[str]:
        """Yield the new lines between the nearest distinctive old lines that the new text contains once."""
        rows_above, rows_below = range(index - 1, -1, -1), range(index + 1, len(self._old))
        above = next(
            (place for at in rows_above if (place := self._kept.get(self._text(at))) is not None), -1
        )
        below = next(
            (place for at in rows_below if (place := self._kept.get(self._text(at))) is not None), None
        )
        between = (line for line in self._new[above + 1 : below] if line.strip())
        return (line for line in islice(between, _MAX_NEW_LINES) if line.strip() not in self._old_texts)

    def _text(self, index: int) -> str:
        return self._old[index].strip()

    @cached_property
    def _old_texts(self) -> frozenset[str]:
        return frozenset(line.strip() for line in self._old)

    @cached_property
    def _new_texts(self) -> Counter[str]:
        return Counter(line.strip() for line in self._new)

    @cached_property
    def _kept(self) -> dict[str, int]:
        """Indices of the distinctive old lines that the new text contains once."""
        texts = ((line.strip(), index) for index, line in enumerate(self._new))
        return {
            text: index
            for text, index in texts
            if self._new_texts[text] == 1 and text in self._old_texts and not is_trivial(text)
        }


def _is_version(new: str, old: str) -> bool:
    return sum(common_ends(new, old)) * 2 > len(old)
