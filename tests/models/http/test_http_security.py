"""Keys and requests reach only their own origin."""

from __future__ import annotations

import socket
from dataclasses import replace
from pathlib import Path

import pytest
from aiohttp.abc import AbstractResolver, ResolveResult

from twospeed.errors import ModelProtocolError, ModelUnavailable, UnsafeEndpoint
from twospeed.models.base import ModelRequest, ProviderSettings
from twospeed.models.http.connections import Connections
from twospeed.models.http.endpoints import HostRules, parse_endpoint
from twospeed.models.http.http_model import HttpModel
from twospeed.models.http.http_session import GuardedResolver, HttpSession
from twospeed.models.keys.secret import Secret
from twospeed.testing.script import Reply, Script
from twospeed.testing.scripted_server import ScriptedServer


class FixedResolver(AbstractResolver):
    """Resolves every name to one address."""

    def __init__(self, *addresses: str) -> None:
        self.addresses = addresses

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_INET
    ) -> list[ResolveResult]:
        return [
            ResolveResult(hostname=host, host=address, port=port, family=family, proto=0, flags=0)
            for address in self.addresses
        ]

    async def close(self) -> None:
        pass


@pytest.mark.security("R8")
@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
async def test_a_redirect_is_an_error_and_is_not_followed(ask, status: int) -> None:
    async with ScriptedServer() as target:
        location = f"http://localhost:{target.port}/v1/chat/completions"
        async with ScriptedServer([Script(faults=(Reply(status, {"Location": location}),))]) as server:
            with pytest.raises(ModelProtocolError, match=r"127\.0\.0\.1 redirects to localhost"):
                await ask(server.base_url, **{"X-Lab-Key": "constant"})
    assert target.requests == []


@pytest.mark.security("R8")
@pytest.mark.parametrize("location", ["", "/v2", "//[", "\\\\evil", "javascript:alert(1)"])
async def test_a_redirect_without_a_target_is_an_error(ask, location: str) -> None:
    async with ScriptedServer([Script(faults=(Reply(302, {"Location": location}),))]) as server:
        with pytest.raises(ModelProtocolError, match="redirects to"):
            await ask(server.base_url)


@pytest.mark.security("R2.3")
async def test_proxies_and_netrc_of_the_environment_are_not_used(
    ask, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, lab_key: str
) -> None:
    netrc = tmp_path / "netrc"
    netrc.write_text("machine 127.0.0.1 login user password secret\n")
    monkeypatch.setenv("NETRC", str(netrc))
    async with ScriptedServer() as proxy, ScriptedServer([Script("x")]) as server:
        for name in ("HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy"):
            monkeypatch.setenv(name, f"http://127.0.0.1:{proxy.port}")
        for name in ("NO_PROXY", "no_proxy"):
            monkeypatch.delenv(name, raising=False)
        await ask(server.base_url)
    assert proxy.requests == []
    assert server.requests[0].headers["authorization"] == f"Bearer {lab_key}"


@pytest.mark.security("R2.3")
async def test_cookies_are_not_kept(ask) -> None:
    scripts = [Script(faults=(Reply(500, {"Set-Cookie": "track=1"}),)), Script("x")]
    async with ScriptedServer(scripts) as server:
        base_url = (
            f"http://localhost:{server.port}/v1"  # a name, because no cookie is ever kept for an address
        )
        with pytest.raises(ModelUnavailable, match="HTTP 500"):
            await ask(base_url)
        await ask(base_url)
    assert "cookie" not in server.requests[1].headers


def key_of_elsewhere(lab_key: str) -> Secret:
    return Secret(lab_key, name="X_API_KEY", origins=[parse_endpoint("https://api.x.com").origin])


@pytest.mark.security("R2.1")
async def test_a_key_of_another_origin_is_not_sent_to_this_machine(
    connections: Connections, request_to_model: ModelRequest, lab_key: str
) -> None:
    async with ScriptedServer([Script("x")]) as server:
        settings = ProviderSettings("lab", "chat", server.base_url)
        model = HttpModel(settings, "m", connections=connections, key=key_of_elsewhere(lab_key))
        assert [event async for event in model.stream(request_to_model)]
    assert lab_key not in repr(server.requests)


