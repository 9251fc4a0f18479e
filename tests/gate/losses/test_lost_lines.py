"""Removed lines without a replacement get a finding, because a parser accepts a lost loop."""

from __future__ import annotations

from typing import Any

import pytest
from tests.gate.answer_findings import findings_of

FUNCTION = """\
def report(rows):
    total = 0
    for row in rows:
        total += row.amount
    log(total)
    save(total)
    return total
"""
SETTINGS = """\
[server]
host = "localhost"
port = 8080

[client]
retries = 3
"""


def reported(old: str, new: str, language_id: str = "python", **more: Any) -> list[tuple[int, str]]:
    """Return the messages about removed lines, with their lines."""
    return [
        (line, message)
        for code, line, message in findings_of(old, new, language_id, **more)
        if code == "lines-gone"
    ]


def without(text: str, *gone: str) -> str:
    """Remove lines from a text."""
    return "".join(line for line in text.splitlines(keepends=True) if line.strip() not in gone)


LOSSES = {
    "a loop": (
        FUNCTION,
        without(FUNCTION, "for row in rows:", "total += row.amount"),
        "python",
        (2, "2 lines were removed here"),
    ),
    "a loop whose first line is that of another loop": (
        FUNCTION + FUNCTION.replace("report", "summary").replace("total", "n"),
        without(FUNCTION, "for row in rows:", "total += row.amount")
        + FUNCTION.replace("report", "summary").replace("total", "n"),
        "python",
        (2, "2 lines were removed here"),
    ),
    "a loop below a line that changed": (
        FUNCTION,
        without(FUNCTION, "for row in rows:", "total += row.amount").replace("total = 0", "total = 1"),
        "python",
        (1, "2 lines were removed here"),
    ),
    "most of a block, replaced by little": (
        "if a:\n    one()\n    two()\n    three()\n    four()\n    five()\nrest()\n",
        "if a:\n    other(1)\nrest()\n",
        "python",
        (1, "5 lines were removed here and 1 was added"),
    ),
    "the end of a function": (
        FUNCTION,
        without(FUNCTION, "log(total)", "save(total)", "return total"),
        "python",
        (3, "3 lines were removed here"),
    ),
    "all but one line, which is new": (
        SETTINGS,
        "retries = 5\n",
        "toml",
        (0, "5 lines were removed here and 1 was added"),
    ),
    "the entries of a list, but for a new one": (
        "type Kind = {\n  retries: number;\n  timeout: number;\n};\n",
        "type Kind = {\n  baseUrl: string;\n};\n",
        "typescript",
        (1, "2 lines were removed here and 1 was added"),
    ),
    "what follows a new check": (
        "void pay(Sum s) {\n  total = total.minus(s);\n  log.add(s);\n  notify(owner);\n}\n",
        'void pay(Sum s) {\n  if (s.isZero()) {\n    throw new Wrong("nothing");\n  }\n}\n',
        "java",
        (1, "3 lines were removed here and 2 were added"),
    ),
    "a list that becomes its new item": (
        "import json\nimport sys\n",
        "import re\n",
        "python",
        (0, "2 lines were removed here and 1 was added"),
    ),
    "the first line of a file": (
        "package shop;\n\nclass A {\n  int b;\n}\n",
        "class A {\n  int c;\n}\n",
        "java",
        (0, "1 line was removed here"),
    ),
    "lines of a text": (
        'TEXT = """\none\ntwo\nthree\n"""\n',
        'TEXT = """\nthree\n"""\n',
        "python",
        (1, "2 lines were removed here"),
    ),
}


@pytest.mark.parametrize("loss", LOSSES)
def test_removed_lines_are_counted_at_their_old_place(loss: str) -> None:
    old, new, language_id, wanted = LOSSES[loss]
    assert reported(old, new, language_id) == [wanted]


