"""Read the events of an answer."""

from __future__ import annotations

from collections.abc import Iterable

from twospeed.models.base import ModelEvent, TextDelta


def text_of(events: Iterable[ModelEvent]) -> str:
    return "".join(event.text for event in events if isinstance(event, TextDelta))
