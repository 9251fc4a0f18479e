"""References of a name, which the client requests from its other language servers."""

from __future__ import annotations

from collections.abc import Callable
from collections.abc import Set as AbstractSet
from functools import partial
from typing import TYPE_CHECKING

from pydantic import ValidationError

from twospeed.aio import in_thread
from twospeed.lsp.wire.error_codes import RpcError
from twospeed.text.document import Document
from twospeed.text.positions import Position
from twospeed_protocol import messages as wire
from twospeed_protocol import methods

from .editor_client import EditorClient

if TYPE_CHECKING:  # imported by the first edit
    from twospeed.workspace.call_search import Reference

REFERENCES_S = 5.0
"""Seconds for all references of a name: a language server that has read its project responds within one."""

MAX_REFERENCES = 2_000
"""Items of an answer that are read, in 10 ms. A search finds at most 100 uncertain places."""


async def references_of(
    client: EditorClient, document: Document, line: int, column: int, *, path_of: Callable[[str], str | None]
) -> AbstractSet[Reference]:
    """Return the references of the name at a place of a document; empty without an answer.

    Args:
        client: Receives the request if it announced ``twospeed/references``.
        document: The current version of a document.
        line: Counted from 0.
        column: In code points.
        path_of: Returns the path of a URI, or ``None`` for what is no file of the workspace.
    """
    if not client.profile.finds_references:
        return frozenset()
    at = document.position(line, column)
    params = wire.ReferencesParams(
        text_document=wire.VersionedDocument(uri=document.uri, version=document.version),
        position=wire.Position(line=at.line, character=at.character),
    )
    try:
        answer = await client.request(methods.REFERENCES, params.to_json(), limit_s=REFERENCES_S)
    except (RpcError, TimeoutError):
        return frozenset()
    return await in_thread(partial(_references_in, answer, path_of))


def _references_in(answer: object, path_of: Callable[[str], str | None]) -> AbstractSet[Reference]:
    """Read a ``Location[]``; what is invalid or no file of the workspace is left out."""
    found: set[Reference] = set()
    for item in answer[:MAX_REFERENCES] if isinstance(answer, list) else ():
        try:
            location = wire.Location.model_validate(item)
        except ValidationError:
            continue
        if path := path_of(location.uri):
            start = location.range.start
            found.add((path, Position(start.line, start.character)))
    return found
