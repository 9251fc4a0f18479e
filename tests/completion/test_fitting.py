"""Which part of an answer is inserted at the cursor."""

from __future__ import annotations

import asyncio

import pytest
from tests.completion.places import at

from twospeed.completion.balance import balanced_part
from twospeed.completion.fitting import fit


def part(
    document: str, answer: str, *, language: str = "python", is_chat: bool = False, is_cut: bool = False
) -> str:
    place = at(document, language)
    return asyncio.run(balanced_part(fit(answer, place, is_chat=is_chat), place, is_cut=is_cut))


@pytest.mark.parametrize(
    ("document", "answer", "expected"),
    [
        ("print(|)", "x)", "x"),
        ("print(|)", "foo()", "foo()"),
        ("print(foo(|))", "bar(1)))", "bar(1)"),
        ("x = '|'\n", "hello'", "hello"),
        ("total = |value\n", "2 * value", "2 * "),
        ("def f(a):\n    |\n\n\ndef g():\n    pass\n", "return a\n\n\ndef g():\n    pass\n", "return a"),
        ("items = [|\n    1,\n    2,\n]\n", "\n    0,\n    1,\n    2,\n]\n", "\n    0,"),
    ],
)
def test_a_suggestion_repeats_nothing_behind_the_cursor(document: str, answer: str, expected: str) -> None:
    assert part(document, answer) == expected


@pytest.mark.parametrize(
    ("document", "answer", "expected"),
    [
        (
            "function f() {\n  |\n}\n",
            "if (a) {\n    b();\n  }\n  return 1;\n}\n",
            "if (a) {\n    b();\n  }\n  return 1;",
        ),
        ("function f() {|\n", "\n  return 1;\n}\n", "\n  return 1;\n}"),
        ("f(|", "1, g(2))\nlet y = (", "1, g(2))"),
    ],
)
def test_a_suggestion_ends_where_brackets_are_paired(document: str, answer: str, expected: str) -> None:
    assert part(document, answer, language="javascript") == expected


@pytest.mark.parametrize("answer", ["))", "return (", "def f(:", "}\n{"])
def test_an_answer_that_is_nowhere_balanced_is_not_suggested(answer: str) -> None:
    assert part("x = 1\n|\n", answer) == ""


def test_brackets_are_paired_without_a_grammar() -> None:
    assert part("f (|)", "g 1)", language="ada") == "g 1"
    assert part("x\n|\n", "f (1\ng)", language="ada") == "f (1\ng)"
    assert part("x\n|\n", "f (1\ng", language="ada") == ""


@pytest.mark.parametrize(
    ("document", "answer", "expected"),
    [
        (
            "def f(a):\n    |\n",
            "    if a:\n        return 1\n    return 2\n",
            "if a:\n        return 1\n    return 2",
        ),
        ("def f(a):\n    |\n", "if a:\n    return 1\nreturn 2\n", "if a:\n        return 1\n    return 2"),
        (
            "def f(a):\n    |\n",
            "if a:\n        return 1\n    return 2\n",
            "if a:\n        return 1\n    return 2",
        ),
        (
            "class A:\n    # add two numbers|\n",
            "def add(self, a, b):\n    return a + b\n",
            "\n    def add(self, a, b):\n        return a + b",
        ),
        ("def f(a):\n    return |\n", "    return a + 1\n", "a + 1"),
        ("# add two numbers|\n", "# add two numbers\nx = 1 + 2\n", "\nx = 1 + 2"),
    ],
)
def test_the_block_of_a_chat_model_is_moved_to_the_cursor(document: str, answer: str, expected: str) -> None:
    assert part(document, answer, is_chat=True) == expected


def test_a_document_with_tabs_receives_tabs() -> None:
    answer = "if (a) {\n    b();\n}\n"
    assert (
        part("function f() {\n\t|\n}\n", answer, language="javascript", is_chat=True)
        == "if (a) {\n\t\tb();\n\t}"
    )


def test_a_document_with_spaces_receives_spaces() -> None:
    answer = "if (a) {\n\tb();\n}\n"
    document = "function f() {\n  |\n}\n"
    assert part(document, answer, language="javascript", is_chat=True) == "if (a) {\n    b();\n  }"


def test_an_answer_ends_where_it_leaves_the_block() -> None:
    assert part("def f(a):\n    |\n", "return a\n\ndef g():\n    return 2\n") == "return a"


def test_a_cut_answer_ends_before_its_last_block() -> None:
    answer = "def f():\n    return 1\n\ndef g():\n    x = 1\n    y ="
    assert part("|\n", answer, is_cut=True) == "def f():\n    return 1"


def test_a_cut_answer_of_one_line_is_not_suggested() -> None:
    assert part("|\n", "value = compute(1)", is_cut=True) == ""


def test_in_the_middle_of_a_line_one_line_is_suggested() -> None:
    assert part("x = | + 1\n", "2\ny = 3\n") == "2"


def test_closing_brackets_behind_the_cursor_allow_several_lines() -> None:
    assert part("x = foo({|})", "\n    'a': 1,\n") == "\n    'a': 1,\n"


def test_hidden_characters_of_an_answer_are_removed() -> None:
    assert part("x = |\n", "1\u202e\u200b + 2") == "1 + 2"


def test_line_ends_of_an_answer_are_line_feeds() -> None:
    assert part("# add two numbers|\r\n", "a = 1\r\nb = 2\r\n") == "\na = 1\nb = 2"


def test_a_line_end_at_the_start_of_new_code_is_dropped() -> None:
    assert part("def f(a):\n    |\n", "\n    b = a\n    return b\n") == "b = a\n    return b"
