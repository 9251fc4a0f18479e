"""The protocol: messages of clients are strict, messages of the server are open, and generated files are current."""

from __future__ import annotations

import pytest
from pydantic import ValidationError

from twospeed_protocol import messages as wire
from twospeed_protocol.schema import SCHEMA_PATH, TYPESCRIPT_PATH, schema_text, typescript_text

PLACE = {"start": {"line": 0, "character": 0}, "end": {"line": 0, "character": 0}}
EDIT = {"textDocument": {"uri": "file:///a.py", "version": 1}, "range": PLACE, "instruction": "x"}


def test_the_committed_schema_is_the_one_of_the_messages() -> None:
    assert SCHEMA_PATH.read_text("utf-8") == schema_text(), "run `make schema`"


def test_the_committed_typescript_types_are_those_of_the_messages() -> None:
    assert TYPESCRIPT_PATH.read_text("utf-8") == typescript_text(), "run `make schema`"


def test_typescript_keys_are_optional_only_in_messages_of_clients() -> None:
    text = typescript_text()
    assert "  follows?: string | null;\n" in text.partition("interface EditParams {")[2].partition("}")[0]
    assert "?:" not in text.partition("interface EditResult {")[2].partition("}")[0]


@pytest.mark.parametrize(
    ("change", "place"),
    [
        ({"surprise": 1}, ("surprise",)),
        ({"instruction": 5}, ("instruction",)),
        ({"mode": "fast"}, ("mode",)),
        ({"range": {**PLACE, "start": {"line": -1, "character": 0}}}, ("range", "start", "line")),
        ({"textDocument": {"uri": "file:///a.py"}}, ("textDocument", "version")),
        ({"variations": 0}, ("variations",)),
        ({"workDoneToken": 1.5}, ("workDoneToken",)),
        ({"partialResultToken": True}, ("partialResultToken",)),
    ],
)
def test_wrong_params_name_the_field(change: dict[str, object], place: tuple[str, ...]) -> None:
    with pytest.raises(ValidationError) as caught:
        wire.EditParams.model_validate({**EDIT, **change})
    assert caught.value.errors()[0]["loc"] == place


@pytest.mark.parametrize("params", [wire.SteerParams, wire.SteerArguments])
def test_an_edit_is_steered_in_no_more_words_than_it_is_asked_for_in(
    params: type[wire.SteerParams | wire.SteerArguments],
) -> None:
    params.model_validate({"editId": "e1", "instruction": "x" * 20_000})
    with pytest.raises(ValidationError, match="instruction"):
        params.model_validate({"editId": "e1", "instruction": "x" * 20_001})


def test_clients_ignore_keys_that_a_newer_server_adds() -> None:
    parsed = wire.ServedBy.model_validate({"provider": "p", "model": "m", "price": 1})
    assert parsed.provider == "p"


def test_messages_are_camel_case_on_the_wire() -> None:
    stats = wire.Stats(ttft_ms=1.5).model_dump(mode="json", by_alias=True)
    assert stats["ttftMs"] == 1.5
    assert "charsSent" in stats
