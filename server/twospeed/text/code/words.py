"""Cut names of code into the words they are made of."""

from __future__ import annotations

import re

_NAME = re.compile(r"[^\W\d]\w*")
_WORD = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+\d*|[A-Z]+\d*|[^\W\d_a-zA-Z]+\d*")


def names_in(code: str) -> list[str]:
    """List the names and keywords of a line of code, in order."""
    return _NAME.findall(code)


def words_of(name: str) -> list[str]:
    """Cut a name at underscores and where capitals begin: ``verifySSLCert`` is ``verify``, ``ssl``, ``cert``."""
    return [word.lower() for word in _WORD.findall(name)]
