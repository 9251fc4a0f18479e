"""Validates the params of our own requests, and the arguments of commands."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

import orjson
from pydantic import BaseModel, ValidationError

from .error_codes import INVALID_PARAMS, RpcError

ModelT = TypeVar("ModelT", bound=BaseModel)

MAX_VALUES = 20_000
"""Values in params; pydantic creates an error of several hundred bytes for each invalid one."""


def validated(model: type[BaseModel], params: object, *, name: str = "params") -> BaseModel:
    """Validate params against a model; raises `RpcError` with the first invalid field, or ``name``."""
    if _count_values(params) > MAX_VALUES:
        raise RpcError(INVALID_PARAMS, f"{name}: more than {MAX_VALUES:,} values")
    try:
        body = orjson.dumps({} if params is None else params)
    except TypeError:  # orjson serializes at most 254 levels
        raise _too_deep(name) from None
    try:
        return model.model_validate_json(body)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        if first["type"] == "json_invalid":  # valid JSON, but pydantic parses at most 200 levels
            raise _too_deep(name) from None
        path = ".".join(str(part) for part in first["loc"]) or name
        raise RpcError(INVALID_PARAMS, f"{path}: {first['msg'][:1].lower()}{first['msg'][1:]}") from None


def single_argument(arguments: Sequence[object]) -> object:
    """Return the only argument of a command, or None; raises `RpcError` if there are more."""
    if len(arguments) > 1:
        raise RpcError(INVALID_PARAMS, "arguments: one at most")
    return arguments[0] if arguments else None


def parsed_argument(model: type[ModelT], arguments: Sequence[object]) -> ModelT:
    """Return the only argument of a command, validated against a model; raises `RpcError`."""
    params = validated(model, single_argument(arguments), name="arguments.0")
    assert isinstance(params, model)
    return params


def require_no_arguments(arguments: Sequence[object]) -> None:
    """Raise `RpcError` if a command has arguments."""
    if arguments:
        raise RpcError(INVALID_PARAMS, "arguments: this command takes none")


def edit_id_argument(arguments: Sequence[object]) -> str | None:
    """Return the id of an edit, the only argument of a command, or None; raises `RpcError`."""
    edit_id = single_argument(arguments)  # clients also write "no id" as null
    if edit_id is None or isinstance(edit_id, str):
        return edit_id
    raise RpcError(INVALID_PARAMS, "arguments.0: the id of an edit is a string")


def _count_values(value: object) -> int:
    count, level = 1, [value]
    while level and count <= MAX_VALUES:
        each = level.pop()
        within = each.values() if isinstance(each, dict) else each if isinstance(each, list) else ()
        count += len(within)
        level += [child for child in within if isinstance(child, (dict, list))]
    return count


def _too_deep(name: str) -> RpcError:
    return RpcError(INVALID_PARAMS, f"{name}: nested too deeply")
