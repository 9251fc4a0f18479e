"""The model's own view of a scope: the old text becoming the answer, without what the user types meanwhile."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property

from twospeed.stream import LiveScope, ScopeBatch
from twospeed.stream.ops import Op
from twospeed.text.document import Document, trimmed_splice
from twospeed.text.edits import LineEdit, TextEdit
from twospeed.text.line_blocks import Lines

MAX_OPS = 2_000
"""Ops that are performed in one step where many wait; each takes some 5 µs."""


class AnswerView:
    """Turns ops into edits of the scope's text alone.

    Ops are performed only when the result is read: most edits are followed in the document, and this is read once, at the end.

    Args:
        document: The document; only its encoding and line end matter.
        lines: The scope's lines, with their line ends.
    """

    def __init__(self, document: Document, lines: Sequence[str]) -> None:
        self._document = document
        self._old = lines
        self._ops: list[Op] = []

    @property
    def lines(self) -> tuple[str, ...]:
        """The scope's lines as they read after every op so far."""
        self._perform()
        return self._text.lines[: self._scope.end]

    def restart(self, document: Document, lines: Sequence[str]) -> list[TextEdit]:
        """Take other lines for the old ones; return the edits that turn the text as it reads into them."""
        self._perform()
        old, new = self._text.lines, AnswerView(document, lines)
        splice = trimmed_splice(old, new._text.lines, 0)
        edits = self._text.text_edits([LineEdit(splice.start, splice.count, splice.lines)] if splice else [])
        self._text, self._scope = new._text, new._scope
        return edits

    async def perform_all(self) -> None:
        """Perform what is queued, in steps of bounded length."""
        for _ in range(0, len(self._ops), MAX_OPS):
            waiting, self._ops = self._ops[MAX_OPS:], self._ops[:MAX_OPS]
            self._perform()
            self._ops = waiting
            if waiting:
                await asyncio.sleep(0)

    def receive_ops(self, ops: Sequence[Op]) -> None:
        """Queue ops."""
        self._ops += ops

    def take_edits(self) -> list[TextEdit]:
        """Perform what is queued; return the edits it makes, in positions of the scope's text before them."""
        before = self._text
        batch = self._perform()
        return before.text_edits(batch.edits) if batch else []

    def _perform(self) -> ScopeBatch | None:
        self._scope.receive_ops(self._ops)
        self._ops.clear()
        batch = self._scope.next_batch()
        if batch is not None:
            self._text = self._text.with_edits(batch.edits)
            self._scope.commit(batch)
        return batch

    @cached_property
    def _text(self) -> Document:
        ends_whole = not self._old or self._old[-1].endswith(("\n", "\r"))
        return replace(self._document, lines=Lines.of((*self._old, "") if ends_whole else self._old))

    @cached_property
    def _scope(self) -> LiveScope:
        return LiveScope(self._old, 0)
