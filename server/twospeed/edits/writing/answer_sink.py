"""Where the ops of an answer go: the document, the model's view of the scope, and partial results."""

from __future__ import annotations

from collections.abc import Sequence

from twospeed.edits.inline_edit import InlineEdit
from twospeed.stream.ops import Op
from twospeed.text.edits import TextEdit

from .answer_applier import AnswerApplier
from .scope_view import AnswerView


class AnswerSink:
    """Passes the ops of one edit's answers on.

    Args:
        edit: The edit.
        applier: Brings them into the document.

    Attributes:
        ops: Those of the current answer.
    """

    def __init__(self, edit: InlineEdit, applier: AnswerApplier) -> None:
        self.ops: list[Op] = []
        self._edit = edit
        self._applier = applier
        self._view: AnswerView | None = None
        self._n_partials = 0

    @property
    def view(self) -> AnswerView | None:
        """The model's view of the scope; ``None`` before the first answer."""
        return self._view

    @property
    def lines(self) -> Sequence[str]:
        """The scope's lines with the current answer; empty before the first one."""
        return self._view.lines if self._view else ()

    def begin(self, old_lines: Sequence[str]) -> None:
        """Begin an answer on these lines; partial results of an earlier one are reverted."""
        document = self._edit.request.document
        self.ops = []
        if self._view is None:
            self._view = AnswerView(document, old_lines)
        else:
            self._report(self._view.restart(document, old_lines))

    def receive_ops(self, ops: Sequence[Op]) -> None:
        """Pass ops on; the document gets them as soon as the edit's style allows."""
        if not ops:
            return
        assert self._view
        self.ops += ops
        self._edit.live.receive_ops(ops)
        self._view.receive_ops(ops)
        if self._edit.partials:
            self._report(self._view.take_edits())
        self._applier.flush_soon()

    async def finish(self) -> AnswerView:
        """Perform all ops, and bring them into the document if the edit streams; return the finished view."""
        assert self._view
        self._edit.live.end_writing()
        await self._view.perform_all()
        await self._applier.flush()
        return self._view

    def _report(self, edits: Sequence[TextEdit]) -> None:
        if self._edit.partials and edits:
            self._n_partials += 1
            self._edit.partials.edits(self._n_partials, list(edits))
