"""Which edits of a definition concern its callers, in tables of the old code, the new code and what is reported."""

from __future__ import annotations

import pytest

from twospeed.syntax.callers.signatures import ChangedSignature, changed_signatures
from twospeed.text.lines import split_lines


def changes(before: str, after: str, language_id: str = "python") -> tuple[ChangedSignature, ...]:
    old, new = split_lines(before), split_lines(after)
    return changed_signatures(old, new, language_id, old=(0, len(old)), new=(0, len(new)))


def shown(before: str, after: str, language_id: str = "python") -> list[str]:
    return [f"{each.old_signature} => {each.new_signature}" for each in changes(before, after, language_id)]


BODY = "\n    return sum(items)\n"


def function(head: str) -> str:
    return f"def {head}:{BODY}"


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("total(items)", "total(items, tax)", "total(items) => total(items, tax)"),
        ("total(items, tax)", "total(tax, items)", "total(items, tax) => total(tax, items)"),
        ("total(items, tax)", "total(items)", "total(items, tax) => total(items)"),
        ("total(items)", "total(items, *, tax)", "total(items) => total(items, tax)"),
        ("total(items, tax=1)", "total(items, *, tax=1)", "total(items, tax=1) => total(items, tax=1)"),
        ("total(items, tax=1)", "total(items, tax)", "total(items, tax=1) => total(items, tax)"),
        ("total(items)", "total(things)", "total(items) => total(things)"),
        ("total(items)", "total(tax=1, items=())", "total(items) => total(tax=1, items=())"),
        ("total(items, *more)", "total(items)", "total(items, *more) => total(items)"),
        ("total(*more)", "total(items=1, *more)", "total(*more) => total(items=1, *more)"),
        ("total(items, **more)", "total(items)", "total(items, **more) => total(items)"),
        ("total(*, tax)", "total(*, rate)", "total(tax) => total(rate)"),
        ("total(*, tax)", "total(**more)", "total(tax) => total(**more)"),
        ("total(items)", "total(items, /)", "total(items) => total(items)"),
        ("total(items) -> int", "total(items) -> str", "total(items) -> int => total(items) -> str"),
        ("total(items)", "sum_all(items)", "total(items) => sum_all(items)"),
        ("total(items)", "sum_all(items, tax)", "total(items) => sum_all(items, tax)"),
    ],
)
def test_a_change_that_concerns_callers_is_reported(old: str, new: str, expected: str) -> None:
    assert shown(function(old), function(new)) == [expected]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("total(items)", "total(items, tax=0.2)"),
        ("total(items)", "total(items, *, tax=0.2)"),
        ("total(items)", "total(items, *more)"),
        ("total(items)", "total(items, **more)"),
        ("total(items)", "total(items: list[int])"),
        ("total(items: list)", "total(items: tuple)"),
        ("total(items)", "total(items) -> int"),
        ("total(items)", "total(items=())"),
        ("total(items, /)", "total(things, /)"),
        ("total(items, /)", "total(items)"),
        ("total(*items)", "total(*things)"),
        ("total(*, tax)", "total(tax)"),
        ("total(*, tax, rate=1)", "total(*, rate=2, tax)"),
    ],
)
def test_a_change_that_callers_need_not_know_is_none(old: str, new: str) -> None:
    assert shown(function(old), function(new)) == []


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (function("total(items)"), "def total(items):\n    '''The sum.'''\n    return 2 * sum(items)\n"),
        (function("total(items)"), ""),
        ("", function("total(items)")),
        (
            function("total(items)"),
            "def other(path):\n    with open(path) as file:\n        return file.read()\n",
        ),
        (function("total(items)") * 2, function("total(items, tax)") * 2),
        (
            "class A:\n    def __eq__(self, other):\n        return 1\n",
            "class A:\n    def __eq__(self, o):\n        return 1\n",
        ),
        (
            "class A:\n    @property\n    def a(self):\n        return 1\n",
            "class A:\n    @property\n    def b(self):\n        return 1\n",
        ),
        ("def a(x):\n    pass\n", "def b(y):\n    pass\n"),
    ],
)
def test_other_edits_are_no_changes(before: str, after: str) -> None:
    assert shown(before, after) == []


def test_an_async_function_must_be_awaited() -> None:
    assert shown(function("total(items)"), f"async {function('total(items)')}") == [
        "total(items) => async total(items)"
    ]


CLASS = "class Cart:\n    def __init__(self, items):\n        self.items = items\n\n    def total(self):\n        return sum(self.items)\n"


def test_a_method_has_its_class_and_no_self() -> None:
    (change,) = changes(CLASS, CLASS.replace("total(self)", "total(self, tax)"))
    assert (change.kind, change.within, change.old_signature, change.new_signature) == (
        "method",
        ("Cart",),
        "Cart.total()",
        "Cart.total(tax)",
    )


def test_the_parameters_of_a_constructor_are_those_of_its_class() -> None:
    (change,) = changes(CLASS, CLASS.replace("(self, items)", "(self, items, tax)"))
    assert (change.kind, change.old_name, change.within, change.old_signature, change.new_signature) == (
        "class",
        "Cart",
        (),
        "Cart(items)",
        "Cart(items, tax)",
    )


def test_a_renamed_class_with_another_constructor_is_one_change() -> None:
    new = CLASS.replace("Cart", "Basket").replace("(self, items)", "(self, items, tax)")
    assert shown(CLASS, new) == ["Cart(items) => Basket(items, tax)"]
    assert shown(CLASS, CLASS.replace("Cart", "Basket")) == ["Cart => Basket"]


