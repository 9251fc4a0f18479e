"""The report of an edit: its state as plain values, with the ranges of this moment."""

from __future__ import annotations

from typing import TYPE_CHECKING

from twospeed.text.lines import eol_of

from .deepen.offer import offer_of
from .values import DeepReport, Report

if TYPE_CHECKING:  # it returns its report
    from .inline_edit import InlineEdit


def report_of(edit: InlineEdit) -> Report:
    """Return the report of an edit with an ending; the ranges of a preview are in the document of the request."""
    assert edit.ending is not None
    route, answer, place = edit.route, edit.answer, edit.place
    return Report(
        edit_id=edit.id,
        outcome=edit.ending.outcome,
        reason=edit.ending.reason,
        mode=edit.mode,
        provider=route.entry.provider if route else None,
        model=route.entry.model if route else None,
        route=route.reason if route else None,
        version=edit.document.version,
        scope=place.placed_scope(),
        new_text=place.text if answer.preview_text is None else answer.preview_text,
        answer=refused_text_of(edit),
        answer_imports=answer.refused_imports,
        message=answer.prose or None,
        preview=answer.preview,
        hunks=place.placed_hunks(),
        imports=place.placed_imports(),
        clashes=place.placed_clashes(),
        findings=place.placed_findings(answer.findings),
        stats=edit.stats,
        deep=deep_report_of(edit),
        offer=offer_of(edit),
    )


def refused_text_of(edit: InlineEdit) -> str | None:
    """Return the scope's text according to a refused answer; ``None`` if there is none."""
    if edit.ending is None or edit.ending.outcome != "refused" or not edit.answer.refused_lines:
        return None
    eol, current = edit.document.eol, edit.place.lines
    has_no_final_eol = bool(current) and not eol_of(current[-1])
    text = "".join(line + eol for line in edit.answer.refused_lines)
    return text.removesuffix(eol) if has_no_final_eol else text


def deep_report_of(edit: InlineEdit) -> DeepReport | None:
    """Return the state of an edit's deep answer; ``None`` if none was requested."""
    deep = edit.deep
    if deep is None:
        return None
    entry = deep.route.entry if deep.route else None
    return DeepReport(
        deep.state,
        entry.provider if entry else None,
        entry.model if entry else None,
        deep.reason,
        deep.places.n_offered,
        deep.places.n_taken,
        deep.stats,
    )
