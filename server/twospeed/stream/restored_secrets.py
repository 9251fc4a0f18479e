"""Restore the secrets of a scope in an answer that contains placeholders, and refuse their loss.

An answer that omits a secret is refused, even if the user asked to delete it: omission by mistake cannot be
told from intent, and the secret may exist nowhere else. New code may replace a secret, which the gate
reports, and one of several uses may be deleted.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cached_property
from itertools import islice

from twospeed.secrets.placeholders import Placeholders
from twospeed.text.edits import common_ends

from .aligner import is_trivial
from .answers import Refusal

ALTERED = Refusal(
    "secret", "the answer changed the placeholder of a secret, so the secret cannot be restored"
)
LOST = Refusal(
    "secret",
    "the answer omits a secret, which was hidden from the model; delete it yourself if it is not needed",
)

_LINE_END = re.compile(r"\r\n|\r|\n")

_MAX_DISTANCE = 8
"""Distance in lines up to which an old line may be the source of a new one."""

_MAX_NEW_LINES = 200
"""New lines that are considered as replacements; functions that read a secret have few."""

_NAME = re.compile(r"[^\W\d]\w{2,}")
_CODE = re.compile(r"[$({]")
"""Characters of a value that is read from elsewhere, such as ``${NAME}``."""


class SecretRestorer:
    """Restores the secrets of one answer; ``refusal`` is set if it alters or omits one."""

    def __init__(self, placeholders: Placeholders | None, old: Sequence[str] = ()) -> None:
        self._old = old
        self._placeholders = placeholders if placeholders and placeholders.values else None
        self._new: list[str] = []
        self.refusal: Refusal | None = None

    def restore_line(self, line: str) -> Sequence[str]:
        """Return a line of the answer with its secrets; a secret of several lines gives several."""
        if self._placeholders is None:
            return (line,)
        return _LINE_END.split(self._placeholders.restore(line))

    def receive_line(self, line: str) -> None:
        """Check a line of the new scope for altered placeholders."""
        if self._placeholders is None:
            return
        self._new.append(line)
        if self._placeholders.damaged(line):
            self.refusal = self.refusal or ALTERED

    def finish(self) -> None:
        """Check the whole new scope for lost secrets."""
        if self._placeholders is None:
            return
        text = "\n".join(self._new)
        needed = (_LINE_END.sub("\n", secret) for secret in self._placeholders.needed)
        lost = [secret for secret in needed if secret not in text]
        places = _SecretPlaces(self._old, self._new) if lost else None
        if places and not all(map(places.are_replaced, lost)):
            self.refusal = self.refusal or LOST


class _SecretPlaces:
    """Decides whether new code, such as a call that reads a secret, replaces the secret.

    A new line between the nearest unchanged lines replaces an old one if it uses one of its names and is not
    a change of another line.
    """

    def __init__(self, old: Sequence[str], new: Sequence[str]) -> None:
        self._old, self._new = old, new

    def are_replaced(self, secret: str) -> bool:
        """Return whether each use of a missing secret, with LF line ends, was replaced."""
        first = secret.split("\n", 1)[0]
        places = [index for index, line in enumerate(self._old) if first in line]
        return bool(places) and all(self._is_replaced(index, first) for index in places)

    def _is_replaced(self, index: int, secret: str) -> bool:
        line = self._old[index]
        before, _, after = line.partition(secret)
        names = {name.casefold() for name in _NAME.findall(before + " " + after)}
        near = {text for at in self._near(index) if (text := self._text(at)) not in self._new_texts}
        return any(
            not _has_words_instead(new_line, before, after)
            and not names.isdisjoint(name.casefold() for name in _NAME.findall(new_line))
            and not any(_is_version(new_line.strip(), other) for other in near)
            for new_line in self._new_lines_at(index)
        )

    def _near(self, index: int) -> Iterator[int]:
        around = range(max(index - _MAX_DISTANCE, 0), min(index + _MAX_DISTANCE + 1, len(self._old)))
        return (at for at in around if at != index and self._text(at))

    def _new_lines_at(self, index: int) -> Iterator[str]:
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
        """Indices in the new text of the distinctive old lines that it contains once."""
        texts = ((line.strip(), index) for index, line in enumerate(self._new))
        return {
            text: index
            for text, index in texts
            if self._new_texts[text] == 1 and text in self._old_texts and not is_trivial(text)
        }


def _has_words_instead(line: str, before: str, after: str) -> bool:
    # The old line with other words instead of the secret: the model lost the placeholder.
    if not (line.startswith(before) and line.endswith(after)):
        return False
    value = line[len(before) : len(line) - len(after)]
    return not _CODE.search(value)


def _is_version(new: str, old: str) -> bool:
    return sum(common_ends(new, old)) * 2 > len(old)
