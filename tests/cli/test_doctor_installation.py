"""Versions and paths of ``doctor``, and the report to paste into an issue."""

from __future__ import annotations

import platform
from pathlib import Path

import pytest

from twospeed import __version__
from twospeed.cli.doctor.installation import bug_report, installation_lines
from twospeed.cli.exits import FAILED, ServerTrouble
from twospeed.cli.main import main
from twospeed.lsp.log import log_path


def test_the_report_begins_with_versions_and_paths() -> None:
    text = "\n".join(installation_lines(with_packages=True))
    assert text.startswith(f"twospeed {__version__}\npython  {platform.python_version()} ")
    assert f"system  {platform.system()} " in text
    assert "pygls 2" in text
    assert f"log     {log_path()}" in text


def test_packages_are_only_in_the_report() -> None:
    assert "pygls" not in "\n".join(installation_lines(with_packages=False))


def test_a_report_is_printed_if_the_server_does_not_start(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def start(*_arguments: object) -> None:
        raise ServerTrouble("the server stopped with status 1")

    monkeypatch.setattr("twospeed.cli.doctor.command.TrialSession", start)
    assert main(["doctor", "--report"]) == FAILED
    out = capsys.readouterr().out
    assert f"twospeed {__version__}" in out
    assert "error   the server stopped with status 1" in out


def test_the_home_folder_is_shortened_and_longer_names_are_not(home: Path) -> None:
    text = bug_report([f"log  {home}/state/log", f"other  {home}2/x /mnt{home}/y", f"config  {home}"])
    assert text == f"```\nlog  ~/state/log\nother  {home}2/x /mnt{home}/y\nconfig  ~\n```\n"


def test_a_home_that_is_the_root_is_not_shortened(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", "/")
    assert "/var/log" in bug_report(["log  /var/log"])
