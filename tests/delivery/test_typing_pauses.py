"""The channel waits for a pause in typing, and the next message ends the wait."""

from __future__ import annotations

import asyncio

import pytest

from twospeed.delivery import document_events
from twospeed.delivery.document_events import DocumentEvents


async def test_a_document_that_was_never_typed_in_is_not_being_typed_in() -> None:
    messages = DocumentEvents()
    assert await messages.typing() is False
    messages.come(is_typed=False)
    assert await messages.typing() is False


async def test_the_message_after_typing_says_that_typing_continues() -> None:
    messages = DocumentEvents()
    messages.come(is_typed=True)
    waiting = asyncio.create_task(messages.typing())
    await asyncio.sleep(0)
    assert not waiting.done()
    messages.come(is_typed=True)
    assert await waiting is True


async def test_the_pause_after_the_last_key_ends_the_typing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(document_events, "QUIET_S", 0.001)
    messages = DocumentEvents()
    messages.come(is_typed=True)
    assert await messages.typing() is True
    assert await messages.typing() is False


async def test_a_message_that_came_before_the_wait_does_not_end_it() -> None:
    messages = DocumentEvents()
    messages.come(is_typed=False)
    loop = asyncio.get_running_loop()
    assert await messages.before(loop.time()) is False
    waiting = asyncio.create_task(messages.before(loop.time() + 60))
    await asyncio.sleep(0)
    messages.come(is_typed=False)
    assert await waiting is True


async def test_the_pause_is_over_in_the_moment_it_has_lasted(monkeypatch: pytest.MonkeyPatch) -> None:
    loop = asyncio.get_running_loop()
    now = loop.time()
    messages = DocumentEvents()
    monkeypatch.setattr(loop, "time", lambda: now)
    messages.come(is_typed=True)
    monkeypatch.setattr(loop, "time", lambda: now + document_events.QUIET_S)
    assert await messages.typing() is False
