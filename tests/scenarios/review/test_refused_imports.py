"""The imports of a refused answer are shown and applied with it."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from urllib.parse import urlsplit
from urllib.request import url2pathname

import pytest
from tests.scenarios.editor import URI, Editor
from tests.scenarios.edits.test_imports import EDITED, IMPORT, ROUNDED
from tests.scenarios.model_lanes import with_lanes
from tests.scenarios.review.test_refused_answers import apply_anyway, refuse
from tests.scenarios.shop import OLD, TEXT

BROKEN = ROUNDED.replace("in items:", "in (items:")
ELIDED = ROUNDED.replace("    result = 0\n", "    # ... as before\n")
TWO = f"{IMPORT}\n\n\n{ROUNDED}```\n\nor\n\n```python\n{OLD.replace('price', 'cost')}"
ANSWERS = {"the gate": BROKEN, "its form": ELIDED}
REFUSED = pytest.mark.parametrize("name", ANSWERS)


def expected(name: str) -> str:
    return EDITED.replace(ROUNDED, ANSWERS[name])


async def refused(editor: Editor, name: str) -> Any:
    return await refuse(editor, f"```python\n{IMPORT}\n\n\n{ANSWERS[name]}```\n")


def content_of(uri: str) -> str:
    return Path(url2pathname(urlsplit(uri).path)).read_text("utf-8")


@REFUSED
async def test_the_result_contains_the_imports_of_a_refused_answer(tmp_path: Path, name: str) -> None:
    async with with_lanes(tmp_path) as editor:
        answer = (await refused(editor, name))["answer"]
        assert (answer["text"], answer["imports"]) == (ANSWERS[name], [IMPORT])


@REFUSED
async def test_the_imports_of_a_refused_answer_are_applied_with_it(tmp_path: Path, name: str) -> None:
    async with with_lanes(tmp_path) as editor:
        result = await refused(editor, name)
        edit = await apply_anyway(editor, result["editId"])
        assert editor.buffers[URI].text == expected(name)
        await editor.request("twospeed/decide", {"editId": edit["editId"], "action": "reject"})
        assert editor.buffers[URI].text == TEXT


@REFUSED
async def test_a_refused_answer_is_shown_with_its_imports(tmp_path: Path, name: str) -> None:
    async with with_lanes(tmp_path) as editor:
        result = await refused(editor, name)
        shown = await editor.command("twospeed.showAnswer", result["editId"])
        buffer = editor.open(TEXT, uri="file:///other.py")
        buffer.apply([{"range": shown["range"], "newText": shown["text"]}])
        assert buffer.text == expected(name)


@REFUSED
async def test_the_diff_of_a_refused_answer_contains_its_imports(tmp_path: Path, name: str) -> None:
    shows = {"window": {"showDocument": {"support": True}}}
    async with with_lanes(tmp_path, capabilities=shows) as editor:
        await refused(editor, name)
        await editor.command("twospeed.showAnswer")
        await editor.wait_for(lambda: [each for each in editor.requests if each[0] == "window/showDocument"])
        (uri,) = [params["uri"] for method, params in editor.requests if method == "window/showDocument"]
        diff = content_of(uri)
        assert f"+{IMPORT}\n" in diff
        assert diff.count("@@ -") <= 2


async def test_an_answer_with_two_blocks_keeps_the_imports_of_both(tmp_path: Path) -> None:
    async with with_lanes(tmp_path) as editor:
        answer = (await refuse(editor, f"```python\n{TWO}```\n"))["answer"]
        assert answer["imports"] == [IMPORT] or IMPORT in answer["text"]
