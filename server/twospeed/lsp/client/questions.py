"""Questions to the user about an edit: may it change a file that tools run, and what to do about a refused answer."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Mapping

from twospeed.edits.after.next_steps import STEP_TITLES, Step, available_steps
from twospeed.edits.inline_edit import InlineEdit
from twospeed.edits.model_source import ModelSource
from twospeed.edits.writing.answer_applier import Confirmation
from twospeed.errors import RequestError
from twospeed.lsp.wire.error_codes import RpcError
from twospeed.routing.lanes import ICONS

from .editor_client import ERROR, INFO, NO, WARNING, YES, EditorClient, within_limit


class Questions:
    """Asks the user of one editor.

    Args:
        client: The editor.
        source: Names the model of deep mode.
        run: Runs a question until the user answers or the session ends.
    """

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
        """Ask whether an edit may change a file that tools run or obey, or may lose a secret."""
        name, why = edit.request.file_name, edit.confirmation_reason
        question = self._run(
            self._client.ask(f"{ICONS[edit.mode]} {name} {why}. Put the edit into it?", (YES, NO))
        )
        try:
            title = await within_limit(question, late=self._report_late_yes)
        except TimeoutError:
            return Confirmation(
                is_given=False,
                why_not=f"the question whether to edit {name} was not answered in time; ask for the edit again",
            )
        if title == YES:
            return Confirmation(is_given=True)
        if title == NO:
            return Confirmation(is_given=False, why_not=f"you said no to an edit of {name}")
        if self._client.can_ask:
            return Confirmation(
                is_given=False,
                why_not=f"the question whether to edit {name} was closed without an answer; ask for the edit again",
            )
        return Confirmation(
            is_given=False,
            why_not=f"{name} {why}, so an edit of it needs a yes, and this editor cannot ask for one; ask for a "
            f'preview ("deliver": "preview"), or run twospeed edit in a terminal',
            may_be_offered=self._client.profile.has_code_action_literals and edit.is_live,
        )

    def _report_late_yes(self, title: str) -> None:
        if title == YES:
            self._client.show_message(
                INFO, "the edit has ended while its question was open; ask for it again"
            )

    async def offer(self, text: str, actions: Mapping[Step, Callable[[], object]]) -> None:
        """Show why an answer was refused, and run the action that the user chooses.

        Args:
            text: The reason.
            actions: The steps to choose from; a retry is left out if no model serves deep mode.
        """
        titles = {STEP_TITLES[step]: step for step in await available_steps(actions, self._source)}
        if not titles:
            self._client.show_message(WARNING, text)
            return
        if step := titles.get(await self._client.ask(text, tuple(titles)) or ""):
            try:
                actions[step]()
            except (RequestError, RpcError) as error:  # the text has changed since
                self._client.show_message(ERROR, str(error))
