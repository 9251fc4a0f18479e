"""The files of editors that no test starts name a command of the server, and languages that it knows."""

from __future__ import annotations

import json
import shlex
from pathlib import Path

from twospeed.cli.main import parser_of
from twospeed.text.code.language_ids import KNOWN

JETBRAINS = json.loads((Path(__file__).parents[2] / "editors/jetbrains/template.json").read_text("utf-8"))


def test_the_template_for_jetbrains_starts_the_server() -> None:
    for command in JETBRAINS["programArgs"].values():
        program, *arguments = shlex.split(command)
        assert program in ("twospeed", "twospeed.exe")
        assert parser_of("serve").parse_args(arguments).stdio


def test_the_template_for_jetbrains_maps_each_file_to_one_known_language() -> None:
    mappings = JETBRAINS["fileTypeMappings"]
    patterns = [pattern for each in mappings for pattern in each["fileType"]["patterns"]]
    assert len(patterns) == len(set(patterns))
    assert {each["languageId"] for each in mappings} <= KNOWN
