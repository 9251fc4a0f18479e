"""Lines that are gone, at the edges of what is counted: both sides of each bound, and where two rules meet."""

from __future__ import annotations

from typing import NamedTuple

from tests.gate.test_lines_gone import told


class Case(NamedTuple):
    """An edit and what is reported of it.

    Attributes:
        old: The scope before.
        new: The answer.
        expected: What is reported, with the line it is reported at.
        language_id: LSP language id.
        above: Whole lines of the document above the scope.
    """

    old: str
    new: str
    expected: list[tuple[int, str]]
    language_id: str = "python"
    above: str = ""


def check(cases: dict[str, Case]) -> None:
    """Compare what is reported of each case, all of them at once."""
    found = {
        name: told(case.old, case.new, case.language_id, above=case.above) for name, case in cases.items()
    }
    assert found == {name: case.expected for name, case in cases.items()}


def gone(n: int, n_came: int = 0, at: int = 1) -> list[tuple[int, str]]:
    """Return what is reported of so many lines."""
    return [(at, f"{n} lines were removed here" + (f", and {n_came} came for them" if n_came else ""))]


def block(n: int) -> str:
    return "head()\nfor a in b:\n" + "".join(f"    c{at}(a)\n" for at in range(n - 1)) + "rest()\n"


def test_lines_that_few_replaced_are_counted_from_five_on_and_three_for_one() -> None:
    two = "def f(b):\n{}    return 1\n"
    six = "".join(f"    a{at}(b{at})\n" for at in range(6))
    came = "    x(a0, a1, a2, y, z)\n    v(b0, b1, b2, w, u)\n"
    check(
        {
            "four lines for one": Case(block(4), "head()\nsum(b)\nrest()\n", []),
            "five lines for one": Case(block(5), "head()\nsum(b)\nrest()\n", gone(5, 1)),
            "five lines for two": Case(two.format(six[: six.index("    a5")]), two.format(came), []),
            "six lines for two": Case(two.format(six), two.format(came), gone(6, 2)),
        }
    )


def test_lines_count_between_two_that_stayed_and_what_came_beside_these_is_not_for_them() -> None:
    text = "one two\nb()\nc()\nthree four\n"
    check(
        {
            "a line came above": Case(text, "new()\none two\nthree four\n", gone(2, at=2)),
            "a line came below": Case(text, "one two\nthree four\nnew()\n", gone(2)),
            "a line came between": Case(text, "one two\nnew()\nthree four\n", gone(2, 1)),
            "the two changed places": Case(text, "new()\nthree four\none two\n", gone(2, 1, at=2)),
            "a bracket stayed between": Case(
                "one two\nb(\n)\nc()\nthree four\n", "one two\n)\nnew()\nthree four\n", gone(2, 1)
            ),
        }
    )


def test_lines_below_a_definition_that_is_gone_count_and_its_own_do_not() -> None:
    old = "x = 1\ndef f():\n    pass\ny = f(1)\nz = y\nw = 3\n"
    above = "import a\nimport b\n\n"
    check({"two lines": Case(old, "x = 1\nw = 3\n", gone(2, at=4), above=above)})


def test_lines_that_changed_in_their_place_part_what_is_gone() -> None:
    old = "head()\nfor row in rows:\n    total += row\nlog(total, 1)\nrest()\n"
    many = "head()\n" + "".join(f"b{at} c\n" for at in range(5)) + "log(total, 1)\nrest()\n"
    check(
        {
            "above a changed line": Case(old, "head()\nlog(total, 2)\nrest()\n", gone(2)),
            "above a changed line, for one that came": Case(
                many, "head()\nd c0 b0 b1 b2\nlog(total, 2)\nrest()\n", gone(5, 1)
            ),
            "the second line, below a changed one": Case(
                "package a.b.shop;\nimport a.B;\n\nclass A {\n  int b;\n}\n",
                "package a.b.store;\n\nclass A {\n  int c;\n}\n",
                [],
                "java",
            ),
        }
    )


def test_more_than_sixty_lines_are_not_compared_one_by_one() -> None:
    def case(n: int, expected: list[tuple[int, str]]) -> Case:
        old = "".join(f"b{at} d\n" for at in range(n))
        new = "".join(f"b{at} c\n" for at in range(0, n, 3))
        return Case(f"head x\n{old}end y\n", f"head x\n{new}end y\n", expected, "plaintext")

    pairs = [(1, "2 lines were removed here")] * 5
    check({"sixty": case(60, pairs), "sixty-three": case(63, gone(63, 21))})


def test_lines_in_other_words_replace_as_many_of_a_text_and_none_of_code() -> None:
    old, new = "title one\nguten tag alle\nbis bald dann\n", "title one\ngood day all\nsee you then\n"
    one = "title one\ngood day all\n"
    check(
        {
            "a translation": Case(old, new, [], "plaintext"),
            "a translation in Markdown": Case(old, new, [], "markdown"),
            "one line for two": Case(old, one, gone(2, 1), "plaintext"),
            "settings": Case(old.replace(" ", "="), new.replace(" ", "="), gone(2, 2), "properties"),
        }
    )


def test_lines_that_all_came_back_changed_are_missed_by_their_number() -> None:
    old = "alpha one\nbeta two\ngamma three\n"
    check(
        {
            "one less": Case(old, "alpha uno\nbeta dos\n", gone(3, 2, at=0), "plaintext"),
            "as many": Case(old, "alpha uno\nbeta dos\ngamma tres\n", [], "plaintext"),
            "in brackets that stayed": Case(
                f"[\n{old}]\n", "[\nalpha uno\nbeta dos\n]\n", gone(3, 2, at=0), "toml"
            ),
            "nothing is left": Case(old, "\n", [], "plaintext"),
        }
    )


def test_quotes_came_around_the_same_lines_where_half_of_the_words_are_there() -> None:
    quoted = [(0, 'these lines are between " and " now')]
    check(
        {
            "half of them": Case("margin small\n", '"margin big"\n', quoted, "properties"),
            "a third of them": Case("margin small red\n", '"margin big blue"\n', [], "properties"),
            "none of them, in a text": Case(
                "Ada was here.\nGrace was, too.\n",
                '"""Nothing of it\nremains."""\n',
                [(0, 'these lines are between """ and """ now')],
                "plaintext",
            ),
        }
    )
