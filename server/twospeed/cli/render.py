"""How an edit is shown: the parts every way of showing shares, and the two without a terminal.

`PlainView` is for pipes and files: a header, the unified diff, what there is to say, one line of figures, no escape
sequence. `JsonView` is for scripts: one document. The third, coloured and live, is `live_diff`, which alone imports rich.
Whatever comes from a model, a server or a file passes `visible`.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, Self, TextIO

from twospeed.text.edits import TextEdit
from twospeed.text.lines import body_of, dominant_eol, eol_of, split_lines

from .preview import DiffLine, unified_diff_of
from .protocol_values import ICONS
from .visible import one_line, visible, write_out

if TYPE_CHECKING:
    from twospeed_protocol import messages

_SEVERITIES = {1: "error", 2: "warning", 3: "note", 4: "hint"}


@dataclass(frozen=True, slots=True)
class ShownResult:
    """How an edit ended, and what it means for the file.

    Attributes:
        result: As the server gave it.
        path: The file, as the user wrote it.
        old: The document's text before.
        new: The document's text with the edit; equal to ``old`` where there is none.
        written: Whether the file was changed.
        writable: Whether the user asked for it.
    """

    result: messages.EditResult
    path: Path
    old: str
    new: str
    written: bool
    writable: bool


class View(Protocol):
    """What an edit is shown on; a context manager that leaves the terminal as it was."""

    def __enter__(self) -> Self: ...

    def __exit__(self, *error: object) -> None: ...

    def started(self, started: messages.StartedPart, scope_text: str) -> None:
        """A model took the edit; ``scope_text`` is what it will rewrite."""

    def thought(self, text: str) -> None:
        """The model reports on its thinking."""

    def written(self, edits: Sequence[TextEdit]) -> None:
        """The next batch of partial results."""

    def pause(self) -> None:
        """Leave the terminal to a question; the next news resumes."""

    def finished(self, ending: ShownResult) -> None:
        """The edit has its outcome."""


class UnseenView:
    """A view of nothing."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None: ...

    def started(self, started: messages.StartedPart, scope_text: str) -> None:
        """See `View`."""

    def thought(self, text: str) -> None:
        """See `View`."""

    def written(self, edits: Sequence[TextEdit]) -> None:
        """See `View`."""

    def pause(self) -> None:
        """See `View`."""

    def finished(self, ending: ShownResult) -> None:
        """See `View`."""


class _Quiet(UnseenView):
    """A view that waits for the end."""

    def __init__(self, output: TextIO) -> None:
        self._output = output


class JsonView(_Quiet):
    """One JSON document: the result, with ``file`` and ``written``."""

    def finished(self, ending: ShownResult) -> None:
        """Write the document."""
        document = {
            **ending.result.model_dump(mode="json", by_alias=True),
            "file": str(ending.path),
            "written": ending.written,
        }
        write_out(self._output, json.dumps(document, indent=2) + "\n")


class PlainView(_Quiet):
    """Plain text for a pipe or a file."""

    def finished(self, ending: ShownResult) -> None:
        """Write header, diff, remarks and figures."""
        lines = [header(ending.result, ending.path), *diff_text(ending), *remarks(ending), figures(ending)]
        write_out(self._output, "\n".join(lines) + "\n")


def header(edit: messages.EditResult | messages.StartedPart, path: Path) -> str:
    """Name mode, model and scope in one line."""
    parts = [f"{ICONS[edit.mode]} {edit.mode}"]
    if edit.provider and edit.model:
        parts.append(visible(f"{edit.provider}/{edit.model}"))
    parts.append(visible(str(path)))
    if edit.scope:
        parts.append(_scope_name(edit.scope))
    return " · ".join(parts)


def diff_text(ending: ShownResult) -> Iterator[str]:
    """Write the unified diff, safe to print; nothing where nothing changed."""
    if ending.old == ending.new:
        return
    name = visible(str(ending.path))
    yield f"--- {name}"
    yield f"+++ {name}"
    usual_eol = dominant_eol(ending.old)
    for line in unified_diff_of(ending.old, ending.new):
        yield diff_line(line, usual_eol)


def diff_line(line: DiffLine, usual_eol: str) -> str:
    """Write one line of a diff; a line end that is not the text's usual one is shown."""
    if line.mark == "@":
        return f"@@ {line.text} @@"
    eol = eol_of(line.text)
    shown = line.mark + visible(body_of(line.text))
    if not eol:
        return f"{shown}\n\\ No newline at end of file"
    return shown if eol == usual_eol else shown + visible(eol)


def remarks(ending: ShownResult) -> Iterator[str]:
    """Say in words what the diff does not: what to look at, what stayed the user's."""
    result = ending.result
    for finding in result.findings:
        severity = _SEVERITIES[finding.severity]
        line = finding.range.start.line + 1
        yield f"{severity}: line {line}: {one_line(finding.message)} ({visible(finding.code)})"
    for conflict in result.conflicts:
        yield f"conflict: line {conflict.range.start.line + 1} was touched meanwhile and stays as it is"


def figures(ending: ShownResult) -> str:
    """Sum the edit up in one line."""
    result, stats = ending.result, ending.result.stats
    is_applied = result.outcome == "applied"
    parts: list[str] = [result.outcome if not is_applied else "written" if ending.written else "preview"]
    if is_applied:
        parts.append(f"+{stats.lines_added} -{stats.lines_removed} lines")
    if stats.ttft_ms is not None:
        parts.append(f"first token after {stats.ttft_ms:.0f} ms")
    if stats.output_tokens and stats.tokens_per_second:
        parts.append(f"{stats.output_tokens} tokens at {stats.tokens_per_second:.0f}/s")
    parts.append(f"{stats.duration_ms / 1000:.2f} s")
    if stats.cost is not None:
        parts.append(f"cost {stats.cost:.3g}" + (" or more" if stats.uncounted else ""))
    if is_applied and not ending.writable:
        parts.append("--write changes the file")
    return " · ".join(parts)


def prompt_text(prompt: messages.PromptResult) -> str:
    """Write what a model would get, and which one, safe to print."""
    blocks = [f"to {visible(prompt.provider)}/{visible(prompt.model)}; nothing was sent"]
    for message in prompt.messages:
        lines = (visible(body_of(line)) for line in split_lines(message.content))
        blocks.append(f"--- {message.role}\n" + "\n".join(lines))
    return "\n".join(blocks)


def _scope_name(scope: messages.NamedScope) -> str:
    first, end = scope.range.start.line, scope.range.end
    last = max(end.line - (end.character == 0), first)
    where = f"line {first + 1}" if first == last else f"lines {first + 1}-{last + 1}"
    name = f" {visible(scope.name)}" if scope.name else ""
    return f"{visible(scope.kind)}{name}, {where}"
