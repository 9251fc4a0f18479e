"""Each identifier is classified; a rename depends on nothing else."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.syntax.work import parse_without_limit

from twospeed.rules.facts.gather import code_facts, gather_facts
from twospeed.syntax.identifiers.identifier import Identifier
from twospeed.syntax.identifiers.roles import identifier_at
from twospeed.syntax.trees.trees import parse
from twospeed.text.code.scope import Scope
from twospeed.text.lines import split_lines


def identifiers(language_id: str, text: str, start: int = 0, end: int | None = None) -> list[Identifier]:
    lines = split_lines(text)
    facts = code_facts(lines, language_id, Scope("selection", None, start, end or len(lines)))
    assert facts
    return list(facts.identifiers)


def check(language_id: str, text: str, expected: str) -> None:
    """``"a:definition f.a:attribute {b}:reference"``: names in order; what is left out is a reference."""
    shown: list[str] = []
    source = parse(language_id, split_lines(text))
    assert source
    for one in identifiers(language_id, text):
        alone = identifier_at(source, *one.span.start)
        assert alone
        assert replace(alone, scope=0) == replace(one, scope=0)
        name = f"{one.owner}.{one.name}" if one.owner else one.name
        name = f"{{{name}}}" if one.is_shorthand else name
        shown.append(name if one.role == "reference" else f"{name}:{one.role}")
    assert " ".join(shown) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("x = y", "x:definition y"),
        ("x: T = y", "x:definition T y"),
        ("x += y", "x:definition y"),
        ("a, (b, *c) = d", "a:definition b:definition c:definition d"),
        ("[a, b] = d", "a:definition b:definition d"),
        ("a.b = c[d]", "a a.b:attribute c d"),
        ("a().b.c", "a b:attribute c:attribute"),
        ("f(x=x, *y, **z)", "f f.x:keyword x y z"),
        ("a.f(x=1)", "a a.f:attribute a.f.x:keyword"),
        ("g()(x=1)", "g x:keyword"),
        ("class A(B, metaclass=M): pass", "A:definition B metaclass:keyword M"),
        ("for i, j in k: pass", "i:definition j:definition k"),
        ("[i for i in j if i]", "i i:definition j i"),
        ("{k: v for k, v in d}", "k v k:definition v:definition d"),
        ("with a as b, c as (d, e): pass", "a b:definition c d:definition e:definition"),
        ("try: pass\nexcept E as e: pass", "E e:definition"),
        ("if (n := f()): pass", "n:definition f"),
        ("lambda a, *b, c=d: a", "a:definition b:definition c:definition d a"),
        (
            "def f(a, b: T, c=1, *e, g, **h) -> R: pass",
            "f:definition a:definition b:definition T c:definition e:definition g:definition h:definition R",
        ),
        ("import a.b", "a:import b:import"),
        ("import a as b", "a:import b:definition"),
        ("from a import b, c as d", "a:import b:import c:import d:definition"),
        ("from . import b", "b:import"),
        ("from __future__ import annotations", "annotations:import"),
        ("def f():\n    global a\n    nonlocal b", "f:definition a:global b:global"),
        ("del x", "x"),
        ("@a.b(c)\ndef f(): pass", "a a.b:attribute c f:definition"),
        ("f'{x!r:>{w}} {y=}' 'z' # z", "x w y"),
        ("match a:\n    case B(c=d) as e: pass", "a B c:keyword d:definition e:definition"),
        ("match a:\n    case b.C | D(): pass", "a b b.C:attribute D"),
        ("match a:\n    case [b, *c]: pass", "a b:definition c:definition"),
        ("match a:\n    case {'k': b, **c}: pass", "a b:definition c:definition"),
        ("match a:\n    case b: pass", "a b:definition"),
        (
            "class A:\n    x = 1\n    def f(self): y = x",
            "A:definition x:member f:member self:definition y:definition x",
        ),
        (
            "def f():\n    class A:\n        def g(self): pass",
            "f:definition A:definition g:member self:definition",
        ),
        ("class A:\n    class B: pass", "A:definition B:member"),
    ],
)
def test_python_names_have_roles(text: str, expected: str) -> None:
    check("python", text, expected)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("const a = b, c = 1;", "a:definition b c:definition"),
        ("a = b;", "a b"),
        (
            "const {a, b: c, d = e, ...f} = g",
            "{a}:definition b:key c:definition {d}:definition e f:definition g",
        ),
        ("const {a: {b}} = c", "a:key {b}:definition c"),
        ("const [a, , b = c] = d", "a:definition b:definition c d"),
        ("({a, b: c, [d]: e, f() {}, get g() {}})", "{a} b:key c d e f:key g:key"),
        ("({a, b: c} = d)", "{a} b:key c d"),
        (
            "a.b.c; this.d; super.e; a?.f; a[g]",
            "a a.b:attribute c:attribute this.d:attribute super.e:attribute a a.f:attribute a g",
        ),
        (
            "function f(a, {b}, [c], d = e, ...g) {}",
            "f:definition a:definition {b}:definition c:definition d:definition e g:definition",
        ),
        ("const f = a => a", "f:definition a:definition a"),
        ("(function f() {})", "f:definition"),
        (
            "class A extends B { x = 1; #y = 2; m(a) { this.#y } static { c } }",
            "A:definition B x:member #y:member m:member a:definition this.#y:attribute c",
        ),
        ("try {} catch (e) { e }", "e:definition e"),
        ("try {} catch ({message}) {}", "{message}:definition"),
        ("for (const a of b) {}", "a:definition b"),
        ("for (const [a, c] of b) {}", "a:definition c:definition b"),
        ("for (a of b) {}", "a b"),
        ("import a, {b, c as d} from 'm'", "a:definition b:import c:import d:definition"),
        ("import * as a from 'm'", "a:definition"),
        ("export {a, b as c}", "a:export b c:key"),
        ("lab: for (;;) { break lab }", ""),
        ("`a ${b} c`; 'd'; /e/; // f", "b"),
        ("new A.B(c)", "A A.B:attribute c"),
    ],
)
def test_javascript_names_have_roles(text: str, expected: str) -> None:
    check("javascript", text, expected)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "const j = <Foo a={b} {...c}><div/><d.E/></Foo>",
            "j:definition Foo:component a:key b c div:key d d.E:attribute Foo:component",
        ),
        ("function f(this: T, a?: U, b: V = c) {}", "f:definition T a:definition U b:definition V c"),
        (
            "class A { constructor(private a: T, b: T) {} }",
            "A:definition constructor:member a:member T b:definition T",
        ),
        (
            "interface I<K> extends J { a: K; m(n: K): void }",
            "I:definition K:definition J a:key K m:key n:definition K",
        ),
        ("type T = A.B | typeof c", "T:definition A B:attribute c"),
        ("enum E { A = 1 }", "E:definition A:key"),
        ("let a = b as C, d = e!;", "a:definition b C d:definition e"),
        ("abstract class A { abstract m(): void }", "A:definition m:member"),
        ("declare function f(a: T): void", "f:definition a:definition T"),
    ],
)
def test_typescript_names_have_roles(text: str, expected: str) -> None:
    check("typescriptreact", text, expected)


def test_only_names_of_the_scope_are_reported_at_places_within_it() -> None:
    (one,) = identifiers("python", "x = 1\n'é😋'; y\nz\n", 1, 2)
    assert (one.name, one.span.start, one.span.end) == ("y", (0, 6), (0, 7))


def test_members_are_recognized_by_a_class_outside_the_scope() -> None:
    (name, *_) = identifiers("python", "class A:\n    def f(self):\n        pass\n", 1, 3)
    assert name.role == "member"


def test_deep_nesting_is_walked_without_recursion() -> None:
    lines = [*["[" * 5_000 + "\n"] * 5, "x\n", *["]" * 5_000 + "\n"] * 5, ""]
    parse_without_limit("python", lines)
    facts = gather_facts(lines, "python", Scope("file", None, 0, len(lines)))
    assert facts
    assert [one.name for one in facts.identifiers] == ["x"]


def test_a_place_that_is_nested_too_deep_is_not_checked() -> None:
    lines = ["[" * 5_000 + "x" + "]" * 5_000 + "\n", "y\n", ""]
    source = parse_without_limit("python", lines)
    assert identifier_at(source, 0, 5_000) is None
    assert identifier_at(source, 1, 0)
