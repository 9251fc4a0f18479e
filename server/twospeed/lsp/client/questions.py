"""Questions about an edit: whether it may land in a file that tools run, and whether Deep shall try again."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Mapping
from typing import Literal

from twospeed.edits.inline_edit import InlineEdit
from twospeed.edits.model_source import ModelSource
from twospeed.edits.writing.answer_applier import Confirmation
from twospeed.lsp.wire.error_codes import RpcError
from twospeed.routing.lanes import BUILTIN_PROVIDER, ICONS, LABELS

from .editor_client import ERROR, INFO, NO, WARNING, YES, EditorClient, in_time

Step = Literal["retry", "show", "apply"]
"""What the user may do about a refused answer."""

_TITLES: dict[Step, str] = {
    "retry": f"Retry in {ICONS['deep']} {LABELS['deep']}",
    "show": "Show the answer",
    "apply": "Apply anyway",
}


class Questions:
    """Ask the person at one editor.

    Args:
        client: The editor.
        source: Says which model would serve Deep.
        run: Runs a question until the person answers or the session ends.
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
        """Ask whether an edit may land in a file that tools run or obey, or that loses a secret."""
        name, why = edit.request.file_name, edit.confirmation_reason
        question = self._run(
            self._client.ask(f"{ICONS[edit.mode]} {name} {why}. Put the edit into it?", (YES, NO))
        )
        try:
            title = await in_time(question, late=self._tell_of_late_yes)
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

    def _tell_of_late_yes(self, title: str) -> None:
        if title == YES:
            self._client.show_message(
                INFO, "the edit has ended while its question was open; ask for it again"
            )

    async def offer(self, words: str, steps: Mapping[Step, Callable[[], object]]) -> None:
        """Say why an answer cannot be used, and carry out the step that the user chooses.

        Args:
            words: The reason.
            steps: What may be done; another try by Deep is left out where no model serves it.
        """
        titles = {_TITLES[step]: step for step in steps}
        if "retry" in steps and (await self._source.serving("deep")).provider == BUILTIN_PROVIDER:
            del titles[_TITLES["retry"]]
        if not titles:
            self._client.show_message(WARNING, words)
            return
        if step := titles.get(await self._client.ask(words, tuple(titles)) or ""):
            try:
                steps[step]()
            except RpcError as error:  # the text has changed since
                self._client.show_message(ERROR, str(error))
