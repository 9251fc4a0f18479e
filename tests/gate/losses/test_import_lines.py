"""The names that a line imports in each language, and whether other lines use them."""

from __future__ import annotations

from twospeed.gate.losses.import_lines import imported_names, is_used, newly_imported

NAMES = {
    ("import java.util.List;", "java"): ("List",),
    ("import static java.util.Map.entry;", "java"): ("entry",),
    ("import shop.Cart", "kotlin"): ("Cart",),
    ("import shop.{Cart, Item as Thing}", "scala"): ("Cart", "Thing"),
    ("import shop.Cart", "python"): (),
    ("importer.run()", "java"): (),
    ("use App\\Models\\User;", "php"): ("User",),
    ("use App\\{User, Cart as Basket};", "php"): ("User", "Basket"),
    ("user.save();", "php"): (),
    ("use std::fmt::Display;", "rust"): ("Display",),
    ("pub use shop::{cart::Cart, item};", "rust"): ("Cart", "item"),
    ("use std::fmt", "perl"): (),
    ("using System.Linq;", "csharp"): (),
    ("#include <vector>", "cpp"): ("vector",),
    ("# include <vector>", "cpp"): ("vector",),
    ("#include <vector>", "c"): (),
    ('#include "cart.h"', "cpp"): (),
    ('import "os"', "go"): ("os",),
    ('"net/http"', "go"): ("http",),
    ('files "os"', "go"): ("files",),
    ('"example.org/shop/v2"', "go"): ("shop",),
    ('"gopkg.in/yaml.v3"', "go"): ("yaml",),
    ('"os"', "java"): (),
    ("import Data.Map (Map, toList)", "haskell"): ("Map", "toList"),
    ("import qualified Data.Map as M", "haskell"): ("M",),
    ("import Data.Map", "haskell"): (),
    ("main = run", "haskell"): (),
    ("const { read, write } = require('fs');", "javascript"): ("read", "write"),
    ("local json = require('json')", "lua"): ("json",),
    ("const read = 1;", "javascript"): (),
    ("import './a.css';", "javascript"): (),
    ("export { read } from './files';", "javascript"): (),
    ("import x from y", "python"): (),
}
"""The names that an import line of a language defines."""


def test_an_import_line_defines_the_names_that_code_uses() -> None:
    scripts = {
        (line, language_id): names
        for language_id in ("javascript", "javascriptreact", "typescript", "typescriptreact")
        for line, names in {
            "import read from './files';": ("read",),
            "import { read, write as put } from './files';": ("read", "put"),
            "import type { File } from './files';": ("File",),
            "import * as files from './files';": ("files",),
        }.items()
    }
    every = NAMES | scripts
    assert {each: imported_names(*each) for each in every} == every


def test_a_name_is_used_unless_another_import_may_define_it() -> None:
    used = {
        ("x = read(a)",): True,
        ("x = a.read",): False,
        ("reader(a)",): False,
        ("// read all", "# read all", "/* read", " * read", "-- read"): False,
        ("use(read);", "import { read } from './b'"): False,
        ("use(read);", "import { write } from './b'"): True,
        ("use(read);", "from b import *"): False,
        ("use(read);", "use super::*;"): True,
        ("use(read);", "import b._"): False,
        ("use(read);", "const all = require('b') // read"): False,
        ("use(read);", "const { write } = require('b')"): True,
        ("// read", "use(read);"): True,
        ("use(read);", "// read"): True,
        (): False,
    }
    assert {lines: is_used("read", lines) for lines in used} == used


def test_the_words_of_an_import_end_at_its_closing_bracket() -> None:
    new = {
        ("from a import (", "    b,", "    _c,", ")", "d = e"): {"from", "a", "import", "b", "c"},
        ("import {", "  b,", "  c,", "} from './a'", "d(e)"): {"import", "b", "c", "from", "a"},
        ("from a import (b)", "d = e"): {"from", "a", "import", "b"},
        ("const { b } = require('a')", "d(e)"): {"const", "b", "require", "a"},
        ("import old", "    b,", "d = e"): set[str](),
        ("d = (", "    e)"): set[str](),
    }
    assert {lines: newly_imported(["import old"], lines) for lines in new} == new
