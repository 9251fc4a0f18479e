"""Creates the objects of a session and connects them."""

from __future__ import annotations

from collections.abc import Mapping

from twospeed.config.paths import history_path
from twospeed.config.settings import Settings
from twospeed.edits.inline_edit import InlineEdit
from twospeed.edits.scheduler import EditScheduler
from twospeed.history.recorder import Recorder
from twospeed.lsp.client.edit_notifications import EditNotifications
from twospeed.lsp.client.editor_client import WARNING, EditorClient
from twospeed.text.positions import Encoding

from .configuration import Configuration
from .document_paths import DocumentPaths
from .edit_history import EditHistory
from .mode_switch import ModeSwitch
from .models import SessionModels
from .open_documents import OpenDocuments
from .session import Session
from .tasks import SessionTasks
from .user_commands import UserCommands
from .workspace import SessionWorkspace


def build_session(
    client: EditorClient,
    *,
    settings: Settings,
    encoding: Encoding,
    paths: DocumentPaths,
    models: SessionModels,
    tasks: SessionTasks,
    environ: Mapping[str, str],
) -> Session:
    """Create a session from its settings, models and tasks."""

    # `session` is assigned before the first message can begin an edit or close a document.
    def edit_changed(edit: InlineEdit) -> None:
        session.edit_changed(edit)

    def document_closed(uri: str) -> None:
        session.document_closed(uri)

    profile = client.profile
    modes = ModeSwitch(settings.mode, client, models.source, tasks)
    notifications = EditNotifications(client, models.source, run=tasks.run, spawn=tasks.spawn)

    def deep_changed(edit: InlineEdit) -> None:
        session.deep_changed(edit)

    scheduler = EditScheduler(
        models.source,
        on_change=edit_changed,
        confirm=notifications.questions.confirm,
        warn=lambda text: client.show_message(WARNING, text),
        on_deep_change=deep_changed,
    )
    configuration = Configuration(
        settings, client=client, models=models, scheduler=scheduler, modes=modes, tasks=tasks
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
            client=client,
            consent=models.consent,
            tasks=tasks,
            waits=profile.is_command_line,
        ),
        commands=UserCommands(
            lambda: configuration.settings,
            root=paths.root,
            environ=environ,
            key_variables=models.key_variables,
            warn=lambda text: client.show_message(WARNING, text),
        ),
        history=EditHistory(Recorder(history_path()) if keeps_history else None),
        notifications=notifications,
    )
    notifications.callers.find = session.workspace.callers_of
    return session
