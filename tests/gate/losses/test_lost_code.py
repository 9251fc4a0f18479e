"""An answer that removes bodies, methods or names gets a finding."""

from __future__ import annotations

import pytest
from tests.gate.answer_findings import findings_of

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
def test_an_emptied_body_is_reported(nothing: str) -> None:
    new = CART.replace("self.items.append(item)", nothing)
    expected = [("emptied-body", 4, 'the body of the function "add" was removed')]
    if nothing.startswith("#"):
        new += "\n"
    assert [each for each in findings_of(CART, new) if each[0] == "emptied-body"] == expected


@pytest.mark.parametrize(
    ("language_id", "old", "new"),
    [
        ("typescript", "function f() {\n  return g();\n}\n", "function f() {\n  // later\n}\n"),
        ("go", "func f() int {\n\treturn g()\n}\n", "func f() int {\n}\n"),
        ("rust", "fn f() -> u8 {\n    g()\n}\n", "fn f() -> u8 {\n    todo!()\n}\n"),
        ("java", "class A {\n  int f() {\n    return g();\n  }\n}\n", "class A {\n  int f() {\n  }\n}\n"),
    ],
)
def test_an_emptied_body_is_reported_in_other_languages(language_id: str, old: str, new: str) -> None:
    assert [code for code, _, _ in findings_of(old, new, language_id)] == ["emptied-body"]


def test_existing_stubs_and_short_bodies_are_not_reported() -> None:
    stub = "def f():\n    ...\n"
    assert findings_of(stub, "def f():\n    pass\n") == []
    assert findings_of(CART, CART.replace("sum(self.items)", "0")) == []
    assert findings_of("const f = () => { return g(); };\n", 'const f = () => "";\n', "javascript") == []


def test_a_removed_method_is_reported_at_its_old_place() -> None:
    new = CART.replace("    def add(self, item):\n        self.items.append(item)\n\n", "")
    assert findings_of(CART, new) == [("dropped-definition", 4, 'the function "add" was removed here')]


def test_a_definition_that_was_renamed_as_the_instruction_says_is_not_reported() -> None:
    words = frozenset({"rename", "add", "put", "Cart", "Basket"})
    for old, name in (("add", "put"), ("Cart", "Basket")):
        new = CART.replace(old, name)
        assert findings_of(CART, new, instruction_words=words) == []
        assert [code for code, _, _ in findings_of(CART, new)] == ["dropped-definition"]


def test_a_removed_class_is_reported_without_its_methods() -> None:
    text = f"{CART}\n\nclass Other:\n    def total(self):\n        return 1\n"
    assert findings_of(text, "class Other:\n    def total(self):\n        return 1\n") == [
        ("dropped-definition", 0, 'the class "Cart" was removed here')
    ]


def test_members_of_nested_removed_classes_are_not_reported() -> None:
    old = "class A:\n    class B:\n        class C:\n            def f(self):\n                return 1\n\n\nx = 1\n"
    assert findings_of(old, "x = 1\n") == [("dropped-definition", 0, 'the class "A" was removed here')]


def test_a_removed_namesake_of_a_method_is_reported() -> None:
    text = f"{CART}\n\nclass Other:\n    def total(self):\n        return 1\n\n    def more(self):\n        return 2\n"
    new = text.replace("    def total(self):\n        return 1\n\n", "")
    assert findings_of(text, new) == [("dropped-definition", 12, 'the function "total" was removed here')]


def test_a_moved_method_is_not_reported_as_removed() -> None:
    first, second = CART.index("    def add"), CART.index("    def clear")
    moved = CART[:first] + CART[second:] + "\n" + CART[first:second]
    assert findings_of(CART, moved) == []
    assert [code for code, _, _ in findings_of(CART, CART.replace("Cart", "Basket"))] == [
        "dropped-definition"
    ]


def test_a_removed_nested_helper_is_not_reported() -> None:
    old = "def f():\n    def help():\n        return 1\n    return help()\n"
    assert findings_of(old, "def f():\n    return 1\n") == []


def test_the_scopes_own_name_is_reported_once() -> None:
    old, new = "def total():\n    return 1\n", "def sum_up():\n    return 1\n"
    assert findings_of(old, new, kind="function", name="total") == [
        ("name-gone", 0, 'the function "total" was removed or renamed; code that uses this name will fail')
    ]
    assert findings_of(old, old, kind="function", name="total") == []
