"""Builds a session: makes its objects and connects them."""

from __future__ import annotations

from collections.abc import Mapping

from twospeed.config import Settings
from twospeed.config.paths import history_path
from twospeed.edits.inline_edit import InlineEdit
from twospeed.edits.scheduler import EditScheduler
from twospeed.errors import SettingsError
from twospeed.history.recorder import Recorder
from twospeed.lsp.client.edit_notifications import EditNotifications
from twospeed.lsp.client.editor_client import ERROR, WARNING, EditorClient
from twospeed.lsp.workspace.document_paths import DocumentPaths
from twospeed.lsp.workspace.workspace import SessionWorkspace
from twospeed.text.positions import Encoding

from .configuration import Configuration
from .edit_history import EditHistory
from .mode_switch import ModeSwitch
from .models import SessionModels
from .open_documents import OpenDocuments
from .session import Session
from .tasks import SessionTasks


def build_session(
    client: EditorClient,
    *,
    settings: Settings,
    settings_error: SettingsError | None,
    encoding: Encoding,
    paths: DocumentPaths,
    initialization_options: object,
    environ: Mapping[str, str],
) -> Session:
    """Build the session of one connection.

    Args:
        client: The editor.
        settings: The user's settings.
        settings_error: Why the user's config could not be read, if so; then no edit is made.
        encoding: The position encoding that client and server agreed on.
        paths: Names documents by their path in the workspace.
        initialization_options: The settings that the editor sends with ``initialize``.
        environ: The process's environment.

    Raises:
        NoHomeFolder: The state folder is unknown.
    """

    # The session exists before the first message can begin an edit or close a document.
    def edit_changed(edit: InlineEdit) -> None:
        session.edit_changed(edit)

    def document_closed(uri: str) -> None:
        session.document_closed(uri)

    profile = client.profile
    tasks = SessionTasks(lambda text: client.show_message(ERROR, text))
    models = SessionModels(
        client, settings=settings, settings_error=settings_error, environ=environ, tasks=tasks
    )
    modes = ModeSwitch(settings.mode, client, models.source, tasks)
    notifications = EditNotifications(client, models.source, run=tasks.run, spawn=tasks.spawn)
    scheduler = EditScheduler(
        models.source,
        on_change=edit_changed,
        confirm=notifications.questions.confirm,
        warn=lambda text: client.show_message(WARNING, text),
    )
    configuration = Configuration(
        settings, client=client, source=models.source, scheduler=scheduler, modes=modes, tasks=tasks
    )
    documents = OpenDocuments(
        client,
        encoding=encoding,
        behavior=profile.behavior,
        on_doubt=notifications.warn_of_unchecked_version,
        on_close=document_closed,
    )
    keeps_history = settings.keeps_history and not profile.is_trial
    session = Session(
        client=client,
        tasks=tasks,
        models=models,
        modes=modes,
        configuration=configuration,
        scheduler=scheduler,
        preconnect=models.preconnect(scheduler, is_trial=profile.is_trial),
        documents=documents,
        workspace=SessionWorkspace(
            paths,
            ignore=lambda: configuration.settings.ignore,
            documents=lambda: documents.all,
            consent=models.consent,
            tasks=tasks,
            waits=profile.is_command_line,
        ),
        history=EditHistory(Recorder(history_path()) if keeps_history else None),
        notifications=notifications,
    )
    configuration.load(initialization_options, paths.root)
    return session
