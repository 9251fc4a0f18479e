"""Look at long scopes in a thread: what is found there is kept, and the event loop asks for it without waiting."""

from __future__ import annotations

from twospeed.aio import in_thread
from twospeed.text.code.scope import Scope
from twospeed.text.line_blocks import Lines

from .definitions.symbols import names_used_fully
from .facts import are_facts_at_hand, gather_facts
from .scopes.scope_code import scope_code_fully

MAX_LINES_AT_ONCE = 500
"""Of a scope that `scope_code` and `names_used` look at on the event loop, in 4 ms."""


async def wait_for_scope_code(lines: Lines, language_id: str, start: int, end: int) -> None:
    """Wait until `scope_code` knows what stands in some lines; it answers at once then."""
    if end - start > MAX_LINES_AT_ONCE:
        await in_thread(lambda: scope_code_fully(lines, language_id, start, end))


async def wait_for_facts(lines: Lines, language_id: str, scope: Scope) -> None:
    """Wait until `code_facts` knows a scope; it answers at once then."""
    if not are_facts_at_hand(lines, language_id, scope):
        await in_thread(lambda: gather_facts(lines, language_id, scope))


async def wait_for_names(lines: Lines, language_id: str, start: int, end: int) -> None:
    """Wait until `names_used` knows the names in some lines; it answers at once then."""
    if end - start > MAX_LINES_AT_ONCE:
        await in_thread(lambda: names_used_fully(lines, language_id, start, end))
