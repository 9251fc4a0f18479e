"""Undefined names, and the imports that would define them; uncertain cases are not reported."""

from __future__ import annotations

import heapq
import inspect
import shlex

import pytest

from twospeed.syntax.definitions.symbols import symbols_of
from twospeed.syntax.scopes.scope_code import scope_code
from twospeed.syntax.unresolved.missing_imports import import_for
from twospeed.syntax.unresolved.unresolved_names import MAX_PLACES, UndefinedName, unknown_names
from twospeed.text.code.symbols import FileSymbols, Symbol, SymbolPlace
from twospeed.text.edits import apply_line_edits
from twospeed.text.line_blocks import Lines
from twospeed.text.lines import split_lines

FILE = """\
'''A shop.'''

import math


def total(items):
    return sum(items)
"""


def unknown(
    answer: str, *, above: str = FILE, below: str = "", old: str = "", language: str = "python"
) -> list[UndefinedName]:
    """Put an answer between some lines, in the place of ``old``."""
    before, after = (Lines.of(split_lines(f"{above}{text}{below}")) for text in (old, answer))
    start = above.count("\n")
    ends = start + old.count("\n"), start + answer.count("\n")
    old_code, new_code = (
        scope_code(lines, language, start, end) for lines, end in zip((before, after), ends, strict=True)
    )
    return list(unknown_names(before, after, language, old=old_code, new=new_code))


def names(answer: str, **more: str) -> list[str]:
    return [each.name for each in unknown(answer, **more)]


def test_an_undefined_name_is_reported_with_its_members() -> None:
    assert unknown("def dump(items):\n    return json.dumps(json.loads(items))\n") == [
        UndefinedName("json", 8, ("dumps", "loads"), is_bare=False)
    ]


@pytest.mark.parametrize(
    "answer",
    [
        "def area(r):\n    return math.pi * r\n",
        "def area(r):\n    import json\n    return json.dumps(r)\n",
        "def f(items):\n    return [each for each in items if (found := each)], found\n",
        "def f(*args, key=None, **more):\n    return args, key, more\n",
        "def f(x):\n    try:\n        return x\n    except ValueError as error:\n        raise RuntimeError from error\n",
        "def f(x):\n    match x:\n        case {'a': b, **rest}:\n            return b, rest\n        case [first, *others]:\n            return first, others\n",
        "def f(x):\n    return total(x), __name__, print, _(x)\n",
        "def f(x):\n    x.json.loads(key=1)\n    return f'{x!r}'\n",
        "def f[T](x: T) -> T:\n    type Pair = tuple[T, T]\n    return x\n",
        "class A:\n    size = 3\n\n    def f(self):\n        return size\n",
        "def f():\n    global counter\n    counter = 1\n    return counter\n",
        "def outer():\n    def inner():\n        return late\n    late = 1\n    return inner\n",
        "def f(x):\n    return f'{(size := x)}', size\n",
        "lines = [line for line in open('a') for word in line.split() if word]\n",
    ],
)
def test_a_bound_name_is_not_reported(answer: str) -> None:
    assert names(answer) == []


def test_a_name_used_elsewhere_in_the_file_is_not_reported() -> None:
    assert names("def f():\n    return settings\n", below="\n\ndef g():\n    return settings\n") == []
    assert names(
        "def f():\n    return json.x\n", below="\n\ndef g(x):  # json\n    return x.json(json=1), 'json'\n"
    ) == ["json"]


def test_an_undefined_name_of_the_old_lines_is_not_reported() -> None:
    assert names("def f():\n    return settings + 1\n", old="def f():\n    return settings\n") == []


def test_an_undefined_name_on_an_unchanged_line_is_not_reported() -> None:
    old = "def f():\n    return settings\n"
    assert names(f"{old}\n\ndef g():\n    return json.x\n", old=old) == ["json"]


def test_the_number_of_checked_places_is_limited() -> None:
    answer = "def f():\n    return json.x\n"
    comments = "# json\n" * (MAX_PLACES - 10)
    assert names(answer, below=comments) == ["json"]
    assert names(answer, below=comments * 2) == []


