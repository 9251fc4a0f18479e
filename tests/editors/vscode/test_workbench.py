"""Runs `workbench_tests.ts` in the real VS Code workbench, with a real server and a scripted model."""

from __future__ import annotations

import asyncio
import itertools
import json
import os
import shlex
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.editors.conformance.held_model import last_message_of
from tests.editors.conformance.wire import TWOSPEED, wire
from tests.editors.scenarios import scope_of
from tests.editors.vscode.code_server import code_server, write_settings
from tests.lane_config import two_speeds

from twospeed.testing.script import Hang, Reply, Script
from twospeed.testing.scripted_server import RecordedRequest, ScriptedServer

pytestmark = pytest.mark.process

if "TWOSPEED_WORKBENCH" not in os.environ:
    pytest.skip("the workbench is not installed: make test-vscode", allow_module_level=True)

HERE = Path(__file__).parent
FIXTURES = HERE / "fixtures"

LIMIT_S = 600
PACES = {"fast": 100, "slow": 40}
"""Tokens per second by model: the answer takes 2.5 seconds, or longer so that the test can type."""

NAMING = '    if customer:\n        lines.append("für " + customer)\n'

PROGRAM = """\
#!/bin/sh
[ "$1" = serve ] && exec {tapped}
exec {twospeed} "$@"
"""
"""The program in the settings: it starts the server behind the tap, and other commands directly."""

BEFORE, AFTER = ((FIXTURES / name).read_text("utf-8") for name in ("before.txt", "after.txt"))


def function(text: str, name: str) -> str:
    return text[text.index(f"def {name}") :].partition("\n\n\n")[0].rstrip()


def fenced(code: str) -> str:
    return f"Here it is:\n\n```python\n{code}\n```\n"


RECEIPT, OWED = function(BEFORE, "receipt"), function(BEFORE, "owed")
EXACT = OWED.replace("sum(item.price for item in items)", "Decimal(sum(item.price for item in items))")
VERIFY = '[verify.commands.python]\ncheck = ["grep", "mended", "{file}"]\n'
DRAFT = RECEIPT.replace('"total "', '"TOTAL "')
DEEPENED = DRAFT.replace("lines = []", "lines: list[str] = []").replace("return lines", "return tuple(lines)")
TOTAL = "def total(items):\n    return Decimal(sum(item.price for item in items))"
BEGINNING = "    lines = []\n    total = 0\n"
ELIDED = RECEIPT.replace(BEGINNING, "    # ... as before\n").replace("item.", "entry.")
_numbers = itertools.count(1)


def _with_note(note: str) -> str:
    return fenced(OWED.replace("return", f"# {note}\n    return"))


def _followed(request: RecordedRequest) -> str:
    is_follow_up = "say the mode" in json.dumps(request.body["messages"])
    return _with_note("after it" if is_follow_up else "after nothing")


def _broken(request: RecordedRequest) -> str:
    return fenced(OWED.replace("items):", "items:")) if request.model == "fast" else _with_note("mended")


def _hiding(request: RecordedRequest) -> str:
    is_review = request.model == "slow"
    return "2: bug: this note says nothing" if is_review else _with_note("no\u200bte")


def _mended(request: RecordedRequest) -> str:
    is_note = "# missing" in json.dumps(request.body["messages"])
    return _with_note("mended") if is_note else fenced(f"{EXACT}  # mended")


def _fixed(request: RecordedRequest) -> str:
    return fenced(scope_of(last_message_of(request.body)).replace("    return ", "    # fixed\n    return "))


def _called(request: RecordedRequest) -> str:
    return fenced(scope_of(last_message_of(request.body)).replace("[3])", "[3], 1)"))


def _deepened(request: RecordedRequest) -> str:
    return fenced(DEEPENED if request.model == "slow" else DRAFT)


