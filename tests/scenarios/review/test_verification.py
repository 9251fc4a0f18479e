"""``twospeed.verify`` runs the user's commands on an edit, and shows what they find."""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlparse

import pytest
from tests.processes import WATCH, UnexpectedProcess
from tests.scenarios.editor import Editor, RequestFailed, place_range
from tests.scenarios.scripted import prompts_of
from tests.scenarios.shop import EDITED, NEW, TEXT
from tests.scenarios.user_commands import (
    config,
    editor_with,
    format_table,
    program,
    shown_messages,
    wait_for_file,
)

from twospeed.commands.run import CommandLimits, run_command
from twospeed.testing.scripted_model import ScriptedModel, scripted_answer

pytestmark = pytest.mark.process

CAPABILITIES: dict[str, Any] = {
    "window": {"showDocument": {"support": True}, "workDoneProgress": True},
    "textDocument": {
        "publishDiagnostics": {},
        "codeAction": {"codeActionLiteralSupport": {"codeActionKind": {"valueSet": []}}},
    },
}


def verify_table(*commands: list[str], more: str = "") -> str:
    """Return the table of a config with commands named ``check1``, ``check2``, …"""
    names = "".join(f"check{n} = {command!r}\n" for n, command in enumerate(commands, 1))
    return f"[verify]\n{more}[verify.commands.python]\n{names}"


class Shop:
    """A file that is open in an editor, with an edit in review."""

    def __init__(self, editor: Editor, path: Path) -> None:
        self.editor = editor
        self.path = path
        self.uri = path.as_uri()

    @property
    def text(self) -> str:
        return self.editor.buffers[self.uri].text

    def save(self) -> None:
        """Write the file, without a notification: that would accept the edit."""
        self.path.write_text(self.text, encoding="utf-8")

    async def verified(self) -> str:
        """Verify the newest edit; return the message about the outcome."""
        n = len(shown_messages(self.editor))
        await self.editor.command("twospeed.verify")
        await self.editor.wait_for(lambda: len(shown_messages(self.editor)) > n)
        assert self.editor.server.session
        while self.editor.server.session.commands.verifying.token:  # noqa: ASYNC110 - nothing reports its end
            await asyncio.sleep(0)
        return shown_messages(self.editor)[n]

    async def actions(self, line: int = 4) -> list[str]:
        params = {
            "textDocument": {"uri": self.uri},
            "range": place_range(line, 0, line, 0),
            "context": {"diagnostics": []},
        }
        return [action["title"] for action in await self.editor.request("textDocument/codeAction", params)]

    def diagnostics(self) -> list[Any]:
        published = self.editor.messages("textDocument/publishDiagnostics")
        return published[-1]["diagnostics"] if published else []

    def shown_files(self) -> list[str]:
        return [
            Path(unquote(urlparse(params["uri"]).path)).read_text()
            for method, params in self.editor.requests
            if method == "window/showDocument"
        ]


@asynccontextmanager
async def shop(folder: Path, text: str, answers: tuple[str, ...] = (NEW,)) -> AsyncIterator[Shop]:
    path = folder / "shop.py"
    path.write_text(TEXT, encoding="utf-8")
    async with await editor_with(folder, text, CAPABILITIES) as editor:
        opened = Shop(editor, path)
        editor.open(TEXT, uri=opened.uri)
        model = ScriptedModel(*map(scripted_answer, answers))
        editor.serve(model)
        editor.model = model  # type: ignore[attr-defined]
        await editor.edit(4, uri=opened.uri)
        assert opened.text == EDITED
        yield opened


async def test_commands_that_pass_are_named(tmp_path: Path) -> None:
    commands = verify_table(program(tmp_path, "", name="a"), program(tmp_path, "", name="b"))
    async with shop(tmp_path, commands) as shown:
        shown.save()
        assert await shown.verified() == "Verified shop.py: check1, check2 passed"
        assert shown.shown_files() == []
        assert "⚡ Verify this edit" in await shown.actions()
        assert not [title for title in await shown.actions() if "Mend" in title]


