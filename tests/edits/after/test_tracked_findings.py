"""A finding follows its lines while the user types, and ends when they are gone."""

from __future__ import annotations

import asyncio

import pytest
from tests.delivery.fakes import Editor, Tracked, apply_new_line
from tests.edits.inline_edits import edit_in, opened, replace_lines

from twospeed.delivery import ApplyEditRequest, ApplyEditResult, DocumentChannel
from twospeed.delivery.client_table import OURS
from twospeed.edits.after.tracked_findings import (
    MAX_COMPARED,
    MAX_COMPARED_CHARS,
    TrackedFinding,
    TrackedFindings,
    _change,
    _most_similar,
)
from twospeed.gate import Finding, Fix
from twospeed.text.code.scope import Scope
from twospeed.text.document import Splice
from twospeed.text.edits import LineEdit
from twospeed.text.positions import Position, Range

TEXT = "".join(f"line{number} = {number}\n" for number in range(12))
SCOPE = Scope("selection", None, 4, 9)


def finding(first: int, last: int, fix: Fix | None = None) -> Finding:
    return Finding("runs-code", 2, f"about {first}", first, last, fix)


def fix(line: int, text: str = "import json\n", count: int = 0) -> Fix:
    return Fix("Add it", (text.strip(),), (LineEdit(line, count, (text,)),))


def followed(*findings: Finding) -> TrackedFindings:
    return TrackedFindings(edit_in(TEXT, SCOPE, findings=findings))


def places(found: TrackedFindings) -> list[tuple[int, int, int]]:
    return [(mark.number, mark.start, mark.end) for mark in found.marks]


@pytest.mark.parametrize(
    ("end", "splice", "expected"),
    [
        (8, Splice(6, 1, ("x", "y")), (5, 9, "b = 2")),
        (8, Splice(7, 3, ("x",)), (5, 8, "b = 2")),
        (8, Splice(7, 1, ()), (5, 7, "b = 2")),
        (8, Splice(6, 2, ()), (5, 6, "b = 2")),
        (8, Splice(5, 1, ("b = 3\n",)), (5, 8, "b = 3")),
        (8, Splice(4, 2, ("new\n", "  b = 22\n")), (5, 8, "b = 22")),
        (8, Splice(3, 3, ("b = 2",)), (3, 6, "b = 2")),
        (8, Splice(4, 6, ("b = 2", "c")), (4, 6, "b = 2")),
        (6, Splice(5, 1, ("x", "b = 2", "y")), (6, 7, "b = 2")),
        (6, Splice(4, 3, ("b = 2", "y")), (4, 5, "b = 2")),
        (8, Splice(5, 1, ("zzzz",)), (6, 8, "b = 2")),
        (8, Splice(4, 2, ()), (4, 6, "b = 2")),
        (8, Splice(5, 2, ("zzzz", "qqqq", "wwww")), (8, 9, "b = 2")),
        (8, Splice(5, 3, ("zzzz",)), (5, 5, "b = 2")),
        (8, Splice(4, 5, ("zzzz",)), (4, 4, "b = 2")),
        (6, Splice(5, 1, ()), (5, 5, "b = 2")),
    ],
)
def test_a_finding_follows_changes_of_its_own_lines(
    end: int, splice: Splice, expected: tuple[int, int, str]
) -> None:
    mark = TrackedFinding(1, finding(5, end - 1), 5, end, "b = 2")
    _change(mark, splice, is_ours=False)
    assert (mark.start, mark.end, mark.text) == expected


def test_restored_old_lines_end_a_finding_even_if_similar() -> None:
    mark = TrackedFinding(1, finding(5, 7), 5, 8, "b = 2")
    _change(mark, Splice(5, 1, ("b = 2",)), is_ours=True)
    assert (mark.start, mark.end) == (6, 8)
    mark = TrackedFinding(1, finding(5, 5), 5, 6, "b = 2")
    _change(mark, Splice(5, 1, ("b = 2",)), is_ours=True)
    assert (mark.start, mark.end) == (5, 5)


def test_the_most_similar_line_is_searched_within_the_limits() -> None:
    assert _most_similar("abcxy", ["zzzzz", "abczw", "abcxz", "abcxz"]) == 2
    assert _most_similar("abcxy", ["  abczw  "]) == 0
    assert _most_similar("abcxyy", ["abczww"]) is None
    assert _most_similar("abc", []) is None
    others = ["zzz"] * (MAX_COMPARED - 1)
    assert _most_similar("abc", [*others, "abc"]) == MAX_COMPARED - 1
    assert _most_similar("abc", [*others, "zzz", "abc"]) is None
    head = "a" * MAX_COMPARED_CHARS
    assert _most_similar(head + "b" * 900, [head + "c" * 900]) == 0


@pytest.mark.parametrize(
    ("start", "end", "text", "expected"),
    [
        (0, 0, "typed\n", (7, 9)),
        (0, 2, "", (4, 6)),
        (5, 6, "", (5, 7)),
        (6, 6, "typed\n", (7, 9)),
        (7, 7, "typed\n", (6, 9)),
        (8, 8, "typed\n", (6, 8)),
        (8, 9, "", (6, 8)),
        (6, 7, "line6 = 66\n", (6, 8)),
        (6, 8, "", None),
        (5, 6, "line6 = 6\nx\n", (7, 9)),
        (8, 9, "line7 = 7\n", (6, 8)),
    ],
)
async def test_a_finding_moves_with_its_lines(
    start: int, end: int, text: str, expected: tuple[int, int] | None
) -> None:
    found = followed(finding(6, 7))
    assert places(found) == [(1, 6, 8)]
    replace_lines(found.edit, start, end, text)
    assert places(found) == ([(1, *expected)] if expected else [])


