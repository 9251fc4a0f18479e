"""The validation of an answer: the facts for the gate, and the refusal of the edit."""

from __future__ import annotations

import threading
from typing import get_args

import pytest

from twospeed import gate
from twospeed.edits.values import EditRequest
from twospeed.edits.writing import validation
from twospeed.edits.writing.validation import ReadAnswer, refusal_of, validate
from twospeed.gate.checks import CHECKS, check
from twospeed.gate.facts import Finding, GateResult, GateSettings
from twospeed.text.code.scope import Scope
from twospeed.text.document import Document
from twospeed_protocol.words import ReasonCode

TEXT = """\
import os


class Cart:
    def total(self):
        return sum(self.items)

    def clear(self):
        self.items = []
"""
CART = Scope("class", "Cart", 3, 9)


ONLY_TOLD = {"deleted-scope", "merged-part", "secret-gone", "sensitive-code"}


async def codes(answer: str) -> list[tuple[str, int, int]]:
    document = Document.opened("file:///cart.py", 1, "python", TEXT, "utf-16")
    request = EditRequest(document, ((3, 0), (3, 0)), "change it", "lightning")
    lines = answer.splitlines(keepends=True)
    judgement = await validate(request, CART, ReadAnswer(lines), GateSettings())
    return [(each.code, each.first_line, each.last_line) for each in judgement.findings]


async def test_a_long_answer_is_judged_in_a_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    threads: list[threading.Thread] = []

    def noted(facts: gate.GateFacts, settings: GateSettings) -> GateResult:
        threads.append(threading.current_thread())
        return check(facts, settings)

    monkeypatch.setattr(gate, "check", noted)
    fine = "".join(TEXT.splitlines(keepends=True)[3:])
    left = validation.MAX_CHARS_AT_ONCE - 2 * len(fine)
    for n_more in (0, left, left + 1):
        await codes(fine + "\n" * n_more)
    assert [each is threading.main_thread() for each in threads] == [True, True, False]


@pytest.mark.parametrize("code", sorted({each.code for each in CHECKS} - ONLY_TOLD))
def test_every_check_that_can_refuse_has_a_reason_of_the_contract(code: str) -> None:
    finding = Finding(code, 1, "so it is", 0, 0)  # type: ignore[arg-type]  # one of the list
    ending = refusal_of(finding)
    assert ending
    assert ending.reason
    assert ending.reason.code in get_args(ReasonCode)


async def test_an_insertion_below_a_last_line_without_a_line_end_is_judged() -> None:
    document = Document.opened("file:///cart.py", 1, "python", "import os\nos", "utf-16")
    request = EditRequest(document, ((1, 2), (1, 2)), "add it", "lightning")
    lines = ["def f():\n", "    return 1\n"]
    judgement = await validate(request, Scope("insertion", None, 2, 2), ReadAnswer(lines), GateSettings())
    assert judgement.refusal is None


async def test_an_answer_is_judged_in_its_place_in_the_document() -> None:
    fine = "".join(TEXT.splitlines(keepends=True)[3:])
    assert await codes(fine) == []
    assert await codes(fine.replace("sum(self.items)", "os.system(self.items)")) == [("runs-code", 5, 5)]
    assert await codes(fine.replace("self.items = []", "...")) == [("emptied-body", 7, 8)]
    assert await codes(fine.replace("Cart", "Basket")) == [
        ("name-gone", 3, 8),
    ]
    assert await codes(fine.replace("self.items)", "self.items")) == [("syntax-errors", 5, 5)]


async def test_code_that_the_grammar_accepts_and_the_language_rejects_is_refused() -> None:
    fine = "".join(TEXT.splitlines(keepends=True)[3:])
    assert await codes(fine.replace("return", "await")) == [("syntax-errors", 5, 5)]
    assert await codes(fine.replace("    def total(self):\n        ", "    ")) == [
        ("syntax-errors", 4, 4),
        ("dropped-definition", 4, 4),
    ]


async def test_a_class_around_a_method_of_the_scope_counts_as_requested() -> None:
    text = "class Cart {\n    int total() {\n        return 1;\n    }\n}\n"
    document = Document.opened("file:///Cart.java", 1, "java", text, "utf-16")
    request = EditRequest(document, ((2, 8), (2, 8)), "change it", "lightning")
    method = Scope("function", "total", 1, 4)
    new = "    int total() {\n        return 2;\n    }\n"
    for answer, refused in (
        (new, None),
        (f"    public class Cart {{\n{new}    }}\n", "partial"),
        (f"{new}\n    class Item {{\n    }}\n", None),
    ):
        judgement = await validate(
            request, method, ReadAnswer(answer.splitlines(keepends=True)), GateSettings()
        )
        ending = refusal_of(judgement.refusal)
        assert (ending and ending.reason and ending.reason.code) == refused


async def test_an_undefined_name_is_found_without_a_workspace() -> None:
    fine = "".join(TEXT.splitlines(keepends=True)[3:])
    assert await codes(fine.replace("sum(", "json.dumps(")) == [("unknown-name", 5, 5)]


