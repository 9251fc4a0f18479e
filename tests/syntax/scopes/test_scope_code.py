"""The contents of a scope: definitions, code, text, and unreadable parts."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from twospeed.syntax import find_errors, import_statements, scope_code
from twospeed.text.code.scope import ScopeCode
from twospeed.text.lines import body_of, split_lines


def seen(text: str, language_id: str, start: int = 0, end: int | None = None) -> ScopeCode:
    lines = split_lines(text)
    return scope_code(lines, language_id, start, len(lines) - 1 if end is None else end)


def defined(text: str, language_id: str = "python") -> list[str]:
    """Write each definition as ``Cart.total 1-3``, with ``empty`` and ``local`` behind it."""
    return [
        " ".join(
            filter(
                None,
                [
                    ".".join((*each.within, each.name)),
                    f"{each.first_line}-{each.last_line}",
                    "local" if each.is_local else "",
                    "empty" if each.is_empty else "",
                ],
            )
        )
        for each in seen(text, language_id).definitions or ()
    ]


def errors(text: str, language_id: str = "python") -> list[tuple[int, str]]:
    lines = split_lines(text)
    return [(each.line, each.what) for each in find_errors(lines, language_id, 0, len(lines))]


PYTHON = '''\
class Cart:
    """Holds items."""

    @property
    def total(self):
        # of all
        return f"sum {self.add('x')}" + "http://é"

    def add(self, what): ...

    def drop(self):
        """Later."""
        raise NotImplementedError("later")

    def outer(self):
        def inner():
            return ""
        return inner
'''


def test_definitions_are_listed_with_their_enclosing_definitions() -> None:
    assert defined(PYTHON) == [
        "Cart 0-17",
        "Cart.total 3-6",
        "Cart.add 8-8 empty",
        "Cart.drop 10-12 empty",
        "Cart.outer 14-17",
        "Cart.outer.inner 15-16 local",
    ]


def test_only_interpolated_code_of_strings_and_comments_is_code() -> None:
    code = seen(PYTHON, "python").code
    assert (code[1].strip(), code[5].strip()) == ("", "")
    assert code[6].split() == ["return", "{self.add('", "')}\"", "+", '"', '"']


def test_strings_are_listed_without_docstrings() -> None:
    literals = [(each.line, each.text) for each in seen(PYTHON, "python").literals]
    assert literals == [(6, "sum {self.add('x')}"), (6, "x"), (6, "http://é"), (12, "later")]


@pytest.mark.parametrize(
    ("language_id", "text", "expected"),
    [
        (
            "typescript",
            "export class A {\n  f = () => { g(); };\n  h() { /* no */ }\n}\n",
            ["A 0-3", "A.f 1-1", "A.h 2-2 empty"],
        ),
        (
            "javascript",
            'const k = () => "";\nexports.z = function () {};\n',
            ["k 0-0", "exports.z 1-1 empty"],
        ),
        ("go", "func a() {\n\tb()\n}\n\nfunc c() {\n}\n", ["a 0-2", "c 4-5 empty"]),
        ("rust", "fn a() { b(); }\nfn c() { todo!() }\n", ["a 0-0", "c 1-1 empty"]),
        (
            "java",
            "class A {\n  int f() { return 1; }\n  void g() {}\n}\n",
            ["A 0-3", "A.f 1-1", "A.g 2-2 empty"],
        ),
        ("c", "int a(void) { return 1; }\nvoid b(void) { }\n", ["a 0-0", "b 1-1 empty"]),
    ],
)
def test_an_empty_body_is_recognized_in_each_language(
    language_id: str, text: str, expected: list[str]
) -> None:
    assert defined(text, language_id) == expected


def test_only_definitions_that_start_in_the_scope_are_listed() -> None:
    inner = seen(PYTHON, "python", 14, 18)
    assert [each.name for each in inner.definitions or ()] == ["outer", "inner"]
    assert len(inner.code) == 4


def test_without_a_grammar_every_line_except_comments_is_code_and_string() -> None:
    known = seen("a = 1\n# a remark\n", "elixir")
    assert (known.definitions, known.code) == (None, ("a = 1", ""))
    assert [each.text for each in known.literals] == ["a = 1"]


def test_a_format_has_no_definitions() -> None:
    known = seen("a:\n  # a remark\n  b: http://c\n", "yaml")
    assert (known.definitions, known.code) == (None, ("a:", "", "  b: http://c"))


def test_imports_are_returned_as_written() -> None:
    lines = split_lines("import os\nfrom a import (\n    b,\n)\n\ndef f():\n    import inner\n")
    assert import_statements(lines, "python") == ("import os", "from a import (\n    b,\n)")
    lines = split_lines('import x from "y";\nconst { exec } = require("child_process");\nlet z = 1;\n')
    assert len(import_statements(lines, "javascript")) == 2


def test_an_unclosed_bracket_is_reported_where_it_opens() -> None:
    assert errors("def f(x):\n    y = (x\n    return y\n")[0] == (1, '"(" is not closed')


def test_a_bracket_without_an_opening_one_is_reported() -> None:
    assert errors("def f(x):\n    return x)\n")[0] == (1, '")" has no opening bracket')


def test_a_bracket_in_a_string_or_comment_is_not_paired() -> None:
    assert errors("def f(x):\n    return '(' + x  # )\n") == []


def test_unreadable_code_is_quoted() -> None:
    [(line, what)] = errors("a = 1\nb = = 2\n")
    assert (line, what) == (1, 'the parser cannot read "="')


def test_without_a_grammar_there_are_no_errors() -> None:
    assert errors("((((", "elixir") == []


@given(
    st.text(st.sampled_from("(){}[]'\"#=:\n defx\té\r"), max_size=80), st.integers(0, 5), st.integers(0, 5)
)
def test_code_keeps_the_columns_of_its_lines(text: str, first: int, n: int) -> None:
    lines = split_lines(text)
    start = min(first, len(lines))
    end = min(start + n, len(lines))
    for language_id in ("python", "javascript"):
        code = scope_code(lines, language_id, start, end).code
        assert [len(each) for each in code] == [len(body_of(line)) for line in lines[start:end]]
        find_errors(lines, language_id, start, end)


def test_deeply_nested_code_is_parsed_in_bounded_time() -> None:
    n = 4_000
    text = "function f() {" * n + "}" * n + "\n"
    assert len(seen(text[:19_000], "javascript").definitions or ()) < 100
    text = "(" * n + "function f() {}" + ")" * n + ";\n"
    assert len(seen(text, "javascript").code) == 1
