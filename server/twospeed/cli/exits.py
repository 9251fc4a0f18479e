"""How a command ends: exit statuses, and the errors only a command line has.

Statuses: the contract's table of outcomes, and 2 for bad usage, input or config.
"""

from __future__ import annotations

from twospeed.errors import SettingsError, TwospeedError

OK = 0
BAD_INPUT = 2
FAILED = 3
CANCELLED = 130

EXIT_OF_OUTCOME = {
    "applied": OK,
    "unchanged": OK,
    "refused": 1,
    "conflict": 1,
    "cancelled": CANCELLED,
    "failed": FAILED,
}

_INVALID_PARAMS = -32602


class BadInput(TwospeedError):
    """What the user named cannot be used: a flag, a file, a line; nothing was changed."""


class ServerTrouble(TwospeedError):
    """Our own server stopped, hung, or sent what the protocol does not allow."""


class ServerStopped(ServerTrouble):
    """The server's process ended by itself.

    Args:
        status: Its exit status, negative for a signal; ``None`` where it closed its output and lives on.
        last_words: The last line it wrote to stderr.
    """

    def __init__(self, *, status: int | None, last_words: str) -> None:
        said = last_words.removeprefix("twospeed: ")
        if status == BAD_INPUT and said:
            super().__init__(said)
        else:
            how = "closed its output" if status is None else f"stopped with status {status}"
            super().__init__(f"the server {how}{': ' + said if said else ''}")
        self.status = status


class RequestRefused(TwospeedError):
    """The server answered a request with a JSON-RPC error; ``code`` is its number."""

    def __init__(self, message: str, *, code: int) -> None:
        super().__init__(message)
        self.code = code


def exit_status(error: TwospeedError) -> int:
    """Say with which status a command ends that this error ended."""
    match error:
        case BadInput() | SettingsError():
            return BAD_INPUT
        case ServerStopped(status=2):
            return BAD_INPUT
        case RequestRefused(code=code) if code == _INVALID_PARAMS:
            return BAD_INPUT
        case _:
            return FAILED
