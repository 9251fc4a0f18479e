"""Analyse long scopes in a thread. The results are cached, so the event loop gets them without waiting."""

from __future__ import annotations

from twospeed.aio import in_thread
from twospeed.text.line_blocks import Lines

from .definitions.symbols import names_used_fully
from .scopes.scope_code import scope_code_fully

MAX_LINES_AT_ONCE = 500
"""Longest scope that `scope_code` and `names_used` analyse on the event loop, in 4 ms."""


async def wait_for_scope_code(lines: Lines, language_id: str, start: int, end: int) -> None:
    """Wait until `scope_code` can return a cached result for some lines."""
    if end - start > MAX_LINES_AT_ONCE:
        await in_thread(lambda: scope_code_fully(lines, language_id, start, end))


async def wait_for_names(lines: Lines, language_id: str, start: int, end: int) -> None:
    """Wait until `names_used` can return a cached result for some lines."""
    if end - start > MAX_LINES_AT_ONCE:
        await in_thread(lambda: names_used_fully(lines, language_id, start, end))
