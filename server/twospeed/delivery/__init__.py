"""Batches of line edits reach a document in a client we do not control, one at a time.

``DocumentChannel`` holds the document as the client last told it, sends one batch at a time at an exact version, and
tells the client's own typing from the echo of what was sent. ``FlushLoop`` keeps batches flowing while a stream runs.
`behavior` says what is known of the editor, and what follows from it. Not here: what is in a batch (`stream`), which LSP message carries it (`lsp`).
"""

from .building import Built, build_of_all
from .channel import DocumentChannel
from .client import ApplyEditRequest, ApplyEditResult, EditBatch, EditClient, Follower
from .client_table import ClientBehavior, Style, behavior_of, style_for
from .edit_delivery import EditDelivery
from .flush_loop import FlushLoop
from .undo_step import UndoStep

__all__ = [
    "ApplyEditRequest",
    "ApplyEditResult",
    "Built",
    "ClientBehavior",
    "DocumentChannel",
    "EditBatch",
    "EditClient",
    "EditDelivery",
    "FlushLoop",
    "Follower",
    "Style",
    "UndoStep",
    "behavior_of",
    "build_of_all",
    "style_for",
]
