"""Record the results of functions that read several texts or places: answers, versions, selections, windows.

``records/NAME.record`` has the lines of one function in `RECORDS`. ``python -m tests.syntax.recorded_answers`` writes all
of them. Read the differences before you commit them: users will see them.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from itertools import product

from tests.syntax.recorded import FOLDER, shown

from twospeed.rules.facts.gather import code_facts
from twospeed.syntax import (
    count_errors_by_library,
    enclosing_scopes,
    find_duplicates,
    find_errors,
    find_instruction_comment,
    find_scope,
    fingerprint_of,
    import_for,
    import_statements,
    is_tree_ready,
    names_used,
    new_functions,
    scope_code,
    symbols_of,
    unknown_names,
)
from twospeed.syntax.definitions.symbols import read_symbols
from twospeed.syntax.duplicates.duplicate_functions import Fingerprint, is_duplicate
from twospeed.syntax.identifiers.roles import identifier_at
from twospeed.syntax.trees.parsing import byte_edits
from twospeed.syntax.trees.trees import parse
from twospeed.syntax.unresolved.unresolved_names import UndefinedName
from twospeed.text.code.scope import Scope, ScopeCode
from twospeed.text.code.symbols import FileSymbols, SymbolPlace
from twospeed.text.line_blocks import Lines
from twospeed.text.lines import split_lines


def _lines(text: str) -> Lines:
    return Lines.of(split_lines(text))


# Unknown names, and imports

PROJECT = {
    "shop/prices.py": "def price(item):\n    return 1\n\n\nclass Tea:\n    def brew(self):\n        pass\n",
    "shop/__init__.py": "VERSION = 1\n",
    "src/lib/tools.py": "def hammer():\n    return 1\n",
    "top.py": "def summit():\n    return 1\n\n\nTwice = 1\n",
    "other.py": "Twice = 2\n",
    "not-a-name.py": "def hidden():\n    return 1\n",
    "web/list.ts": "export function listed(a: number) { return a; }\nfunction own() { return 1; }\nexport default function main() { return 1; }\n",
    "web/deep/row.js": "export const rowed = () => 1;\nexport class Row {}\n",
    "web/view.tsx": "export function View() { return null; }\n",
}
ENDINGS = {"py": "python", "ts": "typescript", "tsx": "typescriptreact", "js": "javascript"}


@cache
def project() -> dict[str, FileSymbols]:
    """Read the files of the project."""
    read = {path: read_symbols(text, ENDINGS[path.rpartition(".")[2]]) for path, text in PROJECT.items()}
    return {path: file for path, file in read.items() if file}


def places_of(name: str) -> list[SymbolPlace]:
    """Find the definitions of a name in the project."""
    found = []
    for path, file in project().items():
        found += [
            SymbolPlace(path, file, number) for number, each in enumerate(file.symbols) if each.name == name
        ]
    return found


PYTHON_ANSWER = """\
def f(a, *, b=json.dumps, **c):
    json.loads(a).first.second(json . x)
    print(os.path.join(a), os, re.sub(r"x", "", a)[0], datetime.now(), datetime.date, Path(a), price(a), Tea().brew())
    for each in hammer(): each.total, unknown1, summit(), Twice, hidden, VERSION, timedelta, date.today(), token, test.x
    with Counter() as counted, suppress(E): yield counted, __magic__, self.y, é2, _
    return [q for q in a if q], lambda z: z + w, {"k": k1, **m1}, f"{inner!r} {json.tool}", call(key=v1), math
