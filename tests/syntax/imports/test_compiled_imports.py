"""Imports that are added to Go, Rust, Java, C and C++ files: before, statement, after."""

from __future__ import annotations

import pytest
from tests.syntax.imports.added import NO, SAME, added, statements_added

GO = 'package a\n\nimport (\n\t"fmt"\n\t"strings"\n\n\t"github.com/a/b"\n)\n\nfunc f() {}\n'


@pytest.mark.parametrize(
    ("before", "statement", "after"),
    [
        (GO, 'import "sort"', GO.replace('\t"strings"\n', '\t"sort"\n\t"strings"\n')),
        (GO, 'import "time"', GO.replace('\t"strings"\n', '\t"strings"\n\t"time"\n')),
        (GO, 'import x "github.com/a/c"', GO.replace('a/b"\n', 'a/b"\n\tx "github.com/a/c"\n')),
        (
            GO,
            'import (\n\t"fmt"\n\n\t"net/http"\n)',
            GO.replace('\t"strings"\n', '\t"net/http"\n\t"strings"\n'),
        ),
        (GO, 'import "fmt"', SAME),
        (GO, 'import . "fmt"', NO),
        (GO, 'import "C"', NO),
        (GO, 'import b "other/b"', NO),
        (GO, 'import "x/f"', NO),
        (GO, "func g() {}", NO),
        (GO, 'import _ "embed"', GO.replace('\t"fmt"\n', '\t_ "embed"\n\t"fmt"\n')),
        ('package a\n\nimport "fmt"\n', 'import "sort"', 'package a\n\nimport "fmt"\nimport "sort"\n'),
        ('package a\n\nimport ("fmt"; "os")\n', 'import "sort"', NO),
        ('package a\n\nimport "crypto/rand"\n', 'import "math/rand"', NO),
        ("//go:build linux\n\npackage a\n", 'import "os"', '//go:build linux\n\npackage a\n\nimport "os"\n'),
        ("package a\n\nfunc f() {}\n", 'import "os"', 'package a\n\nimport "os"\n\nfunc f() {}\n'),
        (
            "package a\n\n// About f.\nfunc f() {}\n",
            'import "os"',
            'package a\n\nimport "os"\n\n// About f.\nfunc f() {}\n',
        ),
        (
            'package a\n\nimport (\n\t"fmt"\n)\n',
            'import "gopkg.in/x.v2"',
            'package a\n\nimport (\n\t"fmt"\n\n\t"gopkg.in/x.v2"\n)\n',
        ),
        (
            'package a\n\n// #include <x.h>\nimport "C"\n',
            'import "os"',
            'package a\n\n// #include <x.h>\nimport "C"\n\nimport "os"\n',
        ),
        ("package a\n\nvar (\n\tx, os int\n)\n", 'import "os"', NO),
        ("func f() {}\n", 'import "os"', NO),
    ],
)
def test_a_go_import_is_added(before: str, statement: str, after: str) -> None:
    assert added("go", before, statement) == after


RUST = "//! Doc.\n#![allow(x)]\n\nextern crate z;\n\nuse std::collections::{BTreeMap, HashSet};\nuse std::fmt;\n\nuse crate::a::B;\n\nfn f() {}\n"


@pytest.mark.parametrize(
    ("before", "statement", "after"),
    [
        (RUST, "use std::collections::HashMap;", RUST.replace("BTreeMap, ", "BTreeMap, HashMap, ")),
        (RUST, "use std::fs;", RUST.replace("use std::fmt;\n", "use std::fmt;\nuse std::fs;\n")),
        (
            RUST,
            "use std::fmt::{self, Write};",
            RUST.replace("use std::fmt;\n", "use std::fmt;\nuse std::fmt::Write;\n"),
        ),
        (
            RUST,
            "use crate::a::A;",
            RUST.replace("use crate::a::B;\n", "use crate::a::A;\nuse crate::a::B;\n"),
        ),
        (
            RUST,
            "use serde::Serialize;",
            RUST.replace("use std::fmt;\n\n", "use std::fmt;\n\nuse serde::Serialize;\n\n"),
        ),
        (RUST, "use std::{fmt, collections::{HashSet, BTreeMap}};", SAME),
        (RUST, "use std::collections::*;", NO),
        (RUST, "use std::fmt::Result;", NO),
        (RUST, "use other::HashSet;", NO),
        (RUST, "use other::f;", NO),
        (RUST, "pub use std::fs;", NO),
        (RUST, "extern crate y;", NO),
        (RUST, "use std::fs as fmt;", NO),
        ("fn f() {}\n", "use std::fs;", "use std::fs;\n\nfn f() {}\n"),
        ("//! Doc.\n\nfn f() {}\n", "use std::fs;", "//! Doc.\n\nuse std::fs;\n\nfn f() {}\n"),
        (
            "#![no_std]\n#[x]\nfn f() {}\n",
            "use core::fmt;",
            "#![no_std]\n\nuse core::fmt;\n\n#[x]\nfn f() {}\n",
        ),
        ("mod a;\nuse a::B;\n", "use a::C;", "mod a;\nuse a::B;\nuse a::C;\n"),
        ("#[cfg(x)]\nuse b::{c, d};\n", "use b::e;", "#[cfg(x)]\nuse b::{c, d};\nuse b::e;\n"),
        ("use a::{b, c};\n", "use a::{d::e, f as g};", "use a::{b, c, f as g};\nuse a::d::e;\n"),
        ("use a::{\n    b,\n    d,\n};\n", "use a::c;", "use a::{\n    b,\n    c,\n    d,\n};\n"),
        ("use super::*;\n", "use a::B;", NO),
    ],
)
def test_a_rust_import_is_added(before: str, statement: str, after: str) -> None:
    assert added("rust", before, statement) == after


