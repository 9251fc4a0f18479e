"""Deliver the deep answer as the edit itself if lightning has failed."""

from __future__ import annotations

from twospeed.edits.inline_edit import InlineEdit
from twospeed.edits.phases import Phase
from twospeed.edits.values import Ending, Reason
from twospeed.edits.writing.answer_applier import AnswerApplier
from twospeed.edits.writing.answer_reading import lines_of
from twospeed.edits.writing.endings import BOUNDARY
from twospeed.stream import AnswerSink


async def land(edit: InlineEdit, applier: AnswerApplier, sink: AnswerSink, failed: Ending) -> Ending:
    """Wait for the deep answer, and apply it in place of lightning's, which is reverted already.

    Args:
        edit: The edit; it has a deep answer.
        applier: Brings the answer into the document.
        sink: Receives the ops of the answer.
        failed: How lightning's answer ended: the ending if there is no deep answer either.

    Raises:
        DeliveryError: The client did not apply it.
    """
    deep = edit.deep
    assert deep
    edit.wait_for_deep()
    answer = await deep.whole()
    if answer is None or deep.route is None:
        return _both_failed(failed, deep.reason)
    if edit.live.has_crossed_edge and not edit.is_preview:
        return BOUNDARY
    assert failed.reason
    edit.change_mode("deep")
    edit.set_route(deep.route.because(f"lightning is {failed.outcome}: {failed.reason.code}"))
    edit.answer.set_refused(())
    edit.enter(Phase.VALIDATING)
    edit.live.begin_other_answer()
    sink.begin(edit.request.document, edit.old_lines, edit.live)
    sink.receive_ops(answer.ops)
    lines = await lines_of(sink.finish())
    edit.note_findings(answer.findings)
    edit.note_imports(answer.imports)
    ending = await applier.apply(lines)
    deep.close("applied" if ending.outcome == "applied" else "unchanged")
    return ending


def _both_failed(failed: Ending, reason: Reason | None) -> Ending:
    if reason is None or failed.reason is None:
        return failed
    return Ending(
        failed.outcome, Reason(failed.reason.code, f"{failed.reason.message}; Deep: {reason.message}")
    )
