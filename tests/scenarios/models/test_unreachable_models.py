"""An unreachable model ends in one outcome, and the other mode works as before."""

from __future__ import annotations

import asyncio
import socket
import ssl
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import aiohttp
import pytest
from tests.scenarios.editor import STREAMING, URI
from tests.scenarios.model_lanes import KEY, Time, check_ending, editor_on
from tests.scenarios.raw_endpoint import endpoint
from tests.scenarios.shop import EDITED, NEW

from twospeed.testing.script import Script
from twospeed.testing.scripted_server import ScriptedServer

EDITORS = pytest.mark.parametrize("capabilities", [{}, STREAMING], ids=["stock", "streaming"])


def nobody_listens() -> str:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return f"http://127.0.0.1:{free.getsockname()[1]}/v1"


def place_of(base_url: str) -> str:
    return base_url.split("/")[2]


@EDITORS
async def test_a_refused_connection_is_reported(tmp_path: Path, capabilities: Any) -> None:
    base_url = nobody_listens()
    await check_unreachable(tmp_path, base_url, capabilities, words=f"no connection to {place_of(base_url)}")


@EDITORS
async def test_an_unknown_host_name_is_reported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capabilities: Any
) -> None:
    async def resolve(*_: object, **__: object) -> list[Any]:
        raise OSError(None, "no such name")

    monkeypatch.setattr(aiohttp.ThreadedResolver, "resolve", resolve)
    await check_unreachable(
        tmp_path, "https://models.invalid/v1", capabilities, words="there is no host models.invalid"
    )


@EDITORS
async def test_a_server_without_tls_is_reported(tmp_path: Path, capabilities: Any) -> None:
    async with ScriptedServer() as plain:
        base_url = plain.base_url.replace("http:", "https:")
        await check_unreachable(tmp_path, base_url, capabilities, words="no secure connection to 127.0.0.1")
        assert plain.requests == []


@pytest.mark.security("R8")
@EDITORS
async def test_an_untrusted_certificate_is_reported(tmp_path: Path, capabilities: Any) -> None:
    was_asked: list[object] = []

    async def note(writer: asyncio.StreamWriter) -> None:
        was_asked.append(writer)

    async with endpoint([note] * 3, context=self_signed(tmp_path)) as base_url:
        words = f"the certificate of {place_of(base_url)} is not valid"
        await check_unreachable(tmp_path, base_url, capabilities, words=words)
    assert was_asked == []


async def check_unreachable(tmp_path: Path, base_url: str, capabilities: Any, *, words: str) -> None:
    """Assert that lightning cannot be reached and deep works as before."""
    async with (
        ScriptedServer(lambda _: Script(NEW)) as good,
        editor_on(
            tmp_path,
            {"lab": base_url},
            Time(),
            deep={"second": good.base_url},
            key=KEY,
            capabilities=capabilities,
        ) as editor,
    ):
        result = await editor.edit(4)
        check_ending(editor, result, outcome="failed", code="model-unavailable", words=words)
        result = await editor.edit(4, mode="deep")
        assert (result["outcome"], editor.buffers[URI].text) == ("applied", EDITED)


def self_signed(folder: Path) -> ssl.SSLContext:
    """Create a self-signed certificate for 127.0.0.1."""
    x509 = pytest.importorskip("cryptography.x509")
    from cryptography.hazmat.primitives import hashes, serialization  # noqa: PLC0415
    from cryptography.hazmat.primitives.asymmetric import ec  # noqa: PLC0415

    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "127.0.0.1")])
    now = datetime.now(UTC)
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(1)
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .sign(key, hashes.SHA256())
    )
    pem, encoding = folder / "server.pem", serialization.Encoding.PEM
    pem.write_bytes(
        key.private_bytes(encoding, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
        + certificate.public_bytes(encoding)
    )
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(pem)
    return context
