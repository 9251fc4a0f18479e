"""One connection: its documents, settings, mode, models and edits."""

from __future__ import annotations

from dataclasses import dataclass

from twospeed.config import Settings
from twospeed.config.layers import WORKSPACE_FILE
from twospeed.delivery import DocumentChannel
from twospeed.edits.ahead.preconnect import Preconnect
from twospeed.edits.inline_edit import InlineEdit
from twospeed.edits.scheduler import EditScheduler
from twospeed.lanes.source import LaneSource
from twospeed.lsp.client.edit_notifications import EditNotifications
from twospeed.lsp.client.editor_client import WARNING, EditorClient, one_line
from twospeed.routing import Mode, ModeChoice, modes_of

from .configuration import Configuration
from .edit_history import EditHistory
from .mode_switch import ModeSwitch
from .models import SessionModels
from .open_documents import OpenDocuments
from .tasks import SessionTasks
from .user_commands import UserCommands
from .workspace import SessionWorkspace


@dataclass(eq=False, slots=True)
class Session:
    """The objects that the handlers of one connection use; `initialization.open_session` creates it."""

    client: EditorClient
    tasks: SessionTasks
    models: SessionModels
    modes: ModeSwitch
    configuration: Configuration
    scheduler: EditScheduler
    preconnect: Preconnect
    documents: OpenDocuments
    workspace: SessionWorkspace
    commands: UserCommands
    history: EditHistory
    notifications: EditNotifications

    @property
    def settings(self) -> Settings:
        """The composed settings."""
        return self.configuration.settings

    @property
    def mode(self) -> ModeChoice:
        """The mode of edits that name none."""
        return self.modes.current

    @property
    def draft_mode(self) -> Mode:
        """The mode of the answer that is applied at once."""
        return modes_of(self.mode)[0]

    @property
    def source(self) -> LaneSource:
        """The source of models."""
        return self.models.source

    def channel(self, uri: str, *, version: int | None = None) -> DocumentChannel:
        """See `OpenDocuments.channel`."""
        return self.documents.channel(uri, version=version)

    def begin(self) -> None:
        """Handle ``initialized``: show postponed messages, and request the client's settings."""
        self.configuration.show_errors()
        if uri := self.workspace.paths.unread_root:
            self.client.show_message(
                WARNING,
                f"twospeed reads no {WORKSPACE_FILE} in {one_line(uri, 200)}, which is no folder of this machine: "
                "what it ignores has to be in your own settings",
            )
        self.configuration.request()
        if self.settings.suggests and self.client.profile.registers_inline_completion:
            self.tasks.spawn(self.client.register_inline_completion())

    def text_lost(self, uri: str | None, reason: str) -> None:
        """Edit nothing in a document, in the cells of a notebook, or (None) in all documents until they are opened again."""
        cells = [] if uri is None else self.workspace.notebooks.cells_of(uri)
        if uri is None or not cells:
            self.documents.mark_unmanaged(uri, reason)
            return
        self.workspace.notebooks.lose_order(uri)
        for each in cells:
            self.documents.mark_unmanaged(each, reason)

    def edit_changed(self, edit: InlineEdit) -> None:
        """Handle a change of an edit's phase."""
        self.preconnect.note_edit()
        self.history.record_step(edit)
        self.notifications.edit_changed(edit)

    def deep_changed(self, edit: InlineEdit) -> None:
        """Handle a change of an edit's deep answer or of its offer."""
        self.history.record_step(edit)
        self.notifications.deep.changed(edit)

    def document_closed(self, uri: str) -> None:
        """Stop the edits of a document that is closed or unmanaged."""
        self.scheduler.stop_document(uri)
        self.models.suggester.forget(uri)
        self.history.record_survival(uri, is_last=True)

    async def aclose(self) -> None:
        """End every edit and task, then close every connection."""
        self.tasks.close()
        self.documents.close_all()
        self.workspace.symbols.close()
        self.notifications.diagnostics.close()
        self.notifications.deep.close()
        await self.tasks.stop()  # before the scheduler: a task may be about to begin an edit
        await self.models.suggester.aclose()
        await self.scheduler.aclose()
        await self.tasks.stop()  # requests may have started more while the scheduler closed
        self.notifications.answer_files.close()
        await self.history.aclose()
        await self.models.aclose()
