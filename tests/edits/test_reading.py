"""The engine reads answers in the event loop where that is quick, and in a thread where it may take long."""

from __future__ import annotations

import threading
from collections.abc import Sequence

import pytest

from twospeed.edits.boundaries import Boundaries
from twospeed.edits.placing import scope_of
from twospeed.edits.question import Question
from twospeed.edits.reading import MAX_ANSWER_CHARS, MAX_DOCUMENT_LINES, MAX_JUDGED_LINES, Reading
from twospeed.edits.values import EditRequest
from twospeed.stream import EditStream
from twospeed.stream.ops import Op
from twospeed.text.document import Document

LINE = "value = first\n"


class WatchedStream(EditStream):
    """Note which steps are taken outside of the main thread."""

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


async def steps_elsewhere(n_document: int, n_scope: int, answer: Sequence[str]) -> tuple[list[str], Reading]:
    """Read an answer for the first lines of a document; return which steps a thread took, and the reading."""
    document = Document.opened("file:///a.txt", 1, "plaintext", LINE * n_document, "utf-16")
    request = EditRequest(
        document, ((0, 0), (n_scope, 0)), "do it", "lightning", path="a.txt", choice="selection"
    )
    question = Question.about(request, scope_of(request), Boundaries())
    elsewhere: list[str] = []

    def make() -> EditStream:
        stream = WatchedStream(["value = first"] * n_scope, question.surroundings)
        stream.elsewhere = elsewhere
        stream.note("start")
        return stream

    reading = Reading(make, question)
    for text in answer:
        await reading.receive_text(text)
    await reading.finish("stop")
    return elsewhere, reading


FENCED = ("```\n", *[LINE] * 3, "```\n")


@pytest.mark.parametrize(
    ("n_document", "n_scope", "answer", "expected"),
    [
        (20, 4, FENCED, []),
        (MAX_DOCUMENT_LINES + 1, 4, FENCED, ["start", *["text"] * len(FENCED), "end"]),
        (MAX_DOCUMENT_LINES + 1, 4, ("```", "\n"), ["start", "text", "end"]),
        (MAX_JUDGED_LINES + 9, MAX_JUDGED_LINES + 1, FENCED, ["end"]),
        (20, 4, ("```\n", LINE * 100, "```\n"), ["text"]),
        (20, 4, ("```\n", "x" * MAX_ANSWER_CHARS, "\n```\n"), ["text", "end"]),
    ],
    ids=["all short", "long document", "no whole line", "long scope", "many lines at once", "long line"],
)
async def test_a_thread_takes_the_steps_that_may_take_long(
    n_document: int, n_scope: int, answer: Sequence[str], expected: list[str]
) -> None:
    elsewhere, _ = await steps_elsewhere(n_document, n_scope, answer)
    assert elsewhere == expected


async def test_a_reading_tells_of_a_refusal_wherever_it_was_found() -> None:
    for n_document in (20, MAX_DOCUMENT_LINES + 1):
        _, reading = await steps_elsewhere(n_document, 4, ("I cannot do that.",))
        assert reading.refusal
        assert reading.refusal.code == "not-code"
