"""Scopes below the imports of a file, in each language, and answers to them with further imports."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass

from twospeed import syntax
from twospeed.stream import EditStream, Surroundings
from twospeed.stream.ops import Keep, Op
from twospeed.text.code.import_statements import ImportMarks


@dataclass(frozen=True)
class Below:
    """A scope below imports; ``imports`` are new ones, and ``above`` is cut at the marks ``|`` around the old ones."""

    language_id: str
    file_name: str
    above: str
    old: str
    new: str
    below: str
    imports: str

    @property
    def parts(self) -> tuple[list[str], list[str], list[str]]:
        """The lines before the imports, the imports, and the lines between them and the scope."""
        head, imports, rest = self.above.split("|\n")
        return lines_of(head), lines_of(imports), lines_of(rest)

    def stream(self, *, separates: bool = True, fence: str = "") -> EditStream:
        """Return a stream for one answer."""
        head, imports, rest = self.parts
        around = Surroundings(
            syntax.comment_markers(self.language_id),
            [*head, *imports, *rest],
            lines_of(self.below),
            file_name=self.file_name,
            fence=fence,
            imports=ImportMarks.of(self.language_id) if separates else None,
        )
        return EditStream(lines_of(self.old), around)

    def fenced(self, *parts: str) -> str:
        """Return a block of code."""
        return f"```{self.language_id}\n{''.join(parts)}```\n"


def lines_of(text: str) -> list[str]:
    """Return the lines of a text that ends with a line end, or is empty."""
    return text.split("\n")[:-1]


def answered(stream: EditStream, text: str, seed: int | None = None) -> list[Op]:
    """Return all ops of an answer, which arrives in pieces of random size; adjacent ``Keep`` are one."""
    rng = random.Random(seed)
    ops: list[Op] = []
    at = 0
    while at < len(text):
        size = len(text) if seed is None else rng.choice((1, 2, 3, 7, 40))
        ops += stream.receive_text(text[at : at + size])
        at += size
    joined: list[Op] = []
    for op in (*ops, *stream.finish("stop")):
        if joined and isinstance(op, Keep) and isinstance(joined[-1], Keep):
            joined.pop()
        joined.append(op)
    return joined


def diff_of(place: Below, imports: Sequence[str]) -> str:
    """Return a unified diff with one hunk for the imports and one for the scope."""
    last = place.parts[1][-1]
    rows = [f" {last}", *(f"+{line}" for line in imports)]
    changed = [*(f"-{line}" for line in lines_of(place.old)), *(f"+{line}" for line in lines_of(place.new))]
    name = place.file_name
    return "\n".join(
        ("```diff", f"--- a/{name}", f"+++ b/{name}", "@@ @@", *rows, "@@ @@", *changed, "```", "")
    )


def blocks_of(*pairs: tuple[str, str]) -> str:
    """Return search/replace blocks."""
    return "".join(f"<<<<<<< SEARCH\n{old}=======\n{new}>>>>>>> REPLACE\n\n" for old, new in pairs)


PYTHON = Below(
    "python",
    "shop.py",
    '"""Sells things."""\n\n|\nimport os\nimport sys\n|\n\nLIMIT = 5\n\n\ndef load():\n    return os.environ\n\n\n',
    "def total(items):\n    price = sum(items)\n    return price\n",
    "def total(items):\n    price = math.fsum(items)\n    return price\n",
    "\n\ndef product(items):\n    return sys.argv\n\n\ndef clear(basket):\n    basket.items = []\n",
    "import math\nfrom shop.prices import (\n    Price,\n    Tax,\n)\n",
)

TYPESCRIPT = Below(
    "typescript",
    "shop.ts",
    "|\nimport { open } from './files';\n|\n\nconst LIMIT = 5;\n\n",
    "export function total(items: Item[]) {\n  const price = sum(items);\n  return price;\n}\n",
    "export function total(items: Item[]) {\n  const price = exact(items);\n  return price;\n}\n",
    "\nexport function clear(basket: Basket) {\n  basket.items = [];\n}\n\nexport const EMPTY = open('empty');\n",
    "import type { Price } from \"./prices\";\nimport {\n  exact,\n} from './sums';\n",
)

GO = Below(
    "go",
    "shop.go",
    'package shop\n\n|\nimport "fmt"\n|\n\nvar limit = 5\n\n',
    "func Total(items []Item) int {\n\tprice := sum(items)\n\treturn price\n}\n",
    "func Total(items []Item) int {\n\tprice := exact.Sum(items)\n\treturn price\n}\n",
    "\nfunc Clear(b *Basket) {\n\tb.items = nil\n}\n\nfunc Show(b *Basket) {\n\tfmt.Println(b)\n}\n",
    'import (\n\t"math"\n\n\t"shop/exact"\n)\n',
)

RUST = Below(
    "rust",
    "shop.rs",
    "|\nuse std::fs;\n|\n\nconst LIMIT: u32 = 5;\n\n",
    "fn total(items: &[Item]) -> u32 {\n    let price = sum(items);\n    price\n}\n",
    "fn total(items: &[Item]) -> u32 {\n    let price = exact(items);\n    price\n}\n",
    '\nfn clear(basket: &mut Basket) {\n    basket.items.clear();\n}\n\nfn read() -> Vec<u8> {\n    fs::read("x").unwrap()\n}\n',
    "use crate::sums::{\n    exact,\n    fast,\n};\nuse std::io;\n",
)

JAVA = Below(
    "java",
    "Shop.java",
    "package shop;\n\n|\nimport java.io.File;\n|\n\npublic class Shop {\n    private int limit = 5;\n\n",
    "    int total(List<Item> items) {\n        int price = sum(items);\n        return price;\n    }\n",
    "    int total(List<Item> items) {\n        int price = exact(items);\n        return price;\n    }\n",
    "\n    void clear(Basket basket) {\n        basket.items.clear();\n    }\n\n    File file() {\n        return null;\n    }\n}\n",
    "import java.util.List;\nimport static shop.Sums.*;\n",
)

CPP = Below(
    "cpp",
    "shop.cpp",
    "|\n#include <vector>\n|\n\nconstexpr int limit = 5;\n\n",
    "int total(const Items& items) {\n  int price = sum(items);\n  return price;\n}\n",
    "int total(const Items& items) {\n  int price = exact(items);\n  return price;\n}\n",
    "\nvoid clear(Basket& basket) {\n  basket.items.clear();\n}\n\nvoid show(const Basket& basket) {\n  print(basket);\n}\n",
    '#include <numeric>\n#include "sums.h"\n',
)

ALL = (PYTHON, TYPESCRIPT, GO, RUST, JAVA, CPP)
