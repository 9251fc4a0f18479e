"""Batches of line edits reach a document in a client we do not control, one at a time.

``DocumentChannel`` holds the document as the client last told it, sends one batch at a time at an exact version, and
tells the client's own typing from the echo of what was sent. ``Pump`` keeps batches flowing while a stream runs.
`habits` says what is known of the editor, and what follows from it. Not here: what is in a batch (`stream`), which LSP message carries it (`lsp`).
"""

from .building import Built
from .channel import DocumentChannel
from .client import Answer, Batch, EditClient, Follower, Shipment
from .habits import Habits, Style, habits_of, style_for
from .pump import Pump

__all__ = [
    "Answer",
    "Batch",
    "Built",
    "DocumentChannel",
    "EditClient",
    "Follower",
    "Habits",
    "Pump",
    "Shipment",
    "Style",
    "habits_of",
    "style_for",
]
