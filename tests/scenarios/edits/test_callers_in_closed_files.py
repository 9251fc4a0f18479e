"""Follow-through in files that are not open: the client opens them, and their callers are edited as in any document."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from tests.scenarios.calls import HEAD, finished, offered, open_from_disk, opened, uri_in
from tests.scenarios.editor import STREAMING, Editor, RequestFailed

from twospeed.lsp.handlers import opened_files

CALL = "from prices import total\n\nprint(total([3]))\n"
UPDATED = CALL.replace("[3])", "[3], 1)")
OPENING: dict[str, Any] = {
    "experimental": {"twospeed": {**STREAMING["experimental"]["twospeed"], "openDocument": True}}
}
SHOWING: dict[str, Any] = {"window": {"showDocument": {"support": True}}}
OPENS = pytest.mark.parametrize("kind", [OPENING, SHOWING], ids=["openDocument", "showDocument"])

Opens = Callable[[str], Any]
"""Opens a file by its URI, and returns the result."""


def write_project(root: Path, *callers: str) -> None:
    (root / "prices.py").write_text(HEAD)
    for name in callers:
        (root / name).write_text(CALL)


async def editor_in(root: Path, kind: Any, opens: Callable[[Editor], Opens]) -> Editor:
    """Start an editor with an edit of ``total`` in review, which opens files with ``opens``."""
    editor, _ = await opened(kind, root=root, text=HEAD)
    open_file = opens(editor)

    def answer(method: str, params: Any) -> Any:
        if method == "twospeed/openDocument":
            return open_file(params["textDocument"]["uri"])
        if method == "window/showDocument":
            assert params["takeFocus"] is False
            return {"success": open_file(params["uri"]) is not None}
        return None

    editor.answer = answer
    await editor.edit(0, "add the tax", editId="c1", uri=uri_in(root))
    await offered(editor, uri_in(root))
    return editor


def from_disk(editor: Editor) -> Opens:
    return partial(open_from_disk, editor)


def files_asked_for(editor: Editor) -> list[str]:
    return [
        Path(params["textDocument"]["uri"]).name
        for method, params in editor.requests
        if method == "twospeed/openDocument"
    ]


@OPENS
async def test_a_caller_in_a_closed_file_is_updated_and_reviewed(tmp_path: Path, kind: Any) -> None:
    write_project(tmp_path, "cart.py")
    cart = uri_in(tmp_path, "cart.py")
    async with await editor_in(tmp_path, kind, from_disk) as editor:
        assert await offered(editor, uri_in(tmp_path)) == ["⚡ Update callers (1)"]
        assert cart not in editor.buffers
        updated = await editor.command("twospeed.updateCallers", "c1")
        assert (updated["places"], updated["elsewhere"]) == (1, [])
        await finished(editor, 2)
        assert editor.buffers[cart].text == UPDATED
        assert (tmp_path / "cart.py").read_text() == CALL
        await editor.request("twospeed/decide", {"editId": updated["editId"], "action": "reject"})
        assert editor.buffers[cart].text == CALL


async def test_each_file_is_opened_once(tmp_path: Path) -> None:
    write_project(tmp_path, "cart.py", "shop.py")
    async with await editor_in(tmp_path, OPENING, from_disk) as editor:
        await editor.command("twospeed.updateCallers", "c1")
        await finished(editor, 3)
        assert files_asked_for(editor) == ["cart.py", "shop.py"]


@OPENS
async def test_unsaved_changes_that_the_editor_restores_are_searched(tmp_path: Path, kind: Any) -> None:
    write_project(tmp_path, "cart.py", "shop.py")
    unsaved = {"cart.py": "# unsaved\n" + CALL, "shop.py": "print('total')\n"}

    def restores(editor: Editor) -> Opens:
        def open_file(uri: str) -> object:
            editor.open(unsaved[Path(uri).name], uri=uri)
            return {}

        return open_file

    async with await editor_in(tmp_path, kind, restores) as editor:
        updated = await editor.command("twospeed.updateCallers", "c1")
        assert updated["places"] == 1
        await finished(editor, 2)
        assert editor.buffers[uri_in(tmp_path, "cart.py")].text == "# unsaved\n" + UPDATED
        assert editor.buffers[uri_in(tmp_path, "shop.py")].text == unsaved["shop.py"]


async def test_a_file_that_changed_on_disk_is_searched_again(tmp_path: Path) -> None:
    write_project(tmp_path, "cart.py")
    async with await editor_in(tmp_path, OPENING, from_disk) as editor:
        changed = f"import os\n\n{CALL}\n\ndef more():\n    return total([4])\n"
        (tmp_path / "cart.py").write_text(changed)
        updated = await editor.command("twospeed.updateCallers", "c1")
        assert updated["places"] == 2
        await finished(editor, 3)
        assert editor.buffers[uri_in(tmp_path, "cart.py")].text == changed.replace("])", "], 1)")


async def test_a_file_that_the_editor_refuses_does_not_stop_the_others(tmp_path: Path) -> None:
    write_project(tmp_path, "cart.py", "shop.py")

    def refuses_one(editor: Editor) -> Opens:
        def open_file(uri: str) -> object:
            if uri.endswith("cart.py"):
                raise RequestFailed({"code": -32803, "message": "it is another user's"})
            return from_disk(editor)(uri)

        return open_file

    async with await editor_in(tmp_path, OPENING, refuses_one) as editor:
        updated = await editor.command("twospeed.updateCallers", "c1")
        await finished(editor, 2)
        assert editor.buffers[uri_in(tmp_path, "shop.py")].text == UPDATED
        [listed] = updated["elsewhere"]
        assert (listed["uri"], listed["line"], listed["certain"]) == (uri_in(tmp_path, "cart.py"), 2, True)
        assert listed["reason"] == "the editor did not open it: it is another user's"


@OPENS
async def test_a_file_that_the_editor_does_not_open_is_listed(tmp_path: Path, kind: Any) -> None:
    write_project(tmp_path, "cart.py")
    async with await editor_in(tmp_path, kind, lambda _: lambda _: None) as editor:
        updated = await editor.command("twospeed.updateCallers", "c1")
        assert updated["editId"] is None
        assert [each["reason"] for each in updated["elsewhere"]] == ["the editor did not open it"]


async def test_the_server_does_not_wait_for_a_file_that_is_never_opened(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(opened_files, "OPEN_S", 0.2)
    write_project(tmp_path, "cart.py", "shop.py")

    def opens_one(editor: Editor) -> Opens:
        return lambda uri: from_disk(editor)(uri) if uri.endswith("shop.py") else {}

    async with await editor_in(tmp_path, OPENING, opens_one) as editor:
        updated = await editor.command("twospeed.updateCallers", "c1")
        await finished(editor, 2)
        assert updated["places"] == 1
        assert "did not open it within" in updated["elsewhere"][0]["reason"]


async def test_files_beyond_the_limit_are_listed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(opened_files, "MAX_OPENED", 2)
    write_project(tmp_path, "a.py", "b.py", "c.py")
    async with await editor_in(tmp_path, OPENING, from_disk) as editor:
        assert await offered(editor, uri_in(tmp_path)) == ["⚡ Update callers (2)"]
        updated = await editor.command("twospeed.updateCallers", "c1")
        await finished(editor, 3)
        assert files_asked_for(editor) == ["a.py", "b.py"]
        assert [each["reason"] for each in updated["elsewhere"]] == [
            "one command opens at most 2 files; repeat it for the rest"
        ]


async def test_ignored_and_secret_files_are_never_opened(tmp_path: Path) -> None:
    write_project(tmp_path, "cart.py", "credentials.py", "ignored.py")
    (tmp_path / ".gitignore").write_text("ignored.py\n")
    async with await editor_in(tmp_path, OPENING, from_disk) as editor:
        await editor.command("twospeed.updateCallers", "c1")
        await finished(editor, 2)
        assert files_asked_for(editor) == ["cart.py"]


@pytest.mark.parametrize("becomes", ["gone", "ignored", "a link out of the workspace"])
async def test_a_file_that_may_not_be_read_any_more_is_not_opened(tmp_path: Path, becomes: str) -> None:
    root = tmp_path / "project"
    root.mkdir()
    write_project(root, "cart.py")
    (tmp_path / "private.py").write_text(CALL)
    async with await editor_in(root, OPENING, from_disk) as editor:
        if becomes == "ignored":
            (root / ".gitignore").write_text("cart.py\n")
        else:
            (root / "cart.py").unlink()
        if becomes == "a link out of the workspace":
            (root / "cart.py").symlink_to(tmp_path / "private.py")
        with pytest.raises(RequestFailed, match="changed no name, parameter or result"):
            await editor.command("twospeed.updateCallers", "c1")
        assert files_asked_for(editor) == []


async def test_a_file_that_becomes_a_link_while_it_is_opened_is_not_edited(tmp_path: Path) -> None:
    root = tmp_path / "project"
    root.mkdir()
    write_project(root, "cart.py")
    (tmp_path / "private.py").write_text(CALL)

    def follows_link(editor: Editor) -> Opens:
        def open_file(uri: str) -> object:
            (root / "cart.py").unlink()
            (root / "cart.py").symlink_to(tmp_path / "private.py")
            return from_disk(editor)(uri)

        return open_file

    async with await editor_in(root, OPENING, follows_link) as editor:
        with pytest.raises(RequestFailed, match="changed no name, parameter or result"):
            await editor.command("twospeed.updateCallers", "c1")
        assert editor.buffers[uri_in(root, "cart.py")].text == CALL


async def test_typing_in_a_file_that_was_just_opened_stays(tmp_path: Path) -> None:
    write_project(tmp_path, "cart.py")
    cart = uri_in(tmp_path, "cart.py")

    def types_at_once(editor: Editor) -> Opens:
        def open_file(uri: str) -> object:
            from_disk(editor)(uri)
            editor.type(0, 0, "# typed\n", uri=uri)
            return {}

        return open_file

    async with await editor_in(tmp_path, OPENING, types_at_once) as editor:
        await editor.command("twospeed.updateCallers", "c1")
        await finished(editor, 2)
        assert editor.buffers[cart].text == "# typed\n" + UPDATED


async def test_a_decision_while_files_are_opened_ends_the_command(tmp_path: Path) -> None:
    write_project(tmp_path, "cart.py")

    def rejects(editor: Editor) -> Opens:
        def open_file(uri: str) -> object:
            editor.ask("twospeed/decide", {"editId": "c1", "action": "reject"})
            return from_disk(editor)(uri)

        return open_file

    async with await editor_in(tmp_path, OPENING, rejects) as editor:
        with pytest.raises(RequestFailed):
            await editor.command("twospeed.updateCallers", "c1")
        assert editor.buffers[uri_in(tmp_path, "cart.py")].text == CALL
