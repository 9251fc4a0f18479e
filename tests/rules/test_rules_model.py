"""The engine answers like a model: the whole scope in pieces, or a refusal with advice."""

from __future__ import annotations

import dataclasses

import pytest
from tests.rules.rule_checks import task_for

from twospeed.models.base import EditTask, Finished, Model, ModelEvent, ModelRequest, TextDelta
from twospeed.rules import RulesModel
from twospeed.rules.outcome import Replacement, replaced
from twospeed.syntax.identifiers.identifier import (
    Span,
)


async def events_of(task: EditTask) -> list[ModelEvent]:
    model: Model = RulesModel()
    assert (model.provider, model.name) == ("builtin", "rules")
    return [event async for event in model.stream(ModelRequest((), task, max_output_tokens=1))]


async def refusal_of(task: EditTask) -> str:
    (only,) = await events_of(task)
    assert isinstance(only, Finished)
    assert only.reason == "refusal"
    return only.message


async def test_the_whole_scope_comes_in_small_pieces() -> None:
    task, _, _ = task_for("rename x to count", "def f(x):\n    return x + 1¦  \n")
    *deltas, last = await events_of(task)
    texts = [event.text for event in deltas if isinstance(event, TextDelta)]
    assert "".join(texts) == "def f(count):\n    return count + 1  \n"
    assert len(texts) == len(deltas) > 3
    assert last == Finished("stop")


async def test_an_unknown_instruction_is_refused_with_advice() -> None:
    task, _, _ = task_for("make it faster", "def f(x):\n    return x¦\n")
    message = await refusal_of(task)
    for words in (
        "doc comments",
        "rename",
        "type hints",
        "f-strings",
        "CEREBRAS_API_KEY",
        "Ollama",
        "twospeed doctor",
    ):
        assert words in message


@pytest.mark.parametrize(
    ("language_id", "text", "words"),
    [
        ("rust", "fn main() {¦}\n", "edits only Python, JavaScript and TypeScript files"),
        ("python", "\n¦\n", "these lines contain no code"),
        ("python", "", "these lines contain no code"),
        ("python", "def f(:¦\n    pass\n", "fix it first"),
    ],
)
async def test_a_scope_without_editable_code_is_refused_with_the_reason(
    language_id: str, text: str, words: str
) -> None:
    task, _, _ = task_for("add a docstring", text, language_id)
    assert words in await refusal_of(task)


async def test_an_answer_that_does_not_parse_is_refused() -> None:
    task, _, _ = task_for("add a docstring", "def do_it():\n    pass¦\n")
    assert "would not parse" in await refusal_of(dataclasses.replace(task, parses=lambda _: False))


async def test_the_stream_can_be_closed_early() -> None:
    task, _, _ = task_for("add a docstring", "def do_it():\n    pass¦\n")
    stream = RulesModel().stream(ModelRequest((), task, max_output_tokens=1))
    assert isinstance(await anext(stream), TextDelta)
    await stream.aclose()


def test_replacements_may_come_in_any_order_and_keep_line_ends() -> None:
    text = "ab\r\ncd\ref\n"
    changes = [Replacement(Span((2, 1), (2, 1)), "X"), Replacement(Span((0, 1), (1, 1)), "Y")]
    assert replaced(text, changes) == "aYd\reXf\n"