ANSWERS: dict[str, Callable[[RecordedRequest], str]] = {
    "add the tax": lambda _: fenced(function(AFTER, "receipt")),
    "rather shout": lambda _: fenced(RECEIPT.replace('"total "', '"TOTAL "')),
    "drop the name": lambda _: fenced(RECEIPT.replace(NAMING, "")),
    "whole file": lambda _: fenced(BEFORE.replace("0.2", "0.25")),
    "only the rate": lambda _: fenced("RATE = 0.25"),
    "vary it": lambda _: _with_note(f"answer {next(_numbers)}"),
    "say the mode": lambda request: _with_note(request.model),
    "go on": _followed,
    "break it": _broken,
    "leave it out": lambda _: f"The beginning stays.\n\n{fenced(ELIDED)}",
    "hide something": _hiding,
    "bring an import": lambda _: fenced(f"from decimal import Decimal\n\n\n{EXACT}"),
    "Mend this code": _mended,
    "Fix every problem": _fixed,
    "take a rate": lambda _: fenced(OWED.replace("(items)", "(items, rate)", 1)),
    "Update this call": _called,
    "miss a name": lambda _: _with_note("missing"),
    "think twice": _deepened,
    "think for ever": _deepened,
    "add the prices": lambda _: fenced(f"from decimal import Decimal\n\n\n{TOTAL}"),
    "lead astray": lambda _: "",
}
"""The answers by a part of the instruction."""

ASTRAY = json.dumps(
    {"error": {"message": "[look](command:workbench.action.openSettings) here", "type": "refused"}}
)
"""The error of a hostile provider, with a link to a command."""

STREAMED = ("add the tax",)
"""Instructions with streamed answers; other answers arrive at once."""


def play(request: RecordedRequest) -> Script:
    """Return the answer to the last instruction in the prompt."""
    messages = json.dumps(request.body["messages"])
    instruction = max(ANSWERS, key=messages.rfind)
    if instruction == "lead astray":
        return Script(faults=(Reply(400, {}, ASTRAY.encode()),))
    if instruction == "think for ever" and request.model == "slow":
        return Script("x", faults=(Hang(after_tokens=0),))
    pace = PACES[request.model] if instruction in STREAMED else 0
    return Script(ANSWERS[instruction](request), tokens_per_second=pace, first_token_s=0.1)


async def test_extension_passes_its_tests_in_the_workbench(tmp_path):
    (tmp_path / "project").mkdir()
    program = tmp_path / "program"
    write_settings(tmp_path, {"twospeed.command": [str(program)]})
    async with ScriptedServer(play) as model, wire(tmp_path) as messages:
        program.write_text(PROGRAM.format(tapped=shlex.join(messages.command), twospeed=shlex.join(TWOSPEED)))
        program.chmod(0o755)
        (tmp_path / "config.toml").write_text(two_speeds(model.base_url) + VERIFY)
        environment = {
            **os.environ,
            "TWOSPEED_CONFIG": str(tmp_path / "config.toml"),
            "TWOSPEED_FIXTURES": str(FIXTURES),
            "TWOSPEED_WORKBENCH_SOCKET": str(tmp_path / "workbench_socket"),
            "TWOSPEED_SCRATCH": str(tmp_path),
        }
        async with code_server(tmp_path, environment) as address:
            browser = await asyncio.create_subprocess_exec(
                "node", HERE / "workbench.mjs", env={**environment, "TWOSPEED_ADDRESS": address}
            )
            status = await asyncio.wait_for(browser.wait(), LIMIT_S)
    assert status == 0, f"see {tmp_path / 'screen.png'} and {tmp_path / 'code-server.log'}"
    assert messages.from_editor("twospeed/prepare"), "the extension announced no likely edit"
    check_cells([json.dumps(request.body["messages"]) for request in model.requests])


def check_cells(prompts: list[str]) -> None:
    """Check that the edits in notebooks read the cell above and not the one below."""
    in_notebooks = [prompt for prompt in prompts if "CELL_ABOVE = 1" in prompt]
    assert in_notebooks or os.environ.get("TWOSPEED_ONLY")
    assert not any("CELL_BELOW" in prompt for prompt in prompts)
