"""Imports in an answer are for the file if the scope is one or more whole definitions."""

from __future__ import annotations

import pytest

from twospeed.edits.prompting.scope_imports import import_marks_for
from twospeed.text.code.import_statements import ImportMarks
from twospeed.text.code.scope import Scope, ScopeKind
from twospeed.text.document import Document

CODE = """\
import os

LIMIT = 5


# Adds.
@cache
def total(items):
    price = sum(items)
    return price


class Basket:
    items = []

    def add(self, item):
        self.items.append(item)

    @property
    def size(self):
        return len(self.items)
"""


def marks(kind: ScopeKind, start: int, end: int, language_id: str = "python") -> ImportMarks | None:
    document = Document.opened("file:///a.py", 1, language_id, CODE, "utf-16")
    return import_marks_for("add", document.lines, language_id, Scope(kind, None, start, end))


@pytest.mark.parametrize(
    ("kind", "start", "end"),
    [
        ("function", 6, 10),
        ("class", 12, 21),
        ("selection", 6, 10),
        ("selection", 5, 21),
        ("selection", 10, 21),
        ("block", 6, 21),
        ("selection", 15, 17),
        ("selection", 14, 21),
        ("selection", 18, 21),
    ],
)
def test_imports_for_whole_definitions_are_for_the_file(kind: ScopeKind, start: int, end: int) -> None:
    assert marks(kind, start, end) is ImportMarks.of("python")


@pytest.mark.parametrize(
    ("kind", "start", "end"),
    [
        ("file", 0, 14),
        ("insertion", 11, 11),
        ("selection", 8, 9),
        ("selection", 7, 9),
        ("selection", 8, 14),
        ("selection", 2, 10),
        ("selection", 0, 10),
        ("selection", 3, 5),
        ("block", 13, 14),
        ("selection", 13, 17),
        ("selection", 16, 17),
        ("selection", 15, 20),
        ("selection", 12, 17),
    ],
)
def test_imports_for_other_lines_belong_to_the_scope(kind: ScopeKind, start: int, end: int) -> None:
    assert marks(kind, start, end) is None


def test_imports_of_other_languages_belong_to_the_scope() -> None:
    assert marks("function", 6, 10, "ruby") is None
