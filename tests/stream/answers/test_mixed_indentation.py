"""Documents with irregular indentation: tabs and spaces, one odd line, aligned lines, chained calls."""

from __future__ import annotations

from textwrap import dedent

from tests.stream.answering import Place

Row = tuple[str, str, str, str]
"""A name, the language, the scope, and the new scope."""

MIXED = "def f(a):\n\tif a:\n\t    b = 1\n\t    c = 2\n\treturn a\n"
JAVA = "class A {\n    int a;\n\tint b;\n    int c() {\n\treturn a;\n    }\n}\n"
GNU = (
    "int\nf (int a)\n{\n  if (a)\n    {\n      while (a)\n\tg (a);\n      return 1;\n    }\n  return 0;\n}\n"
)
PERL = "sub f {\n    my ($a) = @_;\n    if ($a) {\n\tprint $a;\n    }\n    return $a;\n}\n"
PHP = "<?php\nfunction f($a) {\n\t$b = 1;\n    $c = 2;\n\treturn $b + $c;\n}\n"

ODD = "class A:\n    def f(self):\n        x = 1\n        if x:\n           y = 2\n        return x\n\n    def g(self):\n        return 2\n"
ODD_SCRIPT = "function f() {\n  a()\n   b()\n  c()\n}\n"
ODD_GO = "func f() {\n\ta()\n\t b()\n\tc()\n}\n"
ODD_YAML = "a:\n  b: 1\n  c:\n     d: 2\n  e: 3\n"
ODD_CSS = ".a {\n  color: red;\n   margin: 0;\n  padding: 0;\n}\n"

BODIES = [
    (
        "javascript",
        "function f(items) {\n  if (items) {\n",
        "    const r = items\n      .filter(ok)\n      .map(name)\n    return r\n",
        "  }\n}\n",
        (".map(name)", ".sort()\n      .map(title)"),
    ),
    (
        "kotlin",
        "class A {\n    fun f(items: List<I>) {\n",
        "        val r = items\n            .filter { it.ok }\n            .map { it.name }\n        return r\n",
        "    }\n}\n",
        ("name", "title"),
    ),
    (
        "rust",
        "impl A {\n    fn f(items: &[I]) {\n",
        "        let r = items\n            .iter()\n            .collect::<Vec<_>>();\n        r\n",
        "    }\n}\n",
        (".iter()", ".iter()\n            .rev()"),
    ),
    (
        "go",
        "func f() {\n\tif ok {\n",
        "\t\tx := call(a,\n\t\t         b)\n\t\tuse(x)\n",
        "\t}\n}\n",
        ("use(x)", "use(x, x)"),
    ),
    (
        "python",
        "class A:\n    def f(self):\n",
        "        x = call(self.a,\n                 self.b)\n        return x\n",
        "\n\nA().f()\n",
        ("return x", "return x + 1"),
    ),
]


def fails(rows: list[Row]) -> list[str]:
    """Return the names of the rows whose answer, fenced or plain, is not exact."""
    return [
        name
        for name, language_id, old, new in rows
        for answer in (f"```\n{new}```\n", new)
        if Place(language_id, "", old, "").answered(answer) != new
    ]


def test_a_document_that_mixes_tabs_and_spaces_keeps_its_mixture() -> None:
    rows = [
        ("a word", "python", MIXED, MIXED.replace("c = 2", "c = 3")),
        ("a line as the mixed ones", "python", MIXED, MIXED.replace("c = 2\n", "c = 2\n\t    d = 3\n")),
        ("a line as the others", "python", MIXED, MIXED.replace("\treturn", "\tlog(a)\n\treturn")),
        ("a line below a tab", "java", JAVA, JAVA.replace("\treturn", "\tlog();\n\treturn")),
        ("a member below a tab", "java", JAVA, JAVA.replace("\tint b;\n", "\tint b;\n\tint d;\n")),
        ("a block where eight spaces are a tab", "c", GNU, GNU.replace("\tg (a);", "\t{\n\t  g (a);\n\t}")),
        ("a statement there", "c", GNU, GNU.replace("      return 1", "      h (a);\n      return 1")),
        ("a call in a block", "perl", PERL, PERL.replace("\tprint $a;", "\twarn $a;\n\tprint $a;")),
        ("a statement of either kind", "php", PHP, PHP.replace("$c = 2", "$c = 3")),
    ]
    assert not fails(rows)


def test_one_line_with_other_indentation_does_not_refuse_the_answer() -> None:
    rows = [
        ("another line", "python", ODD, ODD.replace("x = 1", "x = 5")),
        ("the odd line", "python", ODD, ODD.replace("y = 2", "y = 3")),
        ("it is put right", "python", ODD, ODD.replace("           y", "            y")),
        ("a line beside it", "python", ODD, ODD.replace("y = 2\n", "y = 2\n           z = 3\n")),
        ("it is put right in a script", "javascript", ODD_SCRIPT, ODD_SCRIPT.replace("   b", "  b")),
        ("and another one changes", "javascript", ODD_SCRIPT, ODD_SCRIPT.replace("   b", "  b").replace("c()", "d()")),
        ("a line below it", "javascript", ODD_SCRIPT, ODD_SCRIPT.replace("  c()", "  x()\n  c()")),
        ("a space behind a tab", "go", ODD_GO, ODD_GO.replace("\tc()", "\tx()\n\tc()")),
        ("it is put right there", "go", ODD_GO, ODD_GO.replace("\t b", "\tb")),
        ("a deeper mapping", "yaml", ODD_YAML, ODD_YAML.replace("e: 3", "e: 4\n  f: 5")),
        ("a declaration", "css", ODD_CSS, ODD_CSS.replace("padding: 0;", "padding: 1px;\n  border: 0;")),
    ]  # fmt: skip
    assert not fails(rows)


def test_aligned_lines_and_chained_calls_are_reindented_if_the_answer_lost_its_base() -> None:
    for language_id, above, old, below, (part, instead) in BODIES:
        new = old.replace(part, instead)
        place = Place(language_id, above, old, below)
        for answer in (new, dedent(new)):
            assert place.answered(f"```\n{answer}```\n") == new, (language_id, answer)


def test_blank_lines_with_tabs_do_not_refuse_the_answer() -> None:
    cases = [
        ("python", "class A:\n    def e(self):\n        return 0\n\n    def f(self):\n        return 1\n", ("return 1", "return 2")),
        ("java", "class A {\n    int b() {\n        return 0;}\n\n    int c() {\n        return b;\n    }\n}\n", ("return b", "return -b")),
        ("javascript", "function f() {\n  for (;;)\n    b()\n\n  return c\n}\n", ("return c", "return d")),
        ("kotlin", "class A {\n    val a =\n        1\n\n    fun c() {\n        d(b)\n    }\n}\n", ("d(b)", "e(b)")),
        ("yaml", "on:\n  push:\n    - a\n\n  pull:\n    - b\n", ("- b", "- c")),
    ]  # fmt: skip
    for language_id, old, (part, instead) in cases:
        unit = "  " if language_id in ("javascript", "yaml") else "    "
        new = old.replace(part, instead)
        answer = new.replace(unit, "\t").replace("\n\n", "\n\t\n")
        got = Place(language_id, "", old, "").answered(f"```\n{answer}```\n")
        assert got in (new, new.replace("\n\n", f"\n{unit}\n")), (language_id, got)
