"""Read an answer without blocking the event loop: a short one on the loop, a long one in a thread.

The cost of a step depends on the lengths of scope, document and answer; the last step reads all three.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from typing import Literal, TypeVar

from twospeed.aio import in_thread
from twospeed.edits.prompting.prompt_context import PromptContext
from twospeed.stream import AnswerView, EditStream, Refusal
from twospeed.stream.aligner import aligned
from twospeed.stream.ops import Op
from twospeed.text.lines import bodies_of

MAX_DOCUMENT_LINES, MAX_DOCUMENT_BYTES = 2_000, 200_000
"""Size of a document up to which pieces are read on the loop; the engine takes at most 4 µs for a line."""

MAX_PIECE_LINES = 64
"""Lines of a piece that are read on the loop; the engine takes 0.2 ms for a line whose indentation is unclear."""

MAX_LAST_LINES = 300
"""Lines of scope and answer whose last step runs on the loop; it takes at most 50 µs for a line."""

MAX_ANSWER_CHARS = 100_000
"""Characters of an answer up to which these limits hold: some answers have few, very long lines."""

ResultT = TypeVar("ResultT")


class AnswerReading:
    """Reads one answer.

    Args:
        make: Makes the stream.
        context: The content of the prompt.
    """

    def __init__(self, make: Callable[[], EditStream], context: PromptContext) -> None:
        lines = context.request.document.lines
        self._make = make
        self._made: asyncio.Future[EditStream] | None = None
        self._is_long = len(lines) > MAX_DOCUMENT_LINES or lines.n_bytes > MAX_DOCUMENT_BYTES
        self._n_lines = context.scope.end - context.scope.start
        self._n_chars = 0

    def prepare_soon(self) -> None:
        """Make the stream while the model works: in the iteration after the next, since the next one sends the request."""
        loop = asyncio.get_running_loop()
        loop.call_soon(loop.call_soon, self._begin)

    @property
    def refusal(self) -> Refusal | None:
        """Why the answer cannot be applied; ``None`` if no reason is known yet."""
        return self._ready.refusal if self._ready else None

    @property
    def dropped(self) -> Mapping[str, int]:
        """See `EditStream.dropped`."""
        return self._ready.dropped if self._ready else {}

    @property
    def prose(self) -> Sequence[str]:
        """See `EditStream.prose`."""
        return self._ready.prose if self._ready else ()

    @property
    def is_unclosed(self) -> bool:
        """See `EditStream.is_unclosed`."""
        return self._ready is not None and self._ready.is_unclosed

    @property
    def imports(self) -> Sequence[str]:
        """See `EditStream.imports`."""
        return self._ready.imports if self._ready else ()

    @property
    def answer(self) -> Sequence[str]:
        """See `EditStream.answer`."""
        return self._ready.answer if self._ready else ()

    def whole_code(self, *, complete_if_it_parses: bool) -> Sequence[str]:
        """See `EditStream.whole_code`."""
        return self._ready.whole_code(complete_if_it_parses=complete_if_it_parses) if self._ready else ()

    async def receive_text(self, text: str) -> list[Op]:
        """Read a piece of at most `PIECE_CHARS` characters; return the ops that are certain now."""
        stream = await self._stream()
        n_lines = text.count("\n") + text.count("\r")
        self._n_lines += n_lines
        self._n_chars += len(text)
        is_long = n_lines > 0 and (self._is_long or self._n_chars > MAX_ANSWER_CHARS)
        return await _done(lambda: stream.receive_text(text), threaded=is_long or n_lines > MAX_PIECE_LINES)

    async def finish(
        self, reason: Literal["stop", "length", "content_filter", "refusal"], message: str = ""
    ) -> list[Op]:
        """Read the end of the answer; return the last ops. The arguments are those of `EditStream.finish`."""
        stream = await self._stream()
        is_long = self._is_long or self._n_lines > MAX_LAST_LINES or self._n_chars > MAX_ANSWER_CHARS
        return await _done(lambda: stream.finish(reason, message), threaded=is_long)

    @property
    def _ready(self) -> EditStream | None:
        return self._made.result() if self._made and self._made.done() else None

    async def _stream(self) -> EditStream:
        made = self._begin()
        return made.result() if made.done() else await asyncio.shield(made)

    def _begin(self) -> asyncio.Future[EditStream]:
        if self._made is None:
            if self._is_long:
                self._made = asyncio.ensure_future(in_thread(self._make))
            else:
                self._made = asyncio.get_running_loop().create_future()
                self._made.set_result(self._make())
        return self._made


async def lines_of(view: AnswerView) -> tuple[str, ...]:
    """Return the scope's lines after all ops; many ops are performed in steps of bounded length."""
    while view.perform_some():  # noqa: ASYNC110 - the event loop reads messages between two steps
        await asyncio.sleep(0)
    return view.lines


async def aligned_ops(old: Sequence[str], new: Sequence[str]) -> list[Op]:
    """Return the ops that turn the old lines, with their line ends, into new ones without."""
    return await in_thread(lambda: aligned(bodies_of(old), new))


async def _done(work: Callable[[], ResultT], *, threaded: bool) -> ResultT:
    return await in_thread(work) if threaded else work()
