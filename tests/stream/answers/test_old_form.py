"""An old line keeps its quotes and trailing blanks if nothing else differs; new lines get no trailing blanks."""

from __future__ import annotations

import pytest

from twospeed.stream import EditStream, Surroundings
from twospeed.stream.aligner import aligned
from twospeed.stream.answers.old_form import OldForm

KEPT = "z = 'kept'\n"
"""An old line that an answer repeats: it keeps the quotes of the file."""


def formed(
    old: str,
    new: str,
    *,
    language_id: str = "python",
    instruction: str = "do it",
    above: str = "",
    is_prose: bool = False,
) -> str:
    around = Surroundings(
        above=above.split("\n") if above else (),
        language_id=language_id,
        instruction=instruction,
        is_prose=is_prose,
    )
    form = OldForm(old.split("\n"), around)
    return "\n".join(form.receive_line(line) for line in new.split("\n"))


@pytest.mark.parametrize("language_id", ["python", "javascript", "typescript"])
def test_a_line_with_other_quotes_keeps_the_old_ones(language_id: str) -> None:
    old = KEPT + "a = ['one', 'two']\nb = 2"
    new = KEPT + 'a = ["one", "two"]\nb = 3'
    assert formed(old, new, language_id=language_id) == old.replace("2", "3")


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("a = 'x'\nb = 1", 'a = "x"\nb = 1'),
        (KEPT + "a = 'x'\nb = \"y\"", KEPT + "a = \"x\"\nb = 'y'"),
        ("a = 'x'\n" + KEPT, 'a = "x"\n' + KEPT),
        ("a = 1\nb = 'x'\nc = 'y'", 'a = 1\nb = "x"\nc = "y"'),
    ],
    ids=["no line before", "both kinds in the old lines", "only a later line", "all lines restyled"],
)
def test_the_answer_keeps_its_quotes_unless_it_repeats_the_old_ones_above(old: str, new: str) -> None:
    assert formed(old, new) == new


def test_a_line_that_changes_more_keeps_the_quotes_of_the_answer() -> None:
    assert formed("a = 'one'", 'a = "two"') == 'a = "two"'


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("a = 'it\\'s'", 'a = "it\\\'s"'),
        ("a = 'say \"x\"'", "a = \"say 'x'\""),
        ("# don't 'x'", '# don\'t "x"'),
        ("a = '''x'''", 'a = """x"""'),
    ],
)
def test_quotes_stay_those_of_the_answer_if_they_may_mean_something(old: str, new: str) -> None:
    assert formed(old, new) == new


@pytest.mark.parametrize(
    ("old", "new", "language_id"),
    [
        ("say('a');", 'say("a");', "c"),
        ("<p>Say 'a'</p>", '<p>Say "a"</p>', "javascriptreact"),
        ("x = /'a'/", 'x = /"a"/', "javascript"),
        ("<p>'a'</p>", '<p>"a"</p>', "javascript"),
    ],
)
def test_quotes_stay_those_of_the_answer_in_other_languages_and_places(
    old: str, new: str, language_id: str
) -> None:
    assert formed(old, new, language_id=language_id) == new


@pytest.mark.parametrize(
    "instruction", ["Use double quotes", "reformat this", "Remove trailing whitespace", "fix the lint errors"]
)
def test_an_instruction_that_names_the_form_is_followed(instruction: str) -> None:
    assert formed("a = 'x'  ", 'a = "x"', instruction=instruction) == 'a = "x"'
    assert formed("a", "a ", instruction=instruction) == "a "


def test_a_line_in_a_string_of_several_lines_stays_as_answered() -> None:
    old, new = KEPT + '"""\n{\'a\': 1}\n"""\nb = \'x\'', KEPT + '"""\n{"a": 1}\n"""\nb = "x"'
    assert formed(old, new) == KEPT + '"""\n{"a": 1}\n"""\nb = \'x\''
    assert formed("{'a': 1}", '{"a": 1}', above='text = """') == '{"a": 1}'
    assert formed("a ", "a", above='text = """') == "a"


@pytest.mark.parametrize(
    "above",
    ["'''x'''", "# '''", "x = \"'''\"", "x = '\\''", "x = '''\\''''''", "x = 'open\ny = 1", '"""\n"""'],
)
def test_quotes_in_comments_and_strings_open_nothing(above: str) -> None:
    assert formed(KEPT + "b = 'x'", KEPT + 'b = "x"', above=above) == KEPT + "b = 'x'"


@pytest.mark.parametrize("above", ["x = '''", "x = '''\\'''", 'f("""', "'''x''' '''"])
def test_an_open_string_above_the_scope_is_found(above: str) -> None:
    assert formed(KEPT + "b = 'x'", KEPT + 'b = "x"', above=above) == KEPT + 'b = "x"'


def test_an_answer_may_remove_trailing_blanks() -> None:
    assert formed("a = 1  \nb", "a = 1\nc") == "a = 1\nc"
    assert formed("a = 1\t\nb", "a = 1 \nc") == "a = 1\t\nc"


def test_a_line_with_new_trailing_blanks_has_none() -> None:
    assert formed("a = 1\nb", "a = 1 \nb = 2\t\n  ") == "a = 1\nb = 2\n"


@pytest.mark.parametrize("language_id", ["javascript", "go", "java", "css", "json", "c"])
def test_new_lines_of_other_languages_have_no_trailing_blanks(language_id: str) -> None:
    assert formed("a", "b ", language_id=language_id) == "b"


@pytest.mark.parametrize(
    ("new", "language_id", "above"),
    [
        ("b ", "markdown", ""),
        ("b ", "diff", ""),
        ("b ", "", ""),
        ("b ", "yaml", ""),
        ("b ", "shellscript", ""),
        ("b ", "go", "x := `"),
        ("b ", "java", 'x = """'),
        ("b \\ ", "python", ""),
        ("b = '''\nc ", "python", ""),
    ],
)
def test_trailing_blanks_stay_where_they_may_mean_something(new: str, language_id: str, above: str) -> None:
    assert formed("a", new, language_id=language_id, above=above) == new


def test_trailing_blanks_stay_in_a_file_that_has_some() -> None:
    assert formed("a \nb", "a \nc ") == "a \nc "
    assert formed("a\nb", "a\nc ", above="x \ny") == "a\nc "


def test_lines_that_differ_only_in_form_have_no_certain_old_line() -> None:
    assert formed("f('a')\nf(\"a\")", "f(\"a\")\nf('a') ") == "f(\"a\")\nf('a') ".rstrip()


def test_prose_keeps_its_blanks() -> None:
    assert formed("a", "a  ", is_prose=True) == "a  "


def test_a_line_with_another_form_is_no_change() -> None:
    old = ["def f(b='y'):", "    a = 'x'", "    return a"]
    stream = EditStream(old, Surroundings(language_id="python"))
    answer = "```\ndef f(b='y'):\n    a = \"x\"\n    return a + 1\n```\n"
    ops = stream.receive_text(answer) + stream.finish("stop")
    assert ops == aligned(old, ["def f(b='y'):", "    a = 'x'", "    return a + 1"])


def test_a_long_string_is_read_once() -> None:
    """Backtracking would take minutes for a text of quotes and backslashes."""
    above = "x = '" + "\\'" * 50_000 + '\n"""' + "\\" * 100_001 + '"'
    assert formed(KEPT + "b = 'x'", KEPT + 'b = "x"', above=above) == KEPT + 'b = "x"'
