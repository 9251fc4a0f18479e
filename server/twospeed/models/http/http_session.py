"""HTTP requests over aiohttp, with security rules; models are not known here.

Redirects are not followed; netrc and cookies of the environment are ignored, and proxies too unless the config names
them; nothing is decompressed; TLS is always verified.
"""

from __future__ import annotations

import asyncio
import socket
import time
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache, partial
from io import BytesIO
from ipaddress import ip_address
from typing import Any

import aiohttp
import orjson
from aiohttp.abc import AbstractResolver, ResolveResult
from yarl import URL

from twospeed import __version__
from twospeed.models.base import Limits

from .endpoints import DIRECT, Endpoint, HostRules
from .network import proxy_to, tls_context

_KEEPALIVE_S = 300.0  # a new connection costs two or three round trips
_READ_BUFFER_BYTES = 64 * 1024  # aiohttp pauses the socket at twice this
_PIECE_BYTES = 64 * 1024
# A connection without acknowledgement for so long is dead (Linux only): as long as a new one may take.
_DEAD_AFTER_MS = int(Limits().connect_s * 1000)
_DRAIN_S = 2.0
_HEARTBEAT_S = 20.0  # pings detect a dead WebSocket
_SOCKET_CLOSE_S = 1.0
_MAX_PAGE_BYTES = 1024 * 1024
_MIN_SLEEP_S = 60.0  # servers and routers keep idle connections for at least a minute
_NO_HOSTS = HostRules()
_HEADERS = {"User-Agent": f"twospeed/{__version__}", "Accept-Encoding": "identity"}


@dataclass(frozen=True, slots=True)
class JsonPage:
    """The headers (case-insensitive) and JSON value of a response with status 200."""

    headers: Mapping[str, str]
    value: object


@dataclass(slots=True)
class _Attempt:
    on_kept_connection: bool = False  # reported by tracing


