"""A lost line, argument or word gets a finding if the rest of the code needs it."""

from __future__ import annotations

import pytest
from tests.gate.losses.test_lost_lines import reported

PYTHON = """\
limits = [1]


@cached
async def load(path, limit=10):
    \"\"\"Read the newest rows.\"\"\"
    rows = await read(path)
    total = 0
    for row in rows:
        total += row.amount
    log(path, total)
    return rows[:limit]
"""
C = """\
struct node *push(struct node *head, int value)
{
    struct node *node = malloc(sizeof *node);
    node->next = head;
    if (head != NULL) {
        head->previous = node;
    }
    node->value = value;
    return node;
}
"""
JAVA = """\
import java.math.BigDecimal;
import java.util.List;

class Account {
    @Override
    public BigDecimal total(List<Entry> entries) {
        BigDecimal sum = BigDecimal.ZERO;
        for (Entry entry : entries) {
            sum = sum.add(entry.amount());
        }
        return sum;
    }
}
"""
SCRIPT = """\
import { read } from './files';

function load(path, limit) {
  const text = read(path);
  return text.slice(0, limit);
}

module.exports = { load };
"""
RUST = """\
fn run(command: Command) -> u8 {
    let code = match command {
        Command::Add => 1,
        Command::Remove => 2,
    };
    return code;
}
"""
GO = 'package a\n\nimport (\n\t"os"\n)\n\nfunc Read(path string) string {\n\tdata, _ := os.ReadFile(path)\n\treturn string(data)\n}\n'
CHECKS = "test('adds', () => {\n  const cart = new Cart();\n  cart.add(1);\n  expect(cart.n).toBe(1);\n  expect(cart.sum).toBe(2);\n});\n"
TOML = '[project]\nname = "garden"\nversion = "1"\n'

LOSSES = {
    "a decorator": (PYTHON, "@cached\n", "", "python", (3, '"@cached" was removed here')),
    "an annotation": (JAVA, "    @Override\n", "", "java", (4, '"@Override" was removed here')),
    "a docstring": (PYTHON, '    """Read the newest rows."""\n', "", "python", (5, "the docstring was removed")),
    "an await": (PYTHON, "await ", "", "python", (6, 'the "await" in this line was removed')),
    "the end of a function": (PYTHON, "    return rows[:limit]\n", "", "python", (10, "the return at the end of this function was removed")),
    "the end of a function below a loop": (JAVA, "        return sum;\n", "", "java", (10, "the return at the end of this function was removed")),
    "what a condition held": (C, "        head->previous = node;\n", "", "c", (4, 'the body of "if (head != NULL) {" was removed')),
    "arguments": (PYTHON, "log(path, total)", "log()", "python", (10, 'the arguments "path, total" of this call were removed')),
    "an arm": (RUST, "        Command::Add => 1,\n", "", "rust", (2, '"Command::Add => 1," was removed here')),
    "one of the checks of a test": (CHECKS, "  expect(cart.n).toBe(1);\n", "", "javascript", (3, '"expect(cart.n).toBe(1);" was removed here')),
    "what a file exports": (SCRIPT, "module.exports = { load };\n", "", "javascript", (6, 'the end of the file was removed: "module.exports = { load };"')),
    "an import that is used": (JAVA, "import java.util.List;\n", "", "java", (1, '"List" is still used, but "import java.util.List;" was removed')),
    "a package that is used": (GO, '\t"os"\n', "", "go", (3, '"os" is still used, but ""os"" was removed')),
    "the name of a section": (TOML, "[project]\n", "", "toml", (0, '"[project]" was removed here')),
    "the declaration of a variable": (JAVA, "        BigDecimal sum = BigDecimal.ZERO;\n", "", "java", (7, '"sum" is used here, but its declaration was removed')),
    "the first assignment of a variable": (PYTHON, "    total = 0\n", "", "python", (8, '"total" is used here, but its declaration was removed')),
    "a parameter that is used": (C, ", int value", "", "c", (7, '"value" is used here, but its declaration was removed')),
    "all that used a parameter": (C, "    node->value = value;\n", "", "c", (0, 'the parameter "value" is no longer used')),
}  # fmt: skip


@pytest.mark.parametrize("loss", LOSSES)
def test_a_small_loss_is_reported_at_its_old_place(loss: str) -> None:
    old, part, left, language_id, wanted = LOSSES[loss]
    assert old.count(part) == 1
    new = old.replace(part, left)
    assert wanted in reported(old, new, language_id)


def test_kept_code_is_not_reported() -> None:
    for text, language_id in (
        (PYTHON, "python"),
        (C, "c"),
        (JAVA, "java"),
        (SCRIPT, "javascript"),
        (RUST, "rust"),
        (GO, "go"),
    ):
        assert reported(text, f"{text}\n", language_id) == []


