"""Failures of providers are mapped to our errors."""

from __future__ import annotations

from collections.abc import Mapping

import orjson
import pytest
from multidict import CIMultiDict

from twospeed.errors import (
    ContextTooLong,
    InvalidKey,
    ModelError,
    ModelOverloaded,
    ModelProtocolError,
    ModelUnavailable,
    QuotaExhausted,
    RateLimited,
    UnknownModel,
)
from twospeed.models.codecs.provider_errors import (
    ProviderError,
    model_error,
    provider_error_from_json,
    quote,
    read_provider_error,
)
from twospeed.models.keys.secret import Secret

KEY = Secret("lab_0123456789abcdef", name="LAB_API_KEY", origins=[])


def error_of(status: int, body: object = None, headers: Mapping[str, str] | None = None) -> ModelError:
    raw = body if isinstance(body, bytes) else orjson.dumps(body)
    provider_error = read_provider_error(status, CIMultiDict(headers or {}), raw)
    return model_error(provider_error, provider="lab", model="m", key=KEY)


@pytest.mark.parametrize(
    ("status", "error", "expected"),
    [
        (401, {"message": "Incorrect API key", "code": "invalid_api_key"}, InvalidKey),
        (403, {"message": "forbidden"}, InvalidKey),
        (400, {"message": "bad", "code": "invalid_api_key"}, InvalidKey),
        (402, {"message": "pay"}, QuotaExhausted),
        (429, {"message": "x", "code": "insufficient_quota", "type": "insufficient_quota"}, QuotaExhausted),
        (429, {"message": "x", "code": "credit_balance_exhausted"}, QuotaExhausted),
        (429, {"message": "x", "type": "tokens", "code": "rate_limit_exceeded"}, RateLimited),
        (429, None, RateLimited),
        (413, {"message": "too large for tokens per minute", "code": "rate_limit_exceeded"}, RateLimited),
        (413, {"message": "TPM: Limit 8, Requested 9", "code": "rate_limit_exceeded"}, ContextTooLong),
        (429, {"message": "TPM: Limit 8, Used 7, Requested 2", "code": "rate_limit_exceeded"}, RateLimited),
        (400, {"message": "x", "code": "context_length_exceeded"}, ContextTooLong),
        (400, {"message": "x", "type": "exceed_context_size_error", "n_ctx": 4096}, ContextTooLong),
        (400, {"message": "This model's maximum context length is 4096 tokens"}, ContextTooLong),
        (400, {"message": "prompt is too long: 9 tokens > 8 maximum"}, ContextTooLong),
        (413, None, ContextTooLong),
        (404, {"message": "The model `m` does not exist", "code": "model_not_found"}, UnknownModel),
        (404, None, UnknownModel),
        (408, None, ModelUnavailable),
        (498, None, ModelOverloaded),
        (500, None, ModelUnavailable),
        (502, {"message": "bad gateway", "code": 502}, ModelUnavailable),
        (503, {"message": "Loading model", "type": "unavailable_error", "code": 503}, ModelOverloaded),
        (529, {"type": "overloaded_error"}, ModelOverloaded),
        (400, {"message": "unsupported parameter"}, ModelProtocolError),
        (422, None, ModelProtocolError),
        (418, "teapot", ModelProtocolError),
    ],
)
def test_status_and_codes_decide_the_kind_of_error(
    status: int, error: object, expected: type[ModelError]
) -> None:
    made = error_of(status, {"error": error})
    assert type(made) is expected
    assert (made.provider, made.model) == ("lab", "m")
    assert f"HTTP {status}" in str(made)


@pytest.mark.parametrize(
    "body",
    [
        {"error": {"message": "the words"}},
        {"error": "the words"},
        [{"error": {"message": "the words"}}],
        {"object": "error", "message": "the words", "code": 500},
        {"message": "the words", "type": "server_error", "param": "", "code": "x"},
        {"detail": "the words"},
    ],
)
def test_every_form_of_an_error_is_parsed(body: object) -> None:
    assert str(error_of(500, body)) == "lab could not answer (HTTP 500): the words"


@pytest.mark.parametrize(
    "body", [b"", b"<html>no</html>", b"\xff\xfe", b"null", b"[]", b'{"error": 7}', b"[" * 9999]
)
def test_a_body_without_an_error_adds_nothing(body: bytes) -> None:
    assert str(error_of(500, body)) == "lab could not answer (HTTP 500)"


def test_the_code_of_a_bare_object_is_read() -> None:
    assert type(error_of(400, {"message": "x", "code": "context_length_exceeded"})) is ContextTooLong


def test_a_bare_message_without_an_error_status_is_no_error() -> None:
    assert provider_error_from_json({"message": "Welcome"}) is None


def test_a_word_in_a_message_is_not_a_code() -> None:
    """Providers quote the request, which contains code of the user."""
    assert (
        type(error_of(400, {"error": {"message": "cannot parse 'rate_limit overloaded'"}}))
        is ModelProtocolError
    )


