"""A client that holds documents like an editor: it applies every edit, sends the change, then answers.

It supports ``twospeed/applyEdit``, and ``workspace/applyEdit`` of any server.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from time import perf_counter
from typing import Any

from benchmarks.client import Client


@dataclass(frozen=True)
class Arrival:
    """One message with edits.

    Attributes:
        at: When they were in the document, by the monotonic clock.
        edits: As received.
        n_bytes: Bytes of the whole message, without its header.
    """

    at: float
    edits: list[dict[str, Any]]
    n_bytes: int


class Text:
    """A document's text, in lines ended by line feeds; a position's character counts ASCII."""

    def __init__(self, text: str) -> None:
        self.lines = text.split("\n")

    def apply(self, edits: Sequence[dict[str, Any]]) -> list[str]:
        """Apply sorted, disjoint edits; return the lines that they wrote or changed."""
        touched: list[str] = []
        above = (len(self.lines), 0)
        for edit in reversed(edits):
            start, end = (
                (place["line"], place["character"])
                for place in (edit["range"]["start"], edit["range"]["end"])
            )
            assert start <= end <= above, "edits must be sorted and disjoint"
            above = start
            written = self.lines[start[0]][: start[1]] + edit["newText"] + self.lines[end[0]][end[1] :]
            self.lines[start[0] : end[0] + 1] = lines = written.split("\n")
            touched += lines
        return touched


class Editor(Client):
    """One connection.

    Attributes:
        texts: The open documents, by URI.
        arrivals: The messages for each document.
        n_bytes: Bytes of all received messages.
    """

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        super().__init__(process)
        self.texts: dict[str, Text] = {}
        self.arrivals: dict[str, list[Arrival]] = {}
        self.n_bytes = 0

    def open_text(self, text: str, uri: str) -> None:
        """Open a document."""
        self.texts[uri], self.arrivals[uri] = Text(text), []
        self.open_document(text, uri)

    def _receive(self, message: dict[str, Any], n_bytes: int) -> None:
        self.n_bytes += n_bytes
        match message.get("method"):
            case "twospeed/applyEdit":
                change = message["params"]
            case "workspace/applyEdit":
                (change,) = message["params"]["edit"]["documentChanges"]
            case _:
                super()._receive(message, n_bytes)
                return
        uri, version = change["textDocument"]["uri"], change["textDocument"]["version"]
        is_current = version == self._versions[uri]
        if is_current:
            self._take(uri, change["edits"], n_bytes)
        self._send({"id": message["id"], "result": {"applied": is_current, "version": self._versions[uri]}})

    def _take(self, uri: str, edits: list[dict[str, Any]], n_bytes: int) -> None:
        self.texts[uri].apply(edits)
        self.arrivals[uri].append(Arrival(perf_counter(), edits, n_bytes))
        if edits:
            changes = [{"range": edit["range"], "text": edit["newText"]} for edit in reversed(edits)]
            self.change_document(changes, uri)
