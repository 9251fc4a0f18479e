"""A string that becomes an f-string gives the same text for any values."""

from __future__ import annotations

import ast
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.rules.rule_checks import ask, check, check_refused

from twospeed.rules.outcome import RuleRefusal

USE = "use f-strings"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("'{}'.format(a)", "f'{a}'"),
        ("'{} {}'.format(a, b.c)", "f'{a} {b.c}'"),
        ("'{1} {0} {1}'.format(a, b)", "f'{b} {a} {b}'"),
        ("'{x} {y}'.format(x=a, y=b[0])", "f'{a} {b[0]}'"),
        ("'{!r:>10} {:%Y}'.format(a, b)", "f'{a!r:>10} {b:%Y}'"),
        ("'{{}} {}'.format(a)", "f'{{}} {a}'"),
        ('"{}".format(a["k"])', "f\"{a['k']}\""),
        ("'''{}\n'''.format(a['k'])", "f'''{a[\"k\"]}\n'''"),
        ("'é {} \\n'.format(a)", "f'é {a} \\n'"),
        ("x = '{}'.format(\n    a,\n)  # c", "x = f'{a}'  # c"),
        ("'%s %r' % (a, b.c)", "f'{a!s} {b.c!r}'"),
        ("'%s%%' % (a,)", "f'{a!s}%'"),
        ("'{%s}' % (a,)", "f'{{{a!s}}}'"),
        (
            "def f(a: str, b: int): return '%s' % a + '%s %r' % (a, b)",
            "def f(a: str, b: int): return f'{a}' + f'{a} {b!r}'",
        ),
        ("def f(): return'%s' % (a,)if b else c", "def f(): return f'{a!s}'if b else c"),
        ("g('{}'.format(a), '%d' % b, '{}'.format(c()))", "g(f'{a}', '%d' % b, '{}'.format(c()))"),
    ],
)
def test_certain_formatting_is_converted(text: str, expected: str) -> None:
    check(USE, text + "\n", expected + "\n")


@pytest.mark.parametrize(
    "text",
    [
        "'%s' % a",  # a tuple would be taken apart
        "'%s' % a.b",
        "def f(a: str):\n    a = (1,)\n    return '%s' % a",
        "'%d' % (a,)",
        "'%5s' % (a,)",
        "'%(a)s' % (a,)",
        "'%s' % (a, b)",
        "'%s %s' % (a,)",
        "'%s' % (f(),)",
        "'%s' % (*a,)",
        "'%' % (a,)",
        "b'%s' % (a,)",
        "r'\\d%s' % (a,)",
        "u'%s' % (a,)",
        "'{}'.format(f())",
        "'{}'.format(a + b)",
        "'{}'.format(*a)",
        "'{}'.format(**a)",
        "'{}'.format(a, b)",
        "'{} {}'.format(a)",
        "'{0} {}'.format(a, b)",
        "'{0.b}'.format(a)",
        "'{0[b]}'.format(a)",
        "'{:{}}'.format(a, b)",
        "'{0} {0}'.format(a.b)",
        "'{'.format(a)",
        "'\\x7b}'.format(a)",
        "'\\N{DASH} {}'.format(a)",
        "'\\{}'.format(a)",
        "'{}'.format(a['\\n'])",
        "'{}'.format(\n    a,  # why\n)",
        "'''{}'''.format(a[\"it's\"])",
    ],
)
def test_uncertain_formatting_is_refused(text: str) -> None:
    check_refused(USE, text + "\n", "can be converted safely")


def test_code_without_formatting_is_refused() -> None:
    check_refused(USE, "x = 'a' + b % c\n", "no .format() call or % formatting")
    check_refused(USE, "const a = 'b' % c;\n", "f-strings exist only in Python", "javascript")


class Odd:
    """A value whose ``format`` and ``str`` differ."""

    b: Any = 7

    def __format__(self, spec: str) -> str:
        return f"formatted {spec}"

    def __str__(self) -> str:
        return "shown"


pieces = st.lists(
    st.sampled_from(["{}", "{!r}", "{:>4}", "{{", "}}", "%", "é", " ", "\\n", "'", "a"]), max_size=6
)
percents = st.lists(st.sampled_from(["%s", "%r", "%%", "{", "}", "{}", "é", "\\t", "'", "a"]), max_size=6)
values: Any = st.sampled_from([Odd(), "x", "{y}", 3, ["z"], ("t", "u")])


@given(pieces, st.lists(values, min_size=6, max_size=6))
def test_format_calls_give_the_same_text(literal: list[str], given_values: list[object]) -> None:
    n_values = sum(piece in {"{}", "{!r}", "{:>4}"} for piece in literal)
    names = ["a", "b", "c", "d", "e", "g"][:n_values]
    same_text(
        f'"{"".join(literal)}".format({", ".join(names)})', dict(zip(names, given_values, strict=False))
    )


@given(percents, st.lists(values, min_size=6, max_size=6))
def test_percent_formatting_gives_the_same_text(literal: list[str], given_values: list[object]) -> None:
    n_values = sum(piece in {"%s", "%r"} for piece in literal)
    names = ["a", "b", "c", "d", "e", "g"][:n_values]
    operands = "".join(f"{name}, " for name in names)
    same_text(f'"{"".join(literal)}" % ({operands})', dict(zip(names, given_values, strict=False)))


def same_text(expression: str, names: dict[str, object]) -> None:
    converted = ask(USE, expression + "\n")
    if isinstance(converted, RuleRefusal):
        return
    ast.parse(converted, feature_version=(3, 11))
    try:
        expected = eval(expression, dict(names))
    except TypeError as error:  # such as a list asked for its width
        with pytest.raises(TypeError, match=str(error)[:10]):
            eval(converted, dict(names))
    else:
        assert eval(converted, dict(names)) == expected
