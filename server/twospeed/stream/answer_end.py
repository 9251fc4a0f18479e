"""What servers and models leave at the end of an answer: a token of the chat template, a closing fence behind code.

A server whose chat template is not set up sends the model's end-of-turn token as text: ``</s>``, ``<|im_end|>``,
``<end_of_turn>``. Some models write the closing fence right behind the last line of code. Either is known only once no
more comes, so a line that ends with one waits for the next. Nothing is taken off that the old lines hold as well.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from .answers import fence_of

_TEMPLATE_MARK = r"(?:<[|\uff5c][\w\u2581 -]{1,40}[|\uff5c]>|</s>|<end_of_turn>|<eos>|\[/INST\])"
_AT_END = re.compile(rf"(?:\s*{_TEMPLATE_MARK})+\s*$")
_LAST_CHARACTERS = (">", "]")

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

    def receive_line(self, line: str) -> Sequence[str]:
        """Take the next line; return those that are certain not to be the last."""
        self._note(line)
        if not self._held and not line.rstrip().endswith((*_LAST_CHARACTERS, "`")):
            return (line,)
        if self._held and not line.strip():
            self._held.append(line)
            return ()
        held, self._held = self._held, []
        if self._cut(line) is None:
            return (*held, line)
        self._held.append(line)
        return held

    def finish(self) -> Sequence[str]:
        """Take the end of the answer; return the last lines."""
        held, self._held = self._held, []
        if not held:
            return ()
        return (*(self._cut(held[0]) or ()), *held[1:])

    def _cut(self, line: str) -> Sequence[str] | None:
        """Return a last line as it is meant; ``None`` where nothing is to be taken off."""
        text = line.rstrip()
        if text.endswith(_LAST_CHARACTERS):
            return self._without_tokens(text)
        if not self._mark or not text.endswith(self._mark) or fence_of(text) is not None:
            return None
        code = text.removesuffix(self._mark).rstrip()
        return None if code.endswith("`") or line in self._old else (code, self._mark)

    def _without_tokens(self, text: str) -> Sequence[str] | None:
        found = _AT_END.search(text[-_MAX_CHARS:])
        if found is None or found[0].strip() in self._old:
            return None
        if self._has_struck_text and "</s>" in found[0]:
            return None
        rest = text.removesuffix(found[0])
        return (self._cut(rest) or (rest,)) if rest.strip() else ()

    def _note(self, line: str) -> None:
        """Remember the first fence, which opens the code, and the tag that ``</s>`` closes in HTML."""
        if not self._mark and (fence := fence_of(line)):
            self._mark = fence.mark
        self._has_struck_text = self._has_struck_text or "<s>" in line or "<s " in line
