"""One message with thousands of changes, as after replacing a word everywhere."""

from __future__ import annotations

import random
import re
from collections.abc import AsyncIterator, Iterable
from typing import Any

import pytest
from tests.scenarios.editor import URI, Editor, RequestFailed
from tests.scenarios.shop import NEW, TEXT

from twospeed.lsp.session import open_documents
from twospeed.testing.scripted_model import ScriptedModel, scripted_answer
from twospeed.text.document import ContentChange, Document, Splice

pytestmark = pytest.mark.security("R11.2")

TEXTS = {
    "one long line": "let é=item;" * 5_000 + "\n",
    "many lines": "item = [item, item]\r\n" * 2_000,
    "the end of a long document": "#\n" * 100_000 + "item\n" * 2_000,
}


@pytest.fixture
async def editor() -> AsyncIterator[Editor]:
    async with await Editor.started() as editor:
        editor.serve(ScriptedModel(scripted_answer(NEW)))
        yield editor


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch) -> list[ContentChange]:
    """Record the changes that are applied to documents."""
    changes: list[ContentChange] = []
    change = Document.changed

    def changed(document: Document, each: ContentChange) -> tuple[Document, Splice]:
        changes.append(each)
        return change(document, each)

    monkeypatch.setattr(Document, "changed", changed)
    return changes


def replaced(text: str, new: str, *, from_below: bool) -> list[dict[str, Any]]:
    """Replace "item" everywhere, last first or first first; then earlier changes move the rest of their line."""
    changes = []
    for line, body in enumerate(text.split("\n")):
        growth = 0 if from_below else len(new) - len("item")
        for number, match in enumerate(re.finditer("item", body)):
            changes.append(change_at(line, match.start() + number * growth, new, length=len("item")))
    return changes[::-1] if from_below else changes


def change_at(line: int, character: int, text: str, length: int = 0) -> dict[str, Any]:
    start, end = ({"line": line, "character": character + n} for n in (0, length))
    return {"range": {"start": start, "end": end}, "text": text}


async def tell(editor: Editor, changes: Iterable[dict[str, Any]], version: int = 2) -> None:
    params = {"textDocument": {"uri": URI, "version": version}, "contentChanges": list(changes)}
    editor.notify("textDocument/didChange", params)
    await editor.command("twospeed.status")


def server_text(editor: Editor) -> str:
    assert editor.server.session
    return editor.server.session.documents.channel(URI).document.text


@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
@pytest.mark.parametrize("from_below", [True, False])
async def test_a_word_replaced_everywhere_is_one_change(
    editor: Editor, made: list[ContentChange], text: str, *, from_below: bool
) -> None:
    editor.open(text)
    await tell(editor, replaced(text, "thing", from_below=from_below))
    assert server_text(editor) == text.replace("item", "thing")
    assert len(made) == 1


async def test_a_word_replaced_by_two_lines_everywhere_is_one_change(
    editor: Editor, made: list[ContentChange]
) -> None:
    text = TEXTS["many lines"]
    editor.open(text)
    await tell(editor, replaced(text, "a\r\nb", from_below=True))
    assert server_text(editor) == text.replace("item", "a\r\nb")
    assert len(made) == 1


async def test_an_edit_in_review_follows_each_bulk_change(editor: Editor, made: list[ContentChange]) -> None:
    text = "item = item\n" * 2_000 + TEXT
    buffer = editor.open(text)
    edit = await editor.edit(2_004)
    changes = replaced("item = item\n" * 2_000, "a\nb", from_below=True)
    made.clear()
    buffer.text = buffer.text.replace("item = item", "a\nb = a\nb")
    buffer.version += 1
    await tell(editor, changes, version=buffer.version)
    assert len(made) == len(changes)
    await editor.request("twospeed/decide", {"editId": edit["editId"], "action": "reject"})
    assert buffer.text == text.replace("item = item", "a\nb = a\nb")


async def test_a_few_changes_are_applied_one_by_one(editor: Editor, made: list[ContentChange]) -> None:
    text = "item\n" * 200
    editor.open(text)
    await tell(editor, replaced(text, "thing", from_below=True))
    assert server_text(editor) == text.replace("item", "thing")
    assert len(made) == 200


async def test_changes_in_any_order_are_followed(editor: Editor) -> None:
    rng = random.Random(1)
    text = "item\n" * 3_000
    lines = text.split("\n")
    changes = []
    for _ in range(4_000):
        line = rng.randrange(3_000)
        changes.append(change_at(line, 0, "a"))
        lines[line] = "a" + lines[line]
    editor.open(text)
    await tell(editor, changes)
    assert server_text(editor) == "\n".join(lines)


async def test_changes_in_any_order_of_a_long_line_leave_a_document_that_is_not_edited(
    editor: Editor, made: list[ContentChange], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(open_documents, "MAX_COST_IN_STEPS", 60_000_000)
    rng = random.Random(1)
    editor.open("x" * 90_000 + "\n")
    await tell(editor, (change_at(0, rng.randrange(90_000), "a") for _ in range(20_000)))
    with pytest.raises(RequestFailed, match="one message changed it in 20,000 places, too many"):
        await editor.edit(0)
    assert len(made) == open_documents.CHANGES_AT_ONCE


async def test_ordered_changes_behind_unordered_ones_are_one_change(
    editor: Editor, made: list[ContentChange], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(open_documents, "MAX_COST_IN_STEPS", 40_000_000)
    text = "item;" * 10_000
    editor.open(text)
    disorder = [change_at(0, character % 7, "a") for character in range(500)]
    await tell(editor, [*disorder, *(change_at(0, at, "b") for at in range(10_000, 0, -1))])
    assert len(made) == open_documents.CHANGES_AT_ONCE + 1
    assert server_text(editor).count("b") == 10_000


async def test_line_ends_that_join_are_read_after_each_change(editor: Editor) -> None:
    text = "item\r" * 2_000
    editor.open(text)
    await tell(editor, (change_at(line, 0, "\n") for line in range(1_999, -1, -1)))
    assert server_text(editor) == "\nitem\r" * 2_000
