"""No exception of aiohttp leaves the room."""

from __future__ import annotations

import asyncio
import errno
import socket
import ssl
from collections.abc import Iterator
from types import SimpleNamespace

import aiohttp
import pytest
from aiohttp.client_reqrep import ConnectionKey
from multidict import CIMultiDict, CIMultiDictProxy
from yarl import URL

from twospeed.errors import (
    AnswerBrokeOff,
    ModelError,
    ModelProtocolError,
    ModelTimeout,
    ModelUnavailable,
    UnsafeEndpoint,
)
from twospeed.models.http.http_errors import map_http_errors, mapped_error

SECRET = "sk-live-0123456789"
PLACE = ConnectionKey("h", 443, True, True, None, None, None)
HEADERS = CIMultiDictProxy(CIMultiDict(Authorization=SECRET))
REQUEST = aiohttp.RequestInfo(URL(f"https://h/?{SECRET}"), "POST", HEADERS, URL("https://h"))


@pytest.mark.parametrize(
    ("foreign", "expected", "words"),
    [
        (aiohttp.ConnectionTimeoutError(SECRET), ModelTimeout, "in time"),
        (aiohttp.ServerTimeoutError(SECRET), ModelTimeout, "in time"),
        (TimeoutError(SECRET), ModelTimeout, "in time"),
        (
            aiohttp.ClientConnectorCertificateError(PLACE, ssl.CertificateError(SECRET)),
            ModelUnavailable,
            "certificate",
        ),
        (aiohttp.ClientConnectorSSLError(PLACE, ssl.SSLError(1, SECRET)), ModelUnavailable, "secure"),
        (aiohttp.ClientConnectorDNSError(PLACE, socket.gaierror(8, SECRET)), ModelUnavailable, "no host h"),
        (aiohttp.ClientConnectorError(PLACE, OSError(111, SECRET)), ModelUnavailable, "no connection to h"),
        (aiohttp.ServerDisconnectedError(SECRET), ModelUnavailable, "without an answer"),
        (aiohttp.ClientOSError(104, SECRET), ModelUnavailable, "lost"),
        (aiohttp.ClientConnectionResetError(SECRET), ModelUnavailable, "lost"),
        (ConnectionResetError(SECRET), ModelUnavailable, "lost"),
        (aiohttp.ClientPayloadError(SECRET), AnswerBrokeOff, "broke off"),
        (
            aiohttp.ClientResponseError(REQUEST, (), message=SECRET),
            ModelProtocolError,
            "violates the HTTP protocol",
        ),
        (aiohttp.InvalidURL(SECRET), ModelProtocolError, "not an address"),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, Exception) else "",
)
@pytest.mark.security("R7")
def test_a_mapped_error_names_the_host_and_quotes_nothing(
    foreign: Exception, expected: type[ModelError], words: str
) -> None:
    with pytest.raises(expected, match=words) as caught, map_http_errors("h", provider="lab", model="m"):
        raise foreign
    assert type(caught.value) is expected
    assert SECRET not in str(caught.value)
    assert caught.value.__cause__ is foreign
    if isinstance(foreign, aiohttp.ClientResponseError):
        known = foreign.request_info
        assert (foreign.args, known.method, known.real_url) == ((), "POST", URL("https://h"))
        assert not known.headers


def test_a_connection_that_takes_too_long_names_its_limit() -> None:
    error = mapped_error(TimeoutError(), "h", provider="lab", model="m")
    assert isinstance(error, ModelTimeout)
    assert error.limit == "connect_s"


def all_subclasses(kind: type[Exception]) -> Iterator[type[Exception]]:
    yield kind
    for derived in kind.__subclasses__():
        yield from all_subclasses(derived)


@pytest.mark.parametrize("kind", dict.fromkeys(all_subclasses(aiohttp.ClientError)))
def test_every_error_of_aiohttp_has_a_row(kind: type[Exception]) -> None:
    instance = kind.__new__(kind)
    assert isinstance(mapped_error(instance, "h", provider="lab", model="m"), ModelError)


@pytest.mark.parametrize(
    "error", [asyncio.CancelledError(), GeneratorExit(), KeyError("ours"), UnsafeEndpoint("ours")]
)
def test_another_exception_passes_unchanged(error: BaseException) -> None:
    with pytest.raises(type(error)) as caught, map_http_errors("h", provider="lab", model="m"):
        raise error
    assert caught.value is error


def test_mapping_another_exception_is_a_type_error() -> None:
    with pytest.raises(TypeError):
        mapped_error(KeyError(SimpleNamespace()), "h", provider="lab", model="m")


@pytest.mark.parametrize(
    ("foreign", "expected"),
    [
        (aiohttp.ClientConnectorError(PLACE, ConnectionRefusedError(errno.ECONNREFUSED, "no")), False),
        (aiohttp.ClientConnectorCertificateError(PLACE, ssl.CertificateError("no")), False),
        (aiohttp.ClientConnectorSSLError(PLACE, ssl.SSLError(1, "no")), False),
        (aiohttp.ClientConnectorDNSError(PLACE, socket.gaierror(8, "no")), None),
        (aiohttp.ClientConnectorError(PLACE, OSError(errno.ENETUNREACH, "no")), None),
        (ConnectionResetError(errno.ECONNRESET, "no"), None),
        (aiohttp.ServerDisconnectedError("no"), None),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, Exception) else "",
)
def test_a_permanent_connection_failure_is_not_retried(foreign: Exception, expected: bool | None) -> None:
    assert mapped_error(foreign, "h", provider="lab", model="m").should_retry is expected
