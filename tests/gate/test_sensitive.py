"""Sensitive code is recognized by names, calls, imports and strings, never by comments."""

from __future__ import annotations

import pytest

from twospeed.gate import sensitive, sensitive_uses
from twospeed.gate.code_execution import patterns_for
from twospeed.syntax import import_statements, scope_code
from twospeed.text.code.scope import ScopeCode, TextLiteral
from twospeed.text.lines import split_lines


def topics(text: str, language_id: str = "python", *, above: str = "") -> list[str]:
    """Return the topics of lines below ``above``."""
    lines = split_lines(above + text)
    start = above.count("\n")
    code = scope_code(lines, language_id, start, len(lines))
    return [each.topic for each in sensitive_uses(code, import_statements(lines, language_id), language_id)]


@pytest.mark.parametrize(
    ("language_id", "text", "topic"),
    [
        ("python", "def f(u):\n    return u.check(u.password)\n", "authentication"),
        ("python", "def verify_login(u):\n    return u\n", "authentication"),
        ("typescript", "function f() { return signIn(oauthClient); }\n", "authentication"),
        ("python", "def f(b):\n    return hmac.new(b)\n", "cryptography"),
        ("go", "func f() { _ = aes.NewCipher(k) }\n", "cryptography"),
        ("java", "class A { void f() { Cipher c = null; } }\n", "cryptography"),
        ("python", "def f(p):\n    os.chmod(p, 0o777)\n", "permissions"),
        ("rust", "fn f() { set_permissions(p); }\n", "permissions"),
        ("python", 'def f(c, n):\n    return c.execute(f"SELECT * FROM t WHERE n = {n}")\n', "SQL"),
        ("javascript", "function f() { return db.query(`insert into t values (${a})`); }\n", "SQL"),
        ("python", "def f(c):\n    return os.system(c)\n", "commands"),
        ("c", "int f(char *a) { return system(a); }\n", "commands"),
        ("python", "def f(b):\n    return yaml.load(b)\n", "deserialization"),
        ("php", "<?php function f($a) { return unserialize($a); }\n", "deserialization"),
    ],
)
def test_sensitive_code_is_detected(language_id: str, text: str, topic: str) -> None:
    assert topic in topics(text, language_id)


@pytest.mark.parametrize(
    ("language_id", "text"),
    [
        ("python", "def total(items):\n    return sum(items)  # the password is checked elsewhere\n"),
        ("python", 'def f():\n    """Encrypt nothing; SELECT a FROM b."""\n    return 1\n'),
        ("python", "def author_of(token, session, roles):\n    return token.text\n"),
        ("javascript", "function f(s) { return /a/.exec(s) || s.select(from); }\n"),
        ("python", 'def f():\n    print("choose one from the menu, then select it")\n'),
        ("sql", "SELECT a FROM b;\n"),
        ("go", "func f() { fmt.Println(h) }\n"),
    ],
)
def test_other_code_is_not_sensitive(language_id: str, text: str) -> None:
    assert topics(text, language_id) == []


@pytest.mark.parametrize(
    ("language_id", "above", "text", "topic"),
    [
        ("python", "from subprocess import run as go\n", "def f(a):\n    return go(a)\n", "commands"),
        ("python", "from secrets import token_hex\n", "def f():\n    return token_hex()\n", "cryptography"),
        (
            "javascript",
            'import { exec } from "node:child_process";\n',
            "function f(a) { exec(a); }\n",
            "commands",
        ),
        (
            "javascript",
            'const { createHash } = require("crypto");\n',
            "const f = (a) => createHash(a);\n",
            "cryptography",
        ),
        (
            "go",
            'package a\nimport (\n\t"fmt"\n\t"crypto/rand"\n)\n',
            "func f() { rand.Read(b) }\n",
            "cryptography",
        ),
    ],
)
def test_an_imported_name_has_the_topic_of_its_module(
    language_id: str, above: str, text: str, topic: str
) -> None:
    assert topics(text, language_id, above=above) == [topic]


def test_another_module_of_an_import_statement_does_not_count() -> None:
    above = 'package a\nimport (\n\t"fmt"\n\t"os/exec"\n)\n'
    assert topics("func f() { fmt.Println(1) }\n", "go", above=above) == []
    assert topics("def f():\n    return path(1)\n", above="from os import path\nimport subprocess\n") == []


def test_each_topic_is_reported_once_at_its_first_line() -> None:
    lines = split_lines("def f(u):\n    u.password = md5(u)\n    return u.password\n")
    found = sensitive_uses(scope_code(lines, "python", 0, 4), (), "python")
    assert [(each.topic, each.line, each.name) for each in found] == [
        ("authentication", 1, "password"),
        ("cryptography", 1, "md5"),
    ]


class CountingPattern:
    """A pattern that finds nothing and records the lines of each text it searches."""

    def __init__(self) -> None:
        self.n_lines: list[int] = []

    def search(self, text: str) -> None:
        self.n_lines.append(text.count("\n") + 1)


