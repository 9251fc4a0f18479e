"""The log contains events but no text of documents, prompts or keys."""

from __future__ import annotations

import asyncio
import os
import stat
import sys
from pathlib import Path

import pytest
from tests.lane_config import lab

from twospeed.testing.script import Reply, Script
from twospeed.testing.scripted_server import ScriptedServer

pytestmark = pytest.mark.process

KEY = "sk-canary-0123456789abcdef"
CODE = 'def secret_formula(canary):\n    return canary * 42, "document canary"\n'
INSTRUCTION = "instruction canary"

FAULTS = (
    Reply(status=401, body=b'{"error": {"message": "bad key sk-canary-0123456789abcdef"}}'),
    Reply(status=500, body=b"document canary"),
    Reply(status=302, headers={"Location": "https://elsewhere.example/v1"}),
)


@pytest.mark.security("R7")
@pytest.mark.parametrize("fault", [None, *FAULTS], ids=lambda fault: str(fault.status) if fault else "fine")
async def test_neither_keys_nor_text_are_written_anywhere(
    tmp_path: Path, home: Path, fault: Reply | None
) -> None:
    source = tmp_path / "formula.py"
    source.write_text(CODE)
    script = Script(CODE.replace("42", "43"), faults=(fault,) if fault else ())
    async with ScriptedServer([script, script, script]) as server:
        config = tmp_path / "config.toml"
        config.write_text(lab(server.base_url, api_key_env="LAB_API_KEY"))
        process = await asyncio.create_subprocess_exec(
            *[sys.executable, "-m", "twospeed", "edit", f"{source}:2", INSTRUCTION],
            env={**os.environ, "TWOSPEED_CONFIG": str(config), "LAB_API_KEY": KEY},
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
        )
        out, err = await asyncio.wait_for(process.communicate(), 20)
        assert process.returncode == (3 if fault else 0)
        sent = {name.lower(): value for name, value in server.requests[0].headers.items()}
        assert sent["authorization"] == f"Bearer {KEY}"
    assert KEY.encode() not in out + err
    check_written(home)


def check_written(home: Path) -> None:
    for path in (each for each in home.rglob("*") if each.is_file()):
        written = path.read_bytes()
        for canary in (KEY.encode(), b"canary"):
            assert canary not in written, path.name
        if path.suffix == ".log":
            assert stat.S_IMODE(path.stat().st_mode) == 0o600