async def test_syntax_errors_are_recounted_only_if_an_answer_seems_to_add_some(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    afresh: list[object] = []

    async def counted_afresh(*document: object) -> int:
        afresh.append(document)
        return 0

    async def no_fault(*_document: object) -> None:
        return None

    monkeypatch.setattr("twospeed.syntax.count_errors_of_fresh_tree", counted_afresh)
    monkeypatch.setattr("twospeed.syntax.find_new_fault", no_fault)
    fine = "".join(TEXT.splitlines(keepends=True)[3:])
    assert await codes(fine) == []
    assert afresh == []
    found = await codes(fine.replace("self.items)", "self.items"))
    assert "syntax-errors" not in {code for code, _, _ in found}
    assert len(afresh) == 2


BROKEN = "int first() {\n    return 1;\n\nint second() {\n    return 2;\n}\n\nint third(int a) {\n    return a\n}\n"


@pytest.mark.parametrize(
    ("answer", "is_worse"),
    [
        ("int second() {\n    if (first()) {\n        return 3;\n    }\n    return 2;\n}\n", False),
        ("int second() {\n    return (2;\n}\n", True),
    ],
    ids=["whole", "a bracket is lost"],
)
async def test_broken_code_outside_the_scope_does_not_refuse_an_answer(
    answer: str, *, is_worse: bool
) -> None:
    document = Document.opened("file:///a.cpp", 1, "cpp", BROKEN, "utf-16")
    request = EditRequest(document, ((3, 0), (6, 0)), "change it", "lightning")
    lines = answer.splitlines(keepends=True)
    judgement = await validate(request, Scope("selection", None, 3, 6), ReadAnswer(lines), GateSettings())
    assert (refusal_of(judgement.refusal) is not None) == is_worse


CHART = """\
<canvas id="chart"></canvas>
<script>
  var data = {{ site.data.rates | jsonify }};
  draw(data);
</script>
"""
CHART_WITH_STYLE = (
    """\
<style>
  .chart { position: relative; width: 100%; }
</style>
"""
    + CHART
)
LIST = "<ul>\n{% for each in posts %}\n  <li>{{ each.title }}</li>\n{% endfor %}\n</ul>\n"
LIST_OF_LINKS = LIST.replace("{{ each.title }}", '<a href="{{ each.url }}">{{ each.title }}</a>')
PANEL = "export const Panel = () => (\n  <p>{title}</p>\n);\n"


async def judged(language_id: str, old: str, new: str) -> str | None:
    """Replace a whole document; return the code of the refusal, if any."""
    document = Document.opened("file:///page", 1, language_id, old, "utf-16")
    n_lines = len(document.lines)
    request = EditRequest(document, ((0, 0), (n_lines, 0)), "change it", "lightning")
    scope, answer = Scope("file", None, 0, n_lines), new.splitlines(keepends=True)
    refusal = (await validate(request, scope, ReadAnswer(answer), GateSettings())).refusal
    return refusal.code if refusal else None


async def test_markup_in_a_file_of_another_language_is_not_refused_for_its_syntax() -> None:
    cases = [
        ("a script's file", "javascript", CHART, CHART_WITH_STYLE, True),
        ("a typed script's file", "typescript", CHART, CHART_WITH_STYLE, True),
        ("a style's file", "css", LIST, LIST_OF_LINKS, True),
        ("a list of links", "javascript", LIST, LIST_OF_LINKS, True),
        (
            "a tag that is never closed",
            "javascript",
            CHART,
            CHART.replace("</script>", "</script <b>"),
            False,
        ),
        ("code with a tag in it", "javascriptreact", PANEL, PANEL.replace(");", ")"), True),
        ("broken code with a tag in it", "javascriptreact", PANEL, PANEL.replace("</p>", ""), False),
    ]
    for name, language_id, old, new, lands in cases:
        assert (await judged(language_id, old, new) != "syntax-errors") == lands, name


async def test_an_answer_with_broken_indentation_is_never_applied() -> None:
    branch = "def f(a):\n    if a:\n        return 1\n    return 2\n"
    cases = [
        ("a block that lost its level", "python", branch, ("        return 1", "    return 1")),
        ("a line between two levels", "python", branch, ("    return 2", "      return 2")),
        ("a tab among spaces", "python", branch, ("        return 1", "\treturn 1")),
        ("a method beside its class", "python", "class A:\n    x = 1\n\n    def f(self):\n        pass\n", ("    def", "   def")),
        ("a handler without a body", "python", "try:\n    a()\nexcept E:\n    b()\n", ("    b()", "b()")),
        ("a key below a value", "yaml", "a:\n  b: 1\n  c: 2\n", ("  c", "    c")),
        ("an item left of its list", "yaml", "a:\n  b:\n    - 1\n    - 2\n", ("    - 2", "   - 2")),
    ]  # fmt: skip
    for name, language_id, old, (part, instead) in cases:
        assert await judged(language_id, old, old.replace(part, instead)) == "syntax-errors", name
