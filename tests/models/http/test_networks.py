"""Proxies, private certificate authorities and client certificates: the rules for endpoints hold through them."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import Literal

import pytest
from tests.models.events import text_of
from tests.models.http.networks import Authority, ConnectProxy, authority_in, over_tls

from twospeed.errors import ModelUnavailable, SettingsError, UnsafeEndpoint
from twospeed.models.base import ModelRequest, ProviderSettings
from twospeed.models.http.connections import Connections
from twospeed.models.http.endpoints import Network, parse_proxy
from twospeed.models.http.http_model import HttpModel
from twospeed.models.http.network import proxies_to, proxy_to
from twospeed.models.keys.secret import Secret
from twospeed.models.websocket.socket_model import SocketModel
from twospeed.testing.script import Script
from twospeed.testing.scripted_server import ScriptedServer

TEXT = "def f():\n    return 1\n"
Ask = Callable[..., Awaitable[str]]


@pytest.fixture
def authority(tmp_path: Path) -> Authority:
    return authority_in(tmp_path)


@pytest.fixture
async def server() -> AsyncIterator[ScriptedServer]:
    async with ScriptedServer(lambda _: Script(TEXT)) as server:
        yield server


@pytest.fixture
def ask_through(request_to_model: ModelRequest, lab_key: str) -> Ask:
    """``await ask_through(network, port, host="model.test", websocket=False)``: the text of an answer over TLS."""

    async def ask(network: Network, port: int, *, host: str = "model.test", websocket: bool = False) -> str:
        api: Literal["chat", "responses"] = "responses" if websocket else "chat"
        settings = ProviderSettings(
            "lab", api, f"https://{host}:{port}/v1", "LAB_API_KEY", websocket=websocket, network=network
        )
        key = Secret(lab_key, name="LAB_API_KEY", origins=[settings.endpoint.origin])
        connections = Connections.to([settings])
        kind = SocketModel if websocket else HttpModel
        model = kind(settings, "m", connections=connections, key=key, connect_s=20.0)
        try:
            await connections.connect(settings)
            return text_of([event async for event in model.stream(request_to_model)])
        finally:
            await connections.aclose()

    return ask


@pytest.mark.security("R2.3", "R8")
@pytest.mark.parametrize("websocket", [False, True])
async def test_a_proxy_receives_the_host_and_encrypted_bytes_alone(
    authority: Authority, server: ScriptedServer, ask_through: Ask, lab_key: str, websocket: bool
) -> None:
    async with over_tls(server.port, authority.server()) as port, ConnectProxy() as proxy:
        network = Network(proxy.address, str(authority.ca_file))
        assert await ask_through(network, port, websocket=websocket) == TEXT
    assert {head.split("\r\n")[0] for head in proxy.requests} == {f"CONNECT model.test:{port} HTTP/1.1"}
    assert "uthorization" not in "".join(proxy.requests)
    assert lab_key in str(server.requests[0].headers)
    for secret in (lab_key.encode(), b"docstring", b"Bearer", b"POST"):
        assert secret not in proxy.passed


@pytest.mark.security("R8")
async def test_a_certificate_of_a_private_authority_is_trusted_only_where_the_config_names_it(
    authority: Authority, server: ScriptedServer, ask_through: Ask
) -> None:
    async with over_tls(server.port, authority.server()) as port:
        with pytest.raises(ModelUnavailable, match=r"the certificate of 127\.0\.0\.1:\d+ is not valid"):
            await ask_through(Network(), port, host="127.0.0.1")
        assert await ask_through(Network(ca_file=str(authority.ca_file)), port, host="127.0.0.1") == TEXT


@pytest.mark.security("R8")
async def test_the_name_in_the_certificate_is_verified_through_a_proxy(
    authority: Authority, server: ScriptedServer, ask_through: Ask
) -> None:
    async with over_tls(server.port, authority.server()) as port, ConnectProxy() as proxy:
        network = Network(proxy.address, str(authority.ca_file))
        with pytest.raises(ModelUnavailable, match=r"the certificate of other\.test"):
            await ask_through(network, port, host="other.test")
    assert server.requests == []


async def test_a_client_certificate_is_presented(
    authority: Authority, server: ScriptedServer, ask_through: Ask
) -> None:
    async with over_tls(server.port, authority.server(requires_client=True)) as port:
        known = Network(ca_file=str(authority.ca_file), client_cert=str(authority.client_cert))
        assert await ask_through(known, port, host="127.0.0.1") == TEXT
        with pytest.raises(ModelUnavailable):
            await ask_through(Network(ca_file=str(authority.ca_file)), port, host="127.0.0.1")


@pytest.mark.parametrize(
    ("key", "content", "words"),
    [
        ("ca_file", None, "ca_file: .*No such file"),
        ("ca_file", "no certificate", "ca_file: .*it must hold certificates in PEM form"),
        ("client_cert", "no certificate", "client_cert: .*it must hold a certificate and its private key"),
    ],
)
async def test_a_file_that_cannot_be_used_is_named(
    tmp_path: Path, ask_through: Ask, key: str, content: str | None, words: str
) -> None:
    path = tmp_path / "some.pem"
    if content is not None:
        path.write_text(content)
    with pytest.raises(SettingsError, match=words):
        await ask_through(Network(**{key: str(path)}), 1, host="127.0.0.1")


async def test_a_refusal_of_the_proxy_is_reported(ask_through: Ask) -> None:
    async with ConnectProxy(403) as proxy:
        words = "the proxy on the way to model.test refused the connection .status 403."
        with pytest.raises(ModelUnavailable, match=words) as caught:
            await ask_through(Network(proxy.address), 443)
    assert caught.value.should_retry is False


async def test_an_unreachable_proxy_is_reported(ask_through: Ask) -> None:
    async with ConnectProxy() as proxy:
        address = proxy.address
    with pytest.raises(ModelUnavailable, match=r"no connection to the proxy on the way to model\.test"):
        await ask_through(Network(address), 443)


async def test_a_proxy_of_the_environment_is_used_only_if_the_config_says_so(
    authority: Authority, server: ScriptedServer, ask_through: Ask, monkeypatch: pytest.MonkeyPatch
) -> None:
    login = f"Basic {b64encode(b'me:pass word').decode()}"
    async with over_tls(server.port, authority.server()) as port, ConnectProxy(login=login) as proxy:
        monkeypatch.setenv("HTTPS_PROXY", proxy.address.replace("//", "//me:pass%20word@"))
        monkeypatch.delenv("NO_PROXY", raising=False)
        ca_file = str(authority.ca_file)
        assert await ask_through(Network(ca_file=ca_file), port, host="127.0.0.1") == TEXT
        assert proxy.requests == []
        assert await ask_through(Network("env", ca_file), port) == TEXT
        assert len(proxy.requests) > 0
        n_requests = len(proxy.requests)
        monkeypatch.setenv("NO_PROXY", "127.0.0.1,.test")
        assert await ask_through(Network("env", ca_file), port, host="127.0.0.1") == TEXT
        assert len(proxy.requests) == n_requests


@pytest.mark.security("R8")
@pytest.mark.parametrize("host", ["169.254.169.254", "100.100.100.200", "[fe80::1]"])
async def test_a_proxy_at_a_forbidden_address_is_refused(ask_through: Ask, host: str) -> None:
    with pytest.raises(UnsafeEndpoint, match="which is forbidden"):
        await ask_through(Network(f"http://{host}:3128"), 443)


@pytest.mark.security("R8")
async def test_an_endpoint_at_a_forbidden_address_is_refused_through_a_proxy(ask_through: Ask) -> None:
    async with ConnectProxy() as proxy:
        with pytest.raises(UnsafeEndpoint, match="which is forbidden"):
            await ask_through(Network(proxy.address), 443, host="169.254.169.254")
    assert proxy.requests == []


@pytest.mark.parametrize(
    "address",
    [
        "proxy:3128",
        "socks5://proxy:1080",
        "http://me:secret@proxy",
        "http://proxy/path",
        "http://proxy?a",
        "",
    ],
)
def test_an_invalid_proxy_is_refused_without_its_password(address: str) -> None:
    with pytest.raises(UnsafeEndpoint) as caught:
        parse_proxy(address)
    assert "secret" not in str(caught.value)


def test_an_invalid_proxy_of_the_environment_is_reported_when_it_is_used(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("HTTPS_PROXY", "socks5://me:secret@proxy")
    monkeypatch.delenv("NO_PROXY", raising=False)
    settings = ProviderSettings("lab", "chat", "https://model.test/v1", network=Network("env"))
    assert list(proxies_to([settings.endpoint])) == []
    with pytest.raises(SettingsError, match=r"^environment: HTTPS_PROXY: must be") as caught:
        proxy_to(settings.network, "model.test")
    assert "secret" not in str(caught.value)


def test_a_proxy_is_shown_without_its_password(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTPS_PROXY", "proxy.lan:3128")
    assert str(proxy_to(Network("env"), "model.test")) == "Proxy(http://proxy.lan:3128)"
    monkeypatch.setenv("HTTPS_PROXY", "http://me:secret@proxy.lan:3128")
    assert str(proxy_to(Network("env"), "model.test")) == "Proxy(http://proxy.lan:3128)"
