"""Typing during scope resolution reaches that edit and no other."""

from __future__ import annotations

from typing import Any, cast

from twospeed.delivery import DocumentChannel
from twospeed.edits.prompting.scope_resolution import TypingRecord
from twospeed.text.document import ContentChange, Document, Splice
from twospeed.text.positions import Position, Range


async def test_two_records_of_the_same_typing_are_two_followers() -> None:
    document = Document.opened("file:///a.py", 1, "python", "one\n", "utf-16")
    channel = DocumentChannel(document, cast("Any", None))
    first, second = TypingRecord(), TypingRecord()
    channel.add(first)
    channel.add(second)
    channel.remove(second)
    above = Range(Position(0, 0), Position(0, 0))
    channel.receive_changes([ContentChange(above, "typed\n")], 2)
    assert (first.splices, second.splices) == ([Splice(0, 0, ("typed\n",))], [])
