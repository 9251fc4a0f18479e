"""The length and the limit of a prompt are parsed from the errors of each provider."""

from __future__ import annotations

import pytest

from twospeed.models.codecs.provider_errors import Overflow, read_overflow

OPENAI = (
    "This model's maximum context length is 8192 tokens. However, you requested 9000 tokens (4904 in the messages, "
    "4096 in the completion). Please reduce the length of the messages."
)
VLLM = (
    "'max_tokens' or 'max_completion_tokens' is too large: 8192. This model's maximum context length is 8192 tokens "
    "and your request has 3000 input tokens (8192 > 8192 - 3000)."
)
OPENROUTER = (
    "This endpoint's maximum context length is 131072 tokens. However, you requested about 150000 tokens (140000 of "
    "text input, 10000 in the output)."
)
GROQ = (
    "Request too large for model `m` in organization `o` on tokens per minute (TPM): Limit 8000, Requested 9692, please "
    "reduce your message size and try again."
)
CEREBRAS = (
    "Please reduce the length of the messages or completion. Current length is 42328 while limit is 40000"
)
ANTHROPIC = (
    "input length and `max_tokens` exceed context limit: 190000 + 20000 > 200000, decrease input length"
)


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        (OPENAI, Overflow(4904, 8192)),
        (VLLM, Overflow(3000, 8192)),
        (OPENROUTER, Overflow(140000, 131072)),
        (ANTHROPIC, Overflow(190000, 200000)),
        (GROQ, Overflow(None, 8000, total_tokens=9692)),
        (CEREBRAS, Overflow(None, 40000)),
        ("prompt is too long: 215000 tokens > 200000 maximum", Overflow(215000, 200000)),
        (
            "maximum context length is 8192 tokens. However, your messages resulted in 9000",
            Overflow(None, 8192),
        ),
        (
            "maximum context length is 8192 tokens, your messages resulted in 9000 tokens",
            Overflow(9000, 8192),
        ),
        ("too long", Overflow()),
    ],
)
def test_token_counts_are_parsed_from_the_message(message: str, expected: Overflow) -> None:
    assert read_overflow({}, message) == expected


@pytest.mark.parametrize("message", ["Limit 8000, Used 7000, Requested 2000", "Limit 8000, Requested 8000"])
def test_a_request_that_fits_the_limit_of_a_minute_is_no_overflow(message: str) -> None:
    assert read_overflow({}, message) == Overflow()


def test_the_longest_answer_is_subtracted_from_a_sum() -> None:
    assert Overflow(None, 8000, total_tokens=9692).of_prompt(8192) == 1500
    assert Overflow(None, 8000, total_tokens=9692).of_prompt(9692) is None
    assert Overflow(4904, 8192).of_prompt(8192) == 4904


def test_fields_precede_the_message() -> None:
    error = {"n_prompt_tokens": 5000, "n_ctx": 4096}
    assert read_overflow(error, "the maximum context length is 1 tokens") == Overflow(5000, 4096)


def test_one_token_is_the_minimum() -> None:
    assert read_overflow({"n_prompt_tokens": 1, "n_ctx": 1}, "") == Overflow(1, 1)
    assert Overflow(None, 8, total_tokens=9).of_prompt(8) == 1


@pytest.mark.parametrize("nonsense", [0, -1, 10**12, "4096", None, 4096.5, [4096]])
def test_an_invalid_number_is_ignored(nonsense: object) -> None:
    assert read_overflow({"n_prompt_tokens": nonsense, "n_ctx": nonsense}, "") == Overflow()
