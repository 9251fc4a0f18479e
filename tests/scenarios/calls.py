"""A function whose signature an edit changes, a model that updates its calls, and what the tests wait for."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlparse

from tests.scenarios.editor import URI, Editor, place_range

from twospeed.models.base import Finished, ModelEvent, ModelRequest, TextDelta

HEAD = "def total(items):\n    return sum(items)\n"
NEW_HEAD = "def total(items, tax):\n    return sum(items) * tax\n"
CALLS = "\n\ndef show():\n    print(total([1]))\n\n\ndef more():\n    print('more')\n    return total([2])\n"
TEXT = HEAD + CALLS
UPDATED = NEW_HEAD + CALLS.replace("])", "], 1)")


class Taxing:
    """A model that adds a parameter to a function, and an argument to its calls."""

    provider, name = "lab", "m"

    def __init__(self, head: str = NEW_HEAD) -> None:
        self.head = head
        self.requests: list[ModelRequest] = []

    async def stream(self, request: ModelRequest) -> AsyncIterator[ModelEvent]:
        self.requests.append(request)
        scope = request.task.scope_text
        answer = self.head if "def total" in scope else scope.replace("])", "], 1)")
        if "sum_all" in self.head and "def total" not in scope:
            answer = scope.replace("total", "sum_all")
        yield TextDelta(answer)
        yield Finished("stop")

    async def aclose(self) -> None:
        pass


async def opened(
    kind: Any, head: str = NEW_HEAD, *, text: str = TEXT, root: Path | None = None
) -> tuple[Editor, Taxing]:
    editor = await Editor.started(
        kind, root=root.as_uri() if root else None, options={"ignore": ["credentials.py"]}
    )
    model = Taxing(head)
    editor.open(text, uri=uri_in(root))
    editor.serve(model)  # type: ignore[arg-type]  # as far as edits use it
    return editor, model


def uri_in(root: Path | None, name: str = "prices.py") -> str:
    return (root / name).as_uri() if root else URI


def open_from_disk(editor: Editor, uri: str) -> dict[str, object]:
    """Open a file as its text is on disk; return the result of ``twospeed/openDocument``."""
    editor.open(Path(unquote(urlparse(uri).path)).read_text(), uri=uri)
    return {}


async def finished(editor: Editor, n: int) -> None:
    """Wait until so many edits are in review."""
    async with asyncio.timeout(60):
        while True:
            status = await editor.request("twospeed/status", {})
            if [each["state"] for each in status["edits"]].count("review") == n:
                return
            await asyncio.sleep(0.01)


async def offers(editor: Editor, uri: str = URI) -> list[str]:
    params = {"textDocument": {"uri": uri}, "range": place_range(0, 0, 1, 0), "context": {"diagnostics": []}}
    actions = await editor.request("textDocument/codeAction", params)
    return [each["title"] for each in actions if "callers" in each["title"]]


async def offered(editor: Editor, uri: str = URI) -> list[str]:
    """Wait for an offer."""
    async with asyncio.timeout(60):
        while not (found := await offers(editor, uri)):  # noqa: ASYNC110 - a search has no event for this
            await asyncio.sleep(0.01)
    return found
