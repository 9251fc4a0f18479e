"""A certificate for localhost that is trusted in one run only; `openssl` makes it."""

from __future__ import annotations

import asyncio
import contextlib
import os
import ssl
import subprocess
import sys
import tempfile
from contextlib import AbstractAsyncContextManager
from pathlib import Path

from benchmarks.relay import CHUNK_BYTES, relay

_TRUSTED = "SSL_CERT_FILE"
_KEY_FILE = "BENCHMARK_KEY_FILE"


def is_trusted_here() -> bool:
    """Return whether `run_trusting_it` started this process."""
    return _KEY_FILE in os.environ


def run_trusting_it(module: str) -> None:
    """Run a module with this command line in a process that trusts a new certificate."""
    with tempfile.TemporaryDirectory() as folder:
        certificate, key = Path(folder, "certificate.pem"), Path(folder, "key.pem")
        subprocess.run(
            ["openssl", "req", "-x509", "-nodes", "-days", "2", "-newkey", "ec", "-pkeyopt",
             "ec_paramgen_curve:P-256", "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost",
             "-keyout", str(key), "-out", str(certificate)],
            check=True, capture_output=True,
        )  # fmt: skip
        environ = {**os.environ, _TRUSTED: str(certificate), _KEY_FILE: str(key)}
        subprocess.run([sys.executable, "-m", module, *sys.argv[1:]], env=environ, check=True)


def server_context() -> ssl.SSLContext:
    """Return the server's TLS context; only in a process that trusts the certificate."""
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(os.environ[_TRUSTED], os.environ[_KEY_FILE])
    return context


def behind_tls(target_port: int) -> AbstractAsyncContextManager[int]:
    """Yield a port that offers a server without TLS, on this machine, over TLS."""
    return relay(target_port, there=_pass_on, back=_pass_on, tls=server_context())


async def _pass_on(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with contextlib.suppress(ConnectionError):
        while data := await reader.read(CHUNK_BYTES):
            writer.write(data)
    writer.close()
