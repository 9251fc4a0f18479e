"""The formatters of the config, and those on PATH for the languages of the workspace."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from twospeed.cli.visible import visible
from twospeed.commands.program import find_program
from twospeed.text.code.language_ids import language_id_of
from twospeed.workspace.files import WorkspaceFiles

MAX_FILES = 2_000
"""Files of the workspace whose languages are read; a walk of so many takes 0.2 s."""

_PRETTIER = ("prettier", "--stdin-filepath", "{file}")
_CLANG_FORMAT = ("clang-format", "--assume-filename={file}")

_KNOWN: Mapping[str, Sequence[tuple[str, ...]]] = {
    "c": [_CLANG_FORMAT],
    "cpp": [_CLANG_FORMAT],
    "css": [_PRETTIER],
    "go": [("gofumpt",), ("gofmt",)],
    "haskell": [("ormolu", "--stdin-input-file", "{file}")],
    "html": [_PRETTIER],
    "java": [("google-java-format", "-")],
    "javascript": [_PRETTIER],
    "javascriptreact": [_PRETTIER],
    "json": [_PRETTIER],
    "kotlin": [("ktfmt", "-")],
    "lua": [("stylua", "--stdin-filepath", "{file}", "-")],
    "python": [
        ("ruff", "format", "--stdin-filename", "{file}", "-"),
        ("black", "--quiet", "--stdin-filename", "{file}", "-"),
    ],
    "ruby": [("rubocop", "--stdin", "{file}", "--autocorrect", "--stderr", "--format", "quiet")],
    "rust": [("rustfmt", "--edition", "2021")],
    "scala": [("scalafmt", "--stdin", "--assume-filename", "{file}")],
    "shellscript": [("shfmt", "-filename", "{file}")],
    "swift": [("swift-format", "format", "-")],
    "terraform": [("terraform", "fmt", "-")],
    "toml": [("taplo", "format", "-")],
    "typescript": [_PRETTIER],
    "typescriptreact": [_PRETTIER],
    "yaml": [_PRETTIER],
}
"""Commands that read a document on stdin and print it formatted, by language id, the preferred one first."""


@dataclass(frozen=True, slots=True)
class FormatterFinding:
    """A formatter of the config, or one that may be added to it."""

    language_id: str
    command: tuple[str, ...]
    is_configured: bool
    is_found: bool

    @property
    def config_line(self) -> str:
        """The line of ``[format]`` in the config."""
        return f"{self.language_id} = {json.dumps(list(self.command), ensure_ascii=False)}"

    def to_json(self) -> dict[str, object]:
        """Return the finding for ``--json``."""
        return {
            "language": self.language_id,
            "command": list(self.command),
            "configured": self.is_configured,
            "found": self.is_found,
        }


def find_formatters(
    root: Path, environ: Mapping[str, str], configured: Mapping[str, tuple[str, ...]], ignore: Sequence[str]
) -> list[FormatterFinding]:
    """Return the configured formatters, then one on PATH for each other language of the workspace."""
    found = [
        FormatterFinding(
            language_id, command, is_configured=True, is_found=find_program(command[0], environ) is not None
        )
        for language_id, command in configured.items()
    ]
    paths = islice(WorkspaceFiles(root, ignore).paths(), MAX_FILES)
    languages = {language_id_of(path.name) for path in paths}
    for language_id in sorted(languages - set(configured)):
        commands = _KNOWN.get(language_id, ())
        command = next((each for each in commands if find_program(each[0], environ)), None)
        if command:
            found.append(FormatterFinding(language_id, command, is_configured=False, is_found=True))
    return found


def formatter_lines(findings: Sequence[FormatterFinding], config: Path) -> Iterator[str]:
    """Yield a line for each formatter of the config, and the lines that would add others."""
    configured = [each for each in findings if each.is_configured]
    if configured:
        yield "format"
    for each in configured:
        state = (
            ""
            if each.is_found
            else "  was not found on PATH, so answers are inserted as the model wrote them"
        )
        yield f"  {each.language_id:<12}  {visible(' '.join(each.command))}{state}"
    others = [each for each in findings if not each.is_configured]
    if others:
        yield f"To have answers in the form of your formatters, add to {visible(str(config))}:"
        yield "  [format]"
        yield from (f"  {each.config_line}" for each in others)
