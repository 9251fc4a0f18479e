"""Answers with the whole file are cut to the scope or refused."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.stream.answering import Place

from twospeed.stream.answers.evidence import Refusal, Surroundings, to_last_line
from twospeed.stream.answers.whole_file import cut_to_scope

ABOVE = ["import os", "import shop", "", "LIMIT = 5", "RATE = 3", ""]
OLD = ["def total(items):", "    return sum(items)"]
NEW = ["def total(items):", "    return sum(items) + 1"]
BELOW = ["", "def product(items):", "    return math.prod(items)", ""]
AROUND = Surroundings(("#",), above=ABOVE, below=BELOW)


@pytest.mark.parametrize(
    ("shape", "whole"),
    [
        ("to the letter", [*ABOVE, *NEW, *BELOW]),
        ("without its final newline", [*ABOVE, *NEW, *BELOW[:-1]]),
        ("blank lines around", ["", "", *ABOVE, *NEW, *BELOW, ""]),
    ],
)
def test_the_whole_file_is_cut_to_its_scope(shape: str, whole: list[str]) -> None:
    assert cut_to_scope(whole, OLD, AROUND) == NEW


def test_new_lines_at_the_edges_belong_to_the_scope() -> None:
    new = ["", *NEW, "", ""]
    assert cut_to_scope([*ABOVE, *new, *BELOW], OLD, AROUND) == new
    assert cut_to_scope([*ABOVE, *BELOW], OLD, AROUND) == []


@pytest.mark.parametrize(
    ("change", "whole"),
    [
        ("a line is gone", [*ABOVE[1:], *NEW, *BELOW]),
        ("a line has come", [*ABOVE, *NEW, *BELOW, "x = 1"]),
        ("a line is another", [*ABOVE, *NEW, *(line.replace("items", "goods") for line in BELOW)]),
        ("a blank line is gone", [*ABOVE[:2], *ABOVE[3:], *NEW, *BELOW]),
        ("white space at a line's end is gone", [ABOVE[0] + " ", *ABOVE[1:], *NEW, *BELOW]),
        ("the end is missing", [*ABOVE, *NEW]),
    ],
)
def test_the_whole_file_with_a_change_outside_is_refused(change: str, whole: list[str]) -> None:
    refusal = cut_to_scope(whole, OLD, AROUND)
    assert isinstance(refusal, Refusal)
    assert refusal.code == "extent"


@pytest.mark.parametrize(
    "answer", [NEW, OLD, [], ["", *NEW], [*ABOVE[-2:], *NEW, *BELOW[:2]], [*NEW, *BELOW]]
)
def test_the_scope_with_a_few_neighbouring_lines_is_not_cut_as_a_whole_file(answer: list[str]) -> None:
    assert cut_to_scope(answer, OLD, AROUND) is None


def test_a_scope_of_the_whole_file_is_not_cut() -> None:
    assert cut_to_scope(NEW, OLD, Surroundings(("#",), above=[""], below=["", ""])) is None


def test_a_few_new_lines_that_equal_outside_lines_are_not_cut() -> None:
    around = Surroundings(("#",), above=["log(a)", "log(b)"], below=["log(c)"])
    assert cut_to_scope(["log(a)", "log(b)", "run()", "log(c)"], ["run()"], around) is None


def test_the_closing_bracket_of_the_scope_is_distinguished_from_an_equal_one_below() -> None:
    around = Surroundings(("//",), above=[*ABOVE, "x = {", "y = 1"], below=["}"])
    old = ["f() {", "  return 1", "}"]
    assert cut_to_scope([*around.above, *old, "}"], old, around) == old
    assert cut_to_scope([*around.above, *old], old, around) is None


def test_blank_lines_at_the_ends_of_the_file_are_kept() -> None:
    old = ["", *OLD, "", ""]
    assert cut_to_scope(
        [*NEW, *BELOW, "a = 1", "b = 2"], old, Surroundings((), [], [*BELOW, "a = 1", "b = 2"])
    ) == ["", *NEW]
    assert cut_to_scope([*ABOVE, "b = 2", "", *NEW], old, Surroundings((), [*ABOVE, "b = 2"], [""])) == [
        "",
        *NEW,
        "",
        "",
    ]


def test_a_missing_byte_order_mark_is_not_a_change_outside() -> None:
    marked = Surroundings(("#",), above=["\ufeff" + ABOVE[0], *ABOVE[1:]], below=BELOW)
    assert cut_to_scope([*ABOVE, *NEW, *BELOW], OLD, marked) == NEW
    assert cut_to_scope([*marked.above, *NEW, *BELOW], OLD, marked) == NEW


LINES = st.lists(st.sampled_from(["", "    ", "}", "{", *(f"line_{n}()" for n in range(9))]), max_size=12)


@given(LINES, LINES, LINES, LINES, st.data())
def test_the_cut_keeps_the_lines_between_the_outside_lines(
    above, old, below, new, data: st.DataObject
) -> None:
    around = Surroundings((), above, below)
    whole = [*above, *new, *below]
    result = cut_to_scope(whole, old, around)
    if isinstance(result, list) and any(map(str.strip, above)) and any(map(str.strip, below)):
        assert result == new
    at = data.draw(st.integers(0, len(above)))
    drifted = cut_to_scope([*whole[:at], "drift()", *whole[at:]], old, around)
    if isinstance(drifted, list) and any(map(str.strip, above[:at])):
        wanted = ["drift()", *new]
        if not any(map(str.strip, below)):  # at the file's end, blank lines follow the old text
            drifted, wanted = list(to_last_line(drifted)), list(to_last_line(wanted))
        assert drifted == wanted


def test_new_lines_with_one_line_of_the_document_are_accepted() -> None:
    above = "FROM python:3.12 AS build\nWORKDIR /app\nRUN make\n"
    old = 'ENV PORT=8080\nCMD ["garden"]\n'
    new = f"FROM python:3.12-slim\nCOPY --from=build /app /app\nWORKDIR /app\n{old}"
    assert Place("dockerfile", above, old, "").answered(f"```\n{new}```\n") == new
    assert (
        Place("dockerfile", above, old, "").answered(f"```\n{above.replace('3.12', '3.13')}{old}```\n")
        == "refused:extent"
    )


ANNOTATED = "class A:\n    @property\n    def a(self):\n        return 1\n\n"


def test_a_new_annotation_that_a_neighbour_has_too_is_accepted() -> None:
    for language, above, old, new in (
        ("python", ANNOTATED, "    def b(self):\n        return 2\n", "    @property\n"),
        ("java", "class A {\n    @Override\n    int a() {}\n", "    int b() {\n    }\n", "    @Override\n"),
        ("rust", "#[test]\nfn a() {}\n\n", "fn b() {\n    c();\n}\n", "#[test]\n"),
        ("csharp", "class A {\n[Fact]\nvoid a() {}\n", "void b() {\n}\n", "[Fact]\n"),
    ):
        assert Place(language, above, old, "").answered(f"```\n{new}{old}```\n") == new + old


def test_an_insertion_may_begin_with_a_line_that_also_occurs_above() -> None:
    for language, above, new in (
        ("python", "import a\n\n@fixture\ndef a():\n    return 1\n\n", "@fixture\ndef b():\n    return 2\n"),
        ("toml", '[[case]]\nname = "a"\n\n', '[[case]]\nname = "b"\n'),
        ("shellscript", "if [ -f a ]; then\n  rm a\nfi\n\n", "if [ -f a ]; then\n  touch b\nfi\n"),
        ("cpp", "template <class T>\nT a(T x) {}\n\n", "template <class T>\nT b(T x) {\n}\n"),
    ):
        assert Place(language, above, "", "\nlast = 1\n").answered(f"```\n{new}```\n") == new
        assert Place(language, "", "", above).answered(f"```\n{new}```\n") == new


def test_an_insertion_that_repeats_two_lines_from_above_is_refused() -> None:
    for new in (
        "import a\n\ndef b():\n    return 2\n",
        "    @property\n    def a(self):\n        return 2\n\n    def b(self):\n        return 2\n",
    ):
        above = "import a\n\n" + ANNOTATED
        assert Place("python", above, "", "").answered(f"```\n{new}```\n") == "refused:extent"
