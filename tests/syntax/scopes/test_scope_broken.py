"""In incomplete code a scope is the function a reader sees or a block, never a neighbour as well."""

from __future__ import annotations

import re

import pytest
from tests.syntax.labelled import shown

from twospeed.syntax import enclosing_scopes, find_scope
from twospeed.text.code.scope import Scope
from twospeed.text.lines import split_lines

C_LIKE = ("int first(int n) {", "int second(int n) {", "if (n > 1) {", "}")
SCRIPT = ("function first(n) {", "function second(n) {", "if (n > 1) {", "}")

FIRST, SECOND, CONDITION, END = range(4)
SHAPES = {
    "python": ("def first(n):", "def second(n):", "if n > 1:", ""),
    "javascript": SCRIPT,
    "javascriptreact": SCRIPT,
    "typescript": SCRIPT,
    "typescriptreact": SCRIPT,
    "go": ("func first(n int) int {", "func second(n int) int {", "if n > 1 {", "}"),
    "rust": ("fn first(n: i32) -> i32 {", "fn second(n: i32) -> i32 {", "if n > 1 {", "}"),
    "java": C_LIKE,
    "c": C_LIKE,
    "cpp": C_LIKE,
}
"""How a language writes two functions with a condition in each, and what ends both."""

LANGUAGES = list(SHAPES)


def two_functions(language_id: str) -> list[str]:
    r"""Write two neighbours; Java's stand in a class, so that all have one line above the first.

    The first is on lines 1 to 6, the second on lines 8 to 13, counted from 0.
    """
    shape = SHAPES[language_id]
    functions = [
        [
            header,
            f"    {shape[CONDITION]}",
            "        call(n, 2);",
            f"    {shape[END]}",
            "    return n;",
            shape[END],
        ]
        for header in (shape[FIRST], shape[SECOND])
    ]
    lines = ["class All {" if language_id == "java" else "", *functions[0], "", *functions[1], ""]
    if language_id == "python":
        lines = [line.rstrip(";") for line in lines]
    if language_id == "java":
        lines = [lines[0], *(f"    {line}" if line else "" for line in lines[1:]), "}", ""]
    return split_lines("\n".join(lines))


def scope_at(lines: list[str], language_id: str, line: int, column: int = 99) -> Scope:
    return find_scope(lines, language_id, ((line, column), (line, column)))


def is_within(scope: Scope, start: int, end: int) -> bool:
    return start <= scope.start and scope.end <= end


@pytest.mark.parametrize("language_id", LANGUAGES)
def test_whole_functions_are_found(language_id: str) -> None:
    lines = two_functions(language_id)
    assert scope_at(lines, language_id, 3).name == "first"
    assert is_within(scope_at(lines, language_id, 3), 1, 7)
    assert scope_at(lines, language_id, 10).name == "second"
    assert is_within(scope_at(lines, language_id, 10), 8, 14)


@pytest.mark.parametrize("missing", [4, 6], ids=["inner-brace", "last-brace"])
@pytest.mark.parametrize("language_id", LANGUAGES[1:])
def test_a_missing_brace_does_not_add_the_neighbour(language_id: str, missing: int) -> None:
    lines = two_functions(language_id)
    lines[missing] = "\n"
    assert is_within(scope_at(lines, language_id, 3), 1, 7)
    assert is_within(scope_at(lines, language_id, 10), 8, 14)
    around = enclosing_scopes(lines, language_id, 10, 99)
    assert around
    assert all(scope.kind == "file" or scope.name != "first" for scope in around)


TOKEN = re.compile(r"\w+|[^\w\s]")
TYPED = ("(", "{", "}", "'", "if", "x =", ".")


@pytest.mark.parametrize("language_id", LANGUAGES)
def test_a_token_too_many_or_too_few_in_a_body_does_not_add_a_neighbour(language_id: str) -> None:
    whole = two_functions(language_id)
    for line in range(2, 6):
        for token in TOKEN.finditer(whole[line]):
            for typed in ("", *(f"{text} {token[0]}" for text in TYPED)):
                changed = whole[line][: token.start()] + typed + whole[line][token.end() :]
                lines = [*whole[:line], changed, *whole[line + 1 :]]
                scope = scope_at(lines, language_id, line, token.start())
                assert is_within(scope, 1, 7), (changed, shown(scope))
                assert scope.start <= line
                assert scope.kind == "insertion" or line < scope.end
                for other in (8, 10, 11):
                    assert is_within(scope_at(lines, language_id, other), 8, 14), (changed, other)


def test_an_open_bracket_above_does_not_hide_a_python_function() -> None:
    text = "x = call(\n\nclass A:\n    # one\n    @dec\n    def f(\n        self,\n    ):\n        a\n\n        b\n\ny\n"
    assert [shown(scope) for scope in enclosing_scopes(split_lines(text), "python", 10, 8)] == [
        "function f 4-11",
        "class A 3-11",
        "file 1-13",
    ]


def test_an_open_bracket_in_a_python_function_leaves_it_a_function() -> None:
    lines = split_lines("def f(x):\n    y = g(x\n\n    return y\n\ndef h():\n    pass\n")
    assert shown(scope_at(lines, "python", 1)) == "function f 1-4"


def test_a_python_function_below_an_open_bracket_is_found() -> None:
    lines = split_lines(
        "class A:\n    def f(self):\n        x = g(\n\n    def h(self):\n        return 1\n\n\ny\n"
    )
    assert shown(scope_at(lines, "python", 2)) == "function f 2-3"
    assert shown(scope_at(lines, "python", 5)) == "function h 5-6"
    assert shown(enclosing_scopes(lines, "python", 5, 99)[1]) == "class A 1-6"


