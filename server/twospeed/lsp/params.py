"""Check the params of our own requests."""

from __future__ import annotations

import orjson
from pydantic import BaseModel, ValidationError

from .error_codes import INVALID_PARAMS, RpcError


def validated(model: type[BaseModel], params: object) -> BaseModel:
    """Check parameters against a model.

    Raises:
        RpcError: ``INVALID_PARAMS``, naming the first field that is wrong.
    """
    try:
        return model.model_validate_json(orjson.dumps({} if params is None else params))
    except TypeError:  # it writes no more than 254 levels
        raise RpcError(INVALID_PARAMS, "params: nested too deeply") from None
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        place = ".".join(str(part) for part in first["loc"]) or "params"
        raise RpcError(INVALID_PARAMS, f"{place}: {first['msg'][:1].lower()}{first['msg'][1:]}") from None
