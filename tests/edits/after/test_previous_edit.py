"""A follow-up edit describes the changes of the earlier edit to the model."""

from __future__ import annotations

import pytest
from tests.scenarios.editor import STREAMING, Editor
from tests.scenarios.shop import NEW, OLD, TEXT

from twospeed.edits.after.next_steps import _changes, previous_edit_of
from twospeed.edits.values import PreviousEdit
from twospeed.stream.ops import Change, Delete, Insert, Keep, Op
from twospeed.testing.scripted_model import ScriptedModel, scripted_answer

CHANGES = """\
-     result = 0
+     amount = 0
-         result += item.price
-     return result
+         amount += item.price * item.count
+     return amount
"""


async def previous_edit(answer: str, *, action: str = "", instruction: str = "count them") -> PreviousEdit:
    async with await Editor.started(STREAMING) as editor:
        editor.open(TEXT)
        editor.serve(ScriptedModel(scripted_answer(answer)))
        result = await editor.edit(4, instruction)
        if action:
            await editor.request("twospeed/decide", {"editId": result["editId"], "action": action})
        assert editor.server.session
        return previous_edit_of(editor.server.session.scheduler.get_any(result["editId"]))


@pytest.mark.parametrize("action", ["", "accept"])
async def test_each_change_is_included_without_the_lines_between(action: str) -> None:
    assert await previous_edit(NEW, action=action) == PreviousEdit("count them", CHANGES)


async def test_a_rejected_edit_is_described_as_rejected() -> None:
    assert await previous_edit(NEW, action="reject") == PreviousEdit("count them", CHANGES, is_rejected=True)


async def test_an_edit_that_changed_nothing_has_no_changes() -> None:
    assert await previous_edit(OLD) == PreviousEdit("count them")


async def test_inserted_and_deleted_lines_are_included_in_place() -> None:
    answer = OLD.replace("    result = 0\n", "").replace("    return", "    print(result)\n    return")
    assert (await previous_edit(answer)).changes == "-     result = 0\n+     print(result)\n"


@pytest.mark.parametrize(
    ("ops", "expected"),
    [
        ((Delete(1), Keep(3)), "- a\n"),
        ((Keep(1), Delete(3)), "- b\n- c\n"),
        ((Insert("x"), Keep(3)), "+ x\n"),
        ((Keep(3), Insert("x")), "+ x\n"),
        ((Change(0, "x"), Keep(2), Change(2, "z")), "- a\n+ x\n- c\n+ z\n"),
        ((Change(0, "x"), Delete(2), Insert("y"), Keep(3)), "- a\n- b\n+ x\n+ y\n"),
        ((Insert("x"), Delete(2), Insert("y"), Keep(3), Insert("z")), "- a\n- b\n+ x\n+ y\n+ z\n"),
        ((Keep(3),), ""),
    ],
)
def test_old_lines_of_a_hunk_are_included_before_its_new_ones(ops: tuple[Op, ...], expected: str) -> None:
    assert "".join(_changes(("a\n", "b\n", "c"), ops)) == expected


async def test_an_answer_that_was_not_applied_has_no_changes() -> None:
    assert (await previous_edit("I cannot do that, sorry.\n")).changes == ""
