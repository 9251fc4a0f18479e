"""Endings of an edit, and the ending that belongs to an error."""

from __future__ import annotations

import asyncio
import logging

from twospeed.edits.reasons import reason_of
from twospeed.edits.values import Ending, Reason
from twospeed.errors import EditUnconfirmed, OwnKeyInPrompt, TwospeedError

from .repair import Repair

logger = logging.getLogger(__name__)

CANCELLED = Ending("cancelled", Reason("cancelled", "the edit was cancelled"))
UNDONE = Ending("cancelled", Reason("cancelled", "you undid the edit while it was being written"))
CLOSED = Ending("cancelled", Reason("closed", "the document was closed"))
SHUT_DOWN = Ending("cancelled", Reason("shutdown", "the editor shut twospeed down"))

NOT_REVERTED = Ending(
    "conflict",
    Reason("unconfirmed", "the editor did not restore the old text; the text is left as it is"),
)

BOUNDARY = Ending("conflict", Reason("boundary", "you typed across the edge of the lines being edited"))

TYPED = Reason("cancelled", "you typed in the lines while lightning answered again")

CHANGED = Ending(
    "conflict", Reason("boundary", "the lines of that answer have changed since it was requested")
)


def ending_of(writing: asyncio.Task[Ending | Repair]) -> Ending | Repair:
    """Return the result of an attempt; a cancelled or failed one becomes an ending."""
    if writing.cancelled():
        return CANCELLED
    error = writing.exception()
    if error is None:
        return writing.result()
    if isinstance(error, EditUnconfirmed):
        return Ending("conflict", reason_of(error))
    if isinstance(error, OwnKeyInPrompt):
        return Ending("refused", reason_of(error))
    if not isinstance(error, TwospeedError):
        logger.error("an edit failed", exc_info=error)
    return Ending("failed", reason_of(error))