"""
SCRIPT_ANSWER = """\
function f(a, { b = fs.readFileSync, ...c }) {
  path.join(a).first(); os.cpus(), util.inspect(util), assert(a); zlib.gzip(...rowed(), listed(a), View, Row, own, main);
  for (const each of list1) each.total, unknown1, $dollar, obj?.x, this.y, new.target, console.log(`t ${tpl} ${fs}`);
  const { http } = a; http.get(a); return { key1: v1, short1, [comp1]: 2, "s": window.x };
}
"""
GO_ANSWER = """\
func f(a int) string {
	fmt.Println(strings.ToUpper("a"), json.Marshal(a), http.get, os.Args, a.time.Now())
	time := 1
	return filepath.Join(sort.Strings(x), slog.Info, exec.Command("x"))
}
"""
TOPS = {
    "python": (
        "",
        "'''Doc.'''\n",
        "#!/usr/bin/env python\n# words\n\nx = 1\n",
        "'''Doc.'''\n\nimport math\nfrom .near import a\n\nfrom shop import b\nx = 1\nimport late\n",
        "from __future__ import annotations\n",
        "from lib.other import z\r\nimport shop.sub\r\n",
        "from x import *\n",
        "exec('x')\n",
        "type K = int\nclass G[T1]: pass\ndef unknown1(): pass\nobj.hammer = {'price': 1}; call(Tea=1)\n# w\n",
    ),
    "javascript": (
        "",
        "#!/usr/bin/env node\n// words\n'use strict';\n\nlet x = 1;\n",
        'import a from "./near.js";\n',
        "import a from './near'\nimport { b } from './more.mjs'\n\nlet y\n",
        "const a = require('./near');\nvar c = 1;\n",
        "/* doc */\nfunction unknown1() {}\nlet zlib = 1;\n",
    ),
    "typescript": (
        "",
        "import type { A } from './types.ts';\n",
        'import { B } from "other"\n// after\nlet z\n',
    ),
    "go": (
        "package a\n",
        '// doc\npackage a\n\nimport "fmt"\n\nvar x = 1\n',
        'package a\n\nimport (\n\t"fmt"\n\t"sort"\n\n\t"other.org/x"\n)\n',
        'package a\r\n\r\nimport (\r\n    "io"\r\n)\r\n',
        "package a\n\nimport ()\n",
    ),
}
ANSWERS = (
    ("python", PYTHON_ANSWER),
    ("python", "json.loads(datetime.now(), date(1)); VERSION; site.main(), _thread.x\n"),
    ("python", "datetime.date(1); datetime.timedelta; time.sleep(1); time; date.today, os\n"),
    ("python", "datetime.x(); re.a.b; exit(cmd.x)\n"),
    ("javascript", SCRIPT_ANSWER),
    ("typescript", SCRIPT_ANSWER),
    ("typescript", "const a: Row = fs.x(View);\n"),
    ("go", GO_ANSWER),
)
DOCUMENTS = {
    "python": ("shop/main.py", "main.py", "src/lib/main.py"),
    "javascript": ("web/main.js", "index.js"),
    "typescript": ("web/deep/main.ts", "main.ts"),
    "go": ("main.go",),
}
OLDS = ("", "x1 = json.loads(fs.y + os.z)\n")


def names_and_imports() -> Iterator[str]:
    """Yield the unknown names of answers in documents, and their imports."""
    for language_id, answer in ANSWERS:
        for number, (top, old) in enumerate(product(TOPS[language_id], OLDS)):
            before, after = _lines(top + old), _lines(top + answer)
            start = len(split_lines(top)) - 1
            codes = [scope_code(lines, language_id, start, len(lines) - 1) for lines in (before, after)]
            names = unknown_names(before, after, language_id, old=codes[0], new=codes[1])
            yield f"{language_id} {number}: {' '.join(map(shown, names))}"
            said = set()
            for path, name in product(DOCUMENTS[language_id], names):
                new = import_for(name, after, language_id, path, places_of)
                if new and new not in said:
                    said.add(new)
                    yield f"    {path} {name.name}: {new.statement!r} {shown(new.edit)}"


EDGES = {
    "python": (
        "",
        "\n",
        "'''Doc.'''",
        "'''Doc.'''\n\n\n",
        "# c\n\n\nx\n",
        "import a",
        "import a\n# c\nimport b\nx\nimport c\n",
        "'a' 'b'\nx\n",
        "import a; x\n",
    ),
    "javascript": (
        "",
        "#!/bin/node\n\n\n",
        "'use strict'\n\nx",
        "const a = require('a')",
        "import a from 'a'\n\n\nx",
        "let b = a.require('x')\n",
    ),
    "typescript": (
        "",
        "// c",
        "import a from 'a';\nimport b from \"b\"\n",
        "const a = require('a');\nimport 'b';\n",
    ),
    "go": (
        "",
        "package a",
        "package a\n\n\n",
        'package a\n\nimport (\n\t"a"\n\n\t"z"\n)\n',
        'package a\n\nimport (\n\t// c\n\t"z"\n)\n',
    ),
}
NEWCOMERS = (
    "re",
    "os",
    "datetime",
    "Path",
    "fs",
    "path",
    "fmt",
    "strings",
    "http",
    "nothing",
    "listed",
    "price",
    "_thread",
    "this",
)


def imports_at_edges() -> Iterator[str]:
    """Yield imports for documents that end early or have very few lines."""
    for language_id, texts in EDGES.items():
        for text, name in product(texts, NEWCOMERS):
            if language_id == "go" and name not in ("strings", "fmt", "http"):
                continue
            for unknown in (
                UndefinedName(name, 0, ("a",)),
                UndefinedName(name, 0, ("now", "date"), is_bare=True),
            ):
                new = import_for(unknown, _lines(text), language_id, "web/a", places_of)
                if new:
                    yield f"{language_id} {text!r} {name}: {new.statement!r} {shown(new.edit)}"


# Duplicate functions

SHOP = """\
def total(items, tax=0.2):
    result = 0
    for item in items:
        if item.price > 0:
            result += item.price * item.quantity
    return round(result * (1 + tax), 2)


