"""Makes untrusted text safe for a terminal.

Escape sequences could repaint the screen, and invisible characters falsify a diff (Trojan Source, CVE-2021-42574).
"""

from __future__ import annotations

import os
import re
import sys
from typing import IO, AnyStr

from twospeed.errors import TwospeedError

_UNSAFE = re.compile(
    "[\x00-\x08\x0a-\x1f\x7f-\x9f"  # C0 but tab, DEL, C1
    "\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb"  # bidi, zero width, separators
    "\ud800-\udfff\U000e0000-\U000e0fff]"  # surrogates, tags and the supplementary variation selectors
)


def visible(text: str) -> str:
    r"""Show control and invisible characters but tabs as escapes such as ``\x1b``."""
    return _UNSAFE.sub(lambda found: _escape(found[0]), text)


def one_line(text: str, limit: int = 500) -> str:
    """Format a message as one safe line of at most ``limit`` characters."""
    line = visible(" ".join(text.split()))
    return line if len(line) <= limit else line[: limit - 1] + "…"


def complain(message: str) -> None:
    """Print a message as one line on stderr."""
    print(f"twospeed: {one_line(message)}", file=sys.stderr, flush=True)  # noqa: T201  # output of the command


def write_out(output: IO[AnyStr], text: AnyStr) -> None:
    """Write and flush; ignore a closed pipe (``| head``), raise `TwospeedError` for another failure."""
    try:
        output.write(text)
        output.flush()
    except OSError as error:
        os.dup2(os.open(os.devnull, os.O_WRONLY), output.fileno())  # Python flushes its buffer again at exit
        if not isinstance(error, BrokenPipeError):
            raise TwospeedError(f"the output cannot be written: {error.strerror}") from error


def _escape(character: str) -> str:
    return character.encode("unicode_escape", "surrogatepass").decode("ascii")
