"""The languages beyond the core ones and the formats, with and without their grammars."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from functools import partial
from importlib import import_module
from importlib.metadata import requires

import pytest
from tests.syntax.labelled import cases, sample, shown
from tests.syntax.work import MOST_CALLS, n_calls
from tree_sitter import Language

from twospeed import syntax
from twospeed.syntax import enclosing_scopes, find_scope, languages
from twospeed.syntax.languages import FORMATS, PROFILES, profile_for
from twospeed.syntax.languages.extra import EXTRA_PROFILES
from twospeed.syntax.languages.profile import LanguageProfile, unknown_kinds
from twospeed.syntax.trees.trees import parse, parse_fully
from twospeed.text.line_blocks import Lines
from twospeed.text.lines import split_lines


def check(language_id: str, text: str, expected: str) -> None:
    """Expect what a cursor at ``|`` means, behind the names of what it stands in."""
    lines = split_lines(text)
    line = next(number for number, line in enumerate(lines) if "|" in line)
    column = lines[line].index("|")
    lines[line] = lines[line].replace("|", "", 1)
    found = enclosing_scopes(lines, language_id, line, column)
    assert "; ".join(shown(scope) for scope in found[:-1]) == expected


@pytest.mark.parametrize("profile", EXTRA_PROFILES, ids=lambda profile: profile.language_id)
def test_node_types_of_a_profile_are_in_its_grammar(profile: LanguageProfile) -> None:
    grammar = Language(getattr(import_module(profile.module), profile.accessor)())
    assert unknown_kinds(profile, grammar) == []


@pytest.mark.parametrize("profile", EXTRA_PROFILES, ids=lambda profile: profile.language_id)
def test_a_further_language_has_eight_cases(profile: LanguageProfile) -> None:
    assert len(cases(profile.language_id)) >= 8


@pytest.mark.parametrize("language_id", [*(profile.language_id for profile in EXTRA_PROFILES), *FORMATS])
def test_a_sample_is_code_that_its_grammar_can_read(language_id: str) -> None:
    source = parse(language_id, sample(language_id)[0])
    assert source
    assert not source.root.has_error


# Where a node ends


def test_an_indented_body_ends_above_the_comments_of_the_next_definition() -> None:
    check("scala", "def a =\n  |1\n\n/* b\n */\ndef b =\n  2\n", "function a 1-2")
    check("scala", "def a =\n  1\n\n/* b\n |*/\ndef b =\n  2\n", "function b 4-7")
    check("scala", "class A:\n  def a =\n    |1\n  // last\n\ndef b = 2\n", "function a 2-3; class A 1-4")
    check("scala", "class A:\n  def a =\n    1\n  // |last\n\ndef b = 2\n", "class A 1-4")


def test_an_indented_blank_line_after_a_body_belongs_to_it() -> None:
    check("scala", "def a =\n  1\n  |\n\ndef b =\n  2\n", "function a 1-3")
    check("scala", "def a =\n  1\n|\ndef b =\n  2\n", "")
    check("haskell", "a =\n  1\n  |\nb = 2\n", "function a 1-3")


# Functions that are several nodes


def test_haskells_signature_and_equations_are_one_function() -> None:
    for line in ("|f :: Int", "f 0 = |1", "f 1 = 2|", "-- |two"):
        text = "-- | f\nf :: Int\nf 0 = 1\n-- two\n{-# INLINE f #-}\nf 1 = 2\n\nf n = 3\ng = 4\n"
        check(
            "haskell",
            text.replace(line.replace("|", ""), line, 1).replace("-- | f", "-- f"),
            "function f 1-8",
        )


def test_equations_of_another_name_separate_two_functions() -> None:
    check("haskell", "f 0 = 1\ng = 2\nf 1 = |3\n", "function f 3-3")


def test_an_operator_and_its_signature_are_one_function() -> None:
    check("haskell", "(+++) :: A\n|a +++ b = 1\n", "function +++ 1-2")
    check("haskell", "plus :: A\na `plus` b = |1\n", "function `plus` 1-2")


def test_a_function_of_thousands_of_equations_has_a_scope() -> None:
    lines = [*["f 0 = 1\n"] * 3_000, ""]
    scope = find_scope(lines, "haskell", ((1_500, 3), (1_500, 3)))
    assert (scope.kind, scope.name) == ("function", "f")
    assert 100 < scope.end - scope.start < 3_000


# Names


@pytest.mark.parametrize(
    ("language_id", "text", "expected"),
    [
        ("csharp", "class A {\n  int |B { get; set => x = value; }\n}\n", "function B 2-2; class A 1-3"),
        ("ruby", "private_class_method def self.|a\nend\n", "function a 1-2"),
        ("ruby", "describe 'x' do\n  def a\n    |1\n  end\nend\n", "function a 2-4"),
        ("ruby", "puts(a, |b)\n", "block 1-1"),
        (
            "kotlin",
            "class A {\n  companion object B {\n    |val c = 1\n  }\n}\n",
            "class companion 2-4; class A 1-5",
        ),
        ("kotlin", "class A {\n  var b = 1\n    private |set\n}\n", "class A 1-4"),
        (
            "swift",
            "struct A {\n  subscript(b: Int) -> C {\n    |1\n  }\n}\n",
            "function subscript 2-4; class A 1-5",
        ),
        ("lua", "a.b['c'] = function()\n  |\nend\n", "function a.b['c'] 1-3"),
        ("scala", "extension (a: A)\n  def b = |1\n", "function b 2-2; class (a: A) 1-2"),
        ("php", "<?php $a = new class {\n  |public $b;\n};\n", "class 1-3"),
    ],
)
def test_definitions_without_a_name_field_have_names(language_id: str, text: str, expected: str) -> None:
    check(language_id, text, expected)


# Grammars that are not installed


@pytest.fixture
def no_grammars(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Make their grammars look as if they were not installed."""
    for profile in (*EXTRA_PROFILES, *FORMATS.values()):
        monkeypatch.setitem(sys.modules, profile.module, None)
    languages._is_installed.cache_clear()
    yield
    monkeypatch.undo()
    languages._is_installed.cache_clear()


