"""An answer with some definitions of its scope replaces their old versions, or is refused."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

import pytest
from tests.edits.schedulers import Bench, answer, replaced
from tests.edits.test_scheduler import turns

from twospeed.edits.prompting.prompt_context import PromptContext, PromptDelimiters
from twospeed.edits.prompting.scope_resolution import resolve_scope
from twospeed.edits.values import EditRequest
from twospeed.edits.writing.part_answers import closes_its_blocks, merge_into_scope
from twospeed.models.base import Finished, TextDelta
from twospeed.stream import EditStream
from twospeed.syntax import part_places
from twospeed.syntax.scopes.scope_code import scope_code_fully
from twospeed.text.code.scope import Scope, ScopeChoice, ScopeCode
from twospeed.text.document import Document
from twospeed.text.edits import LineEdit
from twospeed.text.line_blocks import Lines

FENCE = "```"

PYTHON = '''\
import os
from functools import cache


class Cart:
    """What is bought."""

    LIMIT = 3

    def __init__(self):
        self.items = []

    # Adds one thing.
    def add(self, item):
        self.items.append(item)

    @property
    def total(self):
        return sum(self.items)

    @cache
    def name(self):
        """Name the cart."""
        return "cart"

    async def save(self):
        await store(self)

    class Line:
        def price(self):
            return 1

        def add(self, other):
            return other


def load(path):
    def run():
        return 1

    return open(path)


def run():
    return os.getcwd()
'''
PROPERTY = """\
class A:
    @property
    def x(self):
        return self._x

    @x.setter
    def x(self, value):
        self._x = value

    def y(self):
        return 1
"""
TABS = (
    "class A:\n\tdef a(self):\n\t\treturn 1\n\n\tdef b(self):\n\t\tif self:\n\t\t\treturn 2\n\t\treturn 3\n"
)
JAVASCRIPT = """\
import { log } from './log';

export class Cart {
  constructor() {
    this.items = [];
  }

  get size() {
    return this.items.length;
  }

  set size(n) {
    this.items.length = n;
  }

  static empty() {
    return new Cart();
  }

  async load(url) {
    const answer = await fetch(url);
    return answer.json();
  }
}

/** Formats a price. */
export function format(price) {
  return `${price} €`;
}

export const parse = (text) => {
  return Number(text);
};
"""
LONG = """\
class Cart {
  limit = 3;

  add(a, b) {
    check(a);
    check(b);
    keep(a);
    keep(b);
    tell(a);
    tell(b);
    note(a);
    return 1;
  }

  size() {
    return 2;
  }
}
"""
TEXT = """\
class A:
    limit = 3

    def a(self):
        x = \"\"\"
name
\"\"\"
        return x

    def b(self):
        return 2
"""
TYPESCRIPT = """\
interface Shape {
  area(): number;
}

class Square implements Shape {
  constructor(private side: number) {}

  area(): number {
    return this.side * this.side;
  }

  private grow(by: number): void {
    this.side += by;
  }
}
"""
RUST = """\
use std::fmt;

pub struct Point {
    x: i32,
}

impl Point {
    /// Makes one.
    pub fn new(x: i32) -> Self {
        Point { x }
    }

    #[inline]
    pub fn double(&self) -> i32 {
        self.x + self.x
    }
}

impl fmt::Display for Point {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "{}", self.x)
    }
}

impl fmt::Debug for Point {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "{}", self.x)
    }
}
"""
GO = """\
package main

import "fmt"

type Stack struct {
	items []int
}

// Push adds an item.
func (s *Stack) Push(item int) {
	s.items = append(s.items, item)
}

func (s *Stack) Len() int {
	return len(s.items)
}

func main() {
	fmt.Println("hello")
}
"""
JAVA = """\
package shop;

public class Cart {
    private int total;

    public int getTotal() {
        return total;
    }

    public void add(int price) {
        total += price;
    }

    public void take(int price) {
        total -= price;
    }

    public void take(int price, int times) {
        total -= price * times;
    }
}
"""
STARS = JAVA.replace("    public void add", "    /**\n     * Adds.\n     */\n    public void add")
CPP = """\
#include <vector>

int area(int width, int height);

class Box {
public:
    int size() const { return n_; }

    void grow(int by)
    {
        n_ += by;
    }

private:
    int n_ = 0;
};

int area(int width, int height)
{
    return width * height;
}

int Box_count()
{
    return 1;
}
"""
RUBY = """\
class Invoice
  attr_reader :lines

  def initialize(number)
    @number = number
  end

  def total
    @lines.sum
  end
