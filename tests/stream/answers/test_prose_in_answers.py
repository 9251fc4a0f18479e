"""Prose around code, prose instead of code, and reasoning in tags never reach the document."""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property

import pytest
from tests.stream.answering import GO, MARKDOWN, PLACES, PYTHON, TSX, Place

from twospeed.stream import Surroundings

every_place = pytest.mark.parametrize("place", PLACES, ids=lambda place: place.language_id)
every_language = pytest.mark.parametrize("place", [PYTHON, TSX, GO], ids=lambda place: place.language_id)

TALK = [
    "OK",
    "Erledigt",
    "Hecho.",
    "完成",
    "完了しました。",
    "好",
    "Готово!",
    "تم",
    "Listo: total(items)",
    "Note: fixed",
    "Changed (a)",
    "## Solution",
    "# Ergebnis",
    "---",
    "`total`",
    "**Neu**",
    "- fixed",
    "1. done",
    "Der Fehler ist weg, hier die Funktion:",
    "Se ha multiplicado `price` por `count`; lo demás sigue igual.",
    "J'ai remplacé la somme par un produit (voir ci-dessous).",
    "1. Zeile gelesen\n2. Zeile ersetzt\n\nDas war's.",
]


@every_place
@pytest.mark.parametrize("talk", TALK)
@pytest.mark.parametrize(
    "shape", ["{talk}\n\n{new}", "{new}\n\n{talk}\n", "{talk}\n\n{new}\n{talk}", "{talk}"]
)
def test_prose_without_a_fence_is_never_applied(place: Place, talk: str, shape: str) -> None:
    ended = place.answered(shape.format(talk=talk, new=place.new))
    assert ended.startswith("refused") or (ended == place.new and shape == "{talk}\n\n{new}")


@every_place
@pytest.mark.parametrize("talk", TALK)
def test_prose_around_a_fence_is_removed(place: Place, talk: str) -> None:
    assert place.answered(f"{talk}\n\n````\n{place.new}````\n{talk}\n") == place.new
    assert place.answered(f"{talk}\n````\n{place.new}````\n\n{talk}") == place.new


@every_place
@pytest.mark.parametrize("talk", TALK)
def test_prose_before_code_is_never_applied(place: Place, talk: str) -> None:
    assert place.shown(f"{talk}\n\n{place.new}") == []


@every_place
@pytest.mark.parametrize("text", ["", "\n", " \n\t\n\n", "\r\n\r\n"])
def test_an_empty_answer_is_refused(place: Place, text: str) -> None:
    assert place.answered(text) == "refused:empty"


@every_language
@pytest.mark.parametrize(
    "shape",
    [
        "<think>\nHm, count fehlt.\n</think>\n\n{}",
        "<think>short</think>{}",
        "<Denken art='kurz'>\nx = 1\n</Denken>\n{}",
        "<a>one</a>\n<b>\ntwo\n</b>\n\n{}",
        "<think>\n<think>\ninner\n</think>\nouter\n</think>\n{}",
        "<scratch-pad>\n```\ndraft\n```\n</scratch-pad>\n```\n{}```\n",
        "the opening tag was in the template\n\nstill thinking\n</think>\n\n{}",
        "the opening tag was in the template</think>\n```\n{}```",
    ],
)
def test_reasoning_in_tags_is_removed(place: Place, shape: str) -> None:
    assert place.answered(shape.format(place.new)) == place.new


@every_place
@pytest.mark.parametrize(
    "shape", ["<think>\n{}", "<think>\nhm\n<think>\n</think>\n{}", "<reason step='1'>{}"]
)
def test_an_answer_that_ends_inside_reasoning_is_refused(place: Place, shape: str) -> None:
    assert place.answered(shape.format(place.new)) == "refused:not-code"


ITEMS = replace(
    TSX,
    above="export const page = (\n  <main>\n",
    old="    <p>Old</p>\n    {items}\n",
    below="  </main>\n);\n",
)
MARKUP = Place("html", "<body>\n", "  <ul>\n    <li>one</li>\n  </ul>\n", "</body>\n")


@pytest.mark.parametrize(
    ("place", "new"),
    [
        (ITEMS, "    <p>New</p>\n    {items}\n"),
        (ITEMS, "    <p className='x'>Old</p>\n    {items}\n"),
        (MARKUP, "  <ul>\n    <li>two</li>\n  </ul>\n"),
        (MARKUP, '  <ul class="x">\n    <li>one</li>\n  </ul>\n'),
        (replace(ITEMS, old="    {items}\n"), "    {items}\n    <hr />\n"),
    ],
)
def test_a_tag_of_code_is_not_removed_as_reasoning(place: Place, new: str) -> None:
    assert place.answered(new) == new
    assert place.answered(f"```\n{new}```\n") == new