class Cart:
    def longest(self, words):
        best = None
        for word in words:
            if best is None or len(word) > len(best):
                best = word
        return best

    def __len__(self):
        return sum(1 for item in self.items if item.is_there and item.price > 0)
"""
AGAIN = """\
def sum_up(things, rate=0.2):
    amount = 0
    for thing in things:
        if thing.price > 0:
            amount = amount + thing.price * thing.quantity
    return round(amount * (1 + rate), 2)


def sum_up_too(things, rate=0.2):
    amount = 0
    for thing in things:
        if thing.price > 0:
            amount = amount + thing.price * thing.quantity
    return round(amount * (1 + rate), 2)


class Bag:
    def longest(self, names):
        best = None
        for name in names:
            if best is None or len(name) > len(best):
                best = name
        return best

    def largest(self, names):
        best = None
        for name in names:
            if best is None or len(name) > len(best):
                best = name
        return best

    def __len__(self):
        return sum(1 for item in self.items if item.is_there and item.price > 0)


def short(x):
    return x
"""


def written_again() -> Iterator[str]:
    """Yield the duplicates of new functions that exist in the document or in another one, or replace old ones."""
    for title, before, after in (
        ("beside", SHOP, SHOP + "\n\n" + AGAIN),
        ("instead", SHOP, AGAIN),
        ("alone", "", AGAIN),
        ("renamed", SHOP, SHOP.replace("total", "summed").replace("longest", "largest")),
        ("same", SHOP, SHOP),
        ("gone", SHOP, ""),
        ("twice", SHOP, SHOP + "\n\n" + SHOP),
    ):
        old_lines, new_lines = _lines(before), _lines(after)
        old = scope_code(old_lines, "python", 0, len(old_lines))
        new = scope_code(new_lines, "python", 0, len(new_lines))
        brought = new_functions(old_lines, new_lines, "python", old=old, new=new)
        yield f"{title}: {' '.join(f'{each.name} {each.start}-{each.end}' for each in brought)}"
        for language_id in ("python", "ruby"):
            file = read_symbols(SHOP, "python", mark=fingerprint_of)
            assert file
            far = [SymbolPlace("shop.py", file, number) for number in range(len(file.symbols))]
            for places in ((), far):
                twins = find_duplicates(brought, new_lines, language_id, places)
                yield f"    {' '.join(f'{each.function.name}={each.path}:{each.other.name}@{each.other.start}' for each in twins)}"


FUNCTIONS = {
    "python": [
        "def f(a):\n    out = []\n    for x in a:\n        if x.ok:\n            out.append(x.name)\n    return out\n",
        "def g(b):\n    return [y.name for y in b if y.ok]\n",
        "def h(b):\n    return [y.title for y in b if y.ok]\n",
        "def i(b):\n    n = 0\n    while n < len(b):\n        if b[n].ok:\n            yield b[n].name\n        n += 1\n",
        "def j(b):\n    return sum(y.price * 0x10 for y in b if not y.gone and y.price >= 1_000)\n",
        "def k(b):\n    t = 0\n    for i in range(0, len(b)):\n        t += b[i].price * 16 if b[i].price >= 1000 and not b[i].gone else 0\n    return t\n",
        "async def l(b):\n    with open('a\\x41\\n') as f:\n        return {x: await y(f'{x!r} {f}' 'c') for x, y in b.items() if x != 'é'}\n",
        'async def m(c):\n    with open("aA\\x0a") as g:\n        return {y: await z(f"{y!r} {g}c") for y, z in c.items() if y != \'\\u00e9\'}\n',
        "def p(a, b):\n    it = iter(a)\n    x = next(it)\n    y = next(it, None)\n    z = iter(a, b)\n    while x < y:\n        x = next(it)\n        b.c += 1\n    return x or y, z.q, next.d\n",
        "def n(a):\n    return a\n",
        "def o(a, b={}, c=None):\n    try:\n        return next(iter(a)) or min(a[b:1], key=lambda q: q[0])\n    except (StopIteration, KeyError):\n        raise ValueError(r'\\d' + b'x'.decode())\n",
    ],
    "javascript": [
        "function f(a) {\n  const out = [];\n  for (const x of a) { if (x.ok) out.push(x.name); }\n  return out;\n}\n",
        "const g = (b) => b.filter((y) => y.ok).map((y) => y.name);\n",
        "function h(b) { let t = 0; for (let i = 0; i < b.length; i++) { if (b[i].price !== 1.50) t = t + b[i].price; } return t; }\n",
        "const i = (b) => b.reduce((t, y) => t + (y.price != 1.5 ? y.price : 0), 0);\n",
    ],
}


def fingerprints() -> Iterator[str]:
    """Yield the pairs of duplicate functions, and the contents of each fingerprint."""
    for language_id, texts in FUNCTIONS.items():
        marks = []
        for text in texts:
            file = read_symbols(text, language_id, mark=fingerprint_of)
            assert file
            marks.append(file.symbols[0].mark)
        for mark in marks:
            held = f"{mark.words.hex()} {mark.shapes.hex()}" if isinstance(mark, Fingerprint) else "-"
            alike = (
                "#"
                if isinstance(mark, Fingerprint)
                and isinstance(each, Fingerprint)
                and is_duplicate(mark, each)
                else "."
                for each in marks
            )
            yield f"{language_id} {''.join(alike)} {held}"


# Places, windows, versions

SELECTED = "import a\n\n\ndef f(x):\n    y = x\n\n    return y\n\n\nclass C:\n    z = 1\n"


def selections() -> Iterator[str]:
    """Yield the scopes of selections between all pairs of places, inside and outside a document."""
    lines = _lines(SELECTED)
    places = [
        (line, column) for line in (-1, 0, 1, 3, 4, 5, 6, 9, 10, 11, 12) for column in (-1, 0, 1, 8, 99)
    ]
    for choice in ("auto", "selection", "file"):
        found = []
        for start in places:
            scopes = (find_scope(lines, "python", (start, end), choice) for end in places if end >= start)
            found.append(
                " ".join(f"{each.kind[0]}{each.name or ''}{each.start}-{each.end}" for each in scopes)
            )
        yield from (f"{choice} {place}: {text}" for place, text in zip(places, found, strict=True))


NESTED = (
    "class A:\n    def m(self):\n        def n(): return 1\n",
    "        x = 1\n",
    "    # words\n",
    "def f():\n    pass\n",
    "(\n",
)


def blank_lines() -> Iterator[str]:
    """Yield the scopes of blank lines of every width, between and after definitions."""
    for number in range(1, len(NESTED)):
        above = "".join(NESTED[:number])
        for width, below in product(range(11), ("", "x = 2\n", "    def o(self): pass\n")):
            lines = _lines(f"{above}\n{' ' * width}\n{below}")
            line = above.count("\n") + 1
            for column in sorted({0, width}):
                scopes = enclosing_scopes(lines, "python", line, column)
                said = " < ".join(f"{each.name} {each.start}-{each.end}" for each in scopes)
                yield f"{number} {width} {below!r}: {said}"
    for language_id, text in OPEN_ENDED:
        for width in (0, 2, 4):
            lines = _lines(text.replace("_", " " * width))
            for line in (number for number, each in enumerate(lines) if not each.strip()):
                scopes = enclosing_scopes(lines, language_id, line, width)
                said = " < ".join(f"{each.kind} {each.name} {each.start}-{each.end}" for each in scopes)
                yield f"{text!r} {width} {line}: {said}"


OPEN_ENDED = (
    ("python", "_\ndef f():\n    pass"),
    ("python", "_\n_\nclass A:\n    def f(self):\n        pass\n_\n    # words"),
    ("python", "def f():\n    pass\n_"),
    ("javascript", "_\nfunction f() {\n_\n  a;\n}\n_\nclass B {\n  g() {}\n_\n}\n_"),
    ("go", "package a\n_\nfunc f() {\n_\n}\n_\nfunc g() {}"),
)
"""Texts with ``_`` for blanks of some width: in the first line, in the last line, and inside braces."""


BROKEN = {
    "python": "def f(:\n    return (1\n\ndef g():\n    x = [1, (2]\n    y = 3)\n    z = '(' # )\nclass\n    pass\n\n\n",
    "javascript": "function f( {\n  return [1;\n}\nlet x = ;\nif (x) {\n  y(]);\n\n// )\nlet s = '(';\n",
    "go": "package a\nfunc f() {\n\tx := (1\n}\nfunc g( {\n}\nvar y int = \n",
    "json": '{"a": [1, 2,\n "b": }\n',
    "c": "int f() {\n  return 1\n}\nint g(;\nstruct a { int b }\n",
    "rust": "fn f() {\n    let x = (1;\n    y\n",
}


def errors_in_windows() -> Iterator[str]:
    """Yield the errors in every range of lines."""
    for language_id, text in BROKEN.items():
        lines = _lines(text)
        for start in range(len(lines)):
            for end in (start, start + 1, start + 3, len(lines)):
                found = find_errors(lines, language_id, start, end)
                yield f"{language_id} {start}-{end}: {'; '.join(f'{each.line} {each.what}' for each in found)}"


INNER = """\
@near.cached
class Outer:
    '''Doc
    of it'''

    def method(self, a=1):  # words
        text = '''first
        second {a}'''
        def inner(): return f'{a!r} {"%s" % a}'
        if a: raise ValueError('x')
        return inner() + 'é' + text

    x = 1
