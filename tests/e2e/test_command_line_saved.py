"""Edits in files: ``--save`` and ``--from``."""

from __future__ import annotations

import json
import stat

import pytest
from tests.e2e.shell import ANSWER, BUILTIN, CODE, check_complaint

from twospeed.testing.script import Script
from twospeed.testing.scripted_server import ScriptedServer

pytestmark = pytest.mark.process

BOM = b"\xef\xbb\xbf"
NEW = CODE.replace("    return sum", "    # prices, not parts\n    return sum")


async def saved(shell, data: str | bytes = CODE):
    path = shell.file("cart.py", data)
    async with ScriptedServer([Script(ANSWER)]) as model:
        shell.use_model(model.base_url)
        run = await shell.run("edit", "cart.py:5", "explain", "--save", "e.json")
    assert (run.status, run.err) == (0, "twospeed: saved; twospeed edit --from e.json --write applies it\n")
    assert path.read_bytes() == (data.encode() if isinstance(data, str) else data)
    return path


async def test_a_saved_edit_is_private_and_is_written_without_a_model(shell) -> None:
    path = await saved(shell)
    kept = shell.folder / "e.json"
    assert stat.S_IMODE(kept.stat().st_mode) == 0o600
    document = json.loads(kept.read_text())
    assert (document["instruction"], document["files"][0]["path"]) == ("explain", str(path))
    run = await shell.run("edit", "--from", "e.json", "--write")  # the model has ended
    assert (run.status, run.err) == (0, "")
    assert path.read_text() == NEW
    assert run.out.splitlines()[0] == "saved edit · explain"
    assert "+    # prices, not parts" in run.out
    assert run.out.endswith("\nwritten\n")


async def test_a_saved_edit_keeps_all_other_bytes(shell) -> None:
    path = await saved(shell, BOM + CODE.rstrip("\n").replace("\n", "\r\n").encode())
    await shell.run("edit", "--from", "e.json", "--write")
    assert path.read_bytes() == BOM + NEW.rstrip("\n").replace("\n", "\r\n").encode()


async def test_without_write_a_saved_edit_is_only_shown(shell) -> None:
    path = await saved(shell)
    run = await shell.run("edit", "--from", "e.json")
    assert (run.status, run.err) == (0, "")
    assert "+    # prices, not parts" in run.out
    assert path.read_text() == CODE


async def test_a_saved_edit_of_a_changed_file_is_refused_and_kept(shell) -> None:
    path = await saved(shell)
    kept = (shell.folder / "e.json").read_bytes()
    path.write_text(CODE + "# more\n")
    run = await shell.run("edit", "--from", "e.json", "--write")
    check_complaint(run, 2, str(path), "has changed since the edit was saved", "e.json is kept")
    assert path.read_text() == CODE + "# more\n"
    assert (shell.folder / "e.json").read_bytes() == kept


async def test_an_edit_of_several_files_is_saved_as_one(shell) -> None:
    paths = [shell.file("cart.py"), shell.file("copy.py")]
    async with ScriptedServer([Script(ANSWER), Script(ANSWER)]) as model:
        shell.use_model(model.base_url)
        await shell.run("edit", "cart.py:5", "copy.py:5", "explain", "--save", "e.json")
    assert [path.read_text() for path in paths] == [CODE, CODE]
    assert (await shell.run("edit", "--from", "e.json", "--write")).status == 0
    assert [path.read_text() for path in paths] == [NEW, NEW]


async def test_save_replaces_no_file_and_asks_no_model_then(shell) -> None:
    shell.file("cart.py")
    victim = shell.file("victim", "precious\n")
    (shell.folder / "link.json").symlink_to(victim)
    async with ScriptedServer([Script(ANSWER)]) as model:
        shell.use_model(model.base_url)
        for name in ("victim", "link.json", "missing/e.json"):
            run = await shell.run("edit", "cart.py:5", "explain", "--save", name)
            check_complaint(run, 2, name)
        assert model.requests == []
    assert victim.read_text() == "precious\n"


async def test_an_edit_that_changes_nothing_is_not_saved(shell) -> None:
    shell.file("cart.py")
    async with ScriptedServer([Script("def total(cart):\n    return sum(cart)\n")]) as model:
        shell.use_model(model.base_url)
        run = await shell.run("edit", "cart.py:5", "explain", "--save", "e.json")
    check_complaint(run, 0, "e.json: not saved, because the edit changes nothing")
    assert shell.names() == ["cart.py", "config.toml"]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "{}",
        '{"format": 1, "instruction": "x", "files": []}',
        '{"format": 2, "instruction": "x", "files": [{}]}',
        '{"format": 1, "instruction": "x", "files": [{"path": "a.py", "sha256": "0", "changes": []}]}',
        '{"format": 1, "instruction": "x", "files": [{"path": "/a", "sha256": "0", "changes": [{"first": 0}]}]}',
        "[" * 100_000,
    ],
)
async def test_another_file_is_no_saved_edit(shell, text) -> None:
    shell.file("e.json", text)
    check_complaint(await shell.run("edit", "--from", "e.json"), 2, "not an edit that twospeed saved")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--from", "e.json", "cart.py:5", "explain"], "--from goes only with --write"),
        (["--from", "e.json", "--mode", "deep"], "--from goes only with --write"),
        (["cart.py:5", "explain", "--save", "e.json", "--write"], "--save goes without --write"),
        (["--from", "e.json"], "e.json: does not exist"),
        (["--save", "e.json"], "required"),
    ],
)
async def test_options_that_contradict_are_refused(shell, arguments, words) -> None:
    shell.configure(BUILTIN)
    shell.file("cart.py")
    check_complaint(await shell.run("edit", *arguments), 2, words)
