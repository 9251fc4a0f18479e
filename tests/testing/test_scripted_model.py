"""The scripted model of tests and demos."""

from __future__ import annotations

import asyncio

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from twospeed.errors import ModelUnavailable
from twospeed.models.base import Finished, ModelRequest, TextDelta
from twospeed.testing.scripted_model import ScriptedModel, cut_into_tokens, scripted_answer


@given(text=st.text(max_size=200), seed=st.integers(0, 5))
@settings(deadline=None)
def test_the_pieces_join_to_the_text(text: str, seed: int) -> None:
    pieces = cut_into_tokens(text, seed=seed)
    assert "".join(pieces) == text
    assert all(1 <= len(piece) <= 8 for piece in pieces)
    assert pieces == cut_into_tokens(text, seed=seed)


def test_the_pieces_are_the_same_with_the_default_seed() -> None:
    text = "x" * 100
    assert cut_into_tokens(text) == cut_into_tokens(text, seed=0) != cut_into_tokens(text, seed=1)


def test_pieces_of_code_are_as_long_as_tokens() -> None:
    code = "def total(rows):\n    return sum(row.amount for row in rows)\n" * 20
    assert 2.5 < len(code) / len(cut_into_tokens(code)) < 4.5


async def test_each_request_gets_the_next_answer_and_the_last_is_repeated(
    request_to_model: ModelRequest,
) -> None:
    model = ScriptedModel(scripted_answer("one"), scripted_answer("two"))
    texts = []
    for _ in range(3):
        events = [event async for event in model.stream(request_to_model)]
        assert events[-1] == Finished("stop")
        texts.append("".join(event.text for event in events if isinstance(event, TextDelta)))
    assert texts == ["one", "two", "two"]
    assert model.requests == [request_to_model] * 3
    assert model.closed == 3


async def test_a_script_waits_for_its_event(request_to_model: ModelRequest) -> None:
    go = asyncio.Event()
    stream = ScriptedModel([go, TextDelta("a")]).stream(request_to_model)
    waiting = asyncio.ensure_future(anext(stream))
    await asyncio.sleep(0)
    assert not waiting.done()
    go.set()
    assert await waiting == TextDelta("a")
    await stream.aclose()


async def test_an_error_in_the_script_is_raised(request_to_model: ModelRequest) -> None:
    model = ScriptedModel([TextDelta("a"), ModelUnavailable("no", provider="p", model="m")])
    with pytest.raises(ModelUnavailable):
        [event async for event in model.stream(request_to_model)]
    assert model.closed == 1