@pytest.mark.parametrize("place", [ITEMS, MARKUP, replace(ITEMS, old="    {items}\n"), MARKDOWN])
@pytest.mark.parametrize("block", ["<think>\nhm\n</think>", "<h9>Title</h9>", "<think></think>"])
def test_a_tag_that_may_be_code_requires_a_fence(place: Place, block: str) -> None:
    assert place.answered(f"{block}\n{place.old}").startswith("refused")
    assert place.answered(f"{block}\n````\n{place.old}````\n") == place.old


@pytest.mark.parametrize(
    ("place", "new"),
    [
        (PYTHON, "    @shop.cached\n" + PYTHON.new),
        (PYTHON, "    # Prices are in cents.\n" + PYTHON.new),
        (PYTHON, "    async def sum_up(self, *, tax=0):\n" + PYTHON.new.split("\n", 1)[1]),
        (TSX, "// A list of names.\n" + TSX.new),
        (TSX, "/**\n * A list of names.\n */\n" + TSX.new),
        (TSX, "type Name = string;\n\n" + TSX.new),
        (GO, "// Total sums up.\n" + GO.new),
        (GO, "var rate = 2\n\n" + GO.new),
    ],
)
def test_code_before_the_first_old_line_is_applied_when_that_line_arrives(place: Place, new: str) -> None:
    assert place.answered(new) == new
    first_old = next(line for line in new.splitlines(keepends=True) if line.strip() and line in place.old)
    head, _, _ = new.partition(first_old)
    second = new[len(head) + len(first_old) :].splitlines(keepends=True)[0]
    assert place.shown(head) == []
    assert head.splitlines()[0] in place.shown(head + first_old + second)


@pytest.mark.parametrize(
    ("place", "new"),
    [
        (PYTHON, "    class Sum:\n        pass\n"),
        (GO, "type Sum struct {\n\tvalue int\n}\n"),
        (TSX, "const List = null;\n"),
    ],
)
def test_code_without_any_old_line_is_applied_at_its_end(place: Place, new: str) -> None:
    assert place.answered(new) == new
    assert place.shown(new) == []


def test_a_parse_is_no_evidence_if_the_old_code_is_broken() -> None:
    broken = replace(PYTHON, old=PYTHON.old.replace("total(self):", "total(self:"))
    assert broken.answered("Behoben (die Klammer)\n\n" + PYTHON.new).startswith("refused")
    assert broken.answered(PYTHON.new) == PYTHON.new
    assert broken.answered(f"Behoben (die Klammer)\n```\n{PYTHON.new}```") == PYTHON.new


def test_words_in_a_comment_or_a_string_are_content() -> None:
    text = replace(PYTHON, above='"""Basket.\n\n', old="Counts things.\nAll of them.\n", below='"""\n')
    assert text.answered("Counts things.\nAll but one.\n") == "Counts things.\nAll but one.\n"
    assert text.answered("Done\n\nCounts things.\nAll of them.\n").startswith("refused")


@every_place
def test_an_answer_that_repeats_the_old_text_gives_no_edit(place: Place) -> None:
    for shape in ("{}", "````\n{}````\n", "\n\n{}\n\n", "Nada que cambiar.\n````\n{}````\nOK"):
        assert place.answered(shape.format(place.old)) == place.old
        assert place.shown(shape.format(place.old)) == []


def test_an_insertion_is_whatever_code_parses() -> None:
    empty = replace(PYTHON, old="")
    new = "    def first(self):\n        return self.items[0]\n\n"
    assert empty.answered(new) == new.rstrip("\n") + "\n"
    assert empty.answered(f"Voici :\n```\n{new}```\n") == new.rstrip("\n") + "\n"
    for talk in TALK:
        assert empty.answered(talk).startswith("refused"), talk


def test_an_answer_for_a_scope_of_the_whole_file_is_applied() -> None:
    place = Place("go", "", GO.above + GO.old, "")
    new = GO.above + GO.new
    for shape in ("{}", "```go\n{}```\n", "Listo.\n\n```\n{}```\nOK"):
        assert place.answered(shape.format(new)) == new


ABOVE = ("Here is the updated code:", "I changed the sum.\nNothing else.", "Done, with a product:")


