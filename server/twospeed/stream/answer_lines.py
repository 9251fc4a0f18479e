"""Split answer text, received in chunks, into lines, and clean the last line of code."""

from __future__ import annotations

import re
from collections.abc import Sequence

from .answers import fence_of

_TOKEN = re.compile(r"(?:<[|\uff5c][\w\u2581 -]{1,40}[|\uff5c]>|</s>|<end_of_turn>|<eos>|\[/INST\])$")
_LAST_CHARACTERS = (">", "]")
_LAST_CHARACTERS_OR_FENCE = (*_LAST_CHARACTERS, "`")

_MAX_CHARS = 200
"""Characters at the end of a line that are searched for tokens."""


class LineSplitter:
    r"""Collects text until a line is complete. Cost: linear in the text, for any chunks.

    Lines end at ``\n``, ``\r\n`` and a lone ``\r``, as in LSP 3.17; ``str.splitlines`` also breaks at form
    feed, U+0085 and U+2028.
    """

    def __init__(self) -> None:
        self._pieces: list[str] = []
        self._after_cr = False

    def receive_text(self, text: str) -> Sequence[str]:
        """Return the lines that a chunk completes, without line ends."""
        if not self._after_cr and "\n" not in text and "\r" not in text:  # most tokens
            self._pieces.append(text)
            return ()
        if self._after_cr and text:
            text = "\r" + text
            self._after_cr = False
        if text.endswith("\r"):  # the next chunk may begin with "\n"
            text = text[:-1]
            self._after_cr = True
        if "\r" in text:
            text = text.replace("\r\n", "\n").replace("\r", "\n")
        lines = text.split("\n")
        self._pieces.append(lines[0])
        if len(lines) == 1:
            return ()
        lines[0] = "".join(self._pieces)
        self._pieces = [lines.pop()]
        return lines

    def finish(self) -> Sequence[str]:
        """Return the last line, if no line end follows it."""
        last = "".join(self._pieces)
        self._pieces.clear()
        ended_by_cr, self._after_cr = self._after_cr, False
        return [last] if last or ended_by_cr else []


class AnswerEnd:
    """Passes lines through, without a token or a closing fence after the last line of code.

    Servers without a chat template send the end-of-turn token as text: ``</s>``, ``<|im_end|>``. Some models
    write the closing fence right after the code. Such a line is held, because it is certain only as the last
    one. Text of the old lines is kept.
    """

    def __init__(self, old: Sequence[str]) -> None:
        self._old = "\n".join(old)
        self._fence_mark = ""
        self._has_struck_text = False
        self._held: list[str] = []
        self._last: Sequence[str] = ()

    def receive_line(self, line: str) -> Sequence[str]:
        """Return the lines that are certainly not the last."""
        if not self._fence_mark and (fence := fence_of(line)):
            self._fence_mark = fence.mark
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
        """Return the lines that replace a last line; ``None`` if nothing is removed."""
        text = line.rstrip()
        rest = self._without_tokens(text)
        code = self._without_fence(rest)
        if code is not None:
            return (code, self._fence_mark)
        if rest == text:
            return None
        return (rest,) if rest else ()

    def _without_tokens(self, text: str) -> str:
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
        if not self._fence_mark or not text.endswith(self._fence_mark) or fence_of(text) is not None:
            return None
        code = text.removesuffix(self._fence_mark).rstrip()
        return None if code.endswith("`") or text in self._old else code
