"""Converts exceptions to JSON-RPC errors (LSP 3.17, "ErrorCodes" and "LSPErrorCodes")."""

from __future__ import annotations

from twospeed import errors

PARSE_ERROR = -32700
INVALID_REQUEST = -32600
METHOD_NOT_FOUND = -32601
INVALID_PARAMS = -32602
INTERNAL_ERROR = -32603
SERVER_NOT_INITIALIZED = -32002
REQUEST_FAILED = -32803
CONTENT_MODIFIED = -32801
REQUEST_CANCELLED = -32800


class RpcError(Exception):
    """An error response: a code and one sentence."""

    def __init__(self, code: int, message: str) -> None:
        super().__init__(message)
        self.code = code
        self.message = message


def rpc_error(error: BaseException) -> RpcError:
    """Convert any exception to an error response; details of bugs are only logged."""
    match error:
        case RpcError():
            return error
        case errors.InvalidRequest():
            return RpcError(INVALID_PARAMS, f"{error.field}: {error}")
        case errors.StaleVersion():
            return RpcError(CONTENT_MODIFIED, str(error))
        case errors.TwospeedError():
            return RpcError(REQUEST_FAILED, str(error))
        case _:
            return RpcError(INTERNAL_ERROR, "twospeed failed; the log has the details")
