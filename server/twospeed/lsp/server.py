"""Build one connection's server: the entry point of this room.

Start reading here: the two tables say which function handles which message.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from lsprotocol import types
from pygls.lsp.server import LanguageServer

from twospeed import __version__
from twospeed.config.load import config_path, load_settings
from twospeed.config.settings import Settings
from twospeed.errors import SettingsError
from twospeed.models.providers import PROVIDERS
from twospeed.text.positions import Encoding
from twospeed_protocol import messages as wire
from twospeed_protocol import methods

from .client import ClientProfile, EditorClient
from .framing import encode_frame
from .handlers import code_actions, commands, documents, edits, modes, windows
from .protocol import TwospeedProtocol
from .session import Session, workspace_root

if TYPE_CHECKING:
    from pydantic import BaseModel

    from .protocol import Handler

OURS: dict[str, tuple[type[BaseModel], Handler]] = {
    methods.EDIT: (wire.EditParams, edits.edit),
    methods.PREPARE: (wire.PrepareParams, edits.prepare),
    methods.STEER: (wire.SteerParams, edits.steer),
    methods.CANCEL: (wire.CancelParams, edits.cancel),
    methods.DECIDE: (wire.DecideParams, edits.decide),
    methods.VARIATION: (wire.VariationParams, edits.variation),
    methods.SCOPES: (wire.ScopesParams, edits.scopes),
    methods.SET_MODE: (wire.SetModeParams, modes.set_mode),
    methods.STATUS: (wire.StatusParams, modes.status),
}

STANDARD: dict[str, Handler] = {
    types.TEXT_DOCUMENT_DID_OPEN: documents.did_open,
    types.TEXT_DOCUMENT_DID_CHANGE: documents.did_change,
    types.TEXT_DOCUMENT_DID_CLOSE: documents.did_close,
    types.TEXT_DOCUMENT_DID_SAVE: documents.did_save,
    types.TEXT_DOCUMENT_CODE_ACTION: code_actions.code_action,
    types.WORKSPACE_DID_CHANGE_CONFIGURATION: documents.did_change_configuration,
    types.WORKSPACE_EXECUTE_COMMAND: commands.execute,
    types.WINDOW_WORK_DONE_PROGRESS_CANCEL: windows.work_done_progress_cancel,
}

OPTIONS: dict[str, Any] = {
    types.TEXT_DOCUMENT_CODE_ACTION: types.CodeActionOptions(
        code_action_kinds=[methods.KIND_REWRITE, methods.KIND_QUICKFIX], resolve_provider=False
    ),
}


def create_server(
    environ: Mapping[str, str],
    write: Callable[[bytes], None],
    *,
    encode: Callable[[bytes], bytes] = encode_frame,
    admit: Callable[[object], object] | None = None,
) -> TwospeedProtocol:
    """Build one connection's server.

    Args:
        environ: The process's environment.
        write: Takes whole frames for the editor.
        encode: Makes a frame of a message's body.
        admit: Looks at who comes in, see `TwospeedProtocol`.

    Returns:
        Its protocol: feed it message bodies.
    """
    settings, error = _user_settings(environ)
    server = LanguageServer(
        "twospeed",
        __version__,
        text_document_sync_kind=types.TextDocumentSyncKind.Incremental,
        protocol_cls=TwospeedProtocol,
    )
    protocol = server.protocol
    assert isinstance(protocol, TwospeedProtocol)
    for method in STANDARD:  # so that pygls announces them; dispatch is ours
        if method not in protocol.fm.builtin_features:
            protocol.fm.feature(method, OPTIONS.get(method))(_announced)
    for command in methods.COMMANDS:
        protocol.fm.command(command)(_announced)

    def open_session(client: EditorClient, params: types.InitializeParams) -> Session:
        capabilities = protocol.plain(params.capabilities)
        client.profile = ClientProfile.from_capabilities(capabilities)
        folders = params.workspace_folders or []
        return Session(
            client,
            settings=settings,
            settings_error=error,
            encoding=_choose_encoding(params.capabilities),
            root=workspace_root(folders[0].uri if folders else params.root_uri),
            initialization_options=protocol.plain(params.initialization_options),
            environ=environ,
        )

    protocol.ours, protocol.standard, protocol.open_session = OURS, STANDARD, open_session
    protocol.write, protocol.encode, protocol.admit = write, encode, admit
    return protocol


def _user_settings(environ: Mapping[str, str]) -> tuple[Settings, SettingsError | None]:
    known = {name: provider.settings for name, provider in PROVIDERS.items()}
    try:
        return load_settings(environ, known=known), None
    except SettingsError as error:
        return Settings(path=config_path(environ)), error


def _choose_encoding(capabilities: types.ClientCapabilities) -> Encoding:
    """Choose UTF-16 wherever it is offered, and where nothing is (LSP 3.17, ``positionEncodings``).

    Every client speaks it, and the more one encoding is used, the fewer bugs hide in the others.
    """
    offered = (capabilities.general and capabilities.general.position_encodings) or ["utf-16"]
    names = [str(getattr(each, "value", each)) for each in offered]
    encodings: tuple[Encoding, ...] = ("utf-16", "utf-8", "utf-32")
    return next((encoding for encoding in encodings if encoding in names), "utf-16")


def _announced(*_: object) -> None:
    """Stand in for a handler that `TwospeedProtocol` calls itself."""
