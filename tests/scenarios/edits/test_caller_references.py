"""Calls that names alone do not decide become certain if the client's other language servers name them as references."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest
from tests.scenarios.calls import finished, offered, open_from_disk, opened, uri_in
from tests.scenarios.editor import STREAMING, URI, Editor, RequestFailed, place_range

from twospeed.lsp.client import references

METHOD = "class Cart:\n    def total(self, items):\n        return sum(items)\n"
NEW_METHOD = "    def total(self, items, tax):\n        return sum(items) * tax\n"
CALLS = "\n\ndef show(cart, ä, other):\n    print(cart.total([1]))\n    print('ä𝄞', ä.total([2]))\n    map(cart.total, [])\n"
TEXT = METHOD + CALLS
CART, WIDE = (6, 15), (7, 19)
"""Where ``total`` is in both calls: lines, and characters in UTF-16."""

ASKING: dict[str, Any] = {
    "experimental": {
        "twospeed": {**STREAMING["experimental"]["twospeed"], "references": True, "openDocument": True}
    }
}


def location(place: tuple[int, int], uri: str = URI) -> dict[str, object]:
    line, character = place
    return {"uri": uri, "range": place_range(line, character, line, character + len("total"))}


async def reviewed(answer: Any, *, kind: Any = ASKING, root: Path | None = None, text: str = TEXT) -> Editor:
    """Start an editor with an edit of the method in review; it answers requests for references."""
    editor, _ = await opened(kind, NEW_METHOD, text=text, root=root)

    def respond(method: str, params: Any) -> Any:
        if method == "twospeed/references":
            return answer(params) if callable(answer) else answer
        if method == "twospeed/openDocument":
            return open_from_disk(editor, params["textDocument"]["uri"])
        return None

    editor.answer = respond
    await editor.edit(1, "add the tax", editId="c1", uri=uri_in(root))
    return editor


async def test_calls_that_references_name_are_updated() -> None:
    async with await reviewed([location(CART), location(WIDE)]) as editor:
        assert await offered(editor) == ["⚡ Update callers (2)"]
        updated = await editor.command("twospeed.updateCallers", "c1")
        await finished(editor, 3)
        assert editor.buffers[URI].text.endswith(CALLS.replace("])", "], 1)").replace("[], 1)", "[])"))
        assert updated["elsewhere"] == []


async def test_the_request_names_the_definition_at_its_version() -> None:
    async with await reviewed([]) as editor:
        await offered(editor)
        request = next(params for method, params in editor.requests if method == "twospeed/references")
        assert request == {
            "textDocument": {"uri": URI, "version": editor.buffers[URI].version},
            "position": {"line": 1, "character": 8},
        }


async def test_references_never_add_a_place() -> None:
    text = METHOD + "\n\nx = 'total'\nmap(obj.total, [])\nobj.total([1])\n"
    named = [location((line, character)) for line in range(9) for character in range(20)]
    async with await reviewed(named, text=text) as editor:
        assert await offered(editor) == ["⚡ Update callers (1)"]
        updated = await editor.command("twospeed.updateCallers", "c1")
        await finished(editor, 2)
        assert editor.buffers[URI].text.endswith("x = 'total'\nmap(obj.total, [])\nobj.total([1], 1)\n")
        assert [each["text"] for each in updated["elsewhere"]] == ["x = 'total'"]


async def test_a_statement_is_certain_only_if_all_its_calls_are_named() -> None:
    text = METHOD + "\n\nprint(one.total([1]), other.total([2]))\n"
    for named, title in (([10], "List callers (1)"), ([10, 28], "Update callers (1)")):
        async with await reviewed([location((5, character)) for character in named], text=text) as editor:
            assert await offered(editor) == [f"⚡ {title}"]


async def test_a_name_that_is_bound_twice_stays_uncertain() -> None:
    text = "def total(items):\n    return sum(items)\n\n\ntotal = cached(total)\nprint(total([1]))\n"
    editor, _ = await opened(ASKING, "def total(items, tax):\n    return sum(items) * tax\n", text=text)
    editor.answer = lambda method, _: [location((5, 6))] if method == "twospeed/references" else None
    async with editor:
        await editor.edit(0, editId="c1")
        assert await offered(editor) == ["⚡ List callers (2)"]


async def test_nothing_is_requested_without_an_uncertain_call_or_the_capability() -> None:
    certain = METHOD + "\n    def both(self):\n        return self.total([1])\n"
    for kind, text in ((ASKING, certain), (STREAMING, TEXT)):
        async with await reviewed([], kind=kind, text=text) as editor:
            await offered(editor)
            assert "twospeed/references" not in [method for method, _ in editor.requests]


async def test_a_call_in_a_closed_file_that_references_name_is_updated(tmp_path: Path) -> None:
    shop = "def show(cart):\n    print(cart.total([1]))\n"
    (tmp_path / "prices.py").write_text(METHOD)
    (tmp_path / "shop ä.py").write_text(shop)
    uri = uri_in(tmp_path, "shop ä.py")
    async with await reviewed([location((1, 15), uri)], root=tmp_path, text=METHOD) as editor:
        assert await offered(editor, uri_in(tmp_path)) == ["⚡ Update callers (1)"]
        await editor.command("twospeed.updateCallers", "c1")
        await finished(editor, 2)
        assert editor.buffers[uri].text == shop.replace("])", "], 1)")


HOSTILE = [
    "no list",
    {"uri": URI},
    7,
    [None, [], 1, "x", {}, {"uri": 1}, {"uri": URI}, {"uri": URI, "range": None}],
    [{"uri": URI, "range": {"start": {"line": -1, "character": 2**40}, "end": {}}}],
    [{"uri": URI, "range": {"start": {"line": "7", "character": "15"}, "end": {"line": 7, "character": 20}}}],
    [location(CART, uri) for uri in ("untitled:x", "https://x/shop.py", "file:///etc/passwd", "", "\0", "%")],
    [location(CART, "file:///project/../project/shop.py"), location(CART, "file://host/project/shop.py")],
    [location((0, 0))] * 5_000 + [location(CART)],
]


@pytest.mark.parametrize("answer", HOSTILE)
async def test_a_hostile_answer_proves_nothing(answer: object) -> None:
    async with await reviewed(answer) as editor:
        assert await offered(editor) == ["⚡ List callers (2)"]


async def test_an_error_proves_nothing() -> None:
    def refuse(_: object) -> object:
        raise RequestFailed({"code": -32603, "message": "no other server"})

    async with await reviewed(refuse) as editor:
        assert await offered(editor) == ["⚡ List callers (2)"]


async def test_the_search_does_not_wait_for_a_slow_language_server(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(references, "REFERENCES_S", 0.1)
    async with await reviewed(lambda _: Ellipsis) as editor:
        assert await offered(editor) == ["⚡ List callers (2)"]


async def test_typing_while_references_are_requested_moves_the_places() -> None:
    has_typed = asyncio.Event()

    def types_first(_: object) -> object:
        if not has_typed.is_set():
            has_typed.set()
            editor.type(3, 0, "# typed\n")
            return [location(CART)]
        return [location((CART[0] + 1, CART[1]))]

    async with await reviewed([location(CART)]) as editor:
        assert await offered(editor) == ["⚡ Update callers (1)"]
        editor.answer = lambda method, params: (
            types_first(params) if method == "twospeed/references" else None
        )
        updated = await editor.command("twospeed.updateCallers", "c1")
        await finished(editor, 2)
        assert updated["places"] == 1
        assert "cart.total([1], 1)" in editor.buffers[URI].text
        assert "ä.total([2])" in editor.buffers[URI].text
