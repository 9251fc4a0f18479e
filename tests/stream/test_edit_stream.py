"""Answers in the formats of models: applied exactly, or refused with a reason."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from twospeed.stream import EditStream, LiveScope, Surroundings
from twospeed.text.document import Document
from twospeed.text.lines import body_of, split_lines

OLD = """\
def total(items):
    result = 0
    for item in items:
        result += item.price
    return result
"""

NEW = """\
def total(items):
    result = 0
    for item in items:
        result += item.price * item.count
    return result
"""


def parses(text: str) -> bool:
    try:
        compile(text, "x", "exec")
    except SyntaxError:
        return False
    return True


PYTHON = Surroundings(comment_markers=("#",), parses=parses)


def answer(
    text: str,
    *,
    old: str = OLD,
    around: Surroundings = PYTHON,
    reason: str = "stop",
    chunks: int | None = None,
) -> tuple[str, str | None]:
    """Stream an answer; return the scope's text at the end and the code of the refusal, if any."""
    lines = split_lines(old)[:-1] if old.endswith("\n") else split_lines(old) if old else []
    document = Document.opened("file:///a.py", 1, "python", old, "utf-16")
    stream = EditStream([body_of(line) for line in lines], around)
    scope = LiveScope(lines, 0)
    pieces = random.Random(chunks)
    ops = []
    at = 0
    while at < len(text):
        size = pieces.randint(1, 6) if chunks is not None else len(text)
        ops = stream.receive_text(text[at : at + size])
        scope.receive_ops(ops)
        at += size
    scope.receive_ops(stream.finish(reason))  # type: ignore[arg-type]
    if stream.refusal:
        return old, stream.refusal.code
    if batch := scope.next_batch():
        document = document.with_edits(batch.edits)
        scope.commit(batch)
    return "".join(document.lines[scope.start : scope.end]), None


@pytest.mark.parametrize(
    ("shape", "text"),
    [
        ("plain", NEW),
        ("plain without a final newline", NEW.rstrip()),
        ("blank lines around", "\n\n" + NEW + "\n\n"),
        ("fenced", f"```python\n{NEW}```\n"),
        ("fenced without a tag", f"```\n{NEW}```"),
        ("tilde fence", f"~~~\n{NEW}~~~\n"),
        ("long fence", f"````python\n{NEW}````\n"),
        ("talk before", f"Here is the function, as you wished:\n\n```python\n{NEW}```\n"),
        ("talk behind", f"```python\n{NEW}```\n\nI multiplied by the count.\n"),
        ("talk before code without a fence", f"Here is the new function:\n\n{NEW}"),
        ("talk around", f"Of course!\n```python\n{NEW}```\nAnything else?"),
        ("carriage returns", NEW.replace("\n", "\r\n")),
        ("fenced with carriage returns", f"```\n{NEW}```\n".replace("\n", "\r\n")),
        ("thinking first", f"<think>\nThe user wants def total(items):\n</think>\n\n{NEW}"),
        ("thinking, then a fence", f"<reasoning>hm</reasoning>\n```python\n{NEW}```"),
        ("unclosed fence, whole answer", f"```python\n{NEW}"),
        ("tabs for spaces", NEW.replace("    ", "\t")),
        ("twice as deep", NEW.replace("    ", "        ")),
    ],
)
@pytest.mark.parametrize("chunks", [None, 1, 2])
def test_an_answer_in_each_format_is_applied_exactly(shape: str, text: str, chunks: int | None) -> None:
    assert answer(text, chunks=chunks) == (NEW, None)


@pytest.mark.parametrize(
    ("code", "text"),
    [
        ("empty", ""),
        ("empty", "\n  \n"),
        ("empty", "```python\n```\n"),
        ("not-code", "I'm sorry, but I can't help with that.\n"),
        ("not-code", "Sorry."),
        ("not-code", "The function is fine as it is"),
        ("not-code", "<think>\nnever ends\n" + NEW),
        ("elided", "def total(items):\n    # ... existing code ...\n    return result\n"),
        ("elided", "def total(items):\n    # the loop stays as it was\n    return result\n"),
        ("ambiguous", f"```\n{OLD}```\nbecomes\n```\n{NEW}```\n"),
        ("truncated", f"```python\n{NEW[:60]}\n"),
    ],
)
@pytest.mark.parametrize("chunks", [None, 3])
def test_an_unusable_answer_is_refused(code: str, text: str, chunks: int | None) -> None:
    assert answer(text, chunks=chunks) == (OLD, code)


@pytest.mark.parametrize(
    ("reason", "code"), [("length", "truncated"), ("content_filter", "declined"), ("refusal", "declined")]
)
def test_an_answer_with_another_finish_reason_than_stop_is_refused(reason: str, code: str) -> None:
    assert answer(NEW, reason=reason) == (OLD, code)


