"""Edits by the whole server in an editor that has its own line ends and changes them.

The editor behaves like VS Code: inserted text gets the line ends of the document, and a change of all line ends is
one change of the whole text (``PieceTreeTextBuffer``, ``TextModel._setEOL``).
"""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pytest
import pytest_asyncio
from tests.scenarios.editor import LITERALS, STREAMING, URI, Buffer, Editor, place_range
from tests.scenarios.shop import EDITED, NEW, OLD, TEXT

from twospeed.testing.scripted_model import ScriptedModel, scripted_answer

END = re.compile(r"\r\n|\r|\n")
FIRST = 3
SHOWS: dict[str, Any] = {
    "workspace": {"workspaceEdit": {"documentChanges": True}},
    "textDocument": {**LITERALS["textDocument"], "publishDiagnostics": {}},
}
SUM = OLD.replace("result", "sum_of_items").replace(
    "    return", "    checked = sum_of_items > 0\n    return"
)
DOCUMENTED = OLD.replace(":\n", ':\n    """Add up.\n\n    Without tax.\n    """\n', 1)


@dataclass
class Model(Buffer):
    """A text model with its own line ends."""

    eol: str = "\n"

    def apply(self, edits: Sequence[Mapping[str, Any]]) -> None:
        super().apply([{**edit, "newText": END.sub(self.eol, edit["newText"])} for edit in edits])


