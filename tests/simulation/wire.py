"""The connection of editor and server: delivers messages in order, with a latency, and records them."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import orjson

LATENCIES_S = (0.0001, 0.0001, 0.002, 0.02, 0.15)
"""Mean latencies, one for each run: a pipe, a busy editor, a distant server."""

STEP_S = 1e-6
"""Least time between two messages in one direction, so that they keep their order."""

P_HICCUP = 0.02

LONGEST = 3000
"""Characters of a message that a trace shows."""


class Passed(NamedTuple):
    """A message with the times when it is sent and delivered."""

    sent_at: float
    comes_at: float
    is_ours: bool  # from the editor
    message: Mapping[str, Any]

    def __str__(self) -> str:
        arrow = "editor → server" if self.is_ours else "editor ← server"
        return f"{self.sent_at:9.4f} … {self.comes_at:9.4f}  {arrow}  {_told(self.message)}"


class Wire:
    """Both directions of one connection.

    Args:
        rng: Chooses the latency of each message.
        to_server: Receives the bodies of messages from the editor.
        to_editor: Receives the messages from the server.
    """

    def __init__(
        self,
        rng: random.Random,
        *,
        to_server: Callable[[bytes], None],
        to_editor: Callable[[Mapping[str, Any]], None],
    ) -> None:
        self._rng = rng
        self._to_server, self._to_editor = to_server, to_editor
        self._mean_s = {is_ours: rng.choice(LATENCIES_S) for is_ours in (True, False)}
        self._free_at = {True: 0.0, False: 0.0}
        self._loop = asyncio.get_running_loop()
        self.passed: list[Passed | str] = []
        self.is_cut = False

    def send(self, message: Mapping[str, Any]) -> None:
        """Send a message of the editor."""
        body = orjson.dumps(message)
        self._pass(message, is_ours=True, deliver=lambda: self._to_server(body))

    def receive(self, message: Mapping[str, Any]) -> None:
        """Deliver a message of the server to the editor."""
        self._pass(message, is_ours=False, deliver=lambda: self._to_editor(message))

    def note(self, what: str) -> None:
        """Add an event in the editor to the trace."""
        self.passed.append(f"{self._loop.time():9.4f}{'':>14}editor: {what}")

    def _pass(self, message: Mapping[str, Any], *, is_ours: bool, deliver: Callable[[], None]) -> None:
        now = self._loop.time()
        takes_s = self._rng.expovariate(1 / self._mean_s[is_ours])
        if self._rng.random() < P_HICCUP:
            takes_s += self._rng.choice((0.05, 0.3))
        comes_at = max(now + takes_s, self._free_at[is_ours] + STEP_S)
        self._free_at[is_ours] = comes_at
        self.passed.append(Passed(now, comes_at, is_ours, message))
        self._loop.call_at(comes_at, lambda: None if self.is_cut else deliver())

    @property
    def read_at(self) -> float:
        """When the server reads the last message of the editor."""
        return self._free_at[True]

    @property
    def quiet_at(self) -> float:
        """When the last message in flight is delivered."""
        return max(self._free_at.values())


def _told(message: Mapping[str, Any]) -> str:
    """Return a message in one line; a long body is cut."""
    head = f"{message.get('method', 'answer')} {message.get('id', '')}".strip()
    body = message.get("params", message.get("result", message.get("error")))
    words = orjson.dumps(body).decode()
    return f"{head}  {words if len(words) < LONGEST else words[:LONGEST] + '…'}"