@pytest.mark.security("R2.1")
def test_a_model_with_a_key_of_another_origin_cannot_be_created(
    connections: Connections, lab_key: str
) -> None:
    settings = ProviderSettings("lab", "chat", "https://evil.example/v1")
    with pytest.raises(UnsafeEndpoint, match=r"api\.x\.com and .*evil\.example"):
        HttpModel(settings, "m", connections=connections, key=key_of_elsewhere(lab_key))


@pytest.mark.security("R8")
@pytest.mark.parametrize(
    "address", ["169.254.169.254", "100.64.0.1", "::ffff:169.254.169.254", "10.0.0.1", "127.0.0.1"]
)
async def test_a_name_that_resolves_to_a_forbidden_address_is_not_connected_to(address: str) -> None:
    http = HttpSession(resolver=FixedResolver("1.1.1.1", address))
    try:
        with pytest.raises(UnsafeEndpoint, match=r"api\.x\.com is at"):
            await http.post(parse_endpoint("https://api.x.com"), "/", body=b"{}", headers={}, connect_s=1.0)
    finally:
        await http.aclose()


@pytest.mark.security("R8")
async def test_localhost_at_a_remote_address_is_not_connected_to() -> None:
    http = HttpSession(resolver=FixedResolver("93.184.216.34"))
    try:
        with pytest.raises(UnsafeEndpoint, match="this machine"):
            await http.post(
                parse_endpoint("http://localhost:8000"), "/", body=b"{}", headers={}, connect_s=1.0
            )
    finally:
        await http.aclose()


@pytest.mark.security("R8")
async def test_an_address_in_the_url_is_checked_before_connecting(
    connections: Connections, request_to_model: ModelRequest
) -> None:
    settings = ProviderSettings("lab", "chat", "https://169.254.169.254/v1")
    with pytest.raises(UnsafeEndpoint, match="link-local"):
        await anext(HttpModel(settings, "m", connections=connections).stream(request_to_model))


GPU = ProviderSettings("lab", "chat", "http://gpu.lan:1/v1", insecure_http=True)


@pytest.mark.security("R8")
async def test_plain_http_reaches_a_private_host_that_the_config_names(lab_key: str) -> None:
    async with ScriptedServer([Script("x")]) as server:
        gpu = replace(GPU, base_url=f"http://gpu.lan:{server.port}/v1")
        http = HttpSession(HostRules.of([gpu.endpoint.origin]), resolver=FixedResolver("127.0.0.1"))
        response = await http.post(gpu.endpoint, "/chat/completions", body=b"{}", headers={}, connect_s=1.0)
        assert response.status == 200
        await http.aclose()
    assert server.requests[0].headers["host"] == f"gpu.lan:{server.port}"


@pytest.mark.security("R8")
@pytest.mark.parametrize(
    ("hosts", "address", "words"),
    [
        (HostRules.of([GPU.endpoint.origin]), "93.184.216.34", "a public address, where only https"),
        (HostRules.of([GPU.endpoint.origin]), "169.254.169.254", "link-local"),
        (HostRules(frozenset({"gpu.lan"})), "192.168.1.5", "must start with https"),
        (HostRules(), "192.168.1.5", "must start with https"),
    ],
    ids=["public", "metadata", "encrypted", "unnamed"],
)
async def test_plain_http_reaches_no_other_address(hosts: HostRules, address: str, words: str) -> None:
    http = HttpSession(hosts, resolver=FixedResolver(address))
    try:
        with pytest.raises(UnsafeEndpoint, match=words):
            await http.post(GPU.endpoint, "/", body=b"{}", headers={}, connect_s=1.0)
        with pytest.raises(UnsafeEndpoint, match=words):
            await http.open_connections(GPU.endpoint, connect_s=1.0)
        with pytest.raises(UnsafeEndpoint, match=words):
            await http.open_socket(GPU.endpoint, "/", headers={})
    finally:
        await http.aclose()


async def test_a_private_host_is_resolved_if_the_config_allows_it() -> None:
    resolver = GuardedResolver(FixedResolver("192.168.1.5"), HostRules(frozenset({"gpu.lan"})))
    assert [found["host"] for found in await resolver.resolve("gpu.lan", 443)] == ["192.168.1.5"]
    with pytest.raises(UnsafeEndpoint):
        await resolver.resolve("api.x.com", 443)
    await resolver.close()
