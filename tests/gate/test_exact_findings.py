"""Whole findings compared with the expected value: at limits, below other lines, several of a kind."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.gate.answer_findings import QUIET, facts_of, findings_of

from twospeed.gate import check
from twospeed.gate.checks import CHECKS
from twospeed.gate.facts import (
    Definition,
    Finding,
    GateFacts,
    GateSettings,
    ScopeCode,
    SensitiveCode,
    SensitiveUse,
    SyntaxErrorAt,
)
from twospeed.gate.losses.partial_answer import _is_framed, _outside
from twospeed.gate.risks import MIN_ENCODED, MIN_ENCODED_LINE, hidden_in_new_lines, new_addresses

HEX = "0123456789abcdef" * 20

EDITS = {
    "emptied-body": ("def f():\n    return 1\n\n\nx = 1\n", "x = 1\n\n\ndef f():\n    pass\n", 3),
    "dropped-definition": (
        "x = 1\n\n\ndef f():\n    return 1\n\n\ny = 1\nz = 1\n",
        "x = 1\n\n\ny = 1\nz = 1\n",
        3,
    ),
    "new-address": ("x = 1\n", 'x = 1\ny = "https://one.dev"\n', 1),
    "runs-code": ("x = 1\n", "x = 1\neval(x)\n", 1),
    "encoded-literal": ("x = 1\n", f'x = 1\ny = "{HEX}"\n', 1),
    "removed-safeguard": ("x = 1\nverify(x)\ny = 1\n", "x = 1\ny = 1\n", 1),
    "hidden-characters": ('x = "\u200b"\n', 'x = "\u200b"\ny = "\u200b"\n', 1),
}


@pytest.mark.parametrize("code", EDITS)
def test_a_finding_is_at_its_document_line(code: str) -> None:
    old, new, line = EDITS[code]
    assert [(found, at) for found, at, _ in findings_of(old, new)] == [(code, line)]
    for n in (1, 5):
        above = "".join(f"a{number} = {number}\n" for number in range(n))
        expected = [(code, line + n, message) for code, line, message in findings_of(old, new)]
        assert findings_of(old, new, above=above) == expected


LINES = st.lists(st.sampled_from(["a", "  a", "b", "c", "c  ", "", "  ", "d"]), max_size=9)


@given(LINES, LINES, st.integers(0, 3))
def test_equal_lines_are_matched_as_often_as_they_occur(old: list[str], new: list[str], first: int) -> None:
    facts = GateFacts("file", None, first, tuple(old), tuple(new))
    kept = facts.kept
    bare, bare_new = [line.strip() for line in old], [line.strip() for line in new]
    assert all(bare[index] == bare_new[at] for index, at in kept.items())
    assert len(set(kept.values())) == len(kept) == (Counter(bare) & Counter(bare_new)).total()
    n_same = next((n for n, (one, other) in enumerate(zip(bare, bare_new, strict=False)) if one != other), 0)
    assert all(kept[index] == index for index in range(n_same))
    added = [at for at in range(len(new)) if at not in kept.values() and bare_new[at]]
    assert facts.added == tuple((first + at, new[at]) for at in added)
    assert facts.removed_at == tuple(index for index in range(len(old)) if index not in kept and bare[index])
    for index in range(len(old) + 1):
        above = [kept[at] for at in range(index) if at in kept]
        expected = min(above[-1] + 1, max(len(new) - 1, 0)) if above else 0
        assert facts.line_of_removed(index) == first + expected


def test_changed_code_is_added_and_removed_code_without_comments() -> None:
    old = ("keep()", "gone()  # one", "same()  # two", "# three")
    new = ("same()  # four", "keep()", "added()", "# five", "added()", "gone(1)")
    facts = GateFacts(
        "file",
        None,
        7,
        old,
        new,
        before=ScopeCode(7, ("keep()", "gone()", "same()", "")),
        after=ScopeCode(7, ("same()", "keep()", "added()", "", "added()", "gone(1)")),
    )
    assert facts.changed_code == ([(9, "added()"), (11, "added()"), (12, "gone(1)")], [(1, "gone()")])
    for short in (replace(facts, before=None), replace(facts, before=ScopeCode(7, ("keep()",)))):
        assert short.changed_code == ([(7, "same()"), (9, "added()"), (11, "added()"), (12, "gone(1)")], [])
    assert replace(facts, after=ScopeCode(7, ("same()", "keep()"))).changed_code == ([], [(1, "gone()")])


FINE = GateFacts("function", "f", 10, ("a",) * 4, ("a",) * 4, errors_before=0, errors_after=0)


def findings(facts: GateFacts) -> tuple[Finding, ...]:
    return check(facts, GateSettings()).findings


def test_the_first_new_syntax_error_is_named_with_its_line() -> None:
    errors = (SyntaxErrorAt(11, 'cannot read ")"'), SyntaxErrorAt(13, '"}" is missing'))
    facts = replace(FINE, errors_before=1, errors_after=3, new_errors=errors)
    message = 'the answer adds 2 syntax errors to the document: in line 12, cannot read ")"'
    assert findings(facts) == (Finding("syntax-errors", 1, message, 11, 11),)


@pytest.mark.parametrize(("before", "after"), [(None, 3), (0, None), (3, None), (None, None)])
def test_syntax_errors_known_on_one_side_only_are_not_compared(before: int | None, after: int | None) -> None:
    assert findings(replace(FINE, errors_before=before, errors_after=after)) == ()


def test_a_removed_class_or_one_that_became_a_function_is_named() -> None:
    def after(*definitions: Definition) -> list[str]:
        code = ScopeCode(10, definitions=definitions)
        return [each.message for each in findings(replace(FINE, kind="class", name="A", after=code))]

    assert after() == ['the class "A" was removed or renamed; code that uses this name will fail']
    assert after(Definition("function", "A")) == ['the class "A" was replaced by a function']
    assert after(Definition("function", "A"), Definition("class", "A")) == []


DEFINITIONS = st.lists(st.tuples(st.sampled_from("ABC"), st.sampled_from("fg")), max_size=6)


@given(DEFINITIONS, DEFINITIONS)
def test_a_definition_is_missing_if_neither_kept_nor_moved(
    before: list[tuple[str, str]], after: list[tuple[str, str]]
) -> None:
    def code(paths: list[tuple[str, str]]) -> ScopeCode:
        defined = (Definition("function", name, 10, 10, (within,)) for within, name in paths)
        return ScopeCode(10, definitions=tuple(defined))

    facts = replace(FINE, kind="file", name=None, before=code(before), after=code(after))
    found = [each for each in findings(facts) if each.code == "dropped-definition"]
    rest, new = list(after), list(after)
    for path in before:
        if path in new:
            new.remove(path)
    n_gone, gone = 0, set[tuple[str, str]]()
    for path in before:
        namesake = next((each for each in new if each[1] == path[1]), None)
        if path in rest:
            rest.remove(path)
        elif namesake:
            new.remove(namesake)
        else:
            n_gone += 1
            gone.add(path)
    assert len(found) == min(n_gone, 5)
    assert {each.message for each in found} <= {f'the function "{name}" was removed here' for _, name in gone}


def test_either_of_two_methods_with_one_name_can_be_missing() -> None:
    first = "class A:\n    def f(self):\n        return 1\n\n    def g(self):\n        return 2\n\n\n"
    text = first + "class B:\n    def f(self):\n        return 3\n"
    new = text.replace("    def f(self):\n        return 1\n\n", "")
    assert findings_of(text, new) == [("dropped-definition", 1, 'the function "f" was removed here')]


def test_a_moved_name_accounts_for_as_many_as_moved() -> None:
    methods = (
        "class A:\n    def f(self):\n        return 1\n\n\nclass B:\n    def f(self):\n        return 2\n\n\n"
    )
    new = "class A:\n    x = 1\n\n\nclass B:\n    x = 1\n\n\nclass C:\n    def f(self):\n        return 1\n"
    assert [(code, line) for code, line, _ in findings_of(methods, new)] == [("dropped-definition", 5)]


@pytest.mark.parametrize(
    ("dropped", "words"),
    [
        ({"\u202e": 1, "\x1b": 1}, "2 hidden characters were removed from the answer: U+001B (1), U+202E "),
        (
            {"\x01": 1, "\x02": 1, "\x03": 1},
            "3 hidden characters were removed from the answer: U+0001 (1), U+0002 (1), U+0003 (1)",
        ),
        (
            {"\x04": 1, "\x03": 1, "\x02": 1, "\x01": 5},
            "8 hidden characters were removed from the answer: U+0001 (5), U+0002 (1), U+0003 (1), and 1 more",
        ),
    ],
)
def test_removed_hidden_characters_are_sorted_by_count_and_code_point(
    dropped: dict[str, int], words: str
) -> None:
    (finding,) = findings(replace(FINE, hidden_dropped=dropped))
    assert finding.message.startswith(words)
    assert finding.message.endswith(("OVERRIDE (1)", "U+0003 (1)", "and 1 more"))


@pytest.mark.security("R1.4")
@pytest.mark.parametrize(
    ("had", "line", "expected"),
    [
        ("\x1b", "a = '\x1b'", "U+001B"),
        ("\x1b", "a = 'é\x1b'", "U+001B"),
        ("\u202e\u200b", "a = '\u202e\u200b'", "U+200B ZERO WIDTH SPACE"),
        ("\u202e", "a = '\u200b\u202e'", "U+200B ZERO WIDTH SPACE"),
        ("\u202e", "a = 'é\tb'", None),
    ],
)
def test_a_line_with_hidden_characters_is_reported_once(had: str, line: str, expected: str | None) -> None:
    old = (f"x = '{had}'",)
    facts = replace(FINE, old_lines=old, new_lines=(*old, line))
    found = [(each.message, each.lines) for each in hidden_in_new_lines(facts)]
    message = f"an invisible character is new here: {expected}"
    assert found == ([(message, (11, 11))] if expected else [])


def test_moved_hidden_characters_are_not_reported() -> None:
    facts = replace(FINE, old_lines=("a\u200b", "b"), new_lines=("a", "b\u200b", "c"))
    assert list(hidden_in_new_lines(facts)) == []


@pytest.mark.security("R1.4")
@pytest.mark.parametrize(
    ("text", "hosts"),
    [
        ("2001::7", ["2001::7"]),
        ("[2001:db8::7]", ["2001:db8::7"]),
        ("a:b:c", []),
        ("::", []),
        ("http://0.0.0.0/", []),
        ("http://169.254.0.1/", []),
        ("http://127.9.0.1/", []),
        ("http://[fe80::1]/", []),
        ("http://10.0.0.1/", ["10.0.0.1"]),
        ("http://999.1.1.1/", []),
        ("0.0.0.0", []),
        ("300.1.1.1", []),
        ("to 203.0.113.7 and 203.0.113.8", ["203.0.113.7", "203.0.113.8"]),
        ("Evil.IO/path", ["evil.io"]),
        ("evil.io:80/path", ["evil.io"]),
        ("evil.nope", []),
        ("api.internal", []),
        ("see evil.io now", []),
        ("https://Evil.IO. https://b.dev:1", ["evil.io", "b.dev"]),
        ("https://host", []),
    ],
)
def test_the_new_hosts_of_a_string_are_reported(text: str, hosts: list[str]) -> None:
    found = new_addresses(facts_of("", f"a = {text!r}\n"))
    assert [(each.message, each.lines) for each in found] == [
        (f'"{host}" is a new network address', (0, 0)) for host in hosts
    ]


ESCAPES = "\\x41" * (MIN_ENCODED_LINE // 4)


@pytest.mark.parametrize(
    ("literals", "expected"),
    [
        ([HEX[:MIN_ENCODED]], []),
        ([HEX[: MIN_ENCODED + 1]], [(121, 1, 1)]),
        ([ESCAPES] * 4, [(128, 1, 4)]),
        ([f"say {ESCAPES} and {ESCAPES[4:]}"] * 4, [(128, 1, 4)]),
        ([ESCAPES[4:] + " "] * 5, []),
        ([f"data:image/png;base64,aB3{HEX} "], [(len(HEX) + 3, 1, 1)]),
        ([HEX[:100], "short", HEX[:100]], []),
        ([HEX[:100], HEX[:100], "short", HEX[:61], HEX[:61]], [(200, 1, 2), (122, 4, 5)]),
    ],
)
def test_encoded_characters_are_counted_by_runs_of_lines(
    literals: list[str], expected: list[tuple[int, int, int]]
) -> None:
    new = "a = (\n" + "".join(f'    "{text}"\n' for text in literals) + ")\n"
    found = check(facts_of("", new), QUIET).findings
    message = "{} characters of a new string are encoded and not readable"
    assert [(each.message, each.first_line, each.last_line) for each in found] == [
        (message.format(n), first, last) for n, first, last in expected
    ]


def test_sensitive_code_is_reported_with_its_topic_and_shortened_name() -> None:
    facts = replace(FINE, sensitive_uses=(SensitiveUse("SQL", 12, "s" * 70),))
    message = f"this code concerns SQL ({'s' * 60}); consider deep mode for it"
    assert findings(facts) == (Finding("sensitive-code", 3, message, 12, 12),)


SETTINGS = {
    "syntax-errors": ("parse", "refuse", 2),
    "partial-answer": ("partial", "refuse", 2),
    "name-gone": ("renamed", "warn", 2),
    "emptied-body": ("emptied", "warn", 2),
    "dropped-definition": ("dropped", "warn", 2),
    "lines-gone": ("gone", "warn", 3),
    "repeated-code": ("repeated", "warn", 2),
    "growth": ("growth", "warn", 2),
    "hidden-characters": ("hidden", "warn", 2),
    "new-address": ("address", "warn", 2),
    "runs-code": ("execution", "warn", 2),
    "encoded-literal": ("encoded", "warn", 2),
    "removed-safeguard": ("safeguard", "warn", 2),
    "duplicate-function": ("duplicate", "warn", 2),
    "unknown-name": ("names", "warn", 2),
}


ALWAYS_TOLD = ["deleted-scope", "secret-gone", "merged-part"]


def test_each_check_has_the_contracts_setting_default_and_severity() -> None:
    assert [each.code for each in CHECKS] == [*SETTINGS, *ALWAYS_TOLD, "sensitive-code"]
    by_default = GateSettings()
    for each in CHECKS[: len(SETTINGS)]:
        name, default, severity = SETTINGS[each.code]
        assert (each.strictness(by_default), each.severity) == (default, severity)
        for other in CHECKS:
            off: Any = {name: "off"}
            is_off = other.strictness(replace(by_default, **off)) == "off"
            assert is_off == (other is each)
    values: list[SensitiveCode] = ["deep", "offer", "off"]
    followed = [CHECKS[-1].strictness(GateSettings(sensitive=value)) for value in values]
    assert (by_default.sensitive, followed) == ("offer", ["warn", "warn", "off"])


@pytest.mark.security("R1.4")
def test_each_removed_safeguard_is_reported_unless_another_form_replaces_it() -> None:
    families = (
        "verify verifier",
        "authenticate authentication",
        "authorize authorisation",
        "auth",
        "permission permits",
        "privilege privileges",
        "assert_that assertion",
        "csrf xsrf",
        "sanitize sanitiser",
        "validate validator",
    )
    for words in map(str.split, families):
        old = f"def f(a):\n    {words[0]}(a)\n    return a\n"
        message = f"{words[0]} was removed here"
        assert findings_of(old, "def f(a):\n    return a\n") == [("removed-safeguard", 1, message)]
        assert findings_of(old, f"def f(a):\n    return {words[-1]}(a)\n") == []
        other = "verify" if words[0] != "verify" else "validate"
        assert findings_of(old, f"def f(a):\n    return {other}(a)\n") == [("removed-safeguard", 1, message)]


def test_lines_are_framed_if_all_inner_lines_are_indented_more() -> None:
    framed = ["f {|  a|}", "f {|  a|  b|}", "f:|  a", "  f:|    a|    b", "f {||  a||}"]
    bare = ["f {|}", "a|b", "f {|a|  b|}", "f {|  a|b|}", "f:|a|  b", "f:|  a|b", "f", "  f {|  a|}"]
    assert [_is_framed(text.split("|")) for text in framed] == [True] * len(framed)
    assert [_is_framed(text.split("|")) for text in bare] == [False] * len(bare)


def test_code_outside_definitions_excludes_the_class_header() -> None:
    lines = ("a = 1", "b = 2", "def f():", "    return 1", "}", "c = 3")
    inside = [Definition("function", "f", 12, 13)]
    for kind, expected in (("file", ["a = 1", "b = 2", "c = 3"]), ("class", ["b = 2", "c = 3"])):
        facts = GateFacts(cast("Any", kind), None, 10, lines, lines)
        assert _outside(facts, facts.before, inside) == expected