def test_a_nested_function_is_not_public() -> None:
    before = "def outer():\n    def inner(a):\n        return a\n    return inner(1)\n"
    (change,) = changes(before, before.replace("inner(a)", "inner(a, b)"))
    assert (change.within, change.is_public) == (("outer",), False)


def test_a_renamed_function_is_found_between_the_same_neighbours() -> None:
    around = ["def one(a):\n    return a + 1\n\n\n", "\n\ndef two(b):\n    return b * 2\n"]
    before = around[0] + function("total(items)") + around[1]
    assert shown(before, before.replace("total", "sum_all")) == ["total(items) => sum_all(items)"]
    moved = around[0] + around[1] + "\n\n" + function("sum_all(items)")
    assert shown(before, moved) == []


def test_only_definitions_in_the_lines_of_the_edit_are_compared() -> None:
    before = split_lines(function("one(items)") + function("two(items)"))
    after = split_lines(function("one(items, a)") + function("two(items, a)"))
    (change,) = changed_signatures(before, after, "python", old=(2, 4), new=(2, 4))
    assert (change.new_name, change.line) == ("two", 2)


@pytest.mark.parametrize("language_id", ["javascript", "javascriptreact", "typescript", "typescriptreact"])
@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        ("function t(a) { return a; }", "function t(a, b) { return a; }", ["t(a) => t(a, b)"]),
        ("function t(a, b) { return a; }", "function t(b, a) { return a; }", ["t(a, b) => t(b, a)"]),
        ("const t = (a) => a + 1;", "const t = (a, b) => a + 1;", ["t(a) => t(a, b)"]),
        ("const t = a => a + 1;", "const t = (a, b) => a + 1;", ["t(a) => t(a, b)"]),
        ("const t = (a) => a + 1;", "const u = (a) => a + 1;", ["t(a) => u(a)"]),
        ("function t({a}) { return a; }", "function t({a, b}) { return a; }", ["t({a}) => t({a, b})"]),
        ("function t(a) { return a; }", "function t(a, b = 1) { return a; }", []),
        ("function t(a) { return a; }", "function t(c) { return c; }", []),
        ("function t(a) { return a; }", "function t(a, ...b) { return a; }", []),
        ("class C { m(a) { return a; } }", "class C { m(a, b) { return a; } }", ["C.m(a) => C.m(a, b)"]),
        ("class C { constructor(a) {} }", "class C { constructor(a, b) {} }", ["C(a) => C(a, b)"]),
        ("class C { get m() { return 1; } }", "class C { get n() { return 1; } }", []),
        ("function t(a) { return a; }", "async function t(a) { return a; }", ["t(a) => async t(a)"]),
        ("export function t(a) { return a; }", "export function t(a, b) { return a; }", ["t(a) => t(a, b)"]),
    ],
)
def test_javascript(language_id: str, before: str, after: str, expected: list[str]) -> None:
    assert shown(before, after, language_id) == expected


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        (
            "function t(a: A): B { return a }",
            "function t(a: A): C { return a }",
            ["t(a: A) -> B => t(a: A) -> C"],
        ),
        ("function t(a: A) { return a }", "function t(a: B) { return a }", []),
        ("function t(a: A) { return a }", "function t(a: A, b?: B) { return a }", []),
        ("function t(a: A) { return a }", "function t(this: X, a: A) { return a }", []),
        (
            "class C { m = (a: A) => 1 }",
            "class C { m = (b: B, a: A) => 1 }",
            ["C.m(a: A) => C.m(b: B, a: A)"],
        ),
    ],
)
def test_typescript(before: str, after: str, expected: list[str]) -> None:
    assert shown(before, after, "typescript") == expected


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        ("func T(a int)", "func T(a int, b string)", ["T(a int) => T(a int, b string)"]),
        ("func T(a, b int)", "func T(b, a int)", ["T(a int, b int) => T(b int, a int)"]),
        ("func T(a int)", "func T(a string)", ["T(a int) => T(a string)"]),
        ("func T(a int) int", "func T(a int) (int, error)", ["T(a int) -> int => T(a int) -> (int, error)"]),
        ("func (c *C) T(a int)", "func (c *C) T()", ["C.T(a int) => C.T()"]),
        ("func T(a int)", "func Sum(a int)", ["T(a int) => Sum(a int)"]),
        ("func T(a int)", "func T(number int)", []),
        ("func T(a int)", "func T(a int, more ...string)", []),
        ("func (c *C) T(a int)", "func (d *C) T(a int)", []),
    ],
)
def test_go(before: str, after: str, expected: list[str]) -> None:
    text = "package shop\n\n{} {{\n\tpanic(1 + 2 + 3)\n}}\n"
    assert shown(text.format(before), text.format(after), "go") == expected


def test_other_languages_have_no_changes() -> None:
    assert shown("fn t(a: i32) {}\n", "fn t(a: i32, b: i32) {}\n", "rust") == []


def test_code_of_a_class_in_tabs_with_other_line_ends_is_compared() -> None:
    before = CLASS.replace("    ", "\t").replace("\n", "\r\n")
    assert shown(before, before.replace("total(self)", "total(self, tax)")) == [
        "Cart.total() => Cart.total(tax)"
    ]
