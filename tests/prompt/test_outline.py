"""The outline of a file: what it omits, and its order."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from twospeed.prompt.outline import outline_of
from twospeed.text.code.symbols import FileSymbols, Symbol

FILE = FileSymbols(
    "python",
    (
        Symbol("value", "LIMIT", "LIMIT = 3", 3, 4),
        Symbol("class", "Cart", "@frozen\nclass Cart(Base):", 5, 20),
        Symbol("value", "size", "size = 0", 6, 7, 1),
        Symbol("function", "total", "def total(\n    self,\n):", 8, 12, 1),
        Symbol("function", "main", "def main():", 22, 30),
    ),
    ("import os", "from a import b"),
)


def outline(n_chars: int = 10_000, file: FileSymbols = FILE) -> str:
    return outline_of(file, n_chars=n_chars, prepare=lambda line: line)


def test_the_whole_outline_has_imports_signatures_and_values() -> None:
    assert outline() == (
        "import os\n"
        "from a import b\n"
        "LIMIT = 3\n"
        "@frozen\n"
        "class Cart(Base):\n"
        "    def total(\n"
        "        self,\n"
        "    ):\n"
        "def main():\n"
    )


def test_an_outline_omits_values_then_signatures_then_members_then_its_end() -> None:
    shrinking = []
    for n_chars in range(len(outline()), -1, -1):
        if (text := outline(n_chars)) not in shrinking:
            shrinking.append(text)
    assert shrinking[1:4] == [
        outline().replace("LIMIT = 3\n", ""),
        "import os\nfrom a import b\nclass Cart(Base):\n    def total(\ndef main():\n",
        "import os\nfrom a import b\nclass Cart(Base):\ndef main():\n",
    ]
    assert shrinking[4] == "import os\nfrom a import b\n(2 more left out)\n"
    assert shrinking[-1] == ""


def test_a_file_that_defines_nothing_has_no_outline() -> None:
    assert outline(file=FileSymbols("python")) == ""


def test_every_line_is_prepared_before_it_is_measured() -> None:
    text = outline_of(FILE, n_chars=10_000, prepare=lambda line: line.replace("b", "B"))
    assert "from a import B\n" in text


@given(st.integers(0, 200))
def test_more_space_never_shortens_the_outline(n_chars: int) -> None:
    assert len(outline(n_chars)) <= n_chars
    assert len(outline(n_chars)) <= len(outline(n_chars + 1))
