"""What a grammar reads and the language refuses is found, where the edit brought it."""

from __future__ import annotations

import asyncio
import warnings

import pytest

from twospeed import syntax
from twospeed.syntax import compiled
from twospeed.text.line_blocks import Lines
from twospeed.text.lines import split_lines
from twospeed.text.scope_code import SyntaxErrorAt

ASYNC = "import { get } from './net';\n\nasync function load() {\n  const a = await get();\n  return a;\n}\n"


def fault(language_id: str, old: str, new: str, path: str = "file:///a") -> tuple[int, str] | None:
    """Put one document in the place of another; return what it broke."""
    before, after = split_lines(old), split_lines(new)
    scope = (0, len(before), len(after))
    found = asyncio.run(syntax.find_new_fault(Lines.of(before), Lines.of(after), language_id, path, scope))
    return None if found is None else (found.line, found.what)


FAULTS = {
    "return outside of a function": ("python", "def f():\n    return 1\n", "x = 1\nreturn x\n", 1, "'return' outside"),
    "await in a plain function": ("python", "def f():\n    g()\n", "def f():\n    await g()\n", 1, "'await' outside"),
    "a block of comments": ("python", "if a:\n    b()\n", "if a:\n    # b\n", 1, "expected an indented block"),
    "one name for two parameters": ("python", "def f(a): pass\n", "def f(a, a): pass\n", 0, "duplicate argument"),
    "break outside of a loop": ("python", "x = 1\n", "x = 1\nif x:\n    break\n", 2, "'break' outside"),
    "a key twice": ("json", '{\n"a": 1\n}', '{\n"a": 1,\n"b": 2,\n"a": 3\n}', 3, '"a" stands twice'),
    "a key twice among comments": ("jsonc", '{\n"a": 1, // x\n}', '{\n"a": 1, // x\n"a": 2,\n}', 2, '"a" stands twice'),
    "a table twice": ("toml", "[a]\nb = 1\n", "[a]\nb = 1\n\n[a]\nc = 2\n", 3, "Cannot declare"),
    "a constant twice": ("javascript", "const a = 1;\n", "const a = 1;\nlet { b: [a] } = c;\n", 1, '"a" is declared twice'),
    "an import twice": (
        "typescript",
        "import { a } from 'a';\n",
        "import { a } from 'a';\nimport a, { type b as c } from 'b';\n",
        1,
        '"a" is declared twice',
    ),
    "a name in two cases of a switch": (
        "typescriptreact",
        "switch (a) { case 1: f(); }\n",
        "switch (a) {\n  case 1: const b = 1; break;\n  default: const b = 2;\n}\n",
        2,
        '"b" is declared twice',
    ),
    "await without async": ("javascript", ASYNC, ASYNC.replace("async ", ""), 3, '"await" stands in a function'),
    "return in a module": ("typescript", ASYNC, f"{ASYNC}return load();\n", 6, '"return" stands outside'),
}  # fmt: skip


@pytest.mark.parametrize("name", FAULTS)
def test_what_the_language_refuses_is_found_where_it_stands(name: str) -> None:
    language_id, old, new, line, what = FAULTS[name]
    found = fault(language_id, old, new)
    assert found is not None
    assert (found[0], found[1].startswith(what)) == (line, True), found
    assert fault(language_id, new, f"{new}\n") is None, "what was so before is no news"
    assert fault(language_id, old, f"{old}\n") is None


FINE = {
    "another fault, where the file had one": ("python", "return 1\n", "return 2\nreturn 3\n"),
    "a file of Python 2": ("python", "print 'a'\n\ndef f():\n    pass\n", "print 'a'\n\ndef f():\n    print 'b'\n"),
    "a file that may be of Python 2": ("python", "def f():\n    pass\n", "def f():\n    print 'b'\n"),
    "syntax of a newer Python": ("python", "x = 1\n", "type X = int\n\ndef f[T](a: T) -> T:\n    return a\n"),
    "quotes in a text's expression": ("python", "x = 1\n", "x = f'{a['b']}'\n"),
    "a warning of the compiler": ("python", "x = 1\n", "x = '\\d' is 1\n"),
    "more than the compiler can take": ("python", "x = 1\n", f"x = {'-' * 90_000}1\n"),
    "JSON that had comments": ("json", '{"a": 1} // x\n', '{"a": 2} // y\n'),
    "a first comment where there may be some": ("jsonc", '{"a": 1}', '{"a": 1} // x\n'),
    "JSON that was broken": ("json", '{"a": \n', '{"a": 1, "a": 2\n'),
    "names of two blocks": ("javascript", "const a = 1;\n", "const a = 1;\n{ const a = 2; }\nfor (const a of b) f(a);\n"),
    "a default that is another name": ("javascript", "const a = 1;\n", "const a = 1;\nconst { b = a } = c;\n"),
    "overloads": ("typescript", "", "function f(a: 1): 1;\nfunction f(a: 2): 2;\nfunction f(a: any) { return a; }\n"),
    "an interface beside a class": ("typescript", "", "class A {}\ninterface A { b: 1 }\n"),
    "await at the top, and in a field": (
        "typescript",
        "",
        "export const a = await b();\nclass C { d = async () => await e(); static { f(); } }\n",
    ),
    "return in a script": ("javascript", "", "if (a) return;\nconst b = require('b');\n"),
    "another language": ("go", "package a\n", "package a\npackage a\n"),
}  # fmt: skip


@pytest.mark.parametrize("name", FINE)
def test_what_was_so_before_or_may_be_right_is_no_fault(name: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert fault(*FINE[name]) is None


def test_a_file_whose_name_allows_comments_may_get_its_first() -> None:
    assert fault("json", '{"a": 1}', '{"a": 1} // x\n', "file:///tsconfig.json") is None
    assert fault("json", '{"a": 1}', '{"a": 1} // x\n', "file:///other.json") == (0, "Extra data")


def test_a_cell_of_a_notebook_may_await() -> None:
    assert fault("python", "x = 1\n", "x = await f()\n", "vscode-notebook-cell:/a.ipynb#W0") is None
    assert fault("python", "x = 1\n", "x = await f()\n") == (0, "'await' outside function")


def test_of_a_long_file_the_statements_around_the_scope_are_compiled(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compiled, "MAX_CHARS", 60)
    rest = split_lines("@one\n\ndef f():\n    g()\n\n\n" + "x = 1\n" * 40)
    broken = split_lines("@one\n\ndef f():\n    await g()\n\n\n" + "x = 1\n" * 40)
    assert compiled.new_python_fault(rest, broken, (3, 4, 4), "") == SyntaxErrorAt(
        3, "'await' outside async function"
    )
    older = split_lines("@one\n\ndef f():\n    print 'a'\n\n\n" + "x = 1\n" * 40)
    assert compiled.new_python_fault(rest, older, (3, 4, 4), "") is None
    assert compiled.new_python_fault(rest, split_lines("".join(rest) + "y" * 60), (6, 46, 47), "") is None
