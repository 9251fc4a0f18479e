"""The positions of findings while their lines are edited, and when they are published."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import pytest
from tests.scenarios.editor import LITERALS, STREAMING, URI, Editor, place_range
from tests.scenarios.shop import NEW, OLD, TEXT

from twospeed.edits.after.tracked_findings import TrackedFindings
from twospeed.gate import Finding
from twospeed.testing.scripted_model import ScriptedModel, scripted_answer
from twospeed_protocol.methods import COMMAND_DISMISS

SHOWS: dict[str, Any] = {
    **STREAMING,
    "textDocument": {**LITERALS["textDocument"], "publishDiagnostics": {"versionSupport": True}},
    "workspace": {"workspaceEdit": {"documentChanges": True}},
}
DUMPS = OLD.replace("return result", "return json.dumps(result)")
BELOW = 11
"""A line of the second function."""


@pytest.fixture
async def followed(streaming: Editor) -> TrackedFindings:
    """An edit in review with two findings: in lines 4 to 6, and in line 7."""
    streaming.serve(ScriptedModel(scripted_answer(NEW)))
    await streaming.edit(4)
    assert streaming.server.session
    [edit] = streaming.server.session.scheduler.edits
    followed = TrackedFindings(edit)
    followed.add_at(Finding("growth", 2, "it grew", 4, 6), 4, 7)
    followed.add_at(Finding("growth", 2, "it is long", 7, 7), 7, 8)
    return followed


def places(followed: TrackedFindings) -> list[tuple[int, int, int]]:
    return [(mark.number, mark.start, mark.end) for mark in followed.marks]


@pytest.mark.parametrize(
    ("line", "end", "text", "expected"),
    [
        (4, 4, "# above\n", [(1, 5, 8), (2, 8, 9)]),
        (5, 5, "    # inside\n", [(1, 4, 8), (2, 8, 9)]),
        (6, 6, "        # above the last\n", [(1, 4, 8), (2, 8, 9)]),
        (7, 7, "    # between\n", [(1, 4, 7), (2, 8, 9)]),
        (8, 8, "# below\n", [(1, 4, 7), (2, 7, 8)]),
        (3, 4, "", [(1, 3, 6), (2, 6, 7)]),
        (4, 5, "", [(1, 4, 6), (2, 6, 7)]),
        (5, 7, "", [(1, 4, 5), (2, 5, 6)]),
        (6, 8, "", [(1, 4, 6)]),
        (4, 7, "", [(2, 4, 5)]),
        (7, 8, "", [(1, 4, 7)]),
        (4, 8, "    pass\n", []),
        (4, 5, "    # note\n    amount = 0.0\n", [(1, 5, 8), (2, 8, 9)]),
        (7, 8, "    # note\n    return amount + 1\n", [(1, 4, 7), (2, 8, 9)]),
        (6, 8, "        pass\n    return amount or 0\n", [(1, 4, 8), (2, 7, 8)]),
        (3, 6, "def f():\n", [(1, 4, 5), (2, 5, 6)]),
        (3, 7, "def f():\n", [(2, 4, 5)]),
    ],
)
async def test_findings_follow_typing_to_the_line(
    streaming: Editor, followed: TrackedFindings, line: int, end: int, text: str, expected: list[Any]
) -> None:
    streaming.type(line, 0, text, end=(end, 0))
    assert places(followed) == expected


async def test_a_finding_is_about_its_own_lines_and_no_others(streaming: Editor) -> None:
    streaming.serve(ScriptedModel(scripted_answer(DUMPS)))
    await streaming.edit(4)
    session = streaming.server.session
    assert session
    document = session.documents.channel(URI).document
    on_lines = session.notifications.diagnostics.on_lines
    found = {line for line in range(12) if list(on_lines(document, line, line))}
    assert found == {7}
    assert [mark.start for _, mark in on_lines(document, 0, 7)] == [7]
    assert [mark.start for _, mark in on_lines(document, 7, 11)] == [7]
    assert list(on_lines(document, 0, 6)) == list(on_lines(document, 8, 11)) == []


@pytest.fixture
async def showing() -> AsyncIterator[Editor]:
    """An editor that shows diagnostics, with an edit in review that has a finding in line 7."""
    async with await Editor.started(SHOWS) as editor:
        editor.open(TEXT)
        editor.serve(
            ScriptedModel(
                scripted_answer(DUMPS), scripted_answer("def area(radius):\n    return 3 * math.pi\n")
            )
        )
        await editor.edit(4)
        yield editor


async def test_no_findings_are_sent_during_a_pending_edit(showing: Editor) -> None:
    def shown() -> list[Any]:
        return showing.messages("textDocument/publishDiagnostics")

    during: list[int] = []

    def types_first(editor: Editor) -> None:
        if not during:
            during.append(len(shown()))
            editor.type(0, 0, "# typed while the edit is on its way\n")
            during.append(len(shown()))

    showing.before_apply = types_first
    assert (await showing.edit(BELOW))["outcome"] == "applied"
    assert during == [1, 1]
    assert [each["diagnostics"][0]["range"] for each in shown()] == [
        place_range(7, 4, 7, 29),
        place_range(8, 4, 8, 29),
    ]


async def test_a_finding_dismissed_during_a_pending_edit_is_removed_after_it(
    showing: Editor,
) -> None:
    def shown() -> list[Any]:
        return showing.messages("textDocument/publishDiagnostics")

    during: list[int] = []
    status = await showing.request("twospeed/status", {})
    [edit_id] = [each["editId"] for each in status["edits"]]

    def dismisses(editor: Editor) -> None:
        if not during:
            editor.type(0, 0, "# typed while the edit is on its way\n")
            argument = {"editId": edit_id, "finding": 1}
            editor.ask("workspace/executeCommand", {"command": COMMAND_DISMISS, "arguments": [argument]})
            during.append(len(shown()))

    showing.before_apply = dismisses
    assert (await showing.edit(BELOW))["outcome"] == "applied"
    assert during == [1]
    assert [len(each["diagnostics"]) for each in shown()] == [1, 0]
    assert shown()[-1]["version"] >= showing.buffers[URI].version - 1
