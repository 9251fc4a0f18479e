"""The ops of an answer that wait until a batch of edits is built from them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

from twospeed.stream.ops import Keep, Op, keeps


@dataclass(slots=True)
class WaitingOps:
    """The ops that wait for a batch.

    Attributes:
        ops: The ops.
        kept: The keep after them; a keep alone makes no batch.
        replaces: Whether they are another form of the answer, or another answer, in place of the written one.
    """

    ops: list[Op] = field(default_factory=list)
    kept: Keep | None = None
    replaces: Literal["no", "if untouched", "always"] = "no"

    def copy(self) -> WaitingOps:
        """Return a copy for another thread."""
        return WaitingOps(self.ops.copy(), self.kept, self.replaces)

    def receive(self, ops: Sequence[Op]) -> None:
        """Queue ops of the aligner."""
        for op in ops:
            if isinstance(op, Keep):
                self.kept = op
                continue
            self.queue_kept()
            self.ops.append(op)

    def queue_kept(self) -> None:
        """Queue the keep after the ops too."""
        if self.kept:
            self.ops.append(self.kept)
            self.kept = None

    def drop_unkept(self) -> None:
        """Drop the ops after the last one that keeps an old line."""
        self.queue_kept()
        while self.ops and not keeps(self.ops[-1]):
            self.ops.pop()
