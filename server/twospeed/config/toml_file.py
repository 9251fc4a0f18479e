"""Parse a settings file to plain values and the line of each key, which `tomllib` does not return.

The text may come from a repository, so it must neither crash the parser nor keep it busy.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field

from twospeed.errors import SettingsError

# Keys from the top down; a number is an index of a list or an array of tables, from 0.
KeyPath = tuple[str | int, ...]

_SYNTAX_ERROR_POSITION = re.compile(
    r" \((?:at line (?P<line>\d+), column (?P<column>\d+)|at end of document)\)$"
)

# `tomllib` takes quadratic time and memory in the parts of a dotted key; no setting has more than four.
# Strings and comments are skipped, unless a string is the first part of such a key.
_MAX_DOTS = 32
_DEEP_KEY = re.compile(
    r"""(?:"{3}(?:\\.|[^\\])*?"{3,5})|(?:'{3}.*?'{3,5})|\#[^\n]*"""
    r"""|(?P<deep>(?<![A-Za-z0-9_-])"""
    rf"""(?:(?:[A-Za-z0-9_-]++|"(?:\\.|[^"\\\n])*"|'[^'\n]*')[ \t]*\.[ \t]*){{{_MAX_DOTS}}})"""
    r"""|"(?:\\.|[^"\\\n])*"|'[^'\n]*'""",
    re.DOTALL,
)

_PART = r"""(?:[A-Za-z0-9_-]+|"(?:\\.|[^"\\\n])*"|'[^'\n]*')"""
_KEY = rf"{_PART}(?:[ \t]*\.[ \t]*{_PART})*"
_HEADER = re.compile(rf"[ \t]*(?P<open>\[\[?)[ \t]*(?P<key>{_KEY})[ \t]*\]")
_KEY_VALUE = re.compile(rf"[ \t]*(?P<key>{_KEY})[ \t]*=")
_VALUE_PIECE = re.compile(
    r"""(?:"{3}(?:\\.|[^\\])*?"{3,5})|(?:'{3}.*?'{3,5})"""
    r"""|"(?:\\.|[^"\\\n])*"|'[^'\n]*'|\#[^\n]*|[\[\]{}\n]""",
    re.DOTALL,
)
_BARE = re.compile(r"[A-Za-z0-9_-]+")
_MAX_KEY_CHARS = 60


@dataclass(frozen=True, slots=True)
class Source:
    """A settings file or a message of the editor, by its name in errors."""

    name: str
    lines: Mapping[KeyPath, int] = field(default_factory=dict)  # from 1; empty for a message

    def line_of(self, path: KeyPath) -> int | None:
        """Return the line of a key, or of the nearest table around it."""
        for length in range(len(path), 0, -1):
            if (line := self.lines.get(path[:length])) is not None:
                return line
        return None

    def error(self, path: KeyPath, message: str) -> SettingsError:
        """Return the error for a key, with file, line and key."""
        line = self.line_of(path)
        place = self.name if line is None else f"{self.name}:{line}"
        return SettingsError(message, source=place, key=dotted(path))


def dotted(path: KeyPath) -> str:
    """Format a key as TOML, ``lanes.deep[0].provider``; an unusual name is quoted, ASCII and truncated."""
    text = ""
    for part in path:
        if isinstance(part, int):
            text += f"[{part}]"
            continue
        name = part if len(part) <= _MAX_KEY_CHARS else part[:_MAX_KEY_CHARS] + "…"
        text += ("." if text else "") + (part if part == name and _BARE.fullmatch(part) else ascii(name))
    return text


def read_toml(text: str, *, name: str) -> tuple[dict[str, object], Source]:
    """Parse a settings file; raises SettingsError with the line if the text is not TOML."""
    text = text.removeprefix("\ufeff")
    if deep := next((found for found in _DEEP_KEY.finditer(text) if found["deep"]), None):
        line = text.count("\n", 0, deep.end()) + 1
        raise SettingsError("a key with more than 32 parts is not a setting", source=f"{name}:{line}")
    try:
        return tomllib.loads(text), Source(name, locate_keys(text))
    except tomllib.TOMLDecodeError as error:
        raise _syntax_error(str(error), text, name) from None
    except RecursionError:
        raise SettingsError("lists or tables are nested too deeply", source=name) from None
    except ValueError:  # an integer with more digits than Python parses
        raise SettingsError("a number is too long", source=name) from None


def _syntax_error(message: str, text: str, name: str) -> SettingsError:
    match = _SYNTAX_ERROR_POSITION.search(message)
    if match is None:
        return SettingsError(f"is not TOML: {message}", source=name)
    line = match["line"] or text.rstrip("\n").count("\n") + 1
    position = f"column {match['column']}" if match["column"] else "at the end of the file"
    what = message[: match.start()]
    return SettingsError(f"is not TOML: {what[:1].lower()}{what[1:]} ({position})", source=f"{name}:{line}")


def locate_keys(text: str) -> dict[KeyPath, int]:
    """Return the line, from 1, of every table and key in TOML that `tomllib` accepts.

    A key inside a list or an inline table has the line where that begins.
    """
    lines: dict[KeyPath, int] = {}
    n_tables: dict[KeyPath, int] = {}
    table: KeyPath = ()
    line, offset = 1, 0
    while offset < len(text):
        if header := _HEADER.match(text, offset):
            table = _table_path(_parts(header["key"]), n_tables, is_array=header["open"] == "[[")
            _record(lines, table, line)
            end = _end_of_value(text, header.end())
        elif key := _KEY_VALUE.match(text, offset):
            _record(lines, (*table, *_parts(key["key"])), line)
            end = _end_of_value(text, key.end())
        else:
            end = text.find("\n", offset) + 1 or len(text)
        line += text.count("\n", offset, end)
        offset = end
    return lines


def _record(lines: dict[KeyPath, int], path: KeyPath, line: int) -> None:
    for index in range(len(path)):
        lines.setdefault(path[: index + 1], line)


def _parts(key: str) -> tuple[str, ...]:
    parts: list[str] = []
    table: object = tomllib.loads(f"{key} = 0")  # it splits the key and resolves quotes and escapes
    while isinstance(table, dict):
        [(part, table)] = table.items()
        parts.append(part)
    return tuple(parts)


def _table_path(parts: tuple[str, ...], n_tables: dict[KeyPath, int], *, is_array: bool) -> KeyPath:
    path: KeyPath = ()
    for part in parts[:-1]:
        path = (*path, part)
        if path in n_tables:
            path = (*path, n_tables[path] - 1)
    path = (*path, parts[-1])
    if not is_array:
        return path
    n_tables[path] = n_tables.get(path, 0) + 1
    return (*path, n_tables[path] - 1)


def _end_of_value(text: str, offset: int) -> int:
    """Return the offset after the line on which the value at ``offset`` ends."""
    depth = 0
    for piece in _VALUE_PIECE.finditer(text, offset):
        match piece[0]:
            case "[" | "{":
                depth += 1
            case "]" | "}":
                depth -= 1
            case "\n" if depth <= 0:
                return piece.end()
            case _:
                pass
    return len(text)
