"""A partial answer would delete the rest of the scope; a deletion, a rename and a rewrite are not partial."""

from __future__ import annotations

from typing import Any

import pytest
from tests.gate.answer_findings import findings_of

CLASS = """\
class Cart:
    limit = 3

    def add(self, item):
        self.items.append(item)

    def total(self):
        return sum(self.items)

    def clear(self):
        self.items = []
"""
FILE = """\
import math

RATE = 0.2


def area(radius):
    return 3.14 * radius ** 2


def tax(amount):
    return amount * RATE


def rest(amount):
    return amount - tax(amount)
"""
FUNCTION = """\
def total(items):
    result = 0
    for item in items:
        result += item.price
    return result
"""
JAVA = """\
public class Cart {
    private int limit = 3;

    public void add(Item item) {
        items.add(item);
    }

    public int total() {
        return items.size();
    }
}
"""
RUST = """\
pub struct Point {
    x: f64,
    y: f64,
}
"""
CSS = """\
.card {
  color: red;
  margin: 0;
  padding: 4px;
}
"""
SQL = """\
CREATE TABLE users (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL,
    born DATE
);
"""
COMPOSE = """\
services:
  web:
    image: nginx
    ports:
      - 80:80
    restart: always
"""
AS_CLASS: dict[str, Any] = {"kind": "class", "name": "Cart"}
AS_FUNCTION: dict[str, Any] = {"kind": "function", "name": "total"}
AS_BLOCK: dict[str, Any] = {"kind": "block"}

SCRIPT = "const fs = require('fs');\n\n" + "".join(
    f"function {name}(a) {{\n  return fs.{name}(a);\n}}\n\n" for name in "abcde"
)
PARTS = {
    "a function of a file and what the file requires": (
        SCRIPT,
        "const fs = require('fs');\n\nfunction c(a) {\n  return fs.c(a, 8);\n}\n",
        "javascript",
        {},
    ),
    "the changed method of a class": (
        CLASS,
        "def total(self):\n    return sum(self.items) * 2\n",
        "python",
        AS_CLASS,
    ),
    "a new method of a class": (
        CLASS,
        "    def size(self):\n        return len(self.items)\n",
        "python",
        AS_CLASS,
    ),
    "the class with one of its methods": (
        CLASS,
        "class Cart:\n    def total(self):\n        return sum(self.items) * 2\n",
        "python",
        AS_CLASS,
    ),
    "a method for a Java class": (
        JAVA,
        "    public int total() {\n        return 0;\n    }\n",
        "java",
        AS_CLASS,
    ),
    "the constructor of a Java class": (
        JAVA.replace(
            "    public void add", "    public Cart() {\n        limit = 2;\n    }\n\n    public void add"
        ),
        "    public Cart(int limit) {\n        this.limit = limit;\n    }\n",
        "java",
        AS_CLASS,
    ),
    "one function of a file": (FILE, "def tax(amount):\n    return round(amount * RATE, 2)\n", "python", {}),
    "two functions of a file with what is between": (
        FILE,
        "def area(radius):\n    return math.pi * radius ** 2\n\n\ndef tax(amount):\n    return amount * RATE\n",
        "python",
        {},
    ),
    "a method for the file of its class": (
        CLASS,
        "def total(self):\n    return sum(self.items) * 2\n",
        "python",
        {},
    ),
    "the class without what is around it in its file": (
        f"package shop;\n\nimport a.B;\nimport c.D;\nimport e.F;\n\n{JAVA}",
        JAVA.replace("limit = 3", "limit = 4"),
        "java",
        {},
    ),
    "the class without the imports of its file": (
        f"import a\nimport b\n\n\n{CLASS}",
        CLASS.replace("limit = 3", "limit = 4"),
        "python",
        {},
    ),
    "a new import above the function": (
        FILE,
        "import decimal\n\n\ndef tax(amount):\n    return decimal.Decimal(amount) * RATE\n",
        "python",
        {},
    ),
    "a comment above the function": (
        FILE,
        "# Computes the tax.\ndef tax(amount):\n    return round(amount * RATE)\n",
        "python",
        {},
    ),
    "a helper next to the method": (
        CLASS,
        "def size(self):\n    return len(self.items)\n\ndef total(self):\n    return self.size()\n",
        "python",
        AS_CLASS,
    ),
    "a method that returns its class": (
        JAVA,
        "    public Cart add(Item item) {\n        items.add(item);\n        return this;\n    }\n",
        "java",
        AS_CLASS,
    ),
    "the first method alone, unchanged": (
        CLASS,
        "def add(self, item):\n    self.items.append(item)\n",
        "python",
        AS_CLASS,
    ),
    "a function whose import is used still": (
        f"from math import pi\n\nRATE = 0.2\n{FILE[FILE.index('def tax') - 2 :]}",
        "RATE = 0.2\n\n\ndef tax(amount):\n    return amount * RATE * pi\n\n\ndef more(amount):\n    return amount\n",
        "python",
        {},
    ),
    "the body of a function for its file": (
        FILE,
        "result = amount * RATE\nprint(result)\n",
        "python",
        {},
    ),
    "the end of a file": (
        FILE,
        FILE[FILE.index("def tax") :].replace("* RATE", "* RATE + 1"),
        "python",
        {},
    ),
    "a function for a file of a class": (
        f"{CLASS}\n    def size(self):\n        return 3\n",
        "def helper(value):\n    return value + 1\n",
        "python",
        {},
    ),
    "a class without what exports it": (
        "const a = load('a');\n\nclass Cart {\n  add() {\n    return 1;\n  }\n}\n\nmodule.exports = { Cart };\n",
        "const b = load('b');\n\nclass Cart {\n  add() {\n    return b;\n  }\n}\n",
        "javascript",
        {},
    ),
    "an old function alone": (FILE, "def tax(amount):\n    return amount * RATE\n", "python", {}),
    "the changed lines of a function": (
        FUNCTION,
        "    for item in items:\n        result += item.cost\n",
        "python",
        AS_FUNCTION,
    ),
    "a call for a function": (FUNCTION, 'logger.info("summed")\n', "python", AS_FUNCTION),
    "a declaration for a rule": (CSS, "color: blue;\n", "css", AS_BLOCK),
    "a column for a table": (SQL, "    email TEXT NOT NULL,\n", "sql", AS_BLOCK),
    "a key for a mapping": (COMPOSE, "    image: nginx:1.27\n", "yaml", AS_BLOCK),
}

