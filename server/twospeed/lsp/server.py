"""Build the server and run it: the entry point of this room.

Start reading here: the two tables say which function handles which message.
"""

from __future__ import annotations

import asyncio
import os
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
from .framing import FrameDecoder, FramingError
from .handlers import code_actions, commands, documents, edits, modes, windows
from .log import open_log
from .protocol import TwospeedProtocol
from .session import Session, workspace_root
from .stdio import StdoutWriter, read_stdin

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


def create_server(environ: Mapping[str, str], write: Callable[[bytes], None]) -> TwospeedProtocol:
    """Build one connection's server.

    Args:
        environ: The process's environment.
        write: Takes whole frames for the editor.

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
    protocol.write = write
    return protocol


def serve_stdio() -> int:
    """Serve one editor over stdin and stdout.

    Returns:
        Exit status: 0 after ``shutdown`` and ``exit`` or at the end of input, 1 after ``exit`` alone, 2 where the
        peer does not speak the protocol.
    """
    open_log()
    writer = StdoutWriter()
    try:
        return asyncio.run(_serve(writer))
    finally:
        writer.close()


async def _serve(writer: StdoutWriter) -> int:
    protocol = create_server(os.environ, writer.write)
    decoder, stop = FrameDecoder(), asyncio.Event()
    status = 0

    def receive(data: bytes) -> None:
        nonlocal status
        try:
            for body in decoder.receive_bytes(data):
                protocol.receive_body(body)
                if protocol.has_exited:
                    status = 0 if protocol.is_shut_down else 1
                    stop.set()
                    return
        except FramingError as error:
            os.write(2, f"twospeed: {error}; this is not the language server protocol\n".encode())
            status = 2
            stop.set()

    try:
        await read_stdin(receive, stop=stop)
    finally:
        await protocol.aclose()
    return status


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
