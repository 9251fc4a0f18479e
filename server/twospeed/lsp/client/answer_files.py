"""Refused answers and the output of commands as files, for clients that have no view of ours."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Coroutine, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from twospeed.aio import in_thread
from twospeed.edits.after.next_steps import shown_answer_of
from twospeed.edits.inline_edit import InlineEdit
from twospeed.errors import RequestError
from twospeed.text.lines import bodies_of

from .editor_client import WARNING, EditorClient


class AnswerFiles:
    """A temporary folder that only the user can read, created for the first file."""

    def __init__(self, client: EditorClient, spawn: Callable[[Coroutine[None, None, None]], None]) -> None:
        self._client = client
        self._spawn = spawn
        self._folder: TemporaryDirectory[str] | None = None
        self._n_written = 0

    async def show_output(self, output: str) -> None:
        """Open the output of a command in the client, if it can open files."""
        if self._client.profile.shows_documents:
            uri = self._written(output, "output-{}.txt")
            await self._client.show_document(uri)

    def show_diff(self, edit: InlineEdit) -> None:
        """Open the refused answer as a diff in the client, in the background."""
        self._spawn(self._show_diff(edit))

    async def _show_diff(self, edit: InlineEdit) -> None:
        if not self._client.profile.shows_documents:
            self._client.show_message(
                WARNING,
                "this editor cannot open the answer; apply it anyway to see it, and reject it to take it back",
            )
            return
        lines, shown = edit.document.lines, shown_answer_of(edit)
        new = (*lines[: shown.start], *shown.lines, *lines[shown.start + shown.count :])
        diff = await in_thread(lambda: _diff_of(edit.request.file_name, tuple(lines), new))
        uri = self._written(diff, "answer-{}.diff")
        await self._client.show_document(uri, takes_focus=True)

    def _written(self, text: str, name: str) -> str:
        try:
            return self._write(text, name)
        except OSError as error:
            raise RequestError(f"the text cannot be written to a file: {error}") from error

    def _write(self, text: str, name: str) -> str:
        if self._folder is None:
            self._folder = TemporaryDirectory(prefix="twospeed-", ignore_cleanup_errors=True)
        self._n_written += 1
        path = Path(self._folder.name) / name.format(self._n_written)
        path.write_text(text, encoding="utf-8", errors="replace", newline="")
        return path.as_uri()

    def close(self) -> None:
        """Remove the folder."""
        if self._folder is not None:
            self._folder.cleanup()


def _diff_of(name: str, old: Sequence[str], new: Sequence[str]) -> str:
    old_bodies, new_bodies = (list(bodies_of(lines)) for lines in (old, new))
    for bodies in (old_bodies, new_bodies):
        if bodies and not bodies[-1]:  # the empty line after the last line end
            bodies.pop()
    lines = difflib.unified_diff(old_bodies, new_bodies, name, f"{name} (refused answer)", lineterm="")
    return "".join(f"{line}\n" for line in lines)
