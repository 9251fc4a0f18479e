"""Follow-through: an edit in review changed a signature, and its callers are updated as one group of edits."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.scenarios.calls import (
    CALLS,
    HEAD,
    NEW_HEAD,
    TEXT,
    UPDATED,
    finished,
    offered,
    offers,
    opened,
    uri_in,
)
from tests.scenarios.editor import LITERALS, STREAMING, URI, RequestFailed
from tests.scenarios.scripted import text_of

KINDS = pytest.mark.parametrize("kind", [STREAMING, None], ids=["streaming", "stock"])
LENSES: dict[str, Any] = {
    **STREAMING,
    "textDocument": {**LITERALS["textDocument"], "codeLens": {}},
    "workspace": {"codeLens": {"refreshSupport": True}},
}


@KINDS
async def test_the_callers_of_a_changed_signature_are_updated(kind: Any) -> None:
    editor, model = await opened(kind)
    async with editor:
        result = await editor.edit(0, "add the tax", editId="c1")
        assert await offered(editor) == ["⚡ Update callers (2)"]
        updated = await editor.command("twospeed.updateCallers", "c1")
        assert (updated["places"], updated["elsewhere"]) == (2, [])
        await finished(editor, 3)
        assert text_of(editor) == UPDATED
        assert [each.task.scope_text for each in model.requests[1:]] == [
            "    print(total([1]))\n",
            "    return total([2])\n",
        ]
        expected = "Update this call of `total(items)` to its new signature `total(items, tax)`. Change nothing else."
        assert {each.task.instruction for each in model.requests[1:]} == {expected}
        assert await offers(editor) == []
        assert result["mode"] == "lightning"
        await editor.request("twospeed/decide", {"editId": updated["editId"], "action": "reject"})
        assert text_of(editor) == NEW_HEAD + CALLS


async def test_the_prompt_of_a_caller_shows_the_new_signature() -> None:
    editor, model = await opened(STREAMING)
    async with editor:
        await editor.edit(0, editId="c1")
        await offered(editor)
        await editor.command("twospeed.updateCallers")
        await finished(editor, 3)
        assert all("total(items, tax)" in each.messages[-1].content for each in model.requests[1:])
        assert all(
            "def total(items):" not in message.content
            for each in model.requests[1:]
            for message in each.messages
        )


async def test_a_lens_offers_the_update_above_the_edit() -> None:
    editor, _ = await opened(LENSES)
    async with editor:
        await editor.edit(0, editId="c1")
        await offered(editor)
        await editor.wait_for(
            lambda: any(method == "workspace/codeLens/refresh" for method, _ in editor.requests)
        )
        lenses = await editor.request("textDocument/codeLens", {"textDocument": {"uri": URI}})
        assert lenses[0]["command"] == {
            "title": "⚡ Update callers (2)",
            "command": "twospeed.updateCallers",
            "arguments": ["c1"],
        }
        await editor.command("twospeed.reject")
        await editor.wait_for(lambda: text_of(editor) == TEXT)
        assert await editor.request("textDocument/codeLens", {"textDocument": {"uri": URI}}) == []


@pytest.mark.parametrize(
    "head",
    [
        "def total(items):\n    return 2 * sum(items)\n",
        "def total(items, tax=1):\n    return sum(items) * tax\n",
    ],
)
async def test_a_change_that_callers_need_not_know_is_not_offered(head: str) -> None:
    editor, _ = await opened(STREAMING, head)
    async with editor:
        await editor.edit(0, editId="c1")
        with pytest.raises(RequestFailed, match="changed no name, parameter or result"):
            await editor.command("twospeed.updateCallers")
        assert await offers(editor) == []


async def test_calls_in_closed_files_and_uncertain_ones_are_listed(tmp_path: Path) -> None:
    cart = "from prices import total\n\nprint(total([3]))\nmap(total, [])\n"
    (tmp_path / "prices.py").write_text(HEAD)
    (tmp_path / "cart.py").write_text(cart)
    (tmp_path / "closed.py").write_text("import prices\n\nprint(prices.total([4]))\n")
    (tmp_path / "other.py").write_text("from math import total\n\nprint(total([4]))\n")
    (tmp_path / "credentials.py").write_text("from prices import total\nprint(total([5]))\n")
    (tmp_path / ".gitignore").write_text("ignored.py\n")
    (tmp_path / "ignored.py").write_text("from prices import total\nprint(total([5]))\n")
    editor, model = await opened(STREAMING, root=tmp_path, text=HEAD)
    async with editor:
        editor.open("from prices import total\nprint(total([5]))\n", uri=uri_in(tmp_path, "credentials.py"))
        editor.open(cart, uri=uri_in(tmp_path, "cart.py"))
        await editor.edit(0, editId="c1", uri=uri_in(tmp_path))
        assert await offered(editor, uri_in(tmp_path)) == ["⚡ Update callers (1)"]
        updated = await editor.command("twospeed.updateCallers", "c1")
        await finished(editor, 2)
        assert editor.buffers[uri_in(tmp_path, "cart.py")].text == cart.replace("[3])", "[3], 1)")
        assert updated["places"] == 1
        assert updated["elsewhere"] == [
            {
                "uri": uri_in(tmp_path, "closed.py"),
                "line": 2,
                "certain": True,
                "text": "print(prices.total([4]))",
                "reason": "this editor opens no files for the server",
            },
            {
                "uri": uri_in(tmp_path, "cart.py"),
                "line": 3,
                "certain": False,
                "text": "map(total, [])",
                "reason": None,
            },
        ]
        (shown,) = editor.messages("window/showMessage")
        assert shown["message"] == (
            "1 call of total is updated; 2 more places may use it: closed.py:3, cart.py:4"
        )
        assert "total(items, tax)" in model.requests[-1].messages[-1].content
        assert (tmp_path / "closed.py").read_text() == "import prices\n\nprint(prices.total([4]))\n"


async def test_a_workspace_without_open_callers_has_a_list(tmp_path: Path) -> None:
    (tmp_path / "prices.py").write_text(HEAD)
    (tmp_path / "closed.py").write_text("import prices\n\nprint(prices.total([4]))\n")
    editor, model = await opened(STREAMING, root=tmp_path, text=HEAD)
    async with editor:
        await editor.edit(0, editId="c1", uri=uri_in(tmp_path))
        assert await offered(editor, uri_in(tmp_path)) == ["⚡ List callers (1)"]
        updated = await editor.command("twospeed.updateCallers", "c1")
        assert (updated["editId"], updated["places"], len(updated["elsewhere"])) == (None, 0, 1)
        assert len(model.requests) == 1


@KINDS
async def test_a_renamed_function_is_renamed_in_imports_and_calls(kind: Any, tmp_path: Path) -> None:
    cart = "from prices import total\n\nprint(total([3]))\n"
    (tmp_path / "prices.py").write_text(HEAD)
    (tmp_path / "cart.py").write_text(cart)
    editor, _ = await opened(kind, "def sum_all(items):\n    return sum(items)\n", root=tmp_path, text=TEXT)
    async with editor:
        editor.open(cart, uri=uri_in(tmp_path, "cart.py"))
        await editor.edit(0, editId="c1", uri=uri_in(tmp_path))
        assert await offered(editor, uri_in(tmp_path)) == ["⚡ Update callers (4)"]
        await editor.command("twospeed.updateCallers", "c1")
        await finished(editor, 5)
        assert editor.buffers[uri_in(tmp_path, "cart.py")].text == cart.replace("total", "sum_all")
        assert editor.buffers[uri_in(tmp_path)].text == TEXT.replace("total", "sum_all")


async def test_typing_while_calls_are_searched_moves_the_places() -> None:
    editor, _ = await opened(STREAMING)
    async with editor:
        await editor.edit(0, editId="c1")
        await offered(editor)
        _, running = editor.ask(
            "workspace/executeCommand", {"command": "twospeed.updateCallers", "arguments": ["c1"]}
        )
        editor.type(2, 0, "# typed\n")
        assert (await running)["places"] == 2
        await finished(editor, 3)
        assert text_of(editor) == UPDATED.replace("\n\n\ndef show", "\n# typed\n\n\ndef show")


async def test_only_an_edit_in_review_has_callers() -> None:
    editor, _ = await opened(STREAMING)
    async with editor:
        with pytest.raises(RequestFailed):
            await editor.command("twospeed.updateCallers")
        await editor.edit(0, editId="c1")
        await editor.command("twospeed.accept")
        await finished(editor, 0)
        with pytest.raises(RequestFailed):
            await editor.command("twospeed.updateCallers", "c1")
