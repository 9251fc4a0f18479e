"""An answer that lacks an end of its scope and changes something else may be partial."""

from __future__ import annotations

from typing import Any

from tests.gate.answer_findings import QUIET, facts_of, findings_of

from twospeed import gate
from twospeed.gate.facts import GateSettings

HEAD = "# frozen_string_literal: true\n"
RUBY = "class Cart\n  def add(item)\n    @items << item\n  end\n\n  def total\n    @items.sum\n  end\nend\n"
GO = """\
package shop

func Add(a int) int {
	return a + 1
}

func Half(a int) int {
	b := a / 2
	return b
}

func Twice(a int) int {
	return a * 2
}
"""
TYPES = "export declare class A {\n  b: number;\n}\n//# sourceMappingURL=a.d.ts.map\n"
C = "int first(int a)\n{\n    int b = a;\n    log(b);\n    save(b);\n    check(b);\n    return b;\n}\n"


def doubt(old: str, new: str, language_id: str, settings: GateSettings = QUIET, **more: Any) -> str:
    """Return the reason of the second request; empty if the answer is applied or refused."""
    judgement = gate.check(facts_of(old, new, language_id, **more), settings)
    assert judgement.refusal is None
    return judgement.doubt.removeprefix("the answer may be only a part of the scope: the ")


def cut(text: str, start: str, end: str = "") -> str:
    """Remove a part of a text, from one mark to another or to the end."""
    at = text.index(start)
    return text[:at] + (text[text.index(end, at) :] if end else "")


HALF = GO.replace("a / 2", "a / 3")

DOUBTED = {
    "the last function of a file": (GO, cut(HALF, "\nfunc Twice"), "go", 'last 2 lines, with "Twice",'),
    "the last lines of what stays are others": (
        GO,
        cut(HALF.replace("return b", "return c"), "\nfunc Twice"),
        "go",
        'last 2 lines, with "Twice",',
    ),
    "the first method of a class": (
        RUBY,
        cut(RUBY.replace("sum", "max"), "  def add", "  def total"),
        "ruby",
        'first 3 lines, with "add",',
    ),
    "the last method of a class": (
        RUBY,
        "class Cart\n  def add(item)\n    @items << [item]\n  end\nend\n",
        "ruby",
        'last 3 lines, with "total",',
    ),
    "a comment that does something": (HEAD + RUBY, RUBY.replace("sum", "max"), "ruby", "first line"),
    "a line below all definitions": (TYPES, cut(TYPES, "//#").replace("b:", "c:"), "typescript", "last line"),
    "the end of a function": (
        C,
        cut(C, "    save(b)", "}").replace("= a", "= 2 * a"),
        "c",
        "last 3 lines",
    ),
}

MEANT = {
    "nothing else is changed": (GO, cut(GO, "\nfunc Twice"), "go", ""),
    "the instruction names it": (GO, cut(HALF, "\nfunc Twice"), "go", "remove Twice"),
    "another one replaces it": (GO, HALF.replace("Twice", "Thrice").replace("* 2", "* 3"), "go", ""),
    "a function in the middle goes": (GO, cut(GO.replace("a * 2", "2 * a"), "func Half", "func Twice"), "go", ""),
    "it is imported now": (
        "def a():\n    return b(1)\n\n\ndef b(x):\n    return x\n",
        "from .others import (\n    b,\n)\n\n\ndef a():\n    return b(2)\n",
        "python",
        "",
    ),
    "the last lines of a function became one": (
        C,
        cut(C, "    int b", "}").replace("{\n", "{\n    return all_of(a);\n"),
        "c",
        "",
    ),
    "one line at the end of a function": (C, cut(C, "    return b", "}").replace("= a", "= 2"), "c", ""),
}  # fmt: skip


def test_an_answer_without_an_end_may_be_partial() -> None:
    for name, (old, new, language_id, lines) in DOUBTED.items():
        assert doubt(old, new, language_id) == f"{lines} would be removed", name


def test_a_class_may_end_below_the_scope() -> None:
    selected, rest = RUBY.removesuffix("  end\nend\n"), "  end\nend\n"
    new = selected.replace("class Cart\n  def add(item)", "class Cart\n  def add(some)").replace("sum", "max")
    assert (
        doubt(
            RUBY,
            new + rest,
            "ruby",
            old_lines=tuple(selected.splitlines()),
            new_lines=tuple(new.splitlines()),
        )
        == ""
    )


def test_a_requested_removal_of_an_end_is_not_partial() -> None:
    for name, (old, new, language_id, words) in MEANT.items():
        assert doubt(old, new, language_id, instruction_words=frozenset(words.split())) == "", name


def test_a_mere_warning_about_partial_answers_asks_no_second_request() -> None:
    old, new, language_id, _ = DOUBTED["the last function of a file"]
    for strictness in ("warn", "off"):
        settings = GateSettings(sensitive="off", partial=strictness)
        assert doubt(old, new, language_id, settings) == ""


def test_lines_missing_at_an_end_are_always_reported() -> None:
    for name, (old, new, language_id, _) in DOUBTED.items():
        assert findings_of(old, new, language_id), name
    assert findings_of(HEAD + RUBY, RUBY.replace("sum", "max"), "ruby") == [
        ("lines-gone", 0, "1 line was removed here")
    ]


