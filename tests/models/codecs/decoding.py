"""Decode an answer with one of our decoders."""

from __future__ import annotations

import orjson

from twospeed.models.base import ModelEvent
from twospeed.models.codecs.decoder import Decoder


def decoded(decoder: Decoder, *values: object) -> list[ModelEvent]:
    """Return the events of an answer; a value that is not bytes is sent as JSON."""
    events: list[ModelEvent] = []
    for value in values:
        events += decoder.receive_event(value if isinstance(value, bytes) else orjson.dumps(value))
    return [*events, decoder.finish()]
