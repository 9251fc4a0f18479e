"""The places that use a changed definition. A line that ends with ``certain`` or ``maybe`` is expected to be one."""

from __future__ import annotations

import re
from collections.abc import Iterable

import pytest

from twospeed.syntax.callers.call_sites import call_sites
from twospeed.syntax.callers.go_calls import go_package
from twospeed.syntax.callers.places import Callee, CallSites
from twospeed.syntax.callers.signatures import changed_signatures
from twospeed.text.lines import split_lines

HOME = "def total(items):\n    return sum(items)\n"
_MARK = re.compile(r"(?:#|//) (certain|maybe)$", re.MULTILINE)


def callee(
    before: str,
    new_head: str,
    language_id: str = "python",
    path: str = "shop/prices.py",
    files: Iterable[str] = ("shop/__init__.py",),
    **more: str,
) -> tuple[Callee, str]:
    """Return the definition of some code whose first line is replaced, and the new code."""
    after = new_head + before[before.index("\n") :]
    old, new = split_lines(before), split_lines(after)
    (change,) = changed_signatures(old, new, language_id, old=(0, len(old)), new=(0, len(new)))
    return Callee(change, path, frozenset(files), package=go_package(new), **more), after


def check(found: CallSites, text: str) -> None:
    expected: dict[str, list[int]] = {"certain": [], "maybe": []}
    for number, line in enumerate(split_lines(text)):
        if mark := _MARK.search(line):
            expected[mark[1]].append(number)
    assert [each.line for each in found.certain] == expected["certain"]
    assert [each.line for each in found.uncertain] == expected["maybe"]


def check_python(text: str, path: str, new_head: str = "def total(items, tax):", **more: str) -> None:
    target, _ = callee(HOME, new_head)
    check(call_sites(split_lines(text), "python", target, path=path), text)


def check_home(text: str, new_head: str = "def total(items, tax):") -> None:
    target, after = callee(HOME + text, new_head)
    text = after
    check(call_sites(split_lines(text), "python", target, path="shop/prices.py"), text)