class HttpSession:
    """A pool of connections, and the only interface to it."""

    def __init__(self, hosts: HostRules = _NO_HOSTS, *, resolver: AbstractResolver | None = None) -> None:
        self._hosts = hosts
        self._resolver = GuardedResolver(resolver or aiohttp.ThreadedResolver(), hosts)
        self._drains: set[asyncio.Task[None]] = set()
        self._ways: dict[Endpoint, Mapping[str, Any]] = {}
        self._pools = [_Pool(self._resolver)]

    async def post(
        self,
        endpoint: Endpoint,
        path: str,
        *,
        body: bytes,
        headers: Mapping[str, str],
        connect_s: float,
        may_send_again: Callable[[], bool] = lambda: True,
    ) -> aiohttp.ClientResponse:
        """Send a request and return its response when the headers have arrived, for `release`.

        Raises UnsafeEndpoint, and the exceptions that `http_errors` maps.
        """
        while True:
            attempt = _Attempt()
            try:
                return await self._request("POST", endpoint, path, attempt, body, headers, connect_s)
            except (aiohttp.ServerDisconnectedError, aiohttp.ClientOSError):
                # A server may close a kept connection when a request is on its way.
                if not attempt.on_kept_connection or not may_send_again():
                    raise

    async def post_in_parts(
        self,
        endpoint: Endpoint,
        path: str,
        *,
        parts: AsyncIterator[bytes],
        headers: Mapping[str, str],
        connect_s: float,
    ) -> aiohttp.ClientResponse:
        """As `post`, with a chunked body, which cannot be sent again."""
        return await self._request("POST", endpoint, path, _Attempt(), parts, headers, connect_s)

    async def open_connections(self, endpoint: Endpoint, n: int = 1, *, connect_s: float) -> None:
        """Have ``n`` idle connections ready (name, TCP and TLS), without a request. Raises as `post`."""
        way = await self._way(endpoint)
        url = _url(endpoint, "")
        # Never sent: it gives the pool the key under which later requests look for a connection.
        request = aiohttp.ClientRequest("GET", url, loop=asyncio.get_running_loop(), **way)
        timeout = _connect_timeout(connect_s)
        opened: list[aiohttp.connector.Connection] = []
        try:
            # An idle connection is used first, and is then kept for another five minutes.
            while len(opened) < n:
                opened.append(await self._pool.connector.connect(request, [], timeout))
        finally:
            for connection in opened:
                connection.release()

    async def open_socket(
        self, endpoint: Endpoint, path: str, *, headers: Mapping[str, str]
    ) -> aiohttp.ClientWebSocketResponse:
        """Open a WebSocket without compression. Raises as `post`."""
        way = await self._way(endpoint)
        opened: aiohttp.ClientWebSocketResponse = await self._pool.session.ws_connect(
            _url(endpoint, path),
            headers=headers,
            heartbeat=_HEARTBEAT_S,
            timeout=aiohttp.ClientWSTimeout(ws_close=_SOCKET_CLOSE_S),
            **way,
        )
        return opened

    async def get_json(
        self,
        endpoint: Endpoint,
        path: str,
        *,
        connect_s: float,
        headers: Mapping[str, str] | None = None,
        max_bytes: int = _MAX_PAGE_BYTES,
    ) -> JsonPage | None:
        """Return a JSON page; None on any error or if it is larger than ``max_bytes``. Raises UnsafeEndpoint."""
        try:
            response = await self._request("GET", endpoint, path, _Attempt(), None, headers or {}, connect_s)
        except (aiohttp.ClientError, OSError):
            return None
        try:
            body = await read_up_to(response.content, max_bytes)
            if response.status == 200 and len(body) <= max_bytes:  # noqa: PLR2004
                return JsonPage(response.headers, orjson.loads(body))
        except (aiohttp.ClientError, OSError, orjson.JSONDecodeError):
            pass
        finally:
            self.release(response, is_answered=False)
        return None

    def release(self, response: aiohttp.ClientResponse, *, is_answered: bool) -> None:
        """Release a response; if ``is_answered``, only its end is missing and the connection is kept."""
        if response.content.at_eof():
            response.release()
        elif is_answered:
            drain = asyncio.create_task(_drain(response))
            self._drains.add(drain)
            drain.add_done_callback(partial(self._release_drained, response))
        else:
            response.close()  # tells the server to stop

    async def aclose(self) -> None:
        """Close every connection."""
        for drain in tuple(self._drains):
            drain.cancel()
        await asyncio.gather(*self._drains, return_exceptions=True)
        for pool in self._pools:
            await pool.session.close()

    @property
    def _pool(self) -> _Pool:
        # A pool from before a sleep only finishes its running requests.
        if self._pools[-1].watch.has_slept:
            self._pools.append(_Pool(self._resolver))
        return self._pools[-1]

    def _release_drained(self, response: aiohttp.ClientResponse, drain: asyncio.Task[None]) -> None:
        self._drains.discard(drain)
        if response.content.at_eof():
            response.release()
        else:
            response.close()

    async def _way(self, endpoint: Endpoint) -> Mapping[str, Any]:
        """Check an endpoint and its proxy, and return aiohttp's options for them."""
        self._hosts.check(endpoint.origin)
        if endpoint.network is DIRECT:
            return {}
        if endpoint not in self._ways:
            self._ways[endpoint] = await _way_to(endpoint)
        way = self._ways[endpoint]
        if proxy := way.get("proxy"):
            self._hosts.check_host(proxy.host)
        return way

    async def _request(
        self,
        method: str,
        endpoint: Endpoint,
        path: str,
        attempt: _Attempt,
        body: bytes | AsyncIterator[bytes] | None,
        headers: Mapping[str, str],
        connect_s: float,
    ) -> aiohttp.ClientResponse:
        way = await self._way(endpoint)
        data: bytes | BytesIO | AsyncIterator[bytes] | None = body
        if isinstance(body, bytes) and len(body) > _PIECE_BYTES:
            data = BytesIO(body)  # aiohttp sends it in pieces, so other edits run between them
        return await self._pool.session.request(
            method,
            _url(endpoint, path),
            data=data,
            headers=headers,
            allow_redirects=False,
            timeout=_connect_timeout(connect_s),
            trace_request_ctx=attempt,
            **way,
        )


class SleepWatch:
    """Detects that the machine slept since this was created: idle connections are then probably dead."""

    # The monotonic clock stops during sleep (Linux, macOS) and the wall clock does not; on Windows both continue.
    # Setting the wall clock forward looks the same and costs only a new connection.

    def __init__(self) -> None:
        self._ahead_s = _wall_ahead_of_monotonic_s()

    @property
    def has_slept(self) -> bool:
        """Whether the machine slept long enough to lose an idle connection."""
        return _wall_ahead_of_monotonic_s() - self._ahead_s > _MIN_SLEEP_S


