"""New code on a blank line of a block gets the block's indentation."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from twospeed.stream.answers import Surroundings
from twospeed.stream.edit_stream import EditStream
from twospeed.stream.ops import Insert


def inserted(above: str, answer: Sequence[str], below: str, **more: Any) -> list[str]:
    """Answer an insertion between two texts in a code block; return the inserted lines."""
    around = Surroundings(above=above.splitlines(), below=below.splitlines(), fence="```", **more)
    stream = EditStream([], around)
    ops = stream.receive_text("```\n" + "\n".join(answer) + "\n```\n")
    ops += stream.finish("stop")
    assert stream.refusal is None
    return [line for op in ops if isinstance(op, Insert) for line in [op.line]]


METHOD = ["fun b() {", "    c()", "", "}"]
DEEPER = ["    fun b() {", "        c()", "", "    }"]
PLACES = {
    "between two members": ("class A {\n    val a = 1\n", METHOD, "    val d = 2\n}\n", DEEPER),
    "below the last member": ("class A {\n    fun a() {\n    }\n", METHOD, "}\n", DEEPER),
    "below a statement far inside": (
        "class A {\n    fun a() =\n        b\n            .c()\n",
        METHOD,
        "}\n",
        DEEPER,
    ),
    "before a word that closes": ("class A\n    x = 1\n", ["y = 2"], "end\n", ["    y = 2"]),
    "before a tag that closes": ("<b>\n  <c></c>\n", ["<div>", "  e", "</div>"], "</b>\n", ["  <div>", "    e", "  </div>"]),
    "with tabs": ("{\n\ta()\n", ["if (b) {", "\tc()", "}"], "}\n", ["\tif (b) {", "\t\tc()", "\t}"]),
    "half as far in": ("{\n    {\n        a()\n", ["    call()"], "        c()\n", ["        call()"]),
    "as far in as it should": ("class A {\n    fun a() {\n    }\n", DEEPER, "}\n", DEEPER),
    "further in, as in a nested block": ("if a:\n    b()\n", ["        call()"], "    d()\n", ["        call()"]),
    "at the margin, below a block": ("def a():\n    b()\n", ["def c(): pass"], "def d(): pass\n", ["def c(): pass"]),
    "at the end of a file": ("def a():\n    b()\n", ["def c(): pass"], "", ["def c(): pass"]),
    "where a block of keys ends": ("a:\n  b:\n    c: 1\n", ["d: 2"], "e: 3\n", ["d: 2"]),
    "a name that begins as a closing word": ("    a()\n", ["call()"], "ending()\n", ["call()"]),
    "below an annotation that lost its indentation": (
        "mod a {\n    b();\n\n", ["#[c]", "    fn d() {", "    }"], "    e();\n}\n", ["    #[c]", "    fn d() {", "    }"]
    ),
    "annotations inside": (
        "{\n    b\n", ["@c", "class D:", "    @e", "    def f"], "    g\n}\n",
        ["    @c", "    class D:", "        @e", "        def f"]
    ),
    "where tabs stand below spaces": ("{\n    a()\n", ["call()"], "\tc()\n}\n", ["call()"]),
}  # fmt: skip


@pytest.mark.parametrize("place", PLACES)
def test_an_insertion_is_indented_as_the_block_of_its_blank_line(place: str) -> None:
    above, answer, below, expected = PLACES[place]
    assert inserted(above, answer, below) == expected


def test_an_insertion_into_prose_keeps_its_indentation() -> None:
    above, below = "- a\n  - b\n", "  - c\n"
    assert inserted(above, ["A paragraph."], below, is_prose=True) == ["A paragraph."]
    assert inserted(above, ["A paragraph."], below) == ["  A paragraph."]