@pytest.mark.security("R7")
@pytest.mark.parametrize("status", [400, 401, 402, 403, 404, 413, 429, 500, 529])
@pytest.mark.parametrize(
    "echo",
    [
        "lab_0123456789abcdef",
        "sk-proj-AbCd1234*******************wxyz",
        "Bearer abc.def-123456",
        "gsk_0123456789",
        "xai-0123456789",
        "x" * 195 + " lab_0123456789abcdef",
        "lab_01234567",
        "...6789abcdef",
        "bGFiXzAxMjM0NTY3ODlhYmNkZWY=",
        "bGFiXzAxMjM0NTY3",
        "QmVhcmVyIGxhYl8wMTIzNDU2Nzg5YWJjZGVm",
        "6c61625f30313233343536373839616263646566",
        "lab%5F0123456789abcdef",
        r"lab\u005f01234567",
    ],
)
def test_a_key_echoed_by_the_provider_is_not_repeated(status: int, echo: str) -> None:
    made = str(error_of(status, {"error": {"message": f"bad key {echo} here"}}))
    for part in (
        "0123456",
        "AbCd1234",
        "wxyz",
        "abc.def",
        "789abcdef",
        "xAxMjM0NT",
        "wMTIzNDU2",
        "3031323334",
        "01234567",
    ):
        assert part not in made


@pytest.mark.security("R7")
@pytest.mark.parametrize(
    ("status", "sentence"),
    [(401, "lab rejected the key (HTTP 401)"), (403, "lab does not allow this key to use m (HTTP 403)")],
)
def test_an_error_about_the_key_is_not_quoted(status: int, sentence: str) -> None:
    made = error_of(status, {"error": {"message": "your odd-looking key qwertz123 is wrong"}})
    assert str(made) == sentence


def test_the_reason_against_a_valid_key_is_quoted() -> None:
    made = error_of(403, {"error": {"message": "Country, region, or territory not supported"}})
    assert str(made) == (
        "lab does not allow this key to use m (HTTP 403): Country, region, or territory not supported"
    )


def test_quoted_text_is_one_short_visible_line() -> None:
    assert quote("two\r\n\tlines  here.") == "two lines here"
    assert quote("a\x1b[31mb\u202ec\U000e0041d\x00") == r"a\u{1b}[31mb\u{202e}c\u{e0041}d\u{0}"
    assert quote("é😋") == "é😋"
    assert quote("a\u2028b\x85c\x1cd") == "a b c d"
    assert quote("x" * 200) == "x" * 200
    assert quote("x" * 201) == "x" * 199 + "…"
    assert quote("x" * 5000) == "x" * 199 + "…"
    assert (quote(" " * 799 + "word"), quote(" " * 800 + "word")) == ("w", "")
    assert len(quote("\x1b" * 5000)) == 200


@pytest.mark.parametrize("status", [429, 500, 503])
def test_the_error_has_the_time_to_wait(status: int) -> None:
    made = error_of(status, {"error": {"message": "try again in 7s"}})
    assert made.retry_after_s == 7.0
    assert error_of(status, None, {"Retry-After": "3"}).retry_after_s == 3.0
    assert (
        error_of(status, {"error": {"message": "try again in 7s"}}, {"Retry-After": "3"}).retry_after_s == 3.0
    )
    assert error_of(status).retry_after_s is None


def test_the_message_names_the_time_to_wait() -> None:
    headers = {"Retry-After": "42"}
    assert str(error_of(429, None, headers)) == "lab accepts no more requests for 42 s (HTTP 429)"
    assert str(error_of(503, None, headers)) == "m has no capacity at lab for 42 s (HTTP 503)"


@pytest.mark.parametrize(
    ("said", "expected"), [("true", True), ("false", False), ("yes", None), (None, None)]
)
@pytest.mark.parametrize("status", [400, 401, 413, 429, 500])
def test_x_should_retry_decides_about_a_retry(status: int, said: str | None, expected: bool | None) -> None:
    made = error_of(status, None, {"X-Should-Retry": said} if said else {})
    assert made.should_retry is expected


def test_the_error_has_the_length_of_the_prompt() -> None:
    made = error_of(400, {"error": {"message": "prompt is too long: 9 tokens > 8 maximum"}})
    assert isinstance(made, ContextTooLong)
    assert (made.prompt_tokens, made.limit_tokens) == (9, 8)


def test_a_message_about_another_key_is_quoted() -> None:
    made = error_of(400, {"error": {"message": "the key 'colour' is not known"}})
    assert str(made) == "lab refused the request (HTTP 400): the key 'colour' is not known"


def test_the_first_error_of_a_list_is_used() -> None:
    errors = [{"error": {"message": "first", "code": 503}}, {"error": {"message": "second"}}]
    provider_error = provider_error_from_json(errors)
    assert provider_error == ProviderError(503, message="first")


@pytest.mark.parametrize(
    ("sent", "status", "expected"),
    [(400, 200, 400), (599, 200, 599), (399, 200, 200), (600, 200, 200), (503, 429, 429), (503, 399, 503)],
)
def test_a_code_like_an_http_status_counts_after_http_200(sent: int, status: int, expected: int) -> None:
    provider_error = provider_error_from_json(
        {"error": {"code": sent, "message": "m", "type": "t"}}, status=status
    )
    assert provider_error == ProviderError(expected, codes="t", message="m")
