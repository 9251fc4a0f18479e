"""Tell whether a text parses by Python's own parsers, for formats whose grammar is not installed: JSON and TOML.

Many files called JSON are JSON with comments (``tsconfig.json``, an editor's settings), so the old text says how strict
its format is: comments and trailing commas are errors only where it has none and its name does not allow them.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Sequence

from twospeed.text.globs import first_match_of_file

from .background import in_thread

MAX_CHARS = 1024 * 1024
"""A longer text is not parsed: the parsers keep the interpreter to themselves, some 10 ms for as much."""

_WITH_COMMENTS = (
    "tsconfig*.json",
    "jsconfig*.json",
    "settings.json",
    "keybindings.json",
    "launch.json",
    "tasks.json",
    "extensions.json",
    "devcontainer.json",
    ".eslintrc.json",
    "api-extractor.json",
    "*.code-workspace",
    "*.jsonc",
)

_STRING = r'"(?:[^"\\\n]++|\\.)*+"?'
_STRINGS_AND_COMMENTS = re.compile(rf"({_STRING})|//[^\n]*+|/\*.*?(?:\*/|\Z)", re.DOTALL)
_STRINGS_AND_LAST_COMMAS = re.compile(rf"({_STRING})|,(?=\s*+[\]}}])", re.DOTALL)


async def count_errors_by_library(
    before: Sequence[str], after: Sequence[str], language_id: str, path: str
) -> tuple[int | None, int | None]:
    """Count the syntax errors of a document before and after an edit, in a thread; no more than one each.

    Args:
        before: The document's lines, with their line ends.
        after: The lines with the edit.
        language_id: LSP language id.
        path: The document's path, or its name.

    Returns:
        The two counts; ``None`` for both where there is no parser for the language, or a text is too long.
    """
    if language_id not in ("json", "jsonc", "toml"):
        return None, None
    if any(sum(map(len, lines)) > MAX_CHARS for lines in (before, after)):
        return None, None
    return await in_thread(lambda: _count(before, after, language_id, path))


def _count(before: Sequence[str], after: Sequence[str], language_id: str, path: str) -> tuple[int, int]:
    old, new = ("".join(lines).removeprefix("\ufeff") for lines in (before, after))
    if language_id == "toml":
        return int(not _is_toml(old)), int(not _is_toml(new))
    is_strict = (
        language_id == "json"
        and not first_match_of_file(path, _WITH_COMMENTS)
        and (not old.strip() or _is_json(old))
    )
    reads = _is_json if is_strict else _is_json_with_comments
    return int(bool(old.strip()) and not reads(old)), int(bool(new.strip()) and not reads(new))


def _is_toml(text: str) -> bool:
    try:
        tomllib.loads(text.replace("\r\n", "\n"))
    except (ValueError, RecursionError):
        return False
    return True


def _is_json(text: str) -> bool:
    try:
        json.loads(text, parse_constant=_refuse)
    except (ValueError, RecursionError):
        return False
    return True


def _is_json_with_comments(text: str) -> bool:
    bare = _STRINGS_AND_COMMENTS.sub(lambda match: match[1] or " ", text)
    return _is_json(_STRINGS_AND_LAST_COMMAS.sub(lambda match: match[1] or "", bare))


def _refuse(constant: str) -> object:
    raise ValueError(constant)  # Python reads NaN, and JSON has none
