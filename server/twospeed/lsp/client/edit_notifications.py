"""What the client shows of edits: their changes, lenses, diagnostics, progress, endings and warnings."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable, Coroutine, Mapping

from twospeed.edits.after.next_steps import Step, outcome_message
from twospeed.edits.inline_edit import InlineEdit
from twospeed.edits.model_source import ModelSource
from twospeed.edits.phases import EditState
from twospeed.lsp.wire.convert import changed_to
from twospeed.lsp.wire.error_codes import RpcError
from twospeed.routing.lanes import ICONS
from twospeed_protocol import messages as wire
from twospeed_protocol import methods

from .answer_files import AnswerFiles
from .diagnostics import Diagnostics
from .editor_client import ERROR, INFO, WARNING, EditorClient
from .questions import Questions

_MESSAGE_TYPES = {"error": ERROR, "warning": WARNING, "info": INFO}


class EditNotifications:
    """Notifies one client of the edits of its session.

    Args:
        client: The editor.
        source: Names the model of deep mode.
        run: Runs a question until the user answers or the session ends.
        spawn: Runs a request to the editor in the background.

    Attributes:
        diagnostics: Findings of edits in review.
        progress: The edit of each work-done token in use.
        answer_files: Refused answers as files.
        questions: Asks the user about an edit.
    """

    def __init__(
        self,
        client: EditorClient,
        source: ModelSource,
        *,
        run: Callable[[Coroutine[None, None, str | None]], asyncio.Task[str | None]],
        spawn: Callable[[Coroutine[None, None, None]], None],
    ) -> None:
        self.diagnostics = Diagnostics(client)
        self.progress: dict[wire.Token, InlineEdit] = {}
        self.answer_files = AnswerFiles()
        self.questions = Questions(client, source, run)
        self._client = client
        self._spawn = spawn
        self._offered: set[str] = set()
        self._warned: set[str] = set()

    def edit_changed(self, edit: InlineEdit) -> None:
        """Notify the client of a step in the life of an edit."""
        self.diagnostics.edit_changed(edit)
        self._notify(edit)
        if edit.decision.is_offered.is_set() and edit.id not in self._offered:
            self._offered.add(edit.id)
            line = edit.place.placed_scope().range.start.line + 1
            self._client.show_message(
                INFO, f"{ICONS[edit.mode]} The edit is ready: take it among the code actions at line {line}"
            )

    def edit_decided(self, edit: InlineEdit) -> None:
        """Notify the client that an edit was decided, as a whole or in part."""
        self.diagnostics.publish(edit.uri)
        if edit.state is EditState.REVIEW:  # `edit_changed` has reported an edit that ended
            self._notify(edit)

    def _notify(self, edit: InlineEdit) -> None:
        if self._client.profile.takes_events:
            self._client.notify(methods.EDIT_CHANGED, changed_to(edit).to_json())
        if self._client.profile.refreshes_lenses and edit.state in (EditState.REVIEW, EditState.ENDED):
            self._spawn(self._refresh_lenses())

    async def _refresh_lenses(self) -> None:
        with contextlib.suppress(RpcError, TimeoutError):
            await self._client.request("workspace/codeLens/refresh", None)

    def show_ending(self, edit: InlineEdit, actions: Mapping[Step, Callable[[], object]]) -> None:
        """Show how an edit ended that no request waits for, and offer the actions if the client can ask."""
        if (message := outcome_message(edit)) is None:
            return
        if actions and self._client.can_ask:
            self._spawn(self.questions.offer(message.text, actions))
        else:
            self._client.show_message(_MESSAGE_TYPES[message.severity], message.text)

    def warn_once(self, text: str) -> None:
        """Show a warning, at most once in a session."""
        if text not in self._warned:
            self._warned.add(text)
            self._client.show_message(WARNING, text)

    def warn_of_unchecked_version(self) -> None:
        """Warn that the editor applied an edit that was made for an older version of the document."""
        self._client.show_message(
            WARNING,
            "This editor does not check document versions. Please check that your last keystrokes are still there.",
        )

    def close(self) -> None:
        """Follow no findings any more."""
        self.diagnostics.close()
