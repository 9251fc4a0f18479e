"""A proxy that records what passes, and certificates of a private authority."""

from __future__ import annotations

import asyncio
import contextlib
import ssl
from collections.abc import AsyncIterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from ipaddress import ip_address
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import pytest

_CHUNK_BYTES = 64 * 1024


class ConnectProxy:
    """``async with ConnectProxy() as proxy``: forwards ``CONNECT`` to a port of this machine.

    Args:
        status: Its response; another than 200 forwards nothing.
        login: The value of ``Proxy-Authorization`` that it requires.

    Attributes:
        address: Its own address.
        requests: The head of each request that it received.
        passed: All bytes that clients sent through it.
    """

    def __init__(self, status: int = 200, login: str = "") -> None:
        self.address = ""
        self.requests: list[str] = []
        self.passed = b""
        self._status = status
        self._login = login
        self._server: asyncio.Server | None = None

    async def __aenter__(self) -> Self:
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", 0)
        self.address = f"http://127.0.0.1:{self._server.sockets[0].getsockname()[1]}"
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        assert self._server is not None
        self._server.close()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(ConnectionError, asyncio.IncompleteReadError):
            await self._answer(reader, writer)
        writer.close()

    async def _answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = (await reader.readuntil(b"\r\n\r\n")).decode()
        self.requests.append(head)
        method, place, _ = head.split(" ", 2)
        is_allowed = not self._login or f"Proxy-Authorization: {self._login}" in head
        status = self._status if is_allowed else 407
        writer.write(f"HTTP/1.1 {status} Any\r\n\r\n".encode())
        if status == 200 and method == "CONNECT":
            port = int(place.rpartition(":")[2])
            target = await asyncio.open_connection("127.0.0.1", port)
            await asyncio.gather(self._record(reader, target[1]), _pass_on(target[0], writer))

    async def _record(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while data := await reader.read(_CHUNK_BYTES):
            self.passed += data
            writer.write(data)
        writer.close()


@contextlib.asynccontextmanager
async def over_tls(port: int, context: ssl.SSLContext) -> AsyncIterator[int]:
    """Yield a port that offers the server at another one over TLS."""

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        target = await asyncio.open_connection("127.0.0.1", port)
        await asyncio.gather(_pass_on(reader, target[1]), _pass_on(target[0], writer))

    server = await asyncio.start_server(serve, "127.0.0.1", 0, ssl=context)
    try:
        yield server.sockets[0].getsockname()[1]
    finally:
        server.close()


async def _pass_on(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with contextlib.suppress(ConnectionError, ssl.SSLError):
        while data := await reader.read(_CHUNK_BYTES):
            writer.write(data)
    writer.close()


@dataclass(frozen=True)
class Authority:
    """A private certificate authority, and certificates that it issued.

    Attributes:
        ca_file: Its own certificate.
        server: The context of a server at ``model.test`` and 127.0.0.1, which requires a client certificate if asked to.
        client_cert: A certificate for a client with its key.
    """

    ca_file: Path
    client_cert: Path
    _server_cert: Path

    def server(self, *, requires_client: bool = False) -> ssl.SSLContext:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(self._server_cert)
        if requires_client:
            context.verify_mode = ssl.CERT_REQUIRED
            context.load_verify_locations(self.ca_file)
        return context


def authority_in(folder: Path) -> Authority:
    """Create a private authority; skips without the package cryptography."""
    pytest.importorskip("cryptography")
    from cryptography.hazmat.primitives.asymmetric import ec  # noqa: PLC0415

    key = ec.generate_private_key(ec.SECP256R1())
    own = _certificate("a private authority", key, issuer="a private authority", signed_by=key, is_ca=True)
    ca_file = folder / "ca.pem"
    ca_file.write_bytes(_pem(own))
    issued = []
    for name in ("model.test", "a client"):
        issued_key = ec.generate_private_key(ec.SECP256R1())
        certificate = _certificate(name, issued_key, issuer="a private authority", signed_by=key)
        path = folder / f"{name}.pem"
        path.write_bytes(_pem(certificate, issued_key))
        issued.append(path)
    return Authority(ca_file, issued[1], issued[0])


def _certificate(name: str, key: Any, *, issuer: str, signed_by: Any, is_ca: bool = False) -> Any:
    from cryptography import x509  # noqa: PLC0415
    from cryptography.hazmat.primitives import hashes  # noqa: PLC0415

    now = datetime.now(UTC)
    builder = (
        x509.CertificateBuilder()
        .subject_name(x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, name)]))
        .issuer_name(x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, issuer)]))
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(x509.BasicConstraints(ca=is_ca, path_length=None), critical=True)
    )
    if not is_ca and " " not in name:
        names = [x509.DNSName(name), x509.IPAddress(ip_address("127.0.0.1"))]
        builder = builder.add_extension(x509.SubjectAlternativeName(names), critical=False)
    return builder.sign(signed_by, hashes.SHA256())


def _pem(certificate: Any, key: Any = None) -> bytes:
    from cryptography.hazmat.primitives import serialization  # noqa: PLC0415

    encoding = serialization.Encoding.PEM
    private = (
        key.private_bytes(encoding, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
        if key
        else b""
    )
    return bytes(private + certificate.public_bytes(encoding))