def test_a_label_a_directive_and_a_brace_without_indentation_end_no_function() -> None:
    lines = split_lines(
        "int f(int n)\n{\n    g(;\nagain:\n#ifdef X\n    h();\n#endif\n    goto again;\n}\n\nint k(void) { }\n"
    )
    assert shown(scope_at(lines, "c", 5)) == "function f 1-9"


def test_a_function_without_its_name_does_not_belong_to_the_type_below() -> None:
    lines = split_lines("pub const unsafe fn () {\n    //! x\n}\n\nenum Colour {\n    Red,\n}\n")
    assert is_within(scope_at(lines, "rust", 1), 0, 3)
    assert is_within(scope_at(lines, "rust", 5), 4, 7)


def test_a_header_over_several_lines_is_part_of_its_broken_function() -> None:
    lines = split_lines("function f({\n  a,\n}) {\n  a(;\n}\n\ng();\n")
    assert shown(scope_at(lines, "javascript", 3)) == "function f 1-5"


@pytest.mark.parametrize("typed", ["const y = ;", "if (x) {"])
def test_a_string_without_indentation_ends_no_broken_function(typed: str) -> None:
    lines = split_lines(
        f"function f(x) {{\n  const sql = `\nSELECT *\nFROM t\n`;\n  {typed}\n  return sql;\n}}\n\nfunction h() {{\n}}\n"
    )
    for line in range(8):
        assert shown(scope_at(lines, "javascript", line)) == "function f 1-8", line


def test_a_comment_without_indentation_ends_no_broken_function() -> None:
    lines = split_lines(
        "int f(int n)\n{\n    g(;\n/*\nIt is said\nat length.\n*/\n    return n;\n}\n\nint k(void) { }\n"
    )
    assert shown(scope_at(lines, "c", 2)) == "function f 1-9"


def test_a_string_without_indentation_ends_no_broken_python_function() -> None:
    lines = split_lines(
        'class A:\n    def f(self):\n        sql = """\nSELECT *\nFROM t\n"""\n        y = (self\n        return sql\n\n'
        "    def h(self):\n        return 1\n"
    )
    for line in range(1, 8):
        assert shown(scope_at(lines, "python", line)) == "function f 2-8", line
    assert shown(scope_at(lines, "python", 10)) == "function h 10-11"


def test_an_open_quote_does_not_add_the_neighbour() -> None:
    lines = split_lines(
        "function f() {\n  const q = `abc;\n  return 1;\n}\n\nfunction h() {\n  const r = `xyz`;\n}\n"
    )
    for line in range(3):
        assert is_within(scope_at(lines, "javascript", line), 0, 4), line
    assert is_within(scope_at(lines, "javascript", 6), 5, 8)


def test_an_open_quote_in_python_does_not_add_the_neighbour() -> None:
    lines = split_lines(
        'def f():\n    x = """abc\n    return x\n\ny = 1\n\ndef h():\n    """Doc."""\n    return 2\n'
    )
    for line in range(3):
        assert is_within(scope_at(lines, "python", line), 0, 3), line


def test_a_class_that_ends_within_a_function_is_not_a_scope() -> None:
    lines = split_lines(
        "class A {\n  int f() {\n"
        '    String s = """\nfunction g() {\n}\n        """;\n    return 1;\n  }\n\n  int k(;\n}\n'
    )
    found = enclosing_scopes(lines, "java", 2, 99)
    assert [shown(scope) for scope in found] == ["function f 2-8", "file 1-11"]


@pytest.mark.parametrize(
    ("language_id", "of_type", "typed"),
    [("javascript", "", "if (n.leng"), ("javascript", "", "if (n)"), ("java", "int ", "while (n")],
)
def test_a_line_without_its_opening_brace_does_not_end_its_function(
    language_id: str, of_type: str, typed: str
) -> None:
    lines = split_lines(
        f"class A {{\n  {of_type}f(n) {{\n    {typed}\n      g();\n    }}\n    return n;\n  }}\n\n  {of_type}h() {{\n  }}\n}}\n"
    )
    for line in range(1, 5):
        assert shown(scope_at(lines, language_id, line)) == "function f 2-7", line
    assert is_within(scope_at(lines, language_id, 8), 7, 11)


def test_the_brace_of_a_class_is_not_part_of_a_scala_function() -> None:
    lines = split_lines(
        "class A {\n  def f(n: Int): Int = {\n    if (n\n      g();\n    }\n    n\n  }\n\n  def h() = {\n  }\n}\n"
    )
    assert shown(scope_at(lines, "scala", 2)) == "function f 2-7"
    assert shown(scope_at(lines, "scala", 8)) == "function h 9-10"


def test_a_line_without_its_closing_bracket_does_not_end_its_python_function() -> None:
    lines = split_lines(
        "def f(x):\n    y = [g(x\n    while y:\n        del y[0]\n    return h(y)\n\ndef h(x):\n    return 1\n"
    )
    assert shown(scope_at(lines, "python", 1)) == "function f 1-5"
    assert shown(scope_at(lines, "python", 7)) == "function h 7-8"


def test_a_comment_above_the_neighbour_is_not_part_of_a_broken_python_function() -> None:
    lines = split_lines(
        "class A:\n    def f(self):\n        x = g(\n\n    # One.\n    # Two.\n    def h(self):\n        return 1\n"
    )
    assert shown(scope_at(lines, "python", 2)) == "function f 2-3"
