"""No setting of a repository or an editor makes the server send a byte to another address (R2)."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from tests.lane_config import lab
from tests.scenarios.editor import Editor
from tests.security.server_process import ANSWER, CODE, LIMIT_S, SERVE, ServerProcess, server_process
from tests.security.sinks import (
    KEY,
    OTHER_KEY,
    SETTINGS,
    Sinks,
    environment_of,
    listening_sinks,
    settings_of,
    write_source,
)

from twospeed.models.keys.keyring_entries import KeyringEntry
from twospeed.testing.script import Script
from twospeed.testing.scripted_server import ScriptedServer

pytestmark = pytest.mark.security("R2")

SOURCES = {
    # Result: no edit is made, the setting is left out with a message, or the source is not read.
    ".twospeed.toml": "no edit",
    "symlinked config": "no edit",
    "initializationOptions": "no edit",
    "workspace/configuration": "left out",
    "didChangeConfiguration": "left out",
    ".vscode/settings.json": "not read",
    ".zed/settings.json": "not read",
    ".env": "not read",
    ".envrc": "not read",
    "case variants": "not read",
}
NOT_READ = [source for source, what in SOURCES.items() if what == "not read"]


@pytest.fixture
async def sinks() -> AsyncIterator[Sinks]:
    async with listening_sinks() as listening:
        yield listening
        assert listening.heard == []


@pytest.fixture
async def bound() -> AsyncIterator[ScriptedServer]:
    """The endpoint that the user's own config names."""
    async with ScriptedServer(lambda _: Script(ANSWER)) as server:
        yield server


@pytest.fixture
def workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "workspace"
    folder.mkdir()
    (folder / "a.py").write_text(CODE)
    monkeypatch.chdir(folder)
    return folder


