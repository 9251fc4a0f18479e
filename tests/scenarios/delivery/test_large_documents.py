"""In a document that is not parsed yet, an edit still gets its function while other messages are handled."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator, Callable, Iterator

import pytest
from tests.scenarios.editor import STREAMING, URI, Editor, RequestFailed

from twospeed import syntax
from twospeed.edits.writing import attempt
from twospeed.syntax import background
from twospeed.syntax.trees.trees import QUICK_BYTES, parse_fully
from twospeed.testing.scripted_model import ScriptedModel, scripted_answer
from twospeed.text.line_blocks import Lines

HEAD = "def price(item):\n    rate = 3\n\n    return item * rate\n\n\n"
ANSWER = "def price(item):\n    rate = 4\n\n    return item * rate\n"
TEXT = HEAD + "".join(f"value_{number} = {number}\n" for number in range(QUICK_BYTES // 8))
AT_RETURN = 3


def hold_threads(monkeypatch: pytest.MonkeyPatch) -> threading.Event:
    """Hold every thread that parses from now on, until the event is set."""
    gate = threading.Event()

    def wait_then_parse(language_id: str, lines: Lines) -> object:
        assert gate.wait(10)
        return parse_fully(language_id, lines)

    monkeypatch.setattr(background, "parse_fully", wait_then_parse)
    return gate


@pytest.fixture
def let_parse(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[], None]]:
    """Hold every thread that parses until the test releases it."""
    gate = hold_threads(monkeypatch)
    yield gate.set
    gate.set()


@pytest.fixture
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Raise the limit of a wait for a tree to ten seconds."""
    monkeypatch.setattr(background.wait_for_tree, "__kwdefaults__", {"limit_s": 10})


@pytest.fixture
async def editor() -> AsyncIterator[Editor]:
    async with await Editor.started(STREAMING) as editor:
        editor.serve(ScriptedModel(scripted_answer(ANSWER)))
        yield editor


@pytest.mark.usefixtures("patient")
async def test_an_edit_in_a_large_document_gets_its_function(editor: Editor) -> None:
    editor.open(TEXT)
    result = await editor.edit(AT_RETURN)
    assert (result["outcome"], result["scope"]["name"]) == ("applied", "price")
    assert editor.buffers[URI].text == TEXT.replace(HEAD, ANSWER + "\n\n")


@pytest.mark.usefixtures("patient")
async def test_typing_during_the_search_of_the_scope_stays_in_place(
    editor: Editor, let_parse: Callable[[], None]
) -> None:
    editor.open(TEXT)
    _, running = editor.ask("twospeed/edit", editor.edit_params(AT_RETURN))
    editor.type(0, 0, "# above\n")
    editor.type(3, 0, "    # inside")
    editor.type(9, 0, "# below\n")
    let_parse()
    result = await running
    assert result["outcome"] == "applied"
    text = editor.buffers[URI].text
    assert text.startswith(
        "# above\ndef price(item):\n    rate = 4\n    # inside\n    return item * rate\n\n\n"
    )
    assert text.count("# below\n") == 1


@pytest.mark.usefixtures("patient")
async def test_the_scope_has_the_edges_of_the_requested_version(
    editor: Editor, let_parse: Callable[[], None]
) -> None:
    editor.open(TEXT)
    _, running = editor.ask("twospeed/edit", editor.edit_params(AT_RETURN))
    editor.type(0, 0, "\n\n", end=(0, 0))
    editor.type(2, 0, "", end=(6, 0))
    let_parse()
    result = await running
    assert result["outcome"] == "conflict"
    assert editor.buffers[URI].text == "\n\n" + TEXT.removeprefix(ANSWER.replace("4", "3"))


