"""Import statements are recognized whole, and nothing else is."""

from __future__ import annotations

import pytest

from twospeed.text.code.import_statements import (
    MAX_CHARS,
    MAX_STATEMENT_LINES,
    ImportMarks,
    ImportReader,
    ImportRole,
    split_imports,
)

STATEMENTS = {
    "python": [
        "import os",
        "import os.path, sys as s",
        "from a.b import c as d, e",
        "from . import x",
        "from .. import *",
        "from a import (b, c)",
        "from a import (\n    b,  # why\n    # all\n\n    c as d,\n)",
        "from a import b, \\\n    c",
        "import a  # noqa",
    ],
    "typescript": [
        "import 'x'",
        "import a from 'b';",
        'import type { A, B } from "x"',
        "import * as p from 'p'",
        "import a, { b as c } from 'd';",
        "import {a} from 'b'",
        "import{a}from'b'",
        "import {\n  a,\n  type b,\n} from 'c';",
        "import x = require('y');",
        "const fs = require('fs');",
        "const { a, b: c } = require('x').y",
        "import x from 'https://a/b' with { type: 'json' };",
        "import a from 'b'; // why",
    ],
    "go": ['import "fmt"', 'import f "fmt"', 'import (\n\t"fmt"\n\n\tx "a/b" // why\n\t_ "y"\n)'],
    "rust": [
        "use a::b;",
        "use a::{b, c};",
        "use a as b;",
        "use crate::x::*;",
        "use a::\n    b;",
        "use a::{\n    b,\n    c::{d, e},\n};",
        "extern crate foo;",
    ],
    "java": ["import a.b.C;", "import static a.b.C.*;", "import a.*; // why"],
    "cpp": ["#include <a.h>", '#  include "b/c.h"', "#include <x.h> // why"],
}

OTHERS = {
    "python": [
        "    import x",
        "import os; x = 1",
        "from here we go",
        "import this thing",
        "x = 1",
        'TEXT = """\nimport os\n"""',
        "'''\nfrom a import b\n'''",
        "# import os",
        "from a import (\n    b\nx = 1",
        "from a import (",
    ],
    "typescript": [
        "import('x').then(y)",
        "const a = 1;",
        "export { a } from 'b';",
        "x = `\nimport a from 'b';\n`",
        "/*\nimport a from 'b';\n*/",
        "import {\n  a,\nfunction f() {}",
        "import foo",
    ],
    "go": ['x := `\nimport "fmt"\n`', "func x() {}", 'import (\n\t"fmt"\nfunc x() {}'],
    "rust": ["pub use a;", "use the function below", 'let x = "\nuse a::b;\n";', "fn x() {}"],
    "java": ["class A {}", 'String x = """\nimport a.b;\n""";'],
    "cpp": ["#define A", "using std::cout;"],
}


@pytest.mark.parametrize(
    ("language_id", "text"), [(name, each) for name in STATEMENTS for each in STATEMENTS[name]]
)
def test_an_import_statement_is_recognized_with_all_its_lines(language_id: str, text: str) -> None:
    marks = ImportMarks.of(language_id)
    assert marks
    assert split_imports([*text.split("\n"), "x"], marks) == ([tuple(text.split("\n"))], ["x"], 0)


@pytest.mark.parametrize(("language_id", "text"), [(name, each) for name in OTHERS for each in OTHERS[name]])
def test_other_lines_are_no_import_statement(language_id: str, text: str) -> None:
    marks = ImportMarks.of(language_id)
    assert marks
    assert split_imports(text.split("\n"), marks) == ([], text.split("\n"), len(text.split("\n")))


def test_all_languages_of_javascript_have_the_same_marks() -> None:
    assert ImportMarks.of("javascript") is ImportMarks.of("typescriptreact")
    assert ImportMarks.of("c") is ImportMarks.of("cpp")


def test_a_language_without_known_imports_has_no_marks() -> None:
    assert ImportMarks.of("ruby") is None


def test_a_comment_directly_above_an_import_belongs_to_it() -> None:
    marks = ImportMarks.of("python")
    assert marks
    lines = ["# all", "", "# why", "import a", "# x", "x = 1"]
    assert split_imports(lines, marks) == ([("import a",)], ["# all", "# x", "x = 1"], 1)


def test_a_package_clause_is_a_preamble() -> None:
    for language_id, line in (("go", "package a"), ("java", "package a.b;"), ("c", "#pragma once")):
        marks = ImportMarks.of(language_id)
        assert marks
        assert ImportReader(marks).receive_line(line) is ImportRole.PREAMBLE


def test_a_statement_of_too_many_lines_is_none() -> None:
    marks = ImportMarks.of("python")
    assert marks
    lines = ["from a import (", *["    b,"] * MAX_STATEMENT_LINES, ")"]
    assert split_imports(lines, marks)[0] == []


@pytest.mark.parametrize("start", ["import ", "from a import ", "import {", "use a::", "#include <"])
def test_a_line_of_too_many_characters_is_no_statement(start: str) -> None:
    for language_id in STATEMENTS:
        marks = ImportMarks.of(language_id)
        assert marks
        assert split_imports([start + "a, " * MAX_CHARS], marks)[0] == []
