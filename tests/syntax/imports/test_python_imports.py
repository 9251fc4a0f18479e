"""Imports that are added to Python files: before, statement, after."""

from __future__ import annotations

import pytest
from tests.syntax.imports.added import NO, SAME, added, statements_added

FILE = """\
#!/usr/bin/env python
# Copyright 2026 The authors
'''Doc.

import this
'''

from __future__ import annotations

import os
import sys
from typing import Any

import numpy as np

from shop.cart import Cart

from . import area
from .billing import total


def f():
    import late
"""


@pytest.mark.parametrize(
    ("statement", "below"),
    [
        ("import abc", "from __future__ import annotations\n\n"),
        ("import re", "import os\n"),
        ("import zlib", "import sys\n"),
        ("from collections import deque", "import sys\n"),
        ("from zipfile import ZipFile", "from typing import Any\n"),
        ("import attrs", "from typing import Any\n\n"),
        ("import pandas as pd", "import numpy as np\n"),
        ("from shop.area import Area", "import numpy as np\n\n"),
        ("from shop.till import Till", "from shop.cart import Cart\n"),
        ("from .cart import Line", "from .billing import total\n"),
        ("from .. import top", "from shop.cart import Cart\n\n"),
    ],
)
def test_a_statement_is_inserted_in_its_group_and_order(statement: str, below: str) -> None:
    assert added("python", FILE, statement) == FILE.replace(below, f"{below}{statement}\n")


@pytest.mark.parametrize(
    "statement",
    [
        "import os",
        "from typing import Any",
        "from  typing  import  (Any,)  # again",
        "from __future__ import annotations",
        "import os, sys",
        "import os; import sys",
        "",
        "# only a comment",
    ],
)
def test_what_is_imported_already_changes_nothing(statement: str) -> None:
    assert added("python", FILE, statement) == SAME


@pytest.mark.parametrize(
    "statement",
    [
        "from os import *",
        "x = 1",
        "import",
        "from a import",
        "if x:\n    import a",
        "try:\n    import a\nexcept ImportError:\n    a = None",
        "import a\nf()",
        "import f",
        "from x import Any",
        "from x import np",
        "import sys as os",
        "from io import open",
        "from __future__ import division",
        "<<<<<<< HEAD\nimport a",
        "`import a`",
        "import a.1b",
        "import a as b.c",
    ],
)
def test_an_uncertain_statement_is_refused(statement: str) -> None:
    assert added("python", FILE, statement) == NO


@pytest.mark.parametrize(
    ("before", "statement", "after"),
    [
        ("from a import b\n", "from a import c", "from a import b, c\n"),
        ("from a import c\n", "from a import b as d", "from a import b as d, c\n"),
        ("from a import z, b\n", "from a import c", "from a import z, b, c\n"),
        ("from a import B, c\n", "from a import A, D, d", "from a import A, B, D, c, d\n"),
        ("from a import (b, d)\n", "from a import c", "from a import (b, c, d)\n"),
        ("from a import (b, d,)\n", "from a import e", "from a import (b, d, e,)\n"),
        (
            "from a import (\n    b,\n    d,\n)\n",
            "from a import a, c, e",
            "from a import (\n    a,\n    b,\n    c,\n    d,\n    e,\n)\n",
        ),
        (
            "from a import (\n\tb,  # of b\n\t# about d\n\td  # of d\n)\n",
            "from a import c, e",
            "from a import (\n\tb,  # of b\n\tc,\n\t# about d\n\td,  # of d\n\te\n)\n",
        ),
        (
            "from a import (b,\n               d)\n",
            "from a import c, e",
            "from a import (b,\n               c,\n               d,\n               e)\n",
        ),
        (
            "from a import (b,\n               d,)\n",
            "from a import e",
            "from a import (b,\n               d,\n               e,)\n",
        ),
        ("from a import b  # noqa\n", "from a import c", "from a import b  # noqa\nfrom a import c\n"),
        ("from a import b, \\\n    d\n", "from a import c", "from a import b, \\\n    d\nfrom a import c\n"),
        ("from a import b; x = 1\n", "from a import c", NO),
        ("from a import b; import d\n", "from a import c", "from a import b; import d\nfrom a import c\n"),
        ("import a, b\n", "import b", SAME),
        ("import a, b\n", "import c", "import a, b\nimport c\n"),
        ("import a\n", "import a.b", "import a\nimport a.b\n"),
        ("import a.b\n", "import a", "import a\nimport a.b\n"),
        ("import a as b\n", "import b", NO),
        ("from a import b\n", "import b", NO),
        (
            "from a import b\nfrom a import d\n",
            "from a import c",
            "from a import b\nfrom a import c\nfrom a import d\n",
        ),
    ],
)
def test_names_are_merged_into_a_statement(before: str, statement: str, after: str) -> None:
    assert added("python", before, statement) == after


