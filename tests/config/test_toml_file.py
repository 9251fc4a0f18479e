"""A settings file is parsed to its tables and the line of each key; a hostile one is refused at once."""

import tomllib

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.timing import within

from twospeed.config.toml_file import Source, dotted, locate_keys, read_toml
from twospeed.errors import SettingsError

pytestmark = pytest.mark.security("R2.2")

SIZE = 256 * 1024


def check_error(text: str, expected: str) -> None:
    with pytest.raises(SettingsError) as raised:
        read_toml(text, name="f.toml")
    assert str(raised.value) == expected


def test_a_file_is_parsed_with_the_line_of_each_key():
    tables, source = read_toml("\na = 1\r\n[b]\r\nc = 2\n", name="f.toml")
    assert tables == {"a": 1, "b": {"c": 2}}
    assert source.line_of(("b", "c")) == 4


def test_a_syntax_error_names_its_line():
    check_error("a = 1\nb = [1\nc = 2", "f.toml:3: is not TOML: unclosed array (column 1)")
    check_error('a = "x', "f.toml:1: is not TOML: unterminated string (at the end of the file)")


def test_a_repeated_key_is_an_error():
    check_error("a = 1\na = 2\n", "f.toml:2: is not TOML: cannot overwrite a value (column 6)")


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
    within(1, lambda: check_error(text, expected))


def test_text_with_many_dots_is_no_deep_key():
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


TEXT = '''\
# mode = "not this one"
mode = "deep" # it's a comment = with an open [bracket
ignore = [
  "a = 1",  # [limits]
  "]",
]

[ limits ]
  connect_s = 5
"total_s"=6
gate.parse = "warn"

[[lanes.deep]]
model = """
[budget]
edits = 1 \\""" ""
"""
'effort' = \'\'\'
x = 2\'\'\'
[[lanes.deep]]
model = "m"
[lanes.deep.extra]
a.b . "c.d" = {x = 1, y = [
  2]}
[providers."my = lab"]
api = "#"
'''

LINES = [
    ("mode", 2),
    ("ignore", 3),
    ("limits", 8),
    ("limits connect_s", 9),
    ("limits total_s", 10),
    ("limits gate parse", 11),
    ("lanes", 13),
    ("lanes deep", 13),
    ("lanes deep 0", 13),
    ("lanes deep 0 model", 14),
    ("lanes deep 0 effort", 18),
    ("lanes deep 1", 20),
    ("lanes deep 1 model", 21),
    ("lanes deep 1 extra", 22),
    ("lanes deep 1 extra a b c.d", 23),
    ("providers my_=_lab api", 26),
]


def path_of(words: str) -> tuple[str | int, ...]:
    parts = [word.replace("_=_", " = ") for word in words.split()]
    return tuple(int(part) if part.isdigit() else part for part in parts)


@pytest.mark.parametrize(("words", "line"), LINES)
def test_a_key_is_found_on_its_line(words, line):
    assert locate_keys(TEXT)[path_of(words)] == line


def test_text_in_strings_lists_and_comments_is_no_key():
    tomllib.loads(TEXT)
    found = locate_keys(TEXT)
    assert {path[0] for path in found} == {"mode", "ignore", "limits", "lanes", "providers"}
    assert ("budget",) not in found


def test_an_unknown_key_has_the_line_of_the_nearest_table():
    source = Source("f", locate_keys(TEXT))
    assert source.line_of(path_of("ignore 1")) == 3
    assert source.line_of(path_of("lanes deep 1 provider")) == 20
    assert source.line_of(path_of("lanes deep 1 extra a b c.d y 0")) == 23
    assert source.line_of(path_of("nothing here")) is None


def test_an_error_without_a_line_names_only_the_source():
    error = Source("initializationOptions").error(("limits", "total_s"), "is wrong")
    assert str(error) == "initializationOptions: limits.total_s: is wrong"
    assert (error.source, error.key) == ("initializationOptions", "limits.total_s")


def test_a_key_is_formatted_as_toml():
    assert dotted(("lanes", "deep", 0, "provider")) == "lanes.deep[0].provider"
    assert dotted(("providers", "my lab", "api")) == "providers.'my lab'.api"
    assert dotted(()) == ""


KEYS = st.text("abc .=[]#'\"\\é", min_size=1, max_size=5)
VALUES = [
    "1",
    '"]"',
    "'#'",
    "[1,\n[2]]",
    '"""\n[x]\n"""',
    "'''\na=1'''",
    "{a = 1}",
    '["=", # ]\n2]',
    '""""a"""" # b',
]


@given(st.lists(st.tuples(KEYS, st.sampled_from(VALUES)), max_size=6, unique_by=lambda pair: pair[0]))
def test_a_generated_key_is_found_on_its_line(pairs):
    text, expected = "", {}
    for key, value in pairs:
        quoted = '"' + key.replace("\\", "\\\\").replace('"', '\\"') + '"'
        expected[key,] = text.count("\n") + 1
        text += f"{quoted} = {value}\n"
        tomllib.loads(text)
    assert locate_keys(text) == expected


@given(st.text("ab.=[]{}#'\"\\\n ", max_size=60))
def test_every_table_of_valid_toml_has_a_line(text):
    try:
        tables = tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        return
    found = locate_keys(text)
    assert {path[0] for path in found if len(path) == 1} == set(tables)
    assert all(1 <= line <= text.count("\n") + 1 for line in found.values())


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ('a = [["x"],\n["c = 1"]]\nb = 1\n', {("a",): 1, ("b",): 3}),
        ("a = [\n[1],\n[2],\n]\nb = 1\n", {("a",): 1, ("b",): 5}),
        ("a = { b = [1, 2] }\nc = 1\n", {("a",): 1, ("c",): 2}),
        ("a.b = 1\na.c = 2\n", {("a",): 1, ("a", "b"): 1, ("a", "c"): 2}),
        (
            "[[a]]\nb = 1\n[[a]]\nb = 2\n[a.c]\nd = 3\n",
            {("a", 0, "b"): 2, ("a", 1, "b"): 4, ("a", 1, "c"): 5, ("a", 1, "c", "d"): 6},
        ),
    ],
)
def test_a_key_near_a_list_or_inline_table_is_found_on_its_line(text, lines):
    found = locate_keys(text)
    assert {path: found.get(path) for path in lines} == lines
    assert ("c = 1",) not in found