def test_a_removed_import_makes_its_name_undefined() -> None:
    assert names(
        "def f(x):\n    return json.dumps(x)\n", old="import json\n\n\ndef f(x):\n    return json.dumps(x)\n"
    ) == ["json"]


@pytest.mark.parametrize(
    "above", ["from os.path import *\n", "globals()['json'] = 1\n", "exec('import json')\n"]
)
def test_a_file_with_dynamic_names_has_no_undefined_names(above: str) -> None:
    assert names("def f(x):\n    return json.dumps(x)\n", above=above) == []


def test_broken_code_has_no_undefined_names() -> None:
    assert names("def f(x:\n    return json.dumps(x)\n") == []


@pytest.mark.parametrize("module", [heapq, shlex], ids=lambda module: module.__name__)
def test_a_function_of_the_standard_library_has_no_undefined_name(module: object) -> None:
    lines = Lines.of(split_lines(inspect.getsource(module)))  # type: ignore[arg-type]
    file = symbols_of(lines, "python")
    assert file
    for each in file.symbols:
        if each.kind == "function":
            without = Lines.of((*lines[: each.start], *lines[each.end :]))
            old = scope_code(without, "python", each.start, each.start)
            new = scope_code(lines, "python", each.start, each.end)
            assert not unknown_names(without, lines, "python", old=old, new=new)


GO = 'package shop\n\nimport (\n\t"fmt"\n\t"strings"\n)\n\n'


def test_an_unimported_package_of_go_is_reported() -> None:
    answer = "func Show(x []int) {\n\tsort.Ints(x)\n\tfmt.Println(x, other.Thing, local.field)\n}\n"
    assert names(answer, above=GO, language="go") == ["sort"]
    assert names("func Show(sort Sorter) {\n\tsort.Ints(1)\n}\n", above=GO, language="go") == []


@pytest.mark.parametrize(
    ("language", "above", "answer", "found"),
    [
        (
            "rust",
            "use std::fmt;\n",
            "fn f() -> HashMap<u8, Arc<u8>> { HashMap::new() }\n",
            ["HashMap", "Arc"],
        ),
        ("rust", "use a::HashMap;\n", "fn f() -> HashMap<u8, u8> { HashMap::new() }\n", []),
        ("rust", "use a::*;\n", "fn f() -> HashMap<u8, u8> { HashMap::new() }\n", []),
        ("rust", "", "fn f() { use std::collections::HashMap;\n    let a = HashMap::new(); }\n", []),
        ("rust", "", "fn f() { use std::rc::Rc;\n    let a = Rc::new(1); }\n", []),
        ("rust", "", "fn f() { let a = sync::Arc::new(1); }\n", []),
        ("rust", "", "struct Rc {}\nfn f(a: Rc) {}\n", []),
        (
            "java",
            "class A {\n",
            "    List<Map<A, B>> f() { return new ArrayList<>(); }\n}\n",
            ["List", "Map", "ArrayList"],
        ),
        ("java", "import b.*;\nclass A {\n", "    List<B> f() { return null; }\n}\n", []),
        ("java", "class A {\n", "    b.List f() { return x.Files; }\n}\n", []),
        ("java", "", 'class Stream { String f() { return "List"; } }\n', []),
        (
            "c",
            "#include <stdlib.h>\n",
            'void f(void) { printf("x"); uint8_t a = strlen("x"); }\n',
            ["printf", "uint8_t", "strlen"],
        ),
        ("c", '#include "a.h"\n', 'void f(void) { printf("x"); }\n', []),
        ("c", "", "double sqrt(double x) { return a.floor; }\n", []),
        ("c", "", "void f(void) { double floor = 1; }\n", []),
        ("cpp", "#include <map>\n", "std::vector<int> f() { std::sort(a); string b; }\n", ["vector", "sort"]),
        ("cpp", "#include <boost/any.hpp>\n", "std::vector<int> f() {}\n", []),
    ],
)
def test_a_name_of_the_standard_library_is_reported(
    language: str, above: str, answer: str, found: list[str]
) -> None:
    below = "}\n" if answer.count("{") + above.count("{") > answer.count("}") else ""
    assert names(answer, above=above, below=below, language=language) == found


