"""The context of a prompt in a session: the workspace, the file, and the refined edit."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from tests.lane_config import NOWHERE, lab
from tests.scenarios.editor import STREAMING, Editor, place_range

from twospeed.prompt import texts
from twospeed.prompt.answer_form import MAX_WHOLE_CHARS
from twospeed.testing.scripted_model import ScriptedModel, scripted_answer
from twospeed.workspace.files import WorkspaceFiles

CART = "from prices import price_of\n\n\ndef total(items):\n    return sum(map(price_of, items))\n"
TOTAL = "def total(items):\n    return sum(map(price_of, items), 0)\n"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = tmp_path / "shop"
    root.mkdir()
    (root / "cart.py").write_text(CART)
    (root / "prices.py").write_text("def price_of(item):\n    return item.price\n")
    return root


@asynccontextmanager
async def editing(root: Path, *answers: str, text: str = CART) -> AsyncIterator[tuple[Editor, ScriptedModel]]:
    """Start an editor with ``cart.py`` of a workspace open, and a model with these answers."""
    config = root.parent / "config.toml"
    config.write_text(lab(NOWHERE))
    environ = {"TWOSPEED_CONFIG": str(config)}
    async with await Editor.started(STREAMING, environ=environ, root=root.as_uri()) as editor:
        model = ScriptedModel(*map(scripted_answer, answers))
        editor.serve(model)
        editor.open(text, uri=cart(root))
        yield editor, model


def cart(root: Path) -> str:
    return (root / "cart.py").as_uri()


async def prepare(editor: Editor, uri: str) -> None:
    """Announce a likely edit, and wait until the workspace is indexed."""
    document = {"uri": uri, "version": editor.buffers[uri].version}
    where = place_range(3, 0, 3, 0)
    await editor.request("twospeed/prepare", {"textDocument": document, "range": where})
    assert editor.server.session
    assert editor.server.session.workspace.symbols.wait(20)


def told(model: ScriptedModel, number: int = -1) -> str:
    return model.requests[number].messages[-1].content


async def test_a_definition_of_another_file_is_included_once_indexed(root: Path) -> None:
    async with editing(root, TOTAL) as (editor, model):
        await prepare(editor, cart(root))
        assert (await editor.edit(3, uri=cart(root)))["outcome"] == "applied"
        assert '"prices.py":\ndef price_of(item):\n' in told(model)


async def test_context_contains_the_current_text_of_open_documents(root: Path) -> None:
    async with editing(root, TOTAL) as (editor, model):
        editor.open("def price_of(item, tax):\n    return 1\n", uri=(root / "prices.py").as_uri())
        await prepare(editor, cart(root))
        await editor.edit(3, uri=cart(root))
        assert "def price_of(item, tax):\n" in told(model)


async def test_a_file_that_was_saved_or_written_elsewhere_is_read_again(root: Path) -> None:
    async with editing(root, TOTAL, TOTAL) as (editor, model):
        await prepare(editor, cart(root))
        (root / "prices.py").write_text("def price_of(item, tax, rounding):\n    return 1\n")
        changes = [{"uri": (root / "prices.py").as_uri(), "type": 2}]
        editor.notify("workspace/didChangeWatchedFiles", {"changes": changes})
        await prepare(editor, cart(root))
        await editor.edit(3, uri=cart(root))
        assert "def price_of(item, tax, rounding):\n" in told(model)


async def test_no_file_is_read_before_an_edit_is_likely(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    walked: list[Path] = []
    paths = WorkspaceFiles.paths

    def watched(files: WorkspaceFiles) -> Iterator[Path]:
        walked.append(files.root)
        return paths(files)

    monkeypatch.setattr(WorkspaceFiles, "paths", watched)
    async with editing(root, TOTAL) as (editor, _):
        editor.type(0, 0, "import os\n", uri=cart(root))
        editor.notify("textDocument/didSave", {"textDocument": {"uri": cart(root)}})
        await editor.request("twospeed/status", {})
        assert walked == []
        await prepare(editor, cart(root))
        assert walked == [root]


@pytest.mark.security("R4.1")
async def test_never_sent_and_ignored_files_are_not_context(root: Path) -> None:
    (root / "prices.py").rename(root / "secrets.py")
    (root / ".twospeed.toml").write_text('ignore = ["mine/"]\n')
    (root / "mine").mkdir()
    (root / "mine/prices.py").write_text("def price_of(item):\n    return 1\n")
    async with editing(root, TOTAL) as (editor, model):
        await prepare(editor, cart(root))
        await editor.edit(3, uri=cart(root))
        assert "def price_of" not in told(model)


async def test_without_a_folder_there_is_no_workspace(root: Path) -> None:
    async with await Editor.started(STREAMING) as editor:
        editor.open(CART, uri=cart(root))
        await prepare(editor, cart(root))
        assert editor.server.session
        assert editor.server.session.workspace.symbols.definitions_of("price_of") == ()


# Long scopes


LONG = "def total(items):\n" + "".join(
    f"    items.append(price_of(items[{n}]))\n" for n in range(MAX_WHOLE_CHARS // 30)
)
BLOCK = (
    "<<<<<<< SEARCH\n    items.append(price_of(items[7]))\n=======\n    items.append(7)\n>>>>>>> REPLACE\n"
)


async def test_a_long_scope_is_answered_in_blocks_exactly(root: Path) -> None:
    async with editing(root, BLOCK, text=LONG) as (editor, model):
        result = await editor.edit(0, uri=cart(root))
        assert texts.BLOCKS in told(model)
        assert result["outcome"] == "applied"
        assert editor.buffers[cart(root)].text == LONG.replace("price_of(items[7])", "7")
        assert result["stats"]["charsSent"] < 100


async def test_a_whole_answer_for_a_long_scope_is_accepted(root: Path) -> None:
    new = LONG.replace("price_of(items[7])", "7")
    async with editing(root, new, text=LONG) as (editor, _):
        assert (await editor.edit(0, uri=cart(root)))["outcome"] == "applied"
        assert editor.buffers[cart(root)].text == new


async def test_an_ambiguous_search_block_leaves_the_scope_unchanged(root: Path) -> None:
    text = LONG + "    items.append(price_of(items[7]))\n"
    async with editing(root, BLOCK, text=text) as (editor, _):
        result = await editor.edit(0, uri=cart(root))
        assert (result["outcome"], result["reason"]["code"]) == ("refused", "ambiguous")
        assert editor.buffers[cart(root)].text == text


async def test_the_instruction_comment_of_a_long_scope_is_consumed_by_an_answer_in_blocks(root: Path) -> None:
    text = LONG.replace("\n", "\n    # ai: seven\n", 1)
    async with editing(root, BLOCK, text=text) as (editor, _):
        result = await editor.edit(1, "seven", uri=cart(root))
        assert result["outcome"] == "applied"
        assert editor.buffers[cart(root)].text == LONG.replace("price_of(items[7])", "7")


# Refining


async def test_a_follow_up_contains_the_changes_of_the_earlier_edit(root: Path) -> None:
    async with editing(root, TOTAL, TOTAL) as (editor, model):
        first = await editor.edit(3, "begin at nought", uri=cart(root))
        await editor.edit(3, "at one", uri=cart(root), follows=first["editId"])
        text = told(model)
        assert "-     return sum(map(price_of, items))\n+     return sum(map(price_of, items), 0)\n" in text
        assert "(An earlier instruction is carried out already: begin at nought)\n\nat one" in text