JAVA = "/* Licence */\npackage a;\n\nimport java.util.List;\nimport java.util.Set;\nimport org.x.Y;\n\nimport static a.B.c;\n\nclass X { void run() {} }\n"


@pytest.mark.parametrize(
    ("before", "statement", "after"),
    [
        (
            JAVA,
            "import java.util.Map;",
            JAVA.replace("import java.util.Set", "import java.util.Map;\nimport java.util.Set"),
        ),
        (JAVA, "import org.z.A;", JAVA.replace("import org.x.Y;\n", "import org.x.Y;\nimport org.z.A;\n")),
        (JAVA, "import static a.B.d;", JAVA.replace("a.B.c;\n", "a.B.c;\nimport static a.B.d;\n")),
        (JAVA, "import java.util.List;", SAME),
        (JAVA, "import java.awt.List;", NO),
        (JAVA, "import java.util.*;", NO),
        (JAVA, "import b.X;", NO),
        (JAVA, "import static b.C.run;", NO),
        (JAVA, "import b.String;", NO),
        ("import java.util.*;\n\nclass X {}\n", "import java.util.List;", SAME),
        (
            "import java.awt.*;\nimport java.util.*;\n",
            "import java.util.List;",
            "import java.awt.*;\nimport java.util.*;\nimport java.util.List;\n",
        ),
        (
            "package a;\n\nclass X {}\n",
            "import java.util.List;",
            "package a;\n\nimport java.util.List;\n\nclass X {}\n",
        ),
        ("class X {}\n", "import java.util.List;", "import java.util.List;\n\nclass X {}\n"),
    ],
)
def test_a_java_import_is_added(before: str, statement: str, after: str) -> None:
    assert added("java", before, statement) == after


GUARD = '// Licence\n#ifndef X_H\n#define X_H\n\n#include <a.h>\n#include <z.h>\n#include "b.h"\n\nint x;\n#endif\n'


@pytest.mark.parametrize(
    ("before", "statement", "after"),
    [
        (GUARD, "#include <stdio.h>", GUARD.replace("#include <z.h>", "#include <stdio.h>\n#include <z.h>")),
        (GUARD, '#include "c.h"', GUARD.replace('"b.h"\n', '"b.h"\n#include "c.h"\n')),
        (GUARD, "#include <z.h>", SAME),
        (GUARD, "#include NAME", NO),
        (GUARD, "#define X", NO),
        (
            "#ifndef A\n#define A\nint x;\n#endif\n",
            "#include <a.h>",
            "#ifndef A\n#define A\n\n#include <a.h>\n\nint x;\n#endif\n",
        ),
        ("#pragma once\nint x;\n", "#include <a.h>", "#pragma once\n\n#include <a.h>\n\nint x;\n"),
        ("int x;\n", "#include <a.h>", "#include <a.h>\n\nint x;\n"),
        (
            "#include <z.h>\n#include <a.h>\n",
            "#include <b.h>",
            "#include <z.h>\n#include <a.h>\n#include <b.h>\n",
        ),
        ("#include <a.h>\n#ifdef W\n#include <w.h>\n#endif\n", "#include <w.h>", NO),
        ('#include "own.h"\n\nint x;\n#include <b.h>\n', "#include <a.h>", NO),
    ],
)
def test_an_include_is_added(before: str, statement: str, after: str) -> None:
    assert added("c", before, statement) == after
    assert added("cpp", before, statement) == after


def test_a_using_declaration_is_no_include() -> None:
    assert added("cpp", "#include <vector>\n", "using std::vector;") == NO


def test_each_statement_is_written_for_a_person() -> None:
    written = 'import (\n\t"sort"\n\t"time"\n)'
    assert statements_added("go", GO, written) == ('import "sort"', 'import "time"')
    assert statements_added("rust", RUST, "use std::{fs, io};") == ("use std::{fs, io};",)
