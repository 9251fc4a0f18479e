"""Which formatters ``doctor`` finds and suggests."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from twospeed.cli.doctor.formatters import FormatterFinding, find_formatters, formatter_lines

CONFIG = Path("/home/me/config.toml")


def programs(folder: Path, *names: str) -> dict[str, str]:
    """Make programs that do nothing; return the environment that finds only them."""
    folder.mkdir()
    for name in names:
        (folder / name).write_text("#!/bin/sh\n")
        (folder / name).chmod(0o700)
    return {"PATH": str(folder)}


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    root = tmp_path / "workspace"
    root.mkdir()
    for name in ("a.py", "b.go", "c.md", "d.rs"):
        (root / name).write_text("text\n")
    return root


def test_a_formatter_on_path_is_suggested_with_its_config_line(workspace: Path, tmp_path: Path) -> None:
    found = find_formatters(workspace, programs(tmp_path / "bin", "black", "gofmt", "prettier"), {}, ())
    assert [(each.language_id, each.command[0]) for each in found] == [("go", "gofmt"), ("python", "black")]
    first, *lines = formatter_lines(found, CONFIG)
    assert first == f"To have answers in the form of your formatters, add to {CONFIG}:"
    assert tomllib.loads("\n".join(lines)) == {
        "format": {
            "go": ["gofmt"],
            "python": ["black", "--quiet", "--stdin-filename", "{file}", "-"],
        }
    }


def test_the_preferred_formatter_comes_first(workspace: Path, tmp_path: Path) -> None:
    found = find_formatters(workspace, programs(tmp_path / "bin", "black", "ruff"), {}, ())
    assert [each.command[0] for each in found] == ["ruff"]


def test_a_configured_formatter_is_listed_and_no_other_is_suggested(workspace: Path, tmp_path: Path) -> None:
    configured = {"python": ("yapf",), "go": ("gofmt", "-s")}
    found = find_formatters(workspace, programs(tmp_path / "bin", "black", "gofmt"), configured, ())
    assert list(formatter_lines(found, CONFIG)) == [
        "format",
        "  python        yapf  was not found on PATH, so answers are inserted as the model wrote them",
        "  go            gofmt -s",
    ]


def test_a_program_of_the_workspace_is_not_suggested(workspace: Path, monkeypatch) -> None:
    programs(workspace / "bin", "ruff")
    monkeypatch.chdir(workspace)
    assert find_formatters(workspace, {"PATH": "bin:."}, {}, ()) == []


def test_without_formatters_nothing_is_printed() -> None:
    assert list(formatter_lines([], CONFIG)) == []


def test_a_finding_is_plain_json() -> None:
    finding = FormatterFinding("go", ("gofmt",), is_configured=False, is_found=True)
    assert finding.to_json() == {"language": "go", "command": ["gofmt"], "configured": False, "found": True}
