"""Mutations that no test can notice, because the program behaves the same: each with the reason.

One is found again by module, function, kind and text, wherever its line moves. What is performance alone counts as the
same behaviour; what a user, a client or a caller could tell does not belong here.
"""

from __future__ import annotations

from typing import NamedTuple


class Equivalent(NamedTuple):
    """A mutation of one function; every place in it with the same old and new text is meant."""

    module: str
    function: str
    kind: str
    old: str
    new: str
    reason: str


EQUIVALENT: list[Equivalent] = []
