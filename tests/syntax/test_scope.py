"""A cursor or selection means the lines the contract says, in every language and with every line end."""

from __future__ import annotations

import re
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from twospeed.errors import InvalidRequest
from twospeed.syntax import enclosing_scopes, find_scope
from twospeed.syntax.languages import PROFILES
from twospeed.syntax.scope import Place
from twospeed.text.lines import body_of, split_lines
from twospeed.text.scope import Scope, ScopeChoice

SAMPLES = Path(__file__).parent / "samples"
LABEL = re.compile("«([^»]*)»")


def sample(language_id: str, eol: str = "\n") -> tuple[list[str], dict[str, Place]]:
    """Read a sample: its lines without labels, and the place of each ``«label»``."""
    places: dict[str, Place] = {}
    lines: list[str] = []
    text = (SAMPLES / f"{language_id}.txt").read_text("utf-8").replace("\n", eol)
    for line in split_lines(text):
        while match := LABEL.search(line):
            places[match[1]] = (len(lines), match.start())
            line = line[: match.start()] + line[match.end() :]  # noqa: PLW2901  # the label is not text
        lines.append(line)
    return lines, places


def shown(scope: Scope) -> str:
    """``"function total 12-20"``: kind, name, first and last line as an editor counts them."""
    return " ".join(filter(None, [scope.kind, scope.name, f"{scope.start + 1}-{scope.end}"]))


def check(language_id: str, label: str, expected: str) -> None:
    for eol in ("\n", "\r\n", "\r"):
        lines, places = sample(language_id, eol)
        assert shown(find_scope(lines, language_id, (places[label], places[label]))) == expected


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


@pytest.mark.parametrize(
    ("label", "expected"),
    [
        ("module-doc", "block 1-1"),
        ("constant", "block 5-6"),
        ("comment-above", "class Basket 9-41"),
        ("decorator", "class Basket 9-41"),
        ("decorator-argument", "class Basket 9-41"),
        ("class-header", "class Basket 9-41"),
        ("class-doc", "class Basket 9-41"),
        ("class-variable", "class Basket 9-41"),
        ("class-blank", "class Basket 9-41"),
        ("method-comment", "function total 18-29"),
        ("method-decorator", "function total 18-29"),
        ("between", "function total 18-29"),
        ("header-end", "function total 18-29"),
        ("docstring", "function total 18-29"),
        ("blank-in-body", "function total 18-29"),
        ("trailing-spaces", "function total 18-29"),
        ("lambda", "function total 18-29"),
        ("last-line", "function total 18-29"),
        ("blank-behind-body", "function total 18-30"),
        ("nested-header", "function check 33-34"),
        ("nested-body", "function check 33-34"),
        ("blank-behind-nested", "function check 33-35"),
        ("blank-behind-outer", "function pay 32-39"),
        ("trailing-comment", "function pay 32-39"),
        ("inner-class", "class Slip 40-41"),
        ("inner-variable", "class Slip 40-41"),
        ("blank-at-top", "insertion 43-42"),
        ("one-line", "function one 45-45"),
        ("one-line-semicolon", "function two 46-46"),
        ("if", "block 48-49"),
        ("block", "block 48-49"),
        ("unfinished", "block 51-51"),
        ("no-line-end", "function last 53-54"),
    ],
)
def test_python(label: str, expected: str) -> None:
    check("python", label, expected)


@pytest.mark.parametrize(
    ("label", "expected"),
    [
        ("import", "block 1-1"),
        ("jsdoc", "function double 3-9"),
        ("declaration", "function double 3-9"),
        ("blank-inside", "function double 3-9"),
        ("trailing-spaces", "function double 3-9"),
        ("closing-brace", "function double 3-9"),
        ("blank-top", "insertion 10-9"),
        ("line-comment", "function half 11-14"),
        ("const-name", "function half 11-14"),
        ("arrow-body", "function half 11-14"),
        ("default-export", "function default 16-18"),
        ("class-header", "class Shop 20-38"),
        ("field", "class Shop 20-38"),
        ("method-doc", "function open 23-31"),
        ("generator", "function open 23-31"),
        ("inner-function", "function inner 25-27"),
        ("callback", "function open 23-31"),
        ("field-arrow", "function close 33-35"),
        ("field-arrow-end", "function close 33-35"),
        ("class-blank", "class Shop 20-38"),
        ("getter", "function size 37-37"),
        ("key-comment", "function list 41-44"),
        ("key", "function list 41-44"),
        ("key-body", "function list 41-44"),
        ("key-end", "function list 41-44"),
        ("object-method", "function find 45-47"),
        ("assigned", "function module.exports.run 50-52"),
        ("assigned-body", "function module.exports.run 50-52"),
        ("iife", "function start 54-56"),
        ("test-callback", "block 58-63"),
        ("two-on-a-line", "function b 63-63"),
        ("second-blank", "insertion 66-65"),
    ],
)
def test_javascript(label: str, expected: str) -> None:
    check("javascript", label, expected)


