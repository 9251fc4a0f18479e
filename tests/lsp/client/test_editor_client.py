"""The client of the editor: what it sends, what responses mean, and questions to the user."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from twospeed.delivery import ApplyEditRequest, ApplyEditResult
from twospeed.errors import EditUnconfirmed
from twospeed.lsp.client import editor_client as client_module
from twospeed.lsp.client.editor_client import (
    MAX_QUESTIONS,
    ClientProfile,
    EditorClient,
    one_line,
    within_limit,
)
from twospeed.lsp.wire.error_codes import RpcError
from twospeed.text.document import Document
from twospeed.text.edits import TextEdit
from twospeed.text.positions import Position, Range

URI = "file:///a.py"
WHERE = Range(Position(1, 2), Position(3, 4))
PLAIN = {
    "range": {"start": {"line": 1, "character": 2}, "end": {"line": 3, "character": 4}},
    "newText": "new",
}
ERROR = {"error": {"code": -32803, "message": "no"}}


class ScriptedEditor:
    """An `EditorClient` whose requests receive scripted responses at once; it records what is sent."""

    def __init__(self, *responses: dict[str, Any], **profile: Any) -> None:
        self.sent: list[dict[str, Any]] = []
        self.responses = list(responses)
        self.client = EditorClient(self.send)
        self.client.profile = ClientProfile(**profile)

    def send(self, message: dict[str, Any]) -> None:
        self.sent.append(message)
        if "id" in message and self.responses:
            answer = {"jsonrpc": "2.0", "id": message["id"], **self.responses.pop(0)}
            asyncio.get_running_loop().call_soon(self.client.receive_response, answer)


def apply_request(**changes: Any) -> ApplyEditRequest:
    document = Document.opened(URI, 7, "python", "a\n" * 9, "utf-16")
    values: dict[str, Any] = {"is_first": True, "is_last": False, **changes}
    return ApplyEditRequest("e1", 3, document, (TextEdit(WHERE, "new"),), **values)


async def test_messages_are_json_rpc_and_requests_are_numbered() -> None:
    editor = ScriptedEditor({"result": 1}, {"result": None})
    editor.client.notify("a/b", {"x": 1})
    assert await editor.client.request("c/d", [2]) == 1
    assert await editor.client.request("e/f", None) is None
    assert editor.sent == [
        {"jsonrpc": "2.0", "method": "a/b", "params": {"x": 1}},
        {"jsonrpc": "2.0", "id": "twospeed-1", "method": "c/d", "params": [2]},
        {"jsonrpc": "2.0", "id": "twospeed-2", "method": "e/f", "params": None},
    ]


@pytest.mark.parametrize(
    ("error", "code", "message"),
    [
        ({"code": -32803, "message": "no"}, -32803, "no"),
        ({"code": "x"}, 0, ""),
        ({"message": 5}, 0, "5"),
        ({}, 0, ""),
    ],
)
async def test_an_incomplete_error_response_gets_defaults(
    error: dict[str, object], code: int, message: str
) -> None:
    with pytest.raises(RpcError) as caught:
        await ScriptedEditor({"error": error}).client.request("a", None)
    assert (caught.value.code, caught.value.message) == (code, message)


async def test_an_error_member_that_is_no_object_is_ignored() -> None:
    assert await ScriptedEditor({"error": 5, "result": 6}).client.request("a", None) == 6


async def test_a_request_without_response_times_out_and_a_late_response_is_dropped() -> None:
    editor = ScriptedEditor()
    with pytest.raises(TimeoutError):
        await editor.client.request("a", None, limit_s=0)
    editor.client.receive_response({"id": "twospeed-1", "result": 1})
    editor.client.receive_response({"id": None, "result": 1})
    editor.client.receive_response({})
    assert not editor.client._waiting


async def test_the_second_of_two_responses_is_dropped() -> None:
    editor = ScriptedEditor()
    request = asyncio.ensure_future(editor.client.request("a", None))
    await asyncio.sleep(0)
    for result in (1, 2):
        editor.client.receive_response({"id": "twospeed-1", "result": result})
    assert await request == 1


# Edits


@pytest.mark.parametrize(
    ("answer", "meaning"),
    [
        ({"result": {"applied": True}}, ApplyEditResult(applied=True)),
        ({"result": {"applied": False, "reason": "stale"}}, ApplyEditResult(applied=False, reason="stale")),
        ({"result": {"applied": False, "reason": "hidden"}}, ApplyEditResult(applied=False, reason="hidden")),
        ({"result": {"applied": False, "reason": "weather"}}, ApplyEditResult(applied=False)),
        ({"result": {"applied": []}}, ApplyEditResult(applied=False)),
        ({"result": None}, ApplyEditResult(applied=False)),
        (ERROR, ApplyEditResult(applied=False)),
    ],
)
async def test_a_streamed_edit_and_its_answers(answer: dict[str, Any], meaning: ApplyEditResult) -> None:
    editor = ScriptedEditor(answer, takes_stream=True)
    assert await editor.client.apply_edit(apply_request()) == meaning
    (sent,) = editor.sent
    assert (sent["method"], sent["params"]) == (
        "twospeed/applyEdit",
        {
            "editId": "e1",
            "seq": 3,
            "textDocument": {"uri": URI, "version": 7},
            "edits": [PLAIN],
            "undoStopBefore": True,
            "undoStopAfter": False,
        },
    )


@pytest.mark.parametrize(
    ("answer", "is_applied"),
    [
        ({"result": {"applied": True}}, True),
        ({"result": {"applied": 1}}, False),
        ({"result": {"applied": False}}, False),
        ({"result": True}, False),
        ({"result": None}, False),
        (ERROR, False),
    ],
)
async def test_a_standard_edit_and_its_answers(answer: dict[str, Any], is_applied: bool) -> None:
    for editor in (ScriptedEditor(answer), ScriptedEditor(answer, takes_stream=True)):
        is_hidden = editor.client.profile.takes_stream
        assert await editor.client.apply_edit(apply_request(is_hidden=is_hidden)) == ApplyEditResult(
            is_applied
        )
        (sent,) = editor.sent
        change = {"textDocument": {"uri": URI, "version": 7}, "edits": [PLAIN]}
        assert (sent["method"], sent["params"]) == (
            "workspace/applyEdit",
            {"label": "twospeed edit", "edit": {"documentChanges": [change]}},
        )


async def test_an_edit_without_response_is_unconfirmed(monkeypatch: pytest.MonkeyPatch) -> None:
    editor = ScriptedEditor()
    defaults = EditorClient.request.__kwdefaults__
    assert defaults
    monkeypatch.setitem(defaults, "limit_s", 0)
    with pytest.raises(EditUnconfirmed, match="did not respond in time"):
        await editor.client.apply_edit(apply_request())


class Held:
    def __init__(self, *, is_waited_for: bool) -> None:
        self.is_waited_for = is_waited_for

    async def wait_until_idle(self) -> bool:
        return self.is_waited_for


async def test_wait_until_idle_reports_delayed_messages() -> None:
    editor = ScriptedEditor()
    assert await editor.client.wait_until_idle() is False
    for is_waited_for in (True, False):
        held: Any = Held(is_waited_for=is_waited_for)
        editor.client.response_spacing = held
        assert await editor.client.wait_until_idle() is is_waited_for


# Questions to the user


@pytest.mark.parametrize(
    ("answer", "chosen"),
    [
        ({"result": {"title": "Yes"}}, "Yes"),
        ({"result": {"title": "No"}}, "No"),
        ({"result": {"title": "Perhaps"}}, None),
        ({"result": {}}, None),
        ({"result": "Yes"}, None),
        ({"result": None}, None),
    ],
)
async def test_a_question_and_its_answers(answer: dict[str, Any], chosen: str | None) -> None:
    editor = ScriptedEditor(answer, shows_questions=True)
    assert await editor.client.ask("May it?", ("Yes", "No")) == chosen
    assert editor.client.can_ask
    (sent,) = editor.sent
    assert (sent["method"], sent["params"]) == (
        "window/showMessageRequest",
        {"type": 3, "message": "May it?", "actions": [{"title": "Yes"}, {"title": "No"}]},
    )


async def test_an_error_response_to_a_question_disables_questions() -> None:
    editor = ScriptedEditor(ERROR, {"result": {"title": "Yes"}}, shows_questions=True)
    assert await editor.client.ask("One?", ("Yes",)) is None
    assert not editor.client.can_ask
    assert await editor.client.ask("Two?", ("Yes",)) is None
    assert len(editor.sent) == 1
    assert await ScriptedEditor().client.ask("Never announced", ("Yes",)) is None


async def test_open_questions_are_limited() -> None:
    editor = ScriptedEditor(shows_questions=True)
    questions = [asyncio.ensure_future(editor.client.ask("?", ("Yes",))) for _ in range(MAX_QUESTIONS + 1)]
    await asyncio.sleep(0)
    assert len(editor.sent) == MAX_QUESTIONS
    assert await questions.pop() is None
    editor.client.receive_response({"id": "twospeed-1", "result": {"title": "Yes"}})
    assert await questions.pop(0) == "Yes"
    questions.append(asyncio.ensure_future(editor.client.ask("?", ("Yes",))))
    await asyncio.sleep(0)
    assert len(editor.sent) == MAX_QUESTIONS + 1
    for question in questions:
        question.cancel()
    await asyncio.gather(*questions, return_exceptions=True)


@pytest.mark.parametrize(
    ("text", "max_chars", "shown"),
    [
        ("one\ntwo", 200, "one\\ntwo"),
        ("[a](command:b)", 200, "[a] (command:b)"),
        ("x" * 10, 10, "x" * 10),
        ("x" * 11, 10, "x" * 9 + "…"),
        ("x" * 200, None, "x" * 200),
        ("x" * 201, None, "x" * 199 + "…"),
    ],
)
def test_shown_text_is_one_line_of_limited_length(text: str, max_chars: int | None, shown: str) -> None:
    line = one_line(text) if max_chars is None else one_line(text, max_chars)
    assert line == (one_line(text, 10**6) if "\n" in text else shown)
    assert "\n" not in line


def test_a_message_is_one_line() -> None:
    editor = ScriptedEditor()
    editor.client.show_message(2, "x" * 300)
    assert editor.sent == [
        {
            "jsonrpc": "2.0",
            "method": "window/showMessage",
            "params": {"type": 2, "message": "x" * 199 + "…"},
        }
    ]


class Person:
    """A question, and the answers that came too late for it."""

    def __init__(self) -> None:
        self.late: list[str] = []
        self._answer: asyncio.Future[str | None] = asyncio.get_running_loop().create_future()
        self.question: asyncio.Task[str | None] = asyncio.ensure_future(self._wait())

    async def _wait(self) -> str | None:
        return await self._answer

    async def answers(self, title: str | None) -> None:
        self._answer.set_result(title)
        await asyncio.wait([self.question])
        await asyncio.sleep(0)

    async def fails(self) -> None:
        self._answer.set_exception(ValueError("x"))
        await asyncio.wait([self.question])
        await asyncio.sleep(0)


async def test_an_answer_in_time_is_returned() -> None:
    for title in ("Yes", None):
        person = Person()
        asked = asyncio.ensure_future(within_limit(person.question, person.late.append))
        await asyncio.sleep(0)
        await person.answers(title)
        assert await asked == title
        assert person.late == []


@pytest.mark.parametrize(
    ("act", "late"),
    [
        (lambda person: person.answers("Yes"), ["Yes"]),
        (lambda person: person.answers(None), []),
        (lambda person: person.fails(), []),
    ],
)
async def test_a_late_answer_is_reported(
    monkeypatch: pytest.MonkeyPatch, act: Callable[[Person], Any], late: list[str]
) -> None:
    monkeypatch.setattr(client_module, "USER_ANSWER_S", 0)
    person = Person()
    with pytest.raises(TimeoutError):
        await within_limit(person.question, person.late.append)
    assert not person.question.done()
    await act(person)
    assert person.late == late

    monkeypatch.setattr(client_module, "USER_ANSWER_S", 60)
    person = Person()
    asked = asyncio.ensure_future(within_limit(person.question, person.late.append))
    await asyncio.sleep(0)
    asked.cancel()
    await asyncio.wait([asked])
    assert not person.question.done()
    await act(person)
    assert person.late == late


async def test_a_cancelled_question_reports_no_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(client_module, "USER_ANSWER_S", 0)
    person = Person()
    with pytest.raises(TimeoutError):
        await within_limit(person.question, person.late.append)
    person.question.cancel()
    await asyncio.wait([person.question])
    await asyncio.sleep(0)
    assert person.late == []
