"""Recognize that a line above code names another file than the document."""

from __future__ import annotations

import re

_BETWEEN_NAMES = re.compile(r"[^\w.-]")


def names_other_file(text: str, file_name: str) -> bool:
    """Whether a text names a file of the document's kind, and not the document."""
    _, dot, suffix = file_name.rpartition(".")
    if not dot:
        return False
    names = {name.rstrip(".") for name in _BETWEEN_NAMES.split(text)}
    return file_name not in names and any(name.endswith(dot + suffix) for name in names)
