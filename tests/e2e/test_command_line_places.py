"""``twospeed edit`` with several places, as a real process with the real server."""

import json

import pytest
from tests.e2e.shell import BUILTIN, check_complaint

pytestmark = pytest.mark.process

CODE = "def f(a):\n    return a\n\n\ndef g(a):\n    return a\n\n\ndef h(c):\n    return c\n"


async def test_one_instruction_edits_places_of_several_files(shell) -> None:
    shell.configure(BUILTIN)
    one, other = shell.file("one.py", CODE), shell.file("other.py", CODE)
    places = ("one.py:1", "./one.py:5", "other.py:6")
    run = await shell.run("edit", *places, "rename", "a", "to", "b", "--write")
    assert (run.status, run.err) == (0, "")
    head, *_, figures = run.out.splitlines()
    assert head.endswith("3 places in 2 files")
    assert figures.startswith("written · +")
    assert one.read_text() == CODE.replace("(a)", "(b)").replace("return a", "return b")
    assert other.read_text() == CODE.replace("g(a):\n    return a", "g(b):\n    return b")


async def test_a_refused_place_does_not_stop_the_others(shell) -> None:
    shell.configure(BUILTIN)
    path = shell.file("one.py", CODE)
    run = await shell.run("edit", "one.py:9", "one.py:1", "rename a to b", "--write", "--json")
    assert run.status == 0
    assert run.err.startswith("twospeed: one.py:9: refused: ")
    document = json.loads(run.out)
    assert [place["outcome"] for place in document["places"]] == ["refused", "applied"]
    assert document["files"] == [{"file": "one.py", "written": True}]
    assert path.read_text() == CODE.replace("f(a):\n    return a", "f(b):\n    return b")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["one.py:1", "missing.py:3", "x"], "missing.py: no such file"),
        (["one.py:1", "one.py:99", "x"], "there is no line 99"),
        (["one.py", "one.py:5", "x"], "several places need lines"),
        (["one.py:1", "one.py:5"], "the instruction is missing after one.py:5"),
        (["one.py:1", "one.py:5", "x", "--anyway"], "--anyway is for an edit of one place"),
        (["one.py:1", "one.py:5", "x", "--show-prompt"], "--show-prompt is for an edit of one place"),
        (["one.py:1"] * 101 + ["x"], "at most 100 places"),
    ],
)
async def test_places_that_cannot_be_used_are_one_line_and_status_2(shell, arguments, words) -> None:
    shell.configure(BUILTIN)
    path = shell.file("one.py", CODE)
    check_complaint(await shell.run("edit", *arguments, "--write"), 2, words)
    assert path.read_text() == CODE
