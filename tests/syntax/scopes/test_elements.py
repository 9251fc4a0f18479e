"""A cursor in a data format selects the smallest element, rule, member, entry, table or statement of two lines."""

from __future__ import annotations

from functools import partial
from importlib import import_module

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.syntax.labelled import cases, sample, shown
from tests.syntax.work import MOST_CALLS, n_calls, parse_without_limit
from tree_sitter import Language

from twospeed.errors import InvalidRequest
from twospeed.syntax import enclosing_scopes, find_scope
from twospeed.syntax.languages import FORMATS, FormatProfile, comment_marks
from twospeed.syntax.languages.profile import unknown_kinds, unknown_steps
from twospeed.syntax.scopes.elements import elements_at
from twospeed.syntax.trees.trees import parse
from twospeed.text.lines import body_of, split_lines


def elements(language_id: str, lines: list[str], place: tuple[int, int]) -> list[str]:
    """What a cursor may mean, without the kind: all are blocks."""
    source = parse(language_id, lines)
    assert source
    assert isinstance(source.profile, FormatProfile)
    return [shown(scope).removeprefix("block ") for scope in elements_at(source, source.profile, *place)]


@pytest.mark.parametrize("language_id", FORMATS)
def test_a_format_has_eight_cases(language_id: str) -> None:
    assert len(cases(language_id)) >= 8


def test_all_elements_of_a_place_come_innermost_first() -> None:
    lines, places = sample("yaml")
    scopes = enclosing_scopes(lines, "yaml", *places["with"])
    assert list(map(shown, scopes)) == [
        *("block with 19-20", "block 18-20", "block steps 17-27", "block test 16-28", "block jobs 14-28"),
        "file 1-36",
    ]


def test_a_format_has_no_function() -> None:
    lines, places = sample("json")
    with pytest.raises(InvalidRequest, match="there is no function"):
        find_scope(lines, "json", (places["deep"], places["deep"]), "function")


# Tables


@pytest.mark.parametrize("profile", FORMATS.values(), ids=lambda profile: profile.language_id)
def test_every_node_type_and_field_of_a_format_is_in_its_grammar(profile: FormatProfile) -> None:
    grammar = Language(getattr(import_module(profile.module), profile.accessor)())
    types = {*profile.elements, *profile.parents, *profile.bodies}.union(*profile.parents.values())
    assert [name for name in types if grammar.id_for_node_kind(name, True) is None] == []
    ways = [way for ways in profile.elements.values() for way in ways]
    assert unknown_steps(ways, grammar) == set()
    assert unknown_kinds(profile, grammar) == []


# Names


def test_a_name_is_shown_on_one_line_and_without_quotes() -> None:
    assert elements("css", ["a,\n", "b {\n", "}\n", ""], (1, 1)) == ["a, b 1-3"]
    assert elements("yaml", ["'a b':\n", "  c: 1\n", ""], (0, 2)) == ["a b 1-2"]


def test_an_empty_key_is_no_name() -> None:
    assert elements("json", ['{"": {\n', '"a": 1\n', "}}"], (1, 2)) == ["1-3"]


def test_a_text_that_is_too_long_is_no_name() -> None:
    assert elements("json", [f'{{"{"a" * 200}": {{\n', '"b": 1\n', "}}"], (1, 2)) == ["a" * 200 + " 1-3"]
    assert elements("json", [f'{{"{"a" * 201}": {{\n', '"b": 1\n', "}}"], (1, 2)) == ["1-3"]


# Whole lines


def test_a_single_line_is_no_element() -> None:
    assert elements("json", ['{"a": {"b": [{"c": 1}]}}\n', ""], (0, 18)) == []
    assert elements("html", ["<p><b>x</b></p>\n", ""], (0, 7)) == []
    assert elements("css", ["a{b:c}d{e:f}\n", ""], (0, 4)) == []


def test_elements_of_the_same_lines_are_merged() -> None:
    assert elements("yaml", ["- a:\n", "    b\n", ""], (0, 3)) == ["a 1-2"]
    assert elements("json", ['[{"a": [{\n', "1\n", "}]}]"], (1, 0)) == ["a 1-3"]
    assert elements("html", ["<ul><li>\n", "x\n", "</li></ul>\n", ""], (1, 0)) == ["li 1-3"]


def test_columns_are_code_points() -> None:
    lines = ['{"é😋": 1, "é": {\n', '"b": 2\n', "}}"]
    assert elements("json", lines, (0, 5)) == []
    assert elements("json", lines, (0, 13)) == ["é 1-3"]


# Comments


