"""Surviving lines of an edit are counted only in its scope, including its edges."""

from __future__ import annotations

import pytest
from tests.scenarios.editor import URI, Editor
from tests.scenarios.shop import NEW

from twospeed.edits.after.tracked_lines import Survival
from twospeed.testing.scripted_model import ScriptedModel, scripted_answer

WRITTEN = "        amount += item.price * item.count\n"
TOP, BOTTOM = 3, 8
"""The lines of the edited function, in the document with the edit in it."""


@pytest.fixture
async def survival(streaming: Editor) -> Survival:
    """An edit of three new lines, in review, and its lines."""
    streaming.serve(ScriptedModel(scripted_answer(NEW)))
    await streaming.edit(4)
    assert streaming.server.session
    [edit] = streaming.server.session.scheduler.edits
    return Survival.of(edit)


def moved_to(streaming: Editor, line: int) -> None:
    """Move one line of the edit above another line."""
    at = streaming.buffers[URI].text.splitlines(keepends=True).index(WRITTEN)
    streaming.type(at, 0, "", end=(at + 1, 0))
    streaming.type(line if line <= at else line - 1, 0, WRITTEN)


async def test_all_written_lines_survive_at_first(streaming: Editor, survival: Survival) -> None:
    assert (survival.n_written, survival.count()) == (3, 3)


@pytest.mark.parametrize(
    ("line", "n_left"),
    [(TOP, 2), (TOP + 1, 3), (BOTTOM - 1, 3), (BOTTOM, 2)],
    ids=["right above", "below the first", "above the last", "right below"],
)
async def test_a_line_survives_a_move_only_within_the_scope(
    streaming: Editor, survival: Survival, line: int, n_left: int
) -> None:
    moved_to(streaming, line)
    assert survival.count() == n_left


async def test_a_change_that_reaches_into_the_scope_from_above_belongs_to_it(
    streaming: Editor, survival: Survival
) -> None:
    streaming.type(TOP - 1, 0, WRITTEN + "def sum_up(items):\n", end=(TOP + 1, 0))
    at = streaming.buffers[URI].text.splitlines(keepends=True).index(WRITTEN, TOP)
    streaming.type(at, 0, "", end=(at + 1, 0))
    assert survival.count() == 3


async def test_a_change_that_reaches_out_of_the_scope_below_belongs_to_it(
    streaming: Editor, survival: Survival
) -> None:
    at = streaming.buffers[URI].text.splitlines(keepends=True).index(WRITTEN)
    streaming.type(BOTTOM - 1, 0, "    return None\n" + WRITTEN, end=(BOTTOM + 1, 0))
    streaming.type(at, 0, "", end=(at + 1, 0))
    assert survival.count() == 2  # all but the line that returned the amount
