"""Encode a script as OpenAI's Responses."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import count

from .script import Script, Step, event, steps_of

_ID = "resp_scripted"
_INCOMPLETE = {"length": "max_output_tokens"}


@dataclass(frozen=True, slots=True)
class _Part:
    """A part of the answer, in its own item, with the names of its events and fields."""

    kind: str
    field: str
    name: str  # prefix of the events with its text
    around: str  # prefix of the events at its begin and end
    index: str  # field of its index in the item
    text: str

    def with_text(self, text: str) -> dict[str, object]:
        """Return the part with this much of its text."""
        extra: dict[str, object] = {"annotations": [], "logprobs": []} if self.kind == "output_text" else {}
        return {"type": self.kind, self.field: text, **extra}

    def item(self, number: int, text: str | None) -> dict[str, object]:
        """Return its item; None means without the part."""
        parts = [] if text is None else [self.with_text(text)]
        if self.kind == "summary_text":
            return {"id": f"item_{number}", "type": "reasoning", "summary": parts}
        status = "in_progress" if text is None else "completed"
        head = {"id": f"item_{number}", "type": "message", "role": "assistant", "status": status}
        return {**head, "content": parts}


def streamed(script: Script, *, model: str, response_id: str = _ID) -> Iterator[Step]:
    """Return the events of a streamed answer, with its faults."""
    numbers = count()

    def write(name: str, **fields: object) -> bytes:
        return event({"type": name, "sequence_number": next(numbers), **fields}, name=name)

    opened = _response(script, model=model, status="in_progress", response_id=response_id)
    head = [write(f"response.{name}", response=opened) for name in ("created", "in_progress")]
    tokens: list[bytes] = []
    closing = b""
    for number, part in enumerate(_parts(script)):
        place = {"item_id": f"item_{number}", "output_index": number, part.index: 0}
        opening = closing + write(
            "response.output_item.added", output_index=number, item=part.item(number, None)
        )
        opening += write(f"{part.around}.added", **place, part=part.with_text(""))
        logprobs: dict[str, object] = {"logprobs": []} if part.kind == "output_text" else {}
        for piece in script.pieces_of(part.text):
            tokens.append(opening + write(f"{part.name}.delta", **place, delta=piece, **logprobs))
            opening = b""
        closing = b"".join(
            (
                write(f"{part.name}.done", **place, **{part.field: part.text}, **logprobs),
                write(f"{part.around}.done", **place, part=part.with_text(part.text)),
                write("response.output_item.done", output_index=number, item=part.item(number, part.text)),
            )
        )
    status = _status(script)
    closed = _response(script, model=model, status=status, response_id=response_id)
    ending = [closing, write(f"response.{status}", response=closed)]
    return steps_of(script, head=head, tokens=tokens, ending=ending)


def unstreamed(script: Script, *, model: str) -> dict[str, object]:
    """Return the answer as one JSON object."""
    return _response(script, model=model, status=_status(script))


def error_event(message: str, *, code: str = "server_error") -> bytes:
    """Return the event that reports a failure within an answer."""
    return event(
        {"type": "error", "code": code, "message": message, "param": None, "sequence_number": 0}, name="error"
    )


def failed_event(message: str, *, code: str = "server_error") -> bytes:
    """Return the last event of an answer that failed."""
    response = {
        **_response(Script(), model="scripted", status="failed"),
        "error": {"code": code, "message": message},
    }
    return event(
        {"type": "response.failed", "sequence_number": 0, "response": response}, name="response.failed"
    )


def steered(model: str, response_id: str) -> dict[str, object]:
    """Return the last event of a response that was steered."""
    response = {
        **_response(Script(), model=model, status="incomplete", response_id=response_id),
        "incomplete_details": {"reason": "steered"},
    }
    return {"type": "response.incomplete", "sequence_number": 0, "response": response}


def _parts(script: Script) -> list[_Part]:
    summary = "response.reasoning_summary"
    content = "response.content_part"
    parts = (
        _Part(
            "summary_text", "text", f"{summary}_text", f"{summary}_part", "summary_index", script.reasoning
        ),
        _Part("refusal", "refusal", "response.refusal", content, "content_index", script.refusal),
        _Part("output_text", "text", "response.output_text", content, "content_index", script.text),
    )
    return [part for part in parts if part.text]


def _status(script: Script) -> str:
    return "completed" if script.finish_reason == "stop" else "incomplete"


def _response(script: Script, *, model: str, status: str, response_id: str = _ID) -> dict[str, object]:
    is_over = status in {"completed", "incomplete"}
    reason = script.finish_reason or ""
    return {
        "id": response_id,
        "object": "response",
        "created_at": 0,
        "status": status,
        "model": model,
        "error": None,
        "incomplete_details": {"reason": _INCOMPLETE.get(reason, reason)} if status == "incomplete" else None,
        "instructions": None,
        "metadata": {},
        "output": [part.item(number, part.text) for number, part in enumerate(_parts(script))]
        if is_over
        else [],
        "parallel_tool_calls": True,
        "tool_choice": "auto",
        "tools": [],
        "usage": _usage(script) if is_over else None,
    }


def _usage(script: Script) -> dict[str, object]:
    return {
        "input_tokens": script.input_tokens,
        "input_tokens_details": {
            "cached_tokens": script.cached_tokens,
            "cache_write_tokens": script.cache_write_tokens,
        },
        "output_tokens": script.output_tokens,
        "output_tokens_details": {"reasoning_tokens": script.reasoning_tokens},
        "total_tokens": script.input_tokens + script.output_tokens,
    }
