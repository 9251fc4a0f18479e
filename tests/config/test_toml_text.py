import time

import pytest

from twospeed.config.toml_text import read_toml
from twospeed.errors import SettingsError

SIZE = 256 * 1024


def check_error(text: str, expected: str) -> None:
    with pytest.raises(SettingsError) as raised:
        read_toml(text, name="f.toml")
    assert str(raised.value) == expected


def test_tables_come_with_their_lines():
    tables, source = read_toml("\na = 1\r\n[b]\r\nc = 2\n", name="f.toml")
    assert tables == {"a": 1, "b": {"c": 2}}
    assert source.line_of(("b", "c")) == 4


def test_a_syntax_error_names_its_line():
    check_error("a = 1\nb = [1\nc = 2", "f.toml:3: is not TOML: unclosed array (column 1)")
    check_error('a = "x', "f.toml:1: is not TOML: unterminated string (at the end of the file)")


def test_a_repeated_key_is_an_error():
    check_error("a = 1\na = 2\n", "f.toml:2: is not TOML: cannot overwrite a value (column 6)")


pytestmark = pytest.mark.security("R2.2")

DOTS = "a key with more than 32 parts is not a setting"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("\n" + "a." * (SIZE // 2) + "b = 1", f"f.toml:2: {DOTS}"),
        ("[" + "a." * (SIZE // 2) + "b]", f"f.toml:1: {DOTS}"),
        ("# it's\nx = {" + '"a" .' * (SIZE // 5) + "b = 1}", f"f.toml:2: {DOTS}"),
        ("x = " + "[" * SIZE, "f.toml: lists or tables are nested too deeply"),
        ("x = " + "{a = " * (SIZE // 5), "f.toml: lists or tables are nested too deeply"),
        ("x = " + "1" * SIZE, "f.toml: a number is too long"),
    ],
    ids=["dotted key", "dotted header", "dotted inline key", "deep list", "deep table", "long number"],
)
def test_a_hostile_file_is_refused_at_once(text, expected):
    started = time.process_time()
    check_error(text, expected)
    assert time.process_time() - started < 1


def test_prose_with_dots_is_no_key():
    prose = "One. Two. a.b.c.d. " * 40
    lines = [
        f"# {prose}",
        f'x = "{prose}"',
        f"y = '{prose}'",
        f'z = """{prose}\n\\"""{prose}"""',
        f"w = '''{prose}'''",
    ]
    tables, _ = read_toml("\n".join(lines), name="f.toml")
    assert list(tables) == ["x", "y", "z", "w"]
