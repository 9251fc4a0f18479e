"""The answer as the model wrote it, without typing; and the sink that passes ops to document and view."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cached_property

from twospeed.stream.ops import Op
from twospeed.text.document import Document, trimmed_splice
from twospeed.text.edits import LineEdit, TextEdit
from twospeed.text.line_blocks import Lines

from .batches import ScopeBatch
from .live_scope import LiveScope

MAX_OPS = 2_000
"""Ops that `AnswerView.perform_some` performs; each takes some 5 µs."""


class AnswerView:
    """Turns ops into edits of the scope's text alone.

    Ops are performed when the result is read: most answers are read once, at their end.

    Args:
        document: The document; only its encoding and line end matter.
        lines: The scope's lines, with their line ends.

    Attributes:
        ops: All ops so far.
    """

    def __init__(self, document: Document, lines: Sequence[str]) -> None:
        self.ops: list[Op] = []
        self._document = document
        self._old = lines
        self._n_performed = 0

    @property
    def lines(self) -> tuple[str, ...]:
        """The scope's lines after all ops so far. Reading them performs the queued ops; see `MAX_OPS` for the cost."""
        self._perform(len(self.ops))
        return self._text.lines[: self._scope.end]

    def receive_ops(self, ops: Sequence[Op]) -> None:
        """Queue ops."""
        self.ops += ops

    def perform_some(self) -> bool:
        """Perform at most `MAX_OPS` queued ops; return whether more are queued."""
        self._perform(min(len(self.ops), self._n_performed + MAX_OPS))
        return self._n_performed < len(self.ops)

    def with_other_answer(self, ops: Sequence[Op]) -> AnswerView:
        """Return the view of another answer against the same old lines."""
        other = AnswerView(self._document, self._old)
        other.receive_ops(ops)
        return other

    def take_edits(self) -> list[TextEdit]:
        """Perform the queued ops; return their edits, in positions of the scope's text before them."""
        before = self._text
        batch = self._perform(len(self.ops))
        return before.text_edits(batch.edits) if batch else []

    def edits_to(self, other: AnswerView) -> list[TextEdit]:
        """Return the edits that turn the text so far into that of another view."""
        old, new = self._document_now.lines, other._document_now.lines
        splice = trimmed_splice(old, new, 0)
        return self._text.text_edits([LineEdit(splice.start, splice.count, splice.lines)] if splice else [])

    @property
    def _document_now(self) -> Document:
        self._perform(len(self.ops))
        return self._text

    def _perform(self, n_ops: int) -> ScopeBatch | None:
        self._scope.receive_ops(self.ops[self._n_performed : n_ops])
        self._n_performed = n_ops
        batch = self._scope.next_batch()
        if batch is not None:
            self._text = self._text.with_edits(batch.edits)
            self._scope.commit(batch)
        return batch

    @cached_property
    def _text(self) -> Document:
        # A document's last line has no line end: after a scope whose last line has one, it is an empty line.
        has_final_eol = not self._old or self._old[-1].endswith(("\n", "\r"))
        return replace(self._document, lines=Lines.of((*self._old, "") if has_final_eol else self._old))

    @cached_property
    def _scope(self) -> LiveScope:
        return LiveScope(self._old, 0)


class AnswerSink:
    """Passes the ops of an edit's answers to its live scope and its view.

    Args:
        flush_soon: Called when the live scope has received ops; ``None`` if the edit does not stream.
        report: Receives the number and the edits of each change of the view; ``None`` if the client does not want them.

    Attributes:
        view: The view of the current answer; ``None`` before the first one.
    """

    _live: LiveScope  # set by `begin`

    def __init__(
        self,
        flush_soon: Callable[[], None] | None,
        report: Callable[[int, list[TextEdit]], None] | None,
    ) -> None:
        self.view: AnswerView | None = None
        self._flush_soon = flush_soon
        self._report = report
        self._n_reports = 0

    @property
    def lines(self) -> Sequence[str]:
        """The scope's lines with the current answer; empty before the first one."""
        return self.view.lines if self.view else ()

    def begin(self, document: Document, old_lines: Sequence[str], live: LiveScope) -> None:
        """Begin an answer on these lines; the reported edits of an earlier one are reverted."""
        earlier, self.view = self.view, AnswerView(document, old_lines)
        self._live = live
        if earlier:
            self._report_edits(earlier.edits_to(self.view))

    def receive_ops(self, ops: Sequence[Op]) -> None:
        """Receive ops; the document receives them as soon as the client is ready.

        Raises:
            DeliveryError: An earlier part of the answer was not applied.
        """
        assert self.view
        self._live.receive_ops(ops)
        self.view.receive_ops(ops)
        if self._report:
            self._report_edits(self.view.take_edits())
        if self._flush_soon:
            self._flush_soon()

    def replace_answer(self, ops: Sequence[Op]) -> AnswerView:
        """Replace the complete answer by another form of it, against the same old lines; call it after `finish`.

        Return the view of the answer, which stays if the user has typed in it.
        """
        assert self.view
        if self._live.replace_answer(ops):
            earlier, self.view = self.view, self.view.with_other_answer(ops)
            self._report_edits(earlier.edits_to(self.view))
        return self.view

    def finish(self) -> AnswerView:
        """End the ops of the current answer; return its view."""
        assert self.view
        self._live.end_writing()
        return self.view

    def _report_edits(self, edits: list[TextEdit]) -> None:
        if self._report and edits:
            self._n_reports += 1
            self._report(self._n_reports, edits)
