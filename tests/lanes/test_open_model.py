"""Settings are opened as models, or raise an error that says what to correct."""

from __future__ import annotations

import subprocess
import sys

import pytest

from twospeed.errors import ModelTimeout, NotBuilt, SettingsError, TwospeedError, UnsafeEndpoint
from twospeed.lanes.open_model import open_model
from twospeed.models.base import Finished, Limits, Model, ModelRequest, ProviderSettings
from twospeed.models.catalog.providers import PROVIDERS
from twospeed.models.http.connections import Connections
from twospeed.models.keys.key_store import KeyStore
from twospeed.models.llama import llama_model
from twospeed.testing.script import Hang, Reply, Script
from twospeed.testing.scripted_server import ScriptedServer

SECRET = "lab-live-0123456789"


def settings(base_url: str = "https://lab.example/v1", **changes) -> ProviderSettings:
    return ProviderSettings(**{"name": "lab", "api": "chat", "base_url": base_url, **changes})


def opened(provider: ProviderSettings, **environ: str) -> Model:
    return open_model(provider, "m", limits=Limits(), connections=Connections(), keys=KeyStore(environ))


def test_a_known_provider_opens_with_its_key() -> None:
    model = opened(PROVIDERS["cerebras"].settings, CEREBRAS_API_KEY=SECRET)
    assert (model.provider, model.name) == ("cerebras", "m")


@pytest.mark.parametrize("environ", [{}, {"LAB_API_KEY": " "}])
def test_a_missing_key_is_named(environ: dict[str, str]) -> None:
    with pytest.raises(
        SettingsError, match="LAB_API_KEY: is not set; lab needs its key there, or in the keyring"
    ) as caught:
        opened(settings(api_key_env="LAB_API_KEY"), **environ)
    assert caught.value.key == "LAB_API_KEY"


def test_a_server_on_this_machine_needs_no_key() -> None:
    opened(settings("http://127.0.0.1:8000/v1", api_key_env="LAB_API_KEY"))


@pytest.mark.security("R2.1")
def test_the_key_of_one_provider_is_not_sent_to_another() -> None:
    with pytest.raises(UnsafeEndpoint, match=r"api\.openai\.com and is not sent to https://api\.groq\.com"):
        opened(
            settings("https://api.groq.com/openai/v1", api_key_env="OPENAI_API_KEY"), OPENAI_API_KEY=SECRET
        )


@pytest.mark.security("R8")
@pytest.mark.parametrize(
    "base_url", ["http://lab.example/v1", "ftp://lab.example", "https://u:p@lab.example", ""]
)
def test_an_unsafe_address_is_refused(base_url: str) -> None:
    with pytest.raises(UnsafeEndpoint):
        opened(settings(base_url))


def test_an_unsupported_api_is_an_error() -> None:
    with pytest.raises(NotBuilt, match="the grpc API, which lab needs, is not supported"):
        opened(settings(api="grpc"))


@pytest.mark.security("R7")
@pytest.mark.parametrize(
    "header",
    [
        {"X-A": "a\r\nX-B: b"},
        {"X-A": "é"},
        {"X A": "a"},
        {"": "a"},
        {"Host": "evil.example"},
        {"content-length": "0"},
        {"Authorization": "Bearer x"},
        {"X-API-Key": "x"},
    ],
    ids=str,
)
def test_an_invalid_or_secret_header_is_refused(header: dict[str, str]) -> None:
    with pytest.raises(SettingsError, match="headers"):
        opened(settings(headers=header))


@pytest.mark.security("R7")
def test_a_refused_header_is_named_with_the_reason() -> None:
    reasons = {
        "is set by the HTTP client": [
            *("connection", "content-length", "host", "te", "trailer", "transfer-encoding", "upgrade"),
        ],
        "carries a secret; name its environment variable in api_key_env": [
            *("api-key", "authorization", "cookie", "proxy-authorization", "x-api-key"),
        ],
        "is not a valid header": ["", "X A", "é", "x:"],
    }
    for reason, names in reasons.items():
        for name in [*names, *(name.upper() for name in names)]:
            with pytest.raises(SettingsError) as caught:
                opened(settings(headers={"X-Title": "fine", name: "a"}))
            assert str(caught.value) == f"provider lab: headers.{name}: {reason}"
    with pytest.raises(SettingsError, match="is not a valid header"):
        opened(settings(headers={"X-A": "a\x7f"}))
    opened(settings(headers={"X-!#$%&'*+.^_`|~-9": "all that may stand in a name: ~"}))


