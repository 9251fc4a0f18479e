"""A partial answer while the user cancels, steers, undoes, types or views another answer."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.scenarios.delivery.test_undo_while_writing import as_text, told
from tests.scenarios.editor import STREAMING, Editor
from tests.scenarios.model_lanes import with_lanes
from tests.scenarios.scripted import text_of

from twospeed.errors import ModelUnavailable
from twospeed.models.base import TextDelta
from twospeed.testing.scripted_model import ScriptedModel, Step, scripted_answer

CART = """\
import math


class Cart:
    def __init__(self):
        self.items = []

    def add(self, item):
        self.items.append(item)

    def total(self):
        result = 0
        for item in self.items:
            result += item.price
        return result

    def rounded(self):
        return math.ceil(self.total())
"""
CLASS = CART[CART.index("class") :]
FIRST = 3
TOTAL = CART[CART.index("    def total") : CART.index("\n    def rounded")]
PART = TOTAL.replace("item.price", "item.price * item.count")
MERGED = CART.replace(TOTAL, PART)
WHOLE = CLASS.replace("result", "amount")
CUT = CLASS[: CLASS.index("\n    def rounded")].replace("result", "amount")
"""The class without its last method, and with other words in the one before it."""


def block(code: str) -> list[Any]:
    return list(scripted_answer(f"```python\n{code}```\n"))


def begin(editor: Editor, *answers: list[Any], words: str = "change it", **more: Any) -> asyncio.Future[Any]:
    """Request an edit of the class."""
    editor.open(CART)
    editor.serve(ScriptedModel(*answers))
    params = editor.edit_params(FIRST, words, editId="c1", scope="class", **more)
    return editor.ask("twospeed/edit", params)[1]


async def ended(result: asyncio.Future[Any]) -> tuple[str, list[str]]:
    """Return an edit's outcome, and the codes of its findings."""
    async with asyncio.timeout(60):
        report = await result
    return report["outcome"], [each["code"] for each in report["findings"]]


def once(act: Callable[[Editor], object]) -> Callable[[Editor], None]:
    """Act before the first batch of edits is applied."""
    is_done = False

    def before_apply(editor: Editor) -> None:
        nonlocal is_done
        if not is_done:
            is_done = True
            act(editor)

    return before_apply


OUTSIDE = [("        self.items.append(item)", MERGED), ("import math", MERGED)]
INSIDE = [
    ("        return result", MERGED),
    ("            result += item.price", CART),  # the line of the user stays, although the part changes it
]


@pytest.mark.parametrize(("style", "places"), [("stream", OUTSIDE), ("atomic", OUTSIDE + INSIDE)])
async def test_typing_while_a_part_is_applied_stays(style: str, places: list[tuple[str, str]]) -> None:
    for line, landed in places:

        def typed(editor: Editor, line: str = line) -> None:
            editor.type(text_of(editor).splitlines().index(line), len(line), "  # mine")

        async with await Editor.started(STREAMING, options={"delivery": {"style": style}}) as editor:
            result = begin(editor, block(PART))
            editor.before_apply = once(typed)
            assert await ended(result) == ("applied", ["merged-part"]), line
            assert text_of(editor) == landed.replace(line, f"{line}  # mine"), line


async def test_a_cancel_while_a_part_is_received_or_applied_leaves_the_old_text() -> None:
    async with await Editor.started(STREAMING) as editor:
        half: list[Step] = [TextDelta(f"```python\n{PART}"), asyncio.Event()]
        result = begin(editor, half)
        await editor.wait_for(lambda: editor.messages("twospeed/editChanged"))
        await editor.request("twospeed/cancel", {"editId": "c1"})
        assert await ended(result) == ("cancelled", [])
        assert text_of(editor) == CART
    async with await Editor.started(STREAMING) as editor:
        result = begin(editor, block(PART))
        editor.before_apply = once(lambda editor: editor.ask("twospeed/cancel", {"editId": "c1"}))
        outcome, _ = await ended(result)
        assert (outcome, text_of(editor)) == ("cancelled", CART)


