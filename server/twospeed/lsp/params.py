"""Check the params of our own requests."""

from __future__ import annotations

import orjson
from pydantic import BaseModel, ValidationError

from .error_codes import INVALID_PARAMS, RpcError


def validated(model: type[BaseModel], params: object, *, name: str = "params") -> BaseModel:
    """Check parameters against a model.

    Args:
        model: What they should be.
        params: What they are.
        name: What to call them where they are wrong as a whole.

    Raises:
        RpcError: ``INVALID_PARAMS``, naming the first field that is wrong.
    """
    try:
        return model.model_validate_json(orjson.dumps({} if params is None else params))
    except TypeError:  # orjson writes no more than 254 levels
        raise _too_deep(name) from None
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        if first["type"] == "json_invalid":  # though orjson wrote it: pydantic reads no more than 200 levels
            raise _too_deep(name) from None
        place = ".".join(str(part) for part in first["loc"]) or name
        raise RpcError(INVALID_PARAMS, f"{place}: {first['msg'][:1].lower()}{first['msg'][1:]}") from None


def _too_deep(name: str) -> RpcError:
    return RpcError(INVALID_PARAMS, f"{name}: nested too deeply")
