"""What an answer takes from the output of a formatter."""

from __future__ import annotations

import pytest

from twospeed.stream.aligner import aligned
from twospeed.stream.formatted import AnsweredDocument, formatted_scope
from twospeed.stream.ops import changes_something


def formatted(above: str, old: str, new: str, below: str, output: str) -> str | None:
    """Format an answer; every text is of lines, one for each character group between spaces of ``|``."""
    parts = [text.split("|") if text else [] for text in (above, old, new, below, output)]
    above_lines, old_lines, new_lines, below_lines, output_lines = parts
    document = AnsweredDocument(
        [*above_lines, *new_lines, *below_lines],
        len(above_lines),
        len(above_lines) + len(new_lines),
        aligned(old_lines, new_lines),
    )
    lines = formatted_scope(document, output_lines)
    return None if lines is None else "|".join(lines)


def test_a_changed_line_takes_the_form_of_the_formatter() -> None:
    assert formatted("a|b", "c = 1", "c=2", "d", "a|b|c = 2|d") == "c = 2"


def test_lines_outside_the_scope_keep_their_form() -> None:
    assert formatted("a=1|", "c = 1", "c=2", "|d=4", "a = 1||c = 2||d = 4") == "c = 2"


def test_a_line_that_the_answer_keeps_keeps_its_form() -> None:
    old, new = "first=1||last = 1", "first=1||last=2"
    assert formatted("", old, new, "", "first = 1||last = 2") == "first=1||last = 2"


def test_a_kept_line_next_to_a_new_one_takes_the_form() -> None:
    old, new = "x:   1|y:   2", "x:   1|longer: 3|y:   2"
    assert formatted("", old, new, "", "x:      1|longer: 3|y:      2") == "x:      1|longer: 3|y:      2"


def test_one_line_may_become_several() -> None:
    old, new = "def f():|    pass", "def f():|    call(first, second)"
    output = "a||def f():|    call(|        first,|        second,|    )||b"
    assert formatted("a|", old, new, "|b", output) == output[3:-3]


def test_several_lines_may_become_one() -> None:
    assert formatted("a|", "x", "call(|    first,|)", "|b", "a||call(first)||b") == "call(first)"


def test_lines_around_a_deletion_take_the_form() -> None:
    assert formatted("", "call(|    a,|    b,|)", "call(|    a,|)", "", "call(a)") == "call(a)"


def test_blank_lines_at_the_edge_of_a_new_line_belong_to_it() -> None:
    assert formatted("a", "b", "def f(): pass", "c", "a|||def f(): pass|||c") == "||def f(): pass||"


def test_blank_lines_at_the_edge_of_a_kept_line_do_not() -> None:
    old, new = "def f():|    return 1|#", "def f():|    return 2|#"
    assert formatted("a", old, new, "c", "a||def f():|    return 2|#||c") == new


def test_changed_neighbours_on_both_sides_of_the_edge_are_divided() -> None:
    assert formatted("a=1", "b=1", "b=2", "c=3", "a = 1|b = 2|c = 3") == "b = 2"


@pytest.mark.parametrize(
    ("new", "output"),
    [
        pytest.param("call(|x", "call(x, y)", id="joined"),
        pytest.param("zebra", "apple|zebra|y)", id="moved in"),
    ],
)
def test_lines_across_the_edge_are_not_divided(new: str, output: str) -> None:
    assert formatted("", "old", new, "y)", output) is None


def test_a_formatter_that_sorts_lines_into_the_scope_is_not_used() -> None:
    assert formatted("one", "two", "two, 3", "import a", "one|import a|two, 3") is None


def test_an_output_with_other_words_is_not_used() -> None:
    assert formatted("", "x", "var y = 1", "", "const y = 1") is None


def test_quotes_brackets_and_the_case_of_numbers_are_form() -> None:
    assert formatted("", "x", "y = ('a', 0XFF)", "", 'y = "a", 0xFF,') == 'y = "a", 0xFF,'


def test_an_output_that_equals_the_input_changes_nothing() -> None:
    assert formatted("a", "b", "c", "d", "a|c|d") == "c"


def test_an_answer_that_deletes_the_scope_stays_empty() -> None:
    assert formatted("a||", "b", "", "||c", "a|||c") == ""


def test_only_kept_lines_are_no_change() -> None:
    assert not changes_something(aligned(["a", "b"], ["a", "b"]))
    assert changes_something(aligned(["a", "b"], ["a"]))
