"""A real process whose keyring works, hangs or fails starts and exits in time."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from tests.lane_config import lab
from tests.security.server_process import ANSWER, server_process
from tests.security.sinks import KEY

from twospeed.testing.script import Script
from twospeed.testing.scripted_server import ScriptedServer

pytestmark = [pytest.mark.security("R7"), pytest.mark.process]

REPOSITORY = Path(__file__).parents[2]


def environment(config: Path, backend: str, **kept: str) -> dict[str, str]:
    return {
        **os.environ,
        "TWOSPEED_CONFIG": str(config),
        "PYTHON_KEYRING_BACKEND": backend,
        "PYTHONPATH": os.pathsep.join((str(REPOSITORY), os.environ.get("PYTHONPATH", ""))),
        "TEST_KEYRING": json.dumps(kept),
    }


BACKEND = "tests.models.keyring_backend.Backend"
SKIPPED = "mode; skipped lab/m: no key in LAB_API_KEY or the keyring"


@pytest.mark.parametrize(
    ("backend", "kept", "route"),
    [
        (BACKEND, KEY, "mode"),
        (BACKEND, "hang", f"{SKIPPED} (the keyring did not answer within 2 s)"),
        ("keyring.backends.fail.Keyring", "", f"{SKIPPED} (the system has no keyring)"),
        ("no_such_module.Keyring", "", f"{SKIPPED} (the keyring failed with ModuleNotFoundError)"),
    ],
    ids=["there", "hung", "headless", "broken"],
)
async def test_a_failing_keyring_does_not_block_an_edit(
    tmp_path: Path, backend: str, kept: str, route: str
) -> None:
    config, document = tmp_path / "config.toml", (tmp_path / "a.py").as_uri()
    async with ScriptedServer([Script(ANSWER)]) as provider:
        config.write_text(lab(provider.base_url, api_key_env="LAB_API_KEY"))
        async with server_process(environment(config, backend, lab=kept), cwd=tmp_path) as server:
            await server.initialize(tmp_path)
            server.open(document)
            result = (await server.edit(document, "Add a doc comment."))["result"]
            assert result["route"] == route
        assert [request.headers["authorization"] for request in provider.requests] == [f"Bearer {KEY}"] * (
            kept == KEY
        )
    assert server.errors == b""