async def test_findings_are_numbered_dismissed_and_no_longer_followed_at_the_end() -> None:
    found = followed(finding(4, 4), finding(5, 5), finding(6, 6))
    assert [(mark.number, mark.text) for mark in found.marks] == [
        (1, "line4 = 4"),
        (2, "line5 = 5"),
        (3, "line6 = 6"),
    ]
    found.dismiss(2)
    found.dismiss(2)
    found.dismiss(9)
    assert places(found) == [(1, 4, 5), (3, 6, 7)]
    found.add_at(finding(1, 2), 1, 3)
    assert places(found)[-1] == (4, 1, 3)
    assert found.marks[-1].text == "line1 = 1"
    found.stop()
    replace_lines(found.edit, 0, 0, "typed\n")
    assert places(found) == [(1, 4, 5), (3, 6, 7), (4, 1, 3)]


async def test_a_finding_ends_when_the_lines_of_its_fix_are_inserted() -> None:
    fixed = finding(6, 6, fix(0))
    found = followed(fixed, finding(5, 5))
    replace_lines(found.edit, 9, 9, "import json  # typed\n")
    assert len(found.marks) == 2
    replace_lines(found.edit, 0, 0, "  import json\n")
    assert places(found) == [(2, 6, 7)]
    blank = finding(6, 6, fix(0, "\n"))
    found = followed(blank)
    assert len(found.marks) == 1
    replace_lines(found.edit, 0, 0, "typed\n")
    assert len(found.marks) == 1
    two = Fix("Add both", ("a", "b"), (LineEdit(0, 0, ("a\n", "\n")), LineEdit(3, 0, ("b\n",))))
    found = followed(finding(6, 6, two))
    replace_lines(found.edit, 0, 0, "a\n")
    assert len(found.marks) == 1
    replace_lines(found.edit, 0, 0, "b\na\n")
    assert len(found.marks) == 0


async def test_a_finding_ends_when_its_fix_is_in_the_document() -> None:
    found = followed(finding(6, 6, fix(0, "line2 = 2\n")), finding(5, 5))
    assert places(found) == [(1, 5, 6)]


async def test_a_fix_is_an_edit_of_the_current_document() -> None:
    found = followed(finding(6, 6, fix(0)))
    assert found.fix_of(found.marks[0]) == (LineEdit(0, 0, ("import json\n", "\n")),)
    replace_lines(found.edit, 0, 0, "import math\n\n\n")
    assert found.fix_of(found.marks[0]) == (LineEdit(0, 0, ("import json\n",)),)
    replace_lines(found.edit, 0, 1, "import ast\n")
    assert found.fix_of(found.marks[0]) == (LineEdit(1, 0, ("import json\n",)),)


async def test_a_fix_whose_place_is_uncertain_has_no_edits() -> None:
    found = followed(finding(6, 6, fix(0)), finding(5, 5))
    assert found.fix_of(found.marks[1]) == ()
    replace_lines(found.edit, 0, 0, "json = None\n")
    assert found.fix_of(found.marks[0]) == ()


async def test_the_range_of_a_finding_excludes_whitespace() -> None:
    edit = edit_in("def f():\n    x = 1  \n    yy = 2\t\n", Scope("selection", None, 0, 3))
    edit.answer.findings = (finding(1, 2), finding(2, 2))
    found = TrackedFindings(edit)
    assert [found.range_of(mark) for mark in found.marks] == [
        Range(Position(1, 4), Position(2, 10)),
        Range(Position(2, 4), Position(2, 10)),
    ]


async def test_findings_are_not_up_to_date_during_a_decision() -> None:
    found = followed(finding(6, 6))
    assert found.document is found.edit.channel.document
    assert found.is_up_to_date
    async with found.edit.decision.lock:
        assert not found.is_up_to_date
        replace_lines(found.edit, 6, 7, "line6 = 6 + 0\n")
        assert found.marks == []


class Held(Editor):
    """An editor that applies an edit once a gate opens."""

    gate: asyncio.Event

    async def apply_edit(self, apply_request: ApplyEditRequest) -> ApplyEditResult:
        await self.gate.wait()
        self.echo(apply_request)
        return ApplyEditResult(applied=True)


async def test_findings_are_followed_from_the_document_that_their_edit_has_seen() -> None:
    editor = Held()
    editor.gate = asyncio.Event()
    editor.channel = DocumentChannel(opened(TEXT), editor, behavior=OURS)
    edit = edit_in(TEXT, SCOPE, findings=[finding(6, 7)], channel=editor.channel)
    showing = asyncio.create_task(apply_new_line(editor.channel, Tracked(), 2))
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    found = TrackedFindings(edit)
    assert editor.channel._pending is not None
    assert found not in editor.channel._pending.late_followers
    assert (places(found), found.is_up_to_date) == ([(1, 6, 8)], True)
    editor.gate.set()
    await showing
    assert (places(found), found.is_up_to_date) == ([(1, 7, 9)], True)
    found.stop()
    replace_lines(edit, 0, 0, "typed\n")
    assert places(found) == [(1, 7, 9)]
