"""What the gate says of real edits: ``python -m tests.replay.gate_findings``.

Each record is an edit that somebody made and kept, so a finding is mostly a false alarm, or something that a reviewer
would have wanted to be told.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from typing import Any

from twospeed.edits.prompting.sensitivity import Sensitivity, classify_scope
from twospeed.edits.values import EditRequest
from twospeed.edits.writing.validation import ReadAnswer, validate
from twospeed.gate import Finding, GateSettings
from twospeed.routing.lanes import LaneEntry, Mode, builtin_entry
from twospeed.text.code.scope import Scope
from twospeed.text.document import Document
from twospeed.text.lines import split_lines

from .corpus import records


class NoModels:
    """Somebody to ask for a deep model, who has none."""

    async def serving(self, mode: Mode) -> LaneEntry:
        """Nobody serves."""
        return builtin_entry(mode)


async def findings_of(record: dict[str, Any]) -> tuple[tuple[Finding, ...], Sensitivity]:
    """Judge the edit of a record as if a model had made it in one second."""
    document = Document.opened("file:///a", 1, record["language_id"], record["file_before"], "utf-16")
    function, lines = record["function"], record["scope"]
    scope = Scope("function", function["name"], lines["start_line"] - 1, lines["end_line"])
    answer = [line for line in split_lines(record["scope_after"]) if line]
    settings = GateSettings()
    care = await classify_scope(document, scope, "lightning", settings, NoModels())  # type: ignore[arg-type]  # as far as asked
    request = EditRequest(document, ((scope.start, 0), (scope.start, 0)), "an edit", "lightning")
    judgement = await validate(request, scope, ReadAnswer(answer), settings, sensitivity=care)
    return judgement.findings, care


async def _told() -> list[str]:
    counts: Counter[str] = Counter()
    told = []
    n_records = n_with = 0
    for record in records():
        findings, _ = await findings_of(record)
        n_records += 1
        counts.update({finding.code for finding in findings})
        n_with += any(finding.severity < 3 for finding in findings)
        told += [f"{record['id']}  {finding.code}: {finding.message}" for finding in findings]
    told += [
        f"{n_with} of {n_records} edits with a warning",
        *(f"{n:4} {code}" for code, n in counts.most_common()),
    ]
    return told


if __name__ == "__main__":
    for line in asyncio.run(_told()):
        print(line)