MISSING = {
    "a function of a file and what the file requires": '"a", "b", "d" and 1 more would be removed',
    "the changed method of a class": 'the class "Cart" is missing',
    "a new method of a class": 'the class "Cart" is missing',
    "the class with one of its methods": '"add", "clear" would be removed',
    "a method for a Java class": 'the class "Cart" is missing',
    "the constructor of a Java class": 'the class "Cart" is missing',
    "one function of a file": '"area", "rest" would be removed',
    "two functions of a file with what is between": '"rest" would be removed',
    "a method for the file of its class": '"Cart" would be removed',
    "the class without what is around it in its file": '"package shop;" would be removed',
    "the class without the imports of its file": '"import a" and 1 more line would be removed',
    "a new import above the function": '"area", "rest" would be removed',
    "a comment above the function": '"area", "rest" would be removed',
    "a helper next to the method": 'the class "Cart" is missing',
    "a method that returns its class": 'the class "Cart" is missing',
    "the first method alone, unchanged": 'the class "Cart" is missing',
    "a function whose import is used still": '"rest" would be removed',
    "the body of a function for its file": '"area", "tax", "rest" would be removed',
    "the end of a file": '"area" would be removed',
    "a function for a file of a class": '"Cart" would be removed',
    "a class without what exports it": "\"const a = load('a');\" and 1 more line would be removed",
    "an old function alone": '"area", "rest" would be removed',
    "the changed lines of a function": 'the function "total" is missing',
    "a call for a function": 'the function "total" is missing',
    "a declaration for a rule": 'the line ".card {" and 3 more are missing',
    "a column for a table": 'the line "CREATE TABLE users (" and 3 more are missing',
    "a key for a mapping": 'the line "services:" and 5 more are missing',
}
"""The reported missing part of each."""

