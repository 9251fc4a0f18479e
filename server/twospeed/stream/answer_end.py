"""What servers and models leave at the end of an answer: a token of the chat template, a closing fence behind code.

A server whose chat template is not set up sends the model's end-of-turn token as text: ``</s>``, ``<|im_end|>``,
``<end_of_turn>``. Some models write the closing fence right behind the last line of code. Either is known only once no
more comes, so a line that ends with one waits for the next. Nothing is taken off that the old lines hold as well.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from .answers import fence_of

_TOKEN = re.compile(r"(?:<[|\uff5c][\w\u2581 -]{1,40}[|\uff5c]>|</s>|<end_of_turn>|<eos>|\[/INST\])$")
_LAST_CHARACTERS = (">", "]")
_LAST_CHARACTERS_OR_FENCE = (*_LAST_CHARACTERS, "`")

_MAX_CHARS = 200
"""Characters at the end of a line in which tokens are looked for."""


class AnswerEnd:
    """Take lines, give lines: all of them but what stands behind the end of the code.

    Args:
        old: The scope's lines.
    """

    def __init__(self, old: Sequence[str]) -> None:
        self._old = "\n".join(old)
        self._mark = ""
        self._has_struck_text = False
        self._held: list[str] = []
        self._last: Sequence[str] = ()

    def receive_line(self, line: str) -> Sequence[str]:
        """Take the next line; return those that are certain not to be the last."""
        if not self._mark and (fence := fence_of(line)):
            self._mark = fence.mark  # of the fence that opens the code
        if "<s" in line:  # the tag that ``</s>`` closes in HTML
            self._has_struck_text = self._has_struck_text or "<s>" in line or "<s " in line
        if not self._held and not line.rstrip().endswith(_LAST_CHARACTERS_OR_FENCE):
            return (line,)
        if self._held and not line.strip():
            self._held.append(line)
            return ()
        held, self._held = self._held, []
        last = self._as_last(line)
        if last is None:
            return (*held, line)
        self._held, self._last = [line], last
        return held

    def finish(self) -> Sequence[str]:
        """Take the end of the answer; return the last lines."""
        held, self._held = self._held, []
        return (*self._last, *held[1:]) if held else ()

    def _as_last(self, line: str) -> Sequence[str] | None:
        """Return what a line is if it is the last one; ``None`` where nothing is to be taken off."""
        text = line.rstrip()
        rest = self._without_tokens(text)
        code = self._without_fence(rest)
        if code is not None:
            return (code, self._mark)
        if rest == text:
            return None
        return (rest,) if rest else ()

    def _without_tokens(self, text: str) -> str:
        """Take the tokens off the end of a line, unless the old lines hold them or ``</s>`` closes a tag."""
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
        """Take the closing fence off the end of a line of code; ``None`` where there is none."""
        if not self._mark or not text.endswith(self._mark) or fence_of(text) is not None:
            return None
        code = text.removesuffix(self._mark).rstrip()
        return None if code.endswith("`") or text in self._old else code