@pytest.mark.parametrize(
    ("label", "expected"),
    [
        ("interface-doc", "class Named 1-4"),
        ("interface", "class Named 1-4"),
        ("interface-member", "class Named 1-4"),
        ("enum", "class Colour 6-8"),
        ("class-decorator", "class Store 10-35"),
        ("decorator-arrow", "function scope 11-11"),
        ("class-header", "class Store 10-35"),
        ("field", "class Store 10-35"),
        ("constructor", "function constructor 16-18"),
        ("method-doc", "function add 20-27"),
        ("method-decorator", "function add 20-27"),
        ("method", "function add 20-27"),
        ("method-body", "function add 20-27"),
        ("method-end", "function add 20-27"),
        ("decorated-on-a-line", "function one 28-28"),
        ("abstract", "function save 29-29"),
        ("field-arrow", "function handler 31-33"),
        ("field-arrow-end", "function handler 31-33"),
        ("class-blank", "class Store 10-35"),
        ("declared", "function external 37-37"),
        ("annotation", "function typed 39-41"),
        ("typed-body", "function typed 39-41"),
        ("second-declarator", "function second 43-46"),
        ("namespaced", "function deep 49-51"),
        ("overloaded", "function parse 55-57"),
        ("alias", "block 59-59"),
    ],
)
def test_typescript(label: str, expected: str) -> None:
    check("typescript", label, expected)


REACT = [
    ("import", 0, "block 1-1"),
    ("component-doc", 2, "function Hello 3-19"),
    ("header", 2, "function Hello 3-19"),
    ("hook", 2, "function Hello 3-19"),
    ("handler", 2, "function onClick 7-9"),
    ("handler-end", 2, "function onClick 7-9"),
    ("jsx-attribute", 2, "function Hello 3-19"),
    ("jsx-comment", 2, "function Hello 3-19"),
    ("jsx-callback", 2, "function Hello 3-19"),
    ("jsx-expression", 2, "function Hello 3-19"),
    ("return-end", 2, "function Hello 3-19"),
    ("closing-brace", 2, "function Hello 3-19"),
    ("fragment", 2, "function Card 21-26"),
    ("blank-in-jsx", 2, "function Card 21-26"),
    ("arrow-end", 2, "function Card 21-26"),
    ("named-in-call", 2, "function Inner 28-30"),
    ("unnamed-in-call", 2, "block 32-34"),
    ("state", 2, "class Old 36-41"),
    ("render", 2, "function render 38-40"),
    ("class-end", 2, "class Old 36-41"),
    ("default-arrow", 2, "function default 43-43"),
]


@pytest.mark.parametrize(("label", "offset", "expected"), REACT)
@pytest.mark.parametrize("language_id", ["javascriptreact", "typescriptreact"])
def test_react(language_id: str, label: str, offset: int, expected: str) -> None:
    """The TypeScript sample has a type more at its top, so its lines are two further down."""
    shift = offset if language_id == "typescriptreact" else 0
    moved = re.sub(
        r"(\d+)-(\d+)$", lambda match: f"{int(match[1]) + shift}-{int(match[2]) + shift}", expected
    )
    check(language_id, label, moved)


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
    assert shown(find_scope(lines, "python", ((1, 0), (1, 0)), "selection")) == "insertion 2-1"


def test_the_empty_line_behind_the_last_line_end_is_never_in_a_scope() -> None:
    check_marked("[a\nb\n]", "selection 1-2")
    check_marked("a|\nb\n", "file 1-2", "file")


def test_a_last_line_without_line_end_is() -> None:
    check_marked("[a\nb]", "selection 1-2")


def test_selection_without_one_means_the_line() -> None:
    check_marked("def f():\n    a\n    b|\n", "selection 3-3", "selection")


def test_places_past_the_end_mean_the_end() -> None:
    assert shown(find_scope(["def f():\n", "    pass"], "python", ((9, 9), (9, 9)))) == "function f 1-2"


# Choices


def test_a_function_around_the_whole_selection_is_taken() -> None:
    check_marked("def f():\n    def g():\n        [a\n    b]\n", "function f 1-4", "function")


def test_a_class_is_taken_from_inside_a_method() -> None:
    check_marked("class A:\n    def f(self):\n        |pass\n", "class A 1-3", "class")