end
"""
PHP = """\
<?php

namespace App;

class User
{
    private string $name = '';

    public function name(): string
    {
        return $this->name;
    }

    public static function make(): self
    {
        return new self();
    }
}
"""


@dataclass(frozen=True)
class Case:
    """A partial answer and its result.

    Attributes:
        language_id: LSP language id.
        text: The document.
        answer: The code of the answer.
        old: The text of the document that is replaced; empty if the answer stays refused.
        new: The text that replaces it.
        choice: The scope: the whole file, or the class around the document's text ``at``.
        at: A text of the document where the cursor is.
    """

    language_id: str
    text: str
    answer: str
    old: str = ""
    new: str = ""
    choice: ScopeChoice = "file"
    at: str = ""


async def merged(case: Case, answer: str) -> str | None:
    """Return the document with the part; ``None`` if the answer stays refused."""
    document = Document.opened("file:///a", 1, case.language_id, case.text, "utf-16")
    line = case.text[: case.text.index(case.at)].count("\n")
    column = len(document.lines[line]) - len(document.lines[line].lstrip())
    place = (line, column)
    request = EditRequest(document, (place, place), "change it", "lightning", choice=case.choice)
    scope = resolve_scope(request)
    context = PromptContext.about(request, scope, PromptDelimiters())
    stream = EditStream(context.old_lines, context.surroundings)
    stream.receive_text(answer)
    stream.finish("stop")
    code = stream.whole_code(complete_if_it_parses=closes_its_blocks(case.language_id))
    part = await merge_into_scope(context, code, None)
    if part is None:
        return None
    return document.with_edits([LineEdit(scope.start, scope.end - scope.start, part.lines)]).text


ADD = ("        self.items.append(item)\n", "        self.items.insert(0, item)\n")
LAND = {
    "a method for its class": Case(
        "python",
        PYTHON.replace("        def add(self, other):\n            return other\n", ""),
        "    def add(self, item):\n        self.items.insert(0, item)",
        *ADD,
        "class",
        "LIMIT",
    ),
    "a method for its file": Case(
        "python",
        PYTHON.replace("        def add(self, other):\n            return other\n", ""),
        "    # Adds one thing.\n    def add(self, item):\n        self.items.insert(0, item)",
        *ADD,
    ),
    "a function at the margin for a method of its class": Case(
        "python",
        PYTHON,
        "async def save(self):\n    await store(self, 1)",
        "await store(self)",
        "await store(self, 1)",
        "class",
        "LIMIT",
    ),
    "a function beside a local one of another name": Case(
        "python",
        PYTHON,
        "def load(path):\n    return path",
        "def load(path):\n    def run():\n        return 1\n\n    return open(path)\n",
        "def load(path):\n    return path\n",
    ),
    "a property with its decorator": Case(
        "python",
        PYTHON,
        "@property\ndef total(self):\n    return 5",
        "return sum(self.items)",
        "return 5",
        "class",
        "LIMIT",
    ),
    "two methods at once": Case(
        "python",
        PYTHON,
        "@property\ndef total(self):\n    return 5\n\nasync def save(self):\n    await keep(self)",
        PYTHON[PYTHON.index("        return sum") : PYTHON.index("    class Line")],
        PYTHON[PYTHON.index("        return sum") : PYTHON.index("    class Line")]
        .replace("sum(self.items)", "5")
        .replace("store", "keep"),
        "class",
        "LIMIT",
    ),
    "imports that the file has, above the function": Case(
        "javascript",
        f"{JAVASCRIPT}\nlog(parse('1'));\n",
        "import { log } from './log';\n\nexport const parse = (text) => {\n  return +text;\n};",
        "return Number(text);",
        "return +text;",
    ),
    "a doc comment that the part has not": Case(
        "javascript",
        JAVASCRIPT,
        "export function format(price) {\n  return price;\n}",
        "return `${price} €`;",
        "return price;",
    ),
    "another doc comment": Case(
        "javascript",
        JAVASCRIPT,
        "/** Writes a price. */\nexport function format(price) {\n  return price;\n}",
        "/** Formats a price. */\nexport function format(price) {\n  return `${price} €`;",
        "/** Writes a price. */\nexport function format(price) {\n  return price;",
    ),
    "a method of another unit of indentation": Case(
        "javascript",
        JAVASCRIPT,
        "    async load(url) {\n        return fetch(url);\n    }",
        "    const answer = await fetch(url);\n    return answer.json();\n",
        "    return fetch(url);\n",
        "class",
        "static",
    ),
    "tabs for tabs": Case(
        "python", TABS, "\tdef a(self):\n\t\treturn 5", "return 1", "return 5", "class", "class"
    ),
    "spaces for tabs": Case(
        "python",
        TABS,
        "    def b(self):\n        if self:\n            return 5\n        return 3",
        "return 2",
        "return 5",
        "class",
        "class",
    ),
    "a method with another parameter, where no two have one name": Case(
        "typescript",
        TYPESCRIPT,
        "  private grow(by: number, times = 1): void {\n    this.side += by * times;\n  }",
        "grow(by: number): void {\n    this.side += by;",
        "grow(by: number, times = 1): void {\n    this.side += by * times;",
        "class",
        "private",
    ),
    "a method of an impl with its doc comment": Case(
        "rust",
        RUST,
        "/// Makes one.\npub fn new(x: i32) -> Self {\n    Self { x }\n}",
        "Point { x }\n    }",
        "Self { x }\n    }",
        "class",
        "/// Makes",
    ),
    "async that is new": Case(
        "rust",
        RUST,
        "    #[inline]\n    pub async fn double(&self) -> i32 {\n        self.x * 2\n    }",
        "pub fn double(&self) -> i32 {\n        self.x + self.x",
        "pub async fn double(&self) -> i32 {\n        self.x * 2",
    ),
    "one function of a Go file": Case(
        "go", GO, "func (s *Stack) Len() int {\n\treturn 0\n}", "return len(s.items)", "return 0"
    ),
    "package and import above it": Case(
        "go",
        f"{GO}\nvar count = 1\n",
        'package main\n\nimport "fmt"\n\nfunc main() {\n\tfmt.Println("bye")\n}',
        '"hello"',
        '"bye"',
    ),
    "a method with the same parameters": Case(
        "java",
        JAVA,
        "    public void add(int price) {\n        total += 2 * price;\n    }",
        "total += price;",
        "total += 2 * price;",
        "class",
        "total;",
    ),
    "a function whose prototype stays": Case(
        "cpp",
        CPP,
        "int area(int width, int height)\n{\n    return height * width;\n}",
        "return width * height;",
        "return height * width;",
    ),
    "a member that says more": Case(
        "cpp",
        CPP,
        "    int size() const noexcept { return n_; }",
        "size() const {",
        "size() const noexcept {",
        "class",
        "public:",
    ),
    "a method whose doc comment has lines that begin with a star": Case(
        "java",
        STARS,
        "    /**\n     * Adds.\n     */\n    public void add(int price) {\n        total += 2 * price;\n    }",
        "total += price;",
        "total += 2 * price;",
    ),
    "a method with blanks on an empty line": Case(
        "java",
        JAVA.replace("total += price;", "check();\n  \n        total += price;"),
        "    public void add(int price) {\n        check();\n  \n        total += 2 * price;\n    }",
        "total += price;",
        "total += 2 * price;",
        "class",
        "total;",
    ),
    "a method that ends in a word": Case(
        "ruby",
        RUBY,
        "  def initialize(number)\n    @number = number.freeze\n  end",
        "= number\n",
        "= number.freeze\n",
        "class",
        "attr",
    ),
    "PHP with its opening tag": Case(
        "php",
        PHP,
        "<?php\n\n    public function name(): string\n    {\n        return trim($this->name);\n    }",
        "return $this->name;",
        "return trim($this->name);",
        "class",
        "private",
    ),
}
STAY_REFUSED = {
    "a name that two classes define": Case("python", PYTHON, "    def add(self, item):\n        return 5", choice="class", at="LIMIT"),
    "a function of a name that a local one has": Case("python", PYTHON, "def run():\n    return 5"),
    "a decorator that is lost": Case("python", PYTHON, "def total(self):\n    return 5", choice="class", at="LIMIT"),
    "another decorator": Case("python", PYTHON, '@lru_cache\ndef name(self):\n    """Name it."""\n    return 5', choice="class", at="LIMIT"),
    "a docstring that is lost": Case("python", PYTHON, "@cache\ndef name(self):\n    return 5", choice="class", at="LIMIT"),
    "async that is lost": Case("python", PYTHON, "def save(self):\n    store(self)", choice="class", at="LIMIT"),
    "a function at the margin for a method somewhere": Case("python", PYTHON, "def price(this):\n    return 5"),
    "getter and setter of one name": Case("python", PROPERTY, "@property\ndef x(self):\n    return 5", choice="class", at="class"),
    "a setter for a getter": Case("python", PYTHON, "@total.setter\ndef total(self, value):\n    self._t = value", choice="class", at="LIMIT"),
    "the accessors of a class": Case("javascript", JAVASCRIPT, "  get size() {\n    return 5;\n  }", choice="class", at="static"),
    "static that is lost": Case("javascript", JAVASCRIPT, "  empty() {\n    return 5;\n  }", choice="class", at="static"),
    "static that is new": Case("javascript", JAVASCRIPT, "  static async load(url) {\n    return 5;\n  }", choice="class", at="static"),
    "export that is lost": Case("javascript", JAVASCRIPT, "function format(price) {\n  return 5;\n}"),
    "all of the file but its other functions": Case(
        "go", GO, 'package main\n\nimport "fmt"\n\nfunc main() {\n\tfmt.Println("bye")\n}'
    ),
    "a method without most of its lines": Case(
        "javascript", LONG, "  add(a, b) {\n    check(c);\n    return 2;\n  }", choice="class", at="limit"
    ),
    "a text at the margin in a method that is not": Case(
        "python", TEXT, 'def a(self):\n    x = """\nname\n"""\n    return x + 1', choice="class", at="limit"
    ),
    "the method of a class outside of the scope": Case(
        "rust", RUST.replace('write!(f, "{}", self.x)', "f.pad(self.name)", 1), "    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {\n        trace(f);\n        f.pad(self.name)\n    }", choice="class", at="impl fmt::Debug"
    ),
    "a new import": Case("javascript", JAVASCRIPT, "import { tax } from './tax';\n\nexport function format(price) {\n  return tax(price);\n}"),
    "a comment for what is left out": Case(
        "javascript", JAVASCRIPT, "// ... existing code ...\n\nexport function format(price) {\n  return 5;\n}\n\n// ... existing code ..."
    ),
    "a comment for what is left out, directly above": Case(
        "typescript", TYPESCRIPT, "  // ... other methods ...\n  area(): number {\n    return 5;\n  }", choice="class", at="private"
    ),
    "other words for what is left out": Case(
        "typescript", TYPESCRIPT, "  // the rest stays as it is\n  area(): number {\n    return 5;\n  }", choice="class", at="private"
    ),
    "a comment for the end of a body": Case(
        "javascript", JAVASCRIPT, "  async load(url) {\n    const answer = await retry(url);\n    // ... rest of the method\n  }", choice="class", at="static"
    ),
    "a body that is cut off": Case("javascript", JAVASCRIPT, "  async load(url) {\n    const answer = await fetch(url);", choice="class", at="static"),
    "a body that became empty": Case("typescript", TYPESCRIPT, "  private grow(by: number): void {\n  }", choice="class", at="private"),
    "an attribute that is lost": Case("rust", RUST, "    pub fn double(&self) -> i32 {\n        5\n    }", choice="class", at="/// Makes"),
    "pub that is lost": Case("rust", RUST, "    fn new(x: i32) -> Self {\n        5\n    }", choice="class", at="/// Makes"),
    "a method of two traits": Case("rust", RUST, "    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {\n        todo(f)\n    }"),
    "one of two that nothing knows": Case("go", GO, "func (s *Stack) Len() int {\n\treturn 0\n}\n\nfunc other() {\n}"),
    "the method of another receiver": Case("go", GO, "func (q *Queue) Len() int {\n\treturn 0\n}"),
    "a name that nothing has": Case("go", GO, "func start() {\n\tfmt.Println(1)\n}"),
    "an overload": Case("java", JAVA, "    public void add(long price) {\n        total += price;\n    }", choice="class", at="total;"),
    "one of two overloads": Case("java", JAVA, "    public void take(int price) {\n        total = 0;\n    }", choice="class", at="total;"),
    "code of another language": Case("java", JAVA, "def add(price):\n    total += price", choice="class", at="total;"),
    "words around code without a fence": Case("cpp", CPP, "Here is the function:\n\nint Box_count()\n{\n    return 2;\n}"),
    "statements beside the function": Case("cpp", CPP, "static int count = 2;\n\nint Box_count()\n{\n    return count;\n}"),
    "the old code once more": Case("ruby", RUBY, "  def total\n    @lines.sum\n  end", choice="class", at="attr"),
    "a class with one of its methods": Case("php", PHP, "class User\n{\n    public function name(): string\n    {\n        return 'x';\n    }\n}"),
    "a definition twice": Case("php", PHP, "    public function name(): string\n    {\n        return 'a';\n    }\n\n    public function name(): string\n    {\n        return 'b';\n    }", choice="class", at="private"),
    "a part of what cannot be read": Case("ruby", RUBY.replace("@lines.sum", "@lines.sum("), "  def initialize(number)\n    @number = 1\n  end"),
}  # fmt: skip


@pytest.mark.parametrize("has_crlf", [False, True])
async def test_a_part_with_a_certain_place_replaces_its_old_version(has_crlf: bool) -> None:
    for name, case in LAND.items():
        assert case.text.count(case.old) == 1, name
        wanted = case.text.replace(case.old, case.new)
        text = case.text.replace("\n", "\r\n") if has_crlf else case.text
        given = Case(case.language_id, text, case.answer, choice=case.choice, at=case.at)
        landed = await merged(given, f"{FENCE}{case.language_id}\n{case.answer}\n{FENCE}\n")
        assert landed is not None, name
        assert landed == (wanted.replace("\n", "\r\n") if has_crlf else wanted), name


async def test_a_part_without_a_certain_place_stays_refused() -> None:
    for name, case in STAY_REFUSED.items():
        assert await merged(case, f"{FENCE}{case.language_id}\n{case.answer}\n{FENCE}\n") is None, name


PART = "    def b(self):\n        if self:\n            return 5\n        return 3\n"
MERGED = TABS.replace("return 2", "return 5")


@pytest.mark.parametrize("style", ["stream", "atomic", "preview"])
async def test_a_part_is_applied_after_one_request_with_a_finding_that_names_it(style: str) -> None:
    bench = Bench(answer(PART))
    editor = bench.open(TABS)
    report = await bench.edit(editor, choice="file", style=style)
    assert (report.outcome, report.new_text) == ("applied", MERGED)
    assert editor.channel.document.text == (TABS if style == "preview" else MERGED)
    assert len(bench.model.requests) == 1
    (finding,) = (each.finding for each in report.findings)
    assert (finding.code, finding.severity) == ("merged-part", 3)
    assert (
        finding.message
        == 'the answer contained only the function "b"; all other lines of the scope are unchanged'
    )
    assert len(report.hunks) == (style != "preview")


async def test_a_part_is_read_to_its_end_although_its_first_line_is_refused() -> None:
    bench = Bench([TextDelta(f"{FENCE}python\n{PART}"), TextDelta(f"{FENCE}\n"), Finished("stop")])
    report = await bench.edit(bench.open(TABS), choice="file")
    assert (report.outcome, report.new_text) == ("applied", MERGED)


@pytest.mark.parametrize("end", ["", f"{FENCE}\n\nOr this:\n\n{FENCE}python\n{PART}{FENCE}\n"])
async def test_a_part_that_may_be_cut_off_or_has_two_blocks_is_requested_again(end: str) -> None:
    bench = Bench([TextDelta(f"{FENCE}python\n{PART}{end}"), Finished("stop")], answer(MERGED))
    report = await bench.edit(bench.open(TABS), choice="file")
    assert (report.outcome, report.new_text) == ("applied", MERGED)
    assert len(bench.model.requests) == 2


async def test_a_part_of_lines_that_the_user_changed_is_requested_again() -> None:
    gate = asyncio.Event()
    part = [TextDelta(f"{FENCE}python\n{PART}"), gate, TextDelta(f"{FENCE}\n"), Finished("stop")]
    typed = MERGED.replace("return 1", "return 10")
    bench = Bench(part, answer(typed))
    editor = bench.open(TABS)
    edit = bench.begin(editor, choice="file")
    await turns()
    replaced(editor, 2, 3, "\t\treturn 10\n")
    gate.set()
    report = await edit.finished
    assert (report.outcome, len(bench.model.requests)) == ("applied", 2)
    assert editor.channel.document.text == typed


def test_the_document_is_searched_once_for_all_definitions_of_a_part(monkeypatch: pytest.MonkeyPatch) -> None:
    searched: list[tuple[int, int]] = []

    def counted(lines: Lines, language_id: str, start: int, end: int) -> ScopeCode:
        searched.append((start, end))
        return scope_code_fully(lines, language_id, start, end)

    monkeypatch.setattr(part_places, "scope_code_fully", counted)
    methods = "".join(f"    def m{number}(self):\n        return {number}\n\n" for number in range(40))
    document = Document.opened("file:///a", 1, "python", f"class A:\n{methods}class B:\n{methods}", "utf-16")
    part = methods.replace("return", "return 1 +").splitlines()
    placed = part_places.place_parts(document.lines, "python", Scope("class", "A", 0, 121), part)
    assert [each.name for each in placed] == [f"m{number}" for number in range(40)]
    assert searched.count((0, len(document.lines))) == 1
