"""Answers that try to do more than change code, through the whole server."""

from __future__ import annotations

import asyncio

import pytest
from tests.scenarios.editor import URI, Editor, place_range
from tests.scenarios.shop import EDITED, NEW, OLD, TEXT

from twospeed.models.base import ProviderSettings, TextDelta
from twospeed.models.http.connections import Connections
from twospeed.models.http.http_model import HttpModel
from twospeed.testing.script import Hang, Inject, Script
from twospeed.testing.scripted_model import ScriptedModel, scripted_answer
from twospeed.testing.scripted_server import ScriptedServer

HOSTILE = NEW.replace("item.count", "item.\u202ecount").replace("amount", "am\u200bount")


@pytest.fixture(params=["stock", "streaming"])
def client(request: pytest.FixtureRequest, editor: Editor, streaming: Editor) -> Editor:
    return editor if request.param == "stock" else streaming


@pytest.mark.security("R3.2")
async def test_an_answer_is_applied_without_its_hidden_characters_and_a_finding(client: Editor) -> None:
    client.serve(ScriptedModel(scripted_answer(HOSTILE)))
    result = await client.edit(4)
    assert client.buffers[URI].text == EDITED
    assert (result["outcome"], result["newText"]) == ("applied", NEW)
    assert result["findings"] == [
        {
            "code": "hidden-characters",
            "severity": 2,
            "message": "4 hidden characters were removed from the answer: "
            "U+200B ZERO WIDTH SPACE (3), U+202E RIGHT-TO-LEFT OVERRIDE (1)",
            "range": place_range(3, 0, 8, 0),
        }
    ]


@pytest.mark.security("R3.2")
async def test_partial_results_contain_no_hidden_characters(editor: Editor) -> None:
    editor.serve(ScriptedModel(scripted_answer(HOSTILE)))
    await editor.edit(4, partialResultToken="p", deliver="preview")
    view = editor.open(OLD, uri="untitled:view")
    for part in editor.progress("p"):
        if part["type"] == "edits":
            view.apply(part["edits"])
    assert view.text == NEW


@pytest.mark.security("R3.2")
async def test_an_answer_that_differs_by_hidden_characters_alone_changes_nothing(client: Editor) -> None:
    client.serve(ScriptedModel(scripted_answer(OLD.replace("item", "\u2066item\u2069"))))
    result = await client.edit(4)
    assert result["outcome"] == "unchanged"
    assert [finding["code"] for finding in result["findings"]] == ["hidden-characters"]
    assert client.buffers[URI].version == 1


@pytest.mark.security("R3.2")
async def test_hidden_characters_of_the_old_scope_stay_without_a_finding(client: Editor) -> None:
    client.type(4, 4, "total_\u200f = 0\n    ")
    client.serve(
        ScriptedModel(scripted_answer(NEW.replace("amount = 0", "total_\u200f = 1\n    amount = 0")))
    )
    result = await client.edit(4)
    assert "total_\u200f = 1" in client.buffers[URI].text
    assert result["findings"] == []


@pytest.mark.security("R3.2")
async def test_an_answer_of_hidden_characters_alone_is_refused_as_empty(client: Editor) -> None:
    client.serve(ScriptedModel(scripted_answer("\u200b\u202e\n\U000e0041\n")))
    result = await client.edit(4)
    assert (result["outcome"], result["reason"]["code"]) == ("refused", "empty")
    assert client.buffers[URI].text == TEXT


@pytest.mark.security("R10.1")
async def test_an_endless_answer_is_refused_while_it_is_received(client: Editor) -> None:
    model = ScriptedModel([TextDelta(NEW), *[TextDelta("x" * 50_000)] * 6, asyncio.Event()])
    client.serve(model)
    result = await client.edit(4)
    assert (result["outcome"], result["reason"]["code"]) == ("refused", "growth")
    assert client.buffers[URI].text == TEXT
    assert model.closed == 1


@pytest.mark.security("R10.1")
async def test_the_connection_of_an_endless_answer_is_closed(client: Editor) -> None:
    flood = b'data: {"choices":[{"delta":{"content":"%s"}}]}\n\n' % (b"x" * 100_000)
    connections = Connections()
    async with ScriptedServer([Script(NEW, faults=(Inject(flood * 4), Hang()))]) as server:
        settings = ProviderSettings("lab", "chat", server.base_url, None, {})
        client.serve(HttpModel(settings, "m", connections=connections, key=None))
        result = await client.edit(4)
        assert (result["outcome"], result["reason"]["code"]) == ("refused", "growth")
        await server.wait_for_disconnects()
    await connections.aclose()
