"""Remove what models and servers append to the last line of code: a template token or a closing fence.

A server without a chat template sends the end-of-turn token as text: ``</s>``, ``<|im_end|>``,
``<end_of_turn>``. Some models write the closing fence right after the last line of code. Both are certain
only at the end of the answer, so such a line is held until the next one. Text that the old lines contain is
kept.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from .answers import fence_of

_TOKEN = re.compile(r"(?:<[|\uff5c][\w\u2581 -]{1,40}[|\uff5c]>|</s>|<end_of_turn>|<eos>|\[/INST\])$")
_LAST_CHARACTERS = (">", "]")
_LAST_CHARACTERS_OR_FENCE = (*_LAST_CHARACTERS, "`")

_MAX_CHARS = 200
"""Characters at the end of a line that are searched for tokens."""


class AnswerEnd:
    """Passes lines through, without what follows the code."""

    def __init__(self, old: Sequence[str]) -> None:
        self._old = "\n".join(old)
        self._mark = ""
        self._has_struck_text = False
        self._held: list[str] = []
        self._last: Sequence[str] = ()

    def receive_line(self, line: str) -> Sequence[str]:
        """Receive a line; return the lines that are certainly not the last."""
        if not self._mark and (fence := fence_of(line)):
            self._mark = fence.mark  # the opening fence
        if "<s" in line:  # in HTML, ``</s>`` closes this tag
            self._has_struck_text = self._has_struck_text or "<s>" in line or "<s " in line
        if not self._held and not line.rstrip().endswith(_LAST_CHARACTERS_OR_FENCE):
            return (line,)
        if self._held and not line.strip():
            self._held.append(line)
            return ()
        held, self._held = self._held, []
        last = self._cleaned_last_line(line)
        if last is None:
            return (*held, line)
        self._held, self._last = [line], last
        return held

    def finish(self) -> Sequence[str]:
        """Return the held lines, cleaned."""
        held, self._held = self._held, []
        return (*self._last, *held[1:]) if held else ()

    def _cleaned_last_line(self, line: str) -> Sequence[str] | None:
        """Return what the line becomes as the last one; ``None`` if nothing is removed."""
        text = line.rstrip()
        rest = self._without_tokens(text)
        code = self._without_fence(rest)
        if code is not None:
            return (code, self._mark)
        if rest == text:
            return None
        return (rest,) if rest else ()

    def _without_tokens(self, text: str) -> str:
        """Remove tokens, unless the old lines contain them or ``</s>`` closes an HTML tag."""
        if not text.endswith(_LAST_CHARACTERS):
            return text
        end = text[-_MAX_CHARS:]
        rest = end
        while found := _TOKEN.search(rest):
            rest = rest[: found.start()].rstrip()
        tokens = end[len(rest) :].strip()
        if not tokens or tokens in self._old or (self._has_struck_text and "</s>" in tokens):
            return text
        return text[: len(text) - len(end) + len(rest)].rstrip()

    def _without_fence(self, text: str) -> str | None:
        """Remove a closing fence from a line of code; ``None`` if it has none."""
        if not self._mark or not text.endswith(self._mark) or fence_of(text) is not None:
            return None
        code = text.removesuffix(self._mark).rstrip()
        return None if code.endswith("`") or text in self._old else code
