"""Say whether something took the place of a secret that an answer leaves out: a call that reads it, another source.

The place of a line is between the nearest lines above and below that are still there. What came there took the line's
place if it is a changed version of it, or is about the same name and no version of another line. The same line with
another text where the secret was is no such thing: that is a placeholder that a model lost.
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
"""Lines on either side of which a new line may be a changed version."""

_MAX_CAME = 200
"""New lines that may have taken a place; a function that reads a secret has a handful."""

_NAME = re.compile(r"[^\W\d]\w{2,}")
_CODE = re.compile(r"[$({]")
"""What a value has that is read from elsewhere, such as ``${NAME}``, and a word in the place of a secret has not."""


class SecretPlaces:
    """The places of a scope's lines in its new text.

    Args:
        old: The scope's lines, with their secrets.
        new: The new lines.
    """

    def __init__(self, old: Sequence[str], new: Sequence[str]) -> None:
        self._old, self._new = old, new

    def are_taken(self, secret: str) -> bool:
        """Whether something took each place of a secret that is nowhere in the new text; its lines end in LF."""
        first = secret.split("\n", 1)[0]
        places = [index for index, line in enumerate(self._old) if first in line]
        return bool(places) and all(self._is_taken(index, first) for index in places)

    def _is_taken(self, index: int, secret: str) -> bool:
        line = self._old[index]
        before, _, behind = line.partition(secret)
        names = {name.casefold() for name in _NAME.findall(before + " " + behind)}
        near = {text for at in self._near(index) if (text := self._at(at)) not in self._new_texts}
        return any(
            not self._is_filled_in(came, before, behind)
            and not names.isdisjoint(name.casefold() for name in _NAME.findall(came))
            and not any(_is_version(came.strip(), other) for other in near)
            for came in self._came_at(index)
        )

    def _near(self, index: int) -> Iterator[int]:
        around = range(max(index - _NEAR, 0), min(index + _NEAR + 1, len(self._old)))
        return (at for at in around if at != index and self._at(at))

    def _is_filled_in(self, line: str, before: str, behind: str) -> bool:
        """Whether a line is the old one with mere words where the secret was."""
        if not (line.startswith(before) and line.endswith(behind)):
            return False
        value = line[len(before) : len(line) - len(behind)]
        return not _CODE.search(value)

    def _came_at(self, index: int) -> Iterator[str]:
        """Give new lines, as far as they are near, between the lines on either side that are still there once."""
        rows_above, rows_below = range(index - 1, -1, -1), range(index + 1, len(self._old))
        above = next((place for at in rows_above if (place := self._kept.get(self._at(at))) is not None), -1)
        below = next(
            (place for at in rows_below if (place := self._kept.get(self._at(at))) is not None), None
        )
        between = (line for line in self._new[above + 1 : below] if line.strip())
        return (line for line in islice(between, _MAX_CAME) if line.strip() not in self._old_texts)

    def _at(self, index: int) -> str:
        return self._old[index].strip()

    @cached_property
    def _old_texts(self) -> frozenset[str]:
        return frozenset(line.strip() for line in self._old)

    @cached_property
    def _new_texts(self) -> Counter[str]:
        return Counter(line.strip() for line in self._new)

    @cached_property
    def _kept(self) -> dict[str, int]:
        """Where the old lines are that tell something and are in the new text once."""
        texts = ((line.strip(), index) for index, line in enumerate(self._new))
        return {
            text: index
            for text, index in texts
            if self._new_texts[text] == 1 and text in self._old_texts and not is_trivial(text)
        }


def _is_version(new: str, old: str) -> bool:
    """Whether most of an old line is in a new one."""
    return sum(common_ends(new, old)) * 2 > len(old)
