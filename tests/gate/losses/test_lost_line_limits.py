"""Findings of lost lines on both sides of each limit, and where two rules meet."""

from __future__ import annotations

from typing import Any, NamedTuple

from tests.gate.answer_findings import facts_of
from tests.gate.losses import test_lost_lines, test_small_losses
from tests.gate.losses.test_lost_lines import reported


class Case(NamedTuple):
    """An edit and its expected findings.

    Attributes:
        old: The scope before.
        new: The answer.
        expected: The messages with their lines.
        language_id: LSP language id.
        above: Whole lines of the document above the scope.
        more: Facts to replace.
    """

    old: str
    new: str
    expected: list[tuple[int, str]]
    language_id: str = "python"
    above: str = ""
    more: dict[str, Any] = {}  # noqa: RUF012  # never changed


def check(cases: dict[str, Case]) -> None:
    """Compare the findings of all cases; three lines farther down they are the same."""

    def found(case: Case) -> list[tuple[int, str]]:
        return reported(case.old, case.new, case.language_id, above=case.above, **case.more)

    assert {name: found(case) for name, case in cases.items()} == {
        name: case.expected for name, case in cases.items()
    }
    lower = {
        name: case._replace(
            above=f"\n\n\n{case.above}", expected=[(line + 3, message) for line, message in case.expected]
        )
        for name, case in cases.items()
        if not case.more
    }
    assert {name: found(case) for name, case in lower.items()} == {
        name: case.expected for name, case in lower.items()
    }


def gone(n: int, n_came: int = 0, at: int = 1) -> list[tuple[int, str]]:
    """Return the message about so many removed lines."""
    return [
        (
            at,
            f"{n} lines were removed here"
            + (f" and {n_came} {'was' if n_came == 1 else 'were'} added" if n_came else ""),
        )
    ]


def block(n: int) -> str:
    return "head()\nfor a in b:\n" + "".join(f"    c{at}(a)\n" for at in range(n - 1)) + "rest()\n"


def test_five_removed_lines_count_if_three_times_the_added_ones() -> None:
    two = "def f(b):\n{}    return 1\n"
    six = "".join(f"    a{at}(b{at})\n" for at in range(6))
    added = "    x(a0, a1, a2, y, z)\n    v(b0, b1, b2, w, u)\n"
    check(
        {
            "four lines for one": Case(block(4), "head()\nsum(b)\nrest()\n", []),
            "five lines for one": Case(block(5), "head()\nsum(b)\nrest()\n", gone(5, 1)),
            "five lines for two": Case(two.format(six[: six.index("    a5")]), two.format(added), []),
            "six lines for two": Case(two.format(six), two.format(added), gone(6, 2)),
        }
    )


def test_added_lines_replace_only_lines_between_the_same_kept_ones() -> None:
    text = "one two\nb()\nc()\nthree four\n"
    check(
        {
            "a line added above": Case(text, "new()\none two\nthree four\n", gone(2, at=2)),
            "a line added below": Case(text, "one two\nthree four\nnew()\n", gone(2)),
            "a line added between": Case(text, "one two\nnew()\nthree four\n", gone(2, 1)),
            "the two changed places": Case(text, "new()\nthree four\none two\n", gone(2, 1, at=2)),
            "a bracket stayed between": Case(
                "one two\nb(\n)\nc()\nthree four\n", "one two\n)\nnew()\nthree four\n", gone(2, 1)
            ),
        }
    )


def test_lines_below_a_removed_definition_count_without_its_own() -> None:
    old = "x = 1\ndef f():\n    pass\ny = f(1)\nz = y\nw = 3\n"
    above = "import a\nimport b\n\n"
    check({"two lines": Case(old, "x = 1\nw = 3\n", gone(2, at=4), above=above)})


