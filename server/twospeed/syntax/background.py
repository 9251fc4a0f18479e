"""Parse and analyse long documents in daemon threads, so that typing is not delayed.

One thread parses a document at a time. A later version is parsed next, from the new tree.
"""

from __future__ import annotations

import asyncio
import contextlib
import threading
from typing import TypeVar
from weakref import WeakValueDictionary

from twospeed.aio import in_thread
from twospeed.text.line_blocks import Lines

from .definitions.symbols import are_symbols_ready, cache_symbols, names_used_fully
from .scopes.scope_code import scope_code_fully
from .trees.trees import being_parsed, has_shifted_tree, is_tree_ready, parse_fully

WAIT_S = 0.1
"""Seconds that a request waits for the first tree of a document. Users perceive this as immediate."""

WAIT_FOLLOWED_S = 0.04
"""Seconds that it waits for the tree of a changed document, before it uses the previous tree."""

ResultT = TypeVar("ResultT")


class _ParseQueue:
    """The parse queue of one document.

    Attributes:
        ahead: The newest version that no thread has started to parse, with its language id.
    """

    __slots__ = ("__weakref__", "ahead", "is_parsing_ahead", "lock")

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.ahead: tuple[str, Lines] | None = None
        self.is_parsing_ahead = False


_queues: WeakValueDictionary[object, _ParseQueue] = WeakValueDictionary()
_queues_lock = threading.Lock()


async def wait_for_tree(language_id: str, lines: Lines, *, limit_s: float | None = None) -> bool:
    """Wait until `trees.parse` has the tree of a document, by default `WAIT_S` or `WAIT_FOLLOWED_S`.

    Returns whether there is a tree of this or an earlier version.
    """
    if is_tree_ready(language_id, lines):
        return True
    can_follow = has_shifted_tree(language_id, lines)
    if limit_s is None:
        limit_s = WAIT_FOLLOWED_S if can_follow else WAIT_S
    try:
        async with asyncio.timeout(limit_s):
            await in_thread(lambda: _parse_in_order(language_id, lines))
    except TimeoutError:
        return can_follow
    return True


async def wait_for_symbols(language_id: str, lines: Lines) -> None:
    """Wait until `symbols.symbols_of` has the definitions of a long document, at most `WAIT_S`."""
    if not are_symbols_ready(language_id, lines):
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(WAIT_S):
                await in_thread(lambda: cache_symbols(language_id, lines))


def start_parsing(language_id: str, lines: Lines) -> None:
    """Start to parse a document that will be needed soon. Only its newest version is parsed."""
    queue = _queue_of(lines)
    with _queues_lock:
        queue.ahead = language_id, lines
        if queue.is_parsing_ahead:
            return
        queue.is_parsing_ahead = True
    threading.Thread(target=_parse_ahead, args=(queue,), name="parse ahead", daemon=True).start()


def _parse_ahead(queue: _ParseQueue) -> None:
    while True:
        with _queues_lock:
            if queue.ahead is None:
                queue.is_parsing_ahead = False
                return
            (language_id, lines), queue.ahead = queue.ahead, None
        with contextlib.suppress(Exception):  # an edit that needs the tree reports the error
            _parse_in_order(language_id, lines)
            cache_symbols(language_id, lines)


def _queue_of(lines: Lines) -> _ParseQueue:
    with _queues_lock:  # otherwise two threads could create two queues
        return _queues.setdefault(lines.family, _ParseQueue())


def _parse_in_order(language_id: str, lines: Lines) -> None:
    queue = _queue_of(lines)
    with being_parsed(lines), queue.lock:
        parse_fully(language_id, lines)


MAX_LINES_AT_ONCE = 500
"""Longest scope that `scope_code` and `names_used` analyse on the event loop, in 4 ms."""


async def wait_for_scope_code(lines: Lines, language_id: str, start: int, end: int) -> None:
    """Wait until `scope_code` has a cached result for some lines."""
    if end - start > MAX_LINES_AT_ONCE:
        await in_thread(lambda: scope_code_fully(lines, language_id, start, end))


async def wait_for_names(lines: Lines, language_id: str, start: int, end: int) -> None:
    """Wait until `names_used` has a cached result for some lines."""
    if end - start > MAX_LINES_AT_ONCE:
        await in_thread(lambda: names_used_fully(lines, language_id, start, end))