WHOLE = {
    "a rename": (FUNCTION, FUNCTION.replace("total", "sum_prices"), "python", AS_FUNCTION),
    "a function that becomes an import": (FUNCTION, "from shop import total\n", "python", AS_FUNCTION),
    "a class that becomes a named tuple": (CLASS, 'Cart = namedtuple("Cart", "items limit")\n', "python", AS_CLASS),
    "a function of a file that is removed": (
        FILE,
        FILE[: FILE.index("\n\ndef rest")],
        "python",
        {},
    ),
    "all but one function of a file that are removed as requested": (
        FILE, "def tax(amount):\n    return amount * RATE\n", "python", {"instruction_words": frozenset({"keep", "tax"})}
    ),
    "all but one function that are removed with a change, and what is between them": (
        FILE,
        FILE[: FILE.index("def area")] + "def tax(amount):\n    return round(amount * RATE)\n",
        "python",
        {},
    ),
    "two methods of three that are removed with a change as requested": (
        CLASS.replace("    limit = 3\n\n", ""),
        "class Cart:\n    def total(self):\n        return sum(self.items) * 2\n",
        "python",
        {**AS_CLASS, "instruction_words": frozenset({"without", "add", "clear"})},
    ),
    "imports that are not used any more": (
        f"import a\nimport b\nimport c\n\n\n{CLASS}", f"import b\n\n\n{CLASS.replace('limit = 3', 'limit = b.N')}", "python", {}
    ),
    "the first of two classes that is removed": (
        f"{CLASS}\n\nclass Other:\n    def size(self):\n        return 1\n",
        "class Other:\n    def size(self):\n        return 1\n",
        "python",
        {},
    ),
    "a class of a file that becomes a function": (
        "class Cart:\n    def __init__(self, items):\n        self.items = items\n\n    def total(self):\n        return sum(self.items)\n",
        "def cart_total(items):\n    return sum(items)\n",
        "python",
        {},
    ),
    "a class whose field and methods become others": (
        CLASS, "class Cart:\n    size = 4\n\n    def run(self):\n        return 1\n", "python", AS_CLASS
    ),
    "a class of a file that is imported now": (CLASS, "from shop import Cart\n", "python", {}),
    "functions that are joined": (
        FILE,
        FILE[: FILE.index("def tax")] + "def taxed(amount):\n    return amount * RATE, amount * (1 - RATE)\n",
        "python",
        {},
    ),
    "an import that is removed with a change": (
        f"import os\n\n\n{FUNCTION}", FUNCTION.replace("price", "cost"), "python", {}
    ),
    "methods that become functions": (
        CLASS,
        "def add_to(items, item):\n    items.append(item)\n\n\ndef total_of(items):\n    return sum(items)\n",
        "python",
        {},
    ),
    "a rewritten body": (FUNCTION, "def total(items):\n    return sum(item.price for item in items)\n", "python", AS_FUNCTION),
    "a method that is removed": (
        CLASS,
        CLASS[: CLASS.index("    def clear")].replace("limit = 3", "limit = 4"),
        "python",
        AS_CLASS,
    ),
    "a shorter rule": (CSS, ".card {\n  all: unset;\n}\n", "css", AS_BLOCK),
    "another selector": (CSS, ".card, .box {\n  color: blue;\n}\n", "css", AS_BLOCK),
    "a table of fewer columns": (SQL, "CREATE TABLE users (id INTEGER PRIMARY KEY);\n", "sql", AS_BLOCK),
    "a struct with an implementation": (RUST, f"{RUST}\nimpl Point {{\n    fn x(&self) -> f64 {{\n        self.x\n    }}\n}}\n", "rust", {"kind": "class", "name": "Point"}),
    "a statement for selected statements": (
        "    result = 0\n    for item in items:\n        result += item.price\n    print(result)\n",
        "    print(sum(item.price for item in items))\n",
        "python",
        {"kind": "selection"},
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", PARTS)
def test_a_part_of_the_scope_is_refused(name: str) -> None:
    old, new, language_id, place = PARTS[name]
    found = [(code, message) for code, _, message in findings_of(old, new, language_id, **place)]
    assert found[0] == ("partial-answer", f"the answer is only a part of the scope: {MISSING[name]}")


@pytest.mark.parametrize("name", WHOLE)
def test_a_shorter_whole_answer_is_not_partial(name: str) -> None:
    old, new, language_id, place = WHOLE[name]
    assert "partial-answer" not in {code for code, _, _ in findings_of(old, new, language_id, **place)}


def test_code_in_quotes_is_refused() -> None:
    quoted = "the answer is a quoted text instead of code"
    css = ".a {\n  color: red;\n}\n"
    for mark in ('"', "'", "`", '"""'):
        answer = f"{mark}{css.replace('red', 'blue').rstrip()}{mark}\n"
        assert ("partial-answer", 0, quoted) in findings_of(css, answer, "css")
        assert [code for code, _, _ in findings_of(css, answer, "markdown")] == ["lines-gone"]
    words = "a\nb\n"
    for fine in ('"a",\n"b"\n', '"a" "b"\nc = "d"\n', "'a'\n"):
        assert quoted not in {message for _, _, message in findings_of(words, fine, "css")}
    assert quoted not in {
        message for _, _, message in findings_of("'SELECT a',\n'FROM b'\n", "`SELECT a\nFROM b`\n", "sql")
    }
    assert quoted in {message for _, _, message in findings_of(css, f"print('{css.rstrip()}')\n", "css")}
    assert quoted not in {message for _, _, message in findings_of("a(1)\n", 'b("c")\n', "javascript")}


def test_lines_with_prefixes_of_terminal_mail_or_patch_are_refused() -> None:
    sql = "SELECT a\nFROM b\nWHERE c\n"

    def sign(old: str, new: str, language_id: str = "sql") -> str | None:
        found = (
            message for code, _, message in findings_of(old, new, language_id) if code == "partial-answer"
        )
        return next((message.split('"')[1] for message in found if "marks its lines" in message), None)

    assert sign(sql, f"$ cat a.sql\n{sql}") == "$"
    assert sign(sql, "> SELECT a\n> FROM b\n") == ">"
    assert sign(sql, "+SELECT a\n+FROM b\n") == "+"
    assert sign(sql, "> SELECT a\nFROM b\n") is sign(sql, "+1\n") is sign("$ a\n$ b\n", "$ a\n$ c\n") is None
    assert sign("> a\n> b\n", "> c\n> d\n") is sign(sql, "> a\n> b\n", "markdown") is None
