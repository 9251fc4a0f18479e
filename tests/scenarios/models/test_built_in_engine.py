"""The built-in engine edits without a model, and the user knows why."""

from __future__ import annotations

from tests.scenarios.editor import STREAMING, URI, Editor

MODULE = """\
__all__ = ["area", "other"]


def area(w):
    return w


def other():
    return area(w=1)
"""


async def test_a_rename_of_an_exported_function_is_complete_and_has_no_findings() -> None:
    async with await Editor.started(STREAMING) as editor:
        editor.open(MODULE)
        narrow = await editor.edit(3, "rename area to size")
        assert (narrow["outcome"], editor.buffers[URI].text) == ("refused", MODULE)
        advice = "area is also used outside these lines; rename it with the whole file as the scope"
        assert narrow["reason"]["message"] == advice
        result = await editor.edit(3, "rename area to size", scope="file")
        assert (result["outcome"], result["findings"]) == ("applied", [])
        assert editor.buffers[URI].text == MODULE.replace("area", "size")
