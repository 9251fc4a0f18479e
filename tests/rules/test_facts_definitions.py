"""The facts of functions and classes are those of the code, and uncertain facts are left out."""

from __future__ import annotations

import pytest

from twospeed.rules.facts import gather
from twospeed.rules.facts.code_facts import (
    CodeFacts,
    DefinitionFacts,
    FormatExpression,
)
from twospeed.rules.facts.gather import code_facts, gather_facts
from twospeed.syntax import find_scope
from twospeed.syntax.identifiers.identifier import (
    Raised,
)
from twospeed.syntax.languages import PROFILES
from twospeed.syntax.trees.trees import RecentResults
from twospeed.text.code.scope import Scope
from twospeed.text.line_blocks import Lines
from twospeed.text.lines import split_lines


def facts_of(text: str, language_id: str = "python") -> CodeFacts:
    lines = split_lines(text)
    facts = code_facts(lines, language_id, Scope("file", None, 0, len(lines)))
    assert facts
    return facts


def first(text: str, language_id: str = "python") -> DefinitionFacts:
    return facts_of(text, language_id).definitions[0]


def parameters(text: str, language_id: str = "python") -> list[tuple[str, str, str | None, str | None]]:
    return [(one.name, one.kind, one.annotation, one.default) for one in first(text, language_id).parameters]


# Definitions


def test_definitions_come_in_order_with_their_kinds() -> None:
    text = "class A:\n    def f(self):\n        def g(): pass\n@d\nasync def h(): pass\n"
    shown = [(one.kind, one.name, one.is_nested, one.is_async) for one in facts_of(text).definitions]
    assert shown == [
        ("class", "A", False, False),
        ("method", "f", False, False),
        ("function", "g", True, False),
        ("function", "h", False, True),
    ]


@pytest.mark.parametrize("language_id", sorted(PROFILES))
def test_only_python_and_the_languages_of_javascript_have_facts(language_id: str) -> None:
    lines = split_lines("x\n")
    facts = code_facts(lines, language_id, Scope("file", None, 0, 1))
    known = language_id == "python" or language_id.startswith(("javascript", "typescript"))
    assert (facts is not None) == known


def test_only_definitions_inside_the_scope_are_listed() -> None:
    lines = split_lines("class A:\n    def f(self):\n        a\n    def g(self):\n        b\n")
    facts = code_facts(lines, "python", Scope("selection", None, 2, 5))
    assert facts
    assert [one.name for one in facts.definitions] == ["g"]
    assert facts.definitions[0].span.start == (1, 4)


def test_a_comment_behind_the_last_statement_need_not_be_in_the_scope() -> None:
    lines = split_lines("def f():\n    a\n\n    # later\nb\n")
    facts = code_facts(lines, "python", Scope("selection", None, 0, 2))
    assert facts
    assert [one.name for one in facts.definitions] == ["f"]


def test_decorators_belong_to_the_span_and_have_names() -> None:
    definition = first("@a.b(1)\n@c\ndef f(): pass\n")
    assert definition.decorators == ("a.b", "c")
    assert definition.span.start == (0, 0)


@pytest.mark.parametrize(
    ("text", "has_doc"),
    [
        ('def f():\n    """Doc."""\n', True),
        ("def f():\n    # note\n    'Doc' \"more\"\n", True),
        ("def f():\n    r'''Doc'''\n    return 1\n", True),
        ("def f():\n    f'{x}'\n", False),
        ("def f():\n    'Doc' f'{x}'\n", False),
        ("def f():\n    b'x'\n", False),
        ("def f():\n    x = 'Doc'\n", False),
        ("class A:\n    '''Doc'''\n", True),
    ],
)
def test_docstrings_are_found(text: str, has_doc: bool) -> None:
    assert (first(text).doc is not None) == has_doc


def test_the_end_of_a_header_and_the_start_of_a_body_are_found() -> None:
    definition = first("def f(\n    a,\n) -> int:  # note\n    # more\n    return 1\n")
    assert (definition.header_end, definition.body_start) == ((2, 9), (4, 4))
    assert definition.parameters_end == (2, 1)


@pytest.mark.parametrize(
    ("body", "is_stub"),
    [
        ("pass", True),
        ("...", True),
        ("'doc'", True),
        ("'doc'; raise NotImplementedError('x')", True),
        ("raise NotImplementedError", True),
        ("raise ValueError", False),
        ("return", False),
        ("x", False),
    ],
)
def test_stubs_are_recognized(body: str, is_stub: bool) -> None:
    assert first(f"def f(): {body}\n").is_stub == is_stub


# Parameters


def test_parameters_of_python_functions_are_listed() -> None:
    assert parameters("def f(a, /, b: int, c='x', d: T = 1, *args: T, e, **kw): pass\n") == [
        ("a", "plain", None, None),
        ("b", "plain", "int", None),
        ("c", "plain", None, "'x'"),
        ("d", "plain", "T", "1"),
        ("args", "rest", "T", None),
        ("e", "plain", None, None),
        ("kw", "keywords", None, None),
    ]


