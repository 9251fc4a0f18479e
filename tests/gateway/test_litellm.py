"""A real LiteLLM proxy in front of two backends: what it passes on is understood, and so is what it says of a dead one."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

import pytest
from tests.gateway.conftest import Ask
from tests.gateway.real_servers import KEY, LITELLM, litellm_proxy, llama_server
from tests.models.events import text_of

from twospeed.errors import ModelError, ModelUnavailable
from twospeed.models.base import Finished, ReasoningDelta, Usage
from twospeed.models.codecs.table import CODECS
from twospeed.testing.script import Script
from twospeed.testing.scripted_server import ScriptedServer

if not LITELLM or find_spec("xllamacpp") is None:
    pytest.skip("LiteLLM or xllamacpp not installed: make test-gateway", allow_module_level=True)

pytestmark = pytest.mark.process

SAID = ["def total(rows):\n", "    return sum(rows)\n", "# é😋\n"]
TEXT = "".join(SAID)
EDITING = [api for api in CODECS if api != "completions"]
PROXY_KEY = f"sk-{KEY}"


async def test_every_protocol_passes_the_proxy(tmp_path: Path, ask: Ask) -> None:
    script = Script(TEXT, reasoning="hm", cached_tokens=60)
    async with (
        ScriptedServer(lambda _request: script) as one,
        ScriptedServer(lambda _request: script) as two,
        litellm_proxy(tmp_path, [one.base_url, two.base_url]) as proxy,
    ):
        for api in EDITING:
            events = await ask(proxy.base_url, PROXY_KEY, api=api)
            usage = events[-2]
            assert text_of(events) == TEXT
            assert ReasoningDelta("hm") in events
            assert isinstance(usage, Usage)
            assert (usage.input_tokens, usage.output_tokens, usage.cached_tokens) == (
                100,
                script.output_tokens,
                60,
            )
            assert events[-1] == Finished("stop")
            with pytest.raises(
                ModelError, match="HTTP 4"
            ):  # 400: without a database it cannot look the key up
                await ask(proxy.base_url, "sk-another", api=api)


async def test_a_backend_that_dies_causes_one_clear_error(tmp_path: Path, ask: Ask) -> None:
    async with (
        llama_server(tmp_path, recited=SAID) as llama,
        ScriptedServer(lambda _request: Script(TEXT)) as scripted,
        litellm_proxy(tmp_path, [llama.base_url, scripted.base_url]) as proxy,
    ):
        for api in EDITING:
            assert text_of(await ask(proxy.base_url, PROXY_KEY, api=api)) == TEXT
        await llama.kill()
        answers, errors = 0, []
        for api in EDITING * 4:
            try:
                events = await ask(proxy.base_url, PROXY_KEY, api=api)
            except ModelError as error:
                errors.append(type(error))
            else:
                assert (text_of(events), events[-1]) == (TEXT, Finished("stop"))
                answers += 1
    assert answers >= len(EDITING)
    assert errors
    assert all(issubclass(error, ModelUnavailable) for error in errors)
