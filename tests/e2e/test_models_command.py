"""``twospeed models`` as a real process: lanes in order, with the reason why a model is not ready."""

from __future__ import annotations

import json

import pytest
from tests.e2e.shell import BUILTIN, Shell
from tests.lane_config import lab, lane

pytestmark = pytest.mark.process


async def test_the_entries_of_a_lane_are_listed_in_their_order_with_reasons(shell: Shell) -> None:
    shell.environment["PYTHON_KEYRING_BACKEND"] = "keyring.backends.fail.Keyring"
    shell.configure(lab("https://lab.example/v1", api_key_env="LAB_API_KEY") + BUILTIN)
    run = await shell.run("models")
    assert run.status == 0
    assert run.out.splitlines() == [
        "⚡ lightning",
        "  not ready lab/m  no key in LAB_API_KEY or the keyring (the system has no keyring)",
        "  in use    builtin/rules",
        "🧠 deep",
        "  in use    builtin/rules",
    ]


async def test_json_has_each_entry_with_its_state(shell: Shell) -> None:
    shell.configure(lab("https://lab.example/v1", api_key_env="LAB_API_KEY") + BUILTIN)
    report = json.loads((await shell.run("models", "--json")).out)
    assert report["mode"] == "lightning"
    assert [(each["model"], each["ready"]) for each in report["lanes"]["lightning"]] == [
        ("m", False),
        ("rules", True),
    ]


async def test_a_config_error_is_reported_instead_of_lanes(shell: Shell) -> None:
    shell.configure(lane("lightning", "nowhere"))
    run = await shell.run("models")
    assert (run.status, run.out) == (2, "")
    assert "there is no such provider" in run.err