class Normalizing(Editor):
    """An editor whose documents have one line end each."""

    def open(self, text: str, *, uri: str = URI, language: str = "python", eol: str = "\n") -> Buffer:
        opened = super().open(text, uri=uri, language=language)
        self.buffers[uri] = Model(uri, opened.text, eol=eol)
        return self.buffers[uri]

    def change_eol(self, eol: str) -> None:
        model = self.buffers[URI]
        assert isinstance(model, Model)
        lines = END.split(model.text)
        everything = place_range(0, 0, len(lines) - 1, len(lines[-1].encode("utf-16-le")) // 2)
        model.eol, model.text = eol, eol.join(lines)
        model.version += 1
        super()._did_change(model, [{"range": everything, "text": model.text}])

    def _did_change(self, buffer: Buffer, changes: list[dict[str, Any]]) -> None:
        assert isinstance(buffer, Model)
        super()._did_change(buffer, [{**each, "text": END.sub(buffer.eol, each["text"])} for each in changes])

    @property
    def text(self) -> str:
        return self.buffers[URI].text

    def check_same(self) -> None:
        """Assert that the server has the same text, to the byte."""
        session = self.server.session
        assert session
        assert session.channel(URI).document.text == self.text


KINDS: dict[str, tuple[Any, Any, str | None]] = {
    "streams": (STREAMING, None, None),
    "VS Code": (None, None, "Visual Studio Code"),
    "VS Code, streaming": (None, {"delivery": {"style": "stream"}}, "Visual Studio Code"),
}


@pytest_asyncio.fixture(params=KINDS.values(), ids=KINDS)
async def editor(request: pytest.FixtureRequest) -> AsyncIterator[Normalizing]:
    capabilities, options, name = request.param
    async with await Normalizing.started(capabilities, options=options, name=name) as started:
        yield started


def answers(*texts: str) -> ScriptedModel:
    return ScriptedModel(*(list(scripted_answer(text)) for text in texts))


def with_answer(answer: str, eol: str) -> str:
    return TEXT.replace(OLD, answer).replace("\n", eol)


@pytest.mark.parametrize("eol", ["\r\n", "\r"], ids=repr)
async def test_a_new_document_gets_the_line_ends_of_its_editor(editor: Normalizing, eol: str) -> None:
    editor.open("", eol=eol)
    editor.serve(answers(f"{NEW}\n\nTAX = 0.2"))
    result = await editor.edit(0)
    assert result["outcome"] == "applied"
    assert editor.text == f"{NEW}\n\nTAX = 0.2\n".replace("\n", eol)
    editor.check_same()
    await editor.request("twospeed/decide", {"editId": result["editId"], "action": "reject"})
    assert editor.text.strip() == ""


@pytest.mark.parametrize("had", ["\n", "\r\n", "\r"], ids=repr)
@pytest.mark.parametrize("answer", [NEW, SUM, DOCUMENTED], ids=["new", "sum", "documented"])
async def test_an_edit_after_a_change_of_all_line_ends_is_exact_and_is_rejected_to_the_byte(
    editor: Normalizing, had: str, answer: str
) -> None:
    editor.open(TEXT.replace("\n", had), eol=had)
    eol = "\n" if had == "\r\n" else "\r\n"
    editor.change_eol(eol)
    editor.serve(answers(answer))
    result = await editor.edit(FIRST)
    assert result["outcome"] == "applied"
    assert editor.text == with_answer(answer, eol)
    editor.check_same()
    await editor.request("twospeed/decide", {"editId": result["editId"], "action": "reject"})
    assert editor.text == TEXT.replace("\n", eol)


async def test_changed_line_ends_leave_an_edit_in_review(editor: Normalizing) -> None:
    editor.open(TEXT)
    editor.serve(answers(SUM))
    result = await editor.edit(FIRST)
    editor.change_eol("\r\n")
    status = await editor.request("twospeed/status", {})
    assert [each["state"] for each in status["edits"]] == ["review"]
    decided = {"editId": result["editId"], "action": "reject"}
    left = await editor.request("twospeed/decide", {**decided, "hunk": result["hunks"][0]["id"]})
    assert len(left["hunks"]) == len(result["hunks"]) - 1
    await editor.request("twospeed/decide", decided)
    assert editor.text == TEXT.replace("\n", "\r\n")
    editor.check_same()


async def test_line_ends_that_change_during_a_pending_edit_are_used_for_all_its_lines(
    editor: Normalizing,
) -> None:
    editor.open(TEXT)
    editor.serve(answers(DOCUMENTED))
    changes = iter(["\r\n", "\n", "\r\n"])

    def change_first(_: Editor) -> None:
        if eol := next(changes, None):
            editor.change_eol(eol)

    editor.before_apply = change_first
    result = await editor.edit(FIRST)
    assert (result["outcome"], result["conflicts"]) == ("applied", [])
    assert editor.text == with_answer(DOCUMENTED, "\r\n")
    editor.check_same()


async def test_other_answers_and_a_retry_follow_line_ends_too(editor: Normalizing) -> None:
    editor.open(TEXT)
    editor.serve(answers(NEW, SUM))
    params = editor.edit_params(FIRST, "tidy up", editId="c1", variations=2)
    await editor.request("twospeed/edit", params)
    assert editor.text == EDITED
    editor.change_eol("\r\n")
    for answer in (SUM, NEW, SUM):
        result = await editor.request("twospeed/variation", {"editId": "c1", "step": 1})
        assert editor.text == with_answer(answer, "\r\n")
        assert result["newText"] == answer.replace("\n", "\r\n")
    editor.change_eol("\n")
    editor.serve(answers(DOCUMENTED))
    await editor.command("twospeed.retry", {"editId": "c1"})
    await editor.wait_for(lambda: editor.text == with_answer(DOCUMENTED, "\n"))
    editor.check_same()


async def test_a_fix_of_a_finding_is_recognized_after_a_change_of_all_line_ends() -> None:
    async with await Normalizing.started(SHOWS) as editor:
        editor.open(TEXT)
        editor.serve(answers(OLD.replace("return result", "return json.dumps(result)")))

        def change_first(_: Editor) -> None:
            editor.before_apply = None
            editor.type(0, 0, "# shop\n")
            editor.change_eol("\r\n")

        editor.before_apply = change_first
        result = await editor.edit(FIRST)
        assert [each["code"] for each in result["findings"]] == ["unknown-name"]
        where = result["findings"][0]["range"]
        params = {"textDocument": {"uri": URI}, "range": where, "context": {"diagnostics": []}}
        actions = await editor.request("textDocument/codeAction", params)
        (edit,) = (each["edit"] for each in actions if each["title"] == "Add import json")
        editor.buffers[URI].apply(edit["documentChanges"][0]["edits"])
        assert editor.text.startswith("# shop\r\nimport json\r\nimport math\r\n\r\n")
