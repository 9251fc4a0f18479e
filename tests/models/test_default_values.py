"""Default values of requests, limits and providers, and what is sent without settings."""

from __future__ import annotations

import dataclasses

import pytest

from twospeed.models.base import (
    DEEP_LIMITS,
    EditTask,
    Finished,
    Limits,
    Message,
    ModelRequest,
    ProviderSettings,
    Usage,
)
from twospeed.models.catalog.providers import PROVIDERS, Provider
from twospeed.models.codecs.decoder import RequestInfo
from twospeed.models.codecs.table import CODECS

TASK = EditTask("add a docstring", "python", "def f(): pass\n", lambda _text: True)


def test_a_request_has_defaults() -> None:
    request = ModelRequest((Message("user", "a"),), TASK, 512)
    assert request == ModelRequest(
        messages=(Message("user", "a", 0),),
        task=TASK,
        max_output_tokens=512,
        effort=None,
        is_effort_default=False,
        predicts=False,
        repeats_scope=True,
        may_send_again=lambda: False,  # is not compared
    )
    assert request.may_send_again() is True
    assert TASK.sent_text == ""


def test_the_opening_of_a_request_is_its_stable_part() -> None:
    system, last = Message("system", "s"), Message("user", "stable and not", n_stable=6)
    request = ModelRequest((system, last), TASK, 512, effort="high")
    assert request.opening == dataclasses.replace(request, messages=(system, Message("user", "stable", 6)))
    unstable = dataclasses.replace(request, messages=(system, Message("user", "not")))
    assert unstable.opening.messages == (system,)
    assert last.parts == ("stable", " and not")
    assert Message("user", "not").parts == ("not",)


def test_the_limits_of_the_two_lanes() -> None:
    assert dataclasses.astuple(Limits()) == (5.0, 30.0, 15.0, 300.0, 8192, 8000)
    assert dataclasses.astuple(DEEP_LIMITS) == (5.0, 120.0, 60.0, 300.0, 32768, 32000)


def test_an_endpoint_has_defaults() -> None:
    assert dataclasses.astuple(ProviderSettings("lab", "chat", "https://lab.example/v1")) == (
        *("lab", "chat", "https://lab.example/v1", None, {}),
        *(False, False, False, True, "", 32768, False, ("", "", ""), ()),
    )
    assert dataclasses.astuple(Usage()) == (0, 0, 0, 0, 0)


def provider(
    label: str,
    name: str,
    base_url: str,
    key: str | None = None,
    *models: str,
    efforts: tuple[str | None, str | None] = (None, None),
    limit_field: str = "max_tokens",
    moved_by: str | None = None,
    path: str = "",
    api: str = "chat",
    prediction: bool = False,
) -> tuple[object, ...]:
    settings: tuple[object, ...] = (
        name,
        api,
        base_url,
        key,
        {},
        False,
        False,
        prediction,
        True,
        "",
        32768,
        False,
        ("", "", ""),
        (),
    )
    fast, deep = models or ("", "")
    return label, settings, fast, deep, *efforts, limit_field, moved_by, path


def test_the_providers_that_are_known_without_a_config() -> None:
    new_limit = "max_completion_tokens"
    assert [dataclasses.astuple(each) for each in PROVIDERS.values()] == [
        provider(
            *("OpenAI", "openai", "https://api.openai.com/v1", "OPENAI_API_KEY"),
            *("gpt-6-luna", "gpt-6.1-sol"),
            efforts=("none", "high"),
            limit_field=new_limit,
            moved_by="OPENAI_BASE_URL",
        ),
        provider(
            *("Anthropic", "anthropic", "https://api.anthropic.com/v1", "ANTHROPIC_API_KEY"),
            *("claude-haiku-5-5", "claude-opus-5-5"),
            efforts=("none", "high"),
            moved_by="ANTHROPIC_BASE_URL",
            path="/v1",
            api="messages",
        ),
        provider(
            *("Cerebras", "cerebras", "https://api.cerebras.ai/v1", "CEREBRAS_API_KEY"),
            *("gpt-oss-120b", "qwen-3.8-27b"),
            limit_field=new_limit,
            prediction=True,
        ),
        provider(
            *("Groq", "groq", "https://api.groq.com/openai/v1", "GROQ_API_KEY"),
            *("openai/gpt-oss-20b", "openai/gpt-oss-120b"),
            limit_field=new_limit,
        ),
        provider(
            *("xAI", "xai", "https://api.x.ai/v1", "XAI_API_KEY", "grok-4.3", "grok-4.3"),
            efforts=("none", None),
            limit_field=new_limit,
        ),
        provider(
            *("OpenRouter", "openrouter", "https://openrouter.ai/api/v1", "OPENROUTER_API_KEY"),
            *("openai/gpt-oss-120b:nitro", "openai/gpt-6.1-sol"),
        ),
        provider("Ollama", "ollama", "http://127.0.0.1:11434/v1"),
        provider("LM Studio", "lmstudio", "http://127.0.0.1:1234/v1"),
        provider("llama.cpp", "llamacpp", "http://127.0.0.1:8080/v1"),
        provider("vLLM", "vllm", "http://127.0.0.1:8000/v1"),
    ]
    lab = ProviderSettings("lab", "chat", "https://lab.example/v1")
    assert dataclasses.astuple(Provider("Lab", lab)) == provider("Lab", "lab", "https://lab.example/v1")


@pytest.mark.parametrize(
    ("max_output_tokens", "said", "expected"),
    [(1, None, "stop"), (2, 1, "stop"), (2, 2, "length"), (2, 3, "length"), (1, 0, "stop")],
)
def test_an_answer_that_used_all_tokens_is_cut_off(
    max_output_tokens: int, said: int | None, expected: str
) -> None:
    decoder = CODECS["chat"].decoder(RequestInfo("lab", "m", None, max_output_tokens))
    usage = "" if said is None else f',"usage":{{"prompt_tokens":1,"completion_tokens":{said}}}'
    events = (
        '{"choices":[{"delta":{"content":"a"}}]}',
        f'{{"choices":[{{"delta":{{}},"finish_reason":"stop"}}]{usage}}}',
    )
    for event in events:
        decoder.receive_event(event.encode())
    assert decoder.finish() == Finished(expected)  # type: ignore[arg-type]
