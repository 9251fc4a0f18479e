"""An answer that does not parse is reverted and requested once more with the error: one edit, one undo step."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest
from tests.scenarios.editor import LITERALS, STREAMING, URI, Editor, RequestFailed
from tests.scenarios.model_lanes import Time, with_lanes
from tests.scenarios.scripted import prompts_of, result_of, steps_of, text_of
from tests.scenarios.shop import EDITED, NEW, OLD, TEXT

from twospeed.errors import ModelUnavailable
from twospeed.models.base import Finished, FinishReason, TextDelta, Usage
from twospeed.testing.scripted_model import ScriptedModel, Step, scripted_answer

FIRST = 3
ASKING = {**STREAMING, "window": {"showMessage": {"messageActionItem": {}}}}
BROKEN = NEW.replace("in items:", "in (items:")


def apply_requests(editor: Editor) -> list[Any]:
    return [params for method, params in editor.requests if method == "twospeed/applyEdit"]


def begin(editor: Editor, **more: Any) -> asyncio.Future[Any]:
    return editor.ask("twospeed/edit", editor.edit_params(FIRST, "count them", editId="c1", **more))[1]


async def test_an_answer_that_does_not_parse_is_repaired_by_the_same_model(tmp_path: Path) -> None:
    async with with_lanes(tmp_path) as editor:
        model = ScriptedModel(steps_of(BROKEN), steps_of(NEW))
        editor.serve(model)
        result = await result_of(begin(editor))
        assert (result["outcome"], result["findings"]) == ("applied", [])
        assert text_of(editor) == EDITED
        first, second = prompts_of(model)
        assert BROKEN not in first
        assert BROKEN in second
        assert 'line 3: "(" is not closed: for item in (items:' in second
        assert second.endswith("count them")


async def test_a_repaired_edit_is_one_undo_step_with_one_outcome(
    tmp_path: Path,
) -> None:
    async with with_lanes(tmp_path) as editor:
        editor.serve(ScriptedModel(steps_of(BROKEN), steps_of(NEW)))
        await result_of(begin(editor))
        sent = apply_requests(editor)
        assert [each["undoStopBefore"] for each in sent] == [True] + [False] * (len(sent) - 1)
        assert [each["undoStopAfter"] for each in sent] == [False] * (len(sent) - 1) + [True]
        states = [(each["state"], each["outcome"]) for each in editor.messages("twospeed/editChanged")]
        assert states == [("running", None), ("running", None), ("review", "applied")]
        decided = await editor.request("twospeed/decide", {"editId": "c1", "action": "reject"})
        assert (decided["hunks"], text_of(editor)) == ([], TEXT)


async def test_a_second_answer_that_does_not_parse_is_refused_with_the_reason(tmp_path: Path) -> None:
    async with with_lanes(tmp_path) as editor:
        model = ScriptedModel(steps_of(BROKEN), steps_of(BROKEN), steps_of(NEW))
        editor.serve(model)
        result = await result_of(begin(editor))
        assert result["outcome"] == "refused"
        assert result["reason"] == {
            "code": "syntax",
            "message": 'the answer adds 3 syntax errors to the document: in line 6, "(" is not closed',
        }
        [finding] = result["findings"]
        assert (finding["code"], finding["severity"]) == ("syntax-errors", 1)
        assert finding["range"]["start"]["line"] == 5
        assert text_of(editor) == TEXT
        assert len(model.requests) == 2


async def test_an_atomic_edit_never_sends_the_answer_that_was_repaired(tmp_path: Path) -> None:
    async with with_lanes(tmp_path, capabilities={}) as editor:
        model = ScriptedModel(steps_of(BROKEN), steps_of(NEW))
        editor.serve(model)
        seen: list[str] = []
        editor.before_apply = lambda each: seen.append(text_of(each))
        result = await editor.edit(FIRST)
        assert result["outcome"] == "applied"
        assert (seen, text_of(editor)) == ([TEXT], EDITED)
        assert len(model.requests) == 2


async def test_partial_results_lead_from_the_old_text_to_the_repaired_answer(tmp_path: Path) -> None:
    async with with_lanes(tmp_path) as editor:
        editor.serve(ScriptedModel(steps_of(BROKEN), steps_of(NEW)))
        result = await result_of(begin(editor, deliver="preview", partialResultToken="p"))
        assert result["newText"] == NEW
        assert text_of(editor) == TEXT
        editor.open(OLD, uri="file:///scope")
        parts = [part for part in editor.progress("p") if part["type"] == "edits"]
        assert [part["seq"] for part in parts] == list(range(1, len(parts) + 1))
        for part in parts:
            editor.buffers["file:///scope"].apply(part["edits"])
        assert editor.buffers["file:///scope"].text == NEW


async def test_cancelling_during_a_repair_restores_the_old_text(tmp_path: Path) -> None:
    async with with_lanes(tmp_path) as editor:
        model = ScriptedModel(steps_of(BROKEN), [TextDelta(NEW[: NEW.index("item.price")]), asyncio.Event()])
        editor.serve(model)
        result = begin(editor)
        await editor.wait_for(lambda: "amount = 0" in text_of(editor) and len(model.requests) == 2)
        assert (await editor.request("twospeed/cancel", {"editId": "c1"}))["outcome"] == "cancelled"
        assert (await result_of(result))["outcome"] == "cancelled"
        assert text_of(editor) == TEXT
        assert model.closed == 2


async def test_a_cancel_during_the_revert_before_a_repair_ends_the_edit(tmp_path: Path) -> None:
    async with with_lanes(tmp_path) as editor:
        model = ScriptedModel(steps_of(BROKEN), steps_of(NEW))
        editor.serve(model)
        asked: list[asyncio.Future[Any]] = []

        def cancel_when_it_goes_back(method: str, params: Any) -> None:
            if method == "twospeed/applyEdit" and "result" in str(params["edits"]) and not asked:
                asked.append(editor.ask("twospeed/cancel", {"editId": "c1"})[1])

        editor.answer = cancel_when_it_goes_back
        assert (await result_of(begin(editor)))["outcome"] == "cancelled"
        assert (len(asked), text_of(editor), len(model.requests)) == (1, TEXT, 1)


async def test_steering_during_a_repair_allows_another_repair(
    tmp_path: Path,
) -> None:
    async with with_lanes(tmp_path) as editor:
        half: list[Step] = [TextDelta(NEW[: NEW.index("item.price")]), asyncio.Event()]
        model = ScriptedModel(steps_of(BROKEN), half, steps_of(BROKEN), steps_of(NEW))
        editor.serve(model)
        result = begin(editor)
        await editor.wait_for(lambda: "amount = 0" in text_of(editor) and len(model.requests) == 2)
        await editor.request("twospeed/steer", {"editId": "c1", "instruction": "other words"})
        assert (await result_of(result))["outcome"] == "applied"
        assert text_of(editor) == EDITED
        assert "is not closed" not in prompts_of(model)[2], "the new instruction is another request"
        assert prompts_of(model)[3].endswith("other words")


async def test_typing_before_a_repair_stays_and_is_in_the_prompt(tmp_path: Path) -> None:
    async with with_lanes(tmp_path) as editor:
        go_on = asyncio.Event()
        typed = NEW.replace("    return", "    # mine\n    return")
        broken = steps_of(BROKEN)
        model = ScriptedModel([*broken[:-2], go_on, *broken[-2:]], steps_of(typed))
        editor.serve(model)
        result = begin(editor)
        await editor.wait_for(lambda: "amount = 0" in text_of(editor))
        editor.type(text_of(editor).splitlines().index("    return result"), 0, "    # mine\n")
        editor.type(0, 0, "# above\n")
        go_on.set()
        assert (await result_of(result))["outcome"] == "applied"
        assert text_of(editor) == "# above\n" + TEXT.replace(OLD, typed)
        assert "# mine" in prompts_of(model)[1]


async def test_both_requests_are_counted_as_one_edit(tmp_path: Path) -> None:
    async with with_lanes(tmp_path) as editor:
        used = Usage(input_tokens=100, output_tokens=20)
        broken, mended = TextDelta(BROKEN), TextDelta(NEW)
        editor.serve(ScriptedModel([broken, used, Finished("stop")], [mended, used, Finished("stop")]))
        stats = (await result_of(begin(editor)))["stats"]
        assert (stats["requests"], stats["inputTokens"], stats["outputTokens"]) == (2, 200, 40)
        assert stats["linesAdded"] == stats["linesRemoved"] == 3


async def test_an_answer_is_not_repaired_if_syntax_is_only_a_warning(tmp_path: Path) -> None:
    async with with_lanes(tmp_path, more='[gate]\nparse = "warn"\n') as editor:
        model = ScriptedModel(steps_of(BROKEN))
        editor.serve(model)
        result = await result_of(begin(editor))
        assert (result["outcome"], [each["code"] for each in result["findings"]]) == (
            "applied",
            ["syntax-errors"],
        )
        assert len(model.requests) == 1


@pytest.mark.parametrize("second", [[], [Finished("refusal", "no")], [Finished("length")]])
async def test_a_failed_repair_request_restores_the_old_text(tmp_path: Path, second: list[Any]) -> None:
    async with with_lanes(tmp_path) as editor:
        editor.serve(ScriptedModel(steps_of(BROKEN), second, second, second))
        result = await result_of(begin(editor))
        assert result["outcome"] == "refused"
        assert text_of(editor) == TEXT


async def test_a_refused_edit_that_a_command_began_is_offered_to_deep(tmp_path: Path) -> None:
    async with with_lanes(tmp_path, capabilities=ASKING) as editor:
        model = ScriptedModel(steps_of(BROKEN), steps_of(BROKEN), steps_of(NEW))
        editor.serve(model)
        asked: list[Any] = []

        def yes(method: str, params: Any) -> Any:
            if method == "window/showMessageRequest":
                asked.append(params)
                return params["actions"][0]
            return None

        editor.answer = yes
        place = editor.edit_params(FIRST)["range"]
        await editor.command("twospeed.edit", {"uri": URI, "range": place, "instruction": "count them"})
        await editor.wait_for(
            lambda: any(each["state"] == "review" for each in editor.messages("twospeed/editChanged"))
        )
        assert text_of(editor) == EDITED
        [question] = asked
        titles = [each["title"] for each in question["actions"]]
        assert titles == ["Retry in 🧠 Deep", "Apply anyway"], "the client cannot open a document"
        assert question["message"].startswith("⚡ refused: the answer adds 3 syntax errors")
        edits = (await editor.request("twospeed/status", {}))["edits"]
        assert [(each["mode"], each["outcome"]) for each in edits] == [
            ("lightning", "refused"),
            ("deep", "applied"),
        ]


async def test_a_refused_edit_has_a_retry_code_action_until_the_text_changes(tmp_path: Path) -> None:
    async with with_lanes(tmp_path, capabilities={**STREAMING, **LITERALS}) as editor:
        editor.serve(ScriptedModel(steps_of(BROKEN)))
        assert (await result_of(begin(editor)))["outcome"] == "refused"
        assert "🧠 Retry this edit in Deep" in await titles(editor)
        editor.type(0, 0, "# typed\n")
        assert "🧠 Retry this edit in Deep" not in await titles(editor)


async def titles(editor: Editor) -> list[str]:
    params = {
        "textDocument": {"uri": URI},
        "range": editor.edit_params(FIRST)["range"],
        "context": {"diagnostics": []},
    }
    return [each["title"] for each in await editor.request("textDocument/codeAction", params)]


async def test_other_answers_stay_available_during_a_repair(tmp_path: Path) -> None:
    async with with_lanes(tmp_path) as editor:
        other = OLD.replace("result", "sum_of_items")
        model = ScriptedModel(steps_of(BROKEN), steps_of(other), steps_of(NEW))
        editor.serve(model)
        result = await result_of(begin(editor, variations=2))
        assert (result["outcome"], text_of(editor)) == ("applied", EDITED)
        assert len(model.requests) == 3
        await editor.request("twospeed/variation", {"editId": "c1", "step": 1})
        assert text_of(editor) == TEXT.replace(OLD, other)


async def test_other_answers_are_forgotten_if_the_lines_changed(tmp_path: Path) -> None:
    async with with_lanes(tmp_path) as editor:
        go_on = asyncio.Event()
        typed = NEW.replace("    return", "    # mine\n    return")
        broken = steps_of(BROKEN)
        other = OLD.replace("result", "sum_of_items")
        editor.serve(ScriptedModel([*broken[:-2], go_on, *broken[-2:]], steps_of(other), steps_of(typed)))
        result = begin(editor, variations=2)
        await editor.wait_for(lambda: "amount = 0" in text_of(editor))
        editor.type(text_of(editor).splitlines().index("    return result"), 0, "    # mine\n")
        go_on.set()
        assert (await result_of(result))["outcome"] == "applied"
        with pytest.raises(RequestFailed):
            await editor.request("twospeed/variation", {"editId": "c1", "step": 1})


async def test_a_third_request_is_the_last_with_any_answer(tmp_path: Path) -> None:
    async with with_lanes(tmp_path) as editor:
        gone = [ModelUnavailable("gone", provider="lab", model="m")]
        model = ScriptedModel(gone, gone, steps_of(BROKEN), steps_of(NEW))
        editor.serve(model)
        assert editor.server.session
        editor.server.session.source.clock = time = Time()
        editor.server.session.source.sleep = time.sleep
        result = await result_of(begin(editor))
        assert (result["outcome"], result["reason"]["code"]) == ("refused", "syntax")
        assert (len(model.requests), text_of(editor)) == (3, TEXT)


UNUSABLE = {
    "elided": NEW.replace("    amount = 0\n", "    # ... as before\n"),
    "not-code": "I would write it with a sum, which is shorter.\n",
    "truncated": f"```python\n{NEW[: NEW.index('item.price')]}",
    "partial": "```python\nprint(len(items))\n```\n",
    "ambiguous": f"```python\n{NEW}```\n\nor\n\n```python\n{OLD.replace('price', 'cost')}```\n",
}


@pytest.mark.parametrize("code", UNUSABLE)
async def test_an_answer_of_the_wrong_form_is_requested_again_with_the_reason(
    tmp_path: Path, code: str
) -> None:
    async with with_lanes(tmp_path) as editor:
        model = ScriptedModel(steps_of(UNUSABLE[code]))
        editor.serve(model)
        refused = await result_of(begin(editor))
        assert (refused["outcome"], refused["reason"]["code"]) == ("refused", code)
        assert (len(model.requests), text_of(editor)) == (2, TEXT), "one more request, and no third"
        model = ScriptedModel(steps_of(UNUSABLE[code]), steps_of(NEW))
        editor.serve(model)
        result = await result_of(editor.ask("twospeed/edit", editor.edit_params(FIRST, "count them"))[1])
        assert (result["outcome"], text_of(editor)) == ("applied", EDITED)
        first, second = prompts_of(model)
        told = f"an earlier answer could not be used, so write every line of the scope, in one code block: {refused['reason']['message']}\n"
        assert told not in first
        assert second.replace(told, "") == first, "the answer itself is not shown to the model"


@pytest.mark.parametrize("reason", ["length", "content_filter", "refusal"])
async def test_an_answer_that_the_provider_ended_is_not_requested_again(
    tmp_path: Path, reason: FinishReason
) -> None:
    async with with_lanes(tmp_path) as editor:
        model = ScriptedModel(scripted_answer(NEW, reason=reason), steps_of(NEW))
        editor.serve(model)
        assert (await result_of(begin(editor)))["outcome"] == "refused"
        assert (len(model.requests), text_of(editor)) == (1, TEXT)


async def test_an_unclosed_code_block_is_requested_again_and_applied_if_whole(
    tmp_path: Path,
) -> None:
    async with with_lanes(tmp_path) as editor:
        model = ScriptedModel(steps_of(f"```python\n{NEW}"), steps_of(f"```python\n{NEW}```\n"))
        editor.serve(model)
        assert (await result_of(begin(editor)))["outcome"] == "applied"
        assert (text_of(editor), len(model.requests)) == (EDITED, 2)
        assert "the answer's code block is never closed" in prompts_of(model)[1]
    async with with_lanes(tmp_path) as editor:
        model = ScriptedModel(steps_of(f"```python\n{NEW}"))
        editor.serve(model)
        assert (await result_of(begin(editor)))["outcome"] == "applied"
        assert (text_of(editor), len(model.requests)) == (EDITED, 2)
