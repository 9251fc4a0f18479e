"""An instruction comment is a comment line of the language that begins with ``ai:``."""

from __future__ import annotations

import pytest

from twospeed.syntax import find_instruction_comment
from twospeed.text.lines import split_lines


@pytest.mark.parametrize(
    ("language_id", "line"),
    [
        ("python", "    # ai: tidy up"),
        ("python", "#AI:tidy up"),
        ("python", "## Ai:   tidy up  "),
        ("javascript", "// ai: tidy up"),
        ("javascript", "/* ai: tidy up */"),
        ("javascript", "/** ai: tidy up */"),
        ("typescriptreact", "  {/* ai: tidy up */}"),
        ("rust", "/// ai: tidy up"),
        ("go", "\t// ai: tidy up"),
        ("html", "<!-- ai: tidy up -->"),
        ("css", "/* ai: tidy up */"),
        ("sql", "-- ai: tidy up"),
        ("lua", "-- ai: tidy up"),
        ("clojure", ";; ai: tidy up"),
        ("latex", "% ai: tidy up"),
        ("bat", "REM ai: tidy up"),
        ("vue", "<!-- ai: tidy up -->"),
    ],
)
def test_each_language_has_its_own_marks(language_id: str, line: str) -> None:
    assert find_instruction_comment(["x\n", line + "\n", "y"], language_id, (1, 2)) == (1, "tidy up")


@pytest.mark.parametrize(
    ("language_id", "line"),
    [
        ("python", "// ai: tidy up"),
        ("python", "x = 1  # ai: tidy up"),
        ("python", "# ai:"),
        ("python", "# ai:   "),
        ("python", "# aim: tidy up"),
        ("python", "# said: ai: tidy up"),
        ("html", "<!-- ai: tidy up"),
        ("css", "// ai: tidy up"),
        ("plaintext", "# ai: tidy up"),
        ("", "# ai: tidy up"),
    ],
)
def test_other_comments_are_no_instruction(language_id: str, line: str) -> None:
    assert find_instruction_comment([line], language_id, (0, 1)) is None


def found(text: str, line_range: tuple[int, int]) -> tuple[int, str] | None:
    return find_instruction_comment(split_lines(text), "python", line_range)


def test_only_the_line_directly_above_a_range_is_searched() -> None:
    assert found("# ai: a\nx\ny\n", (1, 2)) == (0, "a")
    assert found("# ai: a\nx\ny\n", (2, 3)) is None


def test_an_empty_range_means_its_line() -> None:
    assert found("x\n\n# ai: a\n", (2, 2)) == (2, "a")
    assert found("x\n\n# ai: a\n", (1, 1)) is None


def test_the_first_instruction_comment_is_returned() -> None:
    assert found("# ai: a\n# ai: b\n", (0, 2)) == (0, "a")


def test_a_range_past_the_end_is_cut() -> None:
    assert found("x", (5, 9)) is None


def test_carriage_returns_are_no_part_of_the_instruction() -> None:
    assert found("# ai: a\r\nx\r\n", (0, 1)) == (0, "a")
    assert found("# ai: a\rx\r", (0, 1)) == (0, "a")


@pytest.mark.parametrize(("language", "opening", "end"), [("c", "/* ai: x", "y"), ("python", "# ai:", "")])
def test_white_space_in_an_instruction_comment_takes_linear_time(
    language: str, opening: str, end: str
) -> None:
    """There is no clock: a pattern that took 3 s for 16,000 blanks would run for an hour."""
    find_instruction_comment([opening + " " * 500_000 + end], language, (0, 1))


def test_stars_before_the_end_of_a_block_comment_are_no_part_of_the_instruction() -> None:
    assert find_instruction_comment(["/** ai: use x ** **/\n"], "c", (0, 1)) == (0, "use x **")
    assert find_instruction_comment(["// ai: use **\n"], "c", (0, 1)) == (0, "use **")