@pytest.mark.parametrize(
    "text",
    [
        "print(total([1]))  # certain\n",
        "def f():\n    return total([1])  # certain\n",
        "def f(total):\n    return total([1])\n",
        "def f():\n    total = len\n    return total([1])\n",
        "def f():\n    from other import total\n    return total([1])\n",
        "f = lambda total: total([1])\n",
        "found = [total([x]) for x in ()]  # certain\n",
        "found = [total(1) for total in ()]\n",
        "class A:\n    def total(self):\n        return total([1])  # certain\n",
        "class A:\n    def f(self):\n        return self.total([1])\n",
        "def f():\n    global total\n    total = 1\nprint(total([1]))  # maybe\n",
        "total = cached(total)  # maybe\nprint(total([1]))  # maybe\n",
        "map(total, [])  # maybe\n",
        "@total\ndef f():  \n    pass\n".replace("@total\n", "@total  # maybe\n"),
        "@total(1)  # maybe\ndef f():\n    pass\n",
        "print(f'{total([1])}')  # certain\n",
        "getattr(shop, 'total')  # maybe\n",
        "# total(items) is slow  # maybe\n",
        "x = 'the total of all'\n# the total\n",
        "print(obj.total([1]))\n",
        "print(f(total=1))\n",
        "print(total([1], 2))\n",
        "print(total(*args))  # certain\n",
        "if total([1]) > 2:  # certain\n    pass\n",
    ],
)
def test_calls_in_the_file_of_the_definition(text: str) -> None:
    check_home(text)


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("main.py", "from shop.prices import total\nprint(total([1]))  # certain\n"),
        ("main.py", "from shop.prices import total as t\nprint(t([1]))  # certain\n"),
        ("main.py", "import shop.prices\nprint(shop.prices.total([1]))  # certain\n"),
        ("main.py", "import shop.prices, shop.other\nprint(shop.prices.total([1]))  # certain\n"),
        ("main.py", "import shop.prices as p\nprint(p.total([1]))  # certain\n"),
        ("main.py", "from shop import prices\nprint(prices.total([1]))  # certain\n"),
        ("main.py", "from shop import prices as p\nprint(p.total([1]))  # certain\n"),
        ("shop/cart.py", "from .prices import total\nprint(total([1]))  # certain\n"),
        ("shop/cart.py", "from . import prices\nprint(prices.total([1]))  # certain\n"),
        ("shop/deep/cart.py", "from ..prices import total\nprint(total([1]))  # certain\n"),
        ("shop/deep/cart.py", "from .prices import total\nprint(total([1]))  # maybe\n"),
        ("main.py", "from shop import total\nprint(total([1]))  # maybe\n"),
        ("main.py", "from math import total\nprint(total([1]))\n"),
        ("main.py", "from vat import total\nprint(total([1]))\n"),
        ("main.py", "from prices import total\nprint(total([1]))  # maybe\n"),
        ("main.py", "print(total([1]))\n"),
        ("main.py", "from shop.prices import *\nprint(total([1]))  # maybe\n"),
        ("main.py", "from shop.prices import total\nfrom vat import *\nprint(total([1]))  # maybe\n"),
        ("main.py", "from shop.prices import total\ndef f(total):\n    return total([1])\n"),
        (
            "main.py",
            "from shop.prices import total\ndef total(x):\n    return x\nprint(total([1]))  # maybe\n",
        ),
        (
            "main.py",
            "try:\n    from shop.prices import total\nexcept ImportError:\n    from vat import total\nprint(total([1]))  # maybe\n",
        ),
        ("main.py", "def f():\n    from shop.prices import total\n    return total([1])  # certain\n"),
        ("main.py", "def f():\n    from shop.prices import total\ndef g():\n    return total([1])\n"),
        ("main.py", "from shop import prices\ndef f(prices):\n    return prices.total([1])\n"),
        ("main.py", "from shop import prices\nprices = 1\nprint(prices.total([1]))  # maybe\n"),
        ("main.py", "from shop.prices import total\nmap(total, [])  # maybe\n"),
        ("main.py", "from shop.prices import total\nprint(total([1], 2))\n"),
    ],
)
def test_calls_in_other_files(path: str, text: str) -> None:
    check_python(text, path)


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("main.py", "from shop.prices import total  # certain\nprint(total([1]))  # certain\n"),
        ("main.py", "from shop.prices import total as t  # certain\nprint(t([1]))\n"),
        ("main.py", "from shop.prices import (\n    a,\n    total,  # certain\n)\n"),
        ("main.py", "import shop.prices\nprint(shop.prices.total([1]))  # certain\n"),
        ("main.py", "from shop import total  # maybe\nprint(total([1]))  # maybe\n"),
        ("shop/__init__.py", "from .prices import total  # maybe\n__all__ = ['total']  # maybe\n"),
    ],
)
def test_places_of_a_renamed_function(path: str, text: str) -> None:
    check_python(text, path, "def sum_all(items):")


def test_a_renamed_function_in_its_own_file() -> None:
    check_home("print(total([1]))  # certain\n__all__ = ['total']  # maybe\n", "def sum_all(items):")
    check_home("def f(sum_all):\n    return total([1])  # maybe\n", "def sum_all(items):")
    check_home("total = 1\nprint(total([1]))  # maybe\n", "def sum_all(items):")


def test_a_change_of_the_result_concerns_every_call() -> None:
    target, _ = callee(HOME.replace("items):", "items) -> int:"), "def total(items) -> str:")
    text = "from shop.prices import total\nprint(total([1]))  # certain\n"
    check(call_sites(split_lines(text), "python", target, path="main.py"), text)


@pytest.mark.parametrize(
    ("old", "new", "text"),
    [
        ("a, b=1", "a, c=2, b=1", "t(1)\nt(1, 2)  # certain\nt(1, b=2)\nt(*x)  # certain\n"),
        ("a, b", "b, a", "t(1, 2)  # certain\nt(a=1, b=2)\nt(1, b=2)  # certain\n"),
        ("a", "things", "t(1)\nt(a=1)  # certain\nt(things=1)\n"),
        ("a, b=1", "a, *, b=1", "t(1)\nt(1, 2)  # certain\nt(1, b=2)\n"),
        ("a, b=1", "a", "t(1)\nt(1, 2)  # certain\nt(1, b=2)  # certain\nt(1, **x)  # certain\n"),
    ],
)
def test_calls_that_mean_the_same_are_no_places(old: str, new: str, text: str) -> None:
    before = f"def t({old}):\n    return a\n"
    target, after = callee(before + text, f"def t({new}):")
    check(call_sites(split_lines(after), "python", target, path="shop/prices.py"), after)


