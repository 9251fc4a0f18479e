"""How the plugin answers one shipment in a real Neovim: all of it at exactly its version, or nothing, to the byte."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.editors.nvim.scene import Scene, scene

pytestmark = pytest.mark.journey

Edit = dict[str, Any]


def edit(new_text: str, start: tuple[int, int], end: tuple[int, int] | None = None) -> Edit:
    """Make an LSP text edit; without an end it inserts."""
    places = {
        name: {"line": at[0], "character": at[1]} for name, at in (("start", start), ("end", end or start))
    }
    return {"range": places, "newText": new_text}


LANDINGS: dict[str, tuple[bytes, list[Edit], bytes]] = {
    "a line between two": (b"a\nb\n", [edit("x\n", (1, 0))], b"a\nx\nb\n"),
    "lines behind the last": (b"a\nb\n", [edit("x\ny\n", (2, 0))], b"a\nb\nx\ny\n"),
    "the last line": (b"a\nb\n", [edit("x\ny\n", (1, 0), (2, 0))], b"a\nx\ny\n"),
    "the last line goes": (b"a\nb\n", [edit("", (1, 0), (2, 0))], b"a\n"),
    "from within the last line": (b"a\nb\n", [edit("x\ny\n", (1, 1), (2, 0))], b"a\nbx\ny\n"),
    "no line end at the end": (b"a\nb", [edit("\nx", (1, 1))], b"a\nb\nx"),
    "lines of DOS": (b"a\r\nb\r\n", [edit("x\r\n", (1, 0))], b"a\r\nx\r\nb\r\n"),
    "both kinds of lines": (b"a\r\nb\n", [edit("x\r\n", (1, 0))], b"a\r\nx\r\nb\n"),
    "behind an emoji": ("ä🙂b\n".encode(), [edit("é", (0, 3), (0, 4))], "ä🙂é\n".encode()),
    "three at once": (
        b"a\nb\nc\n",
        [edit("x", (0, 0), (0, 1)), edit("", (1, 0), (2, 0)), edit("y\n", (3, 0))],
        b"x\nc\ny\n",
    ),
}


async def test_a_shipment_lands_to_the_byte_and_one_undo_takes_it_back(tmp_path: Path) -> None:
    async with scene(tmp_path, b"", name="first.txt") as it:
        await it.nvim.lua("vim.go.fixendofline = false")
        for number, (name, (before, edits, after)) in enumerate(LANDINGS.items()):
            await it.open(f"{number}.txt", before)
            answer = await it.answer(edits)
            assert answer == {"applied": True, "version": await it.version()}, name
            assert await it.saved() == after, name
            await it.nvim.typed("u")
            assert await it.saved() == before, name


REFUSALS: dict[str, tuple[str, int, list[Edit], str | None]] = {
    "a key the server has not seen": ("ox<Esc>", 0, [edit("n\n", (1, 0))], "stale"),
    "a version that never was": ("", 7, [edit("n\n", (1, 0))], "stale"),
    "not modifiable": (":setlocal nomodifiable<CR>", 0, [edit("n\n", (1, 0))], "readOnly"),
    "closed": (":enew|bunload! #<CR>", 0, [edit("n\n", (1, 0))], "closed"),
    "a column that is not there": ("", 0, [edit("n\n", (0, 0)), edit("n", (0, 9))], None),
    "a line that is not there": ("", 0, [edit("n\n", (0, 0)), edit("n", (9, 0))], None),
    "the file's last line end": ("", 0, [edit("n", (1, 1), (2, 0))], None),
    "every line": ("", 0, [edit("", (0, 0), (2, 0))], None),
}


async def test_a_shipment_that_cannot_land_changes_nothing(tmp_path: Path) -> None:
    async with scene(tmp_path, b"", name="first.txt") as it:
        for number, (name, (keys, version, edits, reason)) in enumerate(REFUSALS.items()):
            await it.open(f"{number}.txt", b"a\nb\n")
            await it.nvim.typed(keys)
            before = it.text
            answer = await it.answer(edits, version)
            assert (answer["applied"], answer.get("reason")) == (False, reason), name
            assert it.text == before, name


async def test_a_document_nobody_opened_is_closed_and_gets_no_buffer(tmp_path: Path) -> None:
    async with scene(tmp_path, b"a\n") as it:
        buffers = await it.nvim.request("nvim_list_bufs")
        it.path = tmp_path / "other.py"
        assert (await it.answer([edit("n\n", (0, 0))]))["reason"] == "closed"
        assert await it.nvim.request("nvim_list_bufs") == buffers


async def test_an_edit_asked_for_before_the_file_was_read_again_is_closed(tmp_path: Path) -> None:
    async with scene(tmp_path, b"a\nb\n", name="notes.txt") as it:
        changed = {"editId": "e1", "uri": it.path.as_uri(), "state": "running", "mode": "deep"}
        await it.nvim.lua("require('twospeed.state').edit_changed(...)", changed, {"client_id": it.client})
        it.path.write_bytes(b"new\na\nb\n")
        await it.nvim.typed(":edit!<CR>")
        assert await it.version() == 0
        assert (await it.answer([edit("n\n", (1, 0))]))["reason"] == "closed"
        assert await it.saved() == b"new\na\nb\n"


# Undo steps


async def shipped(it: Scene, text: str, line: int, *, first: bool = False, last: bool = False) -> None:
    """Insert a line, at the version the buffer is at."""
    stops = {"undoStopBefore": first, "undoStopAfter": last}
    answer = await it.answer([edit(f"{text}\n", (line, 0))], await it.version(), **stops)
    assert answer["applied"]


async def test_shipments_of_an_edit_are_one_step_and_the_next_edit_is_another(tmp_path: Path) -> None:
    async with scene(tmp_path, b"a\n", name="notes.txt") as it:
        await shipped(it, "one", 0, first=True)
        await shipped(it, "two", 1)
        await shipped(it, "three", 2)  # and the server dies: there is no last one
        await shipped(it, "four", 0, first=True, last=True)
        for expected in (b"one\ntwo\nthree\na\n", b"a\n"):
            await it.nvim.typed("u")
            assert await it.saved() == expected


async def test_the_empty_shipment_at_the_end_ends_the_step(tmp_path: Path) -> None:
    async with scene(tmp_path, b"a\n", name="notes.txt") as it:
        await shipped(it, "one", 0, first=True)
        sealed = await it.answer([], await it.version(), undoStopBefore=False)
        assert sealed["applied"]
        await shipped(it, "two", 0)
        await it.nvim.typed("u")
        assert await it.saved() == b"one\na\n"


async def test_no_step_holds_typing_and_an_edit_even_inside_of_insert_mode(tmp_path: Path) -> None:
    async with scene(tmp_path, b"a\nb\nc\n", name="notes.txt") as it:
        await it.nvim.typed("2GA typed")
        await shipped(it, "one", 0, first=True)
        await shipped(it, "two", 1)
        await it.nvim.typed(" on<CR>and on")
        await shipped(it, "three", 0, last=True)
        await it.nvim.typed(" still<Esc>")
        for expected in (
            b"three\none\ntwo\na\nb typed on\nand on still\nc\n",
            b"three\none\ntwo\na\nb typed on\nand on\nc\n",
            b"one\ntwo\na\nb typed on\nand on\nc\n",
            b"one\ntwo\na\nb typed\nc\n",
            b"a\nb typed\nc\n",
            b"a\nb\nc\n",
        ):
            assert await it.saved() == expected
            await it.nvim.typed("u")


# What points into the text


async def test_cursor_mark_extmark_and_selection_stay_with_their_text(tmp_path: Path) -> None:
    async with scene(tmp_path, b"a\nb\nc\nd\n", name="notes.txt") as it:
        await it.nvim.lua(
            "space = vim.api.nvim_create_namespace('') mark = vim.api.nvim_buf_set_extmark(0, space, 1, 0, {})"
        )
        await it.nvim.typed("2GmaVj")
        await shipped(it, "one", 0, first=True)
        await shipped(it, "two", 2, last=True)
        assert await it.nvim.lua("return vim.api.nvim_buf_get_extmark_by_id(0, space, mark, {})[1]") == 3
        assert await it.nvim.lua('return vim.fn.line("\'a")') == 4
        await it.nvim.typed("d")
        assert await it.saved() == b"one\na\ntwo\nd\n"


async def test_in_select_mode_what_is_typed_replaces_the_selected_text_alone(tmp_path: Path) -> None:
    async with scene(tmp_path, b"a\nb\nc\nd\n", name="notes.txt") as it:
        await it.nvim.typed("2Gvj<C-g>")
        await shipped(it, "one", 0, first=True, last=True)
        await it.nvim.typed("x<Esc>")
        assert await it.saved() == b"one\na\nx\nd\n"


# Moments in which a change would do harm


async def answer_behind(it: Scene, text: str, rest: str) -> dict[str, Any]:
    """Ship a text for the beginning, see that it waits, press the rest of the keys, and give the one answer."""
    await it.ship([edit(text, (0, 0))], await it.version())
    assert it.told("answer") == []
    await it.nvim.keys(rest)
    await it.nvim.when(lambda: it.told("answer") != [])
    [told] = it.told("answer")
    return dict(told)


@pytest.mark.parametrize(
    ("keys", "rest", "answer", "expected"),
    [
        pytest.param("2Gd", "d", {"applied": False, "reason": "stale"}, b"apple\n", id="an operator"),
        pytest.param("2Gy", "y", {"applied": True}, b"one\napple\navocado\n", id="one that changes nothing"),
        pytest.param(
            "Goa<C-n>",
            "<C-n><Esc>",
            {"applied": False, "reason": "stale"},
            b"apple\navocado\navocado\n",
            id="a menu of completions",
        ),
        pytest.param(
            "Goa<C-n>",
            "<C-y><Esc>",
            {"applied": True},
            b"one\napple\navocado\napple\n",
            id="a choice that was made",
        ),
    ],
)
async def test_a_shipment_waits_while_keys_are_half_pressed(
    tmp_path: Path, keys: str, rest: str, answer: dict[str, Any], expected: bytes
) -> None:
    async with scene(tmp_path, b"apple\navocado\n", name="notes.txt") as it:
        await it.nvim.keys(keys)
        await it.nvim.when(it.is_half_pressed)
        assert answer.items() <= (await answer_behind(it, "one\n", rest)).items()
        assert await it.saved() == expected


async def test_a_shipment_waits_while_a_substitution_asks_about_each_place(tmp_path: Path) -> None:
    async with scene(tmp_path, b"apple\navocado\n", name="notes.txt") as it:
        await it.nvim.keys(":%s/a/A/c<CR>")
        await it.nvim.when(it.is_half_pressed)
        assert (await answer_behind(it, "an\nant\n", "yy"))["reason"] == "stale"
        assert await it.saved() == b"Apple\nAvocado\n"


@pytest.mark.parametrize(
    ("operator", "expected"),
    [
        pytest.param("I", b"apple\n-beta\n-gamma\n", id="in front"),
        pytest.param("A", b"apple\nb-eta\ng-amma\n", id="behind"),
        pytest.param("c", b"apple\n-eta\n-amma\n", id="in its place"),
    ],
)
async def test_a_shipment_waits_while_a_block_is_inserted_into(
    tmp_path: Path, operator: str, expected: bytes
) -> None:
    async with scene(tmp_path, b"apple\nbeta\ngamma\n", name="notes.txt") as it:
        await it.nvim.typed(f"2G<C-v>j{operator}-")
        await it.nvim.when(it.is_inserting)
        assert (await answer_behind(it, "one\n", "<Esc>"))["reason"] == "stale"
        assert await it.saved() == expected


async def test_a_word_is_changed_beside_an_older_block_and_no_shipment_waits(tmp_path: Path) -> None:
    async with scene(tmp_path, b"apple\nbeta\ngamma\n", name="notes.txt") as it:
        await it.nvim.typed("<C-v>j<Esc>Gcwx")
        assert (await it.answer([edit("one\n", (0, 0))], await it.version()))["applied"]
        assert await it.saved() == b"one\napple\nbeta\nx\n"
