"""``twospeed undo`` takes back the last edit that was written."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest
from tests.e2e.shell import ANSWER, CODE, Shell, check_complaint
from tests.e2e.test_command_line_questions import QUESTION, terminal
from tests.lane_config import two_speeds

from twospeed.testing.script import Script
from twospeed.testing.scripted_server import ScriptedServer

pytestmark = pytest.mark.process

BOM = b"\xef\xbb\xbf"
NEW = CODE.replace("    return sum", "    # prices, not parts\n    return sum")


async def edited(shell: Shell, *arguments: str, n_answers: int = 1) -> None:
    async with ScriptedServer([Script(ANSWER)] * n_answers) as model:
        shell.use_model(model.base_url)
        run = await shell.run("edit", *arguments, "explain", "--write")
    assert (run.status, run.err) == (0, "")


def kept(shell: Shell) -> Path:
    shell.environment["XDG_STATE_HOME"] = str(shell.folder.parent / "state")
    return shell.folder.parent / "state" / "twospeed" / "undo.json"


@pytest.mark.parametrize(
    "data",
    [CODE.encode(), BOM + CODE.rstrip("\n").replace("\n", "\r\n").encode()],
    ids=["plain", "BOM, CRLF"],
)
async def test_undo_restores_every_byte_once(shell, data) -> None:
    path, state = shell.file("cart.py", data), kept(shell)
    await edited(shell, "cart.py:5")
    assert path.read_bytes() != data
    assert stat.S_IMODE(state.stat().st_mode) == 0o600
    run = await shell.run("undo")
    assert (run.status, run.out, run.err) == (0, f"taken back: explain\n{path}\n", "")
    assert path.read_bytes() == data
    check_complaint(await shell.run("undo"), 2, "there is no edit to take back")


async def test_an_edit_of_several_files_is_one_undo(shell) -> None:
    paths = [shell.file("cart.py"), shell.file("copy.py")]
    await edited(shell, "cart.py:5", "copy.py:5", n_answers=2)
    assert [path.read_text() for path in paths] == [NEW, NEW]
    assert (await shell.run("undo")).status == 0
    assert [path.read_text() for path in paths] == [CODE, CODE]


async def test_if_one_file_has_changed_nothing_is_taken_back(shell) -> None:
    first, second = shell.file("cart.py"), shell.file("copy.py")
    await edited(shell, "cart.py:5", "copy.py:5", n_answers=2)
    second.write_text(NEW + "# mine\n")
    run = await shell.run("undo")
    check_complaint(run, 2, str(second), "has changed since the edit; nothing was taken back")
    assert (first.read_text(), second.read_text()) == (NEW, NEW + "# mine\n")
    second.write_text(NEW)
    assert (await shell.run("undo")).status == 0
    assert first.read_text() == second.read_text() == CODE


async def test_only_the_last_edit_is_taken_back(shell) -> None:
    first, second = shell.file("cart.py"), shell.file("copy.py")
    await edited(shell, "cart.py:5")
    await edited(shell, "copy.py:5")
    assert (await shell.run("undo")).status == 0
    assert (first.read_text(), second.read_text()) == (NEW, CODE)
    assert (await shell.run("undo")).status == 2


async def test_a_preview_is_not_an_edit_to_take_back(shell) -> None:
    shell.file("cart.py")
    async with ScriptedServer([Script(ANSWER)]) as model:
        shell.use_model(model.base_url)
        await shell.run("edit", "cart.py:5", "explain")
    check_complaint(await shell.run("undo"), 2, "there is no edit to take back")


async def test_without_a_usable_state_folder_the_edit_is_written(shell) -> None:
    path, state = shell.file("cart.py"), kept(shell)
    state.mkdir(parents=True)
    async with ScriptedServer([Script(ANSWER)]) as model:
        shell.use_model(model.base_url)
        run = await shell.run("edit", "cart.py:5", "explain", "--write")
    check_complaint(run, 0, "twospeed undo cannot take this edit back: is a directory")
    assert path.read_text() == NEW
    check_complaint(await shell.run("undo"), 2, "undo.json: is a folder, not a file")


async def test_a_draft_and_the_deep_answer_are_one_undo(shell) -> None:
    path = shell.file("cart.py")
    deep = ANSWER.replace("sum(cart)", "sum(cart, 0)")
    async with ScriptedServer([Script(ANSWER), Script(deep, first_token_s=0.2)]) as model:
        shell.configure(two_speeds(model.base_url))
        async with terminal(shell, "cart.py:5", "explain", "--mode", "both") as screen:
            await screen.until(QUESTION)
            screen.type("a\n")
            await screen.until("[y/N] ")
            screen.type("y\n")
            assert await screen.status() == 0
    assert path.read_text() == NEW.replace("sum(cart)", "sum(cart, 0)")
    assert (await shell.run("undo")).status == 0
    assert path.read_text() == CODE
