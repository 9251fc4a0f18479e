"""Imports that are added to JavaScript and TypeScript files: before, statement, after."""

from __future__ import annotations

import pytest
from tests.syntax.imports.added import NO, SAME, added, statements_added


@pytest.mark.parametrize(
    ("before", "statement", "after"),
    [
        ("import { b } from 'x';\n", 'import {a, c} from "x"', "import { a, b, c } from 'x';\n"),
        ("import {b} from 'x'\n", "import {c} from 'x'", "import {b, c} from 'x'\n"),
        (
            "import {\n  b,\n  d,\n} from 'x'\n",
            "import {c} from 'x'",
            "import {\n  b,\n  c,\n  d,\n} from 'x'\n",
        ),
        (
            "import {\n  b,\n  d\n} from 'x'\n",
            "import {e} from 'x'",
            "import {\n  b,\n  d,\n  e\n} from 'x'\n",
        ),
        ("import D from 'x'\n", "import { a } from 'x'", "import D, { a } from 'x'\n"),
        ("import { a } from 'x'\n", "import D from 'x'", "import D, { a } from 'x'\n"),
        ("import D, {a} from 'x'\n", "import {b as c} from 'x'", "import D, {a, b as c} from 'x'\n"),
        (
            "import * as N from 'x'\n",
            "import {a} from 'x'",
            "import * as N from 'x'\nimport { a } from 'x'\n",
        ),
        (
            "import {a} from 'x' // eslint-disable-line\n",
            "import {b} from 'x'",
            "import {a} from 'x' // eslint-disable-line\nimport {b} from 'x'\n",
        ),
        ("import a from 'a'\n", "import b from 'b';", "import a from 'a'\nimport b from 'b'\n"),
        ('import a from "a";\n', "import b from 'b'", 'import a from "a";\nimport b from "b";\n'),
        ("import a from './a'\n", "import b from 'b'", "import b from 'b'\nimport a from './a'\n"),
        (
            "import fs from 'node:fs'\n",
            "import os from 'os'",
            "import fs from 'node:fs'\nimport os from 'node:os'\n",
        ),
        ("import fs from 'fs'\n", "import os from 'node:os'", "import fs from 'fs'\nimport os from 'os'\n"),
        ("import fs from 'fs'\n", "import fs from 'node:fs'", SAME),
        ("import * as fs from 'fs'\n", "import fs from 'node:fs'", SAME),
        ("import 'side'\n", "import 'side'", SAME),
        ("import a from 'a'\n", "import 'side'", "import a from 'a'\nimport 'side'\n"),
        (
            "'use strict'\n\nfoo()\nexport {}\n",
            "import a from 'a'",
            "'use strict'\n\nimport a from 'a'\n\nfoo()\nexport {}\n",
        ),
        (
            "'use client'\n\nimport b from 'b'\n",
            "import a from 'a'",
            "'use client'\n\nimport b from 'b'\nimport a from 'a'\n",
        ),
        (
            "#!/usr/bin/env node\nexport const x = 1\n",
            "import a from 'a'",
            "#!/usr/bin/env node\nimport a from 'a'\n\nexport const x = 1\n",
        ),
        (
            "/* eslint-disable */\nimport b from 'b'\n",
            "import c from 'c'",
            "/* eslint-disable */\nimport b from 'b'\nimport c from 'c'\n",
        ),
        (
            "/** @license MIT */\n\n/** Doc. */\nexport function f() {}\n",
            "import a from 'a'",
            "/** @license MIT */\n\nimport a from 'a'\n\n/** Doc. */\nexport function f() {}\n",
        ),
        (
            "export const a = 1\nimport b from 'b'\n",
            "import c from 'c'",
            "import c from 'c'\n\nexport const a = 1\nimport b from 'b'\n",
        ),
        ("", "import a from 'a'", "import a from 'a'\n"),
        ("import a from 'a'", "import b from 'b'", "import a from 'a'\nimport b from 'b'"),
        (
            "import a from 'a'\r\nx()\r\n",
            "import b from 'b'",
            "import a from 'a'\r\nimport b from 'b'\r\nx()\r\n",
        ),
        (
            "const a = require('a')\n",
            "const b = require('b')",
            "const a = require('a')\nconst b = require('b')\n",
        ),
        (
            "var a = require('a');\n",
            'const b = require("b")',
            "var a = require('a');\nvar b = require('b');\n",
        ),
        (
            "const { a } = require('x')\n",
            "const { b: c } = require('x')",
            "const { a, b: c } = require('x')\n",
        ),
        ("const a = require('a')\n", "import b from 'b'", NO),
        ("import a from 'a'\n", "const b = require('b')", NO),
        ("foo()\n", "import b from 'b'", NO),
        ("module.exports = 1\n", "import b from 'b'", NO),
        ("module.exports = 1\n", "const b = require('b')", "const b = require('b')\n\nmodule.exports = 1\n"),
    ],
)
def test_a_javascript_import_is_added(before: str, statement: str, after: str) -> None:
    assert added("javascript", before, statement) == after
    assert added("javascriptreact", before, statement) == after


