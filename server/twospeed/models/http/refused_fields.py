"""Omit optional request fields that a model at an endpoint has refused before. No I/O."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from typing import Final

import orjson

from twospeed.models.codecs.decoder import fields_of

# By protocol: each optional field and its replacement, or None.
# `store` is missing here: without it a provider would keep the code.
OPTIONAL: Final[Mapping[str, Mapping[str, str | None]]] = {
    "chat": {
        "prediction": None,
        "stream_options": None,
        "reasoning_effort": None,
        "max_tokens": "max_completion_tokens",
        "max_completion_tokens": "max_tokens",
    },
    "responses": {"prompt_cache_key": None, "reasoning": None},
    "messages": {"thinking": None, "output_config": None},
    "completions": {"stream_options": None, "stop": None, "temperature": None},
}

# Fields of the reasoning effort. If the user set the effort, an error is better than ignoring it.
EFFORT: Final = frozenset({"reasoning_effort", "reasoning", "thinking", "output_config"})

# HTTP statuses that refuse the content of a request.
REFUSES: Final = frozenset({400, 422})

_MAX_SCANNED_CHARS = 4096


class RefusedFields:
    """The fields that each model at each endpoint has refused, until the server ends."""

    def __init__(self) -> None:
        self._refused: dict[str, frozenset[str]] = {}

    def without(self, model_key: str, api: str, body: bytes) -> bytes:
        """Return the body without refused fields."""
        refused = self._refused.get(model_key)
        return _without(body, OPTIONAL[api], refused) if refused else body

    def learn(
        self, model_key: str, api: str, body: bytes, page: object, *, kept: Collection[str] = ()
    ) -> bytes | None:
        """Record the field that an error names, and return the body to send now; None without such a field."""
        optional, sent = OPTIONAL[api], fields_of(orjson.loads(body))
        before = self._refused.get(model_key, frozenset())
        fields = [
            field
            for field, other in optional.items()
            if field in sent and field not in kept and (other is None or other not in before)
        ]
        if not (named := _named_in(page, fields)):
            return None
        self._refused[model_key] = before | named
        return _without(body, optional, named)


def _without(body: bytes, optional: Mapping[str, str | None], refused: Collection[str]) -> bytes:
    sent = fields_of(orjson.loads(body))
    for field in refused:
        if field in sent:
            value, other = sent.pop(field), optional[field]
            if other is not None:
                sent[other] = value
    return orjson.dumps(sent)


def _named_in(page: object, fields: Collection[str]) -> frozenset[str]:
    # OpenAI names the field in `param`, FastAPI in the `loc` of a `detail`, others only in the message: in quotes, or
    # as a word with an underscore.
    answer = fields_of(page)
    error = answer.get("error", answer)
    if isinstance(param := fields_of(error).get("param"), str) and param:
        return frozenset({re.split(r"[.\[]", param, maxsplit=1)[0]} & {*fields})
    detail = answer.get("detail")
    if isinstance(detail, list):
        places = [fields_of(each).get("loc") for each in detail]
        return frozenset(
            field for field in fields if any(isinstance(place, list) and field in place for place in places)
        )
    message = next(
        (each for each in (fields_of(error).get("message"), error, detail) if isinstance(each, str)), ""
    )
    return frozenset(field for field in fields if _names(message[:_MAX_SCANNED_CHARS], field))


def _names(sentence: str, field: str) -> bool:
    quoted = rf"""(["'`]){field}(?:\.\w+)*\1"""
    return bool(re.search(quoted if "_" not in field else rf"(?<!\w){field}(?!\w)", sentence))
