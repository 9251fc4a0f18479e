"""A rename touches every occurrence of the name and nothing else, or is refused."""

from __future__ import annotations

import pytest
from tests.rules.rule_checks import check, check_refused


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("def f(x): return x¦", "def f(y): return y"),
        ("def f():¦\n    x = 'x'  # x\n    return x", "def f():\n    y = 'x'  # x\n    return y"),
        ("def f(x): g(x=x, a=x.x)¦", "def f(y): g(x=y, a=y.x)"),
        ("def f(x): return f(x=x)¦", "def f(y): return f(y=y)"),
        ("class A:¦\n def f(self, x): self.f(x=x)", "class A:\n def f(self, y): self.f(y=y)"),
        ("def f(x): self.x = x¦", "def f(y): self.x = y"),
        ("def f(x): return f'{x} x {x!r:>{x}}'¦", "def f(y): return f'{y} x {y!r:>{y}}'"),
        ("def f(a):¦\n    for x in a: print(x)", "def f(a):\n    for y in a: print(y)"),
        ("def f(a): return [x for x in a]¦", "def f(a): return [y for y in a]"),
        ("def f(x, a=lambda x: x): return x¦", "def f(y, a=lambda y: y): return y"),
        ("def f(a):¦\n    with a as x: x()", "def f(a):\n    with a as y: y()"),
        ("def f(a):¦\n    import b as x\n    x()", "def f(a):\n    import b as y\n    y()"),
        ("def x(): return x()¦", "def y(): return y()"),
        ("class x: a: 'x'¦", "class y: a: 'y'"),
        ("class A:\n    def x(self): return 1¦", "class A:\n    def y(self): return 1"),
        ("x = 1\ndef f():\n    global x\n    x = 2\n", "y = 1\ndef f():\n    global y\n    y = 2\n"),
        ("def f(é, x): return é + x, 'é', x¦", "def f(é, y): return é + y, 'é', y"),
        ("def f(x): return x¦\n\ng(x=1)\nx = 2\n", "def f(y): return y\n\ng(x=1)\nx = 2\n"),
        ("def f(x): return [x for a in x if (b := x)]¦", "def f(y): return [y for a in y if (b := y)]"),
        ("def f(a): return [(x := b) for b in a] + x¦", "def f(a): return [(y := b) for b in a] + y"),
        ("def f(a):\n    x = 1\n    partial(g, x=x)¦", "def f(a):\n    y = 1\n    partial(g, x=y)"),
        ("def f(x):¦\r\n    return x\r\n", "def f(y):\r\n    return y\r\n"),
    ],
)
def test_python_variables_are_renamed(text: str, expected: str) -> None:
    check("rename x to y", text, expected)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("def f(y): return y¦", "x does not occur as a name"),
        ("def f(): 'x'  # x¦", "x does not occur as a name"),
        ("def f(): return x¦", "x is defined outside these lines"),
        ("def f(x, y): return x¦", "y is already used"),
        ("def f(a): return a(lambda x: x, x)¦", "x is defined outside"),
        ("def f(a): return [x for x in x]¦", "x is defined outside"),
        ("def f(x=x): return x¦", "x is defined outside"),
        ("def f(x: x): return x¦", "x is defined outside"),
        ("def f(a):\n    class A:\n        x = 1¦\n    return x", "x is both a member and another name"),
        ("def f(a):¦\n    g(x)\n    def h(): x = 1\n", "x is defined outside"),
        ("def x(): return 1¦\n\nx()\n", "x is also used outside these lines"),
        ("def x(): return 1¦\n\ny()\n", "y is also used outside these lines"),
        ("def f(x): return x¦\n\nf(x=1)\n", "a call outside these lines may pass x by name"),
        ("def f(x): return x + y¦", "y is already used"),
        ("def f():¦\n    global x\n    x = 1", "x is defined outside these lines"),
        ("def f():¦\n    import x\n    x()", "x is imported"),
        ("def f():¦\n    from a import x\n    x()", "x is imported"),
        (
            "def f(self): return self.x¦",
            'x occurs only as an attribute in these lines; write "rename self.x to y"',
        ),
        ("class A:\n    def x(self): return x(1)¦", "x is both a member and another name"),
        ("class A:¦\n    x = 1\n    def f(self): return self.x", 'write "rename self.x to y"'),
        ("def f(x): return locals()¦", "uses eval, exec, locals or vars"),
        ("class A:¦\n    def f(self, x): other.f(x=1)", "other.f(…) passes x by name"),
        (
            "class A:¦\n    def __init__(self, x): pass\n    def g(self): return A(x=1)",
            "A(…) passes x by name",
        ),
        ("def f(x): return partial(f, x=1)¦", "partial(…) passes x by name"),
        ("def f(x:¦\n    pass", "syntax error"),
        ("class A:\n    def x(self): ¦return 1\n\nA().x()\n", "x is also used outside these lines"),
        ("class A:¦\n    def f(self, x): pass\n    def g(cls): cls(x=1)", "cls(…) passes x by name"),
        ("class A:¦\n    def f(self, x): super(x=1)", "super(…) passes x by name"),
        ("class A:¦\n    def f(self, x): g()(x=1)", "(…) passes x by name"),
    ],
)
def test_uncertain_python_renames_are_refused(text: str, words: str) -> None:
    check_refused("rename x to y", text, words)