@pytest.mark.parametrize("place", [PYTHON, GO, TSX], ids=lambda place: place.language_id)
@pytest.mark.parametrize("talk", ABOVE)
def test_a_paragraph_above_the_scope_that_does_not_parse_with_the_scope_is_removed(
    place: Place, talk: str
) -> None:
    assert place.answered(f"{talk}\n\n{place.new}") == place.new


@pytest.mark.parametrize("place", [PYTHON, GO, TSX], ids=lambda place: place.language_id)
@pytest.mark.parametrize("talk", ABOVE)
def test_prose_above_a_part_of_the_scope_or_on_both_sides_is_refused(place: Place, talk: str) -> None:
    lines = place.new.splitlines(keepends=True)
    for code in ("".join(lines[1:]), "".join(lines[:-1]), f"{place.new}\n{talk}\n"):
        assert place.answered(f"{talk}\n\n{code}").startswith("refused")


MAKEFILE = Place("makefile", "all: a b\n\n", "clean:\n\trm -f *.o\n", "\ninstall:\n\tcp a /usr\n")
DOCKERFILE = Place("dockerfile", "FROM python\nCOPY . .\n", "COPY b /b\nEXPOSE 80\n", "RUN make\n")
YAML = Place("yaml", "web:\n  image: web\n", "  ports:\n    - 80\n", "  user: ada\n")


@pytest.mark.parametrize(
    ("place", "new"),
    [
        (MAKEFILE, "clean:\n\trm -f *.o\n\tmake -C docs clean\n"),
        (DOCKERFILE, "COPY a /a\nCOPY b /b\nEXPOSE 80\n"),
        (DOCKERFILE, "COPY b /b\nEXPOSE 80\nRUN pip install garden\n"),
        (YAML, "  ports:\n    - 80\n    - 443\n"),
    ],
)
def test_lines_that_resemble_the_document_are_code_without_a_parser(place: Place, new: str) -> None:
    assert place.answered(new) == new


@pytest.mark.parametrize("place", [MAKEFILE, DOCKERFILE], ids=lambda place: place.language_id)
@pytest.mark.parametrize("talk", ["This is all", "Copy it first", "COPY is first now.", "Ready"])
def test_other_words_next_to_lines_that_resemble_the_document_are_refused(place: Place, talk: str) -> None:
    for answer in (f"{place.old}{talk}\n", f"{talk}\n{place.old}", f"{place.old}\n{talk}\n"):
        assert place.answered(answer).startswith("refused")


SHELL = Place("shellscript", "#!/bin/sh\n", "run() {\n  make\n}\n", "run\n")
TOML = Place("toml", '[a]\nx = 1\n\n[b]\ny = "2"\n', "", "")
MAKE = Place("makefile", "all: a\n\n", "a: b\n\tcp b a\n", "\nb:\n\ttouch b\n")


class Prose(Place):
    """A place in a text document."""

    @cached_property
    def surroundings(self) -> Surroundings:
        return replace(super().surroundings, is_prose=True)


PROSE = Prose("markdown", MARKDOWN.above, MARKDOWN.old, MARKDOWN.below)
TEXT = Prose("plaintext", "Title\n\n", "Some words.\nMore of them.\n", "\nThe end.\n")


def test_a_tag_around_the_whole_answer_is_a_fence_if_its_content_is_code() -> None:
    new_go = "// Sum adds.\nfunc Sum(items []Item) int {\n\treturn fold(items)\n}\n"
    cases = [
        ("a name of code, all lines new", GO, "code", new_go, True),
        ("a parse vouches", GO, "answer", new_go, True),
        ("a name in two words", SHELL, "updated_code", "set -e\nmake all\n", True),
        ("a name in camel case", MAKE, "newSource", "a: c\n\tcp c a\n", True),
        ("a text in a tag that Markdown does not know", TEXT, "source", "Words of another kind.\n", True),
        ("a table on a blank line", TOML, "code", '[c]\nz = "3"\n', True),
        ("nothing a parse would notice", TEXT, "answer", "Words of another kind.\n", False),
        ("an element of Markdown", PROSE, "code", "Words of another kind.\n", False),
        ("talk that a parse notices", GO, "answer", "I cannot do this without the rest of the file.\n", False),
        ("talk that parses", PYTHON, "answer", "OK\n", False),
        ("reasoning", GO, "think", new_go, False),
    ]  # fmt: skip
    for name, place, tag, new, lands in cases:
        got = place.answered(f"<{tag}>\n{new}</{tag}>\n")
        assert (got == new) if lands else got.startswith("refused:"), (name, got)
