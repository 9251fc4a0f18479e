"""An answer that says that other code must change too offers the wider scope."""

from __future__ import annotations

from typing import Any

import pytest
from tests.scenarios.editor import LITERALS, STREAMING, URI, Editor, place_range
from tests.scenarios.scripted import prompts_of, steps_of, text_of
from tests.scenarios.shop import NEW, OLD, TEXT

from twospeed.testing.scripted_model import ScriptedModel

FIRST = 3
ALL = {**STREAMING, **LITERALS}
CLASS = """\
class Cart:
    def total(self):
        return sum(self.items)

    def show(self):
        return self.total()


def total(cart):
    return cart.total()
"""
METHOD = "    def total(self):\n        return sum(self.items) * 2\n"


def answer(prose: str, code: str = NEW) -> str:
    return f"{prose}\n```python\n{code}```\n"


async def offers(editor: Editor, line: int = FIRST) -> list[Any]:
    params = {
        "textDocument": {"uri": URI},
        "range": place_range(line, 0, line, 0),
        "context": {"diagnostics": []},
    }
    actions = await editor.request("textDocument/codeAction", params)
    return [each for each in actions if "as its scope" in each["title"]]


async def in_review(text: str, line: int, *answers: str) -> tuple[Editor, ScriptedModel]:
    editor = await Editor.started(ALL)
    editor.open(text)
    model = ScriptedModel(*map(steps_of, answers))
    editor.serve(model)
    result = await editor.edit(line)
    assert result["outcome"] == "applied"
    return editor, model


async def test_prose_that_names_another_function_offers_the_whole_file() -> None:
    whole = TEXT.replace(OLD, NEW).replace("radius**2", "radius * radius")
    editor, model = await in_review(TEXT, FIRST, answer("You also need to update `area`."), answer("", whole))
    async with editor:
        (offer,) = await offers(editor)
        assert offer["title"] == "⚡ Repeat this edit with the whole file as its scope"
        await editor.command(offer["command"]["command"], *offer["command"]["arguments"])
        await editor.wait_for(lambda: text_of(editor) == whole)
        assert "def area" in prompts_of(model)[1].partition("=== scope")[2]


async def test_prose_that_names_another_method_offers_the_class() -> None:
    editor, _ = await in_review(CLASS, 1, answer("`show` should be changed too.", METHOD))
    async with editor:
        (offer,) = await offers(editor, 1)
        assert offer["command"]["arguments"] == [{"editId": "e1", "scope": "class"}]


@pytest.mark.parametrize(
    "prose",
    [
        "",
        "Done.",
        "I renamed the variable, as in area.",
        "You also need a test.",
        "You need to call total with a list.",
    ],
)
async def test_other_prose_offers_nothing(prose: str) -> None:
    editor, _ = await in_review(TEXT, FIRST, answer(prose))
    async with editor:
        assert await offers(editor) == []