METHOD = "    def total(self):\n        return sum(\n            self.items)\n"


def test_indentation_lost_by_the_whole_answer_is_restored() -> None:
    lost = "def total(self):\n    return sum(\n        self.things)\n"
    assert answer(lost, old=METHOD, around=Surroundings(("#",)))[0] == METHOD.replace("items", "things")


def test_indentation_lost_by_the_first_line_alone_is_restored() -> None:
    assert answer(METHOD.lstrip(), old=METHOD) == (METHOD, None)


def test_a_marker_in_the_old_text_is_content() -> None:
    old = OLD.replace("    result = 0\n", "    # ... existing code ...\n    result = 0\n")
    new = old.replace("price", "cost")
    assert answer(new, old=old) == (new, None)


def test_fences_inside_the_code_do_not_end_it() -> None:
    old = 'def f():\n    """Doc.\n\n    ```\n    f()\n    ```\n    """\n    return 1\n'
    new = old.replace("return 1", "return 2")
    assert answer(f"```python\n{new}```\n", old=old) == (new, None)


@pytest.mark.parametrize("mark", ["", "\ufeff"])
@pytest.mark.parametrize("shape", ["{}", "```python\n{}```\n"])
def test_a_byte_order_mark_is_kept_whether_or_not_the_model_writes_it(mark: str, shape: str) -> None:
    old = "\ufeff" + OLD
    assert answer(shape.format(mark + NEW), old=old) == ("\ufeff" + NEW, None)
    assert answer(shape.format(mark + OLD), old=old) == (old, None)
    renamed = NEW.replace("total", "sum_up")
    assert answer(shape.format(mark + renamed), old=old) == ("\ufeff" + renamed, None)


def test_repeated_lines_around_the_scope_are_removed() -> None:
    around = Surroundings(("#",), above=["import shop", ""], below=["", "def other():"], parses=parses)
    assert answer("import shop\n\n\n" + NEW, around=around) == (NEW, None)
    assert answer(NEW + "\n\ndef other():\n", around=around) == (NEW, None)


def test_incompletely_repeated_lines_around_the_scope_are_refused() -> None:
    above, below = ["import shop", "import till", ""], ["", "@shop", "def other():"]
    around = Surroundings(("#",), above=above, below=below, parses=parses)
    assert answer("import shop\n\n\n" + NEW, around=around) == (OLD, "extent")
    assert answer(NEW + "\n\ndef other():\n    pass\n", around=around) == (OLD, "extent")


def test_without_a_grammar_an_unfenced_answer_needs_known_ends() -> None:
    around = Surroundings(("//",))
    old = "int f() {\n  return 1;\n}\n"
    new = "int f() {\n  return 2;\n}\n"
    assert answer(new, old=old, around=around) == (new, None)
    assert answer(new + "\nThis returns two now.\n", old=old, around=around) == (old, "not-code")


def test_an_insertion_is_whatever_code_parses() -> None:
    assert answer("x = 1\ny = 2\n", old="") == ("x = 1\ny = 2\n", None)
    assert answer("```python\nx = 1\n```\n", old="") == ("x = 1\n", None)
    assert answer("I would add a variable here.", old="") == ("", "not-code")


def test_no_op_is_returned_before_the_answer_is_known_to_be_code() -> None:
    stream = EditStream(["alpha = 1", "beta = 2"], PYTHON)
    assert stream.receive_text("Well, let me see\nthat is\n") == []
    assert stream.receive_text("```python\nalpha = 1\ngamma = 3\n") != []


def test_the_first_changed_line_is_returned_before_the_answer_ends() -> None:
    stream = EditStream([body_of(line) for line in split_lines(OLD)[:-1]], PYTHON)
    ops = stream.receive_text(NEW[: NEW.index("    return")] + "    ret")
    assert [type(op).__name__ for op in ops] == ["Keep", "Change"]


@given(st.text(st.sampled_from("ab`~#.<>/ \n\r\t:=()"), max_size=80), st.integers(0, 3))
def test_the_result_does_not_depend_on_the_chunks(text: str, seed: int) -> None:
    assert answer(text, chunks=seed) == answer(text)


@given(st.lists(st.sampled_from([*OLD.splitlines(), "", "    x = 1", "```", "# ..."]), max_size=12))
def test_an_answer_made_of_old_lines_is_exact_or_refused(lines: list[str]) -> None:
    text = "\n".join(lines)
    result, refused = answer(text)
    if refused is None and "```" not in text:
        assert [line.strip() for line in result.strip().splitlines()] == [
            line.strip() for line in text.strip().splitlines()
        ]
