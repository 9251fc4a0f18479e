"""Parse large documents in threads, so that nobody waits for a tree who has typing to follow.

One thread a document at a time; a version that is asked for meanwhile is parsed after it, from the tree it made.
Threads are daemons: a parse must not keep the process alive.
"""

from __future__ import annotations

import asyncio
import contextlib
import threading
from typing import TypeVar
from weakref import WeakValueDictionary

from twospeed.aio import in_thread
from twospeed.text.line_blocks import Lines

from .definitions.symbols import are_symbols_at_hand, list_ahead
from .trees.trees import being_parsed, can_be_followed, is_at_hand, parse_fully

WAIT_S = 0.1
"""How long a request waits for a document's first tree before it goes on without: what a person takes for "at once"."""

WAIT_FOLLOWED_S = 0.04
"""How long it waits for the tree of a changed document; then the one before the change does."""

ResultT = TypeVar("ResultT")


class _Turn:
    """Whose turn it is to parse a document.

    Attributes:
        lock: Held by the thread that parses.
        ahead: The newest version that is to be parsed ahead and that no thread has begun, with its language id.
        is_parsing_ahead: Whether a thread parses ahead.
    """

    __slots__ = ("__weakref__", "ahead", "is_parsing_ahead", "lock")

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.ahead: tuple[str, Lines] | None = None
        self.is_parsing_ahead = False


_turns: WeakValueDictionary[object, _Turn] = WeakValueDictionary()
_turns_lock = threading.Lock()


async def wait_for_tree(language_id: str, lines: Lines, *, limit_s: float | None = None) -> bool:
    """Wait until `trees.parse` has a document's tree at hand, or can say for certain that there will be none.

    Args:
        language_id: LSP language id.
        lines: The document.
        limit_s: Seconds; parsing goes on behind them, for the next who asks. ``None`` for what a person has patience
            for, which is less where an earlier version's tree tells the scopes as well.

    Returns:
        Whether there is anything to tell scopes by: its tree, or an earlier version's.
    """
    if is_at_hand(language_id, lines):
        return True
    can_follow = can_be_followed(language_id, lines)
    if limit_s is None:
        limit_s = WAIT_FOLLOWED_S if can_follow else WAIT_S
    try:
        async with asyncio.timeout(limit_s):
            await in_thread(lambda: _parse_in_turn(language_id, lines))
    except TimeoutError:
        return can_follow
    return True


async def wait_for_symbols(language_id: str, lines: Lines) -> None:
    """Wait until `symbols.symbols_of` has what a long document defines, behind its tree; not for long."""
    if not are_symbols_at_hand(language_id, lines):
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(WAIT_S):
                await in_thread(lambda: list_ahead(language_id, lines))


def start_parsing(language_id: str, lines: Lines) -> None:
    """Begin to parse a document that will be asked about soon.

    One thread does so for a document; of the versions that come meanwhile, it parses only the newest.
    """
    turn = _turn_of(lines)
    with _turns_lock:
        turn.ahead = language_id, lines
        if turn.is_parsing_ahead:
            return
        turn.is_parsing_ahead = True
    threading.Thread(target=_parse_ahead, args=(turn,), name="parse ahead", daemon=True).start()


def _parse_ahead(turn: _Turn) -> None:
    while True:
        with _turns_lock:
            if turn.ahead is None:
                turn.is_parsing_ahead = False
                return
            (language_id, lines), turn.ahead = turn.ahead, None
        with contextlib.suppress(
            Exception
        ):  # an edit that needs the tree meets the same error, and reports it
            _parse_in_turn(language_id, lines)
            list_ahead(language_id, lines)


def _turn_of(lines: Lines) -> _Turn:
    with _turns_lock:  # else two threads could each find their own
        return _turns.setdefault(lines.family, _Turn())


def _parse_in_turn(language_id: str, lines: Lines) -> None:
    turn = _turn_of(lines)
    with being_parsed(lines), turn.lock:
        parse_fully(language_id, lines)