@pytest.mark.usefixtures("no_grammars")
@pytest.mark.parametrize("language_id", [*(profile.language_id for profile in EXTRA_PROFILES), *FORMATS])
def test_a_language_whose_grammar_is_not_installed_has_blocks(language_id: str) -> None:
    lines = ["a\n", "b\n", "\n", "c\n", ""]
    assert shown(find_scope(lines, language_id, ((1, 0), (1, 0)))) == "block 1-2"
    assert not syntax.has_grammar(language_id)
    assert profile_for(language_id) is None
    assert syntax.count_errors(lines, language_id) is None


def test_four_languages_need_the_extra() -> None:
    names = {re.split(r"[<>=]", each)[0]: each for each in requires("twospeed") or ()}
    required = {
        profile.language_id: names[profile.module.replace("_", "-")]
        for profile in (*PROFILES.values(), *FORMATS.values())
    }
    extra = {language_id for language_id, requirement in required.items() if "all-languages" in requirement}
    assert extra == {"haskell", "kotlin", "scala", "swift"}


def test_looking_for_a_grammar_does_not_load_it() -> None:
    languages._is_installed.cache_clear()
    loaded = sys.modules.pop("tree_sitter_swift", None)
    try:
        assert syntax.has_grammar("swift")
        assert "tree_sitter_swift" not in sys.modules
    finally:
        if loaded:
            sys.modules["tree_sitter_swift"] = loaded


# What parses and is no code

TALK = [
    "Sure - here is the updated code\n",
    "I have changed it as you asked (see below)\n",
    "I'm sorry, but I cannot do that\n",
    "The code is already fine; nothing to change\n",
    "Here you go: it now handles errors\n",
]


def n_scopes_and_talks(language_id: str) -> tuple[int, int]:
    """Count the scopes of a sample, each once for every sentence, and those in whose place it parses."""
    lines, places = sample(language_id)
    before = syntax.count_errors(lines, language_id) or 0
    found = {find_scope(lines, language_id, (place, place)) for place in places.values()}
    scopes = [scope for scope in found if scope.start < scope.end]
    after = [
        syntax.count_errors([*lines[: scope.start], sentence, *lines[scope.end :]], language_id) or 0
        for scope in scopes
        for sentence in TALK
    ]
    return len(after), sum(count <= before for count in after)


@pytest.mark.parametrize("language_id", [*(profile.language_id for profile in EXTRA_PROFILES), *FORMATS])
def test_a_sentence_rarely_parses_unless_the_profile_says_that_it_may(language_id: str) -> None:
    n_scopes, n_talks = n_scopes_and_talks(language_id)
    profile = profile_for(language_id)
    assert profile
    assert profile.accepts_prose or profile.is_partial or n_talks < 0.3 * n_scopes


# Hostile documents


@pytest.mark.parametrize(
    ("language_id", "opening", "closing"),
    [
        ("ruby", "private def a\n", "end\n"),
        ("lua", "a = function()\n", "end\n"),
        ("kotlin", "val a get() {\n", "}\n"),
        ("scala", "// a\nclass A {\n", "}\n"),
        ("haskell", "f 0 = 1 where {\nf 1 = 2\n", "}\n"),
        ("php", "<?php function a() {\n", "}\n"),
    ],
)
def test_a_scope_in_deep_nesting_takes_bounded_work(language_id: str, opening: str, closing: str) -> None:
    for text in (opening * 5_000 + closing * 5_000, opening * 5_000):
        lines = Lines.of(tuple(split_lines(text)))
        parse_fully(language_id, lines)
        search = partial(find_scope, lines, language_id, ((4_999, 0), (4_999, 0)))
        assert n_calls(search) < MOST_CALLS
