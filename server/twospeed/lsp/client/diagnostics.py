"""Findings of edits in review as LSP diagnostics."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator

from twospeed.edits.after.model_review import FoundIssue
from twospeed.edits.after.tracked_findings import TrackedFinding, TrackedFindings
from twospeed.edits.inline_edit import InlineEdit
from twospeed.edits.phases import EditState
from twospeed.lsp.wire.convert import range_to
from twospeed.text.document import Document

from .editor_client import EditorClient, one_line

SOURCE = "twospeed"


class Diagnostics:
    """Publishes the findings of one connection."""

    def __init__(self, client: EditorClient) -> None:
        self._client = client
        self._followed: dict[str, TrackedFindings] = {}
        self._sent: dict[str, list[dict[str, object]]] = {}

    def edit_changed(self, edit: InlineEdit) -> None:
        """Publish or withdraw the findings of an edit in its new phase."""
        if edit.state is EditState.REVIEW and not edit.is_preview:
            self._stop_following(edit.id)  # another variation may be shown now, with other findings
            if edit.answer.findings:
                self._followed[edit.id] = TrackedFindings(edit)
        elif edit.state is EditState.ENDED:
            self._stop_following(edit.id)
        self.publish(edit.uri)

    def publish(self, uri: str) -> None:
        """Send a document's diagnostics if they have changed."""
        if not self._client.profile.shows_diagnostics:
            return
        followed = self._of(uri)
        if not all(each.is_up_to_date for each in followed):
            return  # a batch is in flight; the list is sent once it is applied
        diagnostics = [_lsp_diagnostic(each, mark) for each in followed for mark in each.marks]
        if diagnostics == self._sent.get(uri, []):
            return
        params: dict[str, object] = {"uri": uri, "diagnostics": diagnostics}
        if followed:
            params["version"] = followed[0].document.version
        if diagnostics:
            self._sent[uri] = diagnostics
        else:
            del self._sent[uri]
        self._client.notify("textDocument/publishDiagnostics", params)

    def add(self, edit: InlineEdit, found: Iterable[FoundIssue]) -> None:
        """Add findings about an edit in review: of a model, of a command, or of another language server."""
        if edit.id not in self._followed:
            self._followed[edit.id] = TrackedFindings(edit)
        for each in found:
            self._followed[edit.id].add_at(each.finding, each.start, each.end)
        self.publish(edit.uri)

    def replace(self, edit: InlineEdit, old: Collection[FoundIssue], found: Collection[FoundIssue]) -> None:
        """Replace some findings of an edit by others."""
        if followed := self._followed.get(edit.id):
            followed.remove(old)
        if found:
            self.add(edit, found)
        else:
            self.publish(edit.uri)

    def of(self, edit: InlineEdit) -> list[TrackedFinding]:
        """Return the findings of an edit whose lines exist."""
        followed = self._followed.get(edit.id)
        return list(followed.marks) if followed else []

    def dismiss(self, edit_id: str, number: int) -> None:
        """Remove a finding; do nothing if it is gone already."""
        if followed := self._followed.get(edit_id):
            followed.dismiss(number)
            self.publish(followed.edit.uri)

    def close(self) -> None:
        """Stop following the places of findings."""
        for edit_id in list(self._followed):
            self._stop_following(edit_id)

    def on_lines(
        self, document: Document, first: int, last: int
    ) -> Iterator[tuple[TrackedFindings, TrackedFinding]]:
        """Yield the findings on some lines of a document, each with those of its edit; none while their places are unknown."""
        for followed in self._of(document.uri):
            if followed.document is document:
                for mark in followed.marks:
                    if mark.start <= last and first < mark.end:
                        yield followed, mark

    def _of(self, uri: str) -> list[TrackedFindings]:
        return [followed for followed in self._followed.values() if followed.edit.uri == uri]

    def _stop_following(self, edit_id: str) -> None:
        if followed := self._followed.pop(edit_id, None):
            followed.stop()


def _lsp_diagnostic(followed: TrackedFindings, mark: TrackedFinding) -> dict[str, object]:
    return {
        "range": range_to(followed.range_of(mark)).model_dump(by_alias=True),
        "severity": mark.finding.severity,
        "code": mark.finding.code,
        "source": SOURCE,
        "message": one_line(mark.finding.message),
    }