def test_adjacent_removed_comment_lines_are_counted() -> None:
    notes = "".join(f"# note {number}\n" for number in range(6))
    old = f"a = 1\n{notes}b = 2\n"
    assert findings_of(old, "a = 1\nb = 2\n") == [("lines-gone", 1, "6 lines of comments were removed here")]
    assert findings_of(old, "a = 1\n# Now in one line.\nb = 2\n") == []
    assert findings_of(old, "z = 0\na = 1\nb = 2\n") == [
        ("lines-gone", 2, "6 lines of comments were removed here")
    ]
    assert findings_of(old, "a = 1\nb = 2\nz = 0\n") == [
        ("lines-gone", 1, "6 lines of comments were removed here")
    ]
    assert findings_of(old.replace("# note 5\n# note 4\n", ""), "a = 1\nc = 3\nb = 2\n") == []


def test_removed_comments_are_reported_at_document_lines() -> None:
    notes = "".join(f"# note {number}\n" for number in range(6))
    for above in ("", "\n\n\n"):
        line, message = len(above), "6 lines of comments were removed here"
        old = f"a = 1\n{notes}b = 2\n"
        assert findings_of(old, "a = 1\nb = 2\n", above=above) == [("lines-gone", line + 1, message)]
        assert findings_of(old, "z = 0\na = 1\nb = 2\n", above=above) == [("lines-gone", line + 2, message)]
        old = f"a = 1\nb = 2\n{notes}"
        assert findings_of(old, "z = 0\na = 1\nb = 2\n", above=above) == [("lines-gone", line + 2, message)]


def test_a_split_module_is_not_partial() -> None:
    functions = "".join(f"def _part{n}(x):\n    y = x + {n}\n    return y\n\n\n" for n in range(5))
    main = "def main():\n    return _part0(1) + _part1(2)\n"
    old = f"import os\nimport sys\n\n\n{functions}{main}"
    new = f"from .parts import part0, part1\n\n\n{main.replace('_', '')}"
    codes = {code for code, _, _ in findings_of(old, new)}
    assert "partial-answer" not in codes
    assert "partial-answer" in {
        code for code, _, _ in findings_of(old, new.replace("from .parts import part0, part1", "import re"))
    }


def test_the_last_line_of_a_class_without_closing_line_counts() -> None:
    names = "".join(f"    {name} = 1\n" for name in "abcde")
    old = f"class A:\n{names}\n\ndef f():\n    return 1\n"
    new = old.replace("    c = 1\n    d = 1\n    e = 1\n", "").replace("a = 1", "a = 2")
    assert doubt(old, new, "python") == "last 3 lines would be removed"


def go(n: int) -> str:
    """Return a file of some functions."""
    functions = "".join(f"\nfunc F{each}(a int) int {{\n\treturn a * {each}\n}}\n" for each in range(n))
    return f"package shop\n{functions}"


def test_a_message_names_three_missing_definitions() -> None:
    named = {2: '"F10", "F11"', 3: '"F9", "F10", "F11"', 4: '"F8", "F9", "F10" and 1 more'}
    for n, names in named.items():
        new = cut(go(12).replace("a * 1\n", "a + 1\n"), f"\nfunc F{12 - n}")
        assert doubt(go(12), new, "go") == f"last {2 * n} lines, with {names}, would be removed"


def test_one_line_replaces_four_lines_but_not_five() -> None:
    for n_inner, wanted in ((3, 'last 5 lines, with "G", would be removed'), (2, "")):
        inner = "".join(f"\tlog({each})\n" for each in range(n_inner))
        old = f"{go(8)}\nfunc G(a int) int {{\n{inner}\treturn a\n}}\n"
        new = go(8).replace("a * 1\n", "a + 1\n") + "\nvar g = 1\n"
        assert doubt(old, new, "go") == wanted


def test_a_missing_end_is_found_if_lines_were_only_added() -> None:
    new = cut(GO.replace("b := a / 2", "log(a)\n\tb := a / 2"), "\nfunc Twice")
    assert doubt(GO, new, "go") == 'last 2 lines, with "Twice", would be removed'


def test_a_missing_end_is_found_wherever_the_scope_begins() -> None:
    for name, (old, new, language_id, lines) in DOUBTED.items():
        assert doubt(old, new, language_id, above="\n\n\n\n\n") == f"{lines} would be removed", name


def test_classes_are_checked_three_deep() -> None:
    for n, wanted in ((3, "last 3 lines would be removed"), (4, "")):
        classes = "".join(f"{'    ' * each}class C{each}:\n" for each in range(n))
        names = "".join(f"{'    ' * n}{name} = 1\n" for name in "abcde")
        below = "".join(f"{'    ' * each}z{each} = 1\n" for each in reversed(range(n)))
        old = f"{classes}{names}{below}"
        new = old.replace("".join(names.splitlines(keepends=True)[2:]), "").replace("a = 1", "a = 2")
        assert doubt(old, new, "python") == wanted


def test_prose_broken_code_and_merged_parts_are_not_requested_again() -> None:
    new = cut(HALF, "\nfunc Twice")
    prose = "# A\n\none\ntwo\nthree\nfour\nfive\n"
    assert doubt(prose, "# A\n\nuno\ntwo\n", "markdown") == ""
    parsed = GateSettings(sensitive="off", parse="off")
    assert doubt(GO, new, "go", parsed, errors_after=1) == ""
    assert doubt(GO, new, "go", parts=("function Half",)) == ""
    assert doubt(TYPES, cut(TYPES, "//#").replace("b:", "c:"), "typescript", kind="block") == ""