def test_a_line_that_would_be_too_long_is_followed_by_a_second_one() -> None:
    names = ", ".join(f"name_{number}" for number in range(8))
    text = f"from package import {names}\n"
    assert added("python", text, "from package import name_9") == f"{text}from package import name_9\n"


def test_a_wrapped_import_shows_a_shorter_limit() -> None:
    text = "from a import (\n    first_name_of_a, second_name_of_a, third_name,\n    fourth,\n)\nfrom b import name_of_b, and_another\n"
    longer = "from b import yet_another_name_of_b_that_is_long"
    assert added("python", text, longer) == text + longer + "\n"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("", "import re\n"),
        ("\n", "import re\n\n"),
        ("x = 1\n", "import re\n\nx = 1\n"),
        ("x = 1", "import re\n\nx = 1"),
        ("def f():\n    pass\n", "import re\n\n\ndef f():\n    pass\n"),
        ("'''Doc.'''", "'''Doc.'''\n\nimport re"),
        ("'''Doc.'''\n", "'''Doc.'''\n\nimport re\n"),
        ("'''Doc.'''\n\n\n@x\ndef f(): ...\n", "'''Doc.'''\n\nimport re\n\n\n@x\ndef f(): ...\n"),
        ("'''Doc.'''\nx = 1\n", "'''Doc.'''\n\nimport re\n\nx = 1\n"),
        ("#!/bin/python\nx = 1\n", "#!/bin/python\nimport re\n\nx = 1\n"),
        ("# Copyright A\n\nx = 1\n", "# Copyright A\n\nimport re\n\nx = 1\n"),
        ("# about x\nx = 1\n", "import re\n\n# about x\nx = 1\n"),
        (
            "# -*- coding: utf-8 -*-\n# about x\nx = 1\n",
            "# -*- coding: utf-8 -*-\n# about x\nimport re\n\nx = 1\n",
        ),
        ("from __future__ import annotations\n", "from __future__ import annotations\n\nimport re\n"),
        ("import os", "import os\nimport re"),
        ("import sys", "import re\nimport sys"),
        ("import os\r\n\r\nx = 1\r\n", "import os\r\nimport re\r\n\r\nx = 1\r\n"),
        ("import os\rx = 1\r", "import os\rimport re\rx = 1\r"),
        ("__all__ = ['x']\n\nimport os\n", "__all__ = ['x']\n\nimport os\nimport re\n"),
        ("import zlib\nimport abc\nx = 1\n", "import zlib\nimport abc\nimport re\nx = 1\n"),
        ("import os\n# about sys\nimport sys\n", "import os\nimport re\n# about sys\nimport sys\n"),
        ("# Title\n\n# Library\nimport sys\n", "# Title\n\n# Library\nimport re\nimport sys\n"),
        ("s = '''\nimport a\n'''\n", "import re\n\ns = '''\nimport a\n'''\n"),
        ("import os\ns = '''\nimport re\n'''\n", "import os\nimport re\ns = '''\nimport re\n'''\n"),
        ("def f():\n    import re\n", "import re\n\n\ndef f():\n    import re\n"),
        ("def f(re):\n    re = 1\n", "import re\n\n\ndef f(re):\n    re = 1\n"),
        ("x = f(re=1).re\n", "import re\n\nx = f(re=1).re\n"),
    ],
)
def test_the_first_or_next_import_is_at_the_head(before: str, after: str) -> None:
    assert added("python", before, "import re") == after