async def test_steering_while_a_part_is_applied_requests_another_answer() -> None:
    async with await Editor.started(STREAMING) as editor:
        result = begin(editor, block(PART), block(WHOLE))
        steer = {"editId": "c1", "instruction": "rather so"}
        editor.before_apply = once(lambda editor: editor.ask("twospeed/steer", steer))
        assert await ended(result) == ("applied", [])
        assert text_of(editor) == CART.replace(CLASS, WHOLE)


async def test_an_undo_while_a_part_is_applied_restores_the_old_text() -> None:
    async with await Editor.started(STREAMING) as editor:

        def undone(method: str, params: Any) -> Any:
            if method != "twospeed/applyEdit":
                return None
            answered = editor._apply_streamed(params)
            told(editor, CART, as_text)
            return answered

        result = begin(editor, block(PART))
        editor.answer = undone
        outcome, _ = await ended(result)
        assert (outcome, text_of(editor)) == ("cancelled", CART)


async def test_a_part_among_several_answers_is_shown_as_the_whole_scope_with_it() -> None:
    async with await Editor.started(STREAMING) as editor:
        talk = list(scripted_answer("I would rather not."))
        result = begin(editor, block(WHOLE), block(PART), talk, variations=3)
        assert await ended(result) == ("applied", [])
        turned = await editor.request("twospeed/variation", {"editId": "c1", "step": 1})
        assert (turned["outcome"], text_of(editor)) == ("applied", MERGED)
        assert [each["code"] for each in turned["findings"]] == ["merged-part"]
        await editor.request("twospeed/variation", {"editId": "c1", "step": 1})
        assert text_of(editor) == CART.replace(CLASS, WHOLE)


async def test_an_applied_part_has_other_answers() -> None:
    async with await Editor.started(STREAMING) as editor:
        result = begin(editor, block(PART), block(WHOLE), variations=2)
        assert await ended(result) == ("applied", ["merged-part"])
        assert text_of(editor) == MERGED
        await editor.request("twospeed/variation", {"editId": "c1", "step": 1})
        assert text_of(editor) == CART.replace(CLASS, WHOLE)
        await editor.request("twospeed/variation", {"editId": "c1", "step": 1})
        assert text_of(editor) == MERGED


async def test_an_answer_without_the_end_of_its_scope_is_requested_once_more(tmp_path: Path) -> None:
    async with with_lanes(tmp_path) as editor:
        assert await ended(begin(editor, block(CUT), block(WHOLE))) == ("applied", [])
        assert text_of(editor) == CART.replace(CLASS, WHOLE)
    async with with_lanes(tmp_path) as editor:  # an answer that is repeated is applied
        model = ScriptedModel(block(CUT), block(CUT))
        result = begin(editor)
        editor.serve(model)
        assert await ended(result) == ("applied", ["dropped-definition"])
        assert text_of(editor) == CART.replace(CLASS, CUT)
        assert 'the last 2 lines, with "rounded", would be removed' in model.requests[1].messages[-1].content
    async with with_lanes(tmp_path) as editor:  # without a second answer nothing is lost
        result = begin(editor, block(CUT), [ModelUnavailable("no", provider="scripted", model="m")])
        assert await ended(result) == ("refused", [])
        assert text_of(editor) == CART
        shown = await editor.command("twospeed.showAnswer")
        assert shown["text"] == CUT


async def test_an_answer_without_an_end_named_in_the_instruction_is_not_requested_again(
    tmp_path: Path,
) -> None:
    async with with_lanes(tmp_path) as editor:
        result = begin(editor, block(CUT), words="remove rounded and say amount")
        assert await ended(result) == ("applied", ["dropped-definition"])
        assert text_of(editor) == CART.replace(CLASS, CUT)