def test_changed_lines_split_a_gap_of_removed_lines() -> None:
    old = "head()\nfor row in rows:\n    total += row\nlog(total, 1)\nrest()\n"
    many = "head()\n" + "".join(f"b{at} c\n" for at in range(5)) + "log(total, 1)\nrest()\n"
    check(
        {
            "above a changed line": Case(old, "head()\nlog(total, 2)\nrest()\n", gone(2)),
            "above a changed line, for an added one": Case(
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


def test_lines_with_other_words_replace_prose_but_not_code() -> None:
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


def test_fewer_lines_are_reported_if_none_is_kept() -> None:
    old = "alpha one\nbeta two\ngamma three\n"
    check(
        {
            "one less": Case(old, "alpha uno\nbeta dos\n", gone(3, 2, at=0), "plaintext"),
            "as many": Case(old, "alpha uno\nbeta dos\ngamma tres\n", [], "plaintext"),
            "in brackets that stayed": Case(
                f"[\n{old}]\n", "[\nalpha uno\nbeta dos\n]\n", gone(3, 2, at=0), "toml"
            ),
            "nothing is left": Case(old, "\n", [], "plaintext"),
            "of a function": Case(old, "alpha uno\nbeta dos\n", [], "plaintext", more={"kind": "function"}),
            "two for one": Case("alpha one\nbeta two\n", "alpha two three\n", gone(2, 1, at=0), "plaintext"),
            "a head without its body": Case(
                "if (a) {\n  b();\n}\n",
                "if (a) a();\n",
                [(0, "1 line was removed here and 1 was added")],
                "c",
            ),
            "a head with its brackets": Case("if (a) {\n  b();\n}\n", "if (a + a) {\n}\n", [], "c"),
            "a head that had no brackets": Case("if (a)\n  b();\n", "if (a) a();\n", [], "c"),
            "a head above a blank line": Case("if (a)\n\n  b();\n", "if (a) a();\n", [], "c"),
        }
    )


def test_new_quotes_enclose_the_same_lines_if_half_of_the_words_are_kept() -> None:
    quoted = [(0, 'these lines are now between " and "')]
    check(
        {
            "half of them": Case("margin small\n", '"margin big"\n', quoted, "properties"),
            "a third of them": Case("margin small red\n", '"margin big blue"\n', [], "properties"),
            "none of them, in a text": Case(
                "Ada was here.\nGrace was, too.\n",
                '"""Nothing of it\nremains."""\n',
                [(0, 'these lines are now between """ and """')],
                "plaintext",
            ),
        }
    )


def marked(mark: str) -> Case:
    """Return an edit that removes a decorator above a definition."""
    return Case(
        f"head x;\n{mark}\nbody y;\n",
        "head x;\nbody y;\n",
        [(1, f'"{mark}" was removed here')],
    )


def test_a_removed_decorator_or_section_heading_is_reported_in_each_language() -> None:
    marks = {
        "@Cached": ["java", "javascript", "kotlin", "python", "scala", "swift", "typescript"],
        "@Mark": ["typescriptreact"],
        "[[nodiscard]]": ["cpp"],
        "[Pure]": ["csharp"],
        "#[Pure]": ["php", "rust"],
        "[tool]": ["ini", "properties", "toml"],
    }
    check(
        {
            language_id: marked(mark)._replace(language_id=language_id)
            for mark, languages in marks.items()
            for language_id in languages
        }
    )
    quiet = ("@SuppressWarnings(1)", "java"), ('@Suppress("a")', "kotlin"), ("#[allow(dead_code)]", "rust")
    check({mark: marked(mark)._replace(expected=[], language_id=language_id) for mark, language_id in quiet})


def test_a_removed_decorator_counts_only_above_a_line_of_the_scope() -> None:
    check(
        {
            "of two lines": Case("@cached\nx = 1\n", "x = 1\n", [(0, '"@cached" was removed here')]),
            "at the end": Case("x = 1\n@cached\n", "x = 1\n", []),
            "a section of one line": Case(
                '[tool]\nname = "a"\n',
                'name = "a"\n',
                [(0, '"[tool]" was removed here')],
                "toml",
            ),
        }
    )


def test_a_removed_one_line_arm_is_reported_in_each_language() -> None:
    arms = {
        "one => two(1),": ["csharp", "php", "rust", "scala"],
        "one -> two(1);": ["java", "kotlin"],
        "one : two(1),": ["swift"],
        "case 1: return two": ["c", "java", "javascript", "swift"],
        "when one then two": ["ruby", "sql"],
    }

    def case(arm: str, language_id: str) -> Case:
        expected = [(1, f'"{arm}" was removed here')]
        return Case(f"head x;\n{arm}\nbody y;\n", "head x;\nbody y;\n", expected, language_id)

    check(
        {
            f"{language_id}: {arm}": case(arm, language_id)
            for arm, languages in arms.items()
            for language_id in languages
        }
    )
    others = {
        "case 1:": "c",
        "one -> two(1),": "c",
        ".one => two(1),": "csharp",
        "one => {": "rust",
        "one => two(": "rust",
        "f(one => two,": "csharp",
    }
    check({arm: case(arm, language_id)._replace(expected=[]) for arm, language_id in others.items()})


RETURNS = {
    "c": "int f(int a)\n{\n    g(a);\n    return a;\n}\n",
    "java": "class A {\n    int f(int a) {\n        g(a);\n        return a;\n    }\n}\n",
    "kotlin": "fun f(a: Int): Int {\n    g(a)\n    return a\n}\n",
    "python": "def f(a):\n    g(a)\n    return a\n",
    "ruby": "def f(a)\n  g(a)\n  return a\nend\n",
    "rust": "fn f(a: u8) -> u8 {\n    g(a);\n    return a;\n}\n",
    "scala": "def f(a: Int): Int = {\n  g(a)\n  return a\n}\n",
    "swift": "func f(a: Int) -> Int {\n    g(a)\n    return a\n}\n",
}
CONDITIONS = {
    "ruby": ["if a", "  h(a)", "end"],
    "python": ["if a:", "    h(a)"],
}


def with_end(language_id: str, lines: list[str]) -> str:
    """Return an edit that replaces a function's return by lines."""
    text = RETURNS[language_id]
    [own] = [line for line in text.splitlines() if "return" in line]
    width = own[: len(own) - len(own.lstrip())]
    return text.replace(own, "\n".join(width + line for line in lines))


def test_a_condition_may_replace_the_return_in_expression_languages() -> None:
    braces = ["if (a) {", "    h(a)", "}"]
    may_be = {"kotlin", "ruby", "rust", "scala", "swift"}
    cases = {}
    for language_id, old in RETURNS.items():
        line = next(at for at, text in enumerate(old.splitlines()) if "return" in text)
        expected = (
            [] if language_id in may_be else [(line, "the return at the end of this function was removed")]
        )
        new = with_end(language_id, CONDITIONS.get(language_id, braces))
        cases[language_id] = Case(old, new, expected, language_id)
    check(cases)


def test_a_function_may_end_in_branches_or_jumps() -> None:
    missed = [(3, "the return at the end of this function was removed")]
    ends = {
        "one branch": (["if (a)", "    h(a);"], missed),
        "two branches": (["if (a)", "    return 1;", "else", "    return 2;"], []),
        "two branches in braces": (["if (a) {", "    return 1;", "} else {", "    return 2;", "}"], []),
        "a loop without an end": (["while (true)", "    h(a);"], []),
        "a loop": (["while (a)", "    h(a);"], missed),
        "what leaves": (["exit(a);"], []),
        "another call": (["h(a);"], []),
    }
    old = RETURNS["c"]
    check({name: Case(old, with_end("c", lines), expected, "c") for name, (lines, expected) in ends.items()})
    no_end = old.replace("    return a;\n", "")
    check({"the line above it": Case(old, no_end, missed, "c")})


def test_a_small_loss_is_reported_at_its_document_line() -> None:
    lines, small = test_lost_lines.LOSSES, test_small_losses.LOSSES
    check(
        {
            name: Case(old, new, [wanted], language_id)
            for name, (old, new, language_id, wanted) in lines.items()
        }
    )
    for name, (old, part, left, language_id, (line, message)) in small.items():
        found = reported(old, old.replace(part, left), language_id, above="\n\n\n")
        assert (line + 3, message) in found, name
    for name, (old, changes, language_id) in test_small_losses.INNOCENT.items():
        new = old
        for before, behind in changes:
            new = new.replace(before, behind)
        assert reported(old, new, language_id, above="\n\n\n") == [], name


def test_removed_entries_are_counted_across_other_lines() -> None:
    old, new = "<ul>\n  <li>Home</li>\n\n  <li>Plants</li>\n</ul>\n", "<ul>\n  <li>Contact</li>\n</ul>\n"
    check(
        {
            "a blank line": Case(old, new, gone(2, 1), "html"),
            "a line that stayed above": Case(
                "head x\nin a;\nin b;\nin c;\nend y\n", "head x\nin d;\nin e;\nend y\n", gone(3, 2), "c"
            ),
            "as many added": Case("head x\nin a;\nin b;\n", "head x\nin d;\nin e;\n", [], "c"),
            "another form": Case("head x\nin a;\nin b;\n", "head x\n  in d;\n", [], "c"),
        }
    )


def test_a_removed_last_line_is_reported_unless_its_name_is_added() -> None:
    old = "function f() {\n  return 1;\n}\n\nmodule.exports = { f };\n"
    head = old[: old.index("module")]
    missed = [(4, 'the end of the file was removed: "module.exports = { f };"')]
    check(
        {
            "gone": Case(old, f"{head}\n", missed, "javascript"),
            "its name added": Case(old, f"{head}module.f = f;\n", [], "javascript"),
            "another name added": Case(old, f"{head}exports.g = f;\n", missed, "javascript"),
            "in a function": Case(old, f"{head}\n", [], "javascript", more={"kind": "function"}),
        }
    )


def test_a_removed_import_is_reported_once_if_its_name_is_used() -> None:
    line = "import { read } from './files';"
    old, new = f"{line}\nconst a = 1;\n", "const a = 1;\n"
    missed = [(1, f'"read" is still used, but "{line}" was removed')]
    document = [f"{line}\n", "const a = 1;\n", "read();\n"]
    twice = f"{line}\nconst a = 1;\n{line.replace('files', 'other')}\nread();\n"
    check(
        {
            "above": Case(old, new, missed, "javascript", above="read();\n"),
            "below": Case(old, new, [(0, missed[0][1])], "javascript", more={"document": document}),
            "nowhere": Case(old, new, [], "javascript", above="reader();\n"),
            "imported twice": Case(twice, "const a = 1;\nread();\n", [(0, missed[0][1])], "javascript"),
        }
    )


def test_a_removed_docstring_is_reported_only_below_a_header() -> None:
    text = 'def f(a):\n    {}Read."""\n    return g(a)\n'
    missed = [(1, "the docstring was removed")]
    changed = "def f(a):\n    return g(a, 1)\n"
    check(
        {
            "with another change": Case(text.format('"""'), changed, missed),
            "in other quotes": Case(text.format('"""').replace('"""', "'''"), changed, missed),
            "raw": Case(text.format('r"""'), changed, missed),
            "one in other quotes added": Case(
                text.format('"""'), "def f(a):\n    '''Write.'''\n    return g(a)\n", []
            ),
            "one in the same quotes added": Case(
                text.format('"""'), 'def f(a):\n    """Write."""\n    return g(a)\n', []
            ),
            "of a class on the first line": Case(
                'class A:\n    """Read."""\n    b = 1\n', "class A:\n    b = 1\n", missed
            ),
            "a text that is no docstring": Case('"""Read."""\na = b\nif c:\n', "a = b\nif c:\n", []),
        }
    )


def test_a_removed_await_is_reported_if_its_line_is_kept() -> None:
    old = "async def f(a):\n    b = await g(a, await h(a))\n    return b\n"
    missed = [(1, 'the "await" in this line was removed')]
    check(
        {
            "the first": Case(old, old.replace("b = await ", "b = "), missed),
            "with another change": Case(old, old.replace("b = await g", "b = k"), []),
        }
    )


def test_removed_arguments_are_reported_at_calls_not_at_definitions() -> None:
    old = "x = 1\ndef load(a, b):\n    g(1, 2)\n    return h(x)\n"
    check(
        {
            "of a definition": Case(old, old.replace("(a, b)", "()"), []),
            "numbers of a call": Case(
                old, old.replace("(1, 2)", "()"), [(2, 'the arguments "1, 2" of this call were removed')]
            ),
            "a name that is used elsewhere": Case(
                old, old.replace("h(x)", "h()"), [(3, 'the arguments "x" of this call were removed')]
            ),
            "a name that is on another new line": Case(
                old, old.replace("return h(x)", "y = x\n    return h()"), []
            ),
        }
    )


def test_a_block_without_body_is_named() -> None:
    old = "void f(int a)\n{\n    if (a) {\n        g(a);\n    }\n    h(a);\n}\n"
    empty = old.replace("        g(a);\n", "")
    missed = [(2, 'the body of "if (a) {" was removed')]
    check(
        {
            "a block": Case(old, empty, missed, "c"),
            "a block with a comment": Case(old, old.replace("g(a);", "/* nothing to do */"), [], "c"),
            "a block that was empty": Case(empty, empty.replace("h(a)", "h(a, 1)"), [], "c"),
            "a block whose first line changed": Case(old, old.replace("g(a)", "g(a, 1)"), [], "c"),
        }
    )


def test_the_equal_line_with_kept_neighbours_is_kept() -> None:
    kept = {
        ("b\na\nc\na\n", "a\n"): {3: 0},
        ("a\nc\na\n", "a\n"): {0: 0},
        ("a\nb\na\nc\n", "d\na\nc\n"): {2: 1, 3: 2},
        ("x\na\ny\na\nz\n", "a\nw\na\n"): {1: 0, 3: 2},
    }
    assert {each: dict(facts_of(*each).kept) for each in kept} == kept