@pytest.mark.parametrize(
    ("choice", "text", "language_id", "words"),
    [
        ("function", "x = 1|\n", "python", "there is no function around the selection"),
        ("class", "def f():\n    |pass\n", "python", "there is no class around the selection"),
        ("function", "def f():\n    [a\ndef g():\n    b]\n", "python", "there is no function"),
        ("function", "fn main() {|}\n", "rust", "a function cannot be found in a rust document"),
        ("class", "x|" + "y" * 20_001, "python", "the document is too large to find a class"),
    ],
)
def test_what_is_asked_for_and_not_there_names_the_field(
    choice: ScopeChoice, text: str, language_id: str, words: str
) -> None:
    lines, selection = marked(text)
    with pytest.raises(InvalidRequest, match=words) as caught:
        find_scope(lines, language_id, selection, choice)
    assert caught.value.field == "scope"


# Blocks and insertions


def test_without_a_grammar_the_block_of_non_blank_lines_is_the_scope() -> None:
    check_marked("fn a() {\n}\n\nfn b() {\n  |x\n}\n\n", "block 4-6", language_id="rust")


def test_a_blank_line_is_an_insertion() -> None:
    check_marked("a\n\n|\n\nb\n", "insertion 3-2")


def test_white_space_alone_is_blank() -> None:
    check_marked("a\n \t|\f\nb\n", "insertion 2-1", language_id="go")


def test_an_empty_document_is_an_insertion_whatever_is_asked_for() -> None:
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


def test_outside_of_everything_the_block_comes_before_the_file() -> None:
    assert [shown(scope) for scope in enclosing_scopes(["a\n", "\n", "b\n", ""], "python", 2, 0)] == [
        "block 3-3",
        "file 1-3",
    ]


def test_on_a_blank_line_there_is_only_the_file() -> None:
    assert [shown(scope) for scope in enclosing_scopes(["a\n", "\n", ""], "python", 1, 0)] == ["file 1-2"]


# Laws

FRAGMENTS = st.sampled_from(
    [
        *[
            "def f():",
            "class A:",
            "@dec",
            "    ",
            "  ",
            "return",
            "# c",
            "x",
            "",
            "(",
            ")",
            "{",
            "}",
            "[",
            '"""',
        ],
        *[
            "function f()",
            "=>",
            "const a =",
            "/**",
            "*/",
            "//",
            "export",
            "class A",
            "if (x)",
            ";",
            ",",
            "<a>",
            "`",
        ],
        *["\n", "\n", "\n", "\r", "\r\n", "\f", "é😋", "\ud800", "\0", "\u2028"],
    ]
)
texts = st.lists(FRAGMENTS, max_size=40).map("".join) | st.text(max_size=60)


@given(
    texts,
    st.sampled_from([*PROFILES, "rust"]),
    st.tuples(st.integers(0, 30), st.integers(0, 12)),
)
def test_a_scope_is_in_the_document_and_holds_the_cursors_line_or_is_an_insertion_there(
    text: str, language_id: str, place: Place
) -> None:
    lines = split_lines(text)
    line = min(place[0], len(lines) - 1)
    scope = find_scope(lines, language_id, (place, place))
    assert 0 <= scope.start <= line
    if scope.kind == "insertion":
        assert scope.start == scope.end == line
    else:
        assert line < scope.end <= len(lines)
        assert body_of(lines[scope.end - 1]) or lines[scope.end - 1]
    for enclosing in enclosing_scopes(lines, language_id, *place):
        assert 0 <= enclosing.start <= enclosing.end <= len(lines)


# Hostile documents


@pytest.mark.parametrize(
    ("language_id", "line"),
    [
        ("python", "(" * 10_000),
        ("javascript", "[" * 10_000),
        ("typescript", "(" * 10_000),
        ("javascript", "{" * 10_000),
        ("typescriptreact", "<a>" * 5_000),
    ],
)
def test_deep_nesting_is_neither_slow_nor_fatal(language_id: str, line: str) -> None:
    opened = [line + "\n"] * 5
    closed = [line.translate(str.maketrans("([{", ")]}")) + "\n"] * 5
    for lines in ([*opened, *closed, ""], [*opened, ""]):
        began = time.thread_time()
        find_scope(lines, language_id, ((4, 9_000), (4, 9_000)))
        assert time.thread_time() - began < 1


def test_a_function_in_the_middle_of_deep_nesting_is_found() -> None:
    depth = 25_000
    opening = ["(" * 5_000 + "\n"] * (depth // 5_000)
    closing = [")" * 5_000 + "\n"] * (depth // 5_000)
    lines = [*opening, "function deep() {\n", "  x\n", "}\n", *closing, ""]
    scope = find_scope(lines, "javascript", ((len(opening) + 1, 2), (len(opening) + 1, 2)))
    assert (scope.kind, scope.name) == ("function", "deep")


def test_thousands_of_comments_above_a_function_are_not_slow() -> None:
    lines = [*["# note\n"] * 5_000, "def f():\n", "    pass\n", ""]
    began = time.thread_time()
    assert find_scope(lines, "python", ((5_001, 4), (5_001, 4))).name == "f"
    assert time.thread_time() - began < 1
