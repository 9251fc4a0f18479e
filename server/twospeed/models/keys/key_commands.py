"""Keys that a command of the user's config prints, such as a password manager or a cloud's login tool."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from twospeed.models.base import ProviderSettings
from twospeed.models.catalog.providers import PROVIDERS

if TYPE_CHECKING:  # imported when the first command runs
    from twospeed.commands.run import CommandResult

LIMIT_S = 15.0
"""Seconds for a command: a password manager may wait for a finger on a sensor."""

MAX_BYTES = 16 * 1024
"""Size of its output; the longest tokens of cloud logins have a few thousand characters."""

_KEY_VARIABLES = frozenset(name for each in PROVIDERS.values() if (name := each.settings.api_key_env))

VALID_S = 300.0
"""Seconds after which a command runs again before the next request: tokens of cloud logins expire, most in an hour."""


@dataclass(frozen=True, slots=True)
class PrintedKey:
    """The output of a command: its key, or why there is none."""

    key: str = ""
    trouble: str = ""


@dataclass(frozen=True, slots=True)
class _Run:
    printed: asyncio.Task[PrintedKey]
    at: float


class KeyCommands:
    """The keys that commands printed in this session."""

    def __init__(self, environ: Mapping[str, str], *, now: Callable[[], float] | None = None) -> None:
        self._environ = environ
        self._now = now or (lambda: asyncio.get_running_loop().time())
        self._runs: dict[tuple[str, ...], _Run] = {}

    def is_due(self, provider: ProviderSettings) -> bool:
        """Whether the command of a provider must run before its key is used."""
        run = self._runs.get(provider.key_command)
        return bool(provider.key_command) and (run is None or self._now() - run.at > VALID_S)

    async def run(self, providers: Sequence[ProviderSettings]) -> None:
        """Run the commands of providers that are due, side by side."""
        if not providers:
            return  # without a turn of the event loop
        for each in providers:
            if self.is_due(each):
                task = asyncio.create_task(self._printed(each.key_command))
                self._runs[each.key_command] = _Run(task, self._now())
        commands = {each.key_command for each in providers}
        await asyncio.gather(*(asyncio.shield(self._runs[command].printed) for command in commands))

    def get(self, provider: ProviderSettings) -> PrintedKey:
        """Return what the provider's command printed; empty before it has ended."""
        run = self._runs.get(provider.key_command)
        return run.printed.result() if run and run.printed.done() else PrintedKey()

    async def _printed(self, command: tuple[str, ...]) -> PrintedKey:
        from twospeed.commands.program import environment_without  # noqa: PLC0415  # few users configure commands
        from twospeed.commands.run import CommandLimits, run_command  # noqa: PLC0415  # as above

        result = await run_command(
            command,
            folder=Path.home(),
            environ=environment_without(self._environ, _KEY_VARIABLES),
            limits=CommandLimits(LIMIT_S, MAX_BYTES),
            stdin=b"",
        )
        if trouble := _trouble(result, command[0]):
            return PrintedKey(trouble=trouble)
        return PrintedKey(result.output.decode("utf-8", "replace").strip())


_TROUBLE = {
    "missing": "there is no program {program}",
    "not started": "{program} could not be started",
    "timeout": f"{{program}} printed no key within {LIMIT_S:g} s",
    "too long": "{program} printed more than a key",
}


def _trouble(result: CommandResult, program: str) -> str:
    if result.has_succeeded:
        sentence = "" if result.output.strip() else "{program} printed nothing"
    else:
        sentence = _TROUBLE.get(result.ending, "{program} failed with status {status}")
    return sentence and f"key_command: {sentence.format(program=program, status=result.status)}"
