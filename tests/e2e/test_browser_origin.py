"""Pages in a real browser cannot reach a server that listens on this machine."""

from __future__ import annotations

import asyncio
import contextlib
import json
import shutil
from asyncio.subprocess import DEVNULL
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from aiohttp import web
from tests.e2e.server_process import running, said
from tests.lsp.transport.peer import Peer, initialize, notification, request
from websockets.asyncio.client import connect
from websockets.typing import Subprotocol

from twospeed.lsp.wire.framing import encode_frame

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")

pytestmark = [
    pytest.mark.process,
    pytest.mark.skipif(CHROMIUM is None, reason="there is no Chromium here"),
]

START_S = 60.0
"""A browser may take long to start on a machine that is busy."""

FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--host-resolver-rules=MAP * 127.0.0.1",  # no name leads away from here; for a page it is DNS rebinding, too
)

# Each attempt says what came of it; at the end all of it is handed over.
_PAGE = """<!doctype html><meta charset="utf-8"><title>a page</title><body><script>
const settled = (make) => new Promise(make);
const opened = (url, protocols, message) => settled((say) => {
  const line = new WebSocket(url, protocols);
  line.onopen = () => line.send(message);
  line.onmessage = (event) => { say(typeof event.data + " " + event.data); line.close(); };
  line.onclose = () => say("closed");
});
const fetched = (url, options) => fetch(url, options).then((reply) => "status " + reply.status, () => "failed");
const posted = (url, text) => settled((say) => {
  const frame = document.createElement("iframe");
  frame.name = "target" + document.querySelectorAll("iframe").length;
  document.body.appendChild(frame);
  const form = document.body.appendChild(document.createElement("form"));
  Object.assign(form, {method: "POST", action: url, enctype: "text/plain", target: frame.name});
  Object.assign(form.appendChild(document.createElement("input")), {type: "hidden", name: text});
  form.submit();
  const look = () => frame.contentDocument ? setTimeout(look, 10) : say("left");
  look();
});
const looked = (url) => settled((say) => {
  const image = new Image();
  image.onload = () => say("loaded");
  image.onerror = () => say("failed");
  image.src = url;
});
(async () => {
  const said = {}, token = await fetch("CONTROL/token").then((reply) => reply.text());
  ATTEMPTS
  await fetch("CONTROL/said", {method: "POST", mode: "no-cors", body: JSON.stringify(said)});
})();
</script>"""


class Site:
    """What serves a page, tells it the token, and hears what came of its attempts."""

    def __init__(self) -> None:
        loop = asyncio.get_running_loop()
        self.page = ""
        self.port = 0
        self.is_shown = asyncio.Event()
        self.token: asyncio.Future[str] = loop.create_future()
        self.said: asyncio.Future[dict[str, str]] = loop.create_future()

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    async def show(self, _: web.Request) -> web.Response:
        self.is_shown.set()
        return web.Response(text=self.page, content_type="text/html")

    async def tell(self, _: web.Request) -> web.Response:
        return web.Response(text=await self.token, headers={"Access-Control-Allow-Origin": "*"})

    async def hear(self, report: web.Request) -> web.Response:
        self.said.set_result(json.loads(await report.text()))
        return web.Response()


@contextlib.asynccontextmanager
async def a_site() -> AsyncIterator[Site]:
    site = Site()
    app = web.Application()
    app.add_routes([web.get("/", site.show), web.get("/token", site.tell), web.post("/said", site.hear)])
    runner = web.AppRunner(app, access_log=None, shutdown_timeout=1)
    await runner.setup()
    try:
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        site.port = runner.addresses[0][1]
        yield site
    finally:
        await runner.cleanup()


def page_of(attempts: dict[str, str], control: Site) -> str:
    steps = "".join(f"said[{json.dumps(name)}] = await {call};" for name, call in attempts.items())
    return _PAGE.replace("ATTEMPTS", steps).replace("CONTROL", control.address)