def test_a_nested_function_is_used_in_its_parent_only() -> None:
    text = (
        "def outer():\n    def total(items, tax):\n        return items\n    return total(1)  # certain\n\n\n"
        "print(total(1))\n"
    )
    before = split_lines(text.replace(", tax", ""))
    (change,) = changed_signatures(before, split_lines(text), "python", old=(0, 4), new=(0, 4))
    target = Callee(change, "a.py")
    check(call_sites(split_lines(text), "python", target, path="a.py"), text)
    assert (
        call_sites(split_lines("from a import total\ntotal(1)\n"), "python", target, path="b.py")
        == CallSites()
    )


CLASS = """\
class Cart:
    def total(self, tax):
        return 1

    def show(self):
        print(self.total())  # certain
        return [self.total() for _ in ()]  # certain

    def other(self, cart):
        return cart.total()  # maybe

    def nested(self):
        def inner(self):
            return self.total()  # maybe
        return lambda: self.total()  # certain

    def value(self):
        return self.total  # maybe

    def rebound(self):
        self = other
        return self.total()  # maybe

    @staticmethod
    def static(self):
        return self.total()  # maybe

    class Inner:
        def show(self):
            return self.total()  # maybe


class Other:
    def show(self):
        return self.total()  # maybe
"""


def test_methods_are_certain_on_self_in_their_class() -> None:
    before = split_lines(CLASS.replace(", tax", ""))
    (change,) = changed_signatures(before, split_lines(CLASS), "python", old=(0, 40), new=(0, 40))
    target = Callee(change, "shop/cart.py")
    check(call_sites(split_lines(CLASS), "python", target, path="shop/cart.py"), CLASS)
    elsewhere = "cart.total()  # maybe\ntotal()\ncart.total(1)\n"
    check(call_sites(split_lines(elsewhere), "python", target, path="main.py"), elsewhere)


@pytest.mark.parametrize(
    ("text", "places"),
    [
        ("x = [\n    1,\n    total(1),\n]\n", [(2, 6)]),
        ("if (\n    total(1)\n):\n    pass\n", [(2, 5)]),
        ("if x:\n    pass\nelif total(1):\n    pass\n", [(4, 5)]),
        ("with open(total(1)) as a:\n    b\n", [(2, 3)]),
        ("def f(\n    x=total(1),\n):\n    pass\n", [(2, 5)]),
        ("total(total(1))\n", [(2, 3)]),
        ("total(1); total(2)\n", [(2, 3)]),
        ("def f():\n    return total(1)", [(3, 4)]),
    ],
)
def test_a_place_is_the_smallest_statement(text: str, places: list[tuple[int, int]]) -> None:
    target, after = callee(HOME + text, "def total(items, tax):")
    found = call_sites(split_lines(after), "python", target, path="shop/prices.py")
    assert [(each.start, each.end) for each in found.certain] == places


SCRIPT = "export function total(items) {\n  return items;\n}\n"


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("shop/prices.js", "console.log(total(1)); // certain\n"),
        ("shop/prices.js", "function f(total) {\n  return total(1);\n}\n"),
        ("shop/prices.js", "{\n  const total = f;\n  total(1);\n}\n"),
        ("shop/prices.js", "const f = () => total(1); // certain\n"),
        ("shop/prices.js", "items.map(total); // maybe\n"),
        ("shop/prices.js", "obj.total(1);\n"),
        ("shop/prices.js", "total(1, 2);\n"),
        ("main.js", 'import { total } from "./shop/prices";\ntotal(1); // certain\n'),
        ("main.js", 'import { total } from "./shop/prices.js";\ntotal(1); // certain\n'),
        ("main.js", 'import { total as t } from "./shop/prices";\nt(1); // certain\n'),
        ("main.js", 'import * as prices from "./shop/prices";\nprices.total(1); // certain\n'),
        ("main.js", 'const { total } = require("./shop/prices");\ntotal(1); // certain\n'),
        ("main.js", 'const { total: t } = require("./shop/prices");\nt(1); // certain\n'),
        ("main.js", 'const prices = require("./shop/prices");\nprices.total(1); // certain\n'),
        ("shop/a.js", 'import { total } from "./prices";\nif (x) total(1); // certain\n'),
        ("main.js", 'import { total } from "./vat/prices";\ntotal(1); // maybe\n'),
        ("main.js", 'import { total } from "vat";\ntotal(1);\n'),
        ("main.js", 'import { total } from "@/shop/prices";\ntotal(1); // maybe\n'),
        ("main.js", 'import { total } from "./shop/prices";\nfunction f({ total }) {\n  total(1);\n}\n'),
        ("main.js", 'import total from "./shop/prices";\ntotal(1);\n'),
        ("main.js", "total(1);\n"),
    ],
)
def test_javascript_calls(path: str, text: str) -> None:
    before = SCRIPT + text if path == "shop/prices.js" else SCRIPT
    target, after = callee(before, "export function total(items, tax) {", "javascript", "shop/prices.js", ())
    shown = after if path == "shop/prices.js" else text
    check(call_sites(split_lines(shown), "javascript", target, path=path), shown)


