"""Notifications about edits, and questions to the user."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable, Coroutine, Mapping

from twospeed.edits.after.next_steps import STEP_TITLES, Step, available_steps, outcome_message
from twospeed.edits.inline_edit import InlineEdit
from twospeed.edits.model_source import ModelSource
from twospeed.edits.phases import EditState
from twospeed.edits.writing.answer_applier import Confirmation
from twospeed.errors import RequestError
from twospeed.lsp.wire.convert import changed_to
from twospeed.lsp.wire.error_codes import RpcError
from twospeed.routing.lanes import ICONS
from twospeed_protocol import methods

from .answer_files import AnswerFiles
from .caller_offers import CallerOffers
from .deep_offers import DeepOffers
from .diagnostics import Diagnostics
from .editor_client import ERROR, INFO, NO, WARNING, YES, EditorClient, within_limit
from .problem_checks import ProblemChecks
from .progress import WorkDoneProgress
from .unused_imports import UnusedImportOffers

_MESSAGE_TYPES = {"error": ERROR, "warning": WARNING, "info": INFO}


class EditNotifications:
    """Notifies one client of the edits of its session."""

    def __init__(
        self,
        client: EditorClient,
        source: ModelSource,
        *,
        run: Callable[[Coroutine[None, None, str | None]], asyncio.Task[str | None]],
        spawn: Callable[[Coroutine[None, None, None]], None],
    ) -> None:
        self.diagnostics = Diagnostics(client)
        self.problems = ProblemChecks(self.diagnostics)
        self.progress = WorkDoneProgress(client, spawn)
        self.answer_files = AnswerFiles(client, spawn)
        self.questions = Questions(client, source, run)
        self._client = client
        self._spawn = spawn
        self.callers = CallerOffers(spawn, self._show_lenses)
        self._unused_imports = UnusedImportOffers(self.diagnostics, spawn)
        self.deep = DeepOffers(client, self.progress, spawn=spawn, notify=self._notify)
        self._offered: set[str] = set()
        self._warned: set[str] = set()

    def edit_changed(self, edit: InlineEdit) -> None:
        """Notify the client of a change of an edit's phase."""
        self.diagnostics.edit_changed(edit)
        self.problems.edit_changed(edit)
        self.callers.edit_changed(edit)
        self._unused_imports.edit_changed(edit)
        self._notify(edit)
        if edit.decision.offered.is_set() and edit.id not in self._offered:
            self._offered.add(edit.id)
            line = edit.place.placed_scope().range.start.line + 1
            self._client.show_message(
                INFO, f"{ICONS[edit.mode]} The edit is ready: apply it with a code action at line {line}"
            )

    def edit_decided(self, edit: InlineEdit) -> None:
        """Notify the client that an edit was decided."""
        self.diagnostics.publish(edit.uri)
        if edit.state is EditState.REVIEW:  # `edit_changed` has reported an edit that ended
            self._unused_imports.edit_changed(edit)
            self._notify(edit)

    def _notify(self, edit: InlineEdit) -> None:
        if self._client.profile.receives_events:
            self._client.notify(methods.EDIT_CHANGED, changed_to(edit).to_json())
        if edit.state in (EditState.REVIEW, EditState.ENDED):
            self._show_lenses()

    def _show_lenses(self) -> None:
        if self._client.profile.refreshes_lenses:
            self._spawn(self._refresh_lenses())

    async def _refresh_lenses(self) -> None:
        with contextlib.suppress(RpcError, TimeoutError):
            await self._client.request("workspace/codeLens/refresh", None)

    def show_ending(self, edit: InlineEdit, actions: Mapping[Step, Callable[[], object]]) -> None:
        """Show the ending of an edit of a command; offer the actions if the client can ask."""
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
        """Warn that the client applied an edit that was made for an older version of the document."""
        self._client.show_message(
            WARNING,
            "This editor does not check document versions. Please check that your last keystrokes are still there.",
        )


class Questions:
    """Asks the user about edits."""

    def __init__(
        self,
        client: EditorClient,
        source: ModelSource,
        run: Callable[[Coroutine[None, None, str | None]], asyncio.Task[str | None]],
    ) -> None:
        self._client = client
        self._source = source
        self._run = run

    async def confirm(self, edit: InlineEdit) -> Confirmation:
        """Ask whether to apply an edit that may lose a secret, or of a file that tools execute or read as configuration."""
        name, reason = edit.request.file_name, edit.confirmation_reason
        text = f"{ICONS[edit.mode]} {name} {reason}. Apply the edit?"
        question = f"the question whether to edit {name} was"
        try:
            title = await within_limit(self._run(self._client.ask(text, (YES, NO))), late=self._report_late)
        except TimeoutError:
            return Confirmation(
                is_given=False, why_not=f"{question} not answered in time; ask for the edit again"
            )
        if title == YES:
            return Confirmation(is_given=True)
        if title == NO:
            return Confirmation(is_given=False, why_not=f"you said no to an edit of {name}")
        if self._client.can_ask:
            return Confirmation(
                is_given=False, why_not=f"{question} closed without an answer; ask for the edit again"
            )
        return Confirmation(
            is_given=False,
            why_not=f"{name} {reason}, so an edit of it needs a yes, and this editor cannot ask for one; ask for a "
            f'preview ("deliver": "preview"), or run twospeed edit in a terminal',
            may_be_offered=self._client.profile.has_code_action_literals and edit.is_unfinished,
        )

    def _report_late(self, title: str) -> None:
        if title == YES:
            self._client.show_message(
                INFO, "the edit has ended while its question was open; ask for it again"
            )

    async def offer(self, text: str, actions: Mapping[Step, Callable[[], object]]) -> None:
        """Ask which available step to take, and run its action."""
        titles = {STEP_TITLES[step]: step for step in await available_steps(actions, self._source)}
        if not titles:
            self._client.show_message(WARNING, text)
            return
        if step := titles.get(await self._client.ask(text, tuple(titles)) or ""):
            try:
                actions[step]()
            except (RequestError, RpcError) as error:  # for example, the text has changed meanwhile
                self._client.show_message(ERROR, str(error))
