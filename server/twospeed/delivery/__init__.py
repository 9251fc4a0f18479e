"""Batches of line edits reach a document in a client we do not control, one at a time.

``DocumentChannel`` holds the document as the client last told it, sends one batch at a time at an exact version, and
tells the client's own typing from the echo of what was sent. ``Pump`` keeps batches flowing while a stream runs.
Not here: what is in a batch (`stream`), which LSP message carries it (`lsp`).
"""

from .channel import DocumentChannel
from .client import Answer, Batch, EditClient, Follower, Shipment
from .pump import Pump

__all__ = ["Answer", "Batch", "DocumentChannel", "EditClient", "Follower", "Pump", "Shipment"]
