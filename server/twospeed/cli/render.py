"""Formats edits for output, and the views without a terminal; text of models, servers and files passes `visible`."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, Protocol, Self, TextIO

from twospeed.text.edits import TextEdit
from twospeed.text.lines import body_of, dominant_eol, eol_of, split_lines

from .preview import DiffLine, unified_diff_of
from .visible import complain, one_line, visible, write_out

if TYPE_CHECKING:
    from twospeed_protocol import messages

    from .files import SourceFile

ICONS = {"lightning": "⚡", "deep": "🧠", "both": "⚡🧠"}  # not of `routing`, which imports the models
_SEVERITIES = {1: "error", 2: "warning", 3: "note", 4: "hint"}


@dataclass(frozen=True, slots=True)
class ShownFile:
    """The effect of an edit on a file."""

    path: Path  # as the user wrote it
    old: str  # the document's text
    new: str  # equal to `old` if there is no edit


@dataclass(frozen=True, slots=True)
class ShownResult(ShownFile):
    """The result of an edit, and its effect on the file."""

    result: messages.EditResult
    written: bool
    writable: bool  # the user passed `--write`, or is asked


class View(Protocol):
    """A context manager that shows one edit and restores the terminal."""

    def __enter__(self) -> Self: ...

    def __exit__(self, *error: object) -> None: ...

    def started(self, started: messages.StartedPart, scope_text: str) -> None:
        """Receive the start of the edit, with the scope's old text."""

    def thought(self, text: str) -> None:
        """Receive text of the model's reasoning."""

    def written(self, edits: Sequence[TextEdit]) -> None:
        """Receive the next batch of text edits."""

    def pause(self) -> None:
        """Clear the terminal for a question; the next event resumes."""

    def finished(self, ending: ShownResult) -> None:
        """Show the outcome."""


class SilentView:
    """A view that shows nothing."""

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


class _ResultView(SilentView):
    def __init__(self, output: TextIO) -> None:
        self._output = output


class JsonView(_ResultView):
    """Writes one JSON document: the result, with ``file`` and ``written``."""

    def finished(self, ending: ShownResult) -> None:
        """Write the document."""
        document = {
            **ending.result.model_dump(mode="json", by_alias=True),
            "file": str(ending.path),
            "written": ending.written,
        }
        write_out(self._output, json.dumps(document, indent=2) + "\n")


class PlainView(_ResultView):
    """Writes a unified diff between a header and figures, without escape sequences."""

    def finished(self, ending: ShownResult) -> None:
        """Write header, diff, remarks and figures."""
        lines = [header(ending.result, ending.path), *diff_text(ending), *remarks(ending), figures(ending)]
        write_out(self._output, "\n".join(lines) + "\n")


class FilterView(SilentView):
    """Writes the new text, byte by byte as a file has it, and remarks on stderr; nothing if the edit failed."""

    def __init__(self, output: BinaryIO, source: SourceFile) -> None:
        self._output = output
        self._source = source

    def finished(self, ending: ShownResult) -> None:
        """Write the text."""
        for remark in remarks(ending):
            complain(remark)
        if ending.new != ending.old or ending.result.outcome in ("applied", "unchanged"):
            write_out(self._output, self._source.encoded(ending.new))


def header(edit: messages.EditResult | messages.StartedPart, path: Path) -> str:
    """Format mode, model, file and scope as one line."""
    parts = [f"{ICONS[edit.mode]} {edit.mode}"]
    if edit.provider and edit.model:
        parts.append(visible(f"{edit.provider}/{edit.model}"))
    parts.append(visible(str(path)))
    if edit.scope:
        parts.append(_scope_name(edit.scope))
    return " · ".join(parts)


def diff_text(file: ShownFile) -> Iterator[str]:
    """Yield the lines of the unified diff, safe to print."""
    if file.old == file.new:
        return
    name = visible(str(file.path))
    yield f"--- {name}"
    yield f"+++ {name}"
    usual_eol = dominant_eol(file.old)
    for line in unified_diff_of(file.old, file.new):
        yield diff_line(line, usual_eol)


def diff_line(line: DiffLine, usual_eol: str) -> str:
    """Format one line of a diff; a line end other than ``usual_eol`` is shown."""
    if line.mark == "@":
        return f"@@ {line.text} @@"
    eol = eol_of(line.text)
    shown = line.mark + visible(body_of(line.text))
    if not eol:
        return f"{shown}\n\\ No newline at end of file"
    return shown if eol == usual_eol else shown + visible(eol)


def remarks(ending: ShownResult) -> Iterator[str]:
    """Yield the findings and conflicts, one per line."""
    result = ending.result
    for finding in result.findings:
        yield finding_text(finding)
    for conflict in result.conflicts:
        yield f"conflict: line {conflict.range.start.line + 1} was changed during the edit and keeps the new text"


def finding_text(finding: messages.Finding, path: Path | None = None) -> str:
    """Format a finding as one line, with its file if the edit is in several."""
    line = finding.range.start.line + 1
    where = f"line {line}" if path is None else f"{visible(str(path))}:{line}"
    return f"{_SEVERITIES[finding.severity]}: {where}: {one_line(finding.message)} ({visible(finding.code)})"


def figures(ending: ShownResult) -> str:
    """Format outcome, line counts, times and cost as one line."""
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
    """Format the prompt and the name of the model, safe to print."""
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
