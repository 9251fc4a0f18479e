"""Without a grammar, JSON and TOML are checked by Python's own parsers."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from typing import Any

import pytest
from tests.scenarios.editor import STREAMING, Editor
from tests.timing import check_growth

from twospeed.syntax import languages
from twospeed.syntax.faults.library_parsers import MAX_CHARS, count_errors_by_library
from twospeed.testing.scripted_model import ScriptedModel, scripted_answer

PACKAGE = '{\n  "name": "shop",\n  "version": "1.0.0"\n}\n'
LOST_COMMA = '{\n  "name": "shop"\n  "version": "2.0.0"\n}\n'
TSCONFIG = '{\n  // for the browser\n  "strict": true,\n}\n'
PROJECT = '[project]\nname = "shop"\n'


@pytest.fixture
async def editor(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Editor]:
    monkeypatch.setattr(languages, "_is_installed", lambda _module: False)
    async with await Editor.started(STREAMING) as editor:
        yield editor


async def edited(editor: Editor, name: str, language: str, old: str, new: str) -> tuple[str, str | None]:
    uri = f"file:///project/{name}"
    editor.open(old, uri=uri, language=language)
    fenced = scripted_answer(f"```\n{new}```\n")
    editor.serve(ScriptedModel(fenced, fenced))
    params = editor.edit_params(0, uri=uri, scope="file", deliver="preview")
    result: Any = await editor.request("twospeed/edit", params)
    return result["outcome"], (result["reason"] or {}).get("code")


@pytest.mark.parametrize(
    ("name", "language", "old", "new"),
    [
        ("package.json", "json", PACKAGE, LOST_COMMA),
        ("package.json", "json", PACKAGE, PACKAGE.replace('"1.0.0"', '"1.0.0",')),
        ("package.json", "json", PACKAGE, PACKAGE.replace('"1.0.0"', "NaN")),
        ("tsconfig.json", "jsonc", TSCONFIG, TSCONFIG.replace("true,", "true")[:-2]),
        ("tsconfig.json", "json", TSCONFIG, TSCONFIG.replace(": true", " true")),
        ("pyproject.toml", "toml", PROJECT, PROJECT.replace('"shop"', "shop")),
    ],
)
async def test_an_answer_that_breaks_the_file_is_refused(
    editor: Editor, name: str, language: str, old: str, new: str
) -> None:
    assert await edited(editor, name, language, old, new) == ("refused", "syntax")


@pytest.mark.parametrize(
    ("name", "language", "old", "new"),
    [
        ("package.json", "json", PACKAGE, PACKAGE.replace("1.0", "2.0")),
        ("tsconfig.json", "json", TSCONFIG, TSCONFIG.replace("true", "false")),
        ("tsconfig.json", "json", PACKAGE, PACKAGE.replace(",", ", // yes")),
        ("settings.json", "json", PACKAGE, PACKAGE.replace(",", ", // yes")),
        ("any.json", "jsonc", PACKAGE, PACKAGE.replace(",", ", // yes")),
        ("any.json", "json", TSCONFIG, TSCONFIG.replace("browser", "server, // too")),
        ("package.json", "json", LOST_COMMA, LOST_COMMA.replace("2.0", "3.0")),
        ("pyproject.toml", "toml", PROJECT, PROJECT.replace("shop", "store")),
    ],
)
async def test_an_answer_that_adds_no_error_to_a_broken_file_is_applied(
    editor: Editor, name: str, language: str, old: str, new: str
) -> None:
    assert await edited(editor, name, language, old, new) == ("applied", None)


@pytest.mark.parametrize("unit", ["/*", '"\\\\"', ", ", "[", "a=["])
@pytest.mark.parametrize("language_id", ["json", "jsonc", "toml"])
def test_a_hostile_text_takes_linear_time(unit: str, language_id: str) -> None:
    def measured(n_chars: int) -> float:
        text = unit * (n_chars // len(unit))
        began = time.process_time()  # the text is parsed in another thread
        before, _ = asyncio.run(count_errors_by_library([text], [text], language_id, "a.json"))
        took = time.process_time() - began
        assert before == 1
        return took

    check_growth(measured, MAX_CHARS // 4)


async def test_a_too_long_text_is_not_parsed() -> None:
    assert await count_errors_by_library(["{}"], [" " * (MAX_CHARS + 1)], "json", "a.json") == (None, None)
