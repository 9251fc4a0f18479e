"""Hostile documents for all entry points of ``syntax``, for ``bench_silence``."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from importlib import import_module

from benchmarks.silence import Rows, hold_ms, step_ms

from twospeed import syntax
from twospeed.edits.prompting.scope_resolution import MAX_SCOPE_LINES
from twospeed.edits.writing.new_code import MAX_BYTES_PER_LINE, MAX_LINES_AT_ONCE
from twospeed.rules.facts.gather import code_facts
from twospeed.syntax.definitions.symbols import cache_symbols, read_symbols
from twospeed.syntax.trees.trees import parse_fully
from twospeed.text.code.scope import Scope
from twospeed.text.line_blocks import Lines
from twospeed.text.lines import split_lines

Case = tuple[str, Callable[[], object]]

_KEPT = [
    getattr(import_module(f"twospeed.{module}"), name)
    for module, name in (
        ("syntax.scopes.scope_code", "_from_trees"),
        ("syntax.scopes.scope_code", "_from_lines"),
        ("syntax.definitions.symbols", "_kept_names"),
        ("rules.facts.gather", "_kept"),
    )
]
"""Caches, emptied so that each measurement is a first call."""

_CHARS = 200_000
_SHORT_CHARS = MAX_LINES_AT_ONCE * MAX_BYTES_PER_LINE - 2000
_FRAGMENTS = {
    "python": (
        "(\n", "[1,\n", "]\n", "# a\n", '"a" + \\\n', "a = \\\n", "f(\n", "@a\n", "x = 1\n", '"""\n', "\n", "else:\n",
        "def f(): pass\n", "class A:\n  def f(self):\n    return 1\n", "lambda: ", "f'{a}' ", "not ", "if a: b\n", "é = 'é'; ",
    ),
    "javascript": (
        "{\n", "[\n", "(", "}\n", "// a\n", "`${a}` + \n", "a => \n", "/** a */\n", "function f() {\n", "x = 1;\n", "`\n",
        "if (a) b; else\n", "class A { f() {} }\n", "'é' + ", "@a\n", "a = ", "!", "const f = () => 1;\n",
    ),
    "rust": ("{\n", "// a\n", "#[a]\n", "fn f() {}\n", "A<\n", "a +\n", "&", "if a {} else\n"),
    "cpp": ("A<\n", "(\n", "// a\n", "#if A\n", "int f() {}\n", "template<class A>\n", "a +\n", "*"),
    "go": ("{\n", "// a\n", "func f() {}\n", "a +\n", "if a {} else\n", "[]"),
    "java": ("{\n", "// a\n", "@A\n", "class A {\n", "void f() {}\n", "a +\n"),
}  # fmt: skip
_TEXTS = {
    "equal lines": ("python", "x = 1\n" * 20_000),
    "blank lines": ("python", "\n" * 100_000),
    "blank lines in a body": ("python", "def f():\n" + "\n" * 100_000 + "    a\n"),
    "one line": ("python", "x " * 500_000),
    "long lines": ("python", ("x " * 9_000 + "\n") * 40),
    "long lines of texts": ("python", ("'é' " * 4_000 + "\n") * 40),
    "open brackets": ("python", "(\n" * 125_000),
    "nested lists": ("python", "[1,\n" * 60_000),
    "closed lists": ("python", "x = \\\n" + "[\n" * 60_000 + "]\n" * 60_000),
    "nested blocks": ("python", "".join(" " * depth + "if x:\n" for depth in range(600))),
    "elif chain": ("python", "if x:\n  y\n" + "elif x:\n  y\n" * 20_000),
    "operators": ("python", "a + \\\n" * 60_000 + "b\n"),
    "texts": ("python", '"a" \\\n' * 60_000 + "\n"),
    "open text": ("python", '"""\n' + "a\n" * 60_000),
    "comments": ("python", "# a\n" * 100_000),
    "comments in nested lists": ("python", "[\n# a\n" * 40_000),
    "decorators": ("python", "@a\n" * 60_000 + "def f(): pass\n"),
    "functions": ("python", "def f(): return a(b)\n" * 20_000),
    "imports": ("python", "import a\n" * 30_000),
    "names": ("python", "".join(f"x{number} = y{number}\n" for number in range(20_000))),
    "functions in functions": ("javascript", "function f() {\n" * 20_000 + "}\n" * 20_000),
    "calls in calls": ("javascript", "f(() => {\n" * 20_000 + "})\n" * 20_000),
    "assignments": ("javascript", "a =\n" * 60_000 + "1\n"),
    "else if": ("javascript", "if (a) {} else\n" * 30_000 + "b\n"),
    "doc comments": ("rust", "/// a\n" * 100_000 + "fn f() {}\n"),
    "templates": ("cpp", "A<\n" * 100_000),
    "elements": ("html", "<a>\n" * 30_000),
    "members": ("json", '{"a":\n' * 60_000),
    "rules": ("css", "a {\n" * 60_000),
    "tables": ("toml", "[a]\n" * 60_000),
    "entries": ("yaml", "a:\n" * 60_000),
}


