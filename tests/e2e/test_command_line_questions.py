"""``twospeed edit`` at a terminal: it shows the edit, asks, and writes exactly what it has shown."""

from __future__ import annotations

import sys

import pytest
from tests.e2e.shell import ANSWER, CODE, Shell
from tests.terminal import Terminal

from twospeed.testing.script import Script
from twospeed.testing.scripted_server import ScriptedServer

pytestmark = pytest.mark.process

QUESTION = "[a]pply, [e]dit the instruction, decide per [h]unk, [q]uit? "
NEW = CODE.replace("    return sum", "    # prices, not parts\n    return sum")
TWO_HUNKS = "def total(items):\n    # prices\n    return sum(items)\n"
THREE_LINES = "def total(cart):\n    first = 1\n    second = 2\n    third = 3\n    return sum(cart)\n"


def terminal(shell: Shell, *arguments: str) -> Terminal:
    command = (sys.executable, "-m", "twospeed", "edit", *arguments)
    return Terminal(command, shell.folder, shell.environment | {"TERM": "xterm"})


async def test_apply_writes_what_was_shown_without_a_second_request(shell) -> None:
    path = shell.file("cart.py")
    async with ScriptedServer([Script(ANSWER)]) as model:
        shell.use_model(model.base_url)
        async with terminal(shell, "cart.py:5", "explain") as screen:
            await screen.until("+    # prices, not parts")
            await screen.until(QUESTION)
            assert path.read_text() == CODE
            screen.type("a\n")
            await screen.until("written")
            assert await screen.status() == 0
        assert len(model.requests) == 1
    assert path.read_text() == NEW
    assert "--write changes the file" not in screen.shown


@pytest.mark.parametrize(
    ("typed", "status"), [("q\n", 0), ("\x04", 0), ("\x03", 130)], ids=["quit", "end of input", "Ctrl+C"]
)
async def test_leaving_the_question_leaves_the_file(shell, typed, status) -> None:
    path = shell.file("cart.py")
    async with ScriptedServer([Script(ANSWER)]) as model:
        shell.use_model(model.base_url)
        async with terminal(shell, "cart.py:5", "explain") as screen:
            await screen.until(QUESTION)
            screen.type(typed)
            assert await screen.status() == status
    assert path.read_text() == CODE


async def test_an_edited_instruction_is_run_and_asks_again(shell) -> None:
    path = shell.file("cart.py")
    async with ScriptedServer([Script(ANSWER), Script(TWO_HUNKS)]) as model:
        shell.use_model(model.base_url)
        async with terminal(shell, "cart.py:5", "explain") as screen:
            await screen.until(QUESTION)
            screen.type("e\n")
            await screen.until('instruction (Enter repeats "explain"): ')
            screen.type("use another name\n")
            await screen.until("+def total(items):")
            await screen.until(QUESTION)
            screen.type("apply\n")
            assert await screen.status() == 0
        assert "use another name" in str(model.requests[1].body)
    assert path.read_text() == CODE.replace("def total(cart):\n    return sum(cart)\n", TWO_HUNKS)


async def test_single_hunks_are_written(shell) -> None:
    path = shell.file(
        "cart.py", CODE.replace(ANSWER.split("\n", 1)[0] + "\n    return sum(cart)\n", THREE_LINES)
    )
    answer = THREE_LINES.replace("= 1", "= 10").replace("= 3", "= 30")
    async with ScriptedServer([Script(answer)]) as model:
        shell.use_model(model.base_url)
        async with terminal(shell, "cart.py:5", "ten times") as screen:
            await screen.until(QUESTION)
            screen.type("h\n")
            await screen.until("write hunk 1 of 2?")
            screen.type("n\n")
            await screen.until("write hunk 2 of 2?")
            screen.type("y\n")
            assert await screen.status() == 0
    assert THREE_LINES.replace("= 3", "= 30") in path.read_text()


async def test_an_unknown_letter_is_explained_and_asked_again(shell) -> None:
    path = shell.file("cart.py")
    async with ScriptedServer([Script(ANSWER)]) as model:
        shell.use_model(model.base_url)
        async with terminal(shell, "cart.py:5", "explain") as screen:
            await screen.until(QUESTION)
            screen.type("what?\n")
            await screen.until("type one of the letters a, e, h, q")
            await screen.until(QUESTION)
            screen.type("\n")
            await screen.until(QUESTION)
            screen.type("q\n")
            assert await screen.status() == 0
    assert path.read_text() == CODE


async def test_a_file_that_changed_during_the_question_is_left_alone(shell) -> None:
    path = shell.file("cart.py")
    async with ScriptedServer([Script(ANSWER)]) as model:
        shell.use_model(model.base_url)
        async with terminal(shell, "cart.py:5", "explain") as screen:
            await screen.until(QUESTION)
            path.write_text("other\n")
            screen.type("a\n")
            await screen.until("another program changed the file; nothing was written")
            assert await screen.status() == 2
    assert path.read_text() == "other\n"


async def test_quit_needs_no_unchanged_file(shell) -> None:
    path = shell.file("cart.py")
    async with ScriptedServer([Script(ANSWER)]) as model:
        shell.use_model(model.base_url)
        async with terminal(shell, "cart.py:5", "explain") as screen:
            await screen.until(QUESTION)
            path.write_text("other\n")
            screen.type("q\n")
            assert await screen.status() == 0


async def test_several_files_have_one_question(shell) -> None:
    first, second = shell.file("cart.py"), shell.file("copy.py")
    async with ScriptedServer([Script(ANSWER), Script(ANSWER)]) as model:
        shell.use_model(model.base_url)
        async with terminal(shell, "cart.py:5", "copy.py:5", "explain") as screen:
            await screen.until(QUESTION)
            assert first.read_text() == second.read_text() == CODE
            screen.type("a\n")
            assert await screen.status() == 0
        assert len(model.requests) == 2
    assert first.read_text() == second.read_text() == NEW


async def test_write_at_a_terminal_asks_nothing(shell) -> None:
    path = shell.file("cart.py")
    async with ScriptedServer([Script(ANSWER)]) as model:
        shell.use_model(model.base_url)
        async with terminal(shell, "cart.py:5", "explain", "--write") as screen:
            assert await screen.status() == 0
    assert QUESTION not in screen.shown
    assert path.read_text() == NEW


async def test_what_was_typed_before_the_question_is_ignored(shell) -> None:
    path = shell.file("cart.py")
    async with ScriptedServer([Script(ANSWER)]) as model:
        shell.use_model(model.base_url)
        async with terminal(shell, "cart.py:5", "explain") as screen:
            screen.type("a\n")
            await screen.until(QUESTION)
            screen.type("q\n")
            assert await screen.status() == 0
    assert path.read_text() == CODE


async def test_a_saved_edit_is_asked_about_too(shell) -> None:
    path = shell.file("cart.py")
    async with ScriptedServer([Script(ANSWER)]) as model:
        shell.use_model(model.base_url)
        await shell.run("edit", "cart.py:5", "explain", "--save", "e.json")
        async with terminal(shell, "--from", "e.json") as screen:
            await screen.until("+    # prices, not parts")
            await screen.until("[a]pply, decide per [h]unk, [q]uit? ")
            screen.type("a\n")
            assert await screen.status() == 0
        assert len(model.requests) == 1
    assert path.read_text() == NEW
