"""Whether a text that is formatted only in parts certainly has the blocks that it had."""

from __future__ import annotations

import pytest

from twospeed.syntax import keeps_blocks

CLASS = "class A:\n  def a(self):\n    return [1,2]\n  def b(self):\n    pass\n"


def test_another_form_of_a_line_keeps_the_blocks_of_python() -> None:
    assert keeps_blocks(CLASS, CLASS.replace("[1,2]", "[\n  1,\n      2,\n  ]"), "python")


def test_another_indentation_of_one_method_changes_the_blocks_of_python() -> None:
    method = "  def a(self):\n    return [1,2]\n"
    wider = method.replace("    ", "        ").replace("  def", "    def")
    assert not keeps_blocks(CLASS, CLASS.replace(method, wider), "python")


def test_another_indentation_of_the_whole_text_keeps_them() -> None:
    assert keeps_blocks(CLASS, CLASS.replace("  ", "    "), "python")


@pytest.mark.parametrize("text", ["x = (\n", "if x:\n    a\n  b\n", "x = 1\n" * 100_000])
def test_a_text_without_tokens_or_of_great_length_is_not_certain(text: str) -> None:
    assert not keeps_blocks(text, text, "python")


@pytest.mark.parametrize(("language_id", "keeps"), [("yaml", False), ("go", True), ("plaintext", True)])
def test_other_languages_are_certain_if_indentation_means_nothing(language_id: str, *, keeps: bool) -> None:
    assert keeps_blocks("a", "b", language_id) is keeps