def test_a_default_export_has_the_name_of_its_import() -> None:
    before = "export default function total(items) {\n  return items;\n}\n"
    target, _ = callee(before, "export default function total(items, tax) {", "typescript", "a/prices.ts", ())
    text = 'import sum from "./a/prices";\nsum(1); // certain\n'
    check(call_sites(split_lines(text), "typescript", target, path="main.ts"), text)


def test_a_module_with_two_files_is_not_certain() -> None:
    files = ("shop/prices.js", "shop/prices.ts")
    target, _ = callee(SCRIPT, "export function total(items, tax) {", "typescript", "shop/prices.ts", files)
    text = 'import { total } from "./shop/prices";\ntotal(1); // maybe\n'
    check(call_sites(split_lines(text), "typescript", target, path="main.ts"), text)


def test_javascript_markup_and_renames() -> None:
    before = "export function Total(items) {\n  return items;\n}\n"
    target, _ = callee(before, "export function Sum(items) {", "javascriptreact", "shop/prices.jsx", ())
    text = (
        'import { Total } from "./shop/prices"; // certain\n'
        "Total(1); // certain\n"
        "const a = <Total />; // maybe\n"
        'export { Total } from "./shop/prices"; // maybe\n'
        'export * from "./shop/prices";\n'
    )
    check(call_sites(split_lines(text), "javascriptreact", target, path="main.jsx"), text)


SCRIPT_CLASS = """\
class Cart {
  total(tax) { return 1; }
  show() {
    this.total(); // certain
    [].map(() => this.total()); // certain
    [].map(function () { return this.total(); }); // maybe
    cart.total(); // maybe
  }
}
class Other { show() { this.total(); } } // maybe
"""


def test_javascript_methods() -> None:
    before = split_lines(SCRIPT_CLASS.replace("tax", ""))
    (change,) = changed_signatures(before, split_lines(SCRIPT_CLASS), "javascript", old=(0, 11), new=(0, 11))
    found = call_sites(split_lines(SCRIPT_CLASS), "javascript", Callee(change, "a.js"), path="a.js")
    check(found, SCRIPT_CLASS)


def test_a_constructor_is_called_with_new() -> None:
    text = "class Cart {\n  constructor(a, b) {}\n}\nconst c = new Cart(1); // certain\nclass D extends Cart {} // maybe\n"
    before = split_lines(text.replace("a, b", "a"))
    (change,) = changed_signatures(before, split_lines(text), "typescript", old=(0, 3), new=(0, 3))
    check(call_sites(split_lines(text), "typescript", Callee(change, "a.ts"), path="a.ts"), text)


