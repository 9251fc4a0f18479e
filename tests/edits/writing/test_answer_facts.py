"""The facts of an answer: syntax errors, names, functions, and reported faults."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any, cast

import pytest
from tests.edits.inline_edits import opened

from twospeed import gate, syntax
from twospeed.edits.prompting.retrying_request import PIECE_CHARS, pieces_of
from twospeed.edits.prompting.sensitivity import Sensitivity, classify_scope, sensitivity_of
from twospeed.edits.values import EditRequest, Ending, Reason
from twospeed.edits.writing import new_code, validation
from twospeed.edits.writing.new_code import MAX_NAMES, repeated_functions, unresolved_names
from twospeed.edits.writing.repair import MAX_LINE_CHARS, Repair, failed_repair, fault_in
from twospeed.edits.writing.validation import ReadAnswer, refusal_of, validate
from twospeed.errors import ModelUnavailable
from twospeed.gate import Fix, GateFacts, GateSettings
from twospeed.gate.facts import Finding, FunctionDuplicate, GateResult, SensitiveUse, UnresolvedName
from twospeed.models.base import Limits
from twospeed.routing import LaneEntry
from twospeed.stream import AnswerView
from twospeed.stream.ops import Change, Delete, Insert, Keep
from twospeed.text.code.scope import Scope
from twospeed.text.code.symbols import FileSymbols, Symbol, SymbolPlace
from twospeed.text.edits import LineEdit, TextEdit
from twospeed.text.positions import Position, Range

TEXT = "import os\n\n\ndef f(a):\n    verify(a)\n    return a\n\n\nx = 1\n"
SCOPE = Scope("function", "f", 3, 6)
ANSWER = ("def f(a):\n", "    return json.loads(a)\n")


def request(text: str = TEXT, **more: Any) -> EditRequest:
    return EditRequest(opened(text), ((3, 0), (3, 0)), "do it", "deep", path="a.py", **more)


def facts_given(monkeypatch: pytest.MonkeyPatch) -> list[GateFacts]:
    given: list[GateFacts] = []

    def check(facts: GateFacts, settings: GateSettings) -> GateResult:
        given.append(facts)
        return GateResult(None, ())

    monkeypatch.setattr(gate, "check", check)
    return given


# Facts for the gate


async def test_the_gate_receives_all_facts_of_an_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    given = facts_given(monkeypatch)
    one = request()
    result = one.document.with_edits([LineEdit(3, 3, ANSWER)])
    await validate(one, SCOPE, ReadAnswer(ANSWER, {"\u200b": 2}), GateSettings())
    expected = GateFacts(
        kind="function",
        name="f",
        first_line=3,
        old_lines=("def f(a):", "    verify(a)", "    return a"),
        new_lines=("def f(a):", "    return json.loads(a)"),
        language_id="python",
        mode="lightning",
        document=one.document.lines,
        errors_before=0,
        errors_after=0,
        before=syntax.scope_code(one.document.lines, "python", 3, 6),
        after=syntax.scope_code(result.lines, "python", 3, 5),
        unresolved=(
            UnresolvedName(
                "json", 4, Fix("Add import json", ("import json",), (LineEdit(0, 0, ("import json\n",)),))
            ),
        ),
        hidden_dropped={"\u200b": 2},
        instruction_words=frozenset({"do", "it"}),
    )
    assert given == [expected]


async def test_known_facts_of_a_scope_are_not_computed_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    given = facts_given(monkeypatch)
    one = request()
    touch = SensitiveUse("SQL", 4, "select")
    before = syntax.scope_code(one.document.lines, "python", 3, 6)
    for mode, sensitive_uses in (("lightning", (touch,)), ("deep", ())):
        sensitivity = Sensitivity(before, cast("Any", mode), (touch,))
        await validate(one, SCOPE, ReadAnswer(ANSWER), GateSettings(), sensitivity=sensitivity)
        assert (given[-1].mode, given[-1].sensitive_uses) == (mode, sensitive_uses)
        assert given[-1].before is before


async def test_places_of_syntax_errors_are_reported_only_if_their_number_grew(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    given = facts_given(monkeypatch)
    broken = TEXT.replace("x = 1", "x = (")
    for text, answer, counts, n_new in (
        (TEXT, "    return (\n", (0, 1), 1),
        (broken, "    return a\n", (1, 1), 0),
        (TEXT, "    return a\n", (0, 0), 0),
    ):
        await validate(request(text), SCOPE, ReadAnswer((ANSWER[0], answer)), GateSettings())
        assert (given[-1].errors_before, given[-1].errors_after) == counts
        assert len(given[-1].new_errors) == n_new


async def test_a_language_without_a_parser_has_no_errors_to_count(monkeypatch: pytest.MonkeyPatch) -> None:
    given = facts_given(monkeypatch)
    plain = EditRequest(opened("a (\nb\n", language_id="plaintext"), ((0, 0), (0, 0)), "do it", "deep")
    await validate(plain, Scope("selection", None, 0, 1), ReadAnswer(("a ((\n",)), GateSettings())
    assert (given[0].errors_before, given[0].errors_after, given[0].new_errors) == (None, None, ())


@pytest.mark.parametrize(
    ("counts", "afresh", "expected", "n_afresh"),
    [
        ((0, 0), (7, 7), (0, 0), 0),
        ((2, 1), (7, 7), (2, 1), 0),
        ((2, 2), (7, 7), (2, 2), 0),
        ((0, 1), (3, 4), (3, 4), 2),
        ((1, 3), (3, 3), (3, 3), 2),
        ((None, 0), (7, 7), (8, 9), 0),
        ((0, None), (7, 7), (8, 9), 0),
        ((None, None), (7, 7), (8, 9), 0),
    ],
)
async def test_errors_are_counted_by_the_tree_afresh_or_by_a_library(
    monkeypatch: pytest.MonkeyPatch,
    counts: tuple[int | None, int | None],
    afresh: tuple[int, int],
    expected: tuple[int, int],
    n_afresh: int,
) -> None:
    before, after = opened("a = 1\n"), opened("b = 1\n")
    asked: list[object] = []

    async def wait_for_tree(language_id: str, lines: object, *, limit_s: float) -> bool:
        asked.append((language_id, lines, limit_s))
        return True

    async def count_afresh(lines: object, language_id: str) -> int:
        asked.append("afresh")
        assert language_id == "python"
        return afresh[0] if lines is before.lines else afresh[1]

    async def by_library(*arguments: object) -> tuple[int, int]:
        assert arguments == (before.lines, after.lines, "python", before.uri)
        return 8, 9

    def count(lines: object, language_id: str) -> int | None:
        assert language_id == "python"
        return counts[0] if lines is before.lines else counts[1]

    monkeypatch.setattr(syntax, "wait_for_tree", wait_for_tree)
    monkeypatch.setattr(syntax, "count_errors", count)
    monkeypatch.setattr(syntax, "count_errors_of_fresh_tree", count_afresh)
    monkeypatch.setattr(syntax, "count_errors_by_library", by_library)
    assert await validation._count_errors(before, after) == expected
    waits = [("python", each.lines, validation.TREE_WAIT_S) for each in (before, after)]
    assert asked == [*waits, *["afresh"] * n_afresh]


def test_a_refusal_has_the_code_of_the_contract_and_the_words_of_the_finding() -> None:
    codes = {
        "syntax-errors": "syntax",
        "partial-answer": "partial",
        "name-gone": "name-gone",
        "growth": "growth",
        "emptied-body": "emptied",
        "dropped-definition": "dropped",
        "lines-gone": "partial",
        "repeated-code": "duplicate",
        "hidden-characters": "hidden",
        "new-address": "risk",
        "runs-code": "risk",
        "encoded-literal": "risk",
        "removed-safeguard": "risk",
        "duplicate-function": "duplicate",
        "unknown-name": "unknown-name",
    }
    assert codes == validation._GATE_CODES
    finding = Finding("growth", 1, "so it is", 0, 0)
    assert refusal_of(finding) == Ending("refused", Reason("growth", "so it is"))
    assert refusal_of(None) is None


# The mode of sensitive code


SECRET = "import os\n\n\ndef login(a):\n    os.system(a)\n    return a\n"


@pytest.mark.parametrize(
    ("mode", "sensitive", "provider", "expected"),
    [
        ("lightning", "deep", "lab", ("deep", 2)),
        ("lightning", "offer", "lab", ("lightning", 2)),
        ("lightning", "off", "lab", ("lightning", 0)),
        ("lightning", "deep", "builtin", ("lightning", 2)),
        ("deep", "deep", "lab", ("deep", 0)),
    ],
)
async def test_the_settings_choose_the_mode_of_sensitive_code(
    mode: Any, sensitive: Any, provider: str, expected: tuple[str, int]
) -> None:
    asked: list[str] = []

    async def serving(which: str) -> LaneEntry:
        asked.append(which)
        return LaneEntry(provider, "m", limits=Limits(), is_cloud=False, origin="config")

    source = cast("Any", SimpleNamespace(serving=serving))
    document = opened(SECRET)
    settings = GateSettings(sensitive=sensitive)
    sensitivity = await classify_scope(document, Scope("function", "login", 3, 6), mode, settings, source)
    assert (sensitivity.mode, len(sensitivity.sensitive_uses)) == expected
    assert sensitivity.before == syntax.scope_code(document.lines, "python", 3, 6)
    assert asked == ["deep"] * bool(expected[1])
    assert sensitivity.route == "mode" or sensitivity.sensitive_uses
    plain = await classify_scope(document, Scope("selection", None, 1, 3), mode, settings, source)
    assert plain == sensitivity_of(document, Scope("selection", None, 1, 3), mode)


def test_a_scope_without_a_mode_is_checked_for_lightning() -> None:
    sensitivity = sensitivity_of(opened(TEXT), SCOPE)
    assert (sensitivity.mode, sensitivity.sensitive_uses, sensitivity.route) == ("lightning", (), "mode")


# Functions and names


async def test_a_function_that_another_file_has_is_reported_with_its_place(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    body = "def {}(items):\n    total = 0\n    for item in items:\n        total += item.price * item.count\n    return total\n"
    other = opened(body.format("total"))
    symbols = syntax.symbols_of(other.lines, "python", mark=syntax.fingerprint_of)
    assert symbols
    marked = [SymbolPlace(path, symbols, 0) for path in ("a.py", "b.py")]
    one = request("x = 1\n", fingerprinted=lambda: marked)
    result = opened("x = 1\n" + body.format("owed"))
    before = syntax.scope_code(one.document.lines, "python", 0, 1)
    after = syntax.scope_code(result.lines, "python", 0, 6)
    found = await repeated_functions(one, result, before, after, GateSettings())
    assert found == (FunctionDuplicate("owed", 1, "total", "b.py", 0),)
    assert await repeated_functions(one, result, before, after, GateSettings(duplicate="off")) == ()
    assert await repeated_functions(one, one.document, before, before, GateSettings()) == ()

    threads: list[object] = []
    find = syntax.find_duplicates

    def find_duplicates(*arguments: Any) -> object:
        threads.append(threading.current_thread() is threading.main_thread())
        return find(*arguments)

    monkeypatch.setattr(syntax, "find_duplicates", find_duplicates)
    for limit in (len(result.lines), len(result.lines) - 1):
        monkeypatch.setattr(new_code, "MAX_LINES_AT_ONCE", limit)
        assert await repeated_functions(one, result, before, after, GateSettings()) == found
    assert threads == [True, False]


async def test_undefined_names_are_reported_in_order_with_their_imports(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    one = request()
    names = [f"name_{number}" for number in range(MAX_NAMES + 3)]
    result = opened(TEXT + "json.loads(nowhere)\n" + "".join(f"{name}()\n" for name in names))
    before = syntax.scope_code(one.document.lines, "python", 8, 9)
    after = syntax.scope_code(result.lines, "python", 8, len(result.lines) - 1)
    found = await unresolved_names(one, result, before, after, GateSettings())
    assert [(each.name, each.line) for each in found[:3]] == [("json", 9), ("nowhere", 9), ("name_0", 10)]
    assert found[0].fix == Fix("Add import json", ("import json",), (LineEdit(0, 0, ("import json\n",)),))
    assert found[1].fix is None
    assert len(found) == MAX_NAMES
    assert await unresolved_names(one, result, before, after, GateSettings(names="off")) == ()
    monkeypatch.setattr(new_code, "MAX_LINES_FOR_NAMES", 1)
    assert await unresolved_names(one, result, before, after, GateSettings()) == found


async def test_in_other_languages_only_undefined_names_with_an_import_are_reported(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    document = opened("const a = 1;\n", language_id="javascript")
    one = EditRequest(document, ((0, 0), (0, 0)), "do it", "deep")
    unknown = [SimpleNamespace(name="met", line=0), SimpleNamespace(name="unmet", line=0)]
    fix = SimpleNamespace(statement='import {met} from "m"', edit=LineEdit(0, 0, ("x\n",)))
    monkeypatch.setattr(syntax, "unknown_names", lambda *_, **__: unknown)
    monkeypatch.setattr(syntax, "import_for", lambda name, *_: fix if name.name == "met" else None)
    code = syntax.scope_code(document.lines, "javascript", 0, 1)
    assert await unresolved_names(one, document, code, code, GateSettings()) == (
        UnresolvedName("met", 0, Fix('Add import {met} from "m"', (fix.statement,), (fix.edit,))),
    )


@pytest.mark.parametrize(
    ("n_lines", "n_bytes", "expected"),
    [
        (9, 9, False),
        (10, 10 * new_code.MAX_BYTES_PER_LINE, False),
        (11, 9, True),
        (9, 10 * new_code.MAX_BYTES_PER_LINE + 1, True),
    ],
)
def test_a_document_is_long_in_lines_or_in_bytes(n_lines: int, n_bytes: int, expected: bool) -> None:
    class Lines(list[str]):
        n_bytes = 0

    lines = Lines(["x"] * n_lines)
    lines.n_bytes = n_bytes
    assert new_code._is_long(cast("Any", SimpleNamespace(lines=lines)), 10) is expected


# Faults for a model


def test_a_fault_names_the_line_of_the_scope_and_its_text() -> None:
    document = opened(TEXT)
    assert fault_in(document, SCOPE, ("def f(a):\n", "    return (a  \n"), "") == (
        'line 2: "(" is not closed: return (a'
    )
    long = "    return (" + "a" * 300 + "\n"
    told = fault_in(document, SCOPE, ("def f(a):\n", long), "")
    assert told.endswith(long[:MAX_LINE_CHARS].strip())
    many = tuple(f"x{number} = )\n" for number in range(5))
    assert [line.partition(":")[0] for line in fault_in(document, SCOPE, many, "").split("\n")] == [
        "line 1",
        "line 2",
        "line 3",
    ]
    assert fault_in(document, SCOPE, ("def f(a):\n", "    return a\n"), "refused so") == "refused so"


def test_an_unrepaired_answer_is_refused_for_its_first_fault() -> None:
    repair = Repair(
        Reason("syntax", "it does not parse"),
        "line 1",
        shows_answer=True,
        n_requests=1,
        counts_in_budget=True,
    )
    error = ModelUnavailable("nobody there", provider="lab", model="m")
    message = "it does not parse; the second request failed: nobody there"
    assert failed_repair(repair, error) == Ending("refused", Reason("syntax", message))


# Text in pieces


@pytest.mark.parametrize("n", [0, 1, PIECE_CHARS - 1, PIECE_CHARS, PIECE_CHARS + 1, 2 * PIECE_CHARS + 7])
def test_a_text_is_cut_into_pieces_of_bounded_size(n: int) -> None:
    text = "".join(chr(97 + at % 26) for at in range(n))
    pieces = pieces_of(text)
    assert "".join(pieces) == text
    assert len(pieces) == max(1, -(-n // PIECE_CHARS))
    assert all(len(piece) <= PIECE_CHARS for piece in pieces)


# The scope as the model sees it


def at(line: int, column: int = 0) -> Position:
    return Position(line, column)


@pytest.mark.parametrize("ends", ["\n", ""])
def test_a_view_reports_only_edits_of_its_scope(ends: str) -> None:
    document = opened("top\na\nb\nc" + ends)
    old = document.lines[1:4]
    view = AnswerView(document, old)
    assert view.lines == old
    assert view.take_edits() == []
    view.receive_ops([Change(0, "x"), Keep(2)])
    assert view.take_edits() == [TextEdit(Range(at(0), at(0, 1)), "x")]
    assert view.take_edits() == []
    view.receive_ops([Insert("y"), Delete(3)])
    assert view.lines in (("x\n", "b\n", "y\n"), ("x\n", "b\n", "y"))
    restarted = AnswerView(document, old)
    assert [edit.range.start.line for edit in view.edits_to(restarted)] == [0]
    assert restarted.edits_to(AnswerView(document, old)) == []
    assert restarted.edits_to(AnswerView(opened("z\n"), ("z\n",))) != []


def test_an_empty_view_accepts_insertions() -> None:
    view = AnswerView(opened("a\n"), ())
    view.receive_ops([Insert("x")])
    assert view.take_edits() == [TextEdit(Range(at(0), at(0)), "x\n")]
    assert view.lines == ("x\n",)


def known_symbols(*names: str) -> Sequence[SymbolPlace]:
    symbols = FileSymbols("python", tuple(Symbol("function", name, f"def {name}():", 0, 1) for name in names))
    return [SymbolPlace("m.py", symbols, number) for number in range(len(names))]


async def test_an_import_from_the_workspace_fixes_an_undefined_name() -> None:
    one = request(definitions_of=lambda word: known_symbols(word) if word == "helper" else [])
    answer = ("def f(a):\n", "    verify(a)\n", "    return helper(a)\n")
    findings = (await validate(one, SCOPE, ReadAnswer(answer), GateSettings())).findings
    (fixed,) = [each.fix for each in findings if each.code == "unknown-name" and '"helper"' in each.message]
    assert fixed
    assert fixed.title == "Add from m import helper"
