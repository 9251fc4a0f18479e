"""An answer that removes bodies, methods or names gets a finding."""

from __future__ import annotations

import pytest
from tests.gate.judged import judged

CART = """\
class Cart:
    def total(self):
        return sum(self.items)

    def add(self, item):
        self.items.append(item)

    def clear(self):
        self.items = []
"""


@pytest.mark.parametrize("nothing", ["pass", "...", "# as before", '"""Add."""', "raise NotImplementedError"])
def test_a_body_that_does_nothing_any_more_is_reported(nothing: str) -> None:
    new = CART.replace("self.items.append(item)", nothing)
    expected = [("emptied-body", 4, 'the body of the function "add" was removed')]
    if nothing.startswith("#"):
        new += "\n"
    assert [each for each in judged(CART, new) if each[0] == "emptied-body"] == expected


@pytest.mark.parametrize(
    ("language_id", "old", "new"),
    [
        ("typescript", "function f() {\n  return g();\n}\n", "function f() {\n  // later\n}\n"),
        ("go", "func f() int {\n\treturn g()\n}\n", "func f() int {\n}\n"),
        ("rust", "fn f() -> u8 {\n    g()\n}\n", "fn f() -> u8 {\n    todo!()\n}\n"),
        ("java", "class A {\n  int f() {\n    return g();\n  }\n}\n", "class A {\n  int f() {\n  }\n}\n"),
    ],
)
def test_an_emptied_body_is_known_in_other_languages(language_id: str, old: str, new: str) -> None:
    assert [code for code, _, _ in judged(old, new, language_id)] == ["emptied-body"]


def test_a_stub_that_was_one_before_and_a_body_that_is_small_are_fine() -> None:
    stub = "def f():\n    ...\n"
    assert judged(stub, "def f():\n    pass\n") == []
    assert judged(CART, CART.replace("sum(self.items)", "0")) == []
    assert judged("const f = () => { return g(); };\n", 'const f = () => "";\n', "javascript") == []


def test_a_method_that_is_gone_is_reported_where_it_stood() -> None:
    new = CART.replace("    def add(self, item):\n        self.items.append(item)\n\n", "")
    assert judged(CART, new) == [("dropped-definition", 4, 'the function "add" was removed here')]


def test_a_class_that_is_gone_is_named_and_not_each_of_its_methods() -> None:
    text = f"{CART}\n\nclass Other:\n    def total(self):\n        return 1\n"
    assert judged(text, "class Other:\n    def total(self):\n        return 1\n") == [
        ("dropped-definition", 0, 'the class "Cart" was removed here')
    ]


def test_what_is_in_classes_in_a_class_that_is_gone_is_not_named() -> None:
    old = "class A:\n    class B:\n        class C:\n            def f(self):\n                return 1\n\n\nx = 1\n"
    assert judged(old, "x = 1\n") == [("dropped-definition", 0, 'the class "A" was removed here')]


def test_of_two_methods_with_one_name_the_one_that_is_gone_counts() -> None:
    text = f"{CART}\n\nclass Other:\n    def total(self):\n        return 1\n\n    def more(self):\n        return 2\n"
    new = text.replace("    def total(self):\n        return 1\n\n", "")
    assert judged(text, new) == [("dropped-definition", 12, 'the function "total" was removed here')]


def test_a_method_that_moved_or_is_in_a_renamed_class_is_not_lost() -> None:
    first, second = CART.index("    def add"), CART.index("    def clear")
    moved = CART[:first] + CART[second:] + "\n" + CART[first:second]
    assert judged(CART, moved) == []
    assert [code for code, _, _ in judged(CART, CART.replace("Cart", "Basket"))] == ["dropped-definition"]


def test_a_helper_inside_of_a_function_is_that_functions_own_affair() -> None:
    old = "def f():\n    def help():\n        return 1\n    return help()\n"
    assert judged(old, "def f():\n    return 1\n") == []


def test_the_scopes_own_name_is_reported_once() -> None:
    old, new = "def total():\n    return 1\n", "def sum_up():\n    return 1\n"
    assert judged(old, new, kind="function", name="total") == [
        ("name-gone", 0, 'the function "total" was removed or renamed; code that uses this name will fail')
    ]
    assert judged(old, old, kind="function", name="total") == []
