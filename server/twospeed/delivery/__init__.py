"""Send batches of line edits to the client, one at a time, and recognize them in the document.

`DocumentChannel` holds the document as last reported, distinguishes typing from our edits, and sends batches. `EditDelivery`
builds and orders the batches of one edit. Not here: the contents of a batch (`stream`), LSP messages (`lsp`).
"""

from .building import BatchT, MaybeAwaitable, build_of_all
from .channel import DocumentChannel
from .client import ApplyEditRequest, ApplyEditResult, EditBatch, EditClient, Follower, Owner
from .client_table import ClientBehavior, Style, behavior_of, style_for
from .edit_delivery import EditDelivery, UndoStep
from .flush_loop import FlushLoop

__all__ = [
    "ApplyEditRequest",
    "ApplyEditResult",
    "BatchT",
    "ClientBehavior",
    "DocumentChannel",
    "EditBatch",
    "EditClient",
    "EditDelivery",
    "FlushLoop",
    "Follower",
    "MaybeAwaitable",
    "Owner",
    "Style",
    "UndoStep",
    "behavior_of",
    "build_of_all",
    "style_for",
]
