"""Parse a settings file to plain values and their lines.

The text may come from a repository, so it must neither crash the parser nor keep it busy.
"""

from __future__ import annotations

import re
import tomllib

from twospeed.errors import SettingsError

from .locate import Source, locate_keys

_PLACE = re.compile(r" \((?:at line (?P<line>\d+), column (?P<column>\d+)|at end of document)\)$")

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


def read_toml(text: str, *, name: str) -> tuple[dict[str, object], Source]:
    """Parse a settings file to its tables and the line of each key.

    Raises:
        SettingsError: The text is not TOML; names the line.
    """
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
    place = _PLACE.search(message)
    if place is None:
        return SettingsError(f"is not TOML: {message}", source=name)
    line = place["line"] or text.rstrip("\n").count("\n") + 1
    position = f"column {place['column']}" if place["column"] else "at the end of the file"
    what = message[: place.start()]
    return SettingsError(f"is not TOML: {what[:1].lower()}{what[1:]} ({position})", source=f"{name}:{line}")