async def test_an_opened_model_has_its_limits(
    connections: Connections, request_to_model: ModelRequest
) -> None:
    scripts = [Script("x"), Script("x", faults=(Hang(),))]
    async with ScriptedServer(scripts) as server:
        model = open_model(
            settings(server.base_url, api_key_env="LAB_API_KEY"),
            "m",
            limits=Limits(first_content_s=1.0),
            connections=connections,
            keys=KeyStore({"LAB_API_KEY": SECRET}),
        )
        assert [event async for event in model.stream(request_to_model)][-1] == Finished("stop")
        with pytest.raises(ModelTimeout) as caught:
            [event async for event in model.stream(request_to_model)]
        await server.wait_for_disconnects()
    assert caught.value.limit == "first_content_s"
    assert server.requests[0].headers["authorization"] == f"Bearer {SECRET}"


async def test_a_websocket_is_used_if_configured(
    connections: Connections, request_to_model: ModelRequest
) -> None:
    async with ScriptedServer([Script("x")], takes_sockets=True) as server:
        lab = settings(server.base_url, api="responses", websocket=True)
        model = open_model(lab, "m", limits=Limits(), connections=connections, keys=KeyStore({}))
        assert [event async for event in model.stream(request_to_model)][-1] == Finished("stop")
    assert [request.method for request in server.requests] == ["WS"]


def test_a_model_file_is_opened_with_limits_and_shared_connections(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    made: list[tuple[object, ...]] = []
    monkeypatch.setattr(llama_model, "LlamaModel", lambda *args, **more: made.append((*args, more)))
    gguf, connections = settings(api="llama", gguf="m.gguf"), Connections()
    limits = Limits(connect_s=2.5)
    open_model(gguf, "m", limits=limits, connections=connections, keys=KeyStore({}))
    assert made == [
        (connections.process(gguf), "lab", "m", {"connections": connections, "connect_s": 2.5}),
    ]


def test_the_builtin_model_needs_no_network_and_no_key() -> None:
    model = opened(ProviderSettings("builtin", "builtin", ""))
    assert (model.provider, model.name) == ("builtin", "rules")


@pytest.mark.security("R7")
@pytest.mark.parametrize(
    "value",
    [
        "sk-proj-0123456789_abcdef-ABCDEF",
        "sk-ant-api03-0123456789abcdef",
        "gsk_0123456789abcdefABCDEF",
        "csk-0123456789abcdef",
        "xai-0123456789abcdef",
        "sk-or-v1-0123456789abcdef",
        "0123456789abcdef0123456789abcdef",
        "AIzaSy0123456789-abcdef_ABCDEF",
        "hf_0123456789abcdefABCDEF",
        "eyJhbGciOi.eyJzdWIiOi.abc-def_123",
        "ollama",
        "key+with/base64==",
    ],
)
async def test_no_error_contains_a_key(
    value: str, connections: Connections, request_to_model: ModelRequest, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("DEBUG")
    async with ScriptedServer(lambda request: _echo_of(request.headers["authorization"])) as server:
        model = open_model(
            settings(server.base_url, api_key_env="LAB_API_KEY"),
            "m",
            limits=Limits(),
            connections=connections,
            keys=KeyStore({"LAB_API_KEY": value}),
        )
        with pytest.raises(TwospeedError) as caught:
            [event async for event in model.stream(request_to_model)]
    assert value not in str(caught.value)
    assert value not in repr(caught.value)
    assert value not in caplog.text
    assert value not in repr(vars(model))


def _echo_of(words: str) -> Script:
    body = b'{"error": {"message": "you sent %s"}}' % words.encode()
    return Script(faults=(Reply(500, {"Content-Type": "application/json"}, body),))


def test_aiohttp_is_not_imported_before_a_model_is_opened() -> None:
    code = (
        "import sys, twospeed.lanes.open_model, twospeed.models.http.connections, twospeed.models.catalog.discovery\n"
        "twospeed.models.http.connections.Connections()\n"
        "assert not {'aiohttp', 'orjson'} & set(sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, check=False).returncode == 0