def test_parameters_of_javascript_functions_are_listed() -> None:
    assert parameters("function f(a, b = 1, {c, d: e = 2, ...g}, [h], ...i) {}", "javascript") == [
        ("a", "plain", None, None),
        ("b", "plain", None, "1"),
        ("", "pattern", None, None),
        ("", "pattern", None, None),
        ("i", "rest", None, None),
    ]
    taken = first("function f({c, d: e = 2, g = 3, ...h}) {}", "javascript").parameters[0].properties
    assert [(one.name, one.default) for one in taken] == [("c", None), ("d", "2"), ("g", "3")]


def test_parameters_of_typescript_functions_are_listed() -> None:
    text = "function f(this: T, a?: string, {b}: U = {}, ...c: V[]) {}"
    assert parameters(text, "typescript") == [
        ("a", "plain", "string", None),
        ("", "pattern", "U", "{}"),
        ("c", "rest", "V[]", None),
    ]
    assert first(text, "typescript").parameters[0].is_optional


def test_an_arrow_function_may_have_a_bare_parameter() -> None:
    assert parameters("const f = a => a", "javascript") == [("a", "plain", None, None)]


@pytest.mark.parametrize(
    ("default", "expected"),
    [
        *[
            ("1", "int"),
            ("-1", "int"),
            ("0x1F", "int"),
            ("1.5", "float"),
            ("+1e9", "float"),
            ("1j", "complex"),
        ],
        *[
            ("True", "bool"),
            ("not a", "bool"),
            ("(1)", "int"),
            ("'x'", "str"),
            ("'x' 'y'", "str"),
            ("f'{x}'", "str"),
        ],
        *[("b'x'", "bytes"), ("Rb'x'", "bytes"), ("None", None), ("[]", None), ("a", None), ("-a", None)],
        *[("a is b", "bool"), ("a not in b", "bool"), ("a < b", None), ("a is b < c", None), ("1 + 1", None)],
    ],
)
def test_types_of_literals_are_certain(default: str, expected: str | None) -> None:
    assert first(f"def f(a={default}): pass\n").parameters[0].default_type == expected


# Bodies


@pytest.mark.parametrize(
    ("body", "leaving"),
    [
        ("return 1", "returns"),
        ("raise X", "raises"),
        ("a\n    # end", "unknown"),
        ("if a:\n        return 1\n    else:\n        return 2", "returns"),
        ("if a:\n        return 1\n    elif b:\n        raise X\n    else:\n        return 2", "returns"),
        ("if a:\n        return 1\n    elif b:\n        return 2", "unknown"),
        (
            "if a:\n        if b:\n            return 1\n        else:\n            x\n    else:\n        return 2",
            "unknown",
        ),
        ("while True:\n        return 1", "unknown"),
        ("try:\n        return 1\n    finally:\n        x", "unknown"),
    ],
)
def test_the_end_of_a_body_is_classified(body: str, leaving: str) -> None:
    assert first(f"def f():\n    {body}\n").leaving == leaving


def test_returns_of_inner_functions_are_theirs() -> None:
    definition = first("def f():\n    def g(): return 1\n    h = lambda: (yield)\n    return\n")
    assert (definition.returned, definition.has_bare_return, definition.yields) == ((), True, False)


def test_generators_yield() -> None:
    assert first("def f():\n    x = yield from g()\n").yields
    assert first("function* f() { yield 1 }", "javascript").yields
    assert first("const o = { *f() {} }", "javascript").yields


