"""``twospeed edit -`` filters stdin to stdout."""

from __future__ import annotations

import asyncio
import json
import sys

import pytest
from tests.e2e.shell import BUILTIN, CODE, Shell, check_complaint

from twospeed.testing.script import Script
from twospeed.testing.scripted_server import ScriptedServer

pytestmark = pytest.mark.process

BOM = b"\xef\xbb\xbf"
OLD = b"def f(amount):\n    return amount\n"


async def filtered(shell: Shell, data: bytes, *arguments: str) -> tuple[int | None, bytes, str]:
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "twospeed", "edit", "-", *arguments, cwd=shell.folder, env=shell.environment,
        stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE,
    )  # fmt: skip
    async with asyncio.timeout(60):
        out, err = await process.communicate(data)
    return process.returncode, out, err.decode()


@pytest.mark.parametrize(
    "old",
    [OLD, BOM + OLD.replace(b"\n", b"\r\n"), OLD.rstrip(b"\n")],
    ids=["plain", "BOM, CRLF", "no final newline"],
)
async def test_stdin_is_edited_to_stdout(shell, old) -> None:
    shell.configure(BUILTIN)
    run = await filtered(shell, old, "rename amount to total", "--path-name", "shop.py")
    assert run == (0, old.replace(b"amount", b"total"), "")
    assert shell.names() == ["config.toml"]


async def test_the_language_is_that_of_the_path_name(shell) -> None:
    shell.file("shop.py")
    async with ScriptedServer(lambda _: Script("x = 2\n")) as model:
        shell.use_model(model.base_url)
        run = await filtered(shell, b"x = 1\n", "count", "--path-name", "shop.py")
        assert run == (0, b"x = 2\n", "")
        assert "shop.py" in str(model.requests[0].body)
    assert (shell.folder / "shop.py").read_text() == CODE


async def test_an_unchanged_text_is_passed_on(shell) -> None:
    async with ScriptedServer([Script("x = 1\n")]) as model:
        shell.use_model(model.base_url)
        assert await filtered(shell, b"x = 1\n", "nothing", "--path-name", "a.py") == (0, b"x = 1\n", "")


async def test_a_refusal_prints_no_text(shell) -> None:
    shell.configure(BUILTIN)
    status, out, err = await filtered(shell, OLD, "make it faster", "--path-name", "a.py")
    assert (status, out) == (1, b"")
    assert err.startswith("twospeed: refused: ")
    assert err.count("\n") == 1


async def test_binary_input_is_refused(shell) -> None:
    shell.configure(BUILTIN)
    status, out, err = await filtered(shell, b"a\0b", "x", "--path-name", "a.py")
    assert (status, out, err) == (2, b"", "twospeed: a.py: this is a binary file, not UTF-8 text\n")


async def test_json_of_a_filter_is_one_document(shell) -> None:
    shell.configure(BUILTIN)
    status, out, err = await filtered(shell, OLD, "rename amount to total", "--path-name", "a.py", "--json")
    assert (status, err) == (0, "")
    assert (json.loads(out)["file"], json.loads(out)["newText"]) == (
        "a.py",
        OLD.decode().replace("amount", "total"),
    )


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["-", "x", "--write"], "- goes without"),
        (["-", "x", "--save", "e.json"], "- goes without"),
        (["-", "x", "--mode", "both"], "- goes without"),
        (["-", "cart.py:1", "x"], "- goes without"),
        (["-", "x", "--scope", "function"], "--scope function needs a line"),
        (["cart.py", "x", "--path-name", "a.py"], "--path-name is for the target -"),
        (["-"], "required: INSTRUCTION"),
    ],
)
async def test_options_that_do_not_fit_a_filter_are_refused(shell, arguments, words) -> None:
    shell.configure(BUILTIN)
    shell.file("cart.py")
    run = await shell.run("edit", *arguments)
    check_complaint(run, 2, words)
    assert run.out == ""
