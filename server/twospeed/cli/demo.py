"""``python -m twospeed.cli.demo``: a real edit, a recorded answer at two speeds, and a refusal; no key, no network.

All use the real server on a copy of ``examples``. Its environment excludes the user's keys, config and state.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import shutil
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from itertools import count
from pathlib import Path

from twospeed.errors import TwospeedError
from twospeed.text.lines import split_lines

from .client.server_session import EditParams, ServerSession
from .client.terminal import Interrupts, run_interruptible
from .edit.command import EditJob, edit_document, view_for
from .edit.target import parse_target
from .exits import OK, BadInput, ServerTrouble, exit_status
from .files import read_source, write_source
from .render import ShownResult
from .visible import complain, write_out

EXAMPLES = Path(__file__).parents[3] / "examples"
RECORDED = EXAMPLES / "recorded" / "stock.txt"

BUILTIN_TARGET = "examples/inventory.py:61"
BUILTIN_INSTRUCTION = "rename parts to found"
SPEEDS_TARGET = "examples/inventory.py:27"
SPEEDS_INSTRUCTION = "check what comes in, and fail with a clear message"

_PACES = {"fast-1000": (1000.0, 0.03), "deep-100": (100.0, 0.25)}
"""Tokens per second, and seconds before the first one, of each simulated model."""
_KEPT_VARIABLES = ("PATH", "PYTHONPATH", "PYTHONHOME", "LANG", "LC_ALL", "SYSTEMROOT", "TERM")

_BUILTIN_CONFIG = """\
[[lanes.lightning]]
provider = "builtin"
model = "rules"
"""
_SPEEDS_CONFIG = """\
[[lanes.lightning]]
provider = "simulated"
model = "fast-1000"
[[lanes.deep]]
provider = "simulated"
model = "deep-100"
[providers.simulated]
api = "chat"
base_url = "{base_url}"
"""

_WHAT_NEXT = """
Next steps
  in a browser    .venv/bin/twospeed web FILE
                  type while an answer arrives, and accept or reject each change
  your own file   .venv/bin/twospeed edit FILE:LINE "what to do"
                  shows the change, and asks before it writes
  your own model  set the variable of a key, such as OPENAI_API_KEY, or start a
                  model server on this machine, or name any endpoint;
                  .venv/bin/twospeed doctor shows what it found
  your editor     follow editors/README.md
"""


def main() -> int:
    """Run the demo; return the exit status."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
    try:
        with _playground():
            return run_interruptible(_demo)
    except TwospeedError as error:
        complain(f"the demo failed: {error}")
        return exit_status(error)


@contextlib.contextmanager
def _playground() -> Iterator[None]:
    if not RECORDED.is_file():
        raise BadInput("the folder examples is missing; run the demo in a checkout of the repository")
    with tempfile.TemporaryDirectory(prefix="twospeed-demo-") as folder:
        shutil.copytree(EXAMPLES, Path(folder) / "examples")
        with contextlib.chdir(folder):
            yield


async def _demo(interrupts: Interrupts) -> int:
    _print("This works on a copy of the folder examples; your files stay as they are.\n")
    await _edit_for_real(interrupts)
    await _compare_speeds(interrupts)
    _print(_WHAT_NEXT)
    return OK


async def _edit_for_real(interrupts: Interrupts) -> None:
    _print("1. A real edit by the built-in engine: no model, no key, no network")
    _print(f'   twospeed edit {BUILTIN_TARGET} "{BUILTIN_INSTRUCTION}" --write\n')
    async with _session(_BUILTIN_CONFIG) as session:
        interrupts.session = session
        await _edit(session, BUILTIN_TARGET, BUILTIN_INSTRUCTION, write=True)


async def _compare_speeds(interrupts: Interrupts) -> None:
    from twospeed.testing.script import Script  # noqa: PLC0415  # aiohttp: the server of part one starts first
    from twospeed.testing.scripted_server import RecordedRequest, ScriptedServer  # noqa: PLC0415  # as above

    answer = RECORDED.read_text("utf-8")
    cut = f"```python\n{answer[: len(answer) // 2]}"
    n_requests = count(1)

    def play(request: RecordedRequest) -> Script:
        tokens_per_second, first_token_s = _PACES[request.model]
        is_cut = next(n_requests) > len(_PACES)
        text, finish = (cut, "length") if is_cut else (answer, "stop")
        return Script(
            text, tokens_per_second=tokens_per_second, first_token_s=first_token_s, finish_reason=finish
        )

    _print("\n2. Two speeds, SIMULATED: one recorded answer, streamed over HTTP")
    _print(f'   twospeed edit {SPEEDS_TARGET} \\\n     "{SPEEDS_INSTRUCTION}"')
    async with (
        ScriptedServer(play) as model,
        _session(_SPEEDS_CONFIG.format(base_url=model.base_url)) as session,
    ):
        interrupts.session = session
        _print("\n   lightning, 1000 tokens per second\n")
        lightning = await _edit(session, SPEEDS_TARGET, SPEEDS_INSTRUCTION)
        state = await session.set_mode()
        _print(f"\n   mode switched to {state.mode}: the same answer, 100 tokens per second\n")
        deep = await _edit(session, SPEEDS_TARGET, SPEEDS_INSTRUCTION)
        n_tokens = deep.result.stats.output_tokens
        _print(f"\n   the same {n_tokens} tokens: ⚡ {_seconds(lightning)}, 🧠 {_seconds(deep)}")
        _print("\n3. A model that stops in the middle of its answer: the file stays as it is\n")
        await session.set_mode("lightning")
        refused = await _edit(session, SPEEDS_TARGET, SPEEDS_INSTRUCTION, expected="refused")
        if refused.result.reason:
            _print(f"   {refused.result.reason.message}")


async def _edit(
    session: ServerSession,
    target_text: str,
    instruction: str,
    *,
    write: bool = False,
    expected: str = "applied",
) -> ShownResult:
    target = parse_target(target_text)
    source = read_source(target.path)
    job = EditJob(source, EditParams(target.range_in(split_lines(source.text)), instruction, target.scope))
    document = session.open_document(job.path, source.text)
    with view_for(sys.stdout, job.path) as view:
        ending = await edit_document(session, document, job, view)
        if write:  # a copy, which is not the user's to take back
            write_source(source, ending.new)
        view.finished(replace(ending, written=write, writable=write))
    session.close_document(document)
    result = ending.result
    if result.outcome == "cancelled":
        raise asyncio.CancelledError  # by Ctrl+C, which ends the whole demo
    if result.outcome != expected:
        why = f": {result.reason.message}" if result.reason else ""
        raise ServerTrouble(f"an edit ended as {result.outcome}{why}")
    return ending


def _session(config: str) -> ServerSession:
    home = Path.cwd()
    path = home / "config.toml"
    path.write_text(config, "utf-8")
    environment = {name: os.environ[name] for name in _KEPT_VARIABLES if name in os.environ}
    folders = {"HOME": home, "XDG_CONFIG_HOME": home, "XDG_STATE_HOME": home, "XDG_CACHE_HOME": home}
    environment |= {name: str(folder) for name, folder in folders.items()}
    return ServerSession(home / "examples", environment=environment | {"TWOSPEED_CONFIG": str(path)})


def _seconds(ending: ShownResult) -> str:
    return f"{ending.result.stats.duration_ms / 1000:.2f} s"


def _print(text: str) -> None:
    write_out(sys.stdout, text + "\n")


if __name__ == "__main__":
    sys.exit(main())
