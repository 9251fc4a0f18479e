"""Laws of every decoder: any input of an endpoint raises only our own errors."""

from __future__ import annotations

from itertools import pairwise

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from twospeed.errors import ModelError
from twospeed.models.base import Finished, ModelEvent, ReasoningDelta, TextDelta, Usage
from twospeed.models.codecs.decoder import RequestInfo
from twospeed.models.codecs.response_reader import ResponseReader
from twospeed.models.codecs.table import CODECS
from twospeed.testing import script_chat, script_completions, script_messages, script_responses
from twospeed.testing.script import Inject, Script, Token

ASKED = RequestInfo("lab", "m", None, 512)

NAMES = [
    "choices",
    "delta",
    "content",
    "reasoning",
    "refusal",
    "finish_reason",
    "usage",
    "prompt_tokens",
    "error",
    "message",
    "code",
    "type",
    "status",
    "index",
    "content_block",
    "text",
    "thinking",
    "stop_reason",
    "stop_details",
    "explanation",
    "input_tokens",
    "output_tokens_details",
    "response",
    "incomplete_details",
    "reason",
    "output_index",
    "item",
    "phase",
    "object",
]
TYPES = [
    "content_block_delta",
    "content_block_start",
    "message_start",
    "message_delta",
    "message_stop",
    "error",
    "text_delta",
    "thinking",
    "response.output_text.delta",
    "response.refusal.delta",
    "response.output_item.added",
    "response.completed",
    "response.incomplete",
    "response.failed",
    "response.reasoning_summary_part.added",
    "commentary",
    "stop",
    "max_tokens",
]

values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-9, 2**63)
    | st.floats()
    | st.text(max_size=4)
    | st.sampled_from(TYPES),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(NAMES), inner, max_size=6),
    max_leaves=12,
)
typed = st.builds(
    lambda kind, fields: {**fields, "type": kind},
    st.sampled_from(TYPES),
    st.dictionaries(st.sampled_from(NAMES), values, max_size=6),
)
events = st.builds(lambda event, delta: {**event, "delta": delta}, typed, values | typed) | typed


@pytest.mark.security("R10.4")
@pytest.mark.parametrize("api", CODECS)
@given(sent=st.lists(events, max_size=6))
def test_any_json_is_decoded_or_raises_a_model_error(api: str, sent: list[object]) -> None:
    decoder = CODECS[api].decoder(ASKED)
    said: list[ModelEvent] = []
    try:
        for event in sent:
            said += decoder.receive_event(orjson.dumps(event))
        said.append(decoder.finish())
    except ModelError:
        pass
    assert all(isinstance(event, TextDelta | ReasoningDelta | Usage | Finished) for event in said)


WRITTEN = {
    "chat": lambda script: script_chat.streamed(script, model="m", with_usage=True),
    "responses": lambda script: script_responses.streamed(script, model="m"),
    "completions": lambda script: script_completions.streamed(script, model="m", with_usage=True),
    "messages": lambda script: script_messages.streamed(script, model="m"),
}


def read(api: str, chunks: list[bytes]) -> tuple[str, list[ModelEvent]]:
    """Return the text of an answer and all its other events."""
    reader = ResponseReader(CODECS[api].decoder(ASKED), provider="lab", model="m")
    said = [event for chunk in chunks for event in reader.receive_bytes(chunk)]
    text = "".join(event.text for event in said if isinstance(event, TextDelta))
    others: list[ModelEvent] = [event for event in said if not isinstance(event, TextDelta)]
    return text, [*others, reader.finish()]


@pytest.mark.security("R3.2")
@pytest.mark.parametrize("api", CODECS)
@given(
    text=st.text(max_size=40), reasoning=st.text(max_size=10), cuts=st.lists(st.integers(0, 4000), max_size=8)
)
def test_an_answer_in_any_chunks_matches_its_script(
    api: str, text: str, reasoning: str, cuts: list[int]
) -> None:
    reasoning = "" if api == "completions" else reasoning  # that protocol has none
    script = Script(text, reasoning=reasoning)
    wire = b"".join(step.data for step in WRITTEN[api](script) if isinstance(step, Token | Inject))
    places = sorted({0, len(wire), *(cut for cut in cuts if cut < len(wire))})
    said, others = read(api, [wire[first:last] for first, last in pairwise(places)])
    assert said == text
    assert "".join(event.text for event in others if isinstance(event, ReasoningDelta)) == reasoning
    assert others[-1] == Finished("stop")
