"""Exit statuses (contract, "Command line"), and errors of the command line."""

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
    """A flag, file or line of the user cannot be used; nothing was changed."""


class ServerTrouble(TwospeedError):
    """Our server stopped, hung, or violated the protocol."""


class ServerStopped(ServerTrouble):
    """The server process ended; a status of None means that it only closed its output."""

    def __init__(self, *, status: int | None, last_stderr_line: str) -> None:
        line = last_stderr_line.removeprefix("twospeed: ")
        if status == BAD_INPUT and line:
            super().__init__(line)
        else:
            how = "closed its output" if status is None else f"stopped with status {status}"
            super().__init__(f"the server {how}{': ' + line if line else ''}")
        self.status = status


class RequestRefused(TwospeedError):
    """The server responded to a request with a JSON-RPC error."""

    def __init__(self, message: str, *, code: int) -> None:
        super().__init__(message)
        self.code = code


def exit_status(error: TwospeedError) -> int:
    """Return the exit status of a command that ended with this error."""
    match error:
        case BadInput() | SettingsError():
            return BAD_INPUT
        case ServerStopped(status=2):
            return BAD_INPUT
        case RequestRefused(code=code) if code == _INVALID_PARAMS:
            return BAD_INPUT
        case _:
            return FAILED
