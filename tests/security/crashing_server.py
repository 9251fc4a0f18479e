"""Run the server with a fault in it: ``python crashing_server.py``; not a test.

A message that contains ``crash:NAME`` arms the fault of this name; the function then raises, with the key in
the exception's text, in its chain, in a local and in an attribute.
"""

from __future__ import annotations

import importlib
import inspect
import os
import re
import sys
from collections.abc import Callable
from typing import Any

from twospeed.cli.main import main
from twospeed.lsp.protocol import TwospeedProtocol

CRASHES = {
    "asking the keyring": ("twospeed.models.keys.key_store", "KeyStore.look_up"),
    "binding the key": ("twospeed.models.keys.key_store", "KeyStore.key_of"),
    "choosing": ("twospeed.lanes.source", "choose_route"),
    "opening": ("twospeed.lanes.open_model", "_check_headers"),
    "encoding": ("twospeed.models.codecs.openai_chat", "encode_request"),
    "posting": ("twospeed.models.http.http_session", "HttpSession.post"),
    "judging the head": ("twospeed.models.http.http_model", "HttpModel._error_body"),
    "setting headers": ("twospeed.models.http.http_model", "HttpModel._headers"),
    "splitting events": ("twospeed.models.codecs.sse", "SseSplitter.receive_bytes"),
    "decoding": ("twospeed.models.codecs.openai_chat", "ChatDecoder.receive_event"),
    "giving back": ("twospeed.models.http.http_session", "HttpSession.release"),
    "prompting": ("twospeed.edits.prompting.prompt_context", "build_prompt"),
    "streaming": ("twospeed.stream.edit_stream", "EditStream.receive_text"),
    "aligning": ("twospeed.stream.edit_stream", "EditStream.finish"),
    "judging": ("twospeed.gate", "check"),
    "finding the scope": ("twospeed.lsp.session.document_paths", "DocumentPaths.of"),
    "answering": ("twospeed_protocol.basic", "Message.to_json"),
}
KEY = os.environ.get("TEST_CANARY", "")
_armed = {"name": ""}


class CanaryError(RuntimeError):
    """A bug with the key in it."""

    def __init__(self, name: str) -> None:
        super().__init__(f"{name}: Authorization: Bearer {KEY}", {"api_key": KEY})
        self.key = KEY
        self.add_note(f"the key was {KEY}")


def crash(name: str) -> None:
    if _armed["name"] == name:
        _armed["name"] = ""
        local = {"key": KEY}
        raise CanaryError(name) from ValueError(f"{local}")


def _faulty(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
    if inspect.iscoroutinefunction(function):

        async def wait(*args: Any, **kwargs: Any) -> Any:
            crash(name)
            return await function(*args, **kwargs)

        return wait

    def call(*args: Any, **kwargs: Any) -> Any:
        crash(name)
        return function(*args, **kwargs)

    return call


def install() -> None:
    receive = TwospeedProtocol.receive_body

    def receive_and_arm(self: TwospeedProtocol, body: bytes, *rest: Any) -> Any:
        if found := re.search(rb'"crash:([a-z ]+)"', body):
            _armed["name"] = found[1].decode()
        return receive(self, body, *rest)

    TwospeedProtocol.receive_body = receive_and_arm  # type: ignore[method-assign]
    for name, (module, path) in CRASHES.items():
        owner: Any = importlib.import_module(module)
        *parents, attribute = path.split(".")
        for parent in parents:
            owner = getattr(owner, parent)
        setattr(owner, attribute, _faulty(name, getattr(owner, attribute)))


if __name__ == "__main__":
    install()
    sys.exit(main(["serve", "--stdio"]))
