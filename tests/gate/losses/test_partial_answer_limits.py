"""Partial answers at the limits of each rule: repeats, uses, ends."""

from __future__ import annotations

from typing import Any

from tests.gate.answer_findings import findings_of

from twospeed.gate.facts import UnresolvedName

Part = tuple[str, str, str, dict[str, Any], str | None]
"""The scope, the answer, the language, facts to replace, and what is missing."""


def parts(old: str, new: str, language_id: str, **more: Any) -> list[str]:
    """Return the messages about a partial answer."""
    return [
        message.removeprefix("the answer is only a part of the scope: ")
        for code, _, message in findings_of(old, new, language_id, **more)
        if code == "partial-answer"
    ]


def check(cases: dict[str, Part]) -> None:
    """Compare the message of each case; three lines farther down it is the same."""
    for above in ("", "\n\n\n"):
        found = {
            name: parts(old, new, language_id, above=above, **more)
            for name, (old, new, language_id, more, _) in cases.items()
        }
        assert found == {name: [wanted] if wanted else [] for name, (*_, wanted) in cases.items()}


METHOD = "def size(self):\n    return 1\n"
BOX = f"class Box:\n    {METHOD.replace('    r', '        r')}"
AROUND = {"enclosing": frozenset({("class", "Box")})}


def test_an_answer_that_repeats_the_enclosing_class_is_refused() -> None:
    inner = (
        BOX.replace("class", "    class")
        .replace("    def", "        def")
        .replace("        r", "            r")
    )
    again = 'the answer repeats the class "Box" that encloses these lines'
    check(
        {
            "around a method": (METHOD, BOX, "python", AROUND, again),
            "of no class": (METHOD, BOX, "python", {}, None),
            "that the scope has itself": (BOX, BOX.replace("1", "2"), "python", AROUND, None),
            "that the scope has inside": (f"def f():\n{inner}", f"{BOX}def f():\n    g()\n", "python", AROUND, again),
            "inside of a function": (f"def f():\n    g()\n{METHOD}", f"def f():\n{inner}{METHOD}", "python", AROUND, None),
            "that is the scope": (BOX, BOX.replace("1", "2"), "python", {**AROUND, "kind": "class", "name": "Box"}, None),
        }
    )  # fmt: skip


def test_two_quoted_lines_are_refused() -> None:
    quoted = "the answer is a quoted text instead of code"
    check(
        {
            "two lines": ("a\nb\n", '"a\nb"\n', "css", {}, quoted),
            "two lines in a call": ("a\nb\n", "print('a\nb')\n", "css", {}, quoted),
            "one line": ("a\nb\n", '"a b"\n', "css", {}, None),
            "an open answer that changes nothing": (
                "a\nb\n", "a\nb\n", "css", {"is_unclosed": True}, "the answer is incomplete, and the received part changes nothing"
            ),
        }
    )  # fmt: skip


JAVA = "package shop;\n\nclass A {\n  int a() {\n    return 1;\n  }\n}\n"


def test_a_file_without_its_package_line_is_partial() -> None:
    check(
        {
            "another name": (JAVA, JAVA.replace("shop", "store").replace("1", "2"), "java", {}, None),
            "no head": (JAVA, JAVA[15:].replace("1", "2"), "java", {}, '"package shop;" would be removed'),
            "nothing added": (JAVA, JAVA[15:], "java", {}, None),
            "no definitions": ("#!/bin/sh\necho a\n", "echo b\n", "shellscript", {}, None),
            "a class of it": (JAVA, JAVA[15:].replace("1", "2"), "java", {"kind": "selection"}, None),
        }
    )


FUNCTIONS = "\n\ndef f(a):\n    return 1\n\n\ndef g(a):\n    return 2\n"


def test_an_answer_without_an_import_that_it_uses_is_partial() -> None:
    def case(head: str, used: str, wanted: str | None = None, **more: Any) -> Part:
        return f"{head}\n{FUNCTIONS}", FUNCTIONS.lstrip().replace("return 1", used), "python", more, wanted

    script = "import { pi, tau } from './math';\n\nfunction f(a) {\n  return 1;\n}\n"
    check(
        {
            "from a module": case("from math import pi", "return pi", '"from math import pi" would be removed'),
            "under another name": case("import numpy as np", "return np.a", '"import numpy as np" would be removed'),
            "a word of the import": case("import numpy as np", "with b() as c:\n        return c"),
            "a module": case("import os.path", "return path", '"import os.path" would be removed'),
            "what is no import": case("limit = rate", "return rate"),
            "a name that is nowhere else": case(
                "limit = rate", "return limit", '"limit = rate" would be removed', unresolved=(UnresolvedName("limit", 1),)
            ),
            "not used": case("import os", "return 3"),
            "in braces": (script, script[35:].replace("1", "pi"), "javascript", {}, f'"{script[:33]}" would be removed'),
            "in braces, not used": (script, script[35:].replace("1", "math"), "javascript", {}, None),
        }
    )  # fmt: skip


def functions(*names: str, n_lines: int = 2) -> str:
    return "\n\n".join(
        f"def {name}(a):\n" + "".join(f"    {name}{at}(a)\n" for at in range(n_lines)) for name in names
    )


def test_definitions_missing_at_an_end_make_an_answer_partial() -> None:
    few, many = functions("a", "b", "c"), functions("d", "e", n_lines=8)
    old, changed = f"{few}\n\n{many}", few.replace("b0(a)", "b0(1)")
    check(
        {
            "two below": (old, changed, "python", {}, '"d", "e" would be removed'),
            "two below, which were to go": (old, changed, "python", {"instruction_words": frozenset({"d"})}, None),
            "one below": (f"{few}\n\n{functions('d', n_lines=16)}", changed, "python", {}, None),
            "two below, and something added there": (old, f"{changed}\n\nd = e = 1\n", "python", {}, None),
            "one above": (f"{functions('d')}\n\n{few}", changed, "python", {}, '"d" would be removed'),
            "one above, and something added there": (
                f"{functions('d')}\n\n{few}", f"d0 = 1\n\n\n{changed}", "python", {}, None
            ),
            "two between": (f"{functions('a', 'b')}\n\n{many}\n\n{functions('c')}", changed, "python", {}, None),
        }
    )  # fmt: skip


