"""Turn chunks of answer text into ops against the old lines.

Laws: the ops do not depend on the chunks; after every op ``scope == NEW[:j] ++ OLD[i:]``; an answer equal to
the old text gives only ``Keep``; after a refusal no op is returned.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Literal

from twospeed.secrets.placeholders import Placeholders

from .aligner import Aligner
from .answer_lines import AnswerEnd, LineSplitter
from .answers import (
    AnswerReader,
    ElisionCheck,
    ImportSeparator,
    Refusal,
    Surroundings,
    only_block,
    whole_code,
)
from .answers.old_form import OldForm
from .hidden_output import HiddenOutput
from .ops import Op
from .restored_secrets import SecretRestorer

CHARS_PER_OLD_CHAR = 4
FREE_CHARS = 256 * 1024
"""Size limit of an answer: ``CHARS_PER_OLD_CHAR`` characters for each one of the scope, plus ``FREE_CHARS``.

Code, prose, reasoning and line ends all count. The limits are far above any correct answer.
"""

_NEAR_LINES = 2000
"""Lines on each side of the scope whose secrets are masked; prompts show fewer of most files."""

_TOO_LARGE = Refusal("growth", "the answer is far too large for an edit of these lines")
_CUT_OFF = {
    "length": Refusal("truncated", "the model reached its output limit before the end of the answer"),
    "content_filter": Refusal("declined", "the provider's content filter stopped the answer"),
    "refusal": Refusal("declined", "the model declined to answer"),
}


class EditStream:
    """One answer against one scope, whose old lines have no line ends."""

    def __init__(
        self, old: Sequence[str], surroundings: Surroundings, placeholders: Placeholders | None = None
    ) -> None:
        self._chars_left = CHARS_PER_OLD_CHAR * sum(len(line) + 1 for line in old) + FREE_CHARS
        self._splitter = LineSplitter()
        self._end = AnswerEnd(old)
        self._secrets = SecretRestorer(placeholders, old)
        self._hidden = HiddenOutput(old)
        around = _cleaned(_with_masked_secrets(surroundings, placeholders), old)
        self._reader = AnswerReader(old, around)
        self._separator = ImportSeparator.of(old, around)
        self._form = OldForm(old, surroundings)
        self._aligner = Aligner(old)
        self._elision = ElisionCheck(old, surroundings.comment_markers, surroundings.instruction)
        self._answer_lines: list[str] = []
        self._new_lines: list[str] = []

    @property
    def refusal(self) -> Refusal | None:
        """Why the answer cannot be used; changes already applied must be reverted."""
        return self._reader.refusal or self._elision.refusal or self._secrets.refusal

    @property
    def dropped(self) -> Mapping[str, int]:
        """Count of each hidden character that was removed from the answer."""
        return self._hidden.dropped

    @property
    def prose(self) -> Sequence[str]:
        """The answer's lines around its code; complete after `finish`."""
        is_alone = self._separator and self._separator.is_alone
        return self._separator.passed if self._separator and is_alone else self._reader.prose

    @property
    def imports(self) -> Sequence[str]:
        """The import lines that the answer has for the file, as written; complete after `finish`.

        Empty unless ``Surroundings.imports`` says that such imports do not belong to the scope. Statements that the
        document has above the scope are left out.
        """
        statements = (*(self._separator.statements if self._separator else ()), *self._reader.imports)
        return [line for statement in dict.fromkeys(statements) for line in statement]

    @property
    def is_unclosed(self) -> bool:
        """Whether the code is in the requested fence, which is not closed: lines may be missing."""
        return self._reader.is_unclosed or bool(self._separator and self._separator.is_unclosed)

    @property
    def answer(self) -> Sequence[str]:
        """The new lines of the scope, or an unreadable answer's only block or whole text, without `imports`; see `finish`."""
        if not self._reader.refusal:
            return self._new_lines
        return only_block(self._separator.passed if self._separator else self._answer_lines)

    def whole_code(self, *, complete_if_it_parses: bool) -> Sequence[str]:
        """Return the answer's code without `imports`, or nothing if it may be cut off; call it after `finish`.

        ``complete_if_it_parses`` is for languages whose blocks end with a bracket: there cut-off code does not parse.
        """
        lines = self._separator.passed if self._separator else self._answer_lines
        return whole_code(lines, complete_if_it_parses=complete_if_it_parses)

    def receive_text(self, text: str) -> list[Op]:
        """Return the ops that are certain after one more chunk."""
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
        kept, self._chars_left = text[: self._chars_left], 0
        self._read(self._splitter.receive_text(kept))
        if not self.refusal:
            self._reader.refusal = _TOO_LARGE
        return []

    def finish(
        self, reason: Literal["stop", "length", "content_filter", "refusal"], message: str = ""
    ) -> list[Op]:
        """Return the last ops; none after a refusal, or if ``reason`` is not ``stop``.

        ``message`` is the model's own instead of an answer.
        """
        if reason != "stop":
            cut = _CUT_OFF[reason]
            self._reader.refusal = Refusal(cut.code, message or cut.message)
            return []
        self._read(self._splitter.finish())
        self._read_certain(self._end.finish())
        if self._separator:
            for line in self._separator.finish():
                self._read_scope(line)
        if self._separator and self._separator.is_alone and not self.refusal:
            self._align(self._separator.scope)  # the scope is unchanged
        else:
            self._finish_scope()
        return self._take_ops()

    def _finish_scope(self) -> None:
        self._align(self._reader.finish())
        if not self.refusal:
            self._align(self._reader.trailing_blank())
            self._aligner.finish()
            self._elision.finish(is_patch=self._reader.is_patch)
            self._secrets.finish()

    def _read(self, lines: Sequence[str]) -> None:
        for line in lines:
            self._read_certain(self._end.receive_line(line))

    def _read_certain(self, lines: Sequence[str]) -> None:
        # Secrets are restored first, so that the later stages compare old lines with old lines.
        for answered in lines:
            restored = self._secrets.restore_line(answered)
            if restored[0] is not answered:  # a secret may be far longer than its placeholder
                self._chars_left -= sum(map(len, restored)) - len(answered)
                if self._chars_left < 0:
                    self._reader.refusal = self._reader.refusal or _TOO_LARGE
                    return
            for line in restored:
                clean = self._hidden.clean_line(line)
                self._answer_lines.append(clean)
                for certain in self._separator.receive_line(clean) if self._separator else (clean,):
                    self._read_scope(certain)

    def _read_scope(self, line: str) -> None:
        if not self._reader.refusal:  # after a refusal, text is only kept for the user
            self._align(self._reader.receive_line(line))

    def _align(self, lines: Sequence[str]) -> None:
        for answered in lines:
            line = self._form.receive_line(answered)
            self._new_lines.append(line)
            self._secrets.receive_line(line)
            self._aligner.receive_line(line)
            self._elision.receive_line(line)

    def _take_ops(self) -> list[Op]:
        ops = self._aligner.take_ops()
        return [] if self.refusal else ops


def _with_masked_secrets(around: Surroundings, placeholders: Placeholders | None) -> Surroundings:
    # The prompt has these lines with masked secrets, and so has an answer that repeats them.
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


def _cleaned(around: Surroundings, old: Sequence[str]) -> Surroundings:
    if _is_plain(around.above) and _is_plain(around.below):
        return around
    hidden = HiddenOutput(old)  # not the answer's, because `dropped` counts only characters of the answer
    return replace(
        around,
        above=[hidden.clean_line(line) for line in around.above],
        below=[hidden.clean_line(line) for line in around.below],
    )


def _is_plain(lines: Sequence[str]) -> bool:
    text = "".join(lines).replace("\t", "")
    return text.isascii() and text.isprintable()
