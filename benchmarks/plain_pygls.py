"""A plain pygls server: it answers ``bench/ping``, follows documents as pygls does, and edits line by line.

``bench/edit`` is the simplest streamed edit: read the same HTTP stream, replace the k-th old line by the k-th
new one, and wait for the client's answer before the next. No diff, no checks; aiohttp and orjson, which are
fast.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

from lsprotocol import types
from pygls.lsp.server import LanguageServer

server = LanguageServer("plain", "1")


@server.feature("bench/ping")
def ping(_server: LanguageServer, _params: object) -> None:
    """Answer a ping."""


@server.feature("bench/edit")
async def edit(server: LanguageServer, params: Any) -> None:
    """Replace ``count`` lines from ``start`` by the lines of the answer at ``url``, line by line."""
    at, left = params.start, params.count
    prompt = "".join(server.workspace.get_text_document(params.uri).lines[at : at + left])
    async for line in answer_lines(params.url, prompt):
        await replace_lines(server, params.uri, at, min(left, 1), f"{line}\n")
        at, left = at + 1, max(left - 1, 0)
    if left:
        await replace_lines(server, params.uri, at, left, "")


async def replace_lines(server: LanguageServer, uri: str, start: int, count: int, text: str) -> None:
    """Ask the client to replace lines in the known version."""
    document = types.OptionalVersionedTextDocumentIdentifier(
        uri=uri, version=server.workspace.get_text_document(uri).version
    )
    lines = types.Range(types.Position(start, 0), types.Position(start + count, 0))
    change = types.TextDocumentEdit(text_document=document, edits=[types.TextEdit(lines, text)])
    edit = types.WorkspaceEdit(document_changes=[change])
    result = await server.workspace_apply_edit_async(types.ApplyWorkspaceEditParams(edit=edit))
    assert result.applied


async def answer_lines(url: str, prompt: str) -> AsyncIterator[str]:
    """Yield the complete lines of a streamed answer, without the fence."""
    import aiohttp  # noqa: PLC0415  # nothing that only pings should wait for them
    import orjson  # noqa: PLC0415

    body = {"stream": True, "messages": [{"role": "user", "content": prompt}]}
    rest = ""
    async with aiohttp.ClientSession() as session, session.post(url, json=body) as response:
        async for event in response.content:
            if event.startswith(b"data: {"):
                choices = orjson.loads(event[6:])["choices"]
                rest += choices[0]["delta"].get("content", "") if choices else ""
                *lines, rest = rest.split("\n")
                for line in lines:
                    if not line.startswith("```"):
                        yield line


if __name__ == "__main__":
    server.start_io()