def test_each_overload_counts_as_a_definition() -> None:
    old = (
        "class A {\n"
        + "".join(f"  int f({kind} a) {{\n    return 1;\n  }}\n" for kind in ("A", "B", "C", "D"))
        + "}\n"
    )
    new = "class A {\n  int f(A a) {\n    return 2;\n  }\n}\n"
    more = {"kind": "class", "name": "A"}
    check({"one of four": (old, new, "java", more, '"f", "f", "f" would be removed')})


def test_a_mere_deletion_is_not_partial_unless_it_cuts_kept_definitions() -> None:
    old = f"x = 1\ny = 2\n\n\n{functions('a', 'b', 'c', 'd')}"
    kept = functions("a")
    cut = kept.replace("    a0(a)\n", "")
    check(
        {
            "with a line between": (old, f"x = 1\n\n\n{kept}", "python", {}, None),
            "without": (old, kept, "python", {}, '"b", "c", "d" would be removed'),
            "a line of what is left": (
                old, f"x = 1\n\n\n{cut}", "python", {}, '"b", "c", "d" would be removed'
            ),
        }
    )  # fmt: skip


def test_a_definition_above_the_first_kept_line_counts_from_two_lines() -> None:
    rest = "def b():\n    return 2\n\ndef c():\n    return 3\n"
    new = rest.replace("2", "22")
    check(
        {
            "two lines": (f"def a(): return 1\n\n{rest}", new, "python", {}, '"a" would be removed'),
            "one line": (f"def a(): return 1\n{rest}", new, "python", {}, None),
        }
    )


def in_one_line(names: str) -> str:
    return "".join(f"def {name}(): return {number}\n" for number, name in enumerate(names))


def in_three_lines(names: str) -> str:
    return "".join(f"def {name}():\n    x = {number}\n    return x\n" for number, name in enumerate(names))


def a_class(n: int) -> str:
    return "class A:\n" + "".join(f"    def m{number}(self): return {number}\n" for number in range(n))


def a_function(n: int) -> str:
    return "def f():\n" + "".join(f"    g({number})\n" for number in range(n - 1))


def values(name: str, n: int) -> str:
    return "".join(f"{name}{number} = {number}\n" for number in range(n))


def part(old: str, new: str, *missing: str) -> Part:
    named = ", ".join(f'"{each}"' for each in missing[:3]) + (" and 1 more" if len(missing) > 3 else "")
    return old, new, "python", {}, f"{named} would be removed" if missing else None


def test_much_shorter_code_without_the_definitions_is_partial() -> None:
    other, mentioned = "def d():\n    return 7\n", f"x = a\n{values('y', 5)}"
    check(
        {
            "three for a line": part(in_one_line("abc"), "x = 1\n", "a", "b", "c"),
            "two for a line": part(in_one_line("ab"), "x = 1\n"),
            "one of three is mentioned in six lines": part(in_one_line("abc"), mentioned),
            "one of three is mentioned in seven": part(in_one_line("abc"), mentioned + "z = 1\n", *"abc"),
            "three for another": part(in_one_line("abc"), in_one_line("d"), "a", "b", "c"),
            "two for another": part(in_one_line("ab"), in_one_line("d")),
            "a class of four methods for a function": part(a_class(4), other, "A"),
            "a class of three methods for a function": part(a_class(3), other),
            "ten lines for two": part(a_function(10), other, "f"),
            "nine lines for two": part(a_function(9), other),
        }
    )


def test_two_missing_lines_outside_kept_definitions_make_a_partial_answer() -> None:
    old, new = "def f():\n    return 1\n", "def f():\n    return 2\n"
    more = "def h():\n    return 3\n"
    four = '"a0 = 0" and 3 more lines would be removed'
    check(
        {
            "two of four": (values("a", 4) + old, values("b", 2) + new, "python", {}, four),
            "one of four": part(values("a", 4) + old, values("b", 3) + new),
            "two of four, and a function more": part(values("a", 4) + old, values("b", 2) + new + more),
            "three of four, and a function more": (
                values("a", 4) + old, values("b", 1) + new + more, "python", {}, four
            ),
            "one of two, which uses a definition": (
                f"a = 1\n{old}export(f)\n", f"b = 1\n{new}", "python", {}, '"a = 1" and 1 more line would be removed'
            ),
            "other lines, as many": part(f"a = 1\n{old}export(f)\n", f"b = 1\n{new}c = 2\n"),
        }
    )  # fmt: skip


def test_more_missing_than_kept_and_new_definitions_make_a_partial_answer() -> None:
    one, two = in_three_lines("a").replace("0", "9"), in_three_lines("ab").replace("1", "5")
    new = f"{one}def z():\n    return 4\n"
    check(
        {
            "two, and one stayed": part(in_three_lines("abc"), one, "b", "c"),
            "one, and one stayed": part(in_three_lines("ab"), one),
            "three, and two stayed": part(in_three_lines("abcde"), two, "c", "d", "e"),
            "two, and two stayed": part(in_three_lines("abcd"), two),
            "three, one kept and one added": part(in_three_lines("abcd"), new, "b", "c", "d"),
            "four, one kept and one added": part(in_three_lines("abcde"), new, "b", "c", "d", "e"),
        }
    )
