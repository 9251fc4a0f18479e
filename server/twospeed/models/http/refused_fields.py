"""Leave out of a request what its endpoint has refused, when a request can do without. No I/O.

There is no list of who takes what, nor of phrases: an optional field that an error names is left out from then on, for
that model at that endpoint. An error names a field in ``param`` (OpenAI), in the ``loc`` of a ``detail`` (FastAPI), or
in its sentence: in quotes, or as a word that no sentence holds by chance, since it has an underscore.
Never left out: ``store``, without which a provider would keep the code.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from typing import Final

import orjson

from twospeed.models.codecs.decoder import fields_of

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
}
"""By protocol: the fields a request can do without, and what stands in the place of one; ``None`` where nothing does."""

EFFORT: Final = frozenset({"reasoning_effort", "reasoning", "thinking", "output_config"})
"""Those that say how much to think: where the user has said so, an error is better than less of it."""

REFUSES: Final = frozenset({400, 422})
"""The statuses that mean the request, and not who asks or how often."""

_MAX_LOOKED_AT_CHARS = 4096


class RefusedFields:
    """What each model at each endpoint has refused, for as long as a server runs."""

    def __init__(self) -> None:
        self._refused: dict[str, frozenset[str]] = {}

    def without(self, where: str, api: str, body: bytes) -> bytes:
        """Write a request's body without what was refused.

        Args:
            where: Names the model and its endpoint.
            api: Its protocol.
            body: As it would be sent; a JSON object.
        """
        refused = self._refused.get(where)
        return _without(body, OPTIONAL[api], refused) if refused else body

    def learn(
        self, where: str, api: str, body: bytes, page: object, *, kept: Collection[str] = ()
    ) -> bytes | None:
        """Learn from an error.

        Args:
            where: As `without`.
            api: Its protocol.
            body: What was sent.
            page: What it was answered, as parsed JSON.
            kept: Fields that are not to be left out.

        Returns:
            The body to send now; ``None`` where the error names nothing that this request could do without.
        """
        optional, sent = OPTIONAL[api], fields_of(orjson.loads(body))
        before = self._refused.get(where, frozenset())
        fields = [
            field
            for field, other in optional.items()
            if field in sent and field not in kept and (other is None or other not in before)
        ]
        if not (named := _named_in(page, fields)):
            return None
        self._refused[where] = before | named
        return _without(body, optional, named)


def _without(body: bytes, optional: Mapping[str, str | None], refused: Collection[str]) -> bytes:
    asked = fields_of(orjson.loads(body))
    for field in refused:
        if field in asked:
            value, other = asked.pop(field), optional[field]
            if other is not None:
                asked[other] = value
    return orjson.dumps(asked)


def _named_in(page: object, fields: Collection[str]) -> frozenset[str]:
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
    said = next(
        (each for each in (fields_of(error).get("message"), error, detail) if isinstance(each, str)), ""
    )
    return frozenset(field for field in fields if _names(said[:_MAX_LOOKED_AT_CHARS], field))


def _names(sentence: str, field: str) -> bool:
    quoted = rf"""(["'`]){field}(?:\.\w+)*\1"""
    return bool(re.search(quoted if "_" not in field else rf"(?<!\w){field}(?!\w)", sentence))
