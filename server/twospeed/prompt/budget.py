"""The token limits of a prompt, and their division between its parts, by their value.

Instruction and scope are always complete. Tokens are estimated at four characters for every model: a better
estimate would move the start of the context between requests and miss the provider's cache.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from twospeed.models.base import Limits

CHARS_PER_TOKEN = 4

OUTLINE_SHARE = 4
"""An outline takes at most a quarter of the space."""

EXTRAS_SHARE = 8
"""Definitions, diagnostics and the previous edit take at most an eighth each."""

MAX_EXTRAS_CHARS = 6_144


@dataclass(frozen=True, slots=True)
class Shares:
    """Limits of the parts, in code points of the space that instruction and scope leave.

    Attributes:
        outline: Limit of the outline, if lines are left out.
        definitions: Reserved even if there are few: while the user types, their number changes, but not the
            lines around.
        reports: Limit of diagnostics.
    """

    outline: int
    definitions: int
    reports: int
    previous_edit: int

    @classmethod
    def of(cls, room: int) -> Shares:
        """Divide ``room`` code points."""
        extra = max(0, min(room // EXTRAS_SHARE, MAX_EXTRAS_CHARS))
        return cls(max(0, room // OUTLINE_SHARE), extra, extra, extra)


@dataclass(frozen=True, slots=True)
class Window:
    """The context lines around the scope, and the numbers of lines left out above and below."""

    before: tuple[str, ...]
    after: tuple[str, ...]
    n_left_out_before: int
    n_left_out_after: int


def fit(
    before: Sequence[str], after: Sequence[str], *, n_chars: int, prepare: Callable[[str], str]
) -> Window:
    """Select the lines nearest to the scope, at most ``n_chars`` code points after ``prepare``.

    Lines are added above and below in turn. A side ends at its first line that does not fit; its space goes
    to the other.
    """
    above, below = _Side(before[::-1], prepare), _Side(after, prepare)
    while above.is_open or below.is_open:
        n_chars -= above.add_next(n_chars)
        n_chars -= below.add_next(n_chars)
    return Window(tuple(above.kept[::-1]), tuple(below.kept), above.n_left, below.n_left)


class _Side:
    def __init__(self, lines: Sequence[str], prepare: Callable[[str], str]) -> None:
        self._lines = lines
        self._prepare = prepare
        self.kept: list[str] = []
        self.is_open = True

    @property
    def n_left(self) -> int:
        return len(self._lines) - len(self.kept)

    def add_next(self, n_chars: int) -> int:
        """Add the next line if it fits into ``n_chars``. Return its length, or 0 if it was not added."""
        if not self.is_open:
            return 0
        line = self._lines[len(self.kept)] if self.n_left else None
        # Measure first: preparing a line of a megabyte is slow, and never makes it shorter.
        if line is None or len(line) > n_chars or len(line := self._prepare(line)) > n_chars:
            self.is_open = False
            return 0
        self.kept.append(line)
        return len(line)


_MARGIN = 0.95
"""Share of a model's limit that is used: messages cost tokens, and the density of lines varies."""

_DENSE = 0.8
"""Share of the window used before the first request: code has more tokens than estimated."""

_MIN_ANSWER_TOKENS = 256


@dataclass(frozen=True, slots=True)
class TokenLimits:
    """Limits of the next prompt, in estimated tokens (0 sends only the scope), and of its answer."""

    budget_tokens: int
    max_output_tokens: int


def initial_token_limits(limits: Limits, window_tokens: int | None) -> TokenLimits:
    """Return the limits for a first request. The answer gets at most half of a known window."""
    if window_tokens is None:
        return TokenLimits(limits.context_tokens, limits.max_output_tokens)
    answer = max(min(limits.max_output_tokens, window_tokens // 2), 1)
    return TokenLimits(min(limits.context_tokens, int((window_tokens - answer) * _DENSE)), answer)


def reduced_token_limits(
    *,
    n_chars: int,
    scope_chars: int,
    max_output_tokens: int,
    prompt_tokens: int | None,
    limit_tokens: int | None,
) -> TokenLimits:
    """Return limits after a model refused a prompt of ``n_chars`` code points for its length.

    Prompt and answer share ``limit_tokens``, if reported (otherwise only the scope is sent). The answer keeps
    space for twice the scope, the prompt gets the rest, and the answer gets what the prompt does not need.
    """
    if limit_tokens is None:
        return TokenLimits(0, max_output_tokens)
    tokens_per_char = prompt_tokens / max(n_chars, 1) if prompt_tokens else 1 / CHARS_PER_TOKEN
    usable = int(limit_tokens * _MARGIN)
    answer = min(max_output_tokens, int(2 * scope_chars * tokens_per_char) + _MIN_ANSWER_TOKENS)
    for_prompt = max(usable - answer, 0)
    needed = min(int(n_chars * tokens_per_char), for_prompt)
    return TokenLimits(
        int(for_prompt / tokens_per_char / CHARS_PER_TOKEN),
        max(min(max_output_tokens, usable - needed), 1),
    )