async def test_a_failure_becomes_a_finding_at_its_line_and_shows_the_output(tmp_path: Path) -> None:
    code = "print(f'{sys.argv[1]}:6: wrong price'); print('File \"shop.py\", line 8, in total'); sys.exit(1)"
    async with shop(tmp_path, verify_table(program(tmp_path, code, "{file}"))) as shown:
        shown.save()
        assert await shown.verified() == "shop.py failed check1 (exit status 1)"
        await shown.editor.wait_for(lambda: len(shown.diagnostics()) == 2)
        first, second = shown.diagnostics()
        assert (first["code"], first["severity"], first["range"]["start"]["line"]) == ("new-problem", 2, 5)
        assert first["message"] == f"check1: {shown.path}:6: wrong price"
        assert second["range"]["start"]["line"] == 7
        await shown.editor.wait_for(shown.shown_files)
        assert "wrong price" in shown.shown_files()[0]


async def test_findings_are_replaced_when_the_commands_run_again(tmp_path: Path) -> None:
    code = f"ok = Path({str(tmp_path / 'ok')!r}).exists(); print('shop.py:6: wrong'); sys.exit(not ok)"
    async with shop(tmp_path, verify_table(program(tmp_path, code))) as shown:
        shown.save()
        for _ in range(2):
            await shown.verified()
            await shown.editor.wait_for(lambda: len(shown.diagnostics()) == 1)
        (tmp_path / "ok").touch()
        assert await shown.verified() == "Verified shop.py: check1 passed"
        await shown.editor.wait_for(lambda: shown.diagnostics() == [])
        assert not [title for title in await shown.actions() if "Mend" in title]


@pytest.mark.parametrize(
    "output", ["other.py:3: wrong", "shop.py:999999: wrong", "shop.pyx:3: no", "nothing"]
)
async def test_a_failure_without_a_place_is_a_finding_at_the_first_line(output: str, tmp_path: Path) -> None:
    code = f"print({output!r}); sys.exit(1)"
    async with shop(tmp_path, verify_table(program(tmp_path, code))) as shown:
        shown.save()
        await shown.verified()
        await shown.editor.wait_for(shown.diagnostics)
        [finding] = shown.diagnostics()
        assert (finding["range"]["start"]["line"], finding["message"]) == (3, "check1 (exit status 1) failed")


async def test_an_unsaved_document_is_not_verified(tmp_path: Path) -> None:
    code = f"Path({str(tmp_path / 'ran')!r}).touch()"
    async with shop(tmp_path, verify_table(program(tmp_path, code))) as shown:
        assert (await shown.verified()).startswith("save shop.py first: the file on disk differs")
        assert not (tmp_path / "ran").exists()


async def test_saving_accepts_an_edit_which_can_still_be_verified(tmp_path: Path) -> None:
    code = "print('shop.py:6: wrong'); sys.exit(1)"
    async with shop(tmp_path, verify_table(program(tmp_path, code))) as shown:
        shown.save()
        shown.editor.notify("textDocument/didSave", {"textDocument": {"uri": shown.uri}})
        assert "failed check1" in await shown.verified()
        assert "🧠 Mend in Deep" in await shown.actions()


async def test_mending_asks_deep_with_the_end_of_the_output_and_without_secrets(tmp_path: Path) -> None:
    secret = "ghp_" + "a1B2c3D4e5" * 4
    code = f"print('x\\n' * 500); print('AssertionError: 3 != 4', {secret!r}); sys.exit(1)"
    mended = NEW.replace("0", "1")
    async with shop(tmp_path, verify_table(program(tmp_path, code)), (NEW, mended)) as shown:
        shown.save()
        await shown.verified()
        assert "🧠 Mend in Deep" in await shown.actions()
        started = await shown.editor.command("twospeed.mend")
        assert started["editId"]
        await shown.editor.wait_for(lambda: shown.text == EDITED.replace("amount = 0", "amount = 1"))
        prompt = prompts_of(shown.editor.model)[-1]  # type: ignore[attr-defined]
        assert "AssertionError: 3 != 4" in prompt
        assert secret not in prompt
        assert prompt.count("\nx") < 100
        assert "do it" in prompt  # the instruction of the edit that it follows


async def test_a_slow_command_is_stopped(tmp_path: Path) -> None:
    commands = verify_table(program(tmp_path, "time.sleep(600)"), more="seconds = 0.2\n")
    async with shop(tmp_path, commands) as shown:
        shown.save()
        assert await shown.verified() == "shop.py failed check1 (took longer than 0.2 s)"


