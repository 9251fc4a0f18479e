"""Find the line of each key in a TOML file, for errors.

`tomllib` returns values without positions. It has already parsed the text, so this scans valid TOML for table
headers and keys and skips values. A key inside a list or inline table gets the line where that begins.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field

from twospeed.errors import SettingsError

KeyPath = tuple[str | int, ...]
"""Keys from the top down; a number is an index of an array of tables or of a list, from 0."""

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
    """A file with its lines, or a message of the editor.

    Attributes:
        name: The file's path or the message's name, for errors.
        lines: Line of each key, from 1; empty for a message.
    """

    name: str
    lines: Mapping[KeyPath, int] = field(default_factory=dict)

    def line_of(self, path: KeyPath) -> int | None:
        """Return the line of a key, or of the nearest table around it."""
        for length in range(len(path), 0, -1):
            if (line := self.lines.get(path[:length])) is not None:
                return line
        return None

    def error(self, path: KeyPath, message: str) -> SettingsError:
        """Create the error for a key, with file, line and key."""
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


def locate_keys(text: str) -> dict[KeyPath, int]:
    """Return the line, from 1, of every table and key in TOML that `tomllib` accepts.

    Each prefix of a dotted key has the line of its first occurrence.
    """
    lines: dict[KeyPath, int] = {}
    n_tables: dict[KeyPath, int] = {}
    table: KeyPath = ()
    line, offset = 1, 0
    while offset < len(text):
        if header := _HEADER.match(text, offset):
            table = _table_path(_parts(header["key"]), n_tables, is_array=header["open"] == "[[")
            _note(lines, table, line)
            end = _end_of_value(text, header.end())
        elif key := _KEY_VALUE.match(text, offset):
            _note(lines, (*table, *_parts(key["key"])), line)
            end = _end_of_value(text, key.end())
        else:
            end = text.find("\n", offset) + 1 or len(text)
        line += text.count("\n", offset, end)
        offset = end
    return lines


def _note(lines: dict[KeyPath, int], path: KeyPath, line: int) -> None:
    for index in range(len(path)):
        lines.setdefault(path[: index + 1], line)


def _parts(key: str) -> tuple[str, ...]:
    """Split a dotted key; `tomllib` handles quotes and escapes."""
    parts: list[str] = []
    table: object = tomllib.loads(f"{key} = 0")
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