@pytest.fixture
def environ(tmp_path: Path, bound: ScriptedServer, monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    """The user's own environment: a config with one endpoint, and two keys."""
    config = tmp_path / "user.toml"
    config.write_text(lab(bound.base_url, api_key_env="LAB_API_KEY"))
    own = {"TWOSPEED_CONFIG": str(config), "LAB_API_KEY": KEY, "OTHER_API_KEY": OTHER_KEY}
    for name, value in own.items():
        monkeypatch.setenv(name, value)
    return own


def check_bound(bound: ScriptedServer, *, n_requests: int) -> None:
    assert [request.headers.get("authorization") for request in bound.requests] == [
        f"Bearer {KEY}"
    ] * n_requests
    assert not any("x-forward-to" in request.headers for request in bound.requests)
    assert all(request.headers["host"] == f"127.0.0.1:{bound.port}" for request in bound.requests)


def check_not_executed(workspace: Path) -> None:
    assert not list(workspace.rglob("executed"))


def use_address(environ: dict[str, str], base_url: str) -> None:
    Path(environ["TWOSPEED_CONFIG"]).write_text(lab(base_url, api_key_env="LAB_API_KEY"))


@pytest.mark.parametrize("kind", SETTINGS)
@pytest.mark.parametrize("source", SOURCES)
async def test_no_untrusted_setting_redirects_a_request(
    sinks: Sinks, bound: ScriptedServer, workspace: Path, environ: dict[str, str], source: str, kind: str
) -> None:
    values = settings_of(kind, sinks, bound.base_url)
    write_source(source, workspace, values, sinks)
    options = values if source == "initializationOptions" else None
    capabilities = {"workspace": {"configuration": source == "workspace/configuration"}}
    editor = await Editor.started(capabilities, environ=environ, options=options, root=workspace.as_uri())
    editor.answer = lambda method, _: [values] if method == "workspace/configuration" else None
    async with editor:
        if source == "didChangeConfiguration":
            editor.notify("workspace/didChangeConfiguration", {"settings": {"twospeed": values}})
        if SOURCES[source] != "not read":
            await editor.wait_for(lambda: editor.messages("window/showMessage"))
            (provider_error,) = [message["message"] for message in editor.messages("window/showMessage")]
            assert "is not allowed here" in provider_error or "leads out of" in provider_error
        uri = (workspace / "a.py").as_uri()
        editor.open(CODE, uri=uri)
        result = await editor.edit(1, uri=uri)
        is_made = SOURCES[source] != "no edit"
        assert result["outcome"] == ("applied" if is_made else "failed")
    check_bound(bound, n_requests=1 if is_made else 0)
    check_not_executed(workspace)


def poison_everything(workspace: Path, sinks: Sinks, bound: ScriptedServer) -> dict[str, object]:
    """Fill a workspace with files that must not be read; return all hostile settings in one."""
    values: dict[str, object] = {}
    for kind in SETTINGS:
        values |= settings_of(kind, sinks, bound.base_url)
    for source in NOT_READ:
        write_source(source, workspace, values, sinks)
    return values


def surroundings(sinks: Sinks, environ: dict[str, str], tmp_path: Path) -> dict[str, str]:
    """The environment of a real process: proxies, a netrc and certificates that lead to the sinks."""
    netrc, config = tmp_path / "netrc", tmp_path / "none.toml"
    netrc.write_text("default login user password netrc-secret\n")
    files = {
        "NETRC": str(netrc),
        "SSL_CERT_FILE": str(netrc),
        "SSL_CERT_DIR": str(tmp_path),
        "CURL_CA_BUNDLE": str(netrc),
    }
    return {**os.environ, **environment_of(sinks, config), **files, **environ}


async def converse(
    server: ServerProcess, workspace: Path, values: dict[str, object], token: str | None
) -> None:
    uri = (workspace / "a.py").as_uri()
    server.configuration = values
    await server.initialize(workspace, {"token": token} if token else None)
    server.notify("workspace/didChangeConfiguration", {"settings": values})
    server.open(uri)
    assert (await server.edit(uri, "round it"))["result"]["outcome"] == "applied"
    # Once: an earlier request precedes these settings, and is not read.
    assert len([text for text in server.shown if "is not allowed here" in text]) == 1


@pytest.mark.process
async def test_a_real_process_over_stdio_sends_to_the_bound_endpoint_alone(
    sinks: Sinks, bound: ScriptedServer, workspace: Path, environ: dict[str, str], tmp_path: Path
) -> None:
    values = poison_everything(workspace, sinks, bound)
    async with server_process(surroundings(sinks, environ, tmp_path), cwd=workspace) as server:
        await converse(server, workspace, values, None)
    check_bound(bound, n_requests=1)


@pytest.mark.process
async def test_a_real_process_over_tcp_sends_to_the_bound_endpoint_alone(
    sinks: Sinks, bound: ScriptedServer, workspace: Path, environ: dict[str, str], tmp_path: Path
) -> None:
    values = poison_everything(workspace, sinks, bound)
    process = await asyncio.create_subprocess_exec(
        *[*SERVE[:-1], "--tcp", "0"],
        env=surroundings(sinks, environ, tmp_path),
        cwd=workspace,
        stderr=asyncio.subprocess.PIPE,
    )
    try:
        assert process.stderr
        async with asyncio.timeout(LIMIT_S):
            port = int((await process.stderr.readline()).rpartition(b":")[2])
            token = (await process.stderr.readline()).split()[-1].decode()
            reader, writer = await asyncio.open_connection("127.0.0.1", port, limit=64 * 1024 * 1024)
            server = ServerProcess(reader, writer.write, process.pid)
            reading = asyncio.ensure_future(server.read())
            await converse(server, workspace, values, token)
            await server.request("shutdown", None)
            server.notify("exit", None)
            await process.wait()
            await reading
            writer.close()
            await writer.wait_closed()
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
    check_bound(bound, n_requests=1)


@pytest.mark.process
async def test_the_command_line_sends_to_the_bound_endpoint_alone(
    sinks: Sinks, bound: ScriptedServer, workspace: Path, environ: dict[str, str], tmp_path: Path
) -> None:
    poison_everything(workspace, sinks, bound)
    process = await asyncio.create_subprocess_exec(
        *[sys.executable, "-P", "-m", "twospeed", "edit", "a.py:2", "round it", "--write"],
        env=surroundings(sinks, environ, tmp_path),
        cwd=workspace,
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    out, err = await asyncio.wait_for(process.communicate(), LIMIT_S)
    assert (process.returncode, err) == (0, b""), out
    assert (workspace / "a.py").read_text() == ANSWER
    check_bound(bound, n_requests=1)
    check_not_executed(workspace)


TRICKS = [
    "http://127.0.0.1:{bound}@127.0.0.1:{sink}/v1",
    "http://127.0.0.1:{bound}%40127.0.0.1:{sink}/v1",
    "http://127.0.0.1:{bound}\\\\@127.0.0.1:{sink}/v1",
    "http://127.0.0.1:{bound}#@127.0.0.1:{sink}/v1",
    "http://127.0.0.1:{bound}?@127.0.0.1:{sink}/v1",
    "http://127.0.0.1:{bound}\\t@127.0.0.1:{sink}/v1",
    "http://127.0.0.1:{bound}\\n.127.0.0.1:{sink}/v1",
    "http://127.0.0.1:{sink}\\\\127.0.0.1:{bound}/v1",
    "http://2130706433:{sink}/v1",
    "http://0x7f.1:{sink}/v1",
    "http://0177.0.0.1:{sink}/v1",
    "http://127.1:{sink}/v1",
    "http://0:{sink}/v1",
    "http://0.0.0.0:{sink}/v1",
    "http://[::ffff:127.0.0.1%25lo]:{sink}/v1",
    "http://[::]:{sink}/v1",
    "http://localhost.:{sink}/v1",
    "http://localhost.localdomain:{sink}/v1",
    "http://127.0.0.1.nip.io:{sink}/v1",
    "https://127。0。0。1:{sink}/v1?",
    "http:/127.0.0.1:{sink}/v1",
    "ftp://127.0.0.1:{sink}/v1",
]


@pytest.mark.parametrize("trick", TRICKS)
async def test_a_deceptive_address_receives_no_request(
    sinks: Sinks, bound: ScriptedServer, workspace: Path, environ: dict[str, str], trick: str
) -> None:
    """Even the user's own file names a host plainly, or no edit is made."""
    base_url = trick.format(bound=bound.port, sink=sinks.endpoint.rpartition(":")[2])
    use_address(environ, base_url)
    async with await Editor.started(environ=environ, root=workspace.as_uri()) as editor:
        uri = (workspace / "a.py").as_uri()
        editor.open(CODE, uri=uri)
        assert (await editor.edit(1, uri=uri))["reason"]["code"] == "settings"
    check_bound(bound, n_requests=0)


async def listen_only(editor: Editor, workspace: Path) -> None:
    """Do everything that a user does before the first edit."""
    uri = (workspace / "a.py").as_uri()
    editor.open(CODE, uri=uri)
    editor.type(0, 0, "# ai: round it\n", uri=uri)
    place = {"line": 1, "character": 0}
    cursor = {"textDocument": {"uri": uri}, "range": {"start": place, "end": place}}
    assert await editor.request("textDocument/codeAction", {**cursor, "context": {"diagnostics": []}})


@pytest.mark.security("R2.5")
async def test_nothing_is_sent_to_a_model_before_the_first_edit(
    bound: ScriptedServer, workspace: Path, environ: dict[str, str]
) -> None:
    async with await Editor.started(environ=environ, root=workspace.as_uri()) as editor:
        await listen_only(editor, workspace)
        await editor.request("twospeed/status", {})
        await editor.request("twospeed/setMode", {})
    check_bound(bound, n_requests=0)


@pytest.mark.security("R2.5")
async def test_models_and_keys_are_not_looked_up_before_a_request(
    workspace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    looked: list[str] = []

    async def find_models(*_: object) -> list[object]:
        looked.append("for models")
        return []

    def entry(name: str) -> KeyringEntry:
        looked.append(name)
        return KeyringEntry()

    monkeypatch.setattr("twospeed.lsp.session.models.find_models", find_models)
    monkeypatch.setattr("twospeed.models.keys.key_store.read_entry", entry)
    async with await Editor.started(root=workspace.as_uri()) as editor:
        await listen_only(editor, workspace)
        assert looked == []
        await editor.request("twospeed/status", {})
        assert looked == ["for models"]


@pytest.mark.security("R4.1")
@pytest.mark.parametrize(
    "uri",
    [
        "file:///project/.env",
        "file:///project/%2Eenv",
        "file:///project/sub/../.env",
        "file:///project/id.pem?x=1",
        "file:///project/id.pem#L1",
        "file://server/share/id.pem",
        "FILE:///project/ID.PEM",
        "untitled:id.pem",
        "git:/project/id.pem?%7B%22ref%22%3A%22HEAD%22%7D",
        "vscode-remote://ssh-remote+host/project/.ssh/config",
        "file:///project/%FF/id.pem",
    ],
)
async def test_a_never_sent_file_is_recognized_by_any_uri(
    bound: ScriptedServer, environ: dict[str, str], uri: str
) -> None:
    async with await Editor.started(environ=environ, root="file:///project") as editor:
        editor.open(CODE, uri=uri)
        assert (await editor.edit(1, uri=uri))["outcome"] == "refused"
    check_bound(bound, n_requests=0)
