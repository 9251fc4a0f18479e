"""The commands of the user's own config, for the documents of one session."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePath
from typing import TYPE_CHECKING

from twospeed.config import Settings
from twospeed.edits.after.model_review import FoundIssue
from twospeed.edits.values import Formatter
from twospeed.text.document import Document

from .document_paths import path_from_uri

if TYPE_CHECKING:  # imported when a command runs
    from twospeed.commands.run import CommandResult

logger = logging.getLogger(__name__)

FORMAT_S = 2.0
"""Seconds for a formatter: the edit waits for it. Formatters in JavaScript, the slowest, need 0.3 s to start."""

FORMATTED_BYTES_PER_BYTE, FREE_FORMATTED_BYTES = 4, 64 * 1024
"""Size limit of a formatted text, for each byte of the text and in addition. A formatter adds little but line ends."""


MAX_OUTPUT_BYTES = 1024 * 1024
"""Size of the output of a command that verifies an edit; of a longer one the end is kept."""


@dataclass(slots=True)
class RunningVerification:
    """The verification that runs, at most one in a session.

    Attributes:
        task: Its task, once it has begun.
        token: The token of its progress; empty if none runs.
    """

    task: asyncio.Task[None] | None = None
    token: str = ""

    def cancel(self, token: object) -> bool:
        """Cancel it if the token is that of its progress; return whether it is."""
        if self.task is None or token != self.token:
            return False
        self.task.cancel()
        return True


class UserCommands:
    """Knows where and how commands run.

    Args:
        settings: Returns the settings.
        root: The folder of the workspace; ``None`` if there is none on this machine.
        environ: The environment of the server.
        key_variables: The variables with API keys, which no command receives.
        warn: Shows the user a message.
    """

    def __init__(
        self,
        settings: Callable[[], Settings],
        *,
        root: Path | None,
        environ: Mapping[str, str],
        key_variables: Collection[str],
        warn: Callable[[str], None],
    ) -> None:
        self._settings = settings
        self._root = root
        self._environ = environ
        self._key_variables = key_variables
        self._warn = warn
        self._shown: set[str] = set()
        self.verifying = RunningVerification()
        self.failures: dict[str, str] = {}  # the end of the output, by the id of the verified edit
        self.findings: dict[str, list[FoundIssue]] = {}  # in that output, likewise

    def formatter_of(self, document: Document) -> Formatter | None:
        """Return the formatter of a document; ``None`` if its language has none."""
        arguments = self._settings().formatters.get(document.language_id)
        if arguments is None:
            return None
        return _CommandFormatter(self, arguments, path_from_uri(document.uri))

    def commands_of(self, document: Document) -> Mapping[str, tuple[str, ...]]:
        """Return the commands that verify an edit of a document, by name."""
        return self._settings().verify_commands.get(document.language_id, {})

    async def run(self, arguments: tuple[str, ...], path: Path) -> CommandResult:
        """Run a command that verifies a file."""
        from twospeed.commands.run import CommandLimits, run_command  # noqa: PLC0415  # few users configure commands

        return await run_command(
            with_file(arguments, path) or arguments,
            folder=self.folder_for(path),
            environ=self.environment(),
            limits=CommandLimits(self._settings().verify_s, MAX_OUTPUT_BYTES, keeps_end=True),
        )

    def folder_for(self, path: Path | None) -> Path:
        """Return the working folder of a command: the workspace, or the folder of the document if it exists."""
        folders = (self._root, path.parent if path else None)
        return next((folder for folder in folders if folder and folder.is_dir()), Path.home())

    def environment(self) -> dict[str, str]:
        """Return the environment of a command, without API keys."""
        from twospeed.commands.program import environment_without  # noqa: PLC0415  # few users configure commands

        return environment_without(self._environ, self._key_variables)

    def show_once(self, message: str) -> None:
        """Log a message, and show it if it is new: a formatter that fails does so at each edit."""
        logger.info("%s", message)
        if message not in self._shown:
            self._shown.add(message)
            self._warn(message)


class _CommandFormatter:
    """Formats one document; implements `edits.values.Formatter`."""

    def __init__(self, commands: UserCommands, arguments: tuple[str, ...], path: Path | None) -> None:
        self._commands = commands
        self._arguments = arguments
        self._path = path

    async def format(self, text: str) -> str | None:
        """See `Formatter`."""
        from twospeed.commands.run import CommandLimits, run_command  # noqa: PLC0415  # as above

        arguments = with_file(self._arguments, self._path)
        if arguments is None:
            self.note_unused("needs a file, and the document has none")
            return None
        try:
            stdin = text.encode()
        except UnicodeEncodeError:  # half of a surrogate pair
            self.note_unused("cannot read the text of this document")
            return None
        n_bytes = FORMATTED_BYTES_PER_BYTE * len(stdin) + FREE_FORMATTED_BYTES
        result = await run_command(
            arguments,
            folder=self._commands.folder_for(self._path),
            environ=self._commands.environment(),
            limits=CommandLimits(FORMAT_S, n_bytes),
            stdin=stdin,
        )
        if result.has_succeeded and (result.output or not text.strip()):
            try:
                return result.output.decode()
            except UnicodeDecodeError:
                self.note_unused("printed text that is not UTF-8")
                return None
        self.note_unused(
            {
                "exited": f"ended with exit status {result.status}" if result.status else "printed nothing",
                "missing": "was not found",
                "not started": "could not be started",
                "timeout": f"took longer than {FORMAT_S:g} s",
                "too long": "printed too much",
            }[result.ending]
        )
        return None

    def note_unused(self, why: str) -> None:
        """See `Formatter`."""
        name = PurePath(self._arguments[0]).name
        self._commands.show_once(f"Your formatter {name} {why}: the answer is inserted as the model wrote it")


def with_file(arguments: tuple[str, ...], path: Path | None) -> tuple[str, ...] | None:
    """Return arguments with a path for ``{file}``; ``None`` if one is needed and there is none."""
    if not any("{file}" in argument for argument in arguments):
        return arguments
    return tuple(argument.replace("{file}", str(path)) for argument in arguments) if path else None
