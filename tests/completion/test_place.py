"""Whether a comment at the cursor says what is wanted."""

from __future__ import annotations

import pytest
from tests.completion.places import at


@pytest.mark.parametrize(
    ("document", "language"),
    [
        ("// settings card with toggle for dark mode|", "javascriptreact"),
        ("{/* settings card with toggle */}|", "javascriptreact"),
        ("x = 1\n# read the file and count its words\n|\n", "python"),
        ("class A:\n    # read the file and count words\n    |\n\n    x = 1\n", "python"),
        ("function f() {\n  // return the larger value|\n}\n", "javascript"),
        ("<!-- a table of three columns -->|", "html"),
        ("-- all users of this year|", "sql"),
    ],
)
def test_a_comment_says_what_is_wanted(document: str, language: str) -> None:
    assert at(document, language).is_after_request


@pytest.mark.parametrize(
    ("document", "language"),
    [
        ("x = 1\n|\n", "python"),
        ("# a heading|\n", "python"),
        ("# type: ignore for this line|\n", "python"),
        ("# ai: add error handling here|\n", "python"),
        ("# read the file and count|its words\n", "python"),
        ("# read the file and count words|\ndef count():\n    pass\n", "python"),
        ("x = 1  # read the file and count words|\n", "python"),
        ("# for item in items:|\n", "python"),
        ("# total = compute(all the items)|\n", "python"),
        ("#!/usr/bin/env python of this system|\n", "python"),
        ("// eslint-disable-next-line no console here|", "javascript"),
        ("# see https://example.org for more of this|", "python"),
        ("some words of plain text|", "plaintext"),
    ],
)
def test_other_lines_say_nothing(document: str, language: str) -> None:
    assert not at(document, language).is_after_request


def test_a_suggestion_begins_below_a_comment() -> None:
    assert at("class A:\n    # read the file|\n").opening == "\n    "
    assert at("class A:\n    # read the file\n    |\n").opening == ""
