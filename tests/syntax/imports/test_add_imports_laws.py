"""Laws of `add_imports`: what is there survives, nothing is added twice, and the order of additions has no effect."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.timing import check_growth, seconds

from twospeed.syntax.faults.syntax_errors import count_errors
from twospeed.syntax.imports.add_imports import add_imports
from twospeed.syntax.trees.trees import parse_fully
from twospeed.text.lines import eol_of, split_lines

HEADS = {
    "python": [
        "",
        "#!/bin/python\n",
        "'''Doc.'''\n\n",
        "# Copyright A\n\n",
        "from __future__ import annotations\n\n",
    ],
    "typescript": ["", "'use strict'\n\n", "/* Copyright A */\n", "#!/bin/node\n"],
    "go": ["package a\n\n", "// Copyright A\n\npackage a\n\n"],
    "rust": ["", "//! Doc.\n\n", "#![allow(x)]\n\n", "mod m;\n"],
    "java": ["", "package a.b;\n\n"],
    "c": ["", "// Copyright A\n\n", "#pragma once\n\n", "#define X 1\n"],
}
LINES = {
    "python": [
        "import os",
        "import sys  # noqa",
        "import re as regex",
        "import a, b",
        "from a import c",
        "from a import B, d",
        "from a import (\n    e,\n    G,\n)",
        "from a import (h,\n               i)",
        "from .x import y",
        "from . import z",
        "try:\n    import t\nexcept ImportError:\n    t = None",
        "if TYPE_CHECKING:\n    from u import v",
        "__all__ = []",
        "# comment",
        "",
    ],
    "typescript": [
        "import a from 'a'",
        "import b, { c } from './b'",
        "import { d as e, type F } from '../d';",
        "import type { G } from 'g'",
        "import * as h from 'h'",
        "import 'side'",
        "import {\n  i,\n  j\n} from 'i'",
        "import {\n  k,\n  l,\n} from 'k' // k",
        "import fs from 'node:fs'",
        "// eslint-disable-next-line",
        "/* comment\n */",
        "",
    ],
    "go": [
        'import "fmt"',
        'import (\n\t"os"\n\t"strings"\n\n\tx "github.com/a/b"\n)',
        'import _ "embed"',
        "// comment",
        "",
    ],
    "rust": [
        "use std::fmt;",
        "use std::collections::{BTreeMap, HashSet};",
        "use crate::a::{self, B};",
        "pub use c::D;",
        "#[cfg(x)]\nuse e::f;",
        "use g::{\n    h,\n    i,\n};",
        "// comment",
        "",
    ],
    "java": [
        "import java.util.List;",
        "import java.util.Map;",
        "import org.a.B;",
        "import static a.C.d;",
        "import e.*;",
        "// comment",
        "",
    ],
    "c": [
        "#include <stdio.h>",
        '#include "a.h"',
        "#include <sys/types.h>  // s",
        "#ifdef W\n#include <w.h>\n#endif",
        "// comment",
        "",
    ],
}
CODE = {
    "python": ["", "\n\ndef f(os):\n    import late\n", "x = 'import q'\n"],
    "typescript": ["", "\nexport const x = (a) => a\n", "function f(os) {}\n"],
    "go": ["", "\nfunc f(os int) {}\n"],
    "rust": ["", "\nfn f() { use x::y; }\n", "#[test]\nfn f() {}\n"],
    "java": ["class X {}\n", "\nclass X { int list; }\n"],
    "c": ["int x;\n", "\nint main(void) { return 0; }\n"],
}
STATEMENTS = {
    "python": [
        "import os",
        "import re",
        "import a.x",
        "from a import c",
        "from a import A, k as l",
        "from a import (\n    e,\n    m,\n)",
        "from typing import Any",
        "from .x import w",
        "from new import n, o",
        "from __future__ import annotations",
        "import numpy as np",
    ],
    "typescript": [
        "import a from 'a'",
        "import { m } from 'a'",
        "import { n, o as p } from './b'",
        "import type { Q } from 'g'",
        "import { type R, i } from 'i'",
        "import * as s from 's'",
        "import os from 'os'",
        "import { t } from '../d'",
        "import 'side'",
    ],
    "go": [
        'import "fmt"',
        'import "sort"',
        'import (\n\t"net/http"\n\ty "github.com/c/d"\n)',
        'import _ "embed"',
    ],
    "rust": [
        "use std::fmt;",
        "use std::fmt::{self, Write};",
        "use std::collections::HashMap;",
        "use crate::a::C;",
        "use j::{k::l, m as n};",
        "use g::o;",
    ],
    "java": ["import java.util.Set;", "import java.util.List;", "import static a.C.e;", "import e.F;"],
    "c": ["#include <stdlib.h>", "#include <stdio.h>", '#include "b.h"', "#include <sys/stat.h>"],
}


@st.composite
def documents(draw, language_id: str) -> str:
    lines = draw(st.lists(st.sampled_from(LINES[language_id]), max_size=7, unique=True))
    text = draw(st.sampled_from(HEADS[language_id])) + "".join(f"{line}\n" for line in lines)
    text += draw(st.sampled_from(CODE[language_id]))
    text = text.removesuffix("\n") if language_id != "c" and draw(st.booleans()) else text
    return text.replace("\n", draw(st.sampled_from(["\n", "\r\n"])))


def after(text: str, language_id: str, *statements: str) -> str | None:
    lines = split_lines(text)
    added = add_imports(lines, language_id, statements)
    return None if added is None else "".join([*lines[: added.start], *added.lines, *lines[added.end :]])


def words_of(text: str) -> set[str]:
    return set(re.findall(r"\w+", text)) - {"self"}


@pytest.mark.parametrize("language_id", HEADS)
@given(data=st.data())
def test_imports_are_added_once_to_lines_that_stay(language_id: str, data) -> None:
    text = data.draw(documents(language_id))
    statements = data.draw(st.lists(st.sampled_from(STATEMENTS[language_id]), min_size=1, max_size=4))
    lines = split_lines(text)
    added = add_imports(lines, language_id, statements)
    if added is None:
        return
    new = [*lines[: added.start], *added.lines, *lines[added.end :]]
    result = "".join(new)
    assert split_lines(result) == new
    assert (result == text) == (added.statements == ())
    assert len({eol_of(line) for line in new[:-1]} | {eol_of(line) for line in lines[:-1]}) <= 1
    assert (count_errors(new, language_id) or 0) <= (count_errors(lines, language_id) or 0)
    assert eol_of(new[-1]) == ""
    assert (new[-1] == "") == (lines[-1] == "")
    remaining = iter([line.rstrip() for line in new])
    n_changed = sum(line.rstrip() not in {each.rstrip() for each in new} for line in lines)
    assert n_changed <= sum(each.count(",") + 1 for each in added.statements)
    kept = [line.rstrip() for line in lines if line.rstrip() in {each.rstrip() for each in new}]
    assert all(line in remaining for line in kept)
    again = add_imports(new, language_id, statements)
    assert again is not None
    assert again.statements == ()


@pytest.mark.parametrize("language_id", HEADS)
@given(data=st.data())
def test_the_order_of_additions_has_no_effect_on_the_names(language_id: str, data) -> None:
    text = data.draw(documents(language_id))
    first, second = (data.draw(st.sampled_from(STATEMENTS[language_id])) for _ in range(2))
    one, other = after(text, language_id, first), after(text, language_id, second)
    if one is None or other is None:
        return
    both, turned = after(one, language_id, second), after(other, language_id, first)
    assert (both is None) == (turned is None)
    if both is not None and turned is not None:
        assert words_of(both) == words_of(turned)


@pytest.mark.parametrize("language_id", HEADS)
@given(data=st.data())
def test_any_text_has_an_answer_or_none(language_id: str, data) -> None:
    pieces = st.sampled_from([*LINES[language_id], *STATEMENTS[language_id], "(", "}", "'''", "é = 1", "\t"])
    text = "\n".join(data.draw(st.lists(pieces, max_size=6)))
    statement = "\n".join(data.draw(st.lists(pieces, max_size=3)))
    added = add_imports(split_lines(text), language_id, [statement])
    assert added is None or 0 <= added.start <= added.end <= len(split_lines(text))


@pytest.mark.parametrize(
    ("language_id", "text_of", "statement"),
    [
        ("python", lambda n: "import os\n" + "def f(x: Any): Any\n" * n, "from typing import Any"),
        ("python", lambda n: "import os\n" + "def f():\n    from a import b\n" * n, "from c import d"),
        ("python", lambda n: "import os\n" * n, "import re"),
        ("python", lambda n: f"from a import {'b, ' * n}c\n", "from a import d"),
        ("rust", lambda n: "use a::b;\nm!{\n" + "use c\n" * n + "}\n", "use d::e;"),
        ("java", lambda n: "import a.B;\nclass X { int x = " + "y C ( + " * n + "1; }\n", "import d.C;"),
        ("go", lambda n: 'package a\n\nimport "b"\n' + "var (\n\tx int\n" * n, 'import "c"'),
        ("c", lambda n: "#include <a.h>\n" + "#if X\n#include <b.h>\n#endif\n" * n, "#include <c.h>"),
        (
            "typescript",
            lambda n: "import a from 'a'\n" + "const c = { d: (b) => b }\n" * n,
            "import b from 'b'",
        ),
    ],
)
def test_the_time_grows_with_the_size_of_a_hostile_text(
    language_id: str, text_of: Callable[[int], str], statement: str
) -> None:
    def measured(n: int) -> float:
        lines = split_lines(text_of(n))
        parse_fully(language_id, lines)
        return seconds(lambda: add_imports(lines, language_id, [statement]))

    check_growth(measured, 1500)
