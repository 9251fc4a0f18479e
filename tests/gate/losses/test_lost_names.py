"""A name whose declaration or last use is lost gets a finding, in each language."""

from __future__ import annotations

from tests.gate.losses.test_lost_line_limits import Case, check
from tests.gate.losses.test_lost_lines import reported

PARAMETERS = {
    "c": ("int f(struct a *given, int b)\n{\n", "}\n"),
    "cpp": ("int f(const A &given, int b)\n{\n", "}\n"),
    "csharp": ("class A {\nint F(ref A given, int b)\n{\n", "}\n}\n"),
    "go": ("func f(given A, b int) int {\n", "}\n"),
    "java": ("class A {\nint f(final A given, int b) {\n", "}\n}\n"),
    "kotlin": ("fun f(given: A, b: Int): Int {\n", "}\n"),
    "php": ("<?php\nfunction f(A $given, int $b) {\n", "}\n"),
    "python": ("def f(given: A = None, b=1):\n", ""),
    "rust": ("fn f(mut given: A, b: u8) -> u8 {\n", "}\n"),
    "swift": ("func f(given: inout A, b: Int) -> Int {\n", "}\n"),
    "typescript": ("class A {\nconstructor(readonly given: A, b: number) {\n", "}\n}\n"),
}
"""A function of each language with a parameter ``given``, up to its body, and the text after it."""


def test_an_unused_parameter_is_named_in_each_language() -> None:
    cases = {}
    for language_id, (head, end) in PARAMETERS.items():
        mark, last = "$" if language_id == "php" else "", "" if language_id in ("go", "python") else ";"
        body = f"    log(1){last}\n    use({mark}given){last}\n    g({mark}b){last}\n"
        line = head.count("\n") - (1 if "\n{" not in head else 2)
        expected = [(line, 'the parameter "given" is no longer used')]
        old, new = (
            f"{head}{text}{end}" for text in (body, body.replace(f"    use({mark}given){last}\n", ""))
        )
        cases[language_id] = Case(old, new, expected, language_id)
    found = {name: reported(case.old, case.new, case.language_id) for name, case in cases.items()}
    assert {name: [message for _, message in each] for name, each in found.items()} == {
        name: [message for _, message in case.expected] for name, case in cases.items()
    }


def test_the_type_of_an_unnamed_parameter_is_not_a_name() -> None:
    for type_ in ("bool", "byte", "error", "func", "int", "interface", "number", "string"):
        head = f"func f({type_}, b A) A {{\n    log(1)\n"
        assert reported(f"{head}    use({type_}(c))\n    g(b)\n}}\n", f"{head}    g(b)\n}}\n", "go") == [], (
            type_
        )


def python(*lines: str) -> str:
    return "def f(given, b):\n" + "".join(f"    {line}\n" for line in lines)


def test_a_parameter_without_use_in_two_body_lines_is_unused() -> None:
    idle = [(0, 'the parameter "given" is no longer used')]
    full = python("log(1)", "use(given)", "g(b)")
    check(
        {
            "two lines are left": Case(full, python("log(1)", "g(b)"), idle),
            "one line is left": Case(full, python("g(b)"), [(1, "2 lines were removed here")]),
            "a text uses it": Case(full, python('log("given")', "g(b)"), []),
            "a longer word has it": Case(full, python('log("givens")', "g(b)"), idle),
            "it was not used": Case(python("log(1)", "use(2)", "g(b)"), python("log(1)", "g(b)"), []),
            "it is no parameter any more": Case(full, python("log(1)", "g(b)").replace("given, ", ""), []),
            "a member has its name": Case(full, python("log(a.given)", "g(b)"), []),
        }
    )


DECLARED = {
    "go": ("func f() {\n{}\n\tg(1)\n\tuse(given)\n}\n", ["\tgiven := h()", "\tgiven, err := h()"]),
    "javascript": ("function f() {\n{}\n  g(1);\n  use(given);\n}\n", ["  const given = h();", "  let given = h();"]),
    "java": ("class A {\nvoid f() {\n{}\n  g(1);\n  use(given);\n}\n}\n", ["  A given = h();", "  var given = h();"]),
    "c": ("void f(void)\n{\n{}\n  g(1);\n  use(given);\n}\n", ["  int given = h();", "  char given[3];", "  A given;"]),
    "rust": ("fn f() {\n{}\n    g(1);\n    use_it(given);\n}\n", ["    let mut given = h();"]),
    "python": ("def f():\n{}\n    g(1)\n    use(given)\n", ["    given = h()"]),
    "ruby": ("def f\n{}\n  g(1)\n  use(given)\nend\n", ["  given = h(1)"]),
    "lua": ("function f()\n{}\n  g(1)\n  use(given)\nend\n", ["  given = h(1)", "  local given = h(1)"]),
    "php": ("<?php\nfunction f() {\n{}\n  g(1);\n  use($given);\n}\n", ["  $given = h();"]),
}  # fmt: skip
"""Functions of a language, and lines that declare the name that they use."""


