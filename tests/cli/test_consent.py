"""A question asked at a real terminal, played by a pseudo-terminal."""

import asyncio
import os
import pty
import sys

import pytest

from twospeed.cli.client.terminal import ask_user

QUESTION = "Send code to api.example.com?"
ASK = "import asyncio, sys; from twospeed.cli.client.terminal import ask_user; "
ASK += f"print(asyncio.run(ask_user({QUESTION!r}, ['Use it', 'No'])))"


async def answer_typed(typed: bytes) -> str:
    terminal, child_side = pty.openpty()
    try:
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-c", ASK, stdin=child_side, stderr=child_side, stdout=asyncio.subprocess.PIPE
        )
        os.close(child_side)
        loop = asyncio.get_running_loop()
        shown = loop.create_future()
        seen = bytearray()

        def read() -> None:
            seen.extend(os.read(terminal, 1024))
            if seen.endswith(b"[y/N] ") and not shown.done():
                shown.set_result(None)

        loop.add_reader(terminal, read)
        await asyncio.wait_for(shown, 60)
        loop.remove_reader(terminal)
        assert seen.decode() == f"{QUESTION} [y/N] "
        os.write(terminal, typed)
        output, _ = await process.communicate()
        return output.decode().strip()
    finally:
        os.close(terminal)


@pytest.mark.parametrize(
    ("typed", "answer"),
    [(b"y\n", "Use it"), (b"YES\n", "Use it"), (b"\n", "None"), (b"n\n", "None"), (b"\x04", "None")],
)
async def test_only_a_typed_yes_is_consent(typed, answer) -> None:
    assert await answer_typed(typed) == answer


async def test_a_question_without_answers_is_only_shown(capsys) -> None:
    assert await ask_user("just so you know", []) is None
    assert capsys.readouterr().err == "twospeed: just so you know\n"