@pytest.mark.parametrize(
    ("language", "text", "name", "wanted"),
    [
        (
            "rust",
            "use std::collections::{BTreeMap, HashSet};\n",
            "HashMap",
            "use std::collections::{BTreeMap, HashMap, HashSet};\n",
        ),
        ("java", "import java.util.Map;\n", "List", "import java.util.List;\nimport java.util.Map;\n"),
        ("c", "#include <stdlib.h>\n", "printf", "#include <stdlib.h>\n#include <stdio.h>\n"),
        ("cpp", "#include <map>\n", "vector", "#include <map>\n#include <vector>\n"),
        ("cpp", "#include <vector>\n", "vector", None),
        ("rust", "", "Unknown", None),
    ],
)
def test_a_name_of_the_standard_library_is_imported(
    language: str, text: str, name: str, wanted: str | None
) -> None:
    assert added(text, UndefinedName(name, 0), language=language) == wanted


def test_a_name_of_the_workspace_is_not_imported_from_the_standard_library() -> None:
    own = place("a.rs", "HashMap", language="rust")
    assert added("", UndefinedName("HashMap", 0), own, language="rust") is None


def test_an_unimported_module_of_node_is_reported() -> None:
    above = "import path from 'node:path'\n\n"
    answer = "export function read(name) {\n  return fs.readFileSync(path.join(window.base, name))\n}\n"
    found = unknown(answer, above=above, language="javascript")
    assert [each.name for each in found if each.name == "fs"] == ["fs"]
    assert "fs" not in names(
        "export function read(fs) {\n  return fs.readFileSync(1)\n}\n", above=above, language="javascript"
    )


def test_a_name_may_have_a_dollar_in_it_and_be_spread() -> None:
    answer = "export function read(items) {\n  return [...others, $items, items$, items]\n}\n"
    assert names(answer, above="", language="javascript") == ["others", "$items", "items$"]


# Imports


def place(path: str, name: str, signature: str = "", language: str = "python") -> SymbolPlace:
    return SymbolPlace(path, FileSymbols(language, (Symbol("function", name, signature, 0, 2),)), 0)


def added(
    text: str, name: UndefinedName, *places: SymbolPlace, path: str = "shop.py", language: str = "python"
) -> str | None:
    lines = split_lines(text)
    new = import_for(name, lines, language, path, lambda _word: places)
    return "".join(apply_line_edits(lines, [new.edit], "\n")) if new else None


JSON = UndefinedName("json", 0, ("dumps",))


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("import math\n\n\nx = 1\n", "import json\nimport math\n\n\nx = 1\n"),
        ("'''Doc.'''\n\nx = 1\n", "'''Doc.'''\n\nimport json\n\nx = 1\n"),
        (
            "#!/usr/bin/python\n# coding: utf-8\nx = 1\n",
            "#!/usr/bin/python\n# coding: utf-8\nimport json\n\nx = 1\n",
        ),
        ("x = 1\n", "import json\n\nx = 1\n"),
        (
            "from a import (\n    b,\n    c,\n)\n\nx = 1\n",
            "import json\n\nfrom a import (\n    b,\n    c,\n)\n\nx = 1\n",
        ),
        (
            "from __future__ import annotations\nx = 1\n",
            "from __future__ import annotations\n\nimport json\nx = 1\n",
        ),
    ],
)
def test_an_import_is_inserted_in_the_order_of_the_other_imports(text: str, wanted: str) -> None:
    assert added(text, JSON) == wanted


def test_an_import_has_the_line_end_of_its_file() -> None:
    assert added("import math\r\nx = 1\r\n", JSON) == "import json\r\nimport math\r\nx = 1\r\n"