async def test_a_running_verification_can_be_cancelled_and_not_started_twice(tmp_path: Path) -> None:
    code = f"Path({str(tmp_path / 'started')!r}).touch(); time.sleep(600)"
    async with shop(tmp_path, verify_table(program(tmp_path, code))) as shown:
        shown.save()
        await shown.editor.command("twospeed.verify")
        with pytest.raises(RequestFailed, match="a verification is running already"):
            await shown.editor.command("twospeed.verify")
        await wait_for_file(tmp_path / "started")
        [token] = [
            params["token"]
            for method, params in shown.editor.requests
            if method == "window/workDoneProgress/create" and "verify" in str(params["token"])
        ]
        shown.editor.notify("window/workDoneProgress/cancel", {"token": token})
        await shown.editor.wait_for(lambda: "was cancelled" in "".join(shown_messages(shown.editor)))
        assert [value["kind"] for value in shown.editor.progress(token)] == ["begin", "end"]
        assert shown.diagnostics() == []


async def test_the_end_of_the_session_ends_a_verification(tmp_path: Path) -> None:
    code = f"Path({str(tmp_path / 'started')!r}).write_text(str(os.getpid())); time.sleep(600)"
    async with shop(tmp_path, verify_table(program(tmp_path, code))) as shown:
        shown.save()
        await shown.editor.command("twospeed.verify")
        await wait_for_file(tmp_path / "started")
        await asyncio.sleep(0.1)
    pid = (tmp_path / "started").read_text()
    stat = Path(f"/proc/{pid}/stat")
    assert not stat.exists() or stat.read_text().rpartition(")")[2].split()[0] == "Z"  # noqa: ASYNC240


async def test_without_a_command_or_an_edit_nothing_is_verified(tmp_path: Path) -> None:
    async with shop(tmp_path, "") as shown:
        with pytest.raises(RequestFailed, match="no command verifies python; name one under"):
            await shown.editor.command("twospeed.verify")
        assert not [title for title in await shown.actions() if "Verify" in title]
        with pytest.raises(RequestFailed, match="no failed verification"):
            await shown.editor.command("twospeed.mend", "e1")
        await shown.editor.command("twospeed.reject")
        await shown.editor.wait_for(lambda: shown.text == TEXT)
        with pytest.raises(RequestFailed):
            await shown.editor.command("twospeed.verify", "e1")


@pytest.mark.security("R2.2")
async def test_a_repository_cannot_name_a_command(tmp_path: Path) -> None:
    root = tmp_path / "repository"
    root.mkdir()
    (root / ".twospeed.toml").write_text(verify_table(program(tmp_path, "")))
    async with await Editor.started(root=root.as_uri()) as editor:
        await editor.wait_for(lambda: shown_messages(editor))
        assert "verify: is not allowed here" in shown_messages(editor)[0]


COMMANDS = {"python": ["touch", "executed"]}
NAMING_COMMANDS = {
    ".editorconfig": "[*.py]\nformatter = touch executed\ntwospeed_format = touch executed\n",
    ".pre-commit-config.yaml": "repos: [{repo: local, hooks: [{id: a, entry: touch executed, language: system}]}]\n",
    "package.json": json.dumps({"scripts": {"format": "touch executed"}, "twospeed": {"format": COMMANDS}}),
    "pyproject.toml": "[tool.twospeed.format]\npython = ['touch', 'executed']\n",
}
"""Files of a repository that name a command, without an effect; `.twospeed.toml` and settings of an editor are refused."""


@pytest.mark.security("R2.4")
async def test_files_of_a_repository_start_no_process(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`tests.processes` fails the test if one starts."""
    monkeypatch.chdir(tmp_path)
    for name, text in NAMING_COMMANDS.items():
        (tmp_path / name).write_text(text)
    async with shop(tmp_path, 'mode = "lightning"\n') as shown:
        with pytest.raises(RequestFailed):
            await shown.editor.command("twospeed.verify")
        shown.save()
        await shown.editor.wait_for(lambda: not shown.diagnostics())
        assert not (tmp_path / "executed").exists()


@pytest.mark.security("R2.4")
async def test_the_tests_notice_a_process_that_no_config_names(tmp_path: Path) -> None:
    named, limits = program(tmp_path, "", name="named"), CommandLimits(seconds=60, n_bytes=10)
    config(tmp_path, format_table(named))
    run = partial(run_command, folder=tmp_path, environ=os.environ, limits=limits)
    assert (await run(named)).has_succeeded
    with pytest.raises(UnexpectedProcess):
        await run(program(tmp_path, "", name="other"))
    assert len(WATCH.unexpected) == 1
    WATCH.unexpected.clear()
