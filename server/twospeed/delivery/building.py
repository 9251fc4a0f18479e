"""Build a batch for a document that may change while it is built."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TypeAlias, TypeVar

from twospeed.text.document import Document

from .client import EditBatch

BatchT = TypeVar("BatchT", bound=EditBatch)
Built: TypeAlias = BatchT | Awaitable[BatchT | None] | None
"""A batch, ``None`` where there is nothing to do, or one of both to wait for where building takes long."""


async def built(build: Callable[[], Built[BatchT]], seen: Callable[[], Document]) -> BatchT | None:
    """Build a batch, again where the document has changed meanwhile.

    Args:
        build: Builds the batch against the document as it stands.
        seen: Returns the document as it stands.

    Returns:
        The batch against the document as it stands now.
    """
    while True:
        document, batch = seen(), build()
        if not isinstance(batch, Awaitable):
            return batch
        result = await batch
        if seen() is document:
            return result
