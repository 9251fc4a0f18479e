"""Errors that a grammar accepts and the language rejects are found where the edit introduced them."""

from __future__ import annotations

import asyncio
import warnings

import pytest

from twospeed import syntax
from twospeed.syntax.faults import library_parsers
from twospeed.text.code.scope import SyntaxErrorAt
from twospeed.text.line_blocks import Lines
from twospeed.text.lines import split_lines

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
    "a key twice": ("json", '{\n"a": 1\n}', '{\n"a": 1,\n"b": 2,\n"a": 3\n}', 3, '"a" occurs twice'),
    "a key twice among comments": ("jsonc", '{\n"a": 1, // x\n}', '{\n"a": 1, // x\n"a": 2,\n}', 2, '"a" occurs twice'),
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
    "await without async": ("javascript", ASYNC, ASYNC.replace("async ", ""), 3, '"await" is in a function'),
    "return in a module": ("typescript", ASYNC, f"{ASYNC}return load();\n", 6, '"return" is outside'),
}  # fmt: skip


@pytest.mark.parametrize("name", FAULTS)
def test_an_early_error_is_found_at_its_place(name: str) -> None:
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
def test_an_old_or_uncertain_error_is_no_fault(name: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert fault(*FINE[name]) is None


def test_a_first_comment_is_allowed_by_the_name_of_the_file() -> None:
    assert fault("json", '{"a": 1}', '{"a": 1} // x\n', "file:///tsconfig.json") is None
    assert fault("json", '{"a": 1}', '{"a": 1} // x\n', "file:///other.json") == (0, "Extra data")


def test_a_cell_of_a_notebook_may_await() -> None:
    assert fault("python", "x = 1\n", "x = await f()\n", "vscode-notebook-cell:/a.ipynb#W0") is None
    assert fault("python", "x = 1\n", "x = await f()\n") == (0, "'await' outside function")


def test_only_the_statements_around_the_scope_of_a_long_file_are_compiled(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(library_parsers, "MAX_PYTHON_CHARS", 60)
    rest = split_lines("@one\n\ndef f():\n    g()\n\n\n" + "x = 1\n" * 40)
    broken = split_lines("@one\n\ndef f():\n    await g()\n\n\n" + "x = 1\n" * 40)
    assert library_parsers.new_python_fault(rest, broken, (3, 4, 4), "") == SyntaxErrorAt(
        3, "'await' outside async function"
    )
    older = split_lines("@one\n\ndef f():\n    print 'a'\n\n\n" + "x = 1\n" * 40)
    assert library_parsers.new_python_fault(rest, older, (3, 4, 4), "") is None
    assert (
        library_parsers.new_python_fault(rest, split_lines("".join(rest) + "y" * 60), (6, 46, 47), "") is None
    )


BODIES = {
    "java": "class A {\n void f(int p) {\n%s }\n}\n",
    "c": "int f(int p) {\n%s}\n",
    "cpp": "int f(int p) {\n%s}\n",
    "csharp": "class A {\n void F(int p) {\n%s }\n}\n",
    "go": "package a\n\nfunc f(p int) (q error) {\n%s}\n",
    "kotlin": "fun f(p: Int) {\n%s}\n",
    "rust": "fn f(p: u8) {\n%s}\n",
    "swift": "func f(p: Int) {\n%s}\n",
    "php": "<?php\nfunction f($p) {\n%s}\n",
    "lua": "function f(p)\n%send\n",
    "javascript": "function f(p) {\n%s}\n",
    "typescript": "function f(p: A) {\n%s}\n",
}
"""A document in which a function is empty."""

REFUSED = [
    ("java", "  int x = 1;\n  int x = 2;\n", '"x" is declared twice'),
    ("java", "  int p = 2;\n", '"p" is declared twice'),
    ("java", "  if (p) { break; }\n", '"break" is not in a loop'),
    ("java", "  switch (p) { case 1: continue; }\n", '"continue" is not in a loop'),
    ("c", "  int x = 1;\n  char *x;\n", '"x" is declared twice'),
    ("c", "  int p;\n", '"p" is declared twice'),
    ("c", "  if (p) continue;\n", '"continue" is not in a loop'),
    ("cpp", "  auto x = 1;\n  auto x = 2;\n", '"x" is declared twice'),
    ("cpp", "  g([&] { break; });\n", '"break" is not in a loop'),
    ("csharp", "  var x = 1;\n  var x = 2;\n", '"x" is declared twice'),
    ("csharp", "  int p = 1;\n", '"p" is declared twice'),
    ("csharp", "  await g();\n", '"await" is in a function that is not async'),
    ("csharp", "  if (p) break;\n", '"break" is not in a loop'),
    ("go", "\tx, y := 1, 2\n\tx, y := 3, 4\n", '"x" is declared twice'),
    ("go", "\tp := 3\n", '"p" is declared twice'),
    ("go", "\tvar x int\n\tvar x string\n", '"x" is declared twice'),
    ("go", "\tfor range p {\n\t}\n\tcontinue\n", '"continue" is not in a loop'),
    ("go", "\tq := g()\n", '"q" is declared twice'),
    ("kotlin", "  val x = 1\n  val x = 2\n", '"x" is declared twice'),
    ("rust", "  g().await;\n", '"await" is in a function that is not async'),
    ("rust", "  if p > 1 { break; }\n", '"break" is not in a loop'),
    ("rust", "  loop { let g = || { break; }; }\n", '"break" is not in a loop'),
    ("rust", "  let g = async { continue };\n", '"continue" is not in a loop'),
    ("swift", "  let x = 1\n  let x = 2\n", '"x" is declared twice'),
    ("swift", "  await g()\n", '"await" is in a function that is not async'),
    ("swift", "  if p > 1 { break }\n", '"break" is not in a loop'),
    ("php", "  if ($p) { break; }\n", '"break" is not in a loop'),
    ("lua", "  if p then break end\n", '"break" is not in a loop'),
    ("javascript", "  if (p) break;\n", '"break" is not in a loop'),
    ("typescript", "  for (const a of b) { c.map(() => { continue; }); }\n", '"continue" is not in a loop'),
]

ALLOWED = [
    (
        "java",
        "  if (p) { int x = 1; } else { int x = 2; }\n  for (int i = 0;;) {}\n  for (int i = 0;;) { break; }\n",
    ),
    (
        "java",
        "  a: { break a; }\n  switch (p) { case 1: break; }\n  while (a) { switch (p) { case 1: continue; } }\n",
    ),
    (
        "java",
        "  new B() { void f(int p) { int x = 1; } };\n  int x = 1;\n  r(() -> { int y = 1; });\n  int y = 2;\n",
    ),
    ("c", "#ifdef A\n  int x = 1;\n#else\n  int x = 2;\n#endif\n"),
    (
        "c",
        "  int x = 1;\n  { int x = 2; }\n  extern int y;\n  extern int y;\n  int g(int);\n  int g(int);\n  for (;;) break;\n  goto end;\nend: return 0;\n",
    ),
    (
        "cpp",
        "  auto [a, b] = p;\n  for (auto x : y) { if (x) continue; }\n  if (int x = 1) {}\n  int x = 2;\n",
    ),
    (
        "csharp",
        "  { var x = 1; }\n  { var x = 2; }\n  Task.Run(async () => await g());\n  async Task L() { await z(); }\n#if A\n  var y = 1;\n#else\n  var y = 2;\n#endif\n",
    ),
    (
        "go",
        "\tx, err := 1, 2\n\ty, err := 3, 4\n\tif x := 2; x > 1 {\n\t\terr := 3\n\t}\n\t_ = 1\n\tfor {\n\t\tselect {\n\t\tcase <-c:\n\t\t\tbreak\n\t\t}\n\t\tcontinue\n\t}\n\tfunc() { p := 1 }()\n",
    ),
    (
        "kotlin",
        "  val p = 1\n  if (a) { val x = 1 }\n  val x = 2\n  l.forEach { val x = 3\n break }\n  while (a) { when (b) { 1 -> break } }\n",
    ),
    (
        "rust",
        "  let x = 1;\n  let x = x + 1;\n  let g = async { h().await };\n  loop { if p { break; } }\n  let a = loop { break 1; };\n  'a: { break 'a; }\n",
    ),
    (
        "swift",
        "  let p = 1\n  if a { let x = 1 }\n  let x = 2\n  Task { await g() }\n  for i in l { switch i { case 1: break\n default: continue } }\n  let (_, b) = c\n  let (_, d) = e\n  let _ = 1\n  let _ = 2\n",
    ),
    ("swift", "  #if A\n  let x = 1\n  #else\n  let x = 2\n  #endif\n"),
    (
        "php",
        "  foreach ($a as $b) { if ($b) { continue; } }\n  switch ($p) { case 1: continue; }\n  while (1) { break 1; }\n",
    ),
    ("lua", "  local x = 1\n  local x = 2\n  for i = 1, 2 do if x then break end end\n"),
    (
        "javascript",
        "  a: { break a; }\n  for (const b of c) { switch (b) { case 1: continue; default: break; } }\n  do { break; } while (1);\n",
    ),
    ("cpp", "  FOREACH(a, p) {\n    if (a) break;\n  }\n  b([&] { for (;;) break; });\n"),
    ("c", "  static int x;\n  enum { A, B } y;\n  int z[2], *w = 0;\n"),
]


def test_a_compiler_error_in_a_function_is_reported_at_its_line() -> None:
    for language_id, body, what in REFUSED:
        old, new = BODIES[language_id] % "", BODIES[language_id] % body
        assert syntax.count_errors(split_lines(new), language_id) == 0, "its grammar reads it"
        last = (old[: BODIES[language_id].index("%s")] + body).count("\n") - 1
        assert fault(language_id, old, new) == (last, what), (language_id, body)
        assert fault(language_id, new, f"{new}\n") is None, "what was so before is no news"


def test_code_that_compiles_has_no_fault() -> None:
    for language_id, body in ALLOWED:
        new = BODIES[language_id] % body
        assert syntax.count_errors(split_lines(new), language_id) == 0, (language_id, body)
        assert fault(language_id, BODIES[language_id] % "", new) is None, (language_id, body)