def test_an_undeclared_variable_is_named_at_its_first_use_in_each_language() -> None:
    wanted = '"given" is used here, but its declaration was removed'
    found = {}
    for language_id, (text, lines) in DECLARED.items():
        for line in lines:
            old, new = text.replace("{}", line), text.replace("{}\n", "")
            row = next(at for at, each in enumerate(new.splitlines()) if "use" in each)
            for above in ("", "\n\n\n"):
                found[language_id, line, above] = reported(old, new, language_id, above=above) == [
                    (row + above.count("\n"), wanted)
                ]
    assert [name for name, is_right in found.items() if not is_right] == []


def test_statements_without_declarations_declare_no_names() -> None:
    lines = ["  return given;", "  given == h();", "  given();", "  throw given;", "  a.given = h();"]
    text = DECLARED["java"][0]
    old = {line: text.replace("{}", line) for line in lines}
    new = text.replace("{}\n", "")
    assert {line: reported(each, new, "java") for line, each in old.items()} == {line: [] for line in lines}


def test_a_name_that_another_line_may_declare_is_not_reported() -> None:
    old = "void f()\n{\n  A given = h();\n  g(1);\n  use(given);\n}\n"
    may_declare = {
        "cpp": ["  for (A given : all) {", "  B *given;", "  B &given = k();", "  vector<B> given;", "  auto [a, given] = k();"],
        "csharp": ["  k(out var given);", "  B[] given = k();", "  B? given = k();", "  k(given => 1);"],
        "java": ["  k(given -> 1);", "  catch (E given) {"],
    }  # fmt: skip
    found = {}
    for language_id, lines in may_declare.items():
        for line in lines:
            new = old.replace("  A given = h();\n", "").replace("  g(1);", f"  g(1);\n{line}")
            found[language_id, line] = [m for _, m in reported(old, new, language_id) if "declaration" in m]
    assert found == {name: [] for name in found}
    for line in ["  return given;", "  a->given = 1;", "  k(given->x);", f"  k(given, {'1, ' * 60}2);"]:
        new = old.replace("  A given = h();\n", "").replace("  use(given);", f"{line}\n  use(given);")
        assert [m for _, m in reported(old, new, "cpp") if "declaration" in m] != [], line
    long = f"  k(given, {'1, ' * 100}2);"
    new = old.replace("  A given = h();\n", "").replace("  use(given);", long)
    assert [m for _, m in reported(old, new, "cpp") if "declaration" in m] == []


def test_a_lambda_or_an_assignment_may_declare_a_name() -> None:
    old = "def f():\n    given = h()\n    g(1)\n    use(given)\n"
    gone = old.replace("    given = h()\n", "")
    for line in ("k(lambda given: 1)", "a, given = k()", "with k() as given:", "for given in k():"):
        new = gone.replace("    g(1)", f"    g(1)\n    {line}")
        assert [m for _, m in reported(old, new) if "declaration" in m] == [], line
    for line in ("k(given=given)", "given.a = 1", "return given"):
        new = gone.replace("    g(1)", f"    g(1)\n    {line}")
        assert [m for _, m in reported(old, new) if "declaration" in m] != [], line


def test_functions_over_three_hundred_lines_are_not_compared() -> None:
    wanted = [(299, '"given" is used here, but its declaration was removed')]
    for n, expected in ((296, wanted), (297, [])):
        lines = "".join(f"    g({at})\n" for at in range(n))
        old = f"def f():\n    given = h()\n    k(1)\n{lines}    use(given)\n"
        assert old.count("\n") == 4 + n
        assert reported(old, old.replace("    given = h()\n", "")) == [
            (line - 299 + n + 2, message) for line, message in expected
        ]


def test_lost_names_are_reported_at_document_lines() -> None:
    for above in ("", "\n\n\n"):
        first = len(above)
        found = reported(python("log(1)", "use(given)", "g(b)"), python("log(1)", "g(b)"), above=above)
        assert found == [(first, 'the parameter "given" is no longer used')]
        found = reported(python("c = a(1)", "log(1)", "g(b, c)"), python("log(1)", "g(b, c)"), above=above)
        assert found == [(first + 2, '"c" is used here, but its declaration was removed')]


def test_an_unused_self_is_not_reported() -> None:
    for name in ("self", "cls"):
        old = f"def f({name}, b):\n    log(1)\n    use({name})\n    g(b)\n"
        assert reported(old, old.replace(f"    use({name})\n", "")) == []
    old = "function f(this: A, b: B) {\n  log(1);\n  use(this);\n  g(b);\n}\n"
    assert reported(old, old.replace("  use(this);\n", ""), "typescript") == []
