"""A field that a model refuses costs one extra request, once, and the edit is still applied."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import orjson
from tests.scenarios.editor import URI
from tests.scenarios.model_lanes import Time, editor_on
from tests.scenarios.shop import EDITED, NEW, OLD, TEXT

from twospeed.testing.script import Reply, Script
from twospeed.testing.scripted_server import RecordedRequest, ScriptedServer


def refusing(*fields: str) -> Callable[[RecordedRequest], Script]:
    """Refuse a request because of the first of these fields that it contains."""

    def answer(request: RecordedRequest) -> Script:
        for field in fields:
            if field in request.body:
                error = {"message": f"Unsupported parameter: '{field}'", "param": field}
                return Script(faults=(Reply(400, body=orjson.dumps({"error": error})),))
        return Script(NEW)

    return answer


def predicting(url: str) -> str:
    return f'[providers.fast]\napi = "chat"\nbase_url = "{url}"\nprediction = true\n' + "".join(
        f'[[lanes.{mode}]]\nprovider = "fast"\nmodel = "m"\n' for mode in ("lightning", "deep")
    )


async def test_a_provider_with_predictions_gets_the_old_text(tmp_path: Path) -> None:
    async with (
        ScriptedServer([Script(NEW)]) as server,
        editor_on(tmp_path, {}, Time(), more=predicting(server.base_url)) as editor,
    ):
        await editor.edit(3)
        assert editor.buffers[URI].text == EDITED
        assert server.requests[0].body["prediction"] == {"type": "content", "content": OLD}


async def test_no_other_provider_gets_the_old_text(tmp_path: Path) -> None:
    async with (
        ScriptedServer([Script(NEW)]) as server,
        editor_on(tmp_path, {"lab": server.base_url}, Time()) as editor,
    ):
        await editor.edit(3)
        assert "prediction" not in server.requests[0].body


async def test_a_refused_prediction_is_sent_to_the_model_once(tmp_path: Path) -> None:
    async with (
        ScriptedServer(refusing("prediction")) as server,
        editor_on(tmp_path, {}, Time(), more=predicting(server.base_url)) as editor,
    ):
        result = await editor.edit(3)
        assert (result["outcome"], editor.buffers[URI].text) == ("applied", EDITED)
        assert (result["stats"]["requests"], result["stats"]["uncounted"]) == (2, 0)
        editor.open(TEXT)
        assert (await editor.edit(3))["outcome"] == "applied"
        assert ["prediction" in request.body for request in server.requests] == [True, False, False]
        assert not editor.messages("window/showMessage")


async def test_a_request_refused_for_a_field_counts_among_the_three_requests(tmp_path: Path) -> None:
    async with (
        ScriptedServer(refusing("prediction", "stream_options", "max_tokens")) as server,
        editor_on(tmp_path, {}, Time(), more=predicting(server.base_url)) as editor,
    ):
        result = await editor.edit(3)
        assert (result["outcome"], result["reason"]["code"]) == ("failed", "model-protocol")
        assert len(server.requests) == 3
        assert editor.buffers[URI].text == TEXT
        assert (await editor.edit(3))["outcome"] == "applied"
        assert server.requests[-1].body["max_completion_tokens"]


async def test_an_output_limit_with_another_name_is_found(tmp_path: Path) -> None:
    async with (
        ScriptedServer(refusing("max_tokens")) as server,
        editor_on(tmp_path, {"lab": server.base_url}, Time()) as editor,
    ):
        assert (await editor.edit(3))["outcome"] == "applied"
        assert [request.body.get("max_completion_tokens") for request in server.requests] == [None, 8192]


async def test_an_effort_that_the_user_chose_is_not_dropped_silently(tmp_path: Path) -> None:
    async with ScriptedServer(refusing("reasoning_effort")) as server:
        entry = f'[[lanes.lightning]]\nprovider = "own"\nmodel = "m"\neffort = "hgih"\n[providers.own]\napi = "chat"\nbase_url = "{server.base_url}"\n'
        async with editor_on(tmp_path, {}, Time(), more=entry) as editor:
            result = await editor.edit(3)
            assert result["outcome"] == "failed"
            assert "reasoning_effort" in result["reason"]["message"]
            assert len(server.requests) == 1
