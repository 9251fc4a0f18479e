"""What is between us and the document: a shipment that is on its way, an offer that lies there for the user to take."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from twospeed.text.document import Document, Splice
from twospeed.text.edits import LineEdit
from twospeed.text.line_blocks import Lines

from .client import Batch, Follower


@dataclass(slots=True)
class Flight:
    """A shipment the client has not shown yet.

    ``splices`` are the changes that arrived meanwhile and may be the echo of it; ``newcomers`` follow since then, and
    are told everything as it comes.
    """

    base: Document
    edits: Sequence[LineEdit]
    owner: Follower
    commit: Callable[[], None]
    splices: list[Splice] = field(default_factory=list)
    newcomers: list[Follower] = field(default_factory=list)
    is_answered: bool = False
    is_shown: bool = False
    expected: Lines = field(init=False)

    def __post_init__(self) -> None:
        self.expected = self.base.with_edits(self.edits).lines


@dataclass(slots=True, eq=False)
class Offer:
    """Edits that wait until the user has the editor apply them."""

    owner: Follower
    build: Callable[[], Batch | None]
    commit: Callable[[Batch], None]
    taken: asyncio.Future[None]

    def fail(self, error: Exception) -> None:
        """Tell who waits for it that it will not be taken; without effect once it was."""
        if not self.taken.done():
            self.taken.set_exception(error)
