"""Answers that repeat lines around the scope, up to the whole file, are cut to the scope or refused."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import pytest
from tests.stream.answering import GO, MARKDOWN, PLACES, PYTHON, TSX, Place, lines_of

every_place = pytest.mark.parametrize("place", PLACES, ids=lambda place: place.language_id)


def echoed(place: Place, n_above: int, n_below: int, new: str = "") -> str:
    above, below = lines_of(place.above), lines_of(place.below)
    return "".join([*above[len(above) - n_above :], new or place.new, *below[:n_below]])


@every_place
@pytest.mark.parametrize("shape", ["{}", "````\n{}````\n", "Voici :\n\n````\n{}````\n\nC'est tout.\n"])
@pytest.mark.parametrize(("n_above", "n_below"), [*product(range(4), range(4)), (5, 4)])
def test_repeated_lines_around_the_scope_are_removed(
    place: Place, shape: str, n_above: int, n_below: int
) -> None:
    answer = place.answered(shape.format(echoed(place, n_above, n_below)))
    assert answer == place.new, (n_above, n_below)


@every_place
@pytest.mark.parametrize(("n_above", "n_below"), [(2, 2), (4, 0), (0, 3)])
def test_repeated_lines_are_removed_if_blank_lines_before_the_scope_are_missing(
    place: Place, n_above: int, n_below: int
) -> None:
    above, below = lines_of(place.above), lines_of(place.below)
    lines = [*above[len(above) - n_above :], "\n\n", place.new, *below[:n_below]]
    assert place.answered("".join(line for line in lines if line.strip())) == place.new


def test_the_closing_fence_of_a_whole_file_with_odd_fences_is_not_applied() -> None:
    above = '"""Shop.\n\n```\n"""\n\nimport a\nimport b\nimport c\nimport d\n\n'
    for language_id in ("python", "zig"):
        place = Place(language_id, above, "def f():\n    return 1\n", "")
        answer = place.answered(f"```\n{above}def f():\n    return 2\n```\n")
        assert answer in ("def f():\n    return 2\n", "refused:truncated", "refused:ambiguous")


@every_place
def test_an_answer_that_repeats_the_unchanged_surroundings_gives_no_edit(place: Place) -> None:
    assert place.answered(echoed(place, 3, 3, place.old)) == place.old


@every_place
def test_no_repeated_line_is_ever_applied(place: Place) -> None:
    outside = {line.rstrip("\n") for line in lines_of(place.above + place.below) if len(line.strip()) > 3}
    shown = place.shown(echoed(place, 4, 4))
    assert outside.isdisjoint(shown)


@every_place
@pytest.mark.parametrize("shape", ["{}", "````\n{}````\n", "Aquí está.\n````\n{}````\nListo."])
def test_the_whole_file_is_cut_to_the_scope(place: Place, shape: str) -> None:
    whole = place.above + place.new + place.below
    assert place.answered(shape.format(whole)) == place.new
    assert place.shown(shape.format(whole)) == []


@every_place
@pytest.mark.parametrize("shape", ["{}", "````\n{}````\n"])
def test_the_whole_file_with_a_change_elsewhere_is_refused(place: Place, shape: str) -> None:
    above, below = lines_of(place.above), lines_of(place.below)
    changed = below[1].replace("e", "E")
    for whole in (
        "".join([*above[1:], place.new, *below]),
        "".join([*above, place.new, below[0], changed, *below[2:]]),
        "".join([*above[:-2], place.new, *below]),
    ):
        assert (
            place.answered(shape.format(whole)).startswith("refused")
            or place.answered(shape.format(whole)) == place.new
        )


IN_BLOCK = Place(
    "go",
    above="package shop\n\nfunc Run(items []Item) {\n\tfor _, item := range items {\n",
    old="\t\tif item.Price > 0 {\n\t\t\tsell(item)\n\t\t}\n",
    below="\t}\n}\n",
)


@pytest.mark.parametrize(
    ("answer", "new"),
    [
        # The answer repeats the closing brackets below, or not, after one of the scope.
        ("{new}\t}}\n}}\n", "\t\tif item.Price > 0 {\n\t\t\tsell(item, 1)\n\t\t}\n"),
        ("{new}\t}}\n", "\t\tif item.Price > 0 {\n\t\t\tsell(item, 1)\n\t\t}\n"),
        ("{new}", "\t\tif item.Price > 0 {\n\t\t\tsell(item, 1)\n\t\t}\n"),
        ("{new}", "\t\tsell(item)\n"),
        ("{new}\t}}\n}}\n", "\t\tsell(item)\n"),
    ],
)
def test_brackets_below_the_scope_are_distinguished_from_its_own(answer: str, new: str) -> None:
    assert IN_BLOCK.answered(answer.format(new=new)) == new
    assert IN_BLOCK.answered("```go\n" + answer.format(new=new) + "```") == new


def test_a_bracket_that_equals_the_one_below_is_kept_if_it_closes_the_scope() -> None:
    place = replace(GO, old="func A() {\nif x {\ny()\n}\n", below="}\n\nfunc B() {\n}\n")
    for new in ("func A() {\nif x {\nz()\n}\n", "func A() {\nif x {\nz()\nz()\n}\n"):
        assert place.answered(new) == new
        assert place.answered(new + "}\n") == new


def test_an_added_last_line_that_equals_the_next_line_is_not_removed_silently() -> None:
    place = replace(
        PYTHON, old="        self.a = 1\n", above="class A:\n    def f(self):\n", below="        go()\n"
    )
    new = "        self.a = 2\n        go()\n"
    assert place.answered(new) in (new, "refused:extent")


def test_a_repeated_decorator_of_the_method_below_is_removed() -> None:
    place = replace(PYTHON, below="\n    @property\n    def size(self):\n        return 1\n")
    assert place.answered(place.new + "\n    @property\n") == place.new
    renamed = place.new.replace("return result", "return result or 0")
    assert place.answered(renamed + "\n    @property\n") == renamed


def test_a_repeated_overload_that_begins_like_the_scope_is_removed_or_refused() -> None:
    above = "@overload\ndef f(x: int) -> int: ...\n"
    old = "@overload\ndef f(x: str) -> str: ...\n"
    place = Place("python", "from typing import overload\n\n\n" + above, old, "\n\nprint(f)\n")
    new = old.replace("-> str", "-> bytes")
    assert place.answered(new) == new
    assert place.answered(above + new) in (new, "refused:extent")


@pytest.mark.parametrize(
    ("place", "extra"),
    [
        (PYTHON, "    def entirely(self):\n        self.items = []\n\n"),
        (TSX, "interface Props {\n  names: string[];\n}\n\n"),
        (GO, 'func Open() {\n\tfmt.Println("open")\n}\n\n'),
        (MARKDOWN, "Counts what you buy.\n\n"),
    ],
)
def test_an_answer_with_repeated_surroundings_is_exact_or_refused(place: Place, extra: str) -> None:
    for text in (extra + place.new, place.new + "\n" + extra):
        assert place.answered(text) in (place.new, text.strip("\n") + "\n") or place.answered(
            text
        ).startswith("refused")


def test_new_code_written_after_a_model_nearby_is_kept() -> None:
    sibling = "".join(f"        self.log('step {n}')\n" for n in range(6))
    place = replace(PYTHON, below=f"\n    def close(self):\n{sibling}")
    new = PYTHON.old.replace("        return", sibling + "        return")
    assert place.answered(new) == new


def test_a_deeper_line_with_the_text_of_the_next_one_is_not_repeated_context() -> None:
    place = replace(TSX, below="\nif (enabled) {\n  start();\n}\n")
    new = place.new.replace("  return (", "  if (enabled) {\n    log(names);\n  }\n  return (")
    assert place.answered(new) == new


def test_a_byte_order_mark_above_the_scope_is_not_inserted() -> None:
    place = replace(GO, above="\ufeff" + GO.above)
    for mark in ("", "\ufeff"):
        assert place.answered(mark + GO.above + GO.new + GO.below) == GO.new


@pytest.mark.parametrize("place", PLACES, ids=lambda place: place.language_id)
def test_repeated_lines_with_hidden_characters_are_removed(place: Place) -> None:
    hidden = replace(place, above=place.above.rstrip("\n") + "\n\nleft\u202eright\x0c\n\n")
    if hidden.surroundings.parses and place.language_id != "python":
        hidden = replace(place, above=place.above.rstrip("\n") + "\n\n// left\u202eright\x0c\n\n")
    elif place.language_id == "python":
        hidden = replace(place, above=place.above.rstrip("\n") + "\n\n    # left\u202eright\x0c\n\n")
    assert hidden.answered(echoed(hidden, 2, 0)) == place.new