ENTRIES = {
    "items of a list, of which one became another": (
        "<ul>\n  <li>Home</li>\n  <li>Plants</li>\n</ul>\n",
        "<ul>\n  <li>Contact</li>\n</ul>\n",
        "html",
        [(1, "2 lines were removed here and 1 was added")],
    ),
    "an import next to a changed one": (
        f"import java.util.Set;\n{JAVA}",
        f"import java.util.Map;\n{JAVA}".replace("import java.util.List;\n", ""),
        "java",
        [(2, '"List" is still used, but "import java.util.List;" was removed')],
    ),
    "lines that one takes the place of and repeats": ("a = f(1)\na = f(a, 2)\n", "a = f(f(1), 2)\n", "python", []),
}  # fmt: skip


@pytest.mark.parametrize("name", ENTRIES)
def test_entries_replaced_by_fewer_of_their_form_are_counted(name: str) -> None:
    old, new, language_id, wanted = ENTRIES[name]
    assert reported(old, new, language_id) == wanted


def test_a_removed_decorator_above_a_changed_line_is_reported() -> None:
    new = PYTHON.replace("@cached\n", "").replace("limit=10", "limit=20")
    assert (3, '"@cached" was removed here') in reported(PYTHON, new, "python")


def test_a_removed_return_after_kept_branches_is_reported() -> None:
    old = (
        "int f(int a)\n{\n    if (a) {\n        g(a);\n    } else {\n        h(a);\n    }\n    return a;\n}\n"
    )
    new = old.replace("    return a;\n", "").replace("g(a)", "g(0)")
    assert (7, "the return at the end of this function was removed") in reported(old, new, "c")


INNOCENT = {
    "a decorator takes the place of another": (PYTHON, [("@cached", "@cache")], "python"),
    "a mark that only keeps a compiler quiet": ('import a;\n\n@SuppressWarnings("all")\nclass A {\n  int a;\n}\n', [('@SuppressWarnings("all")\n', "")], "java"),
    "a return in another form": (JAVA, [("        return sum;\n", "        return sum.round();\n")], "java"),
    "an expression instead of a return": (RUST, [("    return code;\n", "    code\n")], "rust"),
    "both branches return": (
        "def f(a):\n    b = a\n    return b\n",
        [("    return b\n", "    if b:\n        return 1\n    else:\n        return 2\n")],
        "python",
    ),
    "arguments that are on lines of their own now": (PYTHON, [("log(path, total)", "log()\n    log.add(path, total)")], "python"),
    "a variable under another name": (JAVA, [("BigDecimal sum", "BigDecimal all"), ("sum = sum.add", "all = all.add"), ("return sum", "return all")], "java"),
    "a variable that a loop declares": (
        "void f(List<A> all) {\n  A a = null;\n  use(all);\n  a.b();\n}\n",
        [("  A a = null;\n", ""), ("  a.b();\n", "  for (A a : all) {\n    a.b();\n  }\n")],
        "java",
    ),
    "a variable that a lambda declares": (
        "function f(all) {\n  const a = all[0];\n  use(a);\n}\n",
        [("  const a = all[0];\n", ""), ("  use(a);\n", "  all.forEach((a) => use(a));\n")],
        "javascript",
    ),
    "a variable of a pattern": (
        "fn f(all: All) -> u8 {\n    let a = all.first();\n    a.size()\n}\n",
        [("    let a = all.first();\n    a.size()\n", "    if let Some(a) = all.first() {\n        return a.size();\n    }\n    0\n")],
        "rust",
    ),
    "a parameter that a text uses": ("fun f(a: A): String {\n    log(1)\n    return g(a)\n}\n", [("g(a)", '"$a"')], "kotlin"),
    "a function that is to be written": ("int f(int a)\n{\n    int b = g(a);\n    return b;\n}\n", [("    int b = g(a);\n    return b;\n", "    return 0; /* TODO */\n")], "c"),
    "an import that nothing needs": (JAVA, [("import java.util.List;\n", ""), ("List<Entry>", "Entries")], "java"),
    "an import whose line became longer": (GO, [('\t"os"\n', '\tfiles "os" // as files\n')], "go"),
    "an import in another line": (JAVA, [("import java.util.List;\n", "import java.util.*;\n")], "java"),
    "a condition with another body": (C, [("        head->previous = node;\n", "        link(head, node);\n")], "c"),
    "a section without its entries": (f"{TOML}\n[tool]\n", [("\n[tool]\n", "")], "toml"),
}  # fmt: skip


@pytest.mark.parametrize("name", INNOCENT)
def test_replaced_code_is_not_reported(name: str) -> None:
    old, changes, language_id = INNOCENT[name]
    new = old
    for before, behind in changes:
        assert before in new
        new = new.replace(before, behind)
    assert reported(old, new, language_id) == []


def test_a_removed_definition_is_reported_only_by_its_name() -> None:
    both = f"{PYTHON}\n\n{PYTHON.replace('load', 'save')}"
    assert reported(both, PYTHON, "python") == []
