"""What a file defines, imports and uses, by name."""

from __future__ import annotations

import pytest
from tests.syntax.labelled import LANGUAGES, sample

from twospeed.syntax import names_used, symbols_of, wait_for_symbols
from twospeed.syntax.definitions import symbols
from twospeed.syntax.definitions.symbols import MAX_SYMBOLS, read_symbols
from twospeed.syntax.languages import PROFILES
from twospeed.syntax.languages.profile import unknown_steps
from twospeed.syntax.languages.symbol_tables import SYMBOL_TABLES
from twospeed.syntax.trees.parsing import grammar_of
from twospeed.text.code.symbols import FileSymbols, Symbol, UsedName
from twospeed.text.line_blocks import Lines
from twospeed.text.lines import split_lines


def read(text: str, language_id: str = "python") -> FileSymbols:
    file = read_symbols(text, language_id)
    assert file
    return file


def outline(text: str, language_id: str = "python") -> list[str]:
    """Return each symbol as one word, indented by its depth: ``class Cart``."""
    return [f"{'  ' * symbol.depth}{symbol.kind} {symbol.name}" for symbol in read(text, language_id).symbols]


def only(text: str, language_id: str = "python") -> Symbol:
    (symbol,) = read(text, language_id).symbols
    return symbol


def test_exactly_the_profiled_languages_have_a_symbol_table() -> None:
    assert SYMBOL_TABLES.keys() == PROFILES.keys()


@pytest.mark.parametrize("language_id", PROFILES)
def test_node_types_of_a_symbol_table_are_in_its_grammar(language_id: str) -> None:
    grammar, table = grammar_of(language_id), SYMBOL_TABLES[language_id]
    assert grammar
    types = table.names | table.imports | set(table.values)
    assert {name for name in types if grammar.id_for_node_kind(name, True) is None} == set()
    assert unknown_steps(table.values.values(), grammar) == set()


@pytest.mark.parametrize("language_id", [each for each in LANGUAGES if each in PROFILES])
def test_every_symbol_of_a_sample_is_at_its_labelled_place(language_id: str) -> None:
    lines, _ = sample(language_id)
    symbols = read("".join(lines), language_id).symbols
    assert {symbol.kind for symbol in symbols} >= {"function"}
    for symbol in symbols:
        assert 0 <= symbol.start < symbol.end <= len(lines)
        there = "".join(lines[symbol.start : symbol.end])
        first = symbol.signature.split("\n")[0].rstrip("…")
        assert first in there
        assert all(word in there for word in symbol.name.split() if word != "default")


def test_functions_classes_and_values_are_listed_in_order_and_members_by_depth() -> None:
    text = "LIMIT = 3\n\nclass Cart:\n    size: int = 0\n\n    def total(self):\n        return 0\n\ndef f():\n    pass\n"
    assert outline(text) == [
        "value LIMIT",
        "class Cart",
        "  value size",
        "  function total",
        "function f",
    ]


def test_definitions_inside_a_function_are_part_of_it() -> None:
    text = "def outer():\n    x = 1\n    def inner():\n        pass\n    class Local:\n        pass\n"
    assert outline(text) == ["function outer"]


def test_decorators_belong_to_a_definition_and_its_body_does_not_belong_to_the_signature() -> None:
    symbol = only("@cache\ndef total(\n    items,\n):  # sums\n    # all of them\n    return sum(items)\n")
    assert symbol.signature == "@cache\ndef total(\n    items,\n):"
    assert (symbol.start, symbol.end) == (0, 6)


def test_the_signature_of_a_member_has_no_indentation() -> None:
    text = "class A:\n    def f(\n        self,\n    ):\n        pass\n"
    assert read(text).symbols[1].signature == "def f(\n    self,\n):"


@pytest.mark.parametrize(
    ("language_id", "text", "expected"),
    [
        ("javascript", "export const half = (x) => {\n  return x / 2\n}\n", "export const half = (x) =>"),
        ("typescript", "type Price = number\n", "type Price = number"),
        (
            "go",
            "func (s *Shop) Total(n int) int {\n\treturn n\n}\n",
            "func (s *Shop) Total(n int) int",
        ),
        ("rust", "pub fn total(n: u32) -> u32 {\n    n\n}\n", "pub fn total(n: u32) -> u32"),
        ("c", "int total(int n)\n{\n    return n;\n}\n", "int total(int n)"),
        ("c", "int total(int n);\n", "int total(int n);"),
        ("kotlin", "fun total(n: Int): Int {\n    return n\n}\n", "fun total(n: Int): Int"),
    ],
)
def test_a_signature_is_the_text_before_the_body(language_id: str, text: str, expected: str) -> None:
    assert only(text, language_id).signature == expected


