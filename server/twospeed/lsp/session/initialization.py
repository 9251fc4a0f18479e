"""Opens a session from the params of ``initialize``."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from lsprotocol import types

from twospeed.budget.allowance import Allowance
from twospeed.config.load import load_settings
from twospeed.config.paths import config_path
from twospeed.config.settings import Settings
from twospeed.errors import SettingsError
from twospeed.lsp.client.editor_client import ERROR, ClientProfile, EditorClient
from twospeed.lsp.wire.structuring import plain
from twospeed.models.catalog.providers import PROVIDERS
from twospeed.text.positions import Encoding

from .composition import build_session
from .document_paths import DocumentPaths
from .models import SessionModels
from .session import Session
from .tasks import SessionTasks


def open_session(
    params: types.InitializeParams,
    *,
    encoding: Encoding,
    environ: Mapping[str, str],
    send: Callable[[dict[str, object]], None],
    allowance: Allowance | None = None,
) -> Session:
    """Open the session of one connection; raises `NoHomeFolder`."""
    settings, error = user_settings(environ)
    client = EditorClient(send)
    client.profile = ClientProfile.from_capabilities(
        plain(params.capabilities), params.client_info.name if params.client_info else ""
    )
    folders = params.workspace_folders or []
    paths = DocumentPaths(folders[0].uri if folders else params.root_uri)
    tasks = SessionTasks(lambda text: client.show_message(ERROR, text))
    models = SessionModels(client, settings=settings, settings_error=error, environ=environ, tasks=tasks)
    if allowance:
        spending = allowance.within(models.source.spending)
        models.source.spending = models.suggestion_source.spending = spending
    session = build_session(
        client,
        settings=settings,
        encoding=encoding,
        paths=paths,
        models=models,
        tasks=tasks,
        environ=environ,
    )
    session.configuration.load(plain(params.initialization_options), paths.root)
    return session


def user_settings(environ: Mapping[str, str]) -> tuple[Settings, SettingsError | None]:
    """Read the user's config; the default settings and the error if that is impossible."""
    known = {name: provider.settings for name, provider in PROVIDERS.items()}
    try:
        return load_settings(environ, known=known), None
    except SettingsError as error:
        return Settings(path=config_path(environ)), error
