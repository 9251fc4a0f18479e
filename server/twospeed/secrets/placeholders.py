"""Replace secrets with placeholders for a model, and restore them in its answer.

A secret in the scope must come back unchanged, so the model repeats an unguessable word:
``TS_SECRET_1_3fa09c17``. Secrets in text that is only read are masked. Adjacent letters and digits are hidden
as well, so that a placeholder is a whole word.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache

from .detectors.private_keys import ends_in_key
from .scrub import MASK, lower_case

LEAST_KNOWN = 16
"""A secret of this length is hidden everywhere; a shorter one, which may be a common word, where detected."""

_LEAST_MIXED = 8
"""The same for a secret with letters and digits."""

_MAX_KNOWN = 200
"""Secrets that are searched everywhere; more would take long."""

_MAX_REST = 256
"""Longest word around a secret; in a longer one, the edit is refused."""

_MAX_LEAD = len("TS...")
_LOOKALIKE = re.compile(r"(?i)ts[\W_]{0,3}secret[\W_]{0,3}[0-9]\w*")

_Span = tuple[int, int]


@dataclass(frozen=True)
class Placeholders:
    """The secrets of one edit.

    Attributes:
        word: Ends each placeholder; it is random and in none of the texts.
        values: The secrets; the first one is number 1.
        needed: Secrets in the scope.
        allowed: Text of the edit itself that looks like a placeholder.
        begins_in_key: Whether the scope begins inside a private key.
    """

    word: str
    values: tuple[str, ...]
    needed: frozenset[str]
    allowed: frozenset[str] = frozenset()
    begins_in_key: bool = False
    ends_in_key: bool = False

    @classmethod
    def of(
        cls,
        scope_text: str,
        *others: str,
        word: str,
        before: Sequence[str] = (),
        prose: Sequence[str] = (),
        around: Sequence[str] = (),
    ) -> Placeholders:
        """Find the secrets of an edit.

        Args:
            scope_text: The lines to rewrite.
            others: Texts whose secrets the answer may need, such as a draft.
            word: Letters and digits that occur in none of the texts.
            before: Lines above the scope, where a private key may begin.
            prose: Like ``others``, but written for people.
            around: Texts that are only read.
        """
        begins_in_key = ends_in_key(before)
        texts = (scope_text, *others, *prose, *around)
        n_shown = len(texts) - len(around)
        alike = frozenset(each for text in texts[:n_shown] for each in _lookalikes(text))
        found = [
            _detected(
                text, begins_in_key=begins_in_key and not index, is_prose=1 + len(others) <= index < n_shown
            )
            for index, text in enumerate(texts)
        ]
        known: tuple[str, ...] = ()
        while True:  # a secret detected in one text is hidden in all
            values_of = [
                [text[start:end] for start, end in _spans(text, known, each)]
                for text, each in zip(texts, found, strict=True)
            ]
            values = tuple(dict.fromkeys((*known, *(value for each in values_of for value in each))))
            if values == known:
                ends = ends_in_key(scope_text.splitlines(), begins_inside=begins_in_key)
                return cls(word, values, frozenset(values_of[0]), alike, begins_in_key, ends)
            known = values

    def hide_in_scope(self, scope_text: str) -> str:
        """Replace the scope's secrets with placeholders."""
        found = _detected(scope_text, begins_in_key=self.begins_in_key)
        return self._replaced(scope_text, found, is_masked=False)

    def hide(self, text: str, *, is_prose: bool = False) -> str:
        """Replace secrets with placeholders; a secret that is not in ``values`` is masked."""
        return self._replaced(text, _detected(text, is_prose=is_prose), is_masked=False)

    def mask(self, text: str, *, begins_in_key: bool = False, is_prose: bool = False) -> str:
        """Replace secrets with ``***``."""
        return self._replaced(
            text, _detected(text, begins_in_key=begins_in_key, is_prose=is_prose), is_masked=True
        )

    def _replaced(self, text: str, found: Sequence[_Span], *, is_masked: bool) -> str:
        spans = _spans(text, self.values, found)
        pieces: list[str] = []
        done = 0
        for start, end in spans:
            value = text[start:end]
            number = None if is_masked else self._numbers.get(value)
            pieces += (text[done:start], MASK if number is None else self._placeholder(number))
            done = end
        return "".join((*pieces, text[done:]))

    def restore(self, text: str) -> str:
        """Replace complete placeholders with their secrets."""
        return self._whole.sub(self._value, text) if self.word in text else text

    def damaged(self, text: str) -> str | None:
        """Return text in a restored answer that looks like a placeholder but is none, or ``None``."""
        if not self.values:
            return None
        alike = next((each for each in _lookalikes(text) if each not in self.allowed), None)
        return self.word if alike is None and self.word in text.lower() else alike

    def _placeholder(self, number: int) -> str:
        return f"TS_SECRET_{number}_{self.word}"

    def _value(self, match: re.Match[str]) -> str:
        number = int(match[1])
        return self.values[number - 1] if 0 < number <= len(self.values) else match[0]

    @cached_property
    def _numbers(self) -> dict[str, int]:
        return {value: number for number, value in enumerate(self.values, 1)}

    @cached_property
    def _whole(self) -> re.Pattern[str]:
        return re.compile(rf"(?<!\w)TS_SECRET_([1-9][0-9]{{0,3}})_{self.word}(?!\w)")


