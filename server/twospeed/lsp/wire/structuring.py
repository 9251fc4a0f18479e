"""Plain JSON values to lsprotocol's types, with bounded work for wrong ones.

cattrs' detailed validation makes an exception, with its traceback, for every wrong element of an array, and takes a
string for an array of characters: one message of 1 MB cost 47 s and 4 GB. Here the first error ends the reading, an
array has to be an array, and its length is limited. The wrong field is looked for only after an error.
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
"""Elements of one array: changes of a document, files that changed. A change takes some 25 microseconds to follow."""

_SEQUENCES = (collections.abc.Sequence, list, tuple)


@functools.cache
def shared_converter() -> cattrs.Converter:
    """Return the process's converter of lsprotocol's types, which stops at the first error.

    All connections share it. cattrs compiles a function for each type that it meets, which is 50 ms a converter, and
    keeps the sources of these functions in `linecache` for as long as the process runs.
    """
    made = converters.get_converter(cattrs.Converter(detailed_validation=False))
    made.register_structure_hook_factory(_is_sequence, _sequence_hook)
    made.register_structure_hook(str, _string)
    return made


def structured(converter: cattrs.Converter, method: str, params: object) -> Any:
    """Return the params of a method of LSP.

    Args:
        converter: As `shared_converter` returns it.
        method: A method that lsprotocol knows.
        params: Plain JSON values.

    Raises:
        RpcError: ``INVALID_PARAMS``; names the first wrong field by its path, and the type of the error.
    """
    message = types.METHOD_TO_TYPES[method][0]
    kind = attrs.fields_dict(attrs.resolve_types(message))["params"].type
    assert kind is not None
    try:
        return converter.structure(params, kind)
    except Exception as error:
        path = _wrong_path(converter, params, kind).lstrip(".") or "params"
        why = str(error) if isinstance(error, WrongShape) else type(error).__name__
        raise RpcError(INVALID_PARAMS, f"{path}: not as {method} wants it ({why})") from error


class WrongShape(TypeError):
    """A value is no array where one is wanted, or an array or object where none is, or an array is too long."""


def _is_sequence(kind: Any) -> bool:
    return get_origin(kind) in _SEQUENCES


def _sequence_hook(kind: Any, converter: cattrs.Converter) -> Callable[[object, Any], Sequence[Any]]:
    element = get_args(kind)[0]
    read = converter.get_structure_hook(element)

    def structure(value: object, _: Any) -> Sequence[Any]:
        if not isinstance(value, list):
            raise WrongShape("no array")
        if len(value) > MAX_ITEMS:
            raise WrongShape(f"more than {MAX_ITEMS:,} elements")
        return [read(each, element) for each in value]

    return structure


def _string(value: object, _: Any) -> str:
    if isinstance(value, (list, dict)):
        raise WrongShape("no string")
    return str(value)


def _wrong_path(converter: cattrs.Converter, value: object, kind: Any) -> str:
    """Return the path of the first part of a value that cannot be structured, as on the wire; it begins with a dot.

    Cost: each level of the type structures the parts before the wrong one again; there are at most ten levels.
    """

    def is_wrong(part: object, part_kind: Any) -> bool:
        try:
            converter.structure(part, part_kind)
        except Exception:  # noqa: BLE001 - whatever a hook of lsprotocol raises
            return True
        return False

    kind = _without_none(kind)
    if _is_sequence(kind) and isinstance(value, list) and len(value) <= MAX_ITEMS:
        element = get_args(kind)[0]
        for index, part in enumerate(value):
            if is_wrong(part, element):
                return f"[{index}]{_wrong_path(converter, part, element)}"
    if isinstance(kind, type) and attrs.has(kind) and isinstance(value, Mapping):
        for field in attrs.fields(attrs.resolve_types(kind)):
            name = _on_the_wire(field.name)
            if name in value and is_wrong(value[name], field.type):
                return f".{name}{_wrong_path(converter, value[name], field.type)}"
            if name not in value and field.default is attrs.NOTHING:
                return f".{name}"
    return ""


def _without_none(kind: Any) -> Any:
    """Return the only type of an optional one; a union of several as it is."""
    others = [each for each in get_args(kind) if each is not type(None)]
    return others[0] if get_origin(kind) is Union and len(others) == 1 else kind


def _on_the_wire(name: str) -> str:
    first, *others = name.rstrip("_").split("_")
    return first + "".join(each.capitalize() for each in others)
