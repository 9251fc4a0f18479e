"""Edits outside their bounds are not sent, and edits of files that tools run need confirmation."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import Any

import pytest
from tests.scenarios.editor import STREAMING, Editor, place_range
from tests.scenarios.shop import EDITED, NEW, TEXT
from tests.security.key_formats import CANARIES

from twospeed.delivery.bounds_check import EditOutOfBounds, check_document, check_edits
from twospeed.gate import confirmation_reason
from twospeed.models.base import TextDelta
from twospeed.testing.scripted_model import ScriptedModel, scripted_answer
from twospeed.text.document import Document
from twospeed.text.edits import LineEdit, TextEdit
from twospeed.text.positions import Position, Range

FIRST = 3
CONFTEST = "file:///project/conftest.py"
ASKING: dict[str, Any] = {**STREAMING, "window": {"showMessage": {}}}
DOCUMENT = Document.opened("file:///a.py", 3, "python", "zero\none\ntwo\nthree", "utf-16")

pytestmark = pytest.mark.security("R1")


def at(*places: int) -> TextEdit:
    first, head, last, tail = places
    return TextEdit(Range(Position(first, head), Position(last, tail)), "x")


def passes(edits: list[TextEdit], start: int, end: int) -> bool:
    try:
        check_edits(edits, [DOCUMENT.editable_range(start, end)])
    except EditOutOfBounds:
        return False
    return True


@pytest.mark.parametrize(
    ("edits", "start", "end"),
    [
        ([at(1, 0, 2, 0)], 1, 2),
        ([at(1, 2, 1, 3)], 1, 2),
        ([at(1, 0, 1, 0), at(1, 0, 2, 0)], 1, 2),
        ([at(2, 3, 3, 5)], 3, 4),  # the last line goes, and the line end above it
        ([at(3, 5, 3, 5)], 3, 4),
        ([], 1, 2),
    ],
)
def test_edits_within_their_lines_pass(edits: list[TextEdit], start: int, end: int) -> None:
    assert passes(edits, start, end)
    assert not edits or not passes(edits, 0, 1), "an edit of other lines does not pass for the first line"


@pytest.mark.parametrize(
    "edits",
    [
        [at(0, 4, 1, 0)],
        [at(1, 0, 2, 1)],
        [at(2, 0, 2, 1)],
        [at(0, 0, 3, 5)],
        [at(1, 2, 1, 1)],
        [at(1, 0, 1, 2), at(1, 1, 1, 3)],
    ],
)
def test_edits_beyond_their_lines_or_overlapping_do_not_pass(edits: list[TextEdit]) -> None:
    with pytest.raises(EditOutOfBounds):
        check_edits(edits, [DOCUMENT.editable_range(1, 2)])


def test_edits_of_another_document_version_or_text_do_not_pass() -> None:
    others = [
        replace(DOCUMENT, uri="file:///b.py"),
        replace(DOCUMENT, version=4),
        DOCUMENT.with_edits([LineEdit(0, 1, ("0",))]),
    ]
    for other in others:
        with pytest.raises(EditOutOfBounds):
            check_document(other, DOCUMENT)


@pytest.mark.parametrize(
    "path",
    [
        "package.json",
        "web/package.json",
        "Makefile",
        "tests/conftest.py",
        "setup.py",
        ".github/workflows/ci.yml",
        ".vscode/tasks.json",
        "shop.code-workspace",
        "src/.dir-locals.el",
        ".nvim.lua",
        ".git/hooks/pre-commit",
        "scripts/deploy.sh",
        "AGENTS.md",
        "CLAUDE.md",
        ".cursor/rules/a.mdc",
        ".cursorrules",
        ".envrc",
        ".gitlab-ci.yml",
        ".twospeed.toml",
        "/somewhere/else/Makefile",
        "MAKEFILE",
        "a\\.GITHUB\\workflows\\ci.yml",
        "Makefile.",
        "from:here.sh",
        "package.json::$DATA",
        ".vscode. /tasks.json",
        "C:/shop/.git/hooks/pre-commit",
    ],
)
def test_files_that_tools_run_or_obey_need_confirmation(path: str) -> None:
    assert confirmation_reason(path)


@pytest.mark.parametrize(
    "path", ["shop.py", "src/package.py", "README.md", "github.py", "makefile.md", "a.ts"]
)
def test_other_files_need_no_confirmation(path: str) -> None:
    assert confirmation_reason(path) is None


async def edited(editor: Editor, answer: str | None, **more: Any) -> tuple[Any, str]:
    buffer = editor.open(TEXT, uri=CONFTEST)
    editor.serve(ScriptedModel(scripted_answer(NEW)))

    def reply(method: str, params: Any) -> Any:
        if method == "window/showMessageRequest":
            assert buffer.text == TEXT, "no edit is applied before the confirmation"
            return {"title": answer} if answer else None
        return None

    editor.answer = reply
    params = editor.edit_params(FIRST, uri=CONFTEST, **more)
    async with asyncio.timeout(60):
        return await editor.request("twospeed/edit", params), buffer.text


async def test_an_edit_of_a_file_that_tools_run_is_applied_in_one_batch_after_confirmation() -> None:
    async with await Editor.started(ASKING) as editor:
        result, text = await edited(editor, "Yes")
        assert (result["outcome"], text) == ("applied", EDITED)
        assert [method for method, _ in editor.requests].count("twospeed/applyEdit") == 1
        (asked,) = [params for method, params in editor.requests if method == "window/showMessageRequest"]
        assert "conftest.py" in asked["message"]


@pytest.mark.parametrize("answer", ["No", None])
async def test_without_confirmation_the_edit_is_refused(answer: str | None) -> None:
    async with await Editor.started(ASKING) as editor:
        result, text = await edited(editor, answer)
        assert (result["outcome"], result["reason"]["code"], text) == ("refused", "not-agreed", TEXT)


async def test_an_editor_that_cannot_ask_declines() -> None:
    async with await Editor.started(STREAMING) as editor:
        result, text = await edited(editor, "Yes")
        assert (result["outcome"], result["reason"]["code"], text) == ("refused", "not-agreed", TEXT)


async def test_a_preview_of_a_file_that_tools_run_needs_no_confirmation() -> None:
    async with await Editor.started(STREAMING) as editor:
        result, text = await edited(editor, None, deliver="preview")
        assert (result["outcome"], text) == ("applied", TEXT)


KEY_LINE = f'TOKEN = "{CANARIES["github"]}"\n'
READS_KEY = 'TOKEN = os.environ["TOKEN"]\n'


@pytest.mark.parametrize(
    ("answer", "outcome", "text"),
    [
        ("Yes", "applied", READS_KEY + TEXT),
        ("No", "refused", KEY_LINE + TEXT),
        (None, "refused", KEY_LINE + TEXT),
    ],
)
async def test_an_edit_that_removes_a_secret_asks_once_and_names_its_line(
    answer: str | None, outcome: str, text: str
) -> None:
    async with await Editor.started(ASKING) as editor:
        buffer = editor.open(KEY_LINE + TEXT)
        editor.serve(ScriptedModel(scripted_answer(f"```python\n{READS_KEY}```\n")))
        editor.answer = lambda method, _: (
            {"title": answer} if method == "window/showMessageRequest" and answer else None
        )
        params = editor.edit_params(0, range=place_range(0, 0, 1, 0), scope="selection")
        async with asyncio.timeout(60):
            result = await editor.request("twospeed/edit", params)
        assert (result["outcome"], buffer.text) == (outcome, text)
        (asked,) = [params for method, params in editor.requests if method == "window/showMessageRequest"]
        assert 'the secret in line 1 ("TOKEN") was removed' in asked["message"]
        assert "secret-gone" in [finding["code"] for finding in result["findings"]]
        assert CANARIES["github"] not in str((asked, result["findings"]))


async def test_the_users_undo_of_an_edit_rejects_it() -> None:
    async with await Editor.started(STREAMING) as editor:
        buffer = editor.open(TEXT)
        editor.serve(ScriptedModel(scripted_answer(NEW)))
        assert (await editor.edit(FIRST, editId="c1"))["outcome"] == "applied"
        n_lines = buffer.text.count("\n")
        editor.type(0, 0, TEXT, end=(n_lines, 0))
        status = await editor.request("twospeed/status", {})
        (edit,) = status["edits"]
        assert (edit["state"], edit["verdict"]) == ("ended", "rejected")
        (*_, last) = editor.messages("twospeed/editChanged")
        assert (last["state"], last["verdict"]) == ("ended", "rejected")


async def test_an_undo_reported_with_other_changes_rejects_the_edit() -> None:
    async with await Editor.started(STREAMING) as editor:
        buffer = editor.open(TEXT)
        editor.serve(ScriptedModel(scripted_answer(NEW)))
        assert (await editor.edit(FIRST, editId="c1"))["outcome"] == "applied"
        undone = place_range(0, 0, buffer.text.count("\n"), 0)
        done_again = place_range(0, 0, TEXT.count("\n"), 0)
        changes = [{"range": undone, "text": TEXT}, {"range": done_again, "text": buffer.text}]
        document = {"uri": buffer.uri, "version": buffer.version + 1}
        editor.notify("textDocument/didChange", {"textDocument": document, "contentChanges": changes})
        (edit,) = (await editor.request("twospeed/status", {}))["edits"]
        assert (edit["state"], edit["verdict"]) == ("ended", "rejected")


async def test_undoing_a_part_leaves_the_rest_in_review(streaming: Editor) -> None:
    streaming.serve(ScriptedModel(scripted_answer(NEW)))
    result = await streaming.edit(FIRST, editId="c1")
    first = result["hunks"][0]
    line = first["range"]["start"]["line"]
    end = first["range"]["end"]["line"]
    streaming.type(line, 0, first["removed"], end=(end, 0))
    (edit,) = (await streaming.request("twospeed/status", {}))["edits"]
    assert edit["state"] == "review"


async def test_saving_an_unfinished_edit_causes_one_warning() -> None:
    async with await Editor.started(STREAMING) as editor:
        buffer = editor.open(TEXT)
        go_on = asyncio.Event()
        half = TextDelta(NEW[: NEW.index("item.price")])
        editor.serve(ScriptedModel([half, go_on, *scripted_answer(NEW.removeprefix(half.text))]))
        _, result = editor.ask("twospeed/edit", editor.edit_params(FIRST))
        await editor.wait_for(lambda: "amount = 0" in buffer.text)
        for _ in range(2):
            editor.notify("textDocument/didSave", {"textDocument": {"uri": buffer.uri}})
        go_on.set()
        async with asyncio.timeout(60):
            assert (await result)["outcome"] == "applied"
        (message,) = editor.messages("window/showMessage")
        assert "saved while an edit" in message["message"]