def rows(seeds: Sequence[int]) -> Rows:
    """Measure the listed documents, and one for each seed; for threads, how long they hold the interpreter."""
    for name, call in cases(seeds):
        yield name, step_ms(lambda call=call: _forgotten(call))  # type: ignore[misc]
    for name, language_id, text in documents(seeds):
        read = partial(read_symbols, text, language_id)
        yield f"read_symbols: {name}", hold_ms(lambda read=read: read)  # type: ignore[misc]


def _forgotten(call: Callable[[], object]) -> Callable[[], object]:
    for kept in _KEPT:
        kept._found.clear()  # noqa: SLF001
    return call


def documents(seeds: Sequence[int]) -> Iterator[tuple[str, str, str]]:
    """Yield the name, the language and the text of each document."""
    for name, (language_id, text) in _TEXTS.items():
        yield name, language_id, text
    for seed in seeds:
        chance = random.Random(seed)
        language_id = chance.choice(sorted(_FRAGMENTS))
        parts = []
        for _ in range(chance.randint(1, 4)):
            unit = "".join(chance.choices(_FRAGMENTS[language_id], k=chance.randint(1, 3)))
            parts.append(unit * (_CHARS // chance.choice((1, 3, 30)) // len(unit)))
        yield f"{language_id}, seed {seed}", language_id, "".join(parts)


def cases(seeds: Sequence[int]) -> Iterator[Case]:
    """Yield the name of each case and its call; work that a thread does ahead is done before."""
    for name, language_id, text in documents(seeds):
        lines = Lines.of(split_lines(text))
        parse_fully(language_id, lines)
        cache_symbols(language_id, lines)
        for at in (0, len(lines) // 2, max(0, len(lines) - 101)):
            for entry, work in _entries(lines, language_id, at).items():
                yield f"{entry}: {name}, line {at}", work
        if name in _TEXTS:
            short = Lines.of(split_lines(text[:_SHORT_CHARS])[: MAX_LINES_AT_ONCE - 40])
            for entry, work in _of_an_answer(short, language_id).items():
                yield f"{entry}: {name}, short", work


def _entries(lines: Lines, language_id: str, at: int) -> dict[str, Callable[[], object]]:
    scope = Scope("selection", None, at, min(at + 100, len(lines)))
    place = (lines, language_id, scope.start, scope.end)
    whole = (lines, language_id, 0, min(len(lines), MAX_SCOPE_LINES))
    entries: dict[str, Callable[[], object]] = {
        "enclosing_scopes": partial(syntax.enclosing_scopes, lines, language_id, at, 0),
        "find_scope": partial(syntax.find_scope, lines, language_id, ((at + 1, 9), (at + 1, 9))),
        "find_errors": partial(syntax.find_errors, *place),
        "scope_code": partial(syntax.scope_code, *place),
        "names_used": partial(syntax.names_used, *place),
        "code_facts": partial(code_facts, lines, language_id, scope),
        "find_instruction_comment": partial(
            syntax.find_instruction_comment, lines, language_id, (scope.start, scope.end)
        ),
    }
    if at == 0:
        entries |= {
            "count_errors": partial(syntax.count_errors, lines, language_id),
            "distinguishes_code_from_prose": partial(
                syntax.distinguishes_code_from_prose, lines, language_id
            ),
            "import_statements": partial(syntax.import_statements, lines, language_id),
            "symbols_of": partial(syntax.symbols_of, lines, language_id),
            "scope_code of all": partial(syntax.scope_code, *whole),
            "find_errors of all": partial(syntax.find_errors, *whole),
            "names_used of all": partial(syntax.names_used, *whole),
            "code_facts of all": partial(code_facts, lines, language_id, Scope("file", None, 0, whole[-1])),
        }
    return entries


def _of_an_answer(lines: Lines, language_id: str) -> dict[str, Callable[[], object]]:
    """Return the calls for a short document before and after an answer; for a long one a thread makes them."""
    scope = Scope("selection", None, len(lines) // 2, min(len(lines) // 2 + 40, len(lines)))
    new = tuple(f"def g{number}(): return unheard{number}(x)\n" for number in range(40))
    after = lines.spliced(scope.start, scope.end - scope.start, new)
    parse_fully(language_id, after)
    cache_symbols(language_id, after)
    old_code = syntax.scope_code(lines, language_id, scope.start, scope.end)
    new_code = syntax.scope_code(after, language_id, scope.start, scope.start + len(new))
    unknown_names = partial(syntax.unknown_names, lines, after, language_id, old=old_code, new=new_code)
    brought = partial(syntax.new_functions, lines, after, language_id, old=old_code, new=new_code)
    name = syntax.UndefinedName("unheard1", scope.start, ("a",), is_bare=True)
    return {
        "unknown_names": unknown_names,
        "new_functions": brought,
        "find_duplicates": lambda: syntax.find_duplicates(brought(), after, language_id, ()),
        "import_for": partial(syntax.import_for, name, after, language_id, "a/b.py", lambda _: ()),
    }