def test_a_long_scope_is_searched_in_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    pattern = CountingPattern()
    patterns = patterns_for("python")
    counting = type(patterns)(pattern, patterns.modules, patterns.deserializing)  # type: ignore[arg-type]
    monkeypatch.setattr(sensitive, "patterns_for", lambda _: counting)
    lines = split_lines("x = 1\n" * 1000)
    sensitive_uses(scope_code(lines, "python", 0, 1000), (), "python")
    assert max(pattern.n_lines) == sensitive.PIECE_LINES
    assert sum(pattern.n_lines) == 1000


def test_a_use_far_down_in_a_long_scope_is_found_at_its_line() -> None:
    lines = split_lines("x = 1\n" * 999 + "eval(x)\n" + "x = 1\n" * 500 + "y = password\n")
    found = sensitive_uses(scope_code(lines, "python", 0, len(lines)), (), "python")
    assert [(each.topic, each.line) for each in found] == [("commands", 999), ("authentication", 1500)]


def test_a_known_scope_is_not_searched_again(monkeypatch: pytest.MonkeyPatch) -> None:
    code = scope_code(split_lines("eval(x)\n"), "python", 0, 1)
    found = sensitive_uses(code, (), "python")
    monkeypatch.setattr(sensitive, "_first_uses", lambda *_: ())
    assert sensitive_uses(code, (), "python") == found
    assert sensitive_uses(code, ("import os",), "python") == ()
    assert sensitive_uses(code, (), "ruby") == ()


def uses_in(line: str, *imports: str, language_id: str = "python") -> list[tuple[str, int, str]]:
    """Return the sensitive uses in one line of code, the fifth of its document."""
    found = sensitive_uses(ScopeCode(4, (line,)), imports, language_id)
    return [(each.topic, each.line, each.name) for each in found]


def test_a_sensitive_use_has_its_topic_line_and_written_name() -> None:
    assert uses_in("eval (a, loads) ; yaml.load(b)") == [
        ("commands", 4, "eval"),
        ("deserialization", 4, "yaml.load"),
    ]
    assert uses_in("( Process.Start (a)", language_id="csharp") == [("commands", 4, "Process.Start")]
    assert uses_in("curl $a |   sudo  bash", language_id="shellscript") == [
        ("commands", 4, "sudo bash"),
        ("permissions", 4, "sudo"),
    ]
    assert uses_in("sha1(md5(a)); login(password)") == [
        ("authentication", 4, "login"),
        ("cryptography", 4, "sha1"),
    ]
    code = ScopeCode(
        4, ("x", "umask"), (TextLiteral(4, "  DELETE FROM t"), TextLiteral(5, "select a from b"))
    )
    found = [(each.topic, each.line, each.name) for each in sensitive_uses(code, (), "python")]
    assert found == [("SQL", 4, "DELETE"), ("permissions", 5, "umask")]
    assert [each.topic for each in sensitive_uses(code, (), "plsql")] == ["permissions"]
    assert [each.topic for each in sensitive_uses(code, (), "sql")] == ["permissions"]


def test_imported_names_count_without_keywords_of_the_import() -> None:
    words = "from import as require const let var use using static type include default node std os java javax org"
    for word in words.split():
        assert uses_in(f"a.{word}(b)", f"{word} thing hashlib") == []
    assert uses_in("a.thing(b)", "from hashlib import thing") == [("cryptography", 4, "thing")]
    assert uses_in("ab(b)", "from jwt import ab, c") == [("authentication", 4, "ab")]
    assert uses_in("c(b)", "from jwt import ab, c") == []
    assert uses_in("dump(b)", "from shelve import dump") == [("deserialization", 4, "dump")]
    assert uses_in("dump(b)", "#include <openssl/dump.h>") == []
    assert uses_in("thing(b)", 'import (\n"crypto/thing"\n"os/exec"\n)', language_id="go") == [
        ("cryptography", 4, "thing")
    ]
    assert uses_in("exec(b)", 'import (\n"os/exec"\n"os/path"\n)', language_id="go") == [
        ("commands", 4, "exec")
    ]
    assert uses_in("path(b)", 'import (\n"os/exec"\n"os/path"\n)', language_id="go") == []
    assert uses_in("go(b)", "from subprocess import go") == [("commands", 4, "go")]
    assert (
        uses_in("go(b)", "from my.subprocess import go")
        == uses_in("go(b)", "from x-subprocess import go")
        == []
    )


def test_the_last_four_results_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    n_searched = 0

    def counted(*_: object) -> tuple[()]:
        nonlocal n_searched
        n_searched += 1
        return ()

    monkeypatch.setattr(sensitive, "_first_uses", counted)
    codes = [ScopeCode(0) for _ in range(5)]
    for number in (0, 1, 2, 3, 0, 1, 2, 3):
        sensitive_uses(codes[number], (), "python")
    assert n_searched == 4
    sensitive_uses(codes[4], (), "python")
    sensitive_uses(codes[0], (), "python")
    assert n_searched == 6
