"""Look at long scopes in a thread: what is found there is kept, and the event loop asks for it without waiting."""

from __future__ import annotations

from twospeed.aio import in_thread
from twospeed.text.line_blocks import Lines

from .definitions.symbols import names_used_fully
from .scopes.scope_code import scope_code_fully

MAX_LINES_AT_ONCE = 500
"""Of a scope that `scope_code` and `names_used` look at on the event loop, in 4 ms."""


async def wait_for_scope_code(lines: Lines, language_id: str, start: int, end: int) -> None:
    """Wait until `scope_code` knows what stands in some lines; it answers at once then."""
    if end - start > MAX_LINES_AT_ONCE:
        await in_thread(lambda: scope_code_fully(lines, language_id, start, end))


async def wait_for_names(lines: Lines, language_id: str, start: int, end: int) -> None:
    """Wait until `names_used` knows the names in some lines; it answers at once then."""
    if end - start > MAX_LINES_AT_ONCE:
        await in_thread(lambda: names_used_fully(lines, language_id, start, end))
