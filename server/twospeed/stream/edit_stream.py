"""Chunks of answer text in, ops against the old lines out.

Laws: any chunking gives the same ops in the end; after every op ``scope == NEW[:j] ++ OLD[i:]``; an answer that
equals the old text gives nothing but ``Keep``; once refused, no op comes out.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from .aligner import Aligner
from .answer import AnswerReader
from .elision import ElisionCheck
from .evidence import Refusal, Surroundings
from .line_splitter import LineSplitter
from .ops import Op

_CUT_OFF = {
    "length": Refusal("truncated", "the model stopped at its output limit before the answer was whole"),
    "content_filter": Refusal("declined", "the provider's content filter stopped the answer"),
    "refusal": Refusal("declined", "the model declined"),
}


class EditStream:
    """One answer against one scope.

    Args:
        old: The scope's lines without line ends.
        surroundings: What is known of the scope's place.
    """

    def __init__(self, old: Sequence[str], surroundings: Surroundings) -> None:
        self._splitter = LineSplitter()
        self._reader = AnswerReader(old, surroundings)
        self._aligner = Aligner(old)
        self._elision = ElisionCheck(old, self._reader.is_comment)

    @property
    def refusal(self) -> Refusal | None:
        """Why the answer cannot be used; what was shown must be taken back."""
        return self._reader.refusal or self._elision.refusal

    def receive_text(self, text: str) -> list[Op]:
        """Take a chunk of the answer; return the ops that are certain now."""
        for line in self._splitter.receive_text(text):
            self._align(self._reader.receive_line(line))
        if self._aligner.is_waiting:
            self._aligner.peek(self._reader.preview(self._splitter.partial))
        return self._take_ops()

    def finish(
        self, reason: Literal["stop", "length", "content_filter", "refusal"], message: str = ""
    ) -> list[Op]:
        """Take the model's word that the answer has ended.

        Args:
            reason: Only ``stop`` means the answer is whole.
            message: What the model said instead of an answer, if it did.

        Returns:
            The last ops; none where ``refusal`` is set.
        """
        if reason != "stop":
            cut = _CUT_OFF[reason]
            self._reader.refusal = Refusal(cut.code, message or cut.message)
            return []
        for line in self._splitter.finish():
            self._align(self._reader.receive_line(line))
        self._align(self._reader.finish())
        if not self.refusal:
            self._align(self._reader.trailing_blank())
            self._aligner.finish()
        ops = self._take_ops()
        self._elision.finish()
        return [] if self.refusal else ops

    def _align(self, lines: Sequence[str]) -> None:
        for line in lines:
            self._aligner.receive_line(line)

    def _take_ops(self) -> list[Op]:
        ops = self._aligner.take_ops()
        for op in ops:
            self._elision.receive_op(op)
        return [] if self.refusal else ops
