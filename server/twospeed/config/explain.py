"""Convert pydantic's errors to one sentence that names the place and the expected value.

A value is never quoted, because it may be a key.
"""

from __future__ import annotations

import difflib
from collections.abc import Collection
from types import NoneType
from typing import get_args

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from twospeed.errors import SettingsError

from .toml_file import KeyPath, Source

_SENTENCES = {
    "bool_type": "must be true or false",
    "dict_type": "must be a table",
    "finite_number": "must be a finite number",
    "float_type": "must be a number",
    "greater_than": "must be more than {gt:g}",
    "greater_than_equal": "must be at least {ge:g}",
    "int_from_float": "must be a whole number",
    "int_type": "must be a whole number",
    "less_than_equal": "must be at most {le:.0f}",
    "list_type": "must be a list",
    "missing": "is missing",
    "model_type": "must be a table",
    "string_too_long": "must be at most {max_length} characters long",
    "string_too_short": "must not be empty",
    "string_type": "must be a string",
    "too_long": "must have at most {max_length} entries",
    "too_short": "must not be empty",
    "value_error": "{error}",
}


def settings_error(
    error: ValidationError, *, source: Source, table: type[BaseModel], elsewhere: str = ""
) -> SettingsError:
    """Return the error for the first problem in the file.

    ``elsewhere`` is half a sentence that says where a key belongs that ``table`` does not allow.
    """
    details = error.errors()
    first = min(details, key=lambda each: source.line_of(_path(each)) or 0)
    path = _path(first)
    if first["type"] == "extra_forbidden":
        return source.error(path, _unknown(path, table, elsewhere if len(path) == 1 else ""))
    return source.error(path, _sentence(first) + _list_hint(first, path, table))


def nearest(name: str, known: Collection[str]) -> str | None:
    """Return the known name that was probably meant."""
    matches = difflib.get_close_matches(name[:100], known, cutoff=0.5)
    return matches[0] if matches else None


def did_you_mean(name: str, known: Collection[str]) -> str:
    """Suggest the name that was probably meant, or list all names."""
    meant = nearest(name, known)
    verb = "is" if len(known) == 1 else "are"
    return f'did you mean "{meant}"?' if meant else f"there {verb} {_listed(sorted(known))}"


def _listed(names: Collection[str]) -> str:
    *most, last = names or ["none"]
    return f"{', '.join(most)} and {last}" if most else last


def _path(detail: ErrorDetails) -> KeyPath:
    # pydantic appends "[key]" if the key of a mapping is invalid.
    return tuple(part for part in detail["loc"] if part != "[key]")


def _sentence(detail: ErrorDetails) -> str:
    context = detail.get("ctx", {})
    if detail["type"] == "literal_error":
        expected = str(context["expected"])  # 'a', 'b' or 'c'
        return "must be " + expected.replace("'", '"')
    return _SENTENCES.get(detail["type"], "is not valid").format_map(context)


def _list_hint(detail: ErrorDetails, path: KeyPath, table: type[BaseModel]) -> str:
    # One table was written instead of a list of tables.
    is_one = detail["type"] == "list_type" and isinstance(detail["input"], dict)
    holds_tables = _table_at(path, table) is not _table_at(path[:-1], table)
    return f"; write [[{'.'.join(map(str, path))}]]" if is_one and holds_tables else ""


def _unknown(path: KeyPath, table: type[BaseModel], elsewhere: str) -> str:
    known = list(_table_at(path[:-1], table).model_fields)
    if elsewhere:
        meant = nearest(str(path[-1]), known)
        hint = f' (did you mean "{meant}"?)' if meant else ""
        return f"is not allowed here{hint}; {elsewhere}"
    return f"unknown key; {did_you_mean(str(path[-1]), known)}"


def _table_at(path: KeyPath, table: type[BaseModel]) -> type[BaseModel]:
    for part in path:
        if isinstance(part, str) and part in table.model_fields:
            table = _table_in(table.model_fields[part].annotation) or table
    return table


def _table_in(annotation: object) -> type[BaseModel] | None:
    # The forms are ``Table``, ``list[Table]``, ``dict[str, Table]`` and an optional one.
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return annotation
    inner = (_table_in(each) for each in get_args(annotation) if each is not NoneType)
    return next((each for each in inner if each), None)
