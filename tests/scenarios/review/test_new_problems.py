"""A client sends the diagnostics of other language servers before and after an edit; new errors become findings."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

import pytest
from tests.scenarios.editor import LITERALS, STREAMING, URI, Editor, RequestFailed, place_range
from tests.scenarios.scripted import prompts_of, steps_of, text_of, wait_for_requests
from tests.scenarios.shop import EDITED, NEW, OLD, TEXT

from twospeed.testing.scripted_model import ScriptedModel

CAPABILITIES: dict[str, Any] = {
    **STREAMING,
    "textDocument": {**LITERALS["textDocument"], "publishDiagnostics": {}},
}
IMPORT = "from decimal import Decimal"
MENDED = NEW.replace("item.count", "item.n")


def problem(line: int, message: str = "bad", *, severity: int = 1, **more: Any) -> dict[str, Any]:
    where = place_range(line, 4, line, 8)
    return {"range": where, "severity": severity, "source": "lint", "code": 7, "message": message, **more}


async def started(*answers: str) -> Editor:
    editor = await Editor.started(CAPABILITIES)
    editor.open(TEXT)
    serve(editor, *answers)
    return editor


def serve(editor: Editor, *answers: str) -> ScriptedModel:
    model = ScriptedModel(*map(steps_of, answers or (NEW,)))
    editor.serve(model)
    return model


async def edited(editor: Editor, *before: Any, line: int = 3, **more: Any) -> Any:
    context = {"documentDiagnostics": list(before)}
    return await editor.edit(line, context=context, **more)


async def compared(editor: Editor, edit_id: str, *now: Any, version: int | None = None) -> Any:
    version = editor.buffers[URI].version if version is None else version
    params = {"editId": edit_id, "version": version, "diagnostics": list(now)}
    return await editor.request("twospeed/diagnostics", params)


def lines_of(result: Any) -> list[int]:
    return [each["range"]["start"]["line"] for each in result["findings"]]


async def shown(editor: Editor, n: int) -> Sequence[Any]:
    """Wait until so many findings are diagnostics."""

    def latest() -> Sequence[Any]:
        published = editor.messages("textDocument/publishDiagnostics")
        return published[-1]["diagnostics"] if published else []

    await editor.wait_for(lambda: len(latest()) == n)
    return latest()


async def in_review(editor: Editor, edit_id: str) -> Any:
    """Wait until an edit is in review; return what the server reported."""

    def latest() -> Any:
        return editor.messages("twospeed/editChanged")[-1]

    await editor.wait_for(lambda: (latest()["editId"], latest()["state"]) == (edit_id, "review"))
    return latest()


async def actions(editor: Editor, line: int) -> list[str]:
    where = place_range(line, 0, line, 0)
    params = {"textDocument": {"uri": URI}, "range": where, "context": {"diagnostics": []}}
    return [action["title"] for action in await editor.request("textDocument/codeAction", params)]


async def test_a_new_error_in_the_scope_is_a_finding() -> None:
    async with await started() as editor:
        result = await edited(editor)
        found = await compared(editor, result["editId"], problem(6, "no count"))
        [finding] = found["findings"]
        assert finding == {
            "code": "new-problem",
            "severity": 1,
            "message": "lint: no count",
            "range": place_range(6, 0, 7, 0),
        }
        assert found["message"] == "⚡ shop.py has 1 new error since the edit; line 7: lint: no count"
        [diagnostic] = await shown(editor, 1)
        assert (diagnostic["code"], diagnostic["source"], diagnostic["severity"]) == (
            "new-problem",
            "twospeed",
            1,
        )
        assert diagnostic["range"] == place_range(6, 8, 6, 41)


async def test_a_new_error_in_the_import_block_is_a_finding() -> None:
    answer = f"{IMPORT}\n\n\n{OLD.replace('return result', 'return Decimal(result)')}"
    async with await started(answer) as editor:
        result = await edited(editor, problem(11, "old"))
        assert text_of(editor).splitlines()[1] == IMPORT
        found = await compared(editor, result["editId"], problem(1, "no module"), problem(12, "old"))
        assert lines_of(found) == [1]


async def test_a_new_error_elsewhere_is_a_finding_at_its_own_line() -> None:
    async with await started() as editor:
        result = await edited(editor)
        found = await compared(editor, result["editId"], problem(11, "wrong argument"))
        assert lines_of(found) == [11]
        assert "⚡ Mend in Lightning" in await actions(editor, 11)
        assert "⚡ Mend in Lightning" in await actions(editor, 5)


async def test_errors_that_the_edit_and_typing_moved_are_not_new() -> None:
    longer = NEW.replace("    for", "    # one by one\n    for")
    async with await started(longer) as editor:
        before = [problem(0, "unused"), problem(6, "no price"), problem(11, "no pi")]
        result = await edited(editor, *before)
        editor.type(0, 0, "# the shop\n\n")
        editor.type(10, 0, "\n\n")
        assert text_of(editor).splitlines()[16].startswith("    return math.pi")
        now = [problem(2, "unused"), problem(9, "no price"), problem(16, "no pi")]
        assert await compared(editor, result["editId"], *now) == {"findings": [], "message": None}
        assert lines_of(await compared(editor, result["editId"], *now, problem(10, "new"))) == [10]


async def test_errors_in_lines_that_the_user_types_meanwhile_are_not_findings() -> None:
    async with await started() as editor:
        result = await edited(editor)
        editor.type(11, 4, "foo(")
        assert lines_of(await compared(editor, result["editId"], problem(11), problem(6))) == [6]


async def test_a_warning_is_counted_and_our_own_diagnostics_are_ignored() -> None:
    async with await started() as editor:
        result = await edited(editor)
        now = [
            problem(6),
            problem(7, severity=2),
            problem(4, "ours", source="twospeed"),
            problem(5, severity=4),
        ]
        found = await compared(editor, result["editId"], *now)
        assert lines_of(found) == [6]
        assert "1 new error and 1 new warning since" in found["message"]
        assert await compared(editor, result["editId"], *now[1:]) == {"findings": [], "message": None}
        await shown(editor, 0)  # a later comparison replaces the findings of the one before


async def test_a_diagnostic_without_severity_code_or_source_is_an_error() -> None:
    async with await started() as editor:
        bare = {"range": place_range(6, 0, 7, 0), "message": "bad", "tags": [1], "data": {"a": [1]}}
        result = await edited(editor)
        [finding] = (await compared(editor, result["editId"], bare))["findings"]
        assert (finding["message"], finding["range"]) == ("bad", place_range(6, 0, 7, 0))


async def test_each_of_two_edits_has_its_own_errors() -> None:
    area = "def area(radius):\n    return math.tau * radius**2\n"
    async with await started(NEW, area) as editor:
        first, second = await asyncio.gather(edited(editor, editId="a"), edited(editor, line=11, editId="b"))
        assert (first["outcome"], second["outcome"]) == ("applied", "applied")
        now = [problem(6), problem(11, "no tau"), problem(0, "broken")]
        one, other = await asyncio.gather(compared(editor, "a", *now), compared(editor, "b", *now))
        assert (lines_of(one), lines_of(other)) == ([0, 6], [11])


async def test_each_of_many_places_has_its_own_errors() -> None:
    area = "def area(radius):\n    return math.tau * radius**2\n"
    async with await started(NEW, area) as editor:
        places = [place_range(line, 0, line, 0) for line in (3, 11)]
        params = editor.edit_params(3, editId="g", context={"documentDiagnostics": [problem(0, "old")]})
        del params["range"]
        result = await editor.request("twospeed/edit", {**params, "ranges": places})
        assert [place["outcome"] for place in result["places"]] == ["applied", "applied"]
        now = [problem(0, "old"), problem(6), problem(11, "no tau")]
        found = [lines_of(await compared(editor, place["editId"], *now)) for place in result["places"]]
        assert found == [[6], [11]]


async def test_an_edit_that_has_ended_has_no_findings() -> None:
    async with await started() as editor:
        for action in ("reject", "accept"):
            serve(editor, NEW)
            result = await edited(editor, editId=action)
            await editor.request("twospeed/decide", {"editId": action, "action": action})
            found = await compared(editor, result["editId"], problem(6), version=1)
            assert found == {"findings": [], "message": None}
        assert "🧠 Mend in Deep" not in await actions(editor, 5)


async def test_an_edit_without_diagnostics_before_has_no_findings() -> None:
    async with await started() as editor:
        result = await editor.edit(3)
        assert lines_of(await compared(editor, result["editId"], problem(6))) == []


async def test_errors_are_clear() -> None:
    async with await started() as editor:
        with pytest.raises(RequestFailed, match="-32803"):
            await compared(editor, "nothing", problem(6))
        result = await edited(editor)
        with pytest.raises(RequestFailed, match="-32801"):
            await compared(editor, result["editId"], problem(6), version=1)
        with pytest.raises(RequestFailed, match="-32602: diagnostics: "):
            await compared(editor, result["editId"], *[problem(6)] * 501)
        with pytest.raises(RequestFailed, match=r"-32602: context\.documentDiagnostics"):
            await edited(editor, *[problem(6)] * 501)
        with pytest.raises(RequestFailed, match=r"-32602: diagnostics\.0\.range"):
            await compared(editor, result["editId"], {"message": "bad"})


async def test_an_edit_that_still_runs_has_nothing_to_compare() -> None:
    async with await started() as editor:
        editor.serve(ScriptedModel([asyncio.Event()]))
        context: dict[str, Any] = {"documentDiagnostics": []}
        _, running = editor.ask("twospeed/edit", editor.edit_params(3, editId="r", context=context))
        with pytest.raises(RequestFailed, match=r"-32803: .*not in review yet"):
            await compared(editor, "r", problem(6))
        await editor.request("twospeed/cancel", {"editId": "r"})
        await running


async def test_the_first_twenty_of_five_hundred_errors_become_findings() -> None:
    async with await started() as editor:
        result = await edited(editor, *[problem(line % 12, f"message {line}") for line in range(499)])
        now = [problem(line % 12, f"other {line}") for line in range(500)]
        found = await compared(editor, result["editId"], *now)
        assert (len(found["findings"]), "500 new errors" in found["message"]) == (20, True)


async def test_mending_sends_the_problems_to_lightning() -> None:
    async with await started(NEW, MENDED) as editor:
        model = serve(editor, NEW, MENDED)
        result = await edited(editor)
        with pytest.raises(RequestFailed, match="no new problem"):
            await editor.command("twospeed.mend", result["editId"])
        await compared(editor, result["editId"], problem(6, "no count"), problem(11, "wrong call"))
        begun = await editor.command("twospeed.mend", result["editId"])
        mended = EDITED.replace("item.count", "item.n")
        changed = await in_review(editor, begun["editId"])
        assert (text_of(editor), changed["mode"]) == (mended, "lightning")
        prompt = prompts_of(model)[-1]
        assert "a tool reports: lint: no count" in prompt
        assert "a tool reports: lint: wrong call" in prompt
        assert "do it" in prompt  # the instruction of the edit that it follows
        # The follow-up edit is compared with the same diagnostics of before.
        left = await compared(editor, begun["editId"], problem(11, "wrong call"), problem(6, "no n"))
        assert lines_of(left) == [6]
        await shown(editor, 2)  # what is solved is gone
        assert "⚡ Mend in Lightning" in await actions(editor, 6)


async def test_mending_makes_three_requests_at_most() -> None:
    async with await started() as editor:
        broken = NEW.replace("for item", "for for item")
        model = serve(editor, NEW, *[broken] * 5)
        result = await edited(editor)
        await compared(editor, result["editId"], problem(6))
        await editor.command("twospeed.mend")
        await wait_for_requests(model, 2)
        await editor.wait_for(lambda: editor.messages("twospeed/editChanged")[-1]["outcome"] == "refused")
        assert 2 <= len(model.requests) <= 4
        assert text_of(editor) == EDITED


async def test_the_mode_of_mending_can_be_chosen() -> None:
    async with await started() as editor:
        serve(editor, NEW, MENDED)
        result = await edited(editor)
        await compared(editor, result["editId"], problem(6))
        await editor.command("twospeed.mend", None, "deep")
        await editor.wait_for(lambda: editor.messages("twospeed/editChanged")[-1]["mode"] == "deep")
        with pytest.raises(RequestFailed, match="-32602"):
            await editor.command("twospeed.mend", result["editId"], "deep", 1)
        with pytest.raises(RequestFailed, match="-32602"):
            await editor.command("twospeed.mend", result["editId"], "fast")


async def test_a_dismissed_finding_is_not_mended() -> None:
    async with await started() as editor:
        result = await edited(editor)
        await compared(editor, result["editId"], problem(6))
        await editor.command("twospeed.dismiss", {"editId": result["editId"], "finding": 1})
        assert "⚡ Mend in Lightning" not in await actions(editor, 6)


@pytest.mark.parametrize("is_refused", [True, False])
async def test_a_retry_is_compared_with_the_diagnostics_before_the_first_try(is_refused: bool) -> None:
    async with await started() as editor:
        serve(editor, "I am sorry." if is_refused else NEW, MENDED)
        result = await edited(editor, problem(11, "old"))
        await editor.command("twospeed.retry", {"editId": result["editId"]})
        retried = await in_review(editor, "e2")
        found = await compared(editor, retried["editId"], problem(6), problem(11, "old"))
        assert lines_of(found) == [6]


async def test_nothing_starts_by_itself_and_no_message_is_sent() -> None:
    async with await started() as editor:
        model = serve(editor, NEW, MENDED)
        result = await edited(editor)
        await compared(editor, result["editId"], problem(6))
        await editor.request("twospeed/status", {})
        assert len(model.requests) == 1
        assert editor.messages("window/showMessage") == []


async def test_a_preview_and_a_request_without_a_scope_are_not_followed() -> None:
    async with await started() as editor:
        await edited(editor, deliver="preview")
        with pytest.raises(RequestFailed):
            await edited(editor, scope="class")
        assert editor.server.session
        assert editor.server.session.notifications.problems._before == {}