def test_a_new_name_must_be_an_identifier() -> None:
    check_refused("rename x to class", "def f(x): pass¦", "class cannot be a name in this language")
    check_refused("rename x to await", "function f(x) {¦}", "await cannot be a name", "javascript")
    check_refused("rename x to $y", "def f(x): pass¦", "$y cannot be a name")


def test_the_same_name_changes_nothing() -> None:
    check("rename x to x", "def f(x): pass¦", "def f(x): pass")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("def f(self, x): self.x = x; self.a.x¦", None),
        ("def f(self, x): self.x = x¦", "def f(self, x): self.y = x"),
        (
            "class A:¦\n    x = 1\n    def f(self): self.x += 1\n",
            "class A:\n    y = 1\n    def f(self): self.y += 1\n",
        ),
        (
            "class A:¦\n    def x(self): return self.x()\n",
            "class A:\n    def y(self): return self.y()\n",
        ),
    ],
)
def test_an_attribute_is_renamed_where_its_owner_is_named(text: str, expected: str | None) -> None:
    if expected is None:
        check_refused("rename self.x to self.y", text, "may be the same attribute")
    else:
        check("rename self.x to self.y", text, expected)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("def f(self, x): return x¦", "self.x does not occur"),
        ("def f(o): return o.x¦", "self.x does not occur"),
        ("def f(self, o): return self.x == o.x¦", "o.x may be the same attribute as self.x"),
        ("def f(self): return self.x + self.y¦", "y is already used"),
        ("class A:¦\n    __slots__ = ('x',)\n    def f(self): self.x", "named without self"),
        ("class A:¦\n    x: int\n    def f(self): return A(x=self.x)", "also used without self"),
    ],
)
def test_an_attribute_is_refused_where_it_is_not_certain(text: str, words: str) -> None:
    check_refused("rename self.x to y", text, words)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "function f(x) { return x + 'x' + `${x} x` } // x¦",
            "function f(y) { return y + 'x' + `${y} x` } // x",
        ),
        (
            "function f(x) { return {x, a: x, x: 1, b: {x}} }¦",
            "function f(y) { return {x: y, a: y, x: 1, b: {x: y}} }",
        ),
        ("function f({x}) { return x }¦", "function f({x: y}) { return y }"),
        ("function f({x = 1}) { return x }¦", "function f({x: y = 1}) { return y }"),
        ("function f({x: {x}}) { return x.x }¦", "function f({x: {x: y}}) { return y.x }"),
        (
            "function f(a) { const [x, ...z] = a; return x }¦",
            "function f(a) { const [y, ...z] = a; return y }",
        ),
        ("const f = x => x.x;¦", "const f = y => y.x;"),
        (
            "function f() { x: for (;;) { let x = 1; break x } }¦",
            "function f() { x: for (;;) { let y = 1; break x } }",
        ),
        ("function f() { try {} catch (x) { throw x } }¦", "function f() { try {} catch (y) { throw y } }"),
        ("import x from 'x';\nx();\n", "import y from 'x';\ny();\n"),
        ("const x = 1;\nexport {x as z};\n", "const y = 1;\nexport {y as z};\n"),
        ("const x = 1;\nexport {x};\n", "const y = 1;\nexport {y as x};\n"),
        ("const x = 1;\nexport {x as x} from 'm';\n", "const y = 1;\nexport {x as x} from 'm';\n"),
        (
            "function f(a) { if (a) { var x = 1 } return x }¦",
            "function f(a) { if (a) { var y = 1 } return y }",
        ),
        ("class A { m(x) { this.x = x } }¦", "class A { m(y) { this.x = y } }"),
    ],
)
def test_javascript_variables_are_renamed(text: str, expected: str) -> None:
    check("rename x to y", text, expected, "javascript")


@pytest.mark.parametrize(
    ("instruction", "text", "words"),
    [
        ("rename x to y", "import {x} from 'm';\nx();\n", "x is imported"),
        (
            "rename x to y",
            "class A {¦ constructor(private x: T) { x() } }",
            "x is both a member and another name",
        ),
        (
            "rename Box to box",
            "const Box = () => 1;\nconst a = <Box/>;\n",
            "JSX reads box as an HTML element",
        ),
        (
            "rename this.x to y",
            "class A {¦ x = 1; m() { const {x} = this; return this.x } }",
            "named without this",
        ),
    ],
)
def test_uncertain_javascript_renames_are_refused(instruction: str, text: str, words: str) -> None:
    check_refused(instruction, text, words, "typescriptreact")


def test_a_component_is_renamed_with_its_tags() -> None:
    check(
        "rename Box to Card",
        "const Box = () => <div box='Box'><p>Box</p></div>;\nconst a = <Box><Box.Item/></Box>;\n",
        "const Card = () => <div box='Box'><p>Box</p></div>;\nconst a = <Card><Card.Item/></Card>;\n",
        "javascriptreact",
    )


def test_types_and_values_of_a_name_are_renamed_together() -> None:
    check(
        "rename User to Person",
        "interface User { User: User }\nconst u: User = { User: null as User };\n",
        "interface Person { User: Person }\nconst u: Person = { User: null as Person };\n",
        "typescript",
    )


def test_attributes_of_this_are_renamed() -> None:
    text = "class A {¦ x = 1; m() { return this.x } }"
    check("rename this.x to y", text, "class A { y = 1; m() { return this.y } }", "javascript")
    text = "class A {¦ x = 1; m(x) { return this.x } }"
    check_refused("rename this.x to y", text, "also used without this", "javascript")
