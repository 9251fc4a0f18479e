"""Split names in code into words."""

from __future__ import annotations

import re

_NAME = re.compile(r"[^\W\d]\w*")
_WORD = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+\d*|[A-Z]+\d*|[^\W\d_a-zA-Z]+\d*")


def names_in(code: str) -> list[str]:
    """Return the names and keywords of a line of code, in order."""
    return _NAME.findall(code)


def words_of(name: str) -> list[str]:
    """Split a name at underscores and capitals: ``verifySSLCert`` becomes ``verify``, ``ssl``, ``cert``."""
    return [word.lower() for word in _WORD.findall(name)]
