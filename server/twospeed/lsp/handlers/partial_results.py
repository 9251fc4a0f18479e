"""Partial results of an edit, as ``$/progress`` on the token the client chose."""

from __future__ import annotations

from typing import Any

from twospeed.edits.values import PlacedScope
from twospeed.lsp.client.editor_client import EditorClient
from twospeed.lsp.wire.convert import plain_edits, scope_to
from twospeed.routing import Mode
from twospeed.text.edits import TextEdit
from twospeed_protocol import messages as wire


class PartialReporter:
    """Implements `edits.values.PartialSink` for one request."""

    def __init__(self, client: EditorClient, token: wire.Token) -> None:
        self._client = client
        self._token = token

    @classmethod
    def to(cls, client: EditorClient, token: wire.Token | None) -> PartialReporter | None:
        """Return a reporter if the client sent a token for partial results."""
        return None if token is None else cls(client, token)

    def started(self, edit_id: str, mode: Mode, provider: str, model: str, scope: PlacedScope) -> None:
        """See `PartialSink`."""
        part = wire.StartedPart(
            edit_id=edit_id, mode=mode, provider=provider, model=model, scope=scope_to(scope)
        )
        self._report(part.to_json())

    def reasoning(self, text: str) -> None:
        """See `PartialSink`."""
        self._report(wire.ReasoningPart(text=text).to_json())

    def edits(self, seq: int, edits: list[TextEdit]) -> None:
        """See `PartialSink`."""
        self._report({"type": "edits", "seq": seq, "edits": plain_edits(edits)})  # `wire.EditsPart`

    def _report(self, value: dict[str, Any]) -> None:
        self._client.notify("$/progress", {"token": self._token, "value": value})
