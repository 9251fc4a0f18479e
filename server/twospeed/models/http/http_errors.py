"""Map aiohttp's exceptions to ours, without their text, which may quote headers and bodies."""

from __future__ import annotations

import errno
from collections.abc import Iterator
from contextlib import contextmanager

import aiohttp
from multidict import CIMultiDict, CIMultiDictProxy

from twospeed.errors import (
    AnswerBrokeOff,
    ModelError,
    ModelProtocolError,
    ModelTimeout,
    ModelUnavailable,
)

_TABLE: tuple[tuple[type[Exception], type[ModelError], str], ...] = (
    # The first matching row counts, so subclasses are above their base classes.
    (TimeoutError, ModelTimeout, "no connection to {place} in time (connect_s)"),
    (
        aiohttp.ClientHttpProxyError,
        ModelUnavailable,
        "the proxy on the way to {place} refused the connection{status}",
    ),
    (
        aiohttp.ClientProxyConnectionError,
        ModelUnavailable,
        "no connection to the proxy on the way to {place}",
    ),
    (aiohttp.ClientConnectorCertificateError, ModelUnavailable, "the certificate of {place} is not valid"),
    (aiohttp.ClientConnectorSSLError, ModelUnavailable, "no secure connection to {place}"),
    (aiohttp.ClientConnectorDNSError, ModelUnavailable, "there is no host {place}"),
    (aiohttp.ClientConnectorError, ModelUnavailable, "no connection to {place}"),
    (aiohttp.ServerDisconnectedError, ModelUnavailable, "{place} closed the connection without an answer"),
    (aiohttp.ClientPayloadError, AnswerBrokeOff, "the answer of {place} broke off before its end"),
    (aiohttp.ClientResponseError, ModelProtocolError, "{place} violates the HTTP protocol"),
    (aiohttp.InvalidURL, ModelProtocolError, "{place} is not an address aiohttp can use"),
    (aiohttp.ClientError, ModelUnavailable, "the connection to {place} was lost"),
    (OSError, ModelUnavailable, "the connection to {place} was lost"),
)

_FINAL = (
    aiohttp.ClientConnectorCertificateError,
    aiohttp.ClientConnectorSSLError,
    aiohttp.ClientHttpProxyError,
)


@contextmanager
def map_http_errors(place: str, *, provider: str, model: str) -> Iterator[None]:
    """Map exceptions of HTTP and sockets that the body raises to ModelError; others pass unchanged."""
    try:
        yield
    except (aiohttp.ClientError, OSError) as error:  # TimeoutError is an OSError
        if isinstance(error, aiohttp.ClientResponseError):
            _remove_request(error)
        raise mapped_error(error, place, provider=provider, model=model) from error


def mapped_error(error: Exception, place: str, *, provider: str, model: str) -> ModelError:
    """Return our exception for one of aiohttp or the system."""
    for foreign, own, sentence in _TABLE:
        if isinstance(error, foreign):
            status = f" (status {number})" if (number := getattr(error, "status", 0)) else ""
            message = sentence.format(place=place, status=status)
            if own is ModelTimeout:
                return ModelTimeout(message, provider=provider, model=model, limit="connect_s")
            return own(message, provider=provider, model=model, should_retry=_should_retry(error))
    raise TypeError(f"not an HTTP or socket error: {type(error).__name__}")


def _should_retry(error: Exception) -> bool | None:
    # A retry would end the same way if the connection is refused or TLS is invalid.
    is_refused = isinstance(error, OSError) and error.errno == errno.ECONNREFUSED
    return False if is_refused or isinstance(error, _FINAL) else None


def _remove_request(error: aiohttp.ClientResponseError) -> None:
    # The request includes the header with the key, and `repr` would show it.
    known = error.request_info
    error.request_info = aiohttp.RequestInfo(
        known.url, known.method, CIMultiDictProxy(CIMultiDict()), known.real_url
    )
    error.args = ()