def after(): pass
"""


def windows() -> Iterator[str]:
    """Yield the results for every range of lines of a document."""
    lines = _lines(INNER)
    for start in range(len(lines)):
        for end in range(start + 1, len(lines) + 1, 2):
            code = scope_code(lines, "python", start, end)
            facts = code_facts(lines, "python", Scope("block", "n", start, end))
            assert facts
            yield f"{start}-{end}: {code.first_line} {list(code.code)} {[f'{x.line} {x.text}' for x in code.literals]}"
            yield f"    {' '.join(map(shown, code.definitions or ()))}"
            yield f"    {' '.join(each.name if not each.is_member else each.owner + '.' + each.name for each in names_used(lines, 'python', start, end))}"
            yield f"    {facts.kind} {facts.name} {facts.has_errors} {' '.join(map(shown, facts.definitions))}"
            yield f"    {' '.join(f'{each.name}/{each.role}/{each.scope}' for each in facts.identifiers)}"
            yield f"    {' '.join(map(shown, facts.format_expressions))} {' '.join(map(shown, facts.name_scopes))}"
            yield f"    {sorted(facts.words_outside)} {sorted(facts.keywords_outside)}"


def names_at_places() -> Iterator[str]:
    """Yield the identifier at each place of a document."""
    for language_id, text in (("python", INNER), ("javascript", SCRIPT_ANSWER)):
        source = parse(language_id, _lines(text))
        assert source
        for line, row in enumerate(text.split("\n")):
            found = [identifier_at(source, line, column) for column in range(len(row) + 1)]
            yield f"{line}: {' '.join(dict.fromkeys(shown(each) for each in found if each))}"


VERSIONS = (
    "",
    "a\n",
    "a\nb\nc\n",
    "a\nb1\nc\n",
    "a\r\nb\r\nc",
    "é\nbé\nc🎉\n",
    "é\nbè\nc🎊\n",
    "x\na\nb\nc\nd\n",
    "c\nb\na\n",
    "a\n\n\nb\nc",
)


def edits_for_the_parser() -> Iterator[str]:
    """Yield the byte edits from each version to each other version."""
    for old, new in product(VERSIONS, VERSIONS):
        before = _lines(old)
        for after in (_lines(new), before.spliced(0, len(before), split_lines(new))):
            yield f"{old!r} {new!r}: {[tuple(each) for each in byte_edits(before, after)]}"


COMMENTS = (
    *(
        "# ai: one",
        "#ai:two",
        "## AI: three",
        "#! ai: four",
        "# ai:",
        "# ai :x",
        "x  # ai: y",
        "// ai: five",
        "/// ai: six",
    ),
    *(
        "/* ai: seven */",
        "/** ai: eight **/",
        "<!-- ai: nine -->",
        "-- ai: ten",
        "--[[ ai: x ]]",
        "; ai: y",
        ";; ai: z",
    ),
    *(
        "% ai: p",
        '" ai: v',
        "' ai: b",
        "! ai: f",
        "rem ai: r",
        ":: ai: r2",
        "{- ai: h -}",
        "(* ai: o *)",
        "<# ai: w #>",
    ),
    *("{/* ai: jsx */}", "{ ai: pas }", "//ai:g!", "//! ai: in", "#: ai: no", "/* ai: a */ b"),
)
COMMENTED = (
    *(
        "python",
        "go",
        "html",
        "vue",
        "css",
        "lua",
        "sql",
        "clojure",
        "latex",
        "php",
        "nix",
        "powershell",
        "haskell",
        "ada",
    ),
    *(
        "fsharp",
        "go.mod",
        "ocaml",
        "pascal",
        "vim",
        "ini",
        "vb",
        "fortran",
        "bat",
        "javascriptreact",
        "nothing",
    ),
)


def instruction_comments() -> Iterator[str]:
    """Yield the instruction comments of texts in each language, and those found in ranges."""
    for language_id in COMMENTED:
        found = (find_instruction_comment([f"  {each}\n"], language_id, (0, 1)) for each in COMMENTS)
        yield f"{language_id}: {' | '.join(each[1] if each else '-' for each in found)}"
    lines = ["# ai: a\n", "x\n", "# ai: b\n", "y\n", "\n", "# ai: c"]
    for start, end in product(range(-1, 8), range(-1, 8)):
        yield f"{start} {end}: {find_instruction_comment(lines, 'python', (start, end))}"


DATA = (
    *(
        "",
        "  \n",
        "{}",
        '{"a": 1}',
        '{"a": 1,}',
        "[1, 2, // x\n3]",
        '/* c */ {"a": "// no"}',
        '{"a": NaN}',
        "{'a': 1}",
        "[1,]",
    ),
    *(
        '\ufeff{"a": 1}',
        '{"a": "\\""}',
        "[" * 100_000,
        "a = 1\n",
        "a = 1\r\nb = [\r\n1]\r\n",
        "a = ",
        "[t]\n[t]\n",
        '{"a": 1} x',
    ),
    *('{"a": "x, ]"}', '{"a": 1 /* open', '["a" // b', "// only a comment", "\ufeffa = 1"),
)


def counted_by_libraries() -> Iterator[str]:
    """Yield the error counts of pairs of texts by the parsers of Python's library."""
    names = (
        ("json", "a.json"),
        ("json", "x/tsconfig.base.json"),
        ("json", ".vscode/settings.json"),
        ("jsonc", "a"),
        ("toml", "a"),
    )
    for language_id, path in (*names, ("yaml", "a")):
        for before in ("", "{}", "[1, // c\n2]", "[1,]", "x"):
            found = [_counted(before, after, language_id, path) for after in DATA]
            yield f"{language_id} {path} {before!r}: {' '.join(found)}"


