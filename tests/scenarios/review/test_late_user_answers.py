"""A late consent counts, a refusal is a refusal, and an unanswered question is neither."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping
from typing import Any

import pytest
from tests.scenarios.editor import LITERALS, STREAMING, URI, Editor, RequestFailed
from tests.scenarios.shop import EDITED, NEW, TEXT

from twospeed.budget.consent import consent_path, read_consent
from twospeed.config.paths import state_folder
from twospeed.models.catalog.providers import PROVIDERS
from twospeed.testing.scripted_model import ScriptedModel, scripted_answer

ASKS = {**STREAMING, "window": {"showMessage": {}}}
KEYS = {"CEREBRAS_API_KEY": "csk-test"}
CONFTEST = "file:///project/conftest.py"
CEREBRAS = PROVIDERS["cerebras"].settings

pytestmark = pytest.mark.security("R2.1")


class Person:
    """A user who answers questions when the test says so."""

    def __init__(self, editor: Editor) -> None:
        self.editor = editor
        self.questions: list[Mapping[str, Any]] = []
        send = editor._answer_request

        def keep(message: Mapping[str, Any]) -> None:
            if message["method"] == "window/showMessageRequest":
                self.questions.append(message)
                editor._tell()
            else:
                send(message)

        editor._answer_request = keep  # type: ignore[method-assign]

    async def is_asked(self, n: int = 1) -> None:
        await self.editor.wait_for(lambda: len(self.questions) >= n)

    def answers(self, title: str | None, number: int = -1) -> None:
        result = {"title": title} if title else None
        self.editor.send({"jsonrpc": "2.0", "id": self.questions[number]["id"], "result": result})

    def cannot_be_asked(self) -> None:
        error = {"code": -32601, "message": "no such method"}
        self.editor.send({"jsonrpc": "2.0", "id": self.questions[-1]["id"], "error": error})


@pytest.fixture
async def editor() -> AsyncIterator[Editor]:
    async with await Editor.started(ASKS, environ=KEYS) as editor:
        editor.open(TEXT)
        yield editor


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("twospeed.lsp.client.editor_client.USER_ANSWER_S", 0.01)


def serve(editor: Editor, model: ScriptedModel) -> list[str]:
    """Let the cloud model answer; return the opened models."""
    opened: list[str] = []
    assert editor.server.session
    source = editor.server.session.source
    builtin = source.open

    def noted(provider: Any, name: str, limits: Any) -> Any:
        opened.append(provider.name)
        return builtin(provider, name, limits) if provider.name == "builtin" else model

    source.open = noted
    return opened


async def edited(editor: Editor, **more: Any) -> Any:
    async with asyncio.timeout(60):
        return await editor.request("twospeed/edit", editor.edit_params(4, "rewrite it", **more))


@pytest.mark.usefixtures("impatient")
async def test_a_late_consent_allows_the_provider_from_then_on(editor: Editor) -> None:
    person, opened = Person(editor), serve(editor, ScriptedModel(scripted_answer(NEW)))
    result = await edited(editor)
    assert (result["outcome"], opened) == ("refused", ["builtin"])
    assert "was not answered" in result["reason"]["message"]
    person.answers("Yes")
    assert (await edited(editor))["outcome"] == "applied"
    assert opened[-1] == "cerebras"
    assert len(person.questions) == 1
    assert read_consent(consent_path(state_folder())).allows(CEREBRAS)
    assert editor.buffers[URI].text == EDITED


@pytest.mark.usefixtures("impatient")
@pytest.mark.parametrize("title", [None, "something else"])
async def test_an_unanswered_question_is_asked_again_by_the_next_edit(
    editor: Editor, title: str | None
) -> None:
    person, opened = Person(editor), serve(editor, ScriptedModel())
    await edited(editor)
    person.answers(title)
    await edited(editor)
    assert len(person.questions) == 2
    assert opened == ["builtin", "builtin"]


@pytest.mark.usefixtures("impatient")
async def test_a_late_decline_counts(editor: Editor) -> None:
    person, opened = Person(editor), serve(editor, ScriptedModel())
    await edited(editor)
    person.answers("No")
    result = await edited(editor)
    assert len(person.questions) == 1
    assert opened == ["builtin", "builtin"]
    assert "you refused to send code" in result["reason"]["message"]


async def test_a_decline_is_reported_and_not_asked_again(editor: Editor) -> None:
    person = Person(editor)
    serve(editor, ScriptedModel())
    _, first = editor.ask("twospeed/edit", editor.edit_params(4, "rewrite it"))
    await person.is_asked()
    person.answers("No")
    assert "you refused to send code" in (await first)["reason"]["message"]
    assert "you refused to send code" in (await edited(editor))["reason"]["message"]
    assert len(person.questions) == 1


@pytest.mark.usefixtures("impatient")
async def test_the_first_answer_to_two_questions_counts(editor: Editor) -> None:
    person, opened = Person(editor), serve(editor, ScriptedModel(scripted_answer(NEW)))
    await edited(editor)
    await edited(editor)
    assert len(person.questions) == 2
    person.answers("Yes", 0)
    person.answers(None, 1)
    await edited(editor)
    assert opened[-1] == "cerebras"


async def test_an_answer_to_the_question_of_a_cancelled_edit_counts(editor: Editor) -> None:
    person, opened = Person(editor), serve(editor, ScriptedModel(scripted_answer(NEW)))
    request_id, running = editor.ask("twospeed/edit", editor.edit_params(4, "rewrite it"))
    await person.is_asked()
    editor.notify("$/cancelRequest", {"id": request_id})
    with pytest.raises(RequestFailed, match="-32800"):
        await running
    person.answers("Yes")
    assert (await edited(editor))["outcome"] == "applied"
    assert opened == ["cerebras"]


async def test_edits_that_begin_together_share_a_question(editor: Editor) -> None:
    editor.open(TEXT, uri=CONFTEST.replace("conftest", "other"))
    person = Person(editor)
    serve(editor, ScriptedModel(scripted_answer(NEW), scripted_answer(NEW)))
    running = [editor.ask("twospeed/edit", editor.edit_params(4, uri=uri))[1] for uri in editor.buffers]
    await person.is_asked()
    person.answers("Yes")
    assert [(await each)["outcome"] for each in running] == ["applied", "applied"]
    assert len(person.questions) == 1


async def test_an_editor_that_cannot_ask_shows_how_to_consent() -> None:
    async with await Editor.started(STREAMING, environ=KEYS) as editor:
        editor.open(TEXT)
        serve(editor, ScriptedModel())
        message = (await edited(editor))["reason"]["message"]
        assert "this editor cannot ask for it" in message
        assert "config" in message


async def test_the_end_of_the_session_leaves_no_question() -> None:
    before = asyncio.all_tasks()
    async with await Editor.started(ASKS, environ=KEYS) as editor:
        editor.open(TEXT)
        person = Person(editor)
        serve(editor, ScriptedModel())
        editor.ask("twospeed/edit", editor.edit_params(4))
        await person.is_asked()
    await asyncio.gather(*editor._tasks)
    assert asyncio.all_tasks() <= before


# Files that tools run


async def conftest(editor: Editor) -> asyncio.Future[Any]:
    editor.open(TEXT, uri=CONFTEST)
    editor.serve(ScriptedModel(scripted_answer(NEW)))
    return editor.ask("twospeed/edit", editor.edit_params(4, uri=CONFTEST, editId="c1"))[1]


async def ended(result: asyncio.Future[Any]) -> tuple[str, str, str]:
    async with asyncio.timeout(60):
        said = await result
    return said["outcome"], said["reason"]["code"], said["reason"]["message"]


@pytest.mark.parametrize(
    ("title", "message"),
    [
        ("No", "you said no to an edit of conftest.py"),
        (
            None,
            "the question whether to edit conftest.py was closed without an answer; ask for the edit again",
        ),
    ],
)
async def test_an_edit_of_a_file_that_tools_run_reports_how_its_question_ended(
    title: str | None, message: str
) -> None:
    async with await Editor.started(ASKS) as editor:
        person = Person(editor)
        result = await conftest(editor)
        await person.is_asked()
        person.answers(title)
        assert await ended(result) == ("refused", "not-agreed", message)


@pytest.mark.usefixtures("impatient")
async def test_a_late_confirmation_of_a_finished_edit_reports_its_end() -> None:
    async with await Editor.started(ASKS) as editor:
        person = Person(editor)
        outcome, code, message = await ended(await conftest(editor))
        assert (outcome, code) == ("refused", "not-agreed")
        assert message == (
            "the question whether to edit conftest.py was not answered in time; ask for the edit again"
        )
        person.answers("Yes")
        await editor.wait_for(lambda: editor.messages("window/showMessage"))
        assert "has ended" in editor.messages("window/showMessage")[-1]["message"]
        assert editor.buffers[CONFTEST].text == TEXT


async def test_an_editor_that_cannot_ask_gets_a_reason_and_an_alternative() -> None:
    async with await Editor.started(STREAMING) as editor:
        outcome, code, message = await ended(await conftest(editor))
        assert (outcome, code) == ("refused", "not-agreed")
        assert "cannot ask" in message
        assert "preview" in message
        assert editor.buffers[CONFTEST].text == TEXT


@pytest.mark.parametrize("announces", [True, False])
async def test_an_editor_that_cannot_ask_offers_the_edit_as_a_code_action(announces: bool) -> None:
    window: dict[str, Any] = {"window": {"showMessage": {}}} if announces else {}
    async with await Editor.started({**STREAMING, **LITERALS, **window}) as editor:
        person = Person(editor)
        result = await conftest(editor)
        if announces:
            await person.is_asked()
            person.cannot_be_asked()
        await editor.wait_for(lambda: editor.messages("window/showMessage"))
        assert editor.buffers[CONFTEST].text == TEXT
        place = {"start": {"line": 4, "character": 0}, "end": {"line": 4, "character": 0}}
        params = {"textDocument": {"uri": CONFTEST}, "range": place, "context": {"diagnostics": []}}
        actions = await editor.request("textDocument/codeAction", params)
        (take,) = [each for each in actions if "edit" in each]
        (edits,) = take["edit"]["changes"].values()
        editor.buffers[CONFTEST].apply(edits)
        changes = [{"range": each["range"], "text": each["newText"]} for each in reversed(edits)]
        editor._did_change(editor.buffers[CONFTEST], changes)
        async with asyncio.timeout(60):
            assert (await result)["outcome"] == "applied"
        assert editor.buffers[CONFTEST].text == EDITED
