"""Findings at the limits of what they count: repeats, first lengths, one more than before."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from tests.gate.answer_findings import facts_of, findings_of

from twospeed.gate import check, confirmation_reason
from twospeed.gate.checks import GROWTH_LINES, MAX_REMARKS
from twospeed.gate.facts import GateSettings, SensitiveUse
from twospeed.gate.risks import MIN_ENCODED_LINE

HEX = "0123456789abcdef" * 20


def codes(old: str, new: str, language_id: str = "python") -> list[tuple[str, int]]:
    return [(code, line) for code, line, _ in findings_of(old, new, language_id)]


def test_a_repeated_new_address_is_reported_once() -> None:
    new = 'a = "https://one.dev"\nb = "https://one.dev/x"\nc = "https://two.dev https://one.dev"\n'
    assert codes("", new) == [("new-address", 0), ("new-address", 2)]


def test_a_removed_line_with_two_secrets_is_reported_once() -> None:
    token, key = "ghp_" + "aB3dE5fG7hJ9kL1mN3pQ5rS7tU9vW1xY3zA5", "sk_live_" + "4eC39HqLyjWDarjtT1zdp7dcXyZ0"
    old = f"def f():\n    login(user='{token}', password='{key}')\n    return 1\n"
    assert codes(old, "def f():\n    return 1\n") == [("secret-gone", 1)]


def test_a_removed_secret_is_reported_with_its_line_and_name() -> None:
    token = "ghp_" + "aB3dE5fG7hJ9kL1mN3pQ5rS7tU9vW1xY3zA5"
    ends = "was removed; make sure that it is stored elsewhere"
    for gone, named in (
        (f"\ntoken = '{token}'\n", ' ("token")'),
        (f"first = 1\ntoken = '{token}'\n", ' ("token")'),
        (f"keys = [\n'{token}',\n]\n", ""),
    ):
        found = findings_of(f"a = 1\n{gone}b = 2\n", "a = 1\nb = 2\n")
        assert ("secret-gone", 1, f"the secret in line 3{named} {ends}") in found, gone


def test_a_merged_part_names_three_definitions_and_counts_the_others() -> None:
    names = [f"function f{number}" for number in range(5)]
    for n, named in ((1, names[0]), (3, " and ".join(names[:3])), (5, " and ".join([*names[:3], "2 more"]))):
        found = check(facts_of("a = 1\n", "a = 2\n", parts=tuple(names[:n])), GateSettings()).findings
        message = f"the answer contained only the {named}; all other lines of the scope are unchanged"
        assert [(each.code, each.severity, each.message) for each in found] == [("merged-part", 3, message)]


def test_a_second_copy_of_an_executing_call_is_reported() -> None:
    old = "a = eval(x)\nb = 1\n"
    assert codes(old, "a = eval(y)\nb = 1\n") == []
    assert codes(old, "a = eval(y)\nb = eval(z)\n") == [("runs-code", 1)]


@pytest.mark.parametrize(
    ("n", "expected"), [(MIN_ENCODED_LINE - 1, []), (MIN_ENCODED_LINE, [("encoded-literal", 0)])]
)
def test_encoded_lines_count_from_the_minimal_length(n: int, expected: list[tuple[str, int]]) -> None:
    pieces = "".join(f'    "{HEX[:n]}"\n' for _ in range(6))
    new = f"a = (\n{pieces})\n"
    assert [code for code, _ in codes("", new)] == [code for code, _ in expected]


def test_encoded_text_has_both_cases_and_digits_or_is_hexadecimal() -> None:
    assert codes("", f'a = "{HEX}"\n') == [("encoded-literal", 0)]
    assert codes("", f'a = "{"ab" * 80}"\n') == []
    assert codes("", f'a = "{"0123" * 40}"\n') == []
    assert codes("", f'a = "{"01234" * 40}"\n') == [("encoded-literal", 0)]
    assert codes("", f'a = "{"aZ" * 80}"\n') == []
    assert codes("", f'a = "{"aZ3" * 60}"\n') == [("encoded-literal", 0)]


def test_a_check_reports_at_most_five_findings() -> None:
    new = "".join(f'a{n} = "https://host{n}.dev"\n' for n in range(MAX_REMARKS + 2))
    assert codes("", new) == [("new-address", n) for n in range(MAX_REMARKS)]


def test_growth_is_reported_from_one_line_above_the_bound() -> None:
    bound = GROWTH_LINES["lightning"]
    old = "a = 1\n"
    for n, expected in ((bound, []), (bound + 1, [("growth", 0)])):
        assert codes(old, old + "".join(f"b{line} = {line}\n" for line in range(n))) == expected


def test_each_removed_check_is_reported_once() -> None:
    old = "verify(a)\nb = 1\nverify(c)\nvalidate(d)\n"
    assert codes(old, "b = 1\nvalidate(e)\n")[1:] == [("removed-safeguard", 0)]
    assert codes(old, "b = 1\n")[1:] == [("removed-safeguard", 0), ("removed-safeguard", 0)]
    assert codes(old, "verify(a)\nb = 1\nverified(c)\nvalidate(d)\n") == []


@pytest.mark.parametrize("side", ["before", "after"])
def test_unparsed_code_has_no_finding_about_removed_checks(side: str) -> None:
    unread: Any = {side: None}
    assert findings_of("verify(a)\nb = 1\n", "b = 1\n", **unread) == []


def test_the_last_line_of_an_empty_scope_is_its_first() -> None:
    assert facts_of("a = 1\n", "").last_line == 0
    assert facts_of("a = 1\n", "b = 1\n").last_line == 0
    assert facts_of("a = 1\n", "b = 1\nc = 1\n").last_line == 1


@pytest.mark.parametrize("name", [each for each in GateSettings.__dataclass_fields__ if each != "sensitive"])
def test_every_check_can_be_switched_off(name: str) -> None:
    old = "def f(a):\n    validate(a)\n    return a\n\n\ndef g():\n    return 2\n"
    new = f"def f(a):\n    pass\n\n\nb = eval(c)\nd = '{HEX}'\ne = 'https://one.dev'\n"
    off_switch: Any = {name: "off"}
    settings = replace(GateSettings(), **off_switch)
    by_default = {each[0] for each in findings_of(old, new, hidden_dropped={"\u200b": 1})}
    off = {each[0] for each in findings_of(old, new, settings=settings, hidden_dropped={"\u200b": 1})}
    assert off <= by_default
    assert len(by_default - off) == (
        name in {"emptied", "dropped", "hidden", "address", "execution", "encoded", "safeguard"}
    )


def test_sensitive_code_is_reported_on_its_line_of_the_document() -> None:
    touch = SensitiveUse("SQL", 11, "select")
    facts = facts_of("a = 1\nb = 2\nc = 3\n", "a = 1\nb = 3\nc = 3\n", first_line=10, sensitive_uses=(touch,))
    [finding] = [each for each in check(facts, GateSettings()).findings if each.code == "sensitive-code"]
    assert (finding.first_line, finding.last_line, finding.severity) == (11, 11, 3)


@pytest.mark.security("R1")
@pytest.mark.parametrize(
    "path",
    [
        "package.json",
        "app/package.json",
        "Makefile",
        "GNUmakefile",
        "setup.py",
        "sitecustomize.py",
        ".pre-commit-config.yaml",
        "run.bash",
        "run.zsh",
        "run.fish",
        "run.ps1",
        "run.bat",
        "run.cmd",
        ".envrc",
        ".bashrc",
        ".zshrc",
        ".profile",
        ".gitlab-ci.yml",
        ".circleci/config.yml",
        ".husky/pre-push",
        ".vscode/tasks.json",
        ".idea/runConfigurations/a.xml",
        ".devcontainer/devcontainer.json",
        ".zed/tasks.json",
        ".helix/config.toml",
        "shop.code-workspace",
        ".dir-locals.el",
        ".nvim.lua",
        ".exrc",
        "AGENTS.md",
        "CLAUDE.md",
        "GEMINI.md",
        ".cursorrules",
        ".windsurfrules",
        ".clinerules",
        ".aider.conf.yml",
        ".claude/settings.json",
        "docs/copilot-instructions.md",
        ".mcp.json",
        ".twospeed.toml",
        ".twospeed/notes.md",
    ],
)
def test_files_that_tools_run_or_agents_obey_need_confirmation(path: str) -> None:
    assert confirmation_reason(path)
    assert confirmation_reason(f"/project/{path}")
