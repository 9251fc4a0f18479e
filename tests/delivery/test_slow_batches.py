"""A batch that takes long is built while the document changes, and is sent for the current document."""

from __future__ import annotations

import asyncio

from tests.delivery.fakes import FakeBatch, Tracked, insert, opened, polite, request_for

from twospeed.delivery.client_table import OURS
from twospeed.text.edits import LineEdit


async def test_a_batch_is_built_again_after_typing() -> None:
    editor, channel = opened(polite, behavior=OURS)
    owner = Tracked()
    owner.line = 2
    channel.add(owner)
    n_built = 0

    async def build_slowly() -> FakeBatch:
        nonlocal n_built
        n_built += 1
        batch = FakeBatch((LineEdit(owner.line, 0, ("NEW",)),))
        await asyncio.sleep(0)
        if n_built == 1:
            editor.types(insert(0, "typed\n"))
        return batch

    await channel.apply(owner, build_slowly, request_for)
    assert n_built == 2
    assert channel.document.text == "typed\none\ntwo\nNEW\nthree\nfour\n"
    assert len(editor.apply_requests) == 1