@contextlib.asynccontextmanager
async def looking_at(address: str, folder: Path) -> AsyncIterator[None]:
    """Start a browser on a page, with a profile of its own."""
    assert CHROMIUM
    browser = await asyncio.create_subprocess_exec(
        CHROMIUM, *FLAGS, f"--user-data-dir={folder}", address, stdin=DEVNULL, stdout=DEVNULL, stderr=DEVNULL
    )
    try:
        async with asyncio.timeout(START_S):
            yield
    finally:
        with contextlib.suppress(ProcessLookupError):
            browser.terminate()
        await browser.wait()


@contextlib.asynccontextmanager
async def listening(transport: str, port: int = 0) -> AsyncIterator[tuple[int, str]]:
    async with running(transport, str(port)) as process:
        port = int((await said(process, "twospeed: listening on ")).rpartition(":")[2])
        yield port, await said(process, "twospeed: token: ")


@pytest.mark.security("R6.2")
@pytest.mark.security("R6.3")
async def test_a_foreign_page_changes_nothing_and_blocks_no_client(tmp_path: Path) -> None:
    async with listening("--ws") as (ws, ws_token), listening("--tcp") as (tcp, tcp_token), a_site() as site:
        site.token.set_result(ws_token)
        deadly = b"".join(
            encode_frame(json.dumps(message).encode())
            for message in (initialize(tcp_token), notification("exit"))
        )
        body, hello = json.dumps(deadly.decode()), json.dumps(json.dumps(initialize()))
        right = "'twospeed.token.' + token"
        sockets = {
            "with the token": f"opened('ws://127.0.0.1:{ws}/', {right}, {hello})",
            "without one": f"opened('ws://localhost:{ws}/', [], {hello})",
            "by a rebound name": f"opened('ws://evil.example:{ws}/', {right}, {hello})",
            "to the other port": f"opened('ws://127.0.0.1:{tcp}/', {right}, {hello})",
        }
        images = {f"image {n}": f"looked('http://127.0.0.1:{ws}/{n}.png')" for n in range(12)}
        posts = {
            f"post to {port}": f"fetched('http://127.0.0.1:{port}/', {{method: 'POST', body: {body}}})"
            for port in (ws, tcp)
        }
        forms = {f"form to {port}": f"posted('http://127.0.0.1:{port}/', {body})" for port in (ws, tcp)}
        site.page = page_of(sockets | images | posts | forms, site)
        async with looking_at(site.address, tmp_path):
            came_of_it = await site.said
        assert {came_of_it[name] for name in sockets} == {"closed"}
        assert {came_of_it[name] for name in (*images, *posts)} == {"failed"}
        assert {came_of_it[name] for name in forms} == {"left"}, "an error page of the browser's stands there"
        owner = await Peer.over_tcp(tcp)
        owner.send(initialize(tcp_token), request(1, "twospeed/status", {}))
        assert "result" in await owner.reply_to(1)
        await owner.close()
        async with connect(f"ws://127.0.0.1:{ws}", subprotocols=[Subprotocol(f"twospeed.token.{ws_token}")]):
            pass


@pytest.mark.security("R6.2")
async def test_a_page_of_the_servers_address_is_accepted_with_the_token(tmp_path: Path) -> None:
    async with a_site() as control, contextlib.AsyncExitStack() as until_shown:
        front = await until_shown.enter_async_context(a_site())
        port, hello = front.port, json.dumps(json.dumps(initialize()))
        tokens = {"right": "'twospeed.token.' + token", "wrong": "'twospeed.token.0' + token", "none": "[]"}
        attempts = {
            name: f"opened('ws://127.0.0.1:{port}/', {protocol}, {hello})"
            for name, protocol in tokens.items()
        }
        front.page = page_of(attempts, control)
        async with looking_at(front.address, tmp_path):
            await front.is_shown.wait()
            await until_shown.aclose()  # the page stays; its place is taken by twospeed
            async with listening("--ws", port) as (_, token):
                control.token.set_result(token)
                came_of_it = await control.said
    assert came_of_it["right"].startswith('string {"jsonrpc":')
    assert '"result"' in came_of_it["right"]
    assert (came_of_it["wrong"], came_of_it["none"]) == ("closed", "closed")