def _wall_ahead_of_monotonic_s() -> float:
    return time.time() - time.monotonic()


class _Pool:
    """Connections opened between two sleeps of the machine."""

    def __init__(self, resolver: AbstractResolver) -> None:
        self.watch = SleepWatch()
        self.connector = aiohttp.TCPConnector(
            resolver=resolver,
            keepalive_timeout=_KEEPALIVE_S,
            limit=0,
            socket_factory=socket_for,
        )
        self.session = aiohttp.ClientSession(
            connector=self.connector,
            auto_decompress=False,
            cookie_jar=aiohttp.DummyCookieJar(),
            headers=_HEADERS,
            read_bufsize=_READ_BUFFER_BYTES,
            trace_configs=[_trace_kept_connections()],
            trust_env=False,
        )


class GuardedResolver(AbstractResolver):
    """Resolves names and checks every address; aiohttp connects to exactly the addresses returned."""

    def __init__(self, inner: AbstractResolver, hosts: HostRules) -> None:
        self._inner = inner
        self._hosts = hosts

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_INET
    ) -> list[ResolveResult]:
        """Resolve ``host``; raises UnsafeEndpoint if an address is forbidden, OSError if there is none."""
        found = await self._inner.resolve(host, port, family)
        for result in found:
            self._hosts.check_address(result["host"], host=host)
        return found

    async def close(self) -> None:
        """Close the inner resolver."""
        await self._inner.close()


def socket_for(address: aiohttp.AddrInfoType) -> socket.socket:
    """Create the socket for an address of ``getaddrinfo``."""
    family, kind, protocol, _, (host, *_) = address
    # A loopback connection loses no data: a server on this machine that reads slowly is not dead.
    created = socket.socket(family, kind, protocol)
    if hasattr(socket, "TCP_USER_TIMEOUT") and not ip_address(host).is_loopback:
        created.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, _DEAD_AFTER_MS)
    return created


async def read_up_to(content: aiohttp.StreamReader, size_bytes: int) -> bytes:
    """Read a small body to its end, or to the first chunk beyond ``size_bytes``."""
    body = b""
    while len(body) <= size_bytes and (chunk := await content.readany()):
        body += chunk
    return body


async def _drain(response: aiohttp.ClientResponse) -> None:
    with suppress(aiohttp.ClientError, TimeoutError):
        async with asyncio.timeout(_DRAIN_S):
            await response.content.read(_READ_BUFFER_BYTES)


async def _way_to(endpoint: Endpoint) -> Mapping[str, Any]:
    network, place = endpoint.network, endpoint.origin.place
    way: dict[str, Any] = {}
    if endpoint.origin.scheme == "https" and (network.ca_file or network.client_cert):
        way["ssl"] = await asyncio.to_thread(tls_context, network, place=place)
    if proxy := proxy_to(network, endpoint.origin.host):
        way["proxy"] = URL(str(proxy.origin))
        if proxy.user:
            way["proxy_headers"] = {"Proxy-Authorization": proxy.login}
    return way


@lru_cache(maxsize=64)
def _url(endpoint: Endpoint, path: str) -> URL:
    return URL(endpoint.url(path), encoded=True)


@lru_cache(maxsize=64)
def _connect_timeout(connect_s: float) -> aiohttp.ClientTimeout:
    return aiohttp.ClientTimeout(total=None, connect=connect_s, sock_connect=connect_s)


async def _refuse_redirect(
    _session: object, _context: object, redirect: aiohttp.TraceRequestRedirectParams
) -> None:
    # aiohttp has no option that refuses redirects of a WebSocket handshake.
    redirect.response.close()
    raise aiohttp.ClientError("redirected")


def _trace_kept_connections() -> aiohttp.TraceConfig:
    async def mark_kept(_session: object, context: object, _params: object) -> None:
        attempt = getattr(context, "trace_request_ctx", None)
        if isinstance(attempt, _Attempt):
            attempt.on_kept_connection = True

    trace = aiohttp.TraceConfig()
    trace.on_connection_reuseconn.append(mark_kept)
    trace.on_request_redirect.append(_refuse_redirect)
    return trace
