"""Imports that an edit made unused are offered for removal, and stay without it."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
from tests.scenarios.delivery.test_delivery_by_client import actions
from tests.scenarios.editor import LITERALS, URI, Editor
from tests.scenarios.scripted import steps_of, text_of

from twospeed import syntax
from twospeed.edits.after.unused_imports import find_unused_imports
from twospeed.testing.scripted_model import ScriptedModel

KIND: dict[str, Any] = {
    **LITERALS,
    "textDocument": {**LITERALS["textDocument"], "publishDiagnostics": {}},
    "workspace": {"workspaceEdit": {"documentChanges": True}},
}
SCOPE = """\
def total(items):
    text = json.dumps(items)
    return len(text) + math.floor(Decimal(items[0]))
"""
TEXT = f"import json\nimport math\nfrom decimal import ROUND_UP, Decimal\n\n\n{SCOPE}\n\nprint(ROUND_UP)\n"
ANSWER = "def total(items):\n    return len(items)\n"
EDITED = TEXT.replace(SCOPE, ANSWER)
LINE = 6


@asynccontextmanager
async def edited(answer: str = ANSWER, text: str = TEXT, uri: str = URI) -> AsyncIterator[Editor]:
    async with await Editor.started(KIND) as editor:
        editor.open(text, uri=uri)
        editor.serve(ScriptedModel(steps_of(answer)))
        assert (await editor.edit(LINE, uri=uri))["outcome"] == "applied"
        yield editor


def found(editor: Editor) -> list[tuple[int, str]]:
    """Return the line and the message of each finding about an unused import."""
    published = editor.messages("textDocument/publishDiagnostics")
    shown = published[-1]["diagnostics"] if published else []
    return [
        (each["range"]["start"]["line"], each["message"]) for each in shown if each["code"] == "import-unused"
    ]


async def fixes(editor: Editor, line: int) -> list[Any]:
    return [each for each in await actions(editor, line) if "unused" in each["title"]]


async def test_unused_imports_are_offered_and_not_removed() -> None:
    async with edited() as editor:
        await editor.wait_for(lambda: found(editor))
        assert text_of(editor) == EDITED
        assert found(editor) == [
            (0, "no longer used: json"),
            (1, "no longer used: math"),
            (2, "no longer used: Decimal"),
        ]


@pytest.mark.parametrize("line", [0, 1, 2])
async def test_one_action_removes_all_of_them(line: int) -> None:
    async with edited() as editor:
        await editor.wait_for(lambda: found(editor))
        editor.type(8, 0, "# typed\n")
        (fix,) = await fixes(editor, line)
        assert fix["title"] == "Remove unused imports"
        (change,) = fix["edit"]["documentChanges"]
        assert change["textDocument"]["version"] == editor.buffers[URI].version
        assert editor._apply(change["textDocument"], change["edits"])
        await editor.wait_for(lambda: not found(editor))
        lines = EDITED.splitlines(keepends=True)
        typed = "".join([*lines[:8], "# typed\n", *lines[8:]])
        assert text_of(editor) == typed.replace("import json\nimport math\n", "").replace(
            "ROUND_UP, Decimal", "ROUND_UP"
        )


async def test_the_offer_ends_with_the_edit() -> None:
    async with edited() as editor:
        await editor.wait_for(lambda: found(editor))
        await editor.command("twospeed.reject")
        await editor.wait_for(lambda: text_of(editor) == TEXT and not found(editor))
        assert await fixes(editor, 0) == []


async def test_a_name_that_a_rejected_hunk_uses_is_no_longer_found() -> None:
    answer = SCOPE.replace("json.dumps", "str").replace("math.floor", "int")
    async with edited(answer) as editor:
        await editor.wait_for(lambda: found(editor))
        assert [message for _, message in found(editor)] == ["no longer used: json", "no longer used: math"]
        await editor.request("twospeed/decide", {"editId": "e1", "action": "reject", "hunk": "h1"})
        await editor.wait_for(lambda: not found(editor))


async def test_a_name_that_the_user_types_again_has_no_fix() -> None:
    async with edited() as editor:
        await editor.wait_for(lambda: found(editor))
        editor.type(8, 0, "json.x, math.x, Decimal\n")
        assert await fixes(editor, 0) == []


@pytest.mark.parametrize(
    "uri",
    ["file:///project/__init__.py", "file:///project/a.ipynb#W1", "vscode-notebook-cell:/project/a.ipynb#W1"],
)
async def test_imports_that_other_files_or_cells_may_use_are_not_searched(
    uri: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with edited(uri=uri) as editor:
        assert not await is_searched(editor, monkeypatch)


async def test_an_edit_that_removes_no_line_starts_no_search(monkeypatch: pytest.MonkeyPatch) -> None:
    async with edited(SCOPE.replace("    return", "    print(text)\n    return")) as editor:
        assert not await is_searched(editor, monkeypatch)


async def test_the_tests_notice_a_search(monkeypatch: pytest.MonkeyPatch) -> None:
    async with edited() as editor:
        assert await is_searched(editor, monkeypatch)


async def is_searched(editor: Editor, monkeypatch: pytest.MonkeyPatch) -> bool:
    """Return whether the newest edit, which is in review, causes a search."""
    searched: list[object] = []

    def record(*arguments: object) -> tuple[str, ...]:
        searched.append(arguments)
        return ()

    monkeypatch.setattr(syntax, "removed_names", record)
    assert editor.server.session
    assert await find_unused_imports(editor.server.session.scheduler.edits[-1]) == []
    return bool(searched)
