"""Existing providers are discovered, similar servers are not, and no key is sent to them."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import replace

import pytest
from aiohttp import web

from twospeed.models.base import ProviderSettings
from twospeed.models.catalog.discovery import (
    LOCAL_SERVERS,
    DiscoveredProvider,
    LocalServer,
    discover,
    find_keyed,
    find_local,
    local_servers,
)
from twospeed.models.catalog.providers import PROVIDERS
from twospeed.models.http.connections import Connections
from twospeed.models.keys.key_store import KeyStore

Pages = dict[str, object]
Serve = Callable[..., Awaitable[int]]

OLLAMA: Pages = {
    "/api/version": {"version": "0.32.6"},
    "/api/tags": {
        "models": [
            {"name": "qwen3-coder:30b", "capabilities": ["completion", "tools"]},
            {"name": "nomic-embed-text:latest", "capabilities": ["embedding"]},
            {"name": "older:7b", "details": {"family": "llama"}},
            {"name": "old-embed:1", "details": {"family": "nomic-bert"}},
        ]
    },
}
LM_STUDIO_1: Pages = {
    "/api/v1/models": {
        "models": [
            {"type": "llm", "key": "cold", "loaded_instances": []},
            {"type": "embedding", "key": "embed", "loaded_instances": []},
            {"type": "llm", "key": "warm", "loaded_instances": [{"id": "warm"}]},
        ]
    }
}
LM_STUDIO_0: Pages = {
    "/api/v1/models": {"error": "Unexpected endpoint or method"},
    "/api/v0/models": {
        "object": "list",
        "data": [
            {"id": "cold", "type": "vlm", "state": "not-loaded"},
            {"id": "warm", "type": "llm", "state": "loaded"},
            {"id": "embed", "type": "embeddings", "state": "loaded"},
        ],
    },
}
LLAMA_CPP: Pages = {
    "/health": {"status": "ok"},
    "/v1/models": {"data": [{"id": "qwen.gguf", "owned_by": "llamacpp"}]},
}
LLAMA_HEADERS = {"Server": "llama.cpp"}
VLLM: Pages = {
    "/version": {"version": "0.19"},
    "/v1/models": {"data": [{"id": "Qwen/Qwen3", "owned_by": "vllm"}]},
}


@pytest.fixture
async def serve(seen: list[web.BaseRequest]) -> AsyncIterator[Serve]:
    """``await serve(pages, headers)``: start a local server with these JSON pages; return its port."""
    runners: list[web.ServerRunner] = []

    async def start(pages: Pages, headers: dict[str, str] | None = None) -> int:
        async def answer(request: web.BaseRequest) -> web.Response:
            seen.append(request)
            if request.path not in pages:
                return web.Response(status=404)
            page = pages[request.path]
            if isinstance(page, asyncio.Event):
                await page.wait()
            return web.json_response(page, headers=headers)

        runner = web.ServerRunner(web.Server(answer, access_log=None), shutdown_timeout=0.01)
        await runner.setup()
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        runners.append(runner)
        port: int = runner.addresses[0][1]
        return port

    yield start
    for runner in runners:
        await runner.cleanup()


async def names_at(connections: Connections, kind: str, port: int) -> tuple[str, ...] | None:
    found = await find_local(connections, servers=[LocalServer(kind, port)], timeout_s=2.0)
    assert all(item.provider.base_url == f"http://127.0.0.1:{port}/v1" and not item.cloud for item in found)
    assert all((item.provider.name, item.provider.api_key_env) == (kind, None) for item in found)
    return found[0].models if found else None


async def test_ollama_is_found_with_its_text_models(connections: Connections, serve: Serve) -> None:
    assert await names_at(connections, "ollama", await serve(OLLAMA)) == ("qwen3-coder:30b", "older:7b")


@pytest.mark.parametrize("pages", [LM_STUDIO_1, LM_STUDIO_0], ids=["0.4", "0.3.6"])
async def test_lm_studio_is_found_with_loaded_models_first(
    connections: Connections, serve: Serve, pages: Pages
) -> None:
    assert await names_at(connections, "lmstudio", await serve(pages)) == ("warm", "cold")


async def test_llama_cpp_is_found_by_its_header(connections: Connections, serve: Serve) -> None:
    assert await names_at(connections, "llamacpp", await serve(LLAMA_CPP, LLAMA_HEADERS)) == ("qwen.gguf",)
    assert await names_at(connections, "llamacpp", await serve(LLAMA_CPP, {"Server": "nginx"})) is None


async def test_a_llama_cpp_with_a_key_is_not_discovered(connections: Connections, serve: Serve) -> None:
    port = await serve({"/health": {"status": "ok"}}, LLAMA_HEADERS)
    assert await names_at(connections, "llamacpp", port) is None


async def test_the_first_llama_cpp_with_a_model_is_used(connections: Connections, serve: Serve) -> None:
    ports = [await serve({**LLAMA_CPP, "/v1/models": {"data": []}}, LLAMA_HEADERS)]
    ports += [await serve(LLAMA_CPP, LLAMA_HEADERS), await serve(LLAMA_CPP, LLAMA_HEADERS)]
    servers = [LocalServer("llamacpp", port) for port in ports]
    [found] = await find_local(connections, servers=servers, timeout_s=2.0)
    assert (found.provider.base_url, found.models) == (f"http://127.0.0.1:{ports[1]}/v1", ("qwen.gguf",))


async def test_vllm_is_found_by_the_owner_of_its_models(connections: Connections, serve: Serve) -> None:
    assert await names_at(connections, "vllm", await serve(VLLM)) == ("Qwen/Qwen3",)
    other = {**VLLM, "/v1/models": {"data": [{"id": "m", "owned_by": "sglang"}]}}
    assert await names_at(connections, "vllm", await serve(other)) is None


@pytest.mark.security("R8")
@pytest.mark.parametrize("kind", ["ollama", "lmstudio", "llamacpp", "vllm"])
@pytest.mark.parametrize(
    "pages",
    [
        {},
        {
            path: {}
            for path in ("/api/version", "/api/tags", "/api/v1/models", "/health", "/version", "/v1/models")
        },
        {path: [1, None] for path in ("/api/version", "/api/tags", "/health", "/version", "/v1/models")},
        {"/v1/models": {"data": [{"id": "m", "owned_by": "x"}]}, "/health": {"status": "ok"}},
        {"/api/version": {"version": 7}, "/version": {"version": 7}, "/api/tags": {"models": [7]}},
        {"/api/v1/models": {"models": [{}]}, "/api/v0/models": {"data": ["x"]}},
    ],
    ids=["nothing", "empty", "lists", "openai-like", "odd", "odder"],
)
async def test_a_server_that_only_listens_is_not_a_provider(
    connections: Connections, serve: Serve, kind: str, pages: Pages
) -> None:
    assert await names_at(connections, kind, await serve(pages)) is None


async def test_ollama_without_a_model_is_found_with_the_reason(
    connections: Connections, serve: Serve
) -> None:
    port = await serve({**OLLAMA, "/api/tags": {"models": []}})
    [found] = await find_local(connections, servers=[LocalServer("ollama", port)], timeout_s=2.0)
    assert (found.models, found.reason) == ((), "it has no model")


async def test_an_unprintable_model_name_is_omitted(connections: Connections, serve: Serve) -> None:
    tags = {
        "models": [{"name": "a\x1b[31m"}, {"name": "x" * 300}, {"name": ""}, {"name": 7}, {"name": "good"}]
    }
    assert await names_at(connections, "ollama", await serve({**OLLAMA, "/api/tags": tags})) == ("good",)


async def test_names_and_models_have_a_maximum(connections: Connections, serve: Serve) -> None:
    names = ["n" * 200, "n" * 201, *(f"m{number}" for number in range(100))]
    pages = {**VLLM, "/v1/models": {"data": [{"id": name, "owned_by": "vllm"} for name in names]}}
    assert await names_at(connections, "vllm", await serve(pages)) == (
        "n" * 200,
        *(f"m{number}" for number in range(99)),
    )


async def test_a_local_server_is_found_with_all_of_its_settings(
    connections: Connections, serve: Serve
) -> None:
    port, empty = await serve(VLLM), await serve({**OLLAMA, "/api/tags": {"models": []}})
    vllm = ProviderSettings("vllm", "chat", f"http://127.0.0.1:{port}/v1")
    ollama = ProviderSettings("ollama", "chat", f"http://127.0.0.1:{empty}/v1")
    assert await find_local(
        connections, servers=[LocalServer("vllm", port), LocalServer("ollama", empty)]
    ) == [
        DiscoveredProvider(vllm, ("Qwen/Qwen3",), cloud=False, reason="", is_probed=True),
        DiscoveredProvider(ollama, (), cloud=False, reason="it has no model", is_probed=True),
    ]


def test_local_servers_have_their_default_ports() -> None:
    assert list(LOCAL_SERVERS) == [
        LocalServer("ollama", 11434, "127.0.0.1"),
        LocalServer("lmstudio", 1234, "127.0.0.1"),
        LocalServer("llamacpp", 8080, "127.0.0.1"),
        LocalServer("llamacpp", 9931, "127.0.0.1"),
        LocalServer("vllm", 8000, "127.0.0.1"),
    ]


@pytest.mark.parametrize(
    ("details", "writes"),
    [
        ({"capabilities": ["completion"], "details": {"family": "bert"}}, True),
        ({"capabilities": []}, False),
        ({"capabilities": None, "details": {"family": "nomic-bert"}}, False),
        ({"details": {"family": "llama"}}, True),
        ({"details": "bert"}, True),
        ({}, True),
    ],
)
async def test_the_capabilities_of_an_ollama_model_decide_if_it_writes_text(
    connections: Connections, serve: Serve, details: dict[str, object], writes: bool
) -> None:
    pages = {**OLLAMA, "/api/tags": {"models": [{"name": "m", **details}]}}
    assert await names_at(connections, "ollama", await serve(pages)) == (("m",) if writes else ())


async def test_silent_servers_share_one_timeout(connections: Connections, serve: Serve) -> None:
    silent = [LocalServer("ollama", await serve({"/api/version": asyncio.Event()})) for _ in range(10)]
    servers = [*silent, LocalServer("vllm", await serve(VLLM))]
    started = asyncio.get_running_loop().time()
    found = await find_local(connections, servers=servers, timeout_s=1.0)
    assert [item.provider.name for item in found] == ["vllm"]
    assert asyncio.get_running_loop().time() - started < len(silent) * 1.0 / 2, (
        "one after the other takes 10 s"
    )
    assert not [task for task in asyncio.all_tasks() if "object _probe " in repr(task.get_coro())]


async def test_aiohttp_is_imported_before_the_probe_timeout_starts(connections: Connections) -> None:
    assert await find_local(connections, servers=[]) == []
    assert connections._http is not None


async def test_without_a_server_nothing_is_found(connections: Connections, serve: Serve) -> None:
    assert await find_local(connections, servers=[LocalServer("ollama", 9), LocalServer("vllm", 9)]) == []
    assert await find_local(connections, servers=[]) == []


@pytest.mark.security("R2.1")
async def test_no_key_is_sent_to_a_guessed_port(
    connections: Connections, serve: Serve, seen: list[web.BaseRequest]
) -> None:
    environ = dict.fromkeys(("OPENAI_API_KEY", "LLAMA_API_KEY", "VLLM_API_KEY"), "sk-secret")
    servers = [
        LocalServer("ollama", await serve(OLLAMA)),
        LocalServer("lmstudio", await serve(LM_STUDIO_0)),
        LocalServer("llamacpp", await serve(LLAMA_CPP, LLAMA_HEADERS)),
        LocalServer("vllm", await serve(VLLM)),
    ]
    await discover(KeyStore(environ), connections=connections, servers=servers)
    assert {request.method for request in seen} == {"GET"}
    assert "sk-secret" not in repr([(request.raw_path, request.raw_headers) for request in seen])


def found_with(**environ: str) -> dict[str, DiscoveredProvider]:
    return {found.provider.name: found for found in find_keyed(KeyStore(environ))}


def test_a_key_in_the_environment_finds_its_provider() -> None:
    found = found_with(CEREBRAS_API_KEY="x", GROQ_API_KEY="  ", PATH="/bin")
    assert list(found) == ["cerebras"]
    assert found["cerebras"].cloud
    assert found["cerebras"].models == ("gpt-oss-120b", "qwen-3.8-27b")
    assert found["cerebras"].reason == ""
    assert found["cerebras"].provider == PROVIDERS["cerebras"].settings


@pytest.mark.parametrize("address", ["https://gw.example", "https://gw.example/", "https://gw.example/v1"])
def test_anthropic_base_url_is_read_as_by_anthropics_tools(address: str) -> None:
    found = found_with(ANTHROPIC_API_KEY="x", ANTHROPIC_BASE_URL=address)["anthropic"]
    assert (found.provider.api, found.provider.base_url) == ("messages", "https://gw.example/v1")


@pytest.mark.security("R8")
@pytest.mark.parametrize(
    ("value", "host", "port"),
    [
        ("", "127.0.0.1", 11434),
        ("127.0.0.1:11500", "127.0.0.1", 11500),
        ("http://localhost:11500", "localhost", 11500),
        ("localhost", "localhost", 11434),
        ("0.0.0.0", "127.0.0.1", 11434),
        ("[::1]:11500", "[::1]", 11500),
        ("gpu.lan:11500", "127.0.0.1", 11434),
        ("https://ollama.example", "127.0.0.1", 11434),
        ("x y", "127.0.0.1", 11434),
    ],
)
def test_ollama_host_decides_the_probed_address(value: str, host: str, port: int) -> None:
    assert local_servers({"OLLAMA_HOST": value}) == [LocalServer("ollama", port, host), *LOCAL_SERVERS[1:]]


def test_the_base_url_variable_of_a_provider_is_used() -> None:
    gateway = found_with(OPENAI_API_KEY="x", OPENAI_BASE_URL="https://gateway.example/v1")["openai"]
    assert (gateway.provider.base_url, gateway.cloud) == ("https://gateway.example/v1", True)
    local = found_with(OPENAI_API_KEY="x", OPENAI_BASE_URL="http://127.0.0.1:4000/v1")["openai"]
    assert not local.cloud


@pytest.mark.security("R7")
def test_a_base_url_without_a_key_is_a_server_without_one() -> None:
    local = found_with(OPENAI_BASE_URL="http://127.0.0.1:4000/v1")["openai"]
    assert (local.provider.base_url, local.provider.api_key_env) == ("http://127.0.0.1:4000/v1", None)
    assert not local.cloud
    assert found_with(OPENAI_BASE_URL="https://gpu.example/v1")["openai"].cloud
    assert found_with(ANTHROPIC_BASE_URL="https://gpu.example")["anthropic"].provider.base_url.endswith("/v1")


@pytest.mark.parametrize("url", ["", " ", "https://api.openai.com/v1", "https://api.openai.com/v1/"])
def test_the_own_address_of_a_provider_is_no_server_without_a_key(url: str) -> None:
    assert found_with(OPENAI_BASE_URL=url) == {}


@pytest.mark.security("R8")
def test_an_unsafe_endpoint_in_the_environment_is_found_unusable() -> None:
    found = found_with(OPENAI_API_KEY="x", OPENAI_BASE_URL="http://gateway.example/v1")["openai"]
    assert found == DiscoveredProvider(
        replace(PROVIDERS["openai"].settings, base_url="http://gateway.example/v1"),
        ("gpt-6-luna", "gpt-6.1-sol"),
        cloud=True,
        reason="OPENAI_BASE_URL: must start with https://; http:// is only for this machine, or with insecure_http = true in your own config for a host in a private network",
    )


async def test_keys_come_before_local_servers(connections: Connections, serve: Serve) -> None:
    servers = [LocalServer("ollama", await serve(OLLAMA))]
    found = await discover(KeyStore({"GROQ_API_KEY": "x"}), connections=connections, servers=servers)
    assert [(item.provider.name, item.cloud) for item in found] == [("groq", True), ("ollama", False)]
