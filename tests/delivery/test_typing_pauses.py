"""The channel waits for a pause in typing, and the next message ends the wait."""

from __future__ import annotations

import asyncio

import pytest

from twospeed.delivery import document_events
from twospeed.delivery.document_events import DocumentEvents


async def test_a_document_without_typing_has_no_typing_pause() -> None:
    messages = DocumentEvents()
    assert await messages.wait_for_typing_pause() is False
    messages.notify(is_typed=False)
    assert await messages.wait_for_typing_pause() is False


async def test_another_message_ends_the_wait_for_a_typing_pause() -> None:
    messages = DocumentEvents()
    messages.notify(is_typed=True)
    waiting = asyncio.create_task(messages.wait_for_typing_pause())
    await asyncio.sleep(0)
    assert not waiting.done()
    messages.notify(is_typed=True)
    assert await waiting is True


async def test_the_typing_ends_after_the_pause(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(document_events, "QUIET_S", 0.001)
    messages = DocumentEvents()
    messages.notify(is_typed=True)
    assert await messages.wait_for_typing_pause() is True
    assert await messages.wait_for_typing_pause() is False


async def test_a_message_before_the_wait_does_not_end_it() -> None:
    messages = DocumentEvents()
    messages.notify(is_typed=False)
    loop = asyncio.get_running_loop()
    assert await messages.wait_for_message(loop.time()) is False
    waiting = asyncio.create_task(messages.wait_for_message(loop.time() + 60))
    await asyncio.sleep(0)
    messages.notify(is_typed=False)
    assert await waiting is True


async def test_the_typing_pause_ends_exactly_after_its_duration(monkeypatch: pytest.MonkeyPatch) -> None:
    loop = asyncio.get_running_loop()
    now = loop.time()
    messages = DocumentEvents()
    monkeypatch.setattr(loop, "time", lambda: now)
    messages.notify(is_typed=True)
    monkeypatch.setattr(loop, "time", lambda: now + document_events.QUIET_S)
    assert await messages.wait_for_typing_pause() is False
