"""After any failure, a key is in none of the bytes that this process wrote (R7)."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.security.crashing_server import CRASHES
from tests.security.key_formats import KEY_FORMATS
from tests.security.server_process import ANSWER, ServerProcess, server_process

from twospeed.testing.script import Drop, Fault, Hang, Inject, Reply, Script, error_event
from twospeed.testing.scripted_server import RecordedRequest, ScriptedServer

pytestmark = [pytest.mark.security("R7"), pytest.mark.process]

REPOSITORY = Path(__file__).parents[2]
DRIVER = Path(__file__).with_name("crashing_server.py")

CONFIG = """
[[lanes.lightning]]
provider = "lab"
model = "m"
[[lanes.deep]]
provider = "tls"
model = "m"
[providers.lab]
api = "chat"
base_url = "http://127.0.0.1:{port}/v1"
api_key_env = "LAB_API_KEY"
[providers.tls]
api = "chat"
base_url = "https://127.0.0.1:{port}/v1"
api_key_env = "LAB_API_KEY"
"""

_SHOWN = 12  # tokens: a line is applied by then, so no request is repeated


def error_with(key: str) -> bytes:
    """Return an error that quotes the key in every way that a provider might."""
    message = (
        f"Incorrect API key provided: {key}. You sent 'Authorization: Bearer {key}' ({key[:-1]}{key[-1]})"
    )
    return json.dumps({"error": {"message": message, "type": key, "code": key, "param": key}}).encode()


def scripts_for(key: str) -> dict[str, Script]:
    """Return a provider's answers, by case; all quote the key."""

    def faulty(*faults: Fault) -> Script:
        return Script(ANSWER, faults=faults)

    once = {"X-Should-Retry": "false"}  # else each request is made three times
    headers = {"X-Request-Id": key, "WWW-Authenticate": f'Bearer realm="{key}"', **once}
    broken = b'data: {"error": "' + key.encode() + b"\n\n"
    return {
        "fine": Script(ANSWER),
        **{
            f"status {status}": faulty(Reply(status, headers, error_with(key)))
            for status in (400, 401, 403, 404, 413, 429)
        },
        "status 500": faulty(Reply(500, headers, key.encode())),
        "status 503": faulty(Reply(503, {"Retry-After": key, **once}, error_with(key))),
        "error in a page": faulty(Reply(200, {"Content-Type": "application/json"}, error_with(key))),
        "web page": faulty(Reply(200, {"Content-Type": f"text/{key}"}, f"<h1>{key}</h1>".encode())),
        "redirect": faulty(
            Reply(307, {"Location": f"https://{key}.example/{key}?key={key}"}, error_with(key))
        ),
        "redirect with a user": faulty(Reply(302, {"Location": f"https://{key}:{key}@evil.example/"})),
        "compressed": faulty(Reply(200, {"Content-Type": "text/event-stream", "Content-Encoding": key})),
        "bad JSON": faulty(Inject(broken, 1)),
        "nonsense": faulty(Inject(f"data: [{json.dumps(key)}]\n\n{key}: {key}\n\n".encode(), 1)),
        "error event": faulty(Inject(error_event(f"no capacity for {key}", code=key), _SHOWN)),
        "odd ending": Script(ANSWER, finish_reason=key),
        "declined": Script(refusal=f"I cannot work for {key}"),
        "dropped": faulty(Drop(_SHOWN)),
        "cancelled": faulty(Hang(1)),
    }


def answer_for(key: str):
    scripts = scripts_for(key)

    def answer(request: RecordedRequest) -> Script:
        body = json.dumps(request.body)
        return next((script for name, script in scripts.items() if f"case:{name}." in body), scripts["fine"])

    return answer


@pytest.mark.parametrize(("number", "name"), list(enumerate(KEY_FORMATS)))
async def test_no_failure_reveals_a_key(tmp_path: Path, home: Path, number: int, name: str) -> None:
    """A third of the cases run in Python's development mode; half have a key of the keyring."""
    key = KEY_FORMATS[name]
    config, document = tmp_path / "config.toml", (tmp_path / "a.py").as_uri()
    environ = {**os.environ, "TWOSPEED_CONFIG": str(config), "TEST_CANARY": key}
    environ["PYTHONPATH"] = os.pathsep.join((str(REPOSITORY), environ.get("PYTHONPATH", "")))
    if number % 3 == 1:
        environ |= {"PYTHONDEVMODE": "1", "PYTHONASYNCIODEBUG": "1"}
    if number % 4 < 2:
        environ["LAB_API_KEY"] = key
    else:
        environ["PYTHON_KEYRING_BACKEND"] = "tests.models.keyring_backend.Backend"
        environ["TEST_KEYRING"] = json.dumps({"lab": key, "tls": key})
    async with ScriptedServer(answer_for(key)) as provider:
        config.write_text(CONFIG.format(port=provider.port))
        async with server_process(
            environ, command=[sys.executable, "-P", str(DRIVER)], cwd=tmp_path
        ) as server:
            await server.initialize(tmp_path)
            server.notify("$/setTrace", {"value": "verbose"})
            server.open(document)
            await fail_in_every_way(server, document, list(scripts_for(key)))
            check_process(server.pid, key)
        assert {request.headers["authorization"] for request in provider.requests} == {f"Bearer {key}"}
    for written in (server.output, server.errors, *contents_of(home)):
        assert key.encode() not in written
    assert b"".join(contents_of(home)).count(b"CanaryError at ") == len(CRASHES)


async def fail_in_every_way(server: ServerProcess, document: str, cases: list[str]) -> None:
    for case in cases:
        if case == "cancelled":
            await cancel_edit(server, document)
            continue
        result = (await server.edit(document, f"case:{case}."))["result"]
        expected = {"fine": "applied", "declined": "refused"}.get(case, "failed")
        assert (result["outcome"], bool(result["reason"])) == (expected, case != "fine"), (case, result)
    tls = (await server.edit(document, "TLS where there is none", mode="deep"))["result"]
    assert tls["provider"] == "tls"
    assert tls["reason"]["message"].startswith("no secure connection to 127.0.0.1:")
    for name in CRASHES:
        response = await server.edit(document, f"crash:{name}")
        assert "error" in response or response["result"]["reason"], name
        error = (
            response["error"]["message"] if "error" in response else response["result"]["reason"]["message"]
        )
        assert error == "twospeed failed; the log has the details", name
        await server.request("twospeed/status", {})
    await server.request("twospeed/no-such-method", {})
    await server.request("twospeed/edit", {"nonsense": True})


async def cancel_edit(server: ServerProcess, document: str) -> None:
    request_id, answer = server.start_edit(
        document, "case:cancelled.", editId="hanging", partialResultToken="p"
    )
    async with asyncio.timeout(60):
        while b'"started"' not in server.output.rpartition(b"hanging")[0][-4000:] + server.output[-4000:]:  # noqa: ASYNC110
            await asyncio.sleep(0.005)
    server.notify("$/cancelRequest", {"id": request_id})
    assert (await answer)["error"]["code"] == -32800


def check_process(pid: int | None, key: str) -> None:
    """Check that no file of the process that others can read contains the key, and that no child received it."""
    folder = Path(f"/proc/{pid}")
    if not folder.exists():
        return
    assert key.encode() not in (folder / "cmdline").read_bytes()
    for children in folder.glob("task/*/children"):
        assert children.read_text() == ""


def contents_of(folder: Path) -> Iterator[bytes]:
    return (path.read_bytes() for path in folder.rglob("*") if path.is_file())