async def test_a_late_parse_falls_back_to_the_block_around_the_cursor(
    editor: Editor, let_parse: Callable[[], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(attempt, "TREE_WAIT_S", 0.01)
    editor.serve(ScriptedModel(scripted_answer("    return item * rate * 2\n")))
    editor.open(TEXT)
    result = await editor.edit(AT_RETURN)
    assert (result["outcome"], result["scope"]["kind"]) == ("applied", "block")
    assert editor.buffers[URI].text == TEXT.replace("item * rate", "item * rate * 2")


@pytest.mark.parametrize("kind", ["function", "class"])
async def test_a_function_scope_is_refused_while_the_document_is_parsed(
    editor: Editor, let_parse: Callable[[], None], kind: str
) -> None:
    editor.open(TEXT)
    with pytest.raises(RequestFailed, match="scope: the document is still being parsed") as caught:
        await editor.edit(AT_RETURN, scope=kind, editId="mine")
    assert caught.value.code == -32602
    assert (await editor.request("twospeed/status", {}))["edits"] == []
    assert editor.buffers[URI].text == TEXT


@pytest.mark.usefixtures("patient")
async def test_a_class_scope_outside_of_a_class_is_refused(editor: Editor) -> None:
    editor.open(TEXT)
    with pytest.raises(RequestFailed, match="scope: there is no class around the selection"):
        await editor.edit(AT_RETURN, scope="class")


@pytest.mark.usefixtures("patient")
async def test_an_edit_can_be_cancelled_during_the_search_of_its_scope(
    editor: Editor, let_parse: Callable[[], None]
) -> None:
    editor.open(TEXT)
    _, running = editor.ask("twospeed/edit", editor.edit_params(AT_RETURN, editId="mine"))
    result = await editor.request("twospeed/cancel", {"editId": "mine"})
    let_parse()
    assert (result["outcome"], (await running)["outcome"]) == ("cancelled", "cancelled")
    assert editor.buffers[URI].text == TEXT


@pytest.mark.usefixtures("patient")
async def test_a_second_edit_of_the_function_waits_for_the_first(
    editor: Editor, let_parse: Callable[[], None]
) -> None:
    editor.open(TEXT)
    _, first = editor.ask("twospeed/edit", editor.edit_params(AT_RETURN))
    _, second = editor.ask("twospeed/edit", editor.edit_params(1))
    let_parse()
    assert (await first)["outcome"] == "applied"
    assert (await second)["outcome"] == "unchanged"


@pytest.mark.usefixtures("patient")
async def test_an_edit_requested_during_another_begins_where_the_other_ended(
    editor: Editor, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Even if the other ended before the scope of the second was found: its lines are not the user's."""
    editor.open(TEXT)
    assert (await editor.edit(AT_RETURN, deliver="preview"))["outcome"] == "applied"
    _, first = editor.ask("twospeed/edit", editor.edit_params(AT_RETURN))
    editor.type(9, 0, "# below\n")
    let_parse = hold_threads(monkeypatch)
    _, second = editor.ask("twospeed/edit", editor.edit_params(1))
    try:
        assert (await first)["outcome"] == "applied"
    finally:
        let_parse.set()
    result = await second
    assert (result["outcome"], result.get("clashes")) == ("unchanged", None)


@pytest.mark.usefixtures("patient")
async def test_an_edit_waits_for_earlier_edits_without_a_scope(
    editor: Editor, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The approximate scope of the first is one line, its exact scope the whole function."""
    is_second_asked, n_waiting = asyncio.Event(), 0

    async def in_thread(work: Callable[[], object]) -> object:
        nonlocal n_waiting
        n_waiting += 1
        if n_waiting == 1:
            await is_second_asked.wait()
        return work()

    monkeypatch.setattr(background, "in_thread", in_thread)
    monkeypatch.setattr(syntax, "start_parsing", lambda language_id, lines: None)
    editor.open(TEXT)
    _, first = editor.ask("twospeed/edit", editor.edit_params(AT_RETURN))
    editor.type(9, 0, "# below\n")
    _, second = editor.ask("twospeed/edit", editor.edit_params(1, scope="selection"))
    for _ in range(100):  # as long as an edit takes that does not wait
        await asyncio.sleep(0)
    assert not second.done()
    is_second_asked.set()
    assert (await first)["outcome"] == "applied"
    await second


async def test_a_command_in_a_large_document_responds_at_once(
    editor: Editor, let_parse: Callable[[], None]
) -> None:
    editor.open(TEXT)
    where = editor.edit_params(AT_RETURN)["range"]
    started = await editor.command("twospeed.edit", {"uri": URI, "range": where, "instruction": "do it"})
    assert set(started) == {"editId"}


@pytest.mark.usefixtures("patient")
async def test_scopes_are_those_of_the_requested_version(
    editor: Editor, let_parse: Callable[[], None]
) -> None:
    buffer = editor.open(TEXT)
    where = {"line": AT_RETURN, "character": 4}
    _, asked = editor.ask(
        "twospeed/scopes", {"textDocument": {"uri": URI, "version": buffer.version}, "position": where}
    )
    editor.type(0, 0, "# above\n")
    let_parse()
    found = await asked
    assert found["version"] == 1
    assert [scope["name"] for scope in found["scopes"]] == ["price", None]
    assert found["scopes"][0]["range"]["start"]["line"] == 0


@pytest.mark.usefixtures("patient")
async def test_the_prompt_preview_is_that_of_the_function(
    editor: Editor, let_parse: Callable[[], None]
) -> None:
    editor.open(TEXT)
    where = editor.edit_params(AT_RETURN)["range"]
    wanted = {"uri": URI, "range": where, "instruction": "do it", "scope": "function"}
    shown = asyncio.ensure_future(editor.command("twospeed.showPrompt", wanted))
    await asyncio.sleep(0)
    let_parse()
    assert (await shown)["messages"]


async def test_an_edit_has_an_outcome_if_parsing_its_document_fails(
    editor: Editor, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(language_id: str, lines: Lines) -> None:
        raise RuntimeError("the grammar is broken")

    monkeypatch.setattr(background, "parse_fully", fail)
    editor.open(TEXT)
    assert (await editor.edit(AT_RETURN))["outcome"] == "failed"
    assert editor.buffers[URI].text == TEXT


@pytest.mark.usefixtures("patient")
async def test_preparing_parses_the_document(editor: Editor) -> None:
    buffer = editor.open(TEXT)
    document = {"uri": URI, "version": buffer.version}
    where = editor.edit_params(AT_RETURN)["range"]
    assert await editor.request("twospeed/prepare", {"textDocument": document, "range": where}) == {}


async def test_the_user_is_told_why_a_command_found_no_function(
    editor: Editor, let_parse: Callable[[], None]
) -> None:
    editor.open(TEXT)
    where = editor.edit_params(AT_RETURN)["range"]
    await editor.command(
        "twospeed.edit", {"uri": URI, "range": where, "instruction": "do it", "scope": "function"}
    )
    await editor.wait_for(lambda: editor.messages("window/showMessage"))
    (message,) = editor.messages("window/showMessage")
    assert message["message"].startswith("the document is still being parsed")
