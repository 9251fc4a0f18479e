"""The scope of a selection, the allowed choices, and the fallback without a function."""

from __future__ import annotations

import re

import pytest
from tests.syntax.labelled import sample, shown

from twospeed.errors import InvalidRequest
from twospeed.syntax import enclosing_scopes, find_scope
from twospeed.syntax.scopes.scope import Place
from twospeed.text.code.scope import Scope, ScopeChoice
from twospeed.text.lines import split_lines


def marked(text: str) -> tuple[list[str], tuple[Place, Place]]:
    """Read a text with a selection from ``[`` to ``]``, or a cursor ``|``."""
    places: list[Place] = []
    lines = split_lines(text)
    for number, line in enumerate(lines):
        while match := re.search(r"[\[\]|]", line):
            places.append((number, match.start()))
            line = line[: match.start()] + line[match.end() :]  # noqa: PLW2901  # the mark is not text
        lines[number] = line
    return lines, (places[0], places[-1])


def check_marked(text: str, expected: str, choice: ScopeChoice = "auto", language_id: str = "python") -> None:
    lines, selection = marked(text)
    assert shown(find_scope(lines, language_id, selection, choice)) == expected


# Selections


def test_a_selection_is_widened_to_whole_lines() -> None:
    check_marked("a\nb[c\nd]e\n", "selection 2-3")


def test_a_selection_that_ends_at_a_line_start_leaves_that_line_out() -> None:
    check_marked("[a\nb\n]c\n", "selection 1-2")


def test_a_selection_may_be_given_backwards() -> None:
    lines, (start, end) = marked("a\n[b\nc\n]d")
    assert shown(find_scope(lines, "python", (end, start))) == "selection 2-3"


def test_two_characters_are_a_selection() -> None:
    check_marked("def f():\n    [re]turn 1\n", "selection 2-2")


def test_one_character_is_a_cursor() -> None:
    check_marked("def f():\n    [r]eturn 1\n", "function f 1-2")


def test_a_line_end_alone_is_one_character_however_it_is_written() -> None:
    for eol in ("\n", "\r\n", "\r"):
        check_marked(f"def f():[{eol}]    return 1{eol}", "function f 1-2")


def test_a_line_end_and_a_character_are_two() -> None:
    check_marked("def f()[:\n]    return 1\n", "selection 1-1")


def test_a_selection_of_the_last_empty_line_alone_is_an_insertion() -> None:
    lines = ["a\n", ""]
    assert shown(find_scope(lines, "python", ((1, 0), (1, 0)), "selection")) == "insertion 2"


def test_the_empty_line_behind_the_last_line_end_is_never_in_a_scope() -> None:
    check_marked("[a\nb\n]", "selection 1-2")
    check_marked("a|\nb\n", "file 1-2", "file")


def test_a_last_line_without_line_end_is_in_its_scope() -> None:
    check_marked("[a\nb]", "selection 1-2")


def test_the_choice_selection_with_a_cursor_uses_its_line() -> None:
    check_marked("def f():\n    a\n    b|\n", "selection 3-3", "selection")


def test_places_past_the_end_mean_the_end() -> None:
    assert shown(find_scope(["def f():\n", "    pass"], "python", ((9, 9), (9, 9)))) == "function f 1-2"


# Choices


def test_the_choice_function_uses_the_function_around_the_selection() -> None:
    check_marked("def f():\n    def g():\n        [a\n    b]\n", "function f 1-4", "function")


def test_the_choice_class_uses_the_class_around_a_method() -> None:
    check_marked("class A:\n    def f(self):\n        |pass\n", "class A 1-3", "class")


@pytest.mark.parametrize(
    ("choice", "text", "language_id", "words"),
    [
        ("function", "x = 1|\n", "python", "there is no function around the selection"),
        ("class", "def f():\n    |pass\n", "python", "there is no class around the selection"),
        ("function", "def f():\n    [a\ndef g():\n    b]\n", "python", "there is no function"),
        ("function", "fn main() {|}\n", "zig", "a function cannot be found in a zig document"),
        ("class", "x|" + "y" * 20_001, "python", "the document is too large to find a class"),
    ],
)
def test_a_missing_function_or_class_is_an_invalid_scope(
    choice: ScopeChoice, text: str, language_id: str, words: str
) -> None:
    lines, selection = marked(text)
    with pytest.raises(InvalidRequest, match=words) as caught:
        find_scope(lines, language_id, selection, choice)
    assert caught.value.field == "scope"


# Blocks and insertions


def test_without_a_grammar_the_block_of_non_blank_lines_is_the_scope() -> None:
    check_marked("fn a() {\n}\n\nfn b() {\n  |x\n}\n\n", "block 4-6", language_id="zig")


def test_a_blank_line_is_an_insertion() -> None:
    check_marked("a\n\n|\n\nb\n", "insertion 3")


def test_white_space_alone_is_blank() -> None:
    check_marked("a\n \t|\f\nb\n", "insertion 2", language_id="zig")


def test_an_empty_document_is_an_insertion_for_every_choice() -> None:
    for choice in ("auto", "file", "selection"):
        assert find_scope([""], "python", ((0, 0), (0, 0)), choice) == Scope("insertion", None, 0, 0)


def test_a_document_too_large_to_parse_has_blocks() -> None:
    lines = ["def f():\n", "    pass\n", "\n", "x" * 20_001]
    assert shown(find_scope(lines, "python", ((1, 5), (1, 5)))) == "block 1-2"


def test_a_name_over_several_lines_is_shown_on_one() -> None:
    check_marked("a\n  .b = function () {|}\n", "function a .b 1-2", language_id="javascript")


def test_the_keyword_class_means_the_class() -> None:
    check_marked("export cl|ass A {\n  m() {}\n}\n", "class A 1-3", language_id="javascript")


# Code that is being written


def test_an_open_bracket_above_does_not_hide_a_function() -> None:
    text = "x = call(\n\nclass A:\n    # one\n    @dec\n    def f(\n        self,\n    ):\n        a\n\n        |b\n\ny\n"
    check_marked(text, "function f 4-11")
    check_marked(text, "class A 3-11", "class")


def test_an_open_bracket_in_a_function_leaves_it_a_function() -> None:
    check_marked("def f(x):\n    y = g(x|\n\n    return y\n\ndef h():\n    pass\n", "function f 1-4")


# All scopes of a place


def test_enclosing_scopes_come_innermost_first_and_the_file_last() -> None:
    lines, places = sample("python")
    scopes = enclosing_scopes(lines, "python", *places["nested-body"])
    assert list(map(shown, scopes)) == [
        "function check 33-34",
        "function pay 32-39",
        "class Basket 9-41",
        "file 1-54",
    ]


def test_outside_definitions_the_block_precedes_the_file() -> None:
    assert [shown(scope) for scope in enclosing_scopes(["a\n", "\n", "b\n", ""], "python", 2, 0)] == [
        "block 3-3",
        "file 1-3",
    ]


def test_on_a_blank_line_there_is_only_the_file() -> None:
    assert [shown(scope) for scope in enclosing_scopes(["a\n", "\n", ""], "python", 1, 0)] == ["file 1-2"]


@pytest.mark.parametrize(("end", "last"), [((1, 0), 1), ((1, 1), 2), ((2, 0), 2), ((9, 0), 2), ((1, 9), 2)])
def test_a_place_below_a_document_is_the_end_of_its_last_line(end: tuple[int, int], last: int) -> None:
    scope = find_scope(["a\n", "b"], "python", ((0, 0), end), "selection")
    assert (scope.kind, scope.start, scope.end) == ("selection", 0, last)