def test_a_blank_line_separates_a_comment_from_the_code_below() -> None:
    assert elements("toml", ["# a\n", "\n", "# b\n", "[c]\n", "d = 1\n", ""], (3, 1)) == ["c 3-5"]
    assert elements("toml", ["# a\n", "\n", "# b\n", "[c]\n", "d = 1\n", ""], (0, 1)) == []


def test_a_comment_behind_code_belongs_to_its_line() -> None:
    assert elements("css", ["a { b: c } /* d */\n", "e {\n", "}\n", ""], (1, 1)) == ["e 2-3"]
    assert elements("css", ["a { b: c } /* d */\n", "e {\n", "}\n", ""], (0, 16)) == []


def test_a_deeper_comment_belongs_to_the_code_above() -> None:
    lines = ["a:\n", "  b: 1\n", "  # c\n", "d:\n", "  e: 1\n", ""]
    assert elements("yaml", lines, (2, 4)) == ["a 1-3"]
    assert elements("yaml", lines, (3, 1)) == ["d 4-5"]


def test_adjacent_comments_of_several_forms_are_one_comment() -> None:
    lines = ["-- a\n", "/* b\n", "c */\n", "-- d\n", "select 1\n", "from e;\n", ""]
    for line in range(len(lines) - 1):
        assert elements("sql", lines, (line, 3)) == ["1-6"]


# Laws

FRAGMENTS = st.sampled_from(
    [
        *["<a>", "</a>", "<br>", "<!--", "-->", "<script>", "a {", "}", "/*", "*/", "@media x {", "b: c;"],
        *["{", "[", "]", '"a":', "1,", "// c", "- ", "a:", "  ", "# c", "|", "[a]", "[[b]]", "x = 1", '"""'],
        *["SELECT 1", ";", "-- c", "WITH a AS (", ")", "BEGIN;", "$$"],
        *["\n", "\n", "\n", "\n", "\r", "\r\n", "é😋", "\ud800", "\0", "\u2028"],
    ]
)


@given(
    st.lists(FRAGMENTS, max_size=40).map("".join),
    st.sampled_from([*FORMATS]),
    st.tuples(st.integers(0, 30), st.integers(0, 12)),
)
def test_elements_contain_the_line_of_the_cursor_and_each_other(
    text: str, language_id: str, place: tuple[int, int]
) -> None:
    lines = split_lines(text)
    line = min(place[0], len(lines) - 1)
    source = parse(language_id, lines)
    assert source
    assert isinstance(source.profile, FormatProfile)
    inner = None
    for scope in elements_at(source, source.profile, line, min(place[1], len(body_of(lines[line])))):
        assert 0 <= scope.start <= line < scope.end <= len(lines)
        assert scope.end - scope.start > 1
        assert lines[scope.start].strip()
        assert lines[scope.end - 1].strip()
        assert inner is None or (scope.start <= inner.start and inner.end <= scope.end), (inner, scope)
        assert inner is None or (scope.start, scope.end) != (inner.start, inner.end)
        inner = scope


# Hostile documents


@pytest.mark.parametrize(
    ("language_id", "opening", "closing"),
    [
        ("json", "[\n", "]\n"),
        ("json", '{"a":\n', "}\n"),
        ("jsonc", "// a\n[\n", "]\n"),
        ("html", "<!-- a -->\n<a>\n", "</a>\n"),
        ("css", "/* a */\na {\n", "}\n"),
        ("yaml", "- " * 50 + "\n", ""),
        ("toml", "[a]\n", "b = [\n"),
        ("sql", "WITH a AS (\n", ")"),
    ],
)
def test_an_element_in_deep_nesting_takes_bounded_work(language_id: str, opening: str, closing: str) -> None:
    for text in (opening * 5_000 + closing * 5_000, opening * 5_000):
        lines = split_lines(text)
        source = parse_without_limit(language_id, lines)
        assert isinstance(source.profile, FormatProfile)
        assert n_calls(partial(elements_at, source, source.profile, 4_999, 0)) < MOST_CALLS


def test_an_element_among_thousands_of_comments_takes_bounded_work() -> None:
    for language_id in ("jsonc", "yaml", "toml", "sql", "css", "html"):
        marks = comment_marks(language_id)
        comment = f"{marks.line[0]} a\n" if marks.line else " a ".join(marks.block[0]) + "\n"
        lines = [*[comment] * 10_000, ""]
        source = parse_without_limit(language_id, lines)
        assert isinstance(source.profile, FormatProfile)
        assert n_calls(partial(elements_at, source, source.profile, 5_000, 0)) < MOST_CALLS


def test_a_rule_without_a_body_has_no_name() -> None:
    lines = split_lines("@media print {\n  a { b: c }\n}\n@layer a,\n  b;\n")
    assert elements("css", lines, (1, 2)) == ["@media print 1-3"]
    assert elements("css", lines, (4, 2)) == ["4-5"]
