import tomllib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from twospeed.config.locate import Source, dotted, locate_keys

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


def test_what_is_not_found_is_at_the_nearest_table_around_it():
    source = Source("f", locate_keys(TEXT))
    assert source.line_of(path_of("ignore 1")) == 3
    assert source.line_of(path_of("lanes deep 1 provider")) == 20
    assert source.line_of(path_of("lanes deep 1 extra a b c.d y 0")) == 23
    assert source.line_of(path_of("nothing here")) is None


def test_an_error_without_a_line_names_the_source_alone():
    error = Source("initializationOptions").error(("limits", "total_s"), "is wrong")
    assert str(error) == "initializationOptions: limits.total_s: is wrong"
    assert (error.source, error.key) == ("initializationOptions", "limits.total_s")


def test_a_key_is_written_as_toml_does():
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
def test_every_key_is_found_where_it_was_written(pairs):
    text, expected = "", {}
    for key, value in pairs:
        quoted = '"' + key.replace("\\", "\\\\").replace('"', '\\"') + '"'
        expected[key,] = text.count("\n") + 1
        text += f"{quoted} = {value}\n"
        tomllib.loads(text)
    assert locate_keys(text) == expected


@given(st.text("ab.=[]{}#'\"\\\n ", max_size=60))
def test_whatever_toml_accepts_is_located(text):
    try:
        tables = tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        return
    found = locate_keys(text)
    assert {path[0] for path in found if len(path) == 1} == set(tables)
    assert all(1 <= line <= text.count("\n") + 1 for line in found.values())
