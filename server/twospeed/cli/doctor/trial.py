"""Try a lane: a one-line edit of a document that is nowhere but in memory, by the way that every edit goes.

The server chooses who serves, as it always does. A question whether code may be sent somewhere is answered no, so
that nobody is asked who was not agreed to before. What hangs is cancelled.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from twospeed.cli.client.connection import Message
from twospeed.cli.client.session import EditParams, OpenDocument, ServerSession
from twospeed.cli.exits import RequestRefused
from twospeed.cli.protocol_values import range_to
from twospeed.cli.render import UnseenView
from twospeed.routing.lanes import BUILTIN_PROVIDER
from twospeed.text.positions import Position, Range

if TYPE_CHECKING:
    from twospeed_protocol import messages

TEXT = "def answer():\n    return 1\n"
INSTRUCTION = "Return 2 instead of 1."
INSTRUCTION_OF_RULES = "Add a doc comment."
"""For the built-in engine, which carries out few instructions."""

LIMITS_S = {"lightning": 10.0, "deep": 20.0}
"""How long each is waited for; who thinks may take longer. Without an answer to a cancel it is `_GRACE_S` more."""

_GRACE_S = 3.0


@dataclass(frozen=True, slots=True)
class Trial:
    """How a trial went.

    Attributes:
        label: Who was to serve, as ``provider/model``.
        outcome: As the contract has it; ``failed`` also where it took too long.
        served: Who served; empty where nobody did.
        code: The reason's code; empty for an answer that can be used.
        message: The reason in words.
        route: Why this one served.
        ttft_ms: Time to the first token.
        duration_ms: Time in all.
        tokens_per_second: How fast the answer was written; ``None`` where it was too short to say.
    """

    label: str
    outcome: str
    served: str = ""
    code: str = ""
    message: str = ""
    route: str = ""
    ttft_ms: float | None = None
    duration_ms: float | None = None
    tokens_per_second: float | None = None

    def to_json(self) -> dict[str, object]:
        """Write it for ``--json``."""
        return {
            "entry": self.label,
            "served": self.served or None,
            "outcome": self.outcome,
            "reason": {"code": self.code, "message": self.message} if self.code else None,
            "ttftMs": self.ttft_ms,
            "durationMs": self.duration_ms,
            "tokensPerSecond": self.tokens_per_second,
        }


class TrialSession(ServerSession):
    """A session that asks nobody and passes no warnings on: the trial's result says what they say."""

    client_name = "twospeed doctor"  # whose edits the server counts in no figures

    def notified(self, method: str, params: Message) -> None:
        """Take a notification; of messages the errors are kept."""
        if method != "window/showMessage" or params["type"] == 1:
            super().notified(method, params)

    async def asked(self, method: str, params: Message) -> object:
        """Answer a request of the server; a question is answered no."""
        return None if method == "window/showMessageRequest" else await super().asked(method, params)


async def try_lane(
    session: ServerSession, mode: str, entry: messages.LaneStatus, *, limit_s: float | None = None
) -> Trial:
    """Run the one-line edit.

    Args:
        session: A conversation with the server, in a folder where nothing needs to be.
        mode: The lane.
        entry: Its first entry that is ready.
        limit_s: How long to wait; `LIMITS_S` where left out.

    Raises:
        CancelledError: A person cancelled it.
        ServerTrouble: The server stopped or hung.
    """
    limit_s = LIMITS_S[mode] if limit_s is None else limit_s
    label = f"{entry.provider}/{entry.model}"
    instruction = INSTRUCTION_OF_RULES if entry.provider == BUILTIN_PROVIDER else INSTRUCTION
    lines = TEXT.count("\n")
    request = EditParams(Range(Position(0, 0), Position(lines, 0)), instruction, "file", mode)
    document = session.open_document(Path.cwd() / f"twospeed_doctor_{mode}.py", TEXT)
    is_late = False

    def cancel() -> None:
        nonlocal is_late
        is_late = session.cancel_edit()

    alarm = asyncio.get_running_loop().call_later(limit_s, cancel)
    too_late = Trial(label, "failed", code="model-timeout", message=f"no answer within {limit_s:g} s")
    try:
        async with asyncio.timeout(limit_s + _GRACE_S):
            await _prepare(session, document, request)
            result = await session.edit(document, request, UnseenView())
    except TimeoutError:
        return too_late
    except RequestRefused as error:
        return Trial(label, "failed", code="internal", message=str(error))
    finally:
        alarm.cancel()
        session.close_document(document)
    if result.outcome == "cancelled" and not is_late:
        raise asyncio.CancelledError
    return too_late if is_late and result.outcome == "cancelled" else _read(label, result)


async def _prepare(session: ServerSession, document: OpenDocument, request: EditParams) -> None:
    """Let the server load and connect, as it has in an editor where somebody works, so that the model is measured."""
    named = {"textDocument": {"uri": document.uri, "version": document.version}}
    where = range_to(request.range)
    await session.ask("twospeed/prepare", {**named, "range": where, "mode": request.mode})
    await session.ask("twospeed/scopes", {**named, "position": where["start"]})


def _read(label: str, result: messages.EditResult) -> Trial:
    return Trial(
        label,
        result.outcome,
        served=f"{result.provider}/{result.model}" if result.provider else "",
        code=result.reason.code if result.reason else "",
        message=result.reason.message if result.reason else "",
        route=result.route or "",
        ttft_ms=result.stats.ttft_ms,
        duration_ms=result.stats.duration_ms,
        tokens_per_second=result.stats.tokens_per_second,
    )