@pytest.mark.parametrize(
    "text",
    [
        "re = 1\n",
        "def re(): ...\n",
        "@x\nclass re: ...\n",
        "for re in x: ...\n",
        "with x as re: ...\n",
        "(a, re) = x\n",
        "re: int = 1\n",
        "def f():\n    global re\n    re = 1\n",
        "try:\n    import re\nexcept ImportError: ...\n",
        "if TYPE_CHECKING:\n    import re\n",
        "x = 1\nimport re\n",
        "import os\nx()\nfrom regex import re\n",
        "from x import *\n",
        "x()\nimport os\n",
        "import os\nimport (\n",
        "import os\nfrom x import (a,\n",
        "def f(:\n",
        "<<<<<<< a\nimport os\n=======\nimport sys\n>>>>>>> b\n",
        "import os; x = 1\n",
    ],
)
def test_a_file_where_the_import_is_not_certain_has_no_answer(text: str) -> None:
    assert added("python", text, "import re") == NO


@pytest.mark.parametrize(
    ("text", "statement"),
    [
        ("import os\n\ntry:\n    import fast\nexcept ImportError: ...\n", "from fast import run"),
        ("import os\n\nif TYPE_CHECKING:\n    from .a import B\n", "from .a import c"),
        ("import os\n\nsys.path.insert(0, 'x')\n\nimport mine\n", "import other"),
    ],
)
def test_an_import_that_another_place_may_be_made_for_has_no_answer(text: str, statement: str) -> None:
    assert added("python", text, statement) == NO
    assert added("python", text, "import abc") == f"import abc\n{text}"


def test_statements_come_in_any_form() -> None:
    text = "import os\n"
    written = [
        "# needed:\n",
        "from a import (\n",
        "    b,  # for b\n",
        "    c,\n",
        ")\n",
        "\n",
        "import re, sys\n",
    ]
    assert added("python", text, *written) == "import os\nimport re\nimport sys\n\nfrom a import b, c\n"
    assert statements_added("python", text, *written) == ("from a import b, c", "import re", "import sys")


def test_only_what_was_missing_is_returned() -> None:
    assert statements_added("python", FILE, "from typing import Any, cast") == ("from typing import cast",)
    assert statements_added("python", FILE, "import re", "import re") == ("import re",)
    assert statements_added("python", FILE, "import os") == ()


def test_a_new_statement_over_the_limit_is_wrapped() -> None:
    names = [f"long_name_{number}" for number in range(9)]
    after = added("python", "import os\n", f"from os import {', '.join(names)}")
    assert after == "import os\nfrom os import (\n" + "".join(f"    {name},\n" for name in names) + ")\n"
    assert statements_added("python", "", f"from os import {', '.join(names)}") == (
        f"from os import {', '.join(names)}",
    )


def test_a_language_without_imports_has_no_answer() -> None:
    assert added("json", "{}\n", "import re") == NO


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("import os\n\nx = 1\n", "import os\nimport re\n\nx = 1\n"),
        ("import sys\n\nx = 1\n", "import re\nimport sys\n\nx = 1\n"),
        ("x = 1\n", "import re\n\nx = 1\n"),
        ("'''Doc.'''\n\nimport sys\n", "'''Doc.'''\n\nimport re\nimport sys\n"),
    ],
)
def test_a_byte_order_mark_stays_first_in_the_document(text: str, expected: str) -> None:
    assert added("python", f"\ufeff{text}", "import re") == f"\ufeff{expected}"


def test_an_import_behind_a_byte_order_mark_is_known() -> None:
    assert added("python", "\ufeffimport re\n", "import re") == SAME
