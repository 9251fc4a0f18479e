"""Chunks of answer text in, ops against the old lines out.

Laws: any chunking gives the same ops in the end; after every op ``scope == NEW[:j] ++ OLD[i:]``; an answer that
equals the old text gives nothing but ``Keep``; once refused, no op comes out.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Literal

from twospeed.secrets.placeholders import Placeholders

from .aligner import Aligner
from .answer_end import AnswerEnd
from .answers import AnswerReader, ElisionCheck, Refusal, Surroundings, only_block, whole_code
from .hidden_output import HiddenOutput
from .line_splitter import LineSplitter
from .ops import Op
from .restoring import SecretRestorer

CHARS_PER_OLD_CHAR = 4
FREE_CHARS = 256 * 1024
"""An answer has at most ``CHARS_PER_OLD_CHAR`` characters for each of the scope, and ``FREE_CHARS`` besides.

All of it counts: code, talk, thinking in tags, line ends. Characters, because they are counted already, whatever
they take in a memory or on a wire; the figures are far above any honest answer, so bytes would decide no other way.
"""

_NEAR_LINES = 2000
"""Lines on either side that an answer may repeat in their masked form: more than a prompt shows of most files."""

_TOO_LARGE = Refusal("growth", "the answer is far larger than an edit of these lines can be")
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
        placeholders: What the model was shown in place of secrets, if there were any.
    """

    def __init__(
        self, old: Sequence[str], surroundings: Surroundings, placeholders: Placeholders | None = None
    ) -> None:
        self._chars_left = CHARS_PER_OLD_CHAR * sum(len(line) + 1 for line in old) + FREE_CHARS
        self._splitter = LineSplitter()
        self._end = AnswerEnd(old)
        self._secrets = SecretRestorer(placeholders, old)
        self._hidden = HiddenOutput(old)
        self._reader = AnswerReader(old, _as_answered(_as_shown(surroundings, placeholders), old))
        self._aligner = Aligner(old)
        self._elision = ElisionCheck(old, surroundings.comment_markers, surroundings.instruction)
        self._written: list[str] = []
        self._made: list[str] = []

    @property
    def refusal(self) -> Refusal | None:
        """Why the answer cannot be used; what was shown must be taken back."""
        return self._reader.refusal or self._elision.refusal or self._secrets.refusal

    @property
    def dropped(self) -> Mapping[str, int]:
        """How often each hidden character was taken out of the answer's lines so far."""
        return self._hidden.dropped

    @property
    def prose(self) -> Sequence[str]:
        """What the model wrote around its code, line by line; complete after `finish`."""
        return self._reader.prose

    @property
    def is_open(self) -> bool:
        """Whether the block that was asked for is still open: nothing proves that the answer is whole."""
        return self._reader.is_open

    @property
    def answer(self) -> Sequence[str]:
        """The scope's lines as the answer would have them, also where it is refused; complete after `finish`.

        Of an answer that could not be read it is the only code block, or all that the model wrote.
        """
        return only_block(self._written) if self._reader.refusal else self._made

    def whole_code(self, *, proves_itself: bool) -> Sequence[str]:
        """Return the answer's code as the model wrote it; nothing where it may be cut off. For after `finish`.

        Args:
            proves_itself: Whether code that parses is whole, as where a bracket closes every block; else only the end of its
                code block is a proof.
        """
        return whole_code(self._written, proves_itself=proves_itself)

    def receive_text(self, text: str) -> list[Op]:
        """Take a chunk of the answer; return the ops that are certain now."""
        if self._elision.unread:
            self._elision.catch_up()
        self._chars_left -= len(text)
        if self._chars_left < 0:
            return self._receive_too_much(text)
        lines = self._splitter.receive_text(text)
        if not lines:
            return []  # most tokens complete no line
        self._read(lines)
        return self._take_ops()

    def _receive_too_much(self, text: str) -> list[Op]:
        """Take what may still be kept of a text that makes the answer too large, and refuse the answer."""
        kept, self._chars_left = text[: self._chars_left], 0
        self._read(self._splitter.receive_text(kept))
        if not self.refusal:
            self._reader.refusal = _TOO_LARGE
        return []

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
        self._read(self._splitter.finish())
        self._read_certain(self._end.finish())
        self._align(self._reader.finish())
        if not self.refusal:
            self._align(self._reader.trailing_blank())
            self._aligner.finish()
            self._elision.finish(is_patch=self._reader.is_patch)
            self._secrets.finish()
        return self._take_ops()

    def _read(self, lines: Sequence[str]) -> None:
        for line in lines:
            self._read_certain(self._end.receive_line(line))

    def _read_certain(self, lines: Sequence[str]) -> None:
        for shown in lines:
            restored = self._secrets.restore_line(shown)
            if restored[0] is not shown:  # a secret may be far longer than its word
                self._chars_left -= sum(map(len, restored)) - len(shown)
                if self._chars_left < 0:
                    self._reader.refusal = self._reader.refusal or _TOO_LARGE
                    return
            for line in restored:
                clean = self._hidden.clean_line(line)
                self._written.append(clean)
                if not self._reader.refusal:  # else what follows is kept for the user, and is not read
                    self._align(self._reader.receive_line(clean))

    def _align(self, lines: Sequence[str]) -> None:
        for line in lines:
            self._made.append(line)
            self._secrets.receive_line(line)
            self._aligner.receive_line(line)
            self._elision.receive_line(line)

    def _take_ops(self) -> list[Op]:
        ops = self._aligner.take_ops()
        return [] if self.refusal else ops


def _as_shown(around: Surroundings, placeholders: Placeholders | None) -> Surroundings:
    """Return the lines outside the scope as the model was shown them, with their secrets masked."""
    if placeholders is None:
        return around
    return replace(
        around,
        above=[*around.above[:-_NEAR_LINES], *_masked(around.above[-_NEAR_LINES:], placeholders)],
        below=[*_masked(around.below[:_NEAR_LINES], placeholders), *around.below[_NEAR_LINES:]],
    )


def _masked(lines: Sequence[str], placeholders: Placeholders) -> Sequence[str]:
    text = "\n".join(lines)
    masked = placeholders.mask(text)
    return lines if masked == text else masked.split("\n")


def _as_answered(around: Surroundings, old: Sequence[str]) -> Surroundings:
    """Return the lines outside the scope as they come in an answer that repeats them."""
    if _is_plain(around.above) and _is_plain(around.below):
        return around
    hidden = HiddenOutput(old)  # not the one that counts what answers hide
    return replace(
        around,
        above=[hidden.clean_line(line) for line in around.above],
        below=[hidden.clean_line(line) for line in around.below],
    )


def _is_plain(lines: Sequence[str]) -> bool:
    """Whether nothing can be hidden in a text: a look at all of it at once, since most documents are so."""
    text = "".join(lines).replace("\t", "")
    return text.isascii() and text.isprintable()