def _counted(before: str, after: str, language_id: str, path: str) -> str:
    counts = asyncio.run(count_errors_by_library([before], [after], language_id, path))
    return "".join("-" if each is None else str(each) for each in counts)


def limits() -> Iterator[str]:
    """Yield the results at each limit of length, depth or count, and just below and above it."""
    yield from _limits_of_documents()
    yield from _limits_of_functions()
    yield from _limits_of_names()


def _limits_of_documents() -> Iterator[str]:
    for n in (499, 500, 501):
        for above in (0, 7):
            lines = _lines("x = 1\n" * (n + above))
            code = scope_code(lines, "python", above, above + n)
            yield f"scope of {n} lines below {above}: {code.definitions}"
        commented = find_scope(_lines("#\n" * n + "def f(): pass\n"), "python", ((n, 0), (n, 0)))
        yield f"comments of {n} lines: {shown(commented)}"
        names = unknown_names(
            [""],
            lines := _lines("json; " * n + "\n"),
            "python",
            old=ScopeCode(0),
            new=scope_code(lines, "python", 0, 1),
        )
        yield f"{n} places: {shown(names)}"
    for n in (99, 100, 101):
        lines = _lines("x = 1\n" * (n + 7))
        yield f"facts of {n} lines: {code_facts(lines, 'python', Scope('block', None, 7, 7 + n)) is None}"
    for n in (15_999, 16_000, 16_001):
        lines = _lines("x = 1\n#" + "y" * (n - 3) + "\n\n")
        yield f"facts of {n} characters: {code_facts(lines, 'python', Scope('block', None, 1, 2)) is None}"
    for n in (65_534, 65_535, 65_536):
        lines = _lines("x = 1\n#" + "\n# 456789" * ((n - 7) // 9) + "y" * ((n - 7) % 9))
        known = (
            is_tree_ready("python", lines),
            parse("python", lines) is None,
            symbols_of(lines, "python") is None,
        )
        yield f"{n} bytes: {lines.n_bytes} {known}"


def _limits_of_functions() -> Iterator[str]:
    for n in range(90, 95):
        nested = f"def f(a, b):\n    return {'(' * n}a.c < b.d and e(a) or g{')' * n}\n"
        file = read_symbols(nested, "python", mark=fingerprint_of)
        yield f"{n} parentheses: {file and file.symbols[0].mark is None}"
    for n in range(664, 668):
        long = "def f(a, b):\n" + "    a.b(1, c)\n" * n + "    return a < b\n"
        file = read_symbols(long, "python", mark=fingerprint_of)
        yield f"{n} statements: {file and file.symbols[0].mark is None}"
    for n in (31, 32, 33, 34):
        nested = "".join(f"{' ' * at}def f{at}():\n" for at in range(n)) + " " * n + "pass\n"
        lines = _lines(nested)
        found = scope_code(lines, "python", 0, len(lines)).definitions or ()
        yield f"{n} functions: {len(enclosing_scopes(lines, 'python', n, n))} {len(found)} {len(found[-1].within)}"
    for n in (4_999, 5_000, 5_001):
        file = read_symbols("".join(f"x{at} = 1\n" for at in range(n)), "python")
        yield f"{n} values: {file and len(file.symbols)}"
    for n in (11, 12, 13):
        file = read_symbols("def f(\n" + "    a,\n" * n + "): pass\n", "python")
        yield f"{n} lines of a signature: {file and file.symbols[0].signature!r}"


def _limits_of_names() -> Iterator[str]:
    for n in (159, 160, 161, 599, 600, 601, 999, 1000, 1001):
        file = read_symbols(
            f"x = '{'y' * (n - 6)}'\nclass A({'z' * (n - 10)}): pass\nimport {'i' * (n - 7)}\n", "python"
        )
        yield f"{n} characters: {file and [len(each.signature) for each in file.symbols]} {file and len(file.imports[0])}"
    for n in (499, 500, 501):
        text = f"function {'n' * n}() {{}}\nlet {'r' * (n * 2 - 20)} = require('x');"
        scopes = enclosing_scopes(_lines(text), "javascript", 0, 3)
        yield f"name of {n}: {[(each.kind, len(each.name or '')) for each in scopes]}"
    for n in (980, 981, 982):
        lines = _lines("let " + "r" * n + " = require(1);")
        yield f"binding of {n}: {len(import_statements(lines, 'javascript'))}"
    for n in (198, 199, 200, 201, 202, 203):
        lines = _lines('{"' + "k" * n + '": {\n"a": 1\n}}\n')
        yield f"key of {n}: {[len(each.name or '') for each in enclosing_scopes(lines, 'json', 1, 0)]}"
    for n in (39, 40, 41):
        lines = _lines("x = 1\ndef " + "q" * (n - 4) + " +\n")
        yield f"unreadable {n}: {shown(find_errors(lines, 'python', 0, 2))}"
    for n in (99, 100, 101, 102):
        lines = _lines("x = 1 1\n\n" * n)
        yield f"{n} errors: {len(find_errors(lines, 'python', 0, 2 * n))}"
    for n in (19_998, 19_999, 20_000, 20_001):
        yield f"line of {n}: {parse('python', _lines('#' * n)) is None}"


RECORDS: Mapping[str, Callable[[], Iterator[str]]] = {
    "names_and_imports": names_and_imports,
    "written_again": written_again,
    "fingerprints": fingerprints,
    "selections": selections,
    "errors_in_windows": errors_in_windows,
    "windows": windows,
    "names_at_places": names_at_places,
    "edits_for_the_parser": edits_for_the_parser,
    "instruction_comments": instruction_comments,
    "counted_by_libraries": counted_by_libraries,
    "limits": limits,
    "blank_lines": blank_lines,
    "imports_at_edges": imports_at_edges,
}


def recorded(name: str) -> list[str]:
    """Read a record."""
    return (FOLDER / f"{name}.record").read_text("utf-8").split("\n")[:-1]


def main(names: Sequence[str]) -> None:
    """Write the records."""
    for name in names:
        text = "\n".join(RECORDS[name]())
        (FOLDER / f"{name}.record").write_text(text + "\n", "utf-8")


if __name__ == "__main__":
    main(list(RECORDS))