def test_facts_of_more_nodes_than_are_visited_at_once_come_from_a_thread(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    lines, scope = Lines.of(split_lines("f(a, b)\n")), Scope("file", None, 0, 1)
    n_nodes = 9  # the statement, the call, f, the arguments, two brackets, a, b and a comma
    for n, is_known in ((n_nodes - 1, False), (n_nodes, True)):
        monkeypatch.setattr(gather, "_kept", RecentResults[CodeFacts](4))
        monkeypatch.setattr(gather, "MAX_NODES_AT_ONCE", n)
        assert (code_facts(lines, "python", scope) is not None) is is_known, n
    monkeypatch.setattr(gather, "_kept", RecentResults[CodeFacts](4))
    monkeypatch.setattr(gather, "MAX_NODES_AT_ONCE", 1)
    gathered = gather_facts(lines, "python", scope)
    assert gathered is not None
    assert code_facts(lines, "python", scope) == gathered


@pytest.mark.parametrize(
    ("body", "raises"),
    [
        ("raise A", [Raised("A")]),
        ("raise a.B('x') from e", [Raised("a.B")]),
        ("if x > 0:\n        raise A(x)", [Raised("A", "x > 0")]),
        ("if x:\n        y\n    elif z:\n        raise A", [Raised("A")]),
        ("if x:\n        raise A\n    if y:\n        raise A", [Raised("A")]),
        ("try:\n        raise A\n    except B: pass", []),
        ("try:\n        raise A\n    finally: pass", [Raised("A")]),
        ("try:\n        x\n    except B:\n        raise A", [Raised("A")]),
        ("raise", []),
        ("raise error", []),
        ("raise self.error()", []),
        ("raise None", []),
        ("raise (A)", []),
        ("raise A[0]", []),
        ("if x: raise A", [Raised("A", "x")]),
        ("if x:\n        y\n    else:\n        raise A", [Raised("A")]),
        ("if (x\n    ):\n        raise A", [Raised("A")]),
        ("while x:\n        raise A", [Raised("A")]),
        ("if x:\n        with y:\n            raise A", [Raised("A")]),
    ],
)
def test_raised_errors_are_listed_with_their_conditions(body: str, raises: list[Raised]) -> None:
    assert list(first(f"def f():\n    {body}\n").raises) == raises


@pytest.mark.parametrize(
    ("body", "raises"),
    [
        ("throw new RangeError('x')", [Raised("RangeError")]),
        ("if (!a) throw new A()", [Raised("A", "!a")]),
        ("if (a) { throw B('x') }", [Raised("B", "a")]),
        ("throw a", []),
        ("while (a) throw new A()", [Raised("A")]),
        ("while (a) { throw new A() }", [Raised("A")]),
        ("if (a) b(); else throw new A()", [Raised("A")]),
        ("if (a) b(); else { throw new A() }", [Raised("A")]),
        ("{ throw new A() }", [Raised("A")]),
        ("throw a()", []),
        ("throw new A[0]()", []),
        ("throw new a.B()", [Raised("a.B")]),
        ("try { throw new A() } catch { }", []),
        ("g(() => { throw new A() })", []),
    ],
)
def test_thrown_errors_are_listed(body: str, raises: list[Raised]) -> None:
    assert list(first(f"function f(a) {{ {body} }}", "javascript").raises) == raises


# JavaScript


def test_a_jsdoc_comment_documents_and_another_comment_does_not() -> None:
    assert first("/** Doc. */\n@dec()\nexport class A {}\n", "typescript").doc
    assert first("/** Doc. */ function f() {}\n", "javascript").doc
    assert first("// note\nfunction f() {}\n", "javascript").doc is None
    assert first("/** Doc. */\n\nfunction f() {}\n", "javascript").doc


def test_decorators_of_a_method_are_in_its_span() -> None:
    (_, method) = facts_of("class A {\n  /** Doc. */\n  @a()\n  @b\n  m() {}\n}\n", "typescript").definitions
    assert method.span.start == (2, 2)
    assert method.doc


def test_the_declaration_around_an_arrow_function_is_in_its_span() -> None:
    definition = first("export const f = async (x) => x;\n", "javascript")
    assert (definition.name, definition.span.start, definition.is_async) == ("f", (0, 0), True)
    assert definition.returned == (None,)


# Formatting


def formats(text: str) -> list[FormatExpression]:
    return list(facts_of(text).format_expressions)


def test_format_expressions_are_listed() -> None:
    (one,) = formats("x = 'a {} {b}'.format(c, b=d.e)\n")
    assert (one.style, one.literal) == ("format", "'a {} {b}'")
    assert [(each.text, each.keyword, each.kind) for each in one.arguments] == [
        ("c", None, "name"),
        ("d.e", "b", "access"),
    ]
    (one,) = formats("'%s %s %s' % (a[0], b(), c['k'])\n")
    assert one.is_tuple
    assert [each.kind for each in one.arguments] == ["access", "other", "access"]


def test_other_calls_and_operators_are_no_format_expressions() -> None:
    for text in (
        "a % b",
        "'a' 'b' % c",
        "f'{a}' % b",
        "a.format(b)",
        "f\"{'%s' % a}\"",
        "'a' + b",
        "'a'.join(b)",
    ):
        assert formats(text + "\n") == []


def test_comments_inside_a_format_expression_are_reported() -> None:
    assert formats("'{}'.format(\n    a,  # why\n)\n")[0].has_comment


# The whole


def test_only_errors_in_the_scope_are_reported() -> None:
    lines = split_lines("def f():\n    return 1\n\ndef g(:\n    pass\n")
    facts = code_facts(lines, "python", find_scope(lines, "python", ((1, 4), (1, 4))))
    assert facts
    assert not facts.has_errors
    assert facts.name == "f"
    assert facts_of("def g(:\n    pass\n").has_errors


def test_without_a_grammar_there_are_no_facts() -> None:
    assert code_facts(["x"], "rust", Scope("block", None, 0, 1)) is None


@pytest.mark.parametrize(
    "text", ["def f(a):\n\n\nx = 1\n", "def f(a):\n    # later\n\nx = 1\n", "class A:\n\nx = (1\n"]
)
def test_a_definition_without_a_body_is_listed(text: str) -> None:
    assert first(text).doc is None


def test_a_tuple_parameter_has_no_name() -> None:
    assert parameters("def f(a, (b, c)): pass\n") == [("a", "plain", None, None), ("", "pattern", None, None)]
