"""Turn what aiohttp raises into our errors: the one place that knows its exceptions.

Messages name the host and what happened. The exception's own text is never used, because it may quote headers
and bodies; the exception stays as the cause, for a debugger.
"""

from __future__ import annotations

import errno
from collections.abc import Iterator
from contextlib import contextmanager

import aiohttp
from multidict import CIMultiDict, CIMultiDictProxy

from twospeed.errors import AnswerBrokeOff, ModelError, ModelProtocolError, ModelTimeout, ModelUnavailable

_TABLE: tuple[tuple[type[Exception], type[ModelError], str], ...] = (
    # The first row that fits counts, so special cases stand above what they are a case of.
    (TimeoutError, ModelTimeout, "no connection to {host} in time (connect_s)"),
    (aiohttp.ClientConnectorCertificateError, ModelUnavailable, "the certificate of {host} is not valid"),
    (aiohttp.ClientConnectorSSLError, ModelUnavailable, "no secure connection to {host}"),
    (aiohttp.ClientConnectorDNSError, ModelUnavailable, "there is no host {host}"),
    (aiohttp.ClientConnectorError, ModelUnavailable, "no connection to {host}"),
    (aiohttp.ServerDisconnectedError, ModelUnavailable, "{host} closed the connection without an answer"),
    (aiohttp.ClientPayloadError, AnswerBrokeOff, "the answer of {host} broke off before its end"),
    (aiohttp.ClientResponseError, ModelProtocolError, "{host} does not speak HTTP as it should"),
    (aiohttp.InvalidURL, ModelProtocolError, "{host} is not an address aiohttp can use"),
    (aiohttp.ClientError, ModelUnavailable, "the connection to {host} was lost"),
    (OSError, ModelUnavailable, "the connection to {host} was lost"),
)

_BAD_TLS = (aiohttp.ClientConnectorCertificateError, aiohttp.ClientConnectorSSLError)


@contextmanager
def map_http_errors(host: str, *, provider: str, model: str) -> Iterator[None]:
    """Let nothing of aiohttp's out.

    Raises:
        ModelError: Where the body raised an HTTP or socket error; ours and cancellation pass unchanged.
    """
    try:
        yield
    except (aiohttp.ClientError, OSError) as error:  # TimeoutError is an OSError
        if isinstance(error, aiohttp.ClientResponseError):
            _forget_request(error)
        raise translated(error, host, provider=provider, model=model) from error


def translated(error: Exception, host: str, *, provider: str, model: str) -> ModelError:
    """Give our error for one of aiohttp's or the system's."""
    for foreign, ours, sentence in _TABLE:
        if isinstance(error, foreign):
            message = sentence.format(host=host)
            if ours is ModelTimeout:
                return ModelTimeout(message, provider=provider, model=model, limit="connect_s")
            return ours(message, provider=provider, model=model, should_retry=_should_retry(error))
    raise TypeError(f"not an HTTP or socket error: {type(error).__name__}")


def _should_retry(error: Exception) -> bool | None:
    """Where nobody listens, or it is not whom we want to speak to, the next attempt ends as this one did."""
    is_refused = isinstance(error, OSError) and error.errno == errno.ECONNREFUSED
    return False if is_refused or isinstance(error, _BAD_TLS) else None


def _forget_request(error: aiohttp.ClientResponseError) -> None:
    """Take out the request and its headers, the key among them, which ``repr`` would show."""
    known = error.request_info
    error.request_info = aiohttp.RequestInfo(
        known.url, known.method, CIMultiDictProxy(CIMultiDict()), known.real_url
    )
    error.args = ()
