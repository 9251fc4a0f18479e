"""Options for aiohttp: pooled connections, and no redirects, cookies, compression or proxies."""

from __future__ import annotations

import socket
from typing import Any

import aiohttp
import pytest
from aiohttp.abc import AbstractResolver, ResolveResult
from yarl import URL

from twospeed import __version__
from twospeed.errors import UnsafeEndpoint
from twospeed.models.http import http_session
from twospeed.models.http.endpoints import HostRules, parse_endpoint
from twospeed.models.http.http_session import GuardedResolver, HttpSession

ENDPOINT = parse_endpoint("https://lab.example/v1/a%2Fb")
LIMIT = aiohttp.ClientTimeout(total=None, connect=2.5, sock_connect=2.5)


class Recorder:
    """Replaces a class of aiohttp and records its arguments and calls."""

    def __init__(self, calls: list[tuple[str, tuple[object, ...], dict[str, Any]]], name: str) -> None:
        self._calls = calls
        self._name = name

    def __call__(self, *args: object, **kwargs: Any) -> Recorder:
        self._calls.append((self._name, args, kwargs))
        return self

    def __getattr__(self, name: str) -> Any:
        async def call(*args: object, **kwargs: Any) -> Recorder:
            self._calls.append((f"{self._name}.{name}", args, kwargs))
            return self

        return call


@pytest.fixture
def calls(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, tuple[object, ...], dict[str, Any]]]:
    """Return the calls of aiohttp's session and connector in their order."""
    made: list[tuple[str, tuple[object, ...], dict[str, Any]]] = []
    for name in ("TCPConnector", "ClientSession"):
        monkeypatch.setattr(aiohttp, name, Recorder(made, name))
    return made


async def test_a_pool_keeps_connections_for_five_minutes_and_no_other_state(calls) -> None:
    HttpSession()
    [(_, _, connector), (_, _, session)] = calls
    assert isinstance(connector.pop("resolver"), GuardedResolver)
    assert connector == {
        "keepalive_timeout": 300.0,
        "limit": 0,
        "socket_factory": http_session.socket_for,
    }
    assert isinstance(session.pop("cookie_jar"), aiohttp.DummyCookieJar)
    assert isinstance(session.pop("connector"), Recorder)
    [trace] = session.pop("trace_configs")
    assert [each.__name__ for each in trace.on_connection_reuseconn] == ["mark_kept"]
    assert list(trace.on_request_redirect) == [http_session._refuse_redirect]
    assert session == {
        "auto_decompress": False,
        "headers": {"User-Agent": f"twospeed/{__version__}", "Accept-Encoding": "identity"},
        "read_bufsize": 65536,
        "trust_env": False,
    }


async def test_a_request_follows_no_redirect_and_limits_only_connecting(calls) -> None:
    session = HttpSession()
    del calls[:]
    large = b"x" * (64 * 1024 + 1)
    for body in (large[:-1], large):
        await session.post(ENDPOINT, "/x", body=body, headers={"a": "b"}, connect_s=2.5)
    for (name, args, kwargs), data in zip(calls, (large[:-1], large), strict=True):
        assert (name, args) == (
            "ClientSession.request",
            ("POST", URL("https://lab.example/v1/a%2Fb/x", encoded=True)),
        )
        sent = kwargs.pop("data")
        assert (sent if isinstance(sent, bytes) else sent.read()) == data
        assert isinstance(sent, bytes) is (data is not large)
        attempt = kwargs.pop("trace_request_ctx")
        assert attempt.on_kept_connection is False
        assert kwargs == {"headers": {"a": "b"}, "allow_redirects": False, "timeout": LIMIT}


async def test_a_websocket_has_pings_and_a_short_close_timeout(calls) -> None:
    session = HttpSession()
    del calls[:]
    await session.open_socket(ENDPOINT, "/x", headers={"a": "b"})
    [(name, args, kwargs)] = calls
    assert (name, args) == (
        "ClientSession.ws_connect",
        (URL("https://lab.example/v1/a%2Fb/x", encoded=True),),
    )
    assert kwargs == {
        "headers": {"a": "b"},
        "heartbeat": 20.0,
        "timeout": aiohttp.ClientWSTimeout(ws_close=1.0),
    }


@pytest.mark.security("R8")
async def test_an_address_is_checked_before_a_connection_is_opened(calls) -> None:
    private = parse_endpoint("https://10.0.0.1/v1")
    session = HttpSession()
    del calls[:]
    with pytest.raises(UnsafeEndpoint):
        await session.open_socket(private, "/x", headers={})
    with pytest.raises(UnsafeEndpoint):
        await session.open_connections(private, connect_s=1.0)
    with pytest.raises(UnsafeEndpoint):
        await session.get_json(private, "/x", connect_s=1.0)
    assert calls == []
    await HttpSession(HostRules(frozenset({"10.0.0.1"}))).open_socket(private, "/x", headers={})


class Names(AbstractResolver):
    """A resolver with one address that records the requested names."""

    def __init__(self, address: str) -> None:
        self.address = address
        self.asked: list[object] = []

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_INET
    ) -> list[ResolveResult]:
        self.asked.append((host, port, family))
        return [ResolveResult(hostname=host, host=self.address, port=port, family=family, proto=0, flags=0)]

    async def close(self) -> None:
        self.asked.append("closed")


@pytest.mark.security("R8")
async def test_a_resolved_address_is_checked() -> None:
    names = Names("10.0.0.1")
    resolver = GuardedResolver(names, HostRules(frozenset({"mine.example"})))
    [found] = await resolver.resolve("mine.example")
    assert found["host"] == "10.0.0.1"
    with pytest.raises(UnsafeEndpoint, match=r"lab\.example is at 10\.0\.0\.1"):
        await resolver.resolve("lab.example", 443, socket.AF_INET6)
    await resolver.close()
    assert names.asked == [
        ("mine.example", 0, socket.AF_INET),
        ("lab.example", 443, socket.AF_INET6),
        "closed",
    ]


@pytest.mark.skipif(not hasattr(socket, "TCP_USER_TIMEOUT"), reason="Linux gives up a dead connection")
@pytest.mark.parametrize(
    ("address", "limit_ms"), [("192.0.2.1", 5000), ("127.0.0.1", 0), ("2001:db8::1", 5000), ("::1", 0)]
)
def test_a_remote_connection_has_a_tcp_user_timeout(address: str, limit_ms: int) -> None:
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    with http_session.socket_for(
        (family, socket.SOCK_STREAM, socket.IPPROTO_TCP, "", (address, 443))
    ) as made:
        assert made.getsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT) == limit_ms
        assert (made.family, made.type) == (family, socket.SOCK_STREAM)
