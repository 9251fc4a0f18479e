"""Opens a session from the params of ``initialize``."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from lsprotocol import types

from twospeed.budget.allowance import Allowance
from twospeed.config.load import load_settings
from twospeed.config.paths import config_path
from twospeed.config.settings import Settings
from twospeed.errors import SettingsError
from twospeed.lsp.client.editor_client import ClientProfile, EditorClient
from twospeed.lsp.wire.structuring import plain
from twospeed.lsp.workspace.document_paths import DocumentPaths
from twospeed.models.catalog.providers import PROVIDERS
from twospeed.text.positions import Encoding

from .composition import build_session
from .session import Session


def open_session(
    params: types.InitializeParams,
    *,
    encoding: Encoding,
    environ: Mapping[str, str],
    send: Callable[[dict[str, object]], None],
    allowance: Allowance | None = None,
) -> Session:
    """Open a connection's session.

    Args:
        params: Of ``initialize``.
        encoding: The position encoding that was agreed on.
        environ: The process's environment.
        send: Sends a message to the editor.
        allowance: What may be spent beside the day's budget.
    """
    settings, error = _user_settings(environ)
    client = EditorClient(send)
    client.profile = ClientProfile.from_capabilities(
        plain(params.capabilities), params.client_info.name if params.client_info else ""
    )
    folders = params.workspace_folders or []
    session = build_session(
        client,
        settings=settings,
        settings_error=error,
        encoding=encoding,
        paths=DocumentPaths(folders[0].uri if folders else params.root_uri),
        initialization_options=plain(params.initialization_options),
        environ=environ,
    )
    if allowance:
        session.source.spending = allowance.within(session.source.spending)
    return session


def _user_settings(environ: Mapping[str, str]) -> tuple[Settings, SettingsError | None]:
    known = {name: provider.settings for name, provider in PROVIDERS.items()}
    try:
        return load_settings(environ, known=known), None
    except SettingsError as error:
        return Settings(path=config_path(environ)), error
