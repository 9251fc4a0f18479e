"""Encode a script as Anthropic's Messages."""

from __future__ import annotations

from collections.abc import Iterator

from .script import Script, Step, event, steps_of

_STOP_REASONS = {"stop": "end_turn", "length": "max_tokens", "content_filter": "refusal"}
_DELTAS = {"thinking": "thinking_delta", "text": "text_delta"}


def streamed(script: Script, *, model: str) -> Iterator[Step]:
    """Return the events of a streamed answer, with its faults."""
    opened = {**_message(script, model), "content": [], "stop_reason": None, "usage": _usage(script, 1)}
    tokens: list[bytes] = []
    closing = b""
    for index, (kind, text) in enumerate(_parts(script)):
        opening = closing + _event("content_block_start", index=index, content_block=_block(kind, ""))
        for piece in script.pieces_of(text):
            delta = {"type": _DELTAS[kind], kind: piece}
            tokens.append(opening + _event("content_block_delta", index=index, delta=delta))
            opening = b""
        closing = _event("content_block_stop", index=index)
        if kind == "thinking":
            signature = {"type": "signature_delta", "signature": "scripted"}
            closing = _event("content_block_delta", index=index, delta=signature) + closing
    usage = {"output_tokens": script.output_tokens, "output_tokens_details": _details(script)}
    ending = (
        closing,
        _event("message_delta", delta={**_stop(script), "stop_sequence": None}, usage=usage),
        _event("message_stop"),
    )
    return steps_of(
        script, head=(_event("message_start", message=opened), _event("ping")), tokens=tokens, ending=ending
    )


def unstreamed(script: Script, *, model: str) -> dict[str, object]:
    """Return the answer as one JSON object."""
    blocks = [_block(kind, text) for kind, text in _parts(script)]
    usage = {**_usage(script, script.output_tokens), "output_tokens_details": _details(script)}
    return {**_message(script, model), "content": blocks, "usage": usage}


def error_event(message: str, *, kind: str = "api_error") -> bytes:
    """Return the event that reports a failure within an answer."""
    return _event("error", error={"type": kind, "message": message})


def invalid_request_error(message: str) -> dict[str, object]:
    """Return the body of the HTTP response 400 to an invalid request."""
    return {"type": "error", "error": {"type": "invalid_request_error", "message": message}}


def _event(name: str, **fields: object) -> bytes:
    return event({"type": name, **fields}, name=name)


def _parts(script: Script) -> list[tuple[str, str]]:
    return [(kind, text) for kind, text in (("thinking", script.reasoning), ("text", script.text)) if text]


def _block(kind: str, text: str) -> dict[str, str]:
    return {"type": kind, kind: text} | ({"signature": "scripted"} if kind == "thinking" and text else {})


def _message(script: Script, model: str) -> dict[str, object]:
    return {
        "id": "msg_scripted",
        "type": "message",
        "role": "assistant",
        "model": model,
        "stop_sequence": None,
        **_stop(script),
    }


def _stop(script: Script) -> dict[str, object]:
    if script.refusal:
        details = {"type": "refusal", "category": None, "explanation": script.refusal}
        return {"stop_reason": "refusal", "stop_details": details}
    return {"stop_reason": _STOP_REASONS.get(script.finish_reason or "", script.finish_reason)}


def _usage(script: Script, output_tokens: int) -> dict[str, object]:
    return {
        "input_tokens": script.input_tokens - script.cached_tokens - script.cache_write_tokens,
        "cache_creation_input_tokens": script.cache_write_tokens,
        "cache_read_input_tokens": script.cached_tokens,
        "output_tokens": output_tokens,
    }


def _details(script: Script) -> dict[str, int]:
    return {"thinking_tokens": script.reasoning_tokens}
