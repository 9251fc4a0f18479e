"""The live view of an edit: a coloured diff that scrolls to the line that the model writes.

The window has a fixed height, so a long scope does not flicker. Text of a model is never parsed as markup.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Self

from rich.console import Console, Group
from rich.live import Live
from rich.text import Text

from twospeed.cli.preview import DiffLine, PreviewedScope, diff_of
from twospeed.cli.render import ShownResult, diff_line, diff_text, figures, header, remarks
from twospeed.cli.visible import visible
from twospeed.text.edits import TextEdit
from twospeed.text.lines import dominant_eol

if TYPE_CHECKING:
    from twospeed_protocol import messages

_FRAME_S = 1 / 12
_PAINT_SHARE = 0.2
"""Largest share of the time that painting may take."""
_MAX_WINDOW_LINES = 24
_LINES_AROUND_WINDOW = 4
"""Header, footer, and two lines of the prompt that stay visible."""

_STYLES = {"+": "green", "-": "red", "@": "cyan", " ": "dim"}
_OUTCOME_STYLES = {"applied": "bold green", "unchanged": "bold", "cancelled": "bold yellow"}


class LiveView:
    """A view for a terminal."""

    def __init__(
        self, path: Path, *, console: Console | None = None, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._path = path
        self._console = console or Console(highlight=False, markup=False, emoji=False)
        self._clock = clock
        self._live = Live(console=self._console, auto_refresh=False, transient=True, vertical_overflow="crop")
        self._frames: asyncio.Task[None] | None = None
        self._started: messages.StartedPart | None = None
        self._scope = PreviewedScope("")
        self._started_at = self._first_change_at = 0.0
        self._thought = ""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self._stop()

    def started(self, started: messages.StartedPart, scope_text: str) -> None:
        """Start painting."""
        self._started = started
        self._scope = PreviewedScope(scope_text)
        self._started_at = self._clock()
        self._first_change_at = 0.0
        self._thought = ""
        self._start_painting()

    def thought(self, text: str) -> None:
        """Show the end of the model's reasoning until the first change."""
        self._thought = (self._thought + text)[-500:]
        self._start_painting()

    def written(self, edits: Sequence[TextEdit]) -> None:
        """Apply a batch of edits to the shown scope."""
        self._first_change_at = self._first_change_at or self._clock()
        self._scope.receive_batch(edits)
        self._start_painting()

    def pause(self) -> None:
        """Remove the window; the next event shows it again."""
        self._stop()

    def finished(self, ending: ShownResult) -> None:
        """Replace the window by the whole diff and the figures."""
        self._stop()
        self._print(header(ending.result, self._path), "bold")
        for line in diff_text(ending):
            self._print(line, "bold" if line.startswith(("--- ", "+++ ")) else _STYLES[line[0]])
        for remark in remarks(ending):
            self._print(remark, "yellow")
        self._print(figures(ending), _OUTCOME_STYLES.get(ending.result.outcome, "bold red"))

    def frame(self) -> Group:
        """Return the current content of the window."""
        assert self._started is not None
        lines = diff_of(self._scope.old, self._scope.text)
        usual_eol = dominant_eol(self._scope.old)
        shown = [
            self._line(diff_line(line, usual_eol).split("\n")[0], _STYLES[line.mark])
            for line in self._window(lines)
        ]
        top = self._line(header(self._started, self._path), "bold")
        return Group(top, *shown, self._line(self._footer(lines), "bold cyan"))

    def _window(self, lines: list[DiffLine]) -> list[DiffLine]:
        height = max(3, min(_MAX_WINDOW_LINES, self._console.height - _LINES_AROUND_WINDOW))
        writing = next(
            (at for at, line in enumerate(lines) if line.place >= self._scope.written_line), len(lines)
        )
        first = max(0, min(writing - height * 2 // 3, len(lines) - height))
        return lines[first : first + height]

    def _footer(self, lines: Sequence[DiffLine]) -> str:
        n_added = sum(line.mark == "+" for line in lines)
        n_removed = sum(line.mark == "-" for line in lines)
        elapsed = f"{self._clock() - self._started_at:.1f} s"
        if not self._first_change_at:
            thought = visible(" ".join(self._thought.split())[-60:])
            return f"waiting for the first change · {elapsed}" + (f" · {thought}" if thought else "")
        waited_ms = (self._first_change_at - self._started_at) * 1000
        return f"+{n_added} -{n_removed} lines · first change after {waited_ms:.0f} ms · {elapsed}"

    def _start_painting(self) -> None:
        if self._started and not self._frames:
            self._frames = asyncio.create_task(self._paint())

    async def _paint(self) -> None:
        while True:
            begun = self._clock()
            if not self._live.is_started:
                self._live.start()
            self._live.update(self.frame(), refresh=True)
            cost = self._clock() - begun
            await asyncio.sleep(max(_FRAME_S, cost / _PAINT_SHARE))

    def _stop(self) -> None:
        if self._frames:
            self._frames.cancel()
            self._frames = None
        self._live.stop()

    def _line(self, text: str, style: str) -> Text:
        return Text(text, style=style, no_wrap=True, overflow="ellipsis")

    def _print(self, text: str, style: str) -> None:
        self._console.print(Text(text, style=style), soft_wrap=True)
