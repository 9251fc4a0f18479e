"""A formatter of the user's config brings an answer into its form before the edit."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from tests.scenarios.editor import STREAMING, URI, Buffer, Editor
from tests.scenarios.shop import EDITED, NEW, OLD, TEXT
from tests.scenarios.user_commands import (
    SPACED,
    editor_with,
    format_table,
    formatter,
    n_runs,
    program,
    shown_messages,
    wait_for_file,
)

from twospeed.models.base import Finished, TextDelta
from twospeed.testing.scripted_model import ScriptedModel, Step, scripted_answer

pytestmark = pytest.mark.process

CROWDED = NEW.replace(" = ", "=").replace(" += ", "+=")
AS_WRITTEN = TEXT.replace(OLD, CROWDED)


@asynccontextmanager
async def waiting_for_formatter(tmp_path: Path) -> AsyncIterator[tuple[Editor, asyncio.Future[Any]]]:
    """Stream an answer until only the formatter is missing, which waits for the file ``go``."""
    command = program(
        tmp_path,
        f"Path({str(tmp_path / 'started')!r}).touch()\n"
        f"while not Path({str(tmp_path / 'go')!r}).exists(): time.sleep(0.01)\n"
        f"text = sys.stdin.read()\nsys.stdout.write({SPACED})",
    )
    async with await editor_with(tmp_path, format_table(command), STREAMING) as editor:
        editor.open(TEXT)
        editor.serve(ScriptedModel(scripted_answer(CROWDED)))
        _, running = editor.ask("twospeed/edit", editor.edit_params(4))
        await wait_for_file(tmp_path / "started")
        await editor.wait_for(lambda: "amount+=" in editor.buffers[URI].text)
        yield editor, running


async def edited(tmp_path: Path, command: list[str], answer: str = CROWDED) -> tuple[Editor, Any]:
    async with await editor_with(tmp_path, format_table(command)) as editor:
        editor.open(TEXT)
        editor.serve(ScriptedModel(scripted_answer(answer)))
        return editor, await editor.edit(4)


async def test_an_answer_takes_the_form_of_the_formatter(tmp_path: Path) -> None:
    editor, result = await edited(tmp_path, formatter(tmp_path))
    assert editor.buffers[URI].text == EDITED
    assert (result["outcome"], result["newText"]) == ("applied", NEW)
    assert [method for method, _ in editor.requests] == ["workspace/applyEdit"]
    assert (n_runs(tmp_path), shown_messages(editor)) == (1, [])


async def test_a_streaming_client_receives_the_form_as_the_last_batch_of_one_undo_step(
    tmp_path: Path,
) -> None:
    go_on = asyncio.Event()
    half = CROWDED.index("    return")
    steps: list[Step] = [TextDelta(CROWDED[:half]), go_on, TextDelta(CROWDED[half:]), Finished("stop")]
    async with await editor_with(tmp_path, format_table(formatter(tmp_path)), STREAMING) as editor:
        editor.open(TEXT)
        editor.serve(ScriptedModel(steps))
        _, running = editor.ask("twospeed/edit", editor.edit_params(4, partialResultToken="p"))
        await editor.wait_for(lambda: "amount=0" in editor.buffers[URI].text)
        go_on.set()
        result = await running
        assert editor.buffers[URI].text == EDITED
        assert (result["outcome"], result["newText"]) == ("applied", NEW)
        sent = [params for method, params in editor.requests if method == "twospeed/applyEdit"]
        assert {params["editId"] for params in sent} == {result["editId"]}
        assert [params["undoStopBefore"] for params in sent] == [True] + [False] * (len(sent) - 1)
        assert [params["undoStopAfter"] for params in sent] == [False] * (len(sent) - 1) + [True]
        *_, batch, _end = sent
        assert {edit["newText"] for edit in batch["edits"]} <= {" = ", " += ", " ", "= ", "+= "}
        assert await reverted(editor, result["editId"]) == TEXT
        partial = applied_parts(OLD, editor.progress("p"))
        assert partial == NEW


def applied_parts(text: str, parts: list[Any]) -> str:
    buffer = Buffer(URI, text)
    for part in parts:
        if part["type"] == "edits":
            buffer.apply(part["edits"])
    return buffer.text


async def reverted(editor: Editor, edit_id: str) -> str:
    await editor.request("twospeed/decide", {"editId": edit_id, "action": "reject"})
    return editor.buffers[URI].text


async def test_lines_typed_while_the_formatter_runs_are_kept(tmp_path: Path) -> None:
    async with waiting_for_formatter(tmp_path) as (editor, running):
        editor.type(6, 0, "        # mine\n")
        editor.type(0, 0, "# above\n")
        (tmp_path / "go").touch()
        assert (await running)["outcome"] == "applied"
        expected = AS_WRITTEN.replace("        amount+=", "        # mine\n        amount+=")
        assert editor.buffers[URI].text == "# above\n" + expected


async def test_a_written_line_that_the_user_changes_while_the_formatter_runs_is_not_doubled(
    tmp_path: Path,
) -> None:
    async with waiting_for_formatter(tmp_path) as (editor, running):
        editor.type(4, 12, "  # mine")
        editor.type(0, 0, "# above\n")
        (tmp_path / "go").touch()
        result = await running
        expected = AS_WRITTEN.replace("amount=0", "amount=0  # mine")
        assert editor.buffers[URI].text == "# above\n" + expected
        assert result["outcome"] == "applied"


async def test_lines_outside_the_scope_are_never_formatted(tmp_path: Path) -> None:
    text = TEXT + "\n\nx=1\n"
    async with await editor_with(tmp_path, format_table(formatter(tmp_path))) as editor:
        editor.open(text)
        editor.serve(ScriptedModel(scripted_answer(CROWDED)))
        await editor.edit(4)
        assert editor.buffers[URI].text == text.replace(OLD, NEW)


async def test_line_ends_stay_those_of_the_document(tmp_path: Path) -> None:
    command = formatter(tmp_path, f"{SPACED}.replace('\\r\\n', '\\n')")
    async with await editor_with(tmp_path, format_table(command)) as editor:
        editor.open(TEXT.replace("\n", "\r\n"))
        editor.serve(ScriptedModel(scripted_answer(CROWDED)))
        await editor.edit(4)
        assert editor.buffers[URI].text == EDITED.replace("\n", "\r\n")


async def test_the_formatter_receives_the_path_of_the_document(tmp_path: Path) -> None:
    code = f"Path({str(tmp_path / 'seen')!r}).write_text(sys.argv[1]); sys.stdout.write(sys.stdin.read())"
    await edited(tmp_path, program(tmp_path, code, "--name={file}"))
    assert (tmp_path / "seen").read_text() == "--name=/project/shop.py"


@pytest.mark.parametrize(
    ("code", "why"),
    [
        ("sys.exit(2)", "ended with exit status 2"),
        ("sys.stdin.read()", "printed nothing"),
        ("print('x' * 10**6)", "printed too much"),
        ("sys.stdout.buffer.write(b'\\xff')", "printed text that is not UTF-8"),
        ("sys.stdout.write(sys.stdin.read().replace('amount', 'other'))", "changes more than the form"),
    ],
)
async def test_a_failing_formatter_leaves_the_answer_and_is_reported_once(
    code: str, why: str, tmp_path: Path
) -> None:
    async with await editor_with(tmp_path, format_table(program(tmp_path, code))) as editor:
        editor.open(TEXT)
        editor.serve(ScriptedModel(scripted_answer(CROWDED), scripted_answer(CROWDED + "    # more\n")))
        result = await editor.edit(4)
        assert (result["outcome"], editor.buffers[URI].text) == ("applied", AS_WRITTEN)
        await editor.edit(4)
        [message] = shown_messages(editor)
        assert why in message
        assert "formatter" in message


async def test_a_slow_formatter_is_stopped(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setattr("twospeed.lsp.session.user_commands.FORMAT_S", 0.1)
    editor, result = await edited(tmp_path, program(tmp_path, "time.sleep(600)"))
    assert (result["outcome"], editor.buffers[URI].text) == ("applied", AS_WRITTEN)
    assert "took longer than 0.1 s" in shown_messages(editor)[0]


async def test_a_missing_formatter_is_reported(tmp_path: Path) -> None:
    editor, _ = await edited(tmp_path, ["no-such-formatter"])
    assert editor.buffers[URI].text == AS_WRITTEN
    assert shown_messages(editor) == [
        "Your formatter no-such-formatter was not found: the answer is inserted as the model wrote it"
    ]


async def test_cancelling_an_edit_ends_its_formatter(tmp_path: Path) -> None:
    command = program(tmp_path, f"Path({str(tmp_path / 'started')!r}).touch(); time.sleep(600)")
    async with await editor_with(tmp_path, format_table(command)) as editor:
        editor.open(TEXT)
        editor.serve(ScriptedModel(scripted_answer(CROWDED)))
        _, running = editor.ask("twospeed/edit", editor.edit_params(4, editId="mine"))
        await wait_for_file(tmp_path / "started")
        await editor.request("twospeed/cancel", {"editId": "mine"})
        assert ((await running)["outcome"], editor.buffers[URI].text) == ("cancelled", TEXT)


async def test_a_formatted_text_that_does_not_parse_is_not_used(tmp_path: Path) -> None:
    command = formatter(tmp_path, "text.replace('amount=0', 'amount=(0')")
    editor, result = await edited(tmp_path, command)
    assert (result["outcome"], editor.buffers[URI].text) == ("applied", AS_WRITTEN)
    assert "cannot format these lines" in shown_messages(editor)[0]


async def test_findings_are_those_of_the_formatted_answer(tmp_path: Path) -> None:
    answer = CROWDED.replace("amount=0", "amount=undefined_name")
    _, result = await edited(tmp_path, formatter(tmp_path), answer)
    [finding] = result["findings"]
    assert (finding["code"], finding["range"]["start"]["line"]) == ("unknown-name", 4)
    assert result["newText"] == NEW.replace("amount = 0", "amount = undefined_name")


async def test_a_preview_and_a_variation_are_formatted(tmp_path: Path) -> None:
    async with await editor_with(tmp_path, format_table(formatter(tmp_path))) as editor:
        editor.open(TEXT)
        other = CROWDED.replace("amount", "price")
        editor.serve(ScriptedModel(scripted_answer(CROWDED)))
        preview = await editor.edit(4, deliver="preview")
        assert preview["newText"] == NEW
        editor.serve(ScriptedModel(scripted_answer(CROWDED), scripted_answer(other)))
        await editor.edit(4, variations=2)
        await editor.command("twospeed.nextVariation")
        await editor.wait_for(lambda: editor.buffers[URI].text == EDITED.replace("amount", "price"))


async def test_an_unchanged_answer_runs_no_formatter(tmp_path: Path) -> None:
    _, result = await edited(tmp_path, formatter(tmp_path), OLD)
    assert (result["outcome"], n_runs(tmp_path)) == ("unchanged", 0)


async def test_another_language_runs_no_formatter(tmp_path: Path) -> None:
    async with await editor_with(tmp_path, format_table(formatter(tmp_path), "go")) as editor:
        editor.open(TEXT)
        editor.serve(ScriptedModel(scripted_answer(CROWDED)))
        await editor.edit(4)
        assert (n_runs(tmp_path), editor.buffers[URI].text) == (0, AS_WRITTEN)


@pytest.mark.security("R2.2")
async def test_a_repository_cannot_name_a_formatter(tmp_path: Path) -> None:
    root = tmp_path / "repository"
    root.mkdir()
    (root / ".twospeed.toml").write_text(format_table(formatter(tmp_path)))
    async with await Editor.started(root=root.as_uri()) as editor:
        editor.open(TEXT)
        editor.serve(ScriptedModel(scripted_answer(CROWDED)))
        await editor.wait_for(lambda: shown_messages(editor))
        assert "format: is not allowed here" in shown_messages(editor)[0]
        assert "all keys except mode, scope" in shown_messages(editor)[0]
        assert (await editor.edit(4))["outcome"] == "failed"
        assert n_runs(tmp_path) == 0


@pytest.mark.security("R2.2")
async def test_settings_of_an_editor_cannot_name_a_formatter(tmp_path: Path) -> None:
    table = {"format": {"python": formatter(tmp_path)}}
    async with await Editor.started() as editor:
        editor.open(TEXT)
        editor.serve(ScriptedModel(scripted_answer(CROWDED)))
        editor.notify("workspace/didChangeConfiguration", {"settings": {"twospeed": table}})
        await editor.wait_for(lambda: shown_messages(editor))
        assert "format: is not allowed here" in shown_messages(editor)[0]
        await editor.edit(4)
        assert n_runs(tmp_path) == 0


@pytest.mark.security("R2.1")
async def test_a_formatter_receives_no_key(tmp_path: Path) -> None:
    seen = tmp_path / "seen"
    code = f"Path({str(seen)!r}).write_text(repr(dict(os.environ))); sys.stdout.write(sys.stdin.read())"
    text = (
        format_table(program(tmp_path, code))
        + '[providers.lab]\napi = "chat"\nbase_url = "https://lab.example/v1"\napi_key_env = "LAB_API_KEY"\n'
    )
    keys = {"LAB_API_KEY": "lab-0123456789abcdef", "OPENAI_API_KEY": "sk-0123456789", "COLOUR": "blue"}
    async with await editor_with(tmp_path, text, environ=keys) as editor:
        editor.open(TEXT)
        editor.serve(ScriptedModel(scripted_answer(CROWDED)))
        await editor.edit(4)
    assert "0123456789" not in seen.read_text()
    assert "'COLOUR': 'blue'" in seen.read_text()


def test_commands_are_not_imported_before_one_runs() -> None:
    code = (
        "import sys, twospeed.lsp.protocol, twospeed.lsp.session.initialization, twospeed.edits.scheduler\n"
        "print([name for name in sys.modules if name.startswith('twospeed.commands')])"
    )
    printed = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert printed.stdout.strip() == "[]"
