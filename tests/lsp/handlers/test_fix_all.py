"""Diagnostics of one kind are offered as one edit with a place for each."""

from __future__ import annotations

from typing import Any

from lsprotocol import types
from tests.lsp.handlers.test_message_fields import COMPLETE, menu
from tests.scenarios.editor import URI, Editor, place_range
from tests.scenarios.edits.test_many_places import Doubling
from tests.scenarios.scripted import text_of

from twospeed.lsp.wire.alike import alike_diagnostics, fix_instruction
from twospeed_protocol import MAX_PLACES

TEXT = "".join(f"def f{number}(a):\n    return a\n\n\n" for number in range(3))


def problem(line: int, message: str, **more: object) -> dict[str, Any]:
    return {"range": place_range(line, 4, line, 10), "message": message, **more}


def diagnostic(line: int, message: str = "bad", code: str | int | None = None) -> types.Diagnostic:
    at = types.Position(line, 0)
    return types.Diagnostic(types.Range(at, at), message, code=code, source="lint")


async def fixes(editor: Editor, problems: list[dict[str, Any]]) -> list[Any]:
    actions = await menu(editor, 0, 11, diagnostics=problems)
    return [each for each in actions if each["kind"] == "quickfix.twospeed"]


async def test_problems_with_one_code_have_one_action() -> None:
    async with await Editor.started(COMPLETE) as editor:
        editor.open(TEXT)
        problems = [
            problem(5, "undefined b", source="lint", code=7),
            problem(1, "undefined a", source="lint", code=7),
            problem(9, "undefined a", source="other", code=7),
        ]
        found = await fixes(editor, problems)
        assert [each["title"] for each in found] == [
            "⚡ Fix: undefined b",
            "⚡ Fix: undefined a",
            "⚡ Fix all 2: undefined a",
            "⚡ Fix: undefined a",
        ]
        assert found[2]["diagnostics"] == [problems[1], problems[0]]
        assert found[2]["command"]["command"] == "twospeed.edit"
        assert found[2]["command"]["arguments"] == [
            {
                "uri": URI,
                "ranges": [place_range(1, 4, 1, 4), place_range(5, 4, 5, 4)],
                "instruction": "Fix every problem of this kind: undefined a; undefined b",
            }
        ]


async def test_problems_without_a_code_are_alike_by_their_message() -> None:
    async with await Editor.started(COMPLETE) as editor:
        editor.open(TEXT)
        found = await fixes(editor, [problem(1, "bad"), problem(5, "bad"), problem(9, "worse")])
        titles = [each["title"] for each in found]
        assert titles == ["⚡ Fix: bad", "⚡ Fix all 2: bad", "⚡ Fix: bad", "⚡ Fix: worse"]
        assert found[1]["command"]["arguments"][0]["instruction"] == "Fix every problem of this kind: bad"


async def test_the_action_edits_all_places() -> None:
    async with await Editor.started(COMPLETE) as editor:
        editor.open(TEXT)
        found = await fixes(editor, [problem(line, "bad") for line in (1, 5, 9)])
        editor.serve(Doubling())  # type: ignore[arg-type]  # as far as edits use it
        action = next(each for each in found if "Fix all 3" in each["title"])
        await editor.command(action["command"]["command"], *action["command"]["arguments"])
        await editor.wait_for(lambda: text_of(editor) == TEXT.replace("return a", "return 2 * a"))
        status = await editor.request("twospeed/status", {})
        assert len(status["edits"]) == 3


def test_places_are_sorted_and_limited() -> None:
    (group,) = alike_diagnostics([diagnostic(line) for line in range(MAX_PLACES + 20, 0, -1)])
    assert [each.range.start.line for each in group] == list(range(1, MAX_PLACES + 1))


def test_the_same_range_is_one_place() -> None:
    assert alike_diagnostics([diagnostic(1, "a", "E1"), diagnostic(1, "b", "E1")]) == []
    assert alike_diagnostics([]) == []


def test_a_code_and_a_message_are_never_alike() -> None:
    assert alike_diagnostics([diagnostic(1, "E1"), diagnostic(2, "bad", "E1")]) == []


def test_an_instruction_names_five_messages() -> None:
    several = [diagnostic(line, f"bad {line % 7}") for line in range(20)]
    words = "; ".join(f"bad {number}" for number in range(5))
    assert fix_instruction(several) == f"Fix every problem of this kind: {words}"
