"""Make an edit over a WebSocket: ``websocket_edit.py ADDRESS TOKEN FILE LINE INSTRUCTION``, with a Python that has `websockets`.

First it connects without a token and with a wrong one, which the server must refuse. It prints the edited text.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from websockets.exceptions import InvalidStatus
from websockets.sync.client import ClientConnection, connect
from websockets.typing import Subprotocol

LIMIT_S = 60.0
UNAUTHORIZED = 401


def main() -> None:
    """See the module."""
    address, token, path, line, instruction = sys.argv[1:]
    for wrong in ([], [_protocol("0" * 64)]):
        if _is_accepted(address, wrong):
            sys.exit(f"the server accepted {wrong}")
    with connect(address, subprotocols=[_protocol(token)], open_timeout=LIMIT_S) as socket:
        print(_edited(socket, Path(path).read_text("utf-8"), int(line) - 1, instruction), end="")


def _protocol(token: str) -> Subprotocol:
    return Subprotocol(f"twospeed.token.{token}")


def _is_accepted(address: str, protocols: list[Subprotocol]) -> bool:
    try:
        with connect(address, subprotocols=protocols or None, open_timeout=LIMIT_S):
            return True
    except InvalidStatus as error:
        if error.response.status_code != UNAUTHORIZED:
            raise
        return False


def _edited(socket: ClientConnection, text: str, line: int, instruction: str) -> str:
    uri = "file:///project/example.py"
    place = {"line": line, "character": 0}
    _request(socket, 1, "initialize", {"processId": None, "rootUri": None, "capabilities": {}})
    _send(socket, method="initialized", params={})
    document = {"uri": uri, "languageId": "python", "version": 1, "text": text}
    _send(socket, method="textDocument/didOpen", params={"textDocument": document})
    result = _request(
        socket,
        2,
        "twospeed/edit",
        {
            "textDocument": {"uri": uri, "version": 1},
            "range": {"start": place, "end": place},
            "instruction": instruction,
            "deliver": "preview",
        },
    )
    lines = text.splitlines(keepends=True)
    scope = result["scope"]["range"]
    lines[scope["start"]["line"] : scope["end"]["line"]] = [result["newText"]]
    _request(socket, 3, "shutdown", None)
    _send(socket, method="exit")
    return "".join(lines)


def _request(socket: ClientConnection, number: int, method: str, params: object) -> Any:
    _send(socket, id=number, method=method, params=params)
    while True:
        message = json.loads(socket.recv(LIMIT_S))
        if "method" in message and "id" in message:  # a request of the server
            _send(socket, id=message["id"], result=None)
        elif message.get("id") == number:
            if "error" in message:
                sys.exit(f"{method}: {message['error']}")
            return message["result"]


def _send(socket: ClientConnection, **message: object) -> None:
    socket.send(json.dumps({"jsonrpc": "2.0", **message}))


if __name__ == "__main__":
    main()
