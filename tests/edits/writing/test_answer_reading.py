"""Answers are read in the event loop if that is quick, else in a thread."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Sequence
from typing import Any

import pytest

from twospeed.edits.prompting.prompt_context import PromptContext, PromptDelimiters
from twospeed.edits.prompting.scope_resolution import resolve_scope
from twospeed.edits.values import EditRequest
from twospeed.edits.writing.answer_reading import (
    MAX_ANSWER_CHARS,
    MAX_DOCUMENT_BYTES,
    MAX_DOCUMENT_LINES,
    MAX_LAST_LINES,
    MAX_PIECE_LINES,
    AnswerReading,
)
from twospeed.stream import EditStream
from twospeed.stream.ops import Op
from twospeed.text.document import Document

LINE = "value = first\n"


class WatchedStream(EditStream):
    """Records the steps that run outside of the main thread."""

    elsewhere: list[str]

    def note(self, step: str) -> None:
        if threading.current_thread() is not threading.main_thread():
            self.elsewhere.append(step)

    def receive_text(self, text: str) -> list[Op]:
        self.note("text")
        return super().receive_text(text)

    def finish(self, *arguments: object) -> list[Op]:
        self.note("end")
        return super().finish(*arguments)  # type: ignore[arg-type]


async def steps_elsewhere(
    n_document: int, n_scope: int, answer: Sequence[str], text: str = ""
) -> tuple[list[str], AnswerReading]:
    """Read an answer for the first lines of a document; return the steps that ran in a thread, and the reading."""
    document = Document.opened("file:///a.txt", 1, "plaintext", text or LINE * n_document, "utf-16")
    request = EditRequest(
        document, ((0, 0), (n_scope, 0)), "do it", "lightning", path="a.txt", choice="selection"
    )
    context = PromptContext.about(request, resolve_scope(request), PromptDelimiters())
    elsewhere: list[str] = []

    def make() -> EditStream:
        stream = WatchedStream(["value = first"] * n_scope, context.surroundings)
        stream.elsewhere = elsewhere
        stream.note("start")
        return stream

    reading = AnswerReading(make, context)
    for piece in answer:
        await reading.receive_text(piece)
    await reading.finish("stop")
    return elsewhere, reading


FENCED = ("```\n", *[LINE] * 3, "```\n")


@pytest.mark.parametrize(
    ("n_document", "n_scope", "answer", "expected"),
    [
        (20, 4, FENCED, []),
        (MAX_DOCUMENT_LINES + 1, 4, FENCED, ["start", *["text"] * len(FENCED), "end"]),
        (MAX_DOCUMENT_LINES + 1, 4, ("```", "\n"), ["start", "text", "end"]),
        (MAX_LAST_LINES + 9, MAX_LAST_LINES + 1, FENCED, ["end"]),
        (20, 4, ("```\n", LINE * 100, "```\n"), ["text"]),
        (20, 4, ("```\n", "x" * MAX_ANSWER_CHARS, "\n```\n"), ["text", "end"]),
        (20, 4, ("```\n", "x" * (MAX_ANSWER_CHARS - 9), "\n```\n"), []),
        (20, 4, ("```\n", "x" * (MAX_ANSWER_CHARS - 8), "\n```\n"), ["text", "end"]),
        (20, 4, ("```\n", LINE * MAX_PIECE_LINES, "```\n"), []),
        (20, 4, ("```\n", LINE * (MAX_PIECE_LINES + 1), "```\n"), ["text"]),
        (20, 4, ("```\n", LINE[:-1] + "\r" * (MAX_PIECE_LINES + 1), "```\n"), ["text"]),
        (MAX_LAST_LINES + 9, MAX_LAST_LINES - 5, FENCED, []),
        (MAX_LAST_LINES + 9, MAX_LAST_LINES - 4, FENCED, ["end"]),
        (MAX_DOCUMENT_LINES - 1, 4, FENCED, []),
        (MAX_DOCUMENT_LINES, 4, FENCED, ["start", *["text"] * len(FENCED), "end"]),
    ],
)
async def test_long_steps_of_reading_run_in_a_thread(
    n_document: int, n_scope: int, answer: Sequence[str], expected: list[str]
) -> None:
    elsewhere, _ = await steps_elsewhere(n_document, n_scope, answer)
    assert elsewhere == expected


async def test_the_size_of_a_document_counts_as_well_as_its_lines() -> None:
    for n_bytes, expected in ((MAX_DOCUMENT_BYTES, []), (MAX_DOCUMENT_BYTES + 1, ["start", "text", "end"])):
        text = LINE * 4
        text += "x" * (n_bytes - len(text) - 2) + "\n"
        elsewhere, _ = await steps_elsewhere(20, 4, ("```\n",), text=text)
        assert elsewhere == expected


async def test_a_reading_reports_the_facts_of_its_stream_once_that_exists() -> None:
    document = Document.opened("file:///a.txt", 1, "plaintext", LINE * 9, "utf-16")
    request = EditRequest(document, ((0, 0), (1, 0)), "do it", "lightning", choice="selection")
    context = PromptContext.about(request, resolve_scope(request), PromptDelimiters())
    made: list[EditStream] = []

    def make() -> EditStream:
        made.append(EditStream(["value = first"], context.surroundings))
        return made[-1]

    def known(of: Any) -> tuple[Any, ...]:
        return of.refusal, of.dropped, list(of.prose), of.is_unclosed, list(of.answer)

    reading = AnswerReading(make, context)
    nothing: tuple[Any, ...] = (None, {}, [], False, [])
    assert known(reading) == nothing
    reading.prepare_soon()
    await asyncio.sleep(0)
    assert (len(made), known(reading)) == (0, nothing)
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    assert len(made) == 1
    alone = EditStream(["value = first"], context.surroundings)
    for text in ("So it is.\n```\nvalue = \u200bsecond\n", "more = 1\n```\nThat is all.\n"):
        assert await reading.receive_text(text) == alone.receive_text(text)
        assert known(reading) == known(alone)
    assert await reading.finish("stop") == alone.finish("stop", "")
    assert known(reading) == known(alone)
    assert reading.prose
    assert reading.dropped
    assert (len(made), list(reading.answer)) == (1, ["value = second", "more = 1"])


async def test_a_reading_reports_a_refusal_of_any_stage() -> None:
    for n_document in (20, MAX_DOCUMENT_LINES + 1):
        _, reading = await steps_elsewhere(n_document, 4, ("I cannot do that.",))
        assert reading.refusal
        assert reading.refusal.code == "not-code"
