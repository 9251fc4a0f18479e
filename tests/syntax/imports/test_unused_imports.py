"""Imports that nothing else in a file mentions, and the edits that remove them."""

from __future__ import annotations

import pytest
from tests.sources import MODULES, text_of

from twospeed.syntax import count_errors, removed_names, unused_imports
from twospeed.text.document import Document
from twospeed.text.line_blocks import Lines
from twospeed.text.lines import split_lines


def without(text: str, language: str, *names: str) -> str:
    """Return a text without the unused imports of some names."""
    document = Document("file:///a", 1, language, Lines.of(split_lines(text)))
    edits = [each.edit for each in unused_imports(document.lines, language, names)]
    result = document.with_edits(edits)
    assert count_errors(result.lines, language) == count_errors(document.lines, language)
    return "".join(result.lines)


PYTHON = (
    "import os\nfrom a import b, c, d\nfrom e import (\n    f,\n    g,\n)\n\n\ndef total():\n    return 1\n"
)


@pytest.mark.parametrize(
    ("names", "removed", "left"),
    [
        ("os", "import os\n", ""),
        ("b", "b, c, d", "c, d"),
        ("c", "b, c, d", "b, d"),
        ("d", "b, c, d", "b, c"),
        ("b c", "b, c, d", "d"),
        ("b c d", "from a import b, c, d\n", ""),
        ("f", "    f,\n", ""),
        ("g", "    g,\n", ""),
        ("f g", "from e import (\n    f,\n    g,\n)\n", ""),
    ],
)
def test_names_of_python_are_removed_from_their_statement(names: str, removed: str, left: str) -> None:
    assert without(PYTHON, "python", *names.split()) == PYTHON.replace(removed, left)


@pytest.mark.parametrize(
    "line",
    [
        "import os  # noqa",
        "import os  # type: ignore",
        "import os  # for the tests",
        "import os as os",
        "import os; import sys",
        "import os.path, os",
        "try:\n    import os\nexcept ImportError:\n    pass",
        "import os\n__all__ = ['os']",
        "import os\nx: 'os.PathLike'",
        "import os\n# see os.walk",
        "import os\nself.os = 1",
        "# isort: skip\nimport os",
        "# ruff: noqa\nimport os",
        "import os\nimport os.path",
        "import os\nx = (",
    ],
)
def test_a_doubtful_import_stays(line: str) -> None:
    assert without(f"{line}\n", "python", "os") == f"{line}\n"


def test_a_future_import_stays() -> None:
    text = "from __future__ import annotations\n"
    assert without(text, "python", "annotations") == text


OTHERS = {
    "typescript": (
        'import D, { a, type B } from "x"\nimport * as ns from "y"\nimport { c } from "z"\nimport "side"\nlet n = 1\n',
        {
            "a": ("{ a, type B }", "{ type B }"),
            "B": ("{ a, type B }", "{ a }"),
            "D": ("", ""),
            "D a B": ('import D, { a, type B } from "x"\n', ""),
            "ns": ('import * as ns from "y"\n', ""),
            "c": ('import { c } from "z"\n', ""),
        },
    ),
    "javascript": (
        'import React from "react"\nimport { a } from "x" // why\nconst fs = require("fs")\nlet n = 1\n',
        {"React": ("", ""), "a": ("", ""), "fs": ("", "")},
    ),
    "go": (
        'package a\n\nimport (\n\t"fmt"\n\t"os"\n\ty "example.com/yaml"\n\t"example.com/redis"\n\t_ "embed"\n)\n',
        {
            "fmt": ('\t"fmt"\n', ""),
            "y": ('\ty "example.com/yaml"\n', ""),
            "redis": ("", ""),
            "embed": ("", ""),
        },
    ),
    "rust": (
        "use std::collections::{HashMap, HashSet};\nuse std::fmt;\nuse std::io::Write;\npub use std::mem;\nuse a::Trait;\n",
        {
            "HashMap": ("{HashMap, HashSet}", "{HashSet}"),
            "fmt": ("use std::fmt;\n", ""),
            "Write": ("", ""),
            "mem": ("", ""),
            "Trait": ("", ""),
        },
    ),
    "java": (
        "package a;\n\nimport java.util.List;\nimport static java.lang.Math.max;\nimport java.io.*;\n\nclass A {}\n",
        {"List": ("import java.util.List;\n", ""), "max": ("import static java.lang.Math.max;\n", "")},
    ),
    "c": ("#include <stdio.h>\n", {"stdio": ("", "")}),
}
CASES = [
    (language, names, removed, left)
    for language, (_, cases) in OTHERS.items()
    for names, (removed, left) in cases.items()
]


@pytest.mark.parametrize(("language", "names", "removed", "left"), CASES)
def test_names_of_other_languages_are_removed_where_that_has_no_other_effect(
    language: str, names: str, removed: str, left: str
) -> None:
    text, _ = OTHERS[language]
    expected = text.replace(removed, left) if removed else text
    assert without(text, language, *names.split()) == expected


def test_neighbours_keep_their_comments_and_line_ends() -> None:
    text = "# the system\r\nimport os\r\nimport sys  # why\r\n\r\nprint(sys)\r\n"
    assert without(text, "python", "os") == text.replace("import os\r\n", "")


def test_the_names_that_code_uses_are_found() -> None:
    text = "import a\nimport b\nimport c\nimport d\n\n\ndef f():\n    # c\n    a.x('d')\n\n\nb()\n"
    assert removed_names(split_lines(text), "python", 6, 9) == ("a",)
    assert removed_names(split_lines(text), "plaintext", 6, 9) == ()


def test_no_import_of_this_server_is_unused() -> None:
    for path in MODULES[::10]:
        lines = split_lines(text_of(path))
        names = removed_names(lines, "python", 0, len(lines))
        assert unused_imports(lines, "python", names) == ()