REWRITES = {
    "a loop becomes an expression": (
        "def f(rows):\n    total = 0\n    for row in rows:\n        total += row\n    return total\n",
        "def f(rows):\n    return sum(rows)\n    # as before\n",
    ),
    "lines are written with the same names": (
        "def f(a, b):\n    c = a.one\n    d = b.two\n    use(c, d)\n",
        "def f(a, b):\n    use(a.one, b.two)\n    return\n",
    ),
    "lines change their order": (FUNCTION, "".join(sorted(FUNCTION.splitlines(keepends=True)))),
    "all lines are written in another way": ("a = 1\nb = 2\n", "a, b = 1, 2\n"),
    "a line goes": (FUNCTION, without(FUNCTION, "log(total)")),
    "comments go": ("a = 0\n# one\n# two\n# three\nx = 1\n", "a = 0\nx = 1\ny = 2\n"),
    "the comments at the head go, and nothing else": ("# one\n# two\nx = 1\n", "x = 1\n"),
    "a removed method, which another check reports": (
        "class A:\n    def b(self):\n        c()\n        d()\n\n    def e(self):\n        f()\n",
        "class A:\n    def e(self):\n        f()\n",
    ),
    "blank lines and brackets go": ("x = [\n\n\n]\ny = 1\n", "x = []\ny = 1\n"),
}


@pytest.mark.parametrize("rewrite", REWRITES)
def test_a_rewrite_is_not_reported_as_loss(rewrite: str) -> None:
    assert reported(*REWRITES[rewrite]) == []


QUOTED = {
    "a line of code": ("CC = gcc\n", '"CC ?= gcc"\n', "makefile", '"'),
    "a line that got more words": (".a { b: c; }\n", "'.a { b: c; d: 0 1px 3px rgb(0 0 0); }'\n", "css", "'"),
    "an element": ('<img src="a.jpg">\n', '\'<img src="a.jpg" alt="">\'\n', "html", "'"),
    "a text": ("Ada was here.\nGrace was, too.\n", '"""Ada was here.\nGrace left."""\n', "plaintext", '"""'),
}


@pytest.mark.parametrize("name", QUOTED)
def test_newly_quoted_lines_are_reported(name: str) -> None:
    old, new, language_id, mark = QUOTED[name]
    assert reported(old, new, language_id) == [(0, f"these lines are now between {mark} and {mark}")]


@pytest.mark.parametrize(
    ("old", "new"),
    [("'a'\n", "'b'\n"), ("names()\n", '"Ada"\n'), ("a\n", '""\n'), ("f(a)\n", 'f("a")\n')],
)
def test_an_existing_or_different_string_is_not_reported(old: str, new: str) -> None:
    assert reported(old, new, "javascript") == []


def test_an_unclosed_code_block_may_lack_lines_at_its_end() -> None:
    longer = f"{FUNCTION}\n\nx = 1\n"
    assert reported(FUNCTION, longer, is_unclosed=True) == [
        (9, "the code block of the answer was not closed: lines may be missing here")
    ]


def test_an_empty_answer_is_reported_by_another_check() -> None:
    assert reported(FUNCTION, "") == reported(FUNCTION, "\n\n") == []


def test_an_unclosed_code_block_is_reported_before_removed_lines() -> None:
    shorter = without(FUNCTION, "log(total)", "save(total)", "return total")
    assert [message[:10] for _, message in reported(FUNCTION, shorter, is_unclosed=True)] == [
        "the code b",
        "3 lines we",
    ]


def test_an_unclosed_unchanged_answer_is_refused() -> None:
    assert (
        "partial-answer",
        0,
        "the answer is incomplete, and the received part changes nothing",
    ) in findings_of(FUNCTION, FUNCTION, is_unclosed=True)


def test_one_removed_line_at_the_top_of_a_file_is_reported() -> None:
    go, c = "func f() int {\n\treturn 1\n}\n", "int f() {\n  return 1;\n}\n"
    assert reported(f"package a\n\n{go}", go, "go") == [(0, "1 line was removed here")]
    assert reported(f"#pragma once\n{c}", c, "c") == [(0, "1 line was removed here")]
