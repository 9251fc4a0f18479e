"""A prompt that is too long for its model is shortened once around the scope, then is an error."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import orjson
import pytest
from tests.scenarios.editor import URI
from tests.scenarios.model_lanes import Time, editor_on
from tests.scenarios.shop import EDITED, NEW, OLD, TEXT

from twospeed.testing.script import Reply, Script
from twospeed.testing.scripted_server import RecordedRequest, ScriptedServer

ABOVE = "".join(f"ABOVE_{number} = {number}\n" for number in range(1500))


def chars_of(request: RecordedRequest) -> int:
    messages = request.body["messages"]
    assert isinstance(messages, list)
    return sum(len(message["content"]) for message in messages)


class SmallModel:
    """Accepts prompts up to a number of characters, and refuses longer ones in its own words."""

    def __init__(self, limit_chars: int, body: Mapping[str, object], status: int = 400) -> None:
        self.limit_chars = limit_chars
        self.too_long = Script(faults=(Reply(status, {}, orjson.dumps(body)),))

    def __call__(self, request: RecordedRequest) -> Script:
        return Script(NEW) if chars_of(request) <= self.limit_chars else self.too_long


def error(message: str, **fields: object) -> dict[str, object]:
    return {"error": {"message": message, **fields}}


# The prompt has about 26,500 characters, of which 4,000 to 5,000 are the system prompt, the scope and the instruction.
SMALL_MODELS = {
    "llama.cpp": SmallModel(
        20_000, error("too long", type="exceed_context_size_error", n_prompt_tokens=7000, n_ctx=5000)
    ),
    "openai": SmallModel(
        20_000,
        error(
            "This model's maximum context length is 5000 tokens. However, your messages resulted in 7000 tokens.",
            code="context_length_exceeded",
        ),
    ),
    "anthropic": SmallModel(20_000, error("prompt is too long: 7000 tokens > 5000 maximum")),
    "no numbers": SmallModel(6_000, error("too long", code="context_length_exceeded")),
    "413": SmallModel(6_000, {}, status=413),
}


@pytest.mark.parametrize("name", SMALL_MODELS)
async def test_lines_around_the_scope_are_omitted_according_to_the_reported_numbers(
    tmp_path: Path, name: str
) -> None:
    time = Time()
    async with (
        ScriptedServer(SMALL_MODELS[name]) as server,
        editor_on(tmp_path, {"lab": server.base_url}, time) as editor,
    ):
        editor.open(ABOVE + TEXT)
        result = await editor.edit(1504)
        assert (result["outcome"], editor.buffers[URI].text) == ("applied", ABOVE + EDITED)
        long, short = server.requests
        assert chars_of(short) < chars_of(long)
        assert OLD in str(short.body["messages"][-1]["content"])  # type: ignore[index]  # a list
        assert time.waits == []
        if name in ("llama.cpp", "openai", "anthropic"):
            assert chars_of(short) > 10_000, "the prompt keeps as much as fits"
            assert "ABOVE_1499" in str(short.body)


async def test_a_server_that_reserves_the_whole_answer_gets_a_lower_output_limit(tmp_path: Path) -> None:
    words = (
        "'max_tokens' or 'max_completion_tokens' is too large: 8192. This model's maximum context length is 8192 "
        "tokens and your request has 1500 input tokens (8192 > 8192 - 1500)."
    )
    refusal = Script(faults=(Reply(400, {}, orjson.dumps(error(words))),))
    async with (
        ScriptedServer([refusal, Script(NEW)]) as server,
        editor_on(tmp_path, {"lab": server.base_url}, Time()) as editor,
    ):
        assert (await editor.edit(4))["outcome"] == "applied"
        first, second = server.requests
        assert (first.body["max_tokens"], second.body["max_tokens"]) == (8192, int(8192 * 0.95) - 1500)
        assert chars_of(first) == chars_of(second)


async def test_a_token_limit_per_minute_lowers_the_output_limit(tmp_path: Path) -> None:
    words = (
        "Request too large for model `m` on tokens per minute (TPM): Limit 8000, Requested 9692, please reduce your "
        "message size and try again."
    )
    body = orjson.dumps(error(words, type="tokens", code="rate_limit_exceeded"))
    refusal = Script(faults=(Reply(413, {}, body),))
    async with (
        ScriptedServer([refusal, Script(NEW)]) as server,
        editor_on(tmp_path, {"lab": server.base_url}, Time()) as editor,
    ):
        assert (await editor.edit(4))["outcome"] == "applied"
        first, second = server.requests
        assert (first.body["max_tokens"], second.body["max_tokens"]) == (8192, int(8000 * 0.95) - 1500)
        assert chars_of(first) == chars_of(second)


@pytest.mark.security("R13")
async def test_a_prompt_is_made_shorter_once(tmp_path: Path) -> None:
    refusals = [
        Script(
            faults=(
                Reply(400, {}, orjson.dumps(error(f"prompt is too long: 7000 tokens > {limit} maximum"))),
            )
        )
        for limit in (6000, 5000)
    ]
    async with (
        ScriptedServer([*refusals, Script(NEW)]) as server,
        editor_on(tmp_path, {"lab": server.base_url}, Time()) as editor,
    ):
        editor.open(ABOVE + TEXT)
        assert (await editor.edit(1504))["reason"]["code"] == "context-too-long"
        assert len(server.requests) == 2


@pytest.mark.security("R13")
async def test_a_prompt_that_is_still_too_long_is_an_error_after_the_second_request(tmp_path: Path) -> None:
    async with (
        ScriptedServer(
            SmallModel(100, error("too long", type="exceed_context_size_error", n_ctx=64))
        ) as server,
        editor_on(tmp_path, {"lab": server.base_url}, Time()) as editor,
    ):
        editor.open(ABOVE + TEXT)
        result = await editor.edit(1504)
        assert result["outcome"] == "failed"
        assert result["reason"] == {
            "code": "context-too-long",
            "message": "these lines are too long for m, even without those around them; choose fewer",
        }
        assert (len(server.requests), editor.buffers[URI].text) == (2, ABOVE + TEXT)


async def test_a_prompt_without_omittable_lines_is_not_sent_again(tmp_path: Path) -> None:
    async with (
        ScriptedServer(SmallModel(100, {}, status=413)) as server,
        editor_on(tmp_path, {"lab": server.base_url}, Time()) as editor,
    ):
        editor.open(OLD)
        result = await editor.edit(1)
        assert (result["reason"]["code"], len(server.requests)) == ("context-too-long", 1)
