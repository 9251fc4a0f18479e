"""Instructions are understood completely or not at all."""

from __future__ import annotations

import pytest

from twospeed.rules.instruction import AddDocs, AddTypeHints, Command, Rename, UseFStrings, parse_instruction


@pytest.mark.parametrize(
    "instruction",
    [
        "add a docstring",
        "Add docstring.",
        "ADD DOCSTRINGS!",
        "please add a docstring",
        "Could you please add a docstring to this function, please?",
        "can you write docstrings for all the functions",
        "write a doc comment",
        "add doc comments",
        "add a doc-comment here",
        "document this function",
        "document this",
        "document it",
        "document everything",
        "add documentation",
        "add the missing docstrings to this file",
        "add a google style docstring",
        "generate docs for this class",
        "  add   a\n docstring ",
        "add a docstring for this method, thanks",
        "I want you to add a docstring",
    ],
)
def test_requests_for_doc_comments_are_parsed(instruction: str) -> None:
    assert parse_instruction(instruction) == AddDocs()


@pytest.mark.parametrize(
    "instruction", ["add jsdoc", "add a JSDoc comment", "write jsdoc for this function", "add tsdoc"]
)
def test_requests_for_jsdoc_are_parsed(instruction: str) -> None:
    assert parse_instruction(instruction) == AddDocs(is_jsdoc=True)


@pytest.mark.parametrize(
    "instruction",
    [
        "document total",
        "add a docstring to `total`",
        "add a docstring for total()",
        "document function total",
    ],
)
def test_requests_for_the_doc_comment_of_a_name_are_parsed(instruction: str) -> None:
    assert parse_instruction(instruction) == AddDocs("total")


@pytest.mark.parametrize(
    ("instruction", "command"),
    [
        ("rename x to y", Rename("x", "y")),
        ("Rename X to y.", Rename("X", "y")),
        ("rename `x` to `y`", Rename("x", "y")),
        ("rename 'x' into \"y\"", Rename("x", "y")),
        ("please rename variable x into y", Rename("x", "y")),
        ("rename the parameter userName to user_name", Rename("userName", "user_name")),
        ("rename function f() to g()", Rename("f", "g")),
        ("rename x -> y", Rename("x", "y")),
        ("rename x to y everywhere", Rename("x", "y")),
        ("rename x to y in this function", Rename("x", "y")),
        ("change the name of x to y", Rename("x", "y")),
        ("rename self.x to self.y", Rename("x", "y", "self")),
        ("rename self.x to y", Rename("x", "y", "self")),
        ("rename this.x to y", Rename("x", "y", "this")),
        ("rename $el to $node", Rename("$el", "$node")),
        ("rename \u2018größe\u2019 to \u201csize\u201d", Rename("größe", "size")),
    ],
)
def test_requests_to_rename_are_parsed(instruction: str, command: Command) -> None:
    assert parse_instruction(instruction) == command


@pytest.mark.parametrize(
    "instruction",
    [
        "add type hints",
        "add type annotations to this function",
        "Add types",
        "add the missing type hints",
        "add typing",
        "annotate this function with types",
        "annotate this function",
    ],
)
def test_requests_for_type_hints_are_parsed(instruction: str) -> None:
    assert parse_instruction(instruction) == AddTypeHints()


@pytest.mark.parametrize(
    "instruction",
    [
        "use f-strings",
        "Use fstrings",
        "use f strings here",
        "use f-strings instead of .format()",
        "use f-strings instead of % formatting",
        "use f-strings where possible",
        "convert to f-strings",
        "convert this to f-strings",
        "convert the .format calls to f-strings",
        "convert string formatting to f-strings",
        "replace .format with f-strings",
        "switch to f-strings in this function",
        "turn all strings into f-strings",
        "rewrite this using f-strings",
    ],
)
def test_requests_for_f_strings_are_parsed(instruction: str) -> None:
    assert parse_instruction(instruction) == UseFStrings()


@pytest.mark.parametrize(
    "instruction",
    [
        "",
        "...",
        "please",
        "add error handling",
        "add a docstring and tests",
        "add a docstring with examples",
        "add a numpy style docstring",
        "update the docstring",
        "remove the docstring",
        "do not add a docstring",
        "don't use f-strings",
        "never use f-strings",
        "convert f-strings to format",
        "convert f-strings",
        "replace f-strings with format",
        "use f-strings instead of logging",
        "add comments",
        "rename it",
        "rename to y",
        "rename x",
        "rename x to y and z to w",
        "rename x to y.z",
        "rename a.x to b",
        "rename x to self.y",
        "rename self.x to this.y",
        "rename 1 to 2",
        "rename x to y-z",
        "change x to y",
        "annotate",
        "add type hints and a docstring",
        "type",
        "document how this works",
        "explain this function",
        "use strings",
        "What does this do? add a docstring",
    ],
)
def test_other_instructions_are_not_parsed(instruction: str) -> None:
    assert parse_instruction(instruction) is None


def test_a_long_instruction_is_not_matched() -> None:
    assert parse_instruction("add a docstring to this " + "the " * 50_000 + "x y") is None
    assert parse_instruction("please " * 50_000 + "sing") is None