GO = "func Total(items int) int {\n\treturn items\n}\n\nfunc (c *Cart) Sum() int { return 1 }\n"


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("shop/b.go", "package shop\n\nfunc f() int {\n\treturn Total(1) // certain\n}\n"),
        ("shop/b.go", "package shop\n\nfunc f(Total func(int) int) int {\n\treturn Total(1) // maybe\n}\n"),
        ("shop/b.go", "package shop\n\nfunc f() int {\n\tTotal := g\n\treturn Total(1) // maybe\n}\n"),
        ("shop/b.go", "package shop_test\n\nfunc f() int {\n\treturn Total(1)\n}\n"),
        ("shop/b.go", "package shop\n\nvar x = Total(1) // certain\nvar y = Total // maybe\n"),
        ("shop/b.go", "package shop\n\nvar x = T{Total: 1}\nvar y = a.Total(1)\n"),
        ("main.go", 'package main\n\nimport "m/shop"\n\nvar x = shop.Total(1) // certain\n'),
        ("main.go", 'package main\n\nimport s "m/shop"\n\nvar x = s.Total(1) // certain\n'),
        ("main.go", 'package main\n\nimport "other/shop"\n\nvar x = shop.Total(1)\n'),
        (
            "main.go",
            'package main\n\nimport "m/shop"\n\nfunc f(shop T) int {\n\treturn shop.Total(1) // maybe\n}\n',
        ),
        ("main.go", "package main\n\nvar x = Total(1)\n"),
        (
            "shop/b.go",
            "package shop\n\nfunc f() int {\n\tif Total(1) > 2 { // certain\n\t\treturn 1\n\t}\n\treturn 2\n}\n",
        ),
        ("shop/b.go", "package shop\n\nvar x = Total(1, 2)\n"),
        ("shop/b.go", "package shop\n\nvar x = Total(pair()) // certain\n"),
    ],
)
def test_go_calls(path: str, text: str) -> None:
    before = f"{GO}package shop\n"  # the first line is replaced
    target, _ = callee(
        before, "func Total(items, tax int) int {", "go", "shop/a.go", (), import_path="m/shop"
    )
    check(call_sites(split_lines(text), "go", target, path=path), text)


def test_go_methods_are_certain_on_the_receiver() -> None:
    text = (
        "package shop\n\nfunc (c *Cart) Sum(tax int) int { return 1 }\n"
        "func (c *Cart) Show() int { return c.Sum() } // certain\n"
        "func (c Cart) More() int { c := d; return c.Sum() } // maybe\n"
        "func (o *Other) Show() int { return o.Sum() } // maybe\n"
        "func f(c *Cart) int { return c.Sum() } // maybe\n"
    )
    before = split_lines(text.replace("tax int", ""))
    (change,) = changed_signatures(before, split_lines(text), "go", old=(0, 3), new=(0, 3))
    target = Callee(change, "shop/a.go", package="shop")
    check(call_sites(split_lines(text), "go", target, path="shop/a.go"), text)


def test_broken_and_hostile_code_has_no_error() -> None:
    target, _ = callee(HOME, "def total(items, tax):")
    for text in (
        "from shop.prices import total\ntotal(((((\n",
        "total(" * 3000,
        "from . import\n total",
        "\0total(1)",
    ):
        call_sites(split_lines(text), "python", target, path="main.py")
        call_sites(split_lines(text), "python", target, path="shop/prices.py")


@pytest.mark.parametrize(
    ("text", "calls"),
    [
        ("print(a.total([1]))\n", [((0, 8),)]),
        ("print(a.total([1]), b.total([2]))\n", [((0, 8), (0, 22))]),
        ("print(a.total([1]))\nprint(b.total([2]))\n", [((0, 8),), ((1, 8),)]),
        ("@a.total([1])\ndef f():\n    pass\n", [()]),
        ("total([1])\n", []),
    ],
)
def test_an_uncertain_place_has_the_names_of_its_calls(text: str, calls: list[object]) -> None:
    method = "class A:\n    def total(self, items):\n        return sum(items)\n"
    old, new = split_lines(method), split_lines(method.replace("items)", "items, tax)", 1))
    (change,) = changed_signatures(old, new, "python", old=(0, len(old)), new=(0, len(new)))
    found = call_sites(split_lines(text), "python", Callee(change, "prices.py"), path="shop.py")
    assert [each.calls for each in found.uncertain] == calls


def test_an_uncertain_place_of_go_has_the_names_of_its_calls() -> None:
    before = "package shop\n\nfunc (c *Cart) Total(items int) int { return items }\n"
    old, new = split_lines(before), split_lines(before.replace("items int", "items, tax int"))
    (change,) = changed_signatures(old, new, "go", old=(0, len(old)), new=(0, len(new)))
    text = "package shop\n\nfunc show(c Cart) {\n\tprint(c.Total(1))\n\tf := c.Total\n}\n"
    found = call_sites(split_lines(text), "go", Callee(change, "cart.go", package="shop"), path="show.go")
    assert [each.calls for each in found.uncertain] == [((3, 9),), ()]
