"""Syntax errors are counted at any depth, and not without a grammar."""

from __future__ import annotations

import pytest
from tests.syntax.work import parse_without_limit

from twospeed.syntax import count_errors, distinguishes_code_from_prose
from twospeed.text.lines import split_lines


@pytest.mark.parametrize(
    ("language_id", "text", "n_errors"),
    [
        ("python", "", 0),
        ("python", "def f():\n    return 1\n", 0),
        ("python", "def f(:\n", 1),
        ("python", "x = (1\n", 1),
        ("javascript", "function f() {", 1),
        ("javascript", "const a = {b: 1};\n", 0),
        ("javascriptreact", "const a = <p>{b}</p>;\n", 0),
        ("typescript", "let a: string = <string>b;\n", 0),
        ("typescriptreact", "let a: string = <p>{b}</p>;\n", 0),
    ],
)
def test_errors_are_counted(language_id: str, text: str, n_errors: int) -> None:
    assert count_errors(split_lines(text), language_id) == n_errors


def test_each_error_is_counted() -> None:
    broken = "def f(:\n    pass\n\nclass :\n    pass\n"
    assert (count_errors(split_lines(broken), "python") or 0) > 1


@pytest.mark.parametrize(
    ("language_id", "text"),
    [
        ("cobol", "MOVE ("),
        ("sql", "insert into a values (1) on conflict do nothing;"),  # right, and not known to the grammar
    ],
)
def test_errors_are_not_counted_without_a_reliable_grammar(language_id: str, text: str) -> None:
    assert count_errors([text], language_id) is None


@pytest.mark.parametrize(
    ("language_id", "tells"),
    [("python", True), ("rust", True), ("json", True), ("html", False), ("ruby", False), ("cobol", False)],
)
def test_a_parse_does_not_prove_code_if_the_grammar_accepts_prose(language_id: str, tells: bool) -> None:
    assert distinguishes_code_from_prose(["\n", ""], language_id) is tells


def test_errors_in_deep_nesting_are_counted() -> None:
    lines = ["[" * 10_000 + "\n"] * 5
    parse_without_limit("javascript", lines)
    assert count_errors(lines, "javascript")
