"""Converts plain JSON values to lsprotocol's types and back, with bounded work for invalid values.

cattrs' detailed validation creates an exception for every invalid element, and accepts a string as an array of characters:
a message of 1 MB took 47 s and 4 GB. So the first error ends the conversion, and arrays are checked and limited.
"""

from __future__ import annotations

import collections.abc
import functools
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Union, get_args, get_origin

import attrs
import cattrs
from lsprotocol import converters, types

from .error_codes import INVALID_PARAMS, RpcError

MAX_ITEMS = 20_000
"""Elements of one array, such as changes of a document; applying one takes about 25 microseconds."""

_SEQUENCES = (collections.abc.Sequence, list, tuple)


@functools.cache
def _converter() -> cattrs.Converter:
    # One for the process: cattrs compiles a function for each type, 50 ms a converter, and keeps their sources in
    # `linecache` until the process ends.
    converter = converters.get_converter(cattrs.Converter(detailed_validation=False))
    converter.register_structure_hook_factory(_is_sequence, _sequence_hook)
    converter.register_structure_hook(str, _string)
    return converter


def plain(value: object) -> Any:
    """Convert a value of lsprotocol to plain JSON."""
    return _converter().unstructure(value)


def structured(method: str, params: object) -> Any:
    """Convert the params of an LSP method; raises `RpcError` with the path of the first invalid field."""
    converter = _converter()
    message = types.METHOD_TO_TYPES[method][0]
    kind = attrs.fields_dict(attrs.resolve_types(message))["params"].type
    assert kind is not None
    try:
        return converter.structure(params, kind)
    except Exception as error:
        path = _invalid_path(converter, params, kind).lstrip(".") or "params"
        reason = str(error) if isinstance(error, _WrongShape) else type(error).__name__
        raise RpcError(INVALID_PARAMS, f"{path}: invalid for {method} ({reason})") from error


class _WrongShape(TypeError): ...


def _is_sequence(kind: Any) -> bool:
    return get_origin(kind) in _SEQUENCES


def _sequence_hook(kind: Any, converter: cattrs.Converter) -> Callable[[object, Any], Sequence[Any]]:
    element = get_args(kind)[0]
    read = converter.get_structure_hook(element)

    def structure(value: object, _: Any) -> Sequence[Any]:
        if not isinstance(value, list):
            raise _WrongShape("no array")
        if len(value) > MAX_ITEMS:
            raise _WrongShape(f"more than {MAX_ITEMS:,} elements")
        return [read(each, element) for each in value]

    return structure


def _string(value: object, _: Any) -> str:
    if isinstance(value, (list, dict)):
        raise _WrongShape("no string")
    return str(value)


def _invalid_path(converter: cattrs.Converter, value: object, kind: Any) -> str:
    # Such as `.range.start`. Each of at most ten levels structures the parts before the invalid one again.

    def is_invalid(part: object, part_kind: Any) -> bool:
        try:
            converter.structure(part, part_kind)
        except Exception:  # noqa: BLE001 - hooks of lsprotocol raise any exception
            return True
        return False

    kind = _without_none(kind)
    if _is_sequence(kind) and isinstance(value, list) and len(value) <= MAX_ITEMS:
        element = get_args(kind)[0]
        for index, part in enumerate(value):
            if is_invalid(part, element):
                return f"[{index}]{_invalid_path(converter, part, element)}"
    if isinstance(kind, type) and attrs.has(kind) and isinstance(value, Mapping):
        for field in attrs.fields(attrs.resolve_types(kind)):
            name = _wire_name(field.name)
            if name in value and is_invalid(value[name], field.type):
                return f".{name}{_invalid_path(converter, value[name], field.type)}"
            if name not in value and field.default is attrs.NOTHING:
                return f".{name}"
    return ""


def _without_none(kind: Any) -> Any:
    others = [each for each in get_args(kind) if each is not type(None)]
    return others[0] if get_origin(kind) is Union and len(others) == 1 else kind


def _wire_name(name: str) -> str:
    first, *others = name.rstrip("_").split("_")
    return first + "".join(each.capitalize() for each in others)
