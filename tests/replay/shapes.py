"""Replay the corpus through the engine and the gate alone, without a server: quick, for work on shapes.

    TWOSPEED_REPLAY=FOLDER python -m tests.replay.shapes [--records N] [--seed N] [--show] [VARIANT...]

Prints what became of each variant, and with ``--show`` why answers that should have been exact were refused.
``test_replay`` is the proof; this is its magnifying glass.
"""

from __future__ import annotations

import argparse
import asyncio
from collections import Counter, defaultdict
from collections.abc import Iterator
from typing import Any, Literal

from tests.replay import corpus

from twospeed import syntax
from twospeed.edits.prompting.prompt_context import PromptContext, PromptDelimiters
from twospeed.edits.values import EditRequest
from twospeed.stream import AnswerView, EditStream
from twospeed.text.code.scope import Scope
from twospeed.text.document import Document
from twospeed.text.edits import LineEdit
from twospeed.text.lines import body_of


class Place:
    """One record's document and scope."""

    def __init__(self, record: dict[str, Any]) -> None:
        text, lsp_range = record["file_before"], record["scope"]["lsp_range"]
        self.document = Document.opened("file:///" + record["path"], 1, record["language_id"], text, "utf-16")
        # Large documents are parsed off the way of a request.
        asyncio.run(syntax.wait_for_tree(record["language_id"], self.document.lines, limit_s=2))
        start, end = lsp_range["start"]["line"], lsp_range["end"]["line"]
        if lsp_range["end"]["character"]:
            end += 1
        self.scope = Scope("selection", None, start, end)
        request = EditRequest(
            self.document, ((start, 0), (end, 0)), record["subject"], "lightning", path=record["path"]
        )
        self.question = PromptContext.about(request, self.scope, PromptDelimiters())
        self.surroundings = self.question.surroundings
        self.errors_before = syntax.count_errors(self.document.lines, record["language_id"])

    def answered(self, pieces: list[str], finish_reason: Literal["stop", "length"] | None) -> tuple[str, str]:
        """Return the document's text at the end and how the answer was taken."""
        view = AnswerView(self.document, self.question.old_lines)
        stream = EditStream([body_of(line) for line in self.question.old_lines], self.surroundings)
        before = "".join(self.document.lines)
        for piece in pieces:
            view.receive_ops(stream.receive_text(piece))
            if stream.refusal:
                return before, f"refused:{stream.refusal.code}: {stream.refusal.message}"
        if finish_reason is None:
            return before, "failed"
        view.receive_ops(stream.finish(finish_reason))
        if stream.refusal:
            return before, f"refused:{stream.refusal.code}: {stream.refusal.message}"
        n_old = self.scope.end - self.scope.start
        after = self.document.with_edits([LineEdit(self.scope.start, n_old, tuple(view.lines))])
        asyncio.run(syntax.wait_for_tree(after.language_id, after.lines, limit_s=2))
        errors = syntax.count_errors(after.lines, after.language_id)
        if self.errors_before is not None and (errors is None or errors > self.errors_before):
            return before, "refused:syntax"
        return "".join(after.lines), "applied"


def cases(names: set[str], n_records: int, seed: int) -> Iterator[tuple[dict[str, Any], Place, Any]]:
    """Give every record, its place and its variants of the wanted names."""
    for record in corpus.records(n_records):
        place = Place(record)
        for variant in corpus.judge().variants(record, seed):
            if not names or variant.name in names:
                yield record, place, variant


def main() -> None:
    """Run, print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", metavar="VARIANT")
    parser.add_argument("--records", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--show", action="store_true")
    arguments = parser.parse_args()
    judge = corpus.judge()
    tiers: dict[str, Counter[str]] = defaultdict(Counter)
    names: dict[str, Counter[str]] = defaultdict(Counter)
    for record, place, variant in cases(set(arguments.names), arguments.records, arguments.seed):
        pieces = judge.chunks(variant.output, seed=arguments.seed)
        text, ending = place.answered(pieces, variant.finish_reason)
        refused = ending != "applied"
        safe, why = corpus.judged(record, variant, text, refused=refused)
        word = "UNSAFE" if not safe else "exact" if not refused else "refused"
        if word == "refused" and variant.prefer == "exact":
            word = "refused, exact wanted"
        tiers[variant.tier][word] += 1
        names[variant.name][word] += 1
        if word == "UNSAFE" or (arguments.show and word == "refused, exact wanted"):
            print(f"{variant.id}: {why}: {ending}")
    for name, counts in sorted(names.items()):
        print(f"{name:32} {dict(counts)}")
    for tier, counts in sorted(tiers.items()):
        print(f"tier {tier}: {dict(counts)}")


if __name__ == "__main__":
    main()
