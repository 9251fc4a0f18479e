"""One instruction at many places: an outcome for each, one id for all, and one undo step in a document."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator
from typing import Any

import pytest
from tests.scenarios.editor import STREAMING, URI, Editor, RequestFailed, place_range
from tests.scenarios.scripted import result_of, text_of, wait_for_requests

from twospeed.models.base import Finished, ModelEvent, ModelRequest, TextDelta

OTHER = "file:///project/other.py"
N = 5
TEXT = "".join(f"def f{number}(a):\n    return a + {number}\n\n\n" for number in range(N))
EDITED = TEXT.replace("return a", "return 2 * a")
KINDS = pytest.mark.parametrize("kind", [STREAMING, None], ids=["streaming", "stock"])


def at(line: int) -> dict[str, Any]:
    return place_range(line, 0, line, 0)


ALL = [at(4 * number) for number in range(N)]


class Doubling:
    """A model that doubles the result of the function in its scope, unless it is told otherwise."""

    provider, name = "lab", "m"

    def __init__(self) -> None:
        self.requests: list[ModelRequest] = []
        self.refuses: set[int] = set()
        self.imports = ""
        self.go_on = asyncio.Event()
        self.go_on.set()

    async def stream(self, request: ModelRequest) -> AsyncIterator[ModelEvent]:
        self.requests.append(request)
        scope = request.task.scope_text
        number = int(re.findall(r"def f(\d+)", scope)[0])
        head, tail = (self.imports + scope.replace("return a", "return 2 * a")).split("\n", 1)
        yield TextDelta("sorry" if number in self.refuses else head + "\n")
        await self.go_on.wait()
        if number not in self.refuses:
            yield TextDelta(tail)
        yield Finished("stop")

    async def aclose(self) -> None:
        pass


async def opened(kind: Any, text: str = TEXT) -> tuple[Editor, Doubling]:
    editor, model = await Editor.started(kind), Doubling()
    editor.open(text)
    editor.serve(model)  # type: ignore[arg-type]  # as far as edits use it
    return editor, model


def params(editor: Editor, ranges: Any = ALL, **more: Any) -> dict[str, Any]:
    edited = editor.edit_params(0, "double it", editId="c1", ranges=ranges, **more)
    del edited["range"]
    return edited


def sent_by(editor: Editor) -> list[Any]:
    return [params for method, params in editor.requests if method.endswith("applyEdit")]


@KINDS
async def test_every_place_is_edited(kind: Any) -> None:
    editor, model = await opened(kind)
    async with editor:
        result = await editor.request("twospeed/edit", params(editor))
        assert text_of(editor) == EDITED
        assert (result["editId"], result["outcome"], len(model.requests)) == ("c1", "applied", N)
        assert [place["editId"] for place in result["places"]] == [f"c1.{n}" for n in range(1, N + 1)]
        assert [place["outcome"] for place in result["places"]] == ["applied"] * N
        assert [place["range"]["start"]["line"] for place in result["places"]] == [0, 4, 8, 12, 16]
        assert [[hunk["removed"] for hunk in place["hunks"]] for place in result["places"]] == [
            [f"    return a + {n}\n"] for n in range(N)
        ]
        assert (result["stats"]["requests"], result["stats"]["linesAdded"]) == (N, N)


async def test_a_stock_editor_receives_one_edit() -> None:
    editor, _ = await opened(None)
    async with editor:
        await editor.request("twospeed/edit", params(editor))
        (sent,) = sent_by(editor)
        assert len(sent["edit"]["documentChanges"][0]["edits"]) == N


async def test_streamed_places_share_one_undo_step() -> None:
    editor, _ = await opened(STREAMING)
    async with editor:
        await editor.request("twospeed/edit", params(editor))
        sent = sent_by(editor)
        assert {each["editId"] for each in sent} == {"c1"}
        assert [each["undoStopBefore"] for each in sent] == [True, *[False] * (len(sent) - 1)]
        assert [each["undoStopAfter"] for each in sent] == [*[False] * (len(sent) - 1), True]
        assert [each["seq"] for each in sent] == list(range(1, len(sent) + 1))


@KINDS
async def test_a_refused_place_does_not_stop_the_others(kind: Any) -> None:
    editor, model = await opened(kind)
    model.refuses = {1}
    async with editor:
        result = await editor.request("twospeed/edit", params(editor))
        assert text_of(editor) == EDITED.replace("2 * a + 1", "a + 1")
        outcomes = [place["outcome"] for place in result["places"]]
        assert outcomes == ["applied", "refused", "applied", "applied", "applied"]
        assert result["outcome"] == "applied"
        assert result["places"][1]["reason"]["code"] == "not-code"
        assert sent_by(editor)[-1].get("undoStopAfter", True)


@KINDS
async def test_places_may_be_in_several_documents(kind: Any) -> None:
    editor, _ = await opened(kind)
    async with editor:
        editor.open(TEXT, uri=OTHER)
        elsewhere = {"textDocument": {"uri": OTHER, "version": 1}, "range": at(4)}
        result = await editor.request("twospeed/edit", params(editor, [at(0), elsewhere]))
        assert text_of(editor) == TEXT.replace("return a + 0", "return 2 * a + 0")
        assert editor.buffers[OTHER].text == TEXT.replace("return a + 1", "return 2 * a + 1")
        assert [place["uri"] for place in result["places"]] == [URI, OTHER]


@KINDS
async def test_overlapping_places_are_one(kind: Any) -> None:
    editor, model = await opened(kind)
    async with editor:
        result = await editor.request("twospeed/edit", params(editor, [at(0), at(1), at(4)]))
        assert (len(result["places"]), len(model.requests)) == (2, 2)
        selections = [place_range(8, 0, 10, 0), place_range(9, 0, 11, 0)]
        result = await editor.request("twospeed/edit", {**params(editor, selections), "editId": "c2"})
        assert [place["range"] for place in result["places"]] == [place_range(8, 0, 11, 0)]


@KINDS
async def test_one_reject_restores_all_places(kind: Any) -> None:
    editor, _ = await opened(kind)
    async with editor:
        await editor.request("twospeed/edit", params(editor))
        editor.type(0, 0, "# typed\n")
        decided = await editor.request("twospeed/decide", {"editId": "c1", "action": "reject"})
        assert text_of(editor) == "# typed\n" + TEXT
        assert decided["hunks"] == []
        assert [place["editId"] for place in decided["places"]] == [f"c1.{n}" for n in range(1, N + 1)]
        with pytest.raises(RequestFailed, match="c1 has nothing to decide"):
            await editor.request("twospeed/decide", {"editId": "c1", "action": "accept"})


@KINDS
async def test_a_reject_is_one_undo_step_in_each_document(kind: Any) -> None:
    editor, _ = await opened(kind)
    async with editor:
        editor.open(TEXT, uri=OTHER)
        elsewhere = [
            {"textDocument": {"uri": OTHER, "version": 1}, "range": at(4 * number)} for number in range(N)
        ]
        await editor.request("twospeed/edit", params(editor, [*ALL, *elsewhere]))
        n_before = len(sent_by(editor))
        await editor.request("twospeed/decide", {"editId": "c1", "action": "reject"})
        assert (text_of(editor), editor.buffers[OTHER].text) == (TEXT, TEXT)
        sent = sent_by(editor)[n_before:]
        assert len(sent) == 2
        assert all(each.get("undoStopBefore", True) and each.get("undoStopAfter", True) for each in sent)
        assert await verdicts_of(editor) == {"rejected"}


@KINDS
async def test_a_reject_is_built_again_for_text_typed_meanwhile(kind: Any) -> None:
    editor, _ = await opened(kind)
    async with editor:
        await editor.request("twospeed/edit", params(editor))
        typed = iter(((0, "# above\n"), (7, "# between\n")))

        def type_next(_: Editor) -> None:
            if line := next(typed, None):
                editor.type(line[0], 0, line[1])

        editor.before_apply = type_next
        decided = await editor.request("twospeed/decide", {"editId": "c1", "action": "reject"})
        lines = TEXT.splitlines(keepends=True)
        assert text_of(editor) == "".join(["# above\n", *lines[:6], "# between\n", *lines[6:]])
        assert [place["hunks"] for place in decided["places"]] == [[]] * N


@KINDS
async def test_a_place_that_is_undone_while_all_are_rejected_is_restored_once(kind: Any) -> None:
    editor, _ = await opened(kind)
    async with editor:
        await editor.request("twospeed/edit", params(editor))

        def undo_one(_: Editor) -> None:
            if "2 * a + 1" in text_of(editor):
                editor.type(5, 11, "", end=(5, 15))

        editor.before_apply = undo_one
        await editor.request("twospeed/decide", {"editId": "c1", "action": "reject"})
        assert text_of(editor) == TEXT
        assert await verdicts_of(editor) == {"rejected"}


async def test_a_reject_that_one_document_refuses_restores_the_others() -> None:
    editor, _ = await opened(STREAMING)
    async with editor:
        editor.open(TEXT, uri=OTHER)
        elsewhere = {"textDocument": {"uri": OTHER, "version": 1}, "range": at(4)}
        await editor.request("twospeed/edit", params(editor, [elsewhere, *ALL]))
        changed = editor.buffers[OTHER].text

        def refuse(method: str, sent: Any) -> Any:
            is_other = method.endswith("applyEdit") and OTHER in str(sent)
            return {"applied": False, "version": 2, "reason": "readOnly"} if is_other else None

        editor.answer = refuse
        with pytest.raises(RequestFailed, match="read-only"):
            await editor.request("twospeed/decide", {"editId": "c1", "action": "reject"})
        assert (text_of(editor), editor.buffers[OTHER].text) == (TEXT, changed)
        assert await verdicts_of(editor) == {"rejected", None}
        editor.answer = None
        decided = await editor.request("twospeed/decide", {"editId": "c1", "action": "reject"})
        assert [place["uri"] for place in decided["places"]] == [OTHER]
        assert editor.buffers[OTHER].text == TEXT


@KINDS
async def test_a_reject_returns_what_the_user_has_changed_in_each_place(kind: Any) -> None:
    editor, model = await opened(kind)
    model.imports = "import os\n"
    async with editor:
        await editor.request("twospeed/edit", params(editor))
        line = text_of(editor).splitlines().index("    return 2 * a + 2")
        editor.type(line, 20, "0")
        decided = await editor.request("twospeed/decide", {"editId": "c1", "action": "reject"})
        assert text_of(editor) == TEXT.replace("return a + 2\n", "return 2 * a + 20\n")
        left = {place["editId"]: place["hunks"] for place in decided["places"]}
        assert [edit_id for edit_id, hunks in left.items() if hunks] == ["c1.3"]
        assert left["c1.3"][0]["removed"] == "    return a + 2\n"
        assert {place["version"] for place in decided["places"]} == {editor.buffers[URI].version}


async def verdicts_of(editor: Editor) -> set[str | None]:
    return {each["verdict"] for each in (await editor.request("twospeed/status", {}))["edits"]}


@KINDS
async def test_a_place_can_be_decided_alone(kind: Any) -> None:
    editor, _ = await opened(kind)
    async with editor:
        await editor.request("twospeed/edit", params(editor))
        await editor.request("twospeed/decide", {"editId": "c1.2", "action": "reject"})
        assert text_of(editor) == EDITED.replace("2 * a + 1", "a + 1")
        await editor.request("twospeed/decide", {"editId": "c1", "action": "accept"})
        status = await editor.request("twospeed/status", {})
        verdicts = [each["verdict"] for each in status["edits"]]
        assert verdicts == ["accepted", "rejected", "accepted", "accepted", "accepted"]


@KINDS
async def test_a_cancel_stops_all_places(kind: Any) -> None:
    editor, model = await opened(kind)
    model.go_on.clear()
    async with editor:
        _, running = editor.ask("twospeed/edit", params(editor))
        await wait_for_requests(model, N)
        result = await editor.request("twospeed/cancel", {"editId": "c1"})
        assert result == await result_of(running)
        assert {place["outcome"] for place in result["places"]} == {"cancelled"}
        assert text_of(editor) == TEXT


@KINDS
async def test_a_cancelled_place_lets_the_others_land(kind: Any) -> None:
    editor, model = await opened(kind)
    model.go_on.clear()
    async with editor:
        _, running = editor.ask("twospeed/edit", params(editor))
        await wait_for_requests(model, N)
        cancelled = editor.ask("twospeed/cancel", {"editId": "c1.3"})[1]
        assert (await result_of(cancelled))["outcome"] == "cancelled"
        model.go_on.set()
        result = await result_of(running)
        assert [place["outcome"] for place in result["places"]].count("applied") == N - 1
        assert text_of(editor) == EDITED.replace("2 * a + 2", "a + 2")


@KINDS
async def test_steering_steers_all_places(kind: Any) -> None:
    editor, model = await opened(kind)
    model.go_on.clear()
    async with editor:
        _, running = editor.ask("twospeed/edit", params(editor))
        await wait_for_requests(model, N)
        await editor.request("twospeed/steer", {"editId": "c1", "instruction": "and say why"})
        model.go_on.set()
        assert (await result_of(running))["outcome"] == "applied"
        assert len(model.requests) == 2 * N
        assert all("and say why" in each.messages[-1].content for each in model.requests[N:])
        assert text_of(editor) == EDITED


@KINDS
async def test_all_places_may_bring_the_same_import(kind: Any) -> None:
    editor, model = await opened(kind, "import math\n\n\n" + TEXT)
    model.imports = "from decimal import Decimal\n\n\n"
    async with editor:
        ranges = [at(4 * number + 3) for number in range(N)]
        result = await editor.request("twospeed/edit", params(editor, ranges))
        assert result["outcome"] == "applied"
        assert text_of(editor) == "import math\nfrom decimal import Decimal\n\n\n" + EDITED
        assert sum(len(place["alsoChanged"]) for place in result["places"]) == 1
        await editor.request("twospeed/decide", {"editId": "c1", "action": "reject"})
        assert text_of(editor) == "import math\n\n\n" + TEXT


@KINDS
async def test_typing_between_the_places_is_kept(kind: Any) -> None:
    editor, model = await opened(kind)
    model.go_on.clear()
    async with editor:
        _, running = editor.ask("twospeed/edit", params(editor))
        await wait_for_requests(model, N)
        editor.type(6, 0, "# typed\n")
        model.go_on.set()
        assert (await result_of(running))["outcome"] == "applied"
        lines = EDITED.splitlines(keepends=True)
        assert text_of(editor) == "".join([*lines[:6], "# typed\n", *lines[6:]])


async def test_a_preview_of_many_places_is_one_edit() -> None:
    editor, _ = await opened(None)
    async with editor:
        result = await editor.request("twospeed/edit", params(editor, deliver="preview"))
        assert text_of(editor) == TEXT
        (change,) = result["edit"]["documentChanges"]
        buffer = editor.open(TEXT, uri=OTHER)
        buffer.apply(change["edits"])
        assert buffer.text == EDITED


async def test_progress_counts_the_places_and_cancels_them() -> None:
    editor, model = await opened(STREAMING)
    model.go_on.clear()
    async with editor:
        _, running = editor.ask("twospeed/edit", params(editor, workDoneToken="t"))
        await editor.wait_for(lambda: any(each["kind"] == "report" for each in editor.progress("t")))
        assert re.fullmatch(r"\d+ s, 0 of 5 places", editor.progress("t")[1]["message"])
        editor.notify("window/workDoneProgress/cancel", {"token": "t"})
        assert (await result_of(running))["outcome"] == "cancelled"


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ({"range": at(0)}, "ranges: either range or ranges"),
        ({"ranges": []}, "ranges: list should have at least 1 item"),
        ({"ranges": [at(0)] * 101}, "ranges: list should have at most 100 items"),
        ({"ranges": [at(0), at(99)]}, "ranges.1.start.line: the document has 21 lines"),
        ({"variations": 2}, "variations: is for an edit of one place"),
        ({"ranges": None}, "range: says which lines to edit; it is missing"),
    ],
)
async def test_invalid_places_are_refused_by_name(more: dict[str, Any], message: str) -> None:
    editor, model = await opened(STREAMING)
    async with editor:
        with pytest.raises(RequestFailed, match=re.escape(message)):
            await editor.request("twospeed/edit", {**params(editor), **more})
        assert model.requests == []


async def test_the_id_of_a_group_is_taken() -> None:
    editor, _ = await opened(STREAMING)
    async with editor:
        await editor.request("twospeed/edit", params(editor))
        with pytest.raises(RequestFailed, match="an edit of this id exists already"):
            await editor.edit(0, editId="c1")


@KINDS
async def test_commands_take_the_id_of_a_group(kind: Any) -> None:
    editor, model = await opened(kind)
    async with editor:
        argument = {"uri": URI, "ranges": ALL, "instruction": "double it"}
        started = await editor.command("twospeed.edit", argument)
        async with asyncio.timeout(60):
            while {each["state"] for each in (await editor.request("twospeed/status", {}))["edits"]} != {
                "review"
            }:
                pass
        assert (text_of(editor), len(model.requests)) == (EDITED, N)
        await editor.command("twospeed.reject", {"editId": started["editId"]})
        await editor.wait_for(lambda: text_of(editor) == TEXT)


@KINDS
async def test_a_command_without_an_id_is_for_the_whole_group(kind: Any) -> None:
    editor, model = await opened(kind)
    async with editor:
        await editor.request("twospeed/edit", params(editor))
        await editor.command("twospeed.reject")
        await editor.wait_for(lambda: text_of(editor) == TEXT)
        model.go_on.clear()
        _, running = editor.ask("twospeed/edit", {**params(editor), "editId": "c2"})
        await wait_for_requests(model, 2 * N)
        await editor.command("twospeed.cancel")
        assert {place["outcome"] for place in (await result_of(running))["places"]} == {"cancelled"}


@KINDS
@pytest.mark.parametrize("argument", [{"editId": "c1"}, {}], ids=["its id", "no id"])
async def test_commands_decide_a_hunk_of_one_place_only(kind: Any, argument: Any) -> None:
    editor, _ = await opened(kind)
    async with editor:
        result = await editor.request("twospeed/edit", params(editor))
        hunk = result["places"][1]["hunks"][0]["id"]
        for command in ("twospeed.accept", "twospeed.reject"):
            with pytest.raises(RequestFailed, match=r"-32602: editId: name the place of the hunk"):
                await editor.command(command, {**argument, "hunk": hunk})
        assert (text_of(editor), await verdicts_of(editor)) == (EDITED, {None})
        await editor.command("twospeed.reject", {"editId": "c1.2", "hunk": hunk})
        await editor.wait_for(lambda: text_of(editor) == EDITED.replace("2 * a + 1", "a + 1"))
