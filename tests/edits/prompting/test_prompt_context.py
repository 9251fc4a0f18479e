"""The prompt context of an edit: the file, the definitions that the scope uses, and the form of the answer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from twospeed.edits.prompting.prompt_context import PromptContext, PromptDelimiters
from twospeed.edits.prompting.scope_resolution import resolve_scope
from twospeed.edits.values import EditRequest, PreviousEdit
from twospeed.models.base import Limits, ModelRequest
from twospeed.prompt import TokenLimits, texts
from twospeed.prompt.answer_form import MAX_WHOLE_CHARS
from twospeed.routing import LaneEntry
from twospeed.text.code.symbols import FileSymbols, Symbol, SymbolPlace
from twospeed.text.document import Document

ENTRY = LaneEntry("lab", "m", limits=Limits(), is_cloud=True, origin="config")
CODE = "from .prices import price_of\n\n\ndef total(items):\n    return sum(map(price_of, items))\n"
PADDING = "".join(f"def step_{n}(x):\n    return {'x + ' * 60}{n}\n\n\n" for n in range(200))
PRICES = FileSymbols("python", (Symbol("function", "price_of", "def price_of(item):", 7, 9),))
AT_PRICES = SymbolPlace("shop/prices.py", PRICES, 0)


def known(word: str) -> Sequence[SymbolPlace]:
    return [AT_PRICES] if word == "price_of" else []


def context(text: str = CODE, line: int = 3, **more: Any) -> PromptContext:
    document = Document.opened("file:///shop/cart.py", 1, "python", text, "utf-16")
    request = EditRequest(
        document,
        ((line, 0), (line, 0)),
        "do it",
        "lightning",
        path="shop/cart.py",
        definitions_of=known,
        **more,
    )
    return PromptContext.about(request, resolve_scope(request), PromptDelimiters())


def asked(text: str = CODE, line: int = 3, entry: LaneEntry = ENTRY, **more: Any) -> ModelRequest:
    return context(text, line, **more).request_for(entry)


def told(*arguments: Any, **more: Any) -> str:
    return asked(*arguments, **more).messages[-1].content


def test_a_definition_of_another_file_is_included() -> None:
    assert '"shop/prices.py":\ndef price_of(item):\n' in told()


def test_a_long_file_is_included_as_outline_and_definitions_used_by_the_scope() -> None:
    text = told(CODE.replace("items))", "items)) + step_150(0)") + PADDING)
    assert "outline of the whole file" in text
    assert text.index("def step_199(x):") < text.index("lines above the scope")
    assert "this file:\ndef step_150(x):\n" in text
    assert "step_150" not in told(PADDING + CODE, 803).split("definitions of names")[1]


def test_the_beginning_of_the_prompt_is_the_same_before_and_after_indexing() -> None:
    one = context(CODE + PADDING)
    other = replace(one, request=replace(one.request, definitions_of=lambda _: ()))
    with_index, without = (each.request_for(ENTRY).messages[-1] for each in (one, other))
    assert with_index.content[: with_index.n_stable] == without.content[: without.n_stable]
    assert "price_of(item)" in with_index.content[with_index.n_stable :]


@pytest.mark.parametrize("language_id", ["plaintext", "json", "sql"])
def test_a_document_without_functions_is_included_unchanged(language_id: str) -> None:
    document = Document.opened("file:///a", 1, language_id, '{"price_of": 1}\n', "utf-16")
    request = EditRequest(document, ((0, 0), (0, 0)), "do it", "lightning", definitions_of=known)
    text = (
        PromptContext.about(request, resolve_scope(request), PromptDelimiters())
        .request_for(ENTRY)
        .messages[-1]
        .content
    )
    assert "definitions" not in text


def test_the_built_in_engine_gets_no_definitions() -> None:
    def fail(_: str) -> Sequence[SymbolPlace]:
        raise AssertionError

    one = context()
    builtin = LaneEntry("builtin", "rules", limits=Limits(), is_cloud=False, origin="builtin")
    replace(one, request=replace(one.request, definitions_of=fail)).request_for(builtin)


def test_the_prompt_budget_is_that_of_the_lane_entry() -> None:
    def n_chars(entry: LaneEntry, room: TokenLimits | None = None) -> int:
        messages = context(CODE + PADDING).request_for(entry, limits=room).messages
        return sum(len(message.content) for message in messages)

    deep = replace(ENTRY, limits=replace(ENTRY.limits, context_tokens=16_000))
    assert 25_000 < n_chars(ENTRY) <= 32_000
    assert 50_000 < n_chars(deep) <= 64_000
    small = replace(ENTRY, window_tokens=4_096)
    assert n_chars(small) <= 4 * 2_048
    assert context().request_for(small).max_output_tokens == 2_048
    assert n_chars(deep, TokenLimits(5_000, 100)) <= 20_000


# The form of the answer


LONG = "def total(items):\n" + "    items.append(price_of(items))\n" * (MAX_WHOLE_CHARS // 30)


def test_a_long_scope_is_requested_in_blocks_and_a_short_scope_whole() -> None:
    request = asked(LONG, 0)
    assert texts.BLOCKS in request.messages[-1].content
    assert not request.repeats_scope
    assert context(LONG, 0).surroundings.are_blocks_requested
    assert texts.BLOCKS not in told()
    assert asked().repeats_scope
    assert not context().surroundings.are_blocks_requested


def test_the_answer_form_and_the_prompt_ignore_the_instruction_comment() -> None:
    with_comment = LONG.replace("\n", "\n    # ai: do it\n", 1)
    one = context(with_comment, 1, comment_line=1)
    assert one.surroundings.are_blocks_requested
    assert one.surroundings.prompt_lines == LONG.splitlines()
    assert "# ai:" not in one.request_for(ENTRY).messages[-1].content
    assert context(LONG, 0).surroundings.prompt_lines is None


def test_the_prompt_contains_the_cursor_and_the_fence_of_the_answer() -> None:
    text = told(line=4)
    assert "the cursor is on line 2 of the scope, column 1: return sum(map(price_of, items))\n" in text
    assert "begins with ```python and ends with ```" in text
    assert context().surroundings.fence == "```"
    fenced = context(CODE.replace("    return", '    """```\n    x\n    ```"""\n    return'))
    assert fenced.surroundings.fence == "````"


def test_a_long_scope_is_not_requested_in_a_fence() -> None:
    assert context(LONG, 0).surroundings.fence == ""
    assert "The code block begins" not in asked(LONG, 0).messages[-1].content


def test_an_instruction_comment_is_no_selection() -> None:
    with_comment = CODE.replace("    return", "    # ai: do it\n    return")
    assert "the cursor" not in told(with_comment, 4, comment_line=4)


# Earlier edits


def test_changes_of_the_earlier_edit_are_data_and_its_instruction_is_not() -> None:
    text = told(follows=PreviousEdit("use a map", "- for item in items:\n+ return sum(map(f, items))\n"))
    data, _, instruction = text.rpartition("=== end of data === ")
    assert "+ return sum(map(f, items))\n" in data
    assert "(An earlier instruction is carried out already: use a map)\n\ndo it" in instruction


def test_the_prompt_says_that_the_earlier_result_was_rejected() -> None:
    text = told(follows=PreviousEdit("use a map", is_rejected=True))
    assert "was carried out, and its result rejected: use a map" in text
    assert "what the earlier instruction has changed" not in text
