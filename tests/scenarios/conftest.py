"""Two editors with the same document open: a stock LSP editor, and one that streams edits."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest
from tests.scenarios.editor import STREAMING, Editor
from tests.scenarios.shop import TEXT


@pytest.fixture
async def editor() -> AsyncIterator[Editor]:
    """A stock editor."""
    async with await Editor.started() as editor:
        editor.open(TEXT)
        yield editor


@pytest.fixture
async def streaming() -> AsyncIterator[Editor]:
    """An editor that announced ``twospeed/applyEdit`` and events."""
    async with await Editor.started(STREAMING) as editor:
        editor.open(TEXT)
        yield editor