@pytest.mark.parametrize(
    ("language_id", "text", "expected"),
    [
        ("python", "import os\nfrom a import (\n    b,\n)\n", ("import os", "from a import (\n    b,\n)")),
        ("javascript", 'import { a } from "b"\n', ('import { a } from "b"',)),
        ("javascript", 'const { a } = require("b")\n', ('{ a } = require("b")',)),
        ("go", 'package a\n\nimport (\n\t"fmt"\n)\n', ('import (\n\t"fmt"\n)',)),
        ("rust", "use std::fmt;\n", ("use std::fmt;",)),
        ("c", "#include <stdio.h>\n", ("#include <stdio.h>",)),
    ],
)
def test_imports_are_listed_as_written(language_id: str, text: str, expected: tuple[str, ...]) -> None:
    assert read(text, language_id).imports == expected


def test_the_clauses_of_one_function_are_one_symbol() -> None:
    text = "half :: Int -> Int\nhalf 0 = 0\nhalf n = n\n"
    symbol = only(text, "haskell")
    assert (symbol.start, symbol.end) == (0, 3)


def test_the_members_of_a_class_are_those_directly_in_it() -> None:
    file = read(
        "class A:\n    x = 1\n    class B:\n        y = 2\n    def f(self): pass\n\nclass C:\n    z = 3\n"
    )
    assert [member.name for member in file.members_of(0)] == ["x", "B", "f"]


def test_a_symbol_is_found_by_the_last_word_of_its_name() -> None:
    assert [Symbol("function", name, "", 0, 1).word for name in ("total", "A::total", "M.total")] == [
        "total"
    ] * 3


def test_the_number_of_symbols_of_a_file_is_limited() -> None:
    assert len(read("x = 1\n" * (MAX_SYMBOLS + 10)).symbols) == MAX_SYMBOLS


@pytest.mark.parametrize("language_id", ["json", "plaintext", "markdown"])
def test_a_format_has_no_symbols(language_id: str) -> None:
    assert read_symbols("{}", language_id) is None
    assert symbols_of(("{}",), language_id) is None
    assert names_used(("{}",), language_id, 0, 1) == ()


def test_code_with_errors_has_symbols() -> None:
    assert "function whole" in outline("def whole():\n    return 1\n\ndef broken(:\n")


# Open documents


def test_the_symbols_of_a_document_are_cached() -> None:
    lines = Lines.of(split_lines("def f():\n    pass\n"))
    file = symbols_of(lines, "python")
    assert file is not None
    assert symbols_of(lines, "python") is file


async def test_a_long_document_is_listed_in_a_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(symbols, "AT_ONCE_BYTES", 10)
    lines = Lines.of(split_lines("def long_enough():\n    pass\n"))
    assert symbols_of(lines, "python") is None
    await wait_for_symbols("python", lines)
    file = symbols_of(lines, "python")
    assert file is not None
    assert [symbol.name for symbol in file.symbols] == ["long_enough"]


# Marks


def test_the_mark_hook_is_called_for_each_function_only() -> None:
    text = "X = 1\nclass A:\n    def f(self): pass\ndef g(): pass\n"
    file = read_symbols(text, "python", mark=lambda source, node: source.text_of(node)[:5])
    assert file
    assert [(symbol.name, symbol.mark) for symbol in file.symbols if symbol.mark is not None] == [
        ("f", "def f"),
        ("g", "def g"),
    ]


def test_a_mark_hook_that_raises_gives_no_mark() -> None:
    file = read_symbols("def g(): pass\n", "python", mark=lambda source, node: 1 // 0)
    assert file
    assert file.symbols[0].mark is None


# Names


def names(text: str, language_id: str = "python", start: int = 0, end: int = 1000) -> list[str]:
    found = names_used(split_lines(text), language_id, start, end)
    return [f"{each.owner}.{each.name}" if each.is_member else each.name for each in found]


def test_names_come_once_in_order_and_those_of_members_with_their_owner() -> None:
    assert names("total = prices.load(path).first(path)\n") == [
        "total",
        "prices",
        "prices.load",
        "path",
        ".first",
    ]


def test_names_in_strings_and_comments_are_not_listed() -> None:
    assert names("a = 'b'  # c\n") == ["a"]


def test_only_names_on_the_requested_lines_are_listed() -> None:
    assert names("a = 1\nb = 2\nc = 3\n", start=1, end=2) == ["b"]


@pytest.mark.parametrize(
    ("language_id", "text", "expected"),
    [
        ("typescript", "const a: Price = this.load?.(b)\n", ["a", "Price", "this.load", "b"]),
        ("cpp", "int a = shop::load(p->size);\n", ["a", "shop", "shop.load", "p", "p.size"]),
        ("php", "<?php $a = $b->load();\n", ["a", "b", "b.load"]),
        ("ruby", "a = Shop.load(b)\n", ["a", "Shop", "Shop.load", "b"]),
    ],
)
def test_names_are_found_in_other_languages(language_id: str, text: str, expected: list[str]) -> None:
    assert names(text, language_id) == expected


def test_a_call_on_the_next_line_belongs_to_the_expression_above() -> None:
    assert UsedName("load", "prices", is_member=True) in names_used(
        split_lines("a = (prices\n    .load())\n"), "python", 0, 2
    )
