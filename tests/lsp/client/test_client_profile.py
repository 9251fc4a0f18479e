"""Announced capabilities are read exactly, and missing ones count as absent."""

from __future__ import annotations

from typing import Any

import pytest
from lsprotocol import types
from lsprotocol.types import PositionEncodingKind as Kind

from twospeed.delivery.client_table import OURS
from twospeed.lsp.capabilities import choose_encoding
from twospeed.lsp.client.editor_client import COMMAND_LINE_NAME, TRIAL_NAME, ClientProfile
from twospeed.lsp.wire.error_codes import RpcError
from twospeed.lsp.wire.params import validated
from twospeed_protocol.params import DecideParams

ANNOUNCED: dict[str, dict[str, Any]] = {
    "takes_stream": {"experimental": {"twospeed": {"applyEdit": True}}},
    "receives_events": {"experimental": {"twospeed": {"events": True}}},
    "shows_progress": {"window": {"workDoneProgress": True}},
    "shows_questions": {"window": {"showMessage": {}}},
    "has_configuration": {"workspace": {"configuration": True}},
    "has_code_action_literals": {"textDocument": {"codeAction": {"codeActionLiteralSupport": {}}}},
    "has_document_changes": {"workspace": {"workspaceEdit": {"documentChanges": True}}},
    "refreshes_lenses": {"workspace": {"codeLens": {"refreshSupport": True}}},
    "shows_diagnostics": {"textDocument": {"publishDiagnostics": {}}},
    "shows_documents": {"window": {"showDocument": {"support": True}}},
    "opens_documents": {"experimental": {"twospeed": {"openDocument": True}}},
    "finds_references": {"experimental": {"twospeed": {"references": True}}},
}
NAMES = (*ANNOUNCED, "is_trial", "is_command_line")


def said_by(profile: ClientProfile) -> set[str]:
    return {name for name in NAMES if getattr(profile, name)}


@pytest.mark.parametrize("name", ANNOUNCED)
def test_each_capability_is_read_separately(name: str) -> None:
    assert said_by(ClientProfile.from_capabilities(ANNOUNCED[name])) == {name}


def test_a_denied_capability_is_absent() -> None:
    def denied(value: Any) -> Any:
        return (
            {key: denied(each) for key, each in value.items()} if isinstance(value, dict) and value else False
        )

    booleans = [name for name, value in ANNOUNCED.items() if "True" in str(value)]
    assert len(booleans) == 9
    for name in booleans:
        assert said_by(ClientProfile.from_capabilities(denied(ANNOUNCED[name]))) == set()


@pytest.mark.parametrize(
    ("name", "offered", "expected"),
    [
        (None, None, "utf-16"),
        (None, [], "utf-16"),
        (None, [Kind.Utf8], "utf-8"),
        (None, [Kind.Utf32], "utf-32"),
        (None, ["utf-32"], "utf-32"),
        (None, [Kind.Utf32, "utf-8"], "utf-8"),
        (None, [Kind.Utf8, Kind.Utf32, Kind.Utf16], "utf-16"),
        (None, ["latin-1"], "utf-16"),
        ("Neovim", [Kind.Utf8], "utf-8"),
        ("Emacs", [Kind.Utf16], "utf-32"),
        ("emacs", None, "utf-32"),
    ],
)
def test_the_position_encoding_is_chosen_for_each_client(
    name: str | None, offered: list[Any] | None, expected: str
) -> None:
    general = None if offered is None else types.GeneralClientCapabilities(position_encodings=offered)
    info = types.ClientInfo(name) if name else None
    params = types.InitializeParams(types.ClientCapabilities(general=general), client_info=info)
    assert choose_encoding(params) == expected


@pytest.mark.parametrize("capabilities", [{}, {"window": None, "workspace": 5, "textDocument": []}])
def test_missing_or_malformed_capabilities_are_absent(capabilities: dict[str, Any]) -> None:
    assert said_by(ClientProfile.from_capabilities(capabilities)) == said_by(ClientProfile()) == set()


def test_our_own_clients_are_known_by_name() -> None:
    assert said_by(ClientProfile.from_capabilities({}, TRIAL_NAME)) == {"is_trial"}
    assert said_by(ClientProfile.from_capabilities({}, COMMAND_LINE_NAME)) == {"is_command_line"}
    assert ClientProfile.from_capabilities(ANNOUNCED["takes_stream"]).behavior is OURS


@pytest.mark.parametrize(
    ("params", "words"),
    [
        ([], "params: "),
        ({}, "editId: "),
        ({"editId": "e1", "action": "keep"}, "action: "),
    ],
)
def test_parameters_that_are_wrong_are_named(params: object, words: str) -> None:
    with pytest.raises(RpcError) as caught:
        validated(DecideParams, params)
    assert str(caught.value).startswith(words)