@pytest.mark.parametrize(
    ("name", "statement"),
    [
        (UndefinedName("Path", 0, is_bare=True), "from pathlib import Path"),
        (UndefinedName("datetime", 0, ("now",)), "from datetime import datetime"),
        (UndefinedName("datetime", 0, ("timedelta",)), "import datetime"),
    ],
)
def test_a_name_of_the_standard_library_is_imported_from_its_module(
    name: UndefinedName, statement: str
) -> None:
    assert added("import copy\n", name) == f"import copy\n{statement}\n"


@pytest.mark.parametrize(
    "name",
    [
        UndefinedName("json", 0, is_bare=True),
        UndefinedName("datetime", 0, ("now", "timedelta")),
        UndefinedName("settings", 0),
        UndefinedName("code", 0, ("x",)),
    ],
)
def test_an_ambiguous_name_has_no_import(name: UndefinedName) -> None:
    assert added("import math\n", name) is None


@pytest.mark.parametrize(
    ("text", "path", "where", "statement"),
    [
        ("from .area import Cart\n", "shop/till.py", "shop/billing.py", "from .billing import total"),
        (
            "from shop.cart import Cart\n",
            "shop/till.py",
            "shop/money/billing.py",
            "from shop.money.billing import total",
        ),
        ("import a\n", "till.py", "billing.py", "from billing import total"),
        (
            "from shop import cart\n",
            "src/shop/till.py",
            "src/shop/a/billing.py",
            "from shop.a.billing import total",
        ),
    ],
)
def test_the_only_definition_is_imported_the_way_the_file_imports(
    text: str, path: str, where: str, statement: str
) -> None:
    assert (
        added(text, UndefinedName("total", 0, is_bare=True), place(where, "total"), path=path)
        == f"{text}{statement}\n"
    )


def test_a_name_with_two_definitions_has_no_import() -> None:
    places = place("billing.py", "total"), place("money.py", "total")
    assert added("import math\n", UndefinedName("total", 0, is_bare=True), *places) is None


def test_a_definition_without_an_example_in_the_file_has_no_import() -> None:
    assert (
        added(
            "import math\n",
            UndefinedName("total", 0, is_bare=True),
            place("lib/money.py", "total"),
            path="app/a.py",
        )
        is None
    )


@pytest.mark.parametrize(
    ("text", "language", "wanted"),
    [
        (
            "import a from 'a'\n\nx()\n",
            "typescript",
            "import * as fs from 'node:fs'\nimport a from 'a'\n\nx()\n",
        ),
        (
            'const a = require("a");\nx();\n',
            "javascript",
            'const fs = require("fs");\nconst a = require("a");\nx();\n',
        ),
        ("x()\n", "javascript", None),
    ],
)
def test_a_module_of_node_is_imported_the_way_the_file_imports(
    text: str, language: str, wanted: str | None
) -> None:
    assert added(text, UndefinedName("fs", 0, ("readFileSync",)), language=language, path="a.js") == wanted


def test_an_export_is_imported_from_its_file() -> None:
    found = place("src/money/total.ts", "total", "export function total(items)", "typescript")
    name = UndefinedName("total", 0, is_bare=True)
    text = 'import { a } from "./a";\n'
    wanted = f'{text}import {{ total }} from "../money/total";\n'
    assert added(text, name, found, language="typescript", path="src/cart/cart.ts") == wanted
    hidden = place("src/money/total.ts", "total", "function total(items)", "typescript")
    assert added(text, name, hidden, language="typescript", path="src/cart/cart.ts") is None


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        (
            'package a\n\nimport (\n\t"fmt"\n\t"strings"\n)\n',
            'package a\n\nimport (\n\t"fmt"\n\t"sort"\n\t"strings"\n)\n',
        ),
        ('package a\n\nimport "fmt"\n', 'package a\n\nimport "fmt"\nimport "sort"\n'),
        ("package a\n\nfunc f() {}\n", 'package a\n\nimport "sort"\n\nfunc f() {}\n'),
    ],
)
def test_a_package_of_go_is_inserted_in_order(text: str, wanted: str) -> None:
    assert added(text, UndefinedName("sort", 0, ("Ints",)), language="go", path="a.go") == wanted