@pytest.mark.parametrize(
    ("before", "statement", "after"),
    [
        ("import type { B } from 'x';\n", "import type { A } from 'x'", "import type { A, B } from 'x';\n"),
        (
            "import { a } from 'x';\n",
            "import type { T } from 'x'",
            "import { a } from 'x';\nimport type { T } from 'x';\n",
        ),
        (
            "import { a, type B } from 'x';\n",
            "import type { T } from 'x'",
            "import { a, type B, type T } from 'x';\n",
        ),
        (
            "import type { B } from 'x';\n",
            "import { a, type T } from 'x'",
            "import type { B, T } from 'x';\nimport { a } from 'x';\n",
        ),
        ("import { a } from 'x';\n", "import { type T } from 'x'", "import { a, type T } from 'x';\n"),
        ("import { T } from 'x';\n", "import type { T } from 'x'", SAME),
        ("import type { T } from 'x';\n", "import { T } from 'x'", NO),
        (
            "import type D from 'x';\n",
            "import type { T } from 'x'",
            "import type D from 'x';\nimport type { T } from 'x';\n",
        ),
        (
            "import fs = require('fs');\n",
            "import { a } from 'x'",
            "import fs = require('fs');\nimport { a } from 'x';\n",
        ),
        ("import fs = require('fs');\n", "import fs from 'fs'", NO),
        ("const x = 1\n", "import { a } from 'x'", "import { a } from 'x'\n\nconst x = 1\n"),
        ("interface A {}\n", "import { A } from 'x'", NO),
        ("type A = B\n", "import { A } from 'x'", NO),
        ("enum A {}\n", "import { A } from 'x'", NO),
        (
            "function f<A>(x: A) {}\n",
            "import { A } from 'x'",
            "import { A } from 'x'\n\nfunction f<A>(x: A) {}\n",
        ),
    ],
)
def test_a_typescript_import_is_added(before: str, statement: str, after: str) -> None:
    assert added("typescript", before, statement) == after
    assert added("typescriptreact", before, statement) == after


@pytest.mark.parametrize(
    "statement",
    [
        "import a from 'https://x.org/a.js'",
        "import a from 'npm:a'",
        "import a from 'data:text/javascript,1'",
        "import a from './a.json' with { type: 'json' }",
        "export { a } from 'a'",
        "export * from 'a'",
        "const a = 1",
        "const a = require('a').b",
        "const { a = 1 } = require('a')",
        "const a = await import('a')",
        "import('a')",
        "import { b } from 'y'",
        "import { f } from 'y'",
        "import { C } from 'y'",
        "import { g } from 'y'",
        "import { h } from 'y'",
        "import { Map } from 'immutable'",
        "import {",
    ],
)
def test_an_uncertain_statement_is_refused(statement: str) -> None:
    text = "import { b } from 'x'\nfunction f(a) {}\nexport class C {}\nexport const g = 1, [h] = x\n"
    assert added("javascript", text, statement) == NO


def test_a_name_bound_inside_a_function_is_no_conflict() -> None:
    text = "import { b } from 'x'\nexport const f = (path) => { const x = path }\nfunction g() { let path }\n"
    assert added("javascript", text, "import path from 'path'") == f"import path from 'path'\n{text}"


def test_statements_have_the_style_of_the_file() -> None:
    text = "import {a} from 'x'\n"
    assert statements_added("typescript", text, 'import { b, a } from "y/z";', 'import {a} from "x"') is None
    assert statements_added("typescript", text, 'import { b, a } from "x";') == ("import {b} from 'x'",)