def placeholder_word(delimiter: str) -> str:
    """Return the word of the placeholders in a prompt with a random delimiter; equal for equal ones."""
    return hashlib.sha256(delimiter.encode()).hexdigest()[:8]


@lru_cache(maxsize=8)  # the request, the task and the answer search the same scope
def _detected(text: str, *, begins_in_key: bool = False, is_prose: bool = False) -> tuple[_Span, ...]:
    from .search import find_secrets  # noqa: PLC0415  # a hundred expressions that start-up does not need

    return tuple(
        (each.start, each.end) for each in find_secrets(text, begins_in_key=begins_in_key, is_prose=is_prose)
    )


def _spans(text: str, known: tuple[str, ...], found: Sequence[_Span]) -> list[_Span]:
    spans = list(found)
    for value in known[:_MAX_KNOWN]:
        at = text.find(value) if _is_known_anywhere(value) else -1
        while at >= 0:
            spans.append((at, at + len(value)))
            at = text.find(value, at + len(value))
    return list(_merged(span for each in spans if (span := _widened(text, *each))))


def _is_known_anywhere(value: str) -> bool:
    is_mixed = any(map(str.isdigit, value)) and any(map(str.isalpha, value))
    return len(value) >= (_LEAST_MIXED if is_mixed else LEAST_KNOWN)


def _lookalikes(text: str) -> Iterator[str]:
    lower = lower_case(text)
    at = lower.find("secret")
    while at >= 0:
        if match := _LOOKALIKE.search(text, max(at - _MAX_LEAD, 0), at + _MAX_REST):
            yield match[0]
        at = lower.find("secret", at + 1)


def _widened(text: str, start: int, end: int) -> _Span | None:
    start += len(text[start:end]) - len(text[start:end].lstrip())
    end -= len(text[start:end]) - len(text[start:end].rstrip())
    if start >= end:
        return None
    before, after = text[max(start - _MAX_REST, 0) : start], text[end : end + _MAX_REST]
    start -= next((n for n, each in enumerate(reversed(before)) if not _is_word(each)), len(before))
    end += next((n for n, each in enumerate(after) if not _is_word(each)), len(after))
    return start, end


def _is_word(character: str) -> bool:
    return character.isalnum() or character == "_"


def _merged(spans: Iterable[_Span]) -> Iterator[_Span]:
    open_span: _Span | None = None
    for start, end in sorted(spans):
        if open_span and start <= open_span[1]:
            open_span = (open_span[0], max(open_span[1], end))
            continue
        if open_span:
            yield open_span
        open_span = (start, end)
    if open_span:
        yield open_span
