"""``twospeed.verify``: run the user's commands on an edit, and show what they find; ``twospeed.mend`` corrects it."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

from twospeed.aio import in_thread
from twospeed.edits.after.command_findings import MAX_FOUND, findings_in
from twospeed.edits.after.next_steps import previous_edit_of
from twospeed.edits.inline_edit import InlineEdit
from twospeed.edits.phases import EditState
from twospeed.edits.values import EditRequest
from twospeed.errors import RequestError, UnknownEdit
from twospeed.lsp.client.editor_client import INFO, WARNING
from twospeed.lsp.session.document_paths import path_from_uri
from twospeed.lsp.session.session import Session
from twospeed.lsp.session.user_commands import RunningVerification
from twospeed.lsp.wire.error_codes import RpcError
from twospeed.routing import Mode
from twospeed.text.document import Document
from twospeed.workspace.guarded import read_guarded

MAX_TAIL_LINES, MAX_TAIL_CHARS = 60, 4_000
"""The end of the output that a model reads to mend the edit: the summary of a test runner is there."""

MAX_FILE_BYTES = 8 * 1024 * 1024
"""The size of the largest document."""


def may_verify(edit: InlineEdit) -> bool:
    """Return whether an edit is in review, or was accepted: saving its document accepts it."""
    return edit.state is EditState.REVIEW or edit.decision.verdict == "accepted"


def begin_verification(session: Session, edit: InlineEdit) -> None:
    """Run the commands for an edit in the background.

    Raises:
        UnknownEdit: The edit is neither in review nor accepted.
        RequestError: No command is configured, the document is no file, or a verification is running.
    """
    verifying, document = session.commands.verifying, session.channel(edit.uri).document
    if not may_verify(edit):
        raise UnknownEdit(edit.id, "is not in review")
    if verifying.token:
        raise RequestError("a verification is running already; wait for its end, or cancel its progress")
    if not session.commands.commands_of(document):
        raise RequestError(
            f"no command verifies {document.language_id}; name one under [verify.commands.{document.language_id}] "
            f"in {session.settings.path}"
        )
    path = path_from_uri(edit.uri)
    if path is None:
        raise RequestError(f"{edit.request.file_name} is no file on this machine, so no command can read it")
    verifying.token = f"twospeed-verify-{edit.id}"

    async def work() -> None:
        # Cancelling the progress ends the commands, and not the task that shows errors.
        verifying.task = task = asyncio.create_task(_verify(session, edit, document, path))
        try:
            await asyncio.wait([task])
        finally:
            task.cancel()  # the session ends
            await asyncio.gather(task, return_exceptions=True)
            session.commands.verifying = RunningVerification()
        if task.cancelled():
            session.client.show_message(INFO, f"The verification of {edit.request.file_name} was cancelled")
        else:
            task.result()

    session.tasks.spawn(work())


async def _verify(session: Session, edit: InlineEdit, document: Document, path: Path) -> None:
    name = edit.request.file_name
    saved = await in_thread(lambda: read_guarded(path, root=None, max_bytes=MAX_FILE_BYTES))
    if not isinstance(saved, str) or saved.removeprefix("\ufeff") != document.text.removeprefix("\ufeff"):
        raise RequestError(
            f"save {name} first: the file on disk differs from the document, and commands read the file"
        )
    async with _progress(session, edit):
        passed, failed = await _run_commands(session, document, path)
    session.commands.failures.pop(edit.id, None)
    solved = session.commands.findings.pop(edit.id, [])
    session.notifications.diagnostics.replace(edit, solved, ())
    if not failed:
        session.client.show_message(INFO, f"Verified {name}: {', '.join(passed)} passed")
        return
    report = "\n".join(f"{title}:\n{text}" for title, text in failed.items())
    session.commands.failures[edit.id] = "\n".join(report.splitlines()[-MAX_TAIL_LINES:])[-MAX_TAIL_CHARS:]
    if edit.state is EditState.REVIEW:
        is_current = edit.document is document
        outputs = {title: text if is_current else "" for title, text in failed.items()}
        found = [each for title, text in outputs.items() for each in findings_in(edit, title, text, path)]
        session.commands.findings[edit.id] = found[:MAX_FOUND]
        session.notifications.diagnostics.add(edit, found[:MAX_FOUND])
    others = f"; {', '.join(passed)} passed" if passed else ""
    session.client.show_message(WARNING, f"{name} failed {', '.join(failed)}{others}")
    await session.notifications.answer_files.show_output(
        "\n".join(f"== {title}\n{text}" for title, text in failed.items())
    )


async def _run_commands(session: Session, document: Document, path: Path) -> tuple[list[str], dict[str, str]]:
    """Return the titles of the commands that passed, and the output of the others by title and cause."""
    passed: list[str] = []
    failed: dict[str, str] = {}
    for title, arguments in session.commands.commands_of(document).items():
        result = await session.commands.run(arguments, path)
        cause = {
            "exited": f"exit status {result.status}",
            "missing": f"{arguments[0]} was not found",
            "not started": f"{arguments[0]} could not be started",
            "timeout": f"took longer than {session.settings.verify_s:g} s",
            "too long": "printed too much",
        }[result.ending]
        if result.has_succeeded:
            passed.append(title)
        else:
            failed[f"{title} ({cause})"] = result.output.decode("utf-8", "replace")
    return passed, failed


@contextlib.asynccontextmanager
async def _progress(session: Session, edit: InlineEdit) -> AsyncIterator[None]:
    """Report progress that the user can cancel, if the client shows progress."""
    client, token, is_shown = session.client, session.commands.verifying.token, False
    if client.profile.shows_progress:
        with contextlib.suppress(RpcError, TimeoutError):
            await client.request("window/workDoneProgress/create", {"token": token})
            is_shown = True
            begin = {"kind": "begin", "title": f"Verifying {edit.request.file_name}", "cancellable": True}
            client.notify("$/progress", {"token": token, "value": begin})
    try:
        yield
    finally:
        if is_shown:
            client.notify("$/progress", {"token": token, "value": {"kind": "end"}})


def may_mend(session: Session, edit: InlineEdit) -> bool:
    """Return whether commands failed for an edit or other language servers report new problems, and its lines are known."""
    is_in_review = edit.state is EditState.REVIEW
    is_there = is_in_review or edit.place.ended_version == edit.channel.document.version
    return is_there and (edit.id in session.commands.failures or bool(_problems(session, edit)))


def mending_mode(session: Session, edit: InlineEdit) -> Mode:
    """Return the mode that mends an edit: deep for a failed command, lightning for diagnostics, which name the cause."""
    return "deep" if edit.id in session.commands.failures else "lightning"


def mend_request(session: Session, edit: InlineEdit, request: EditRequest) -> EditRequest:
    """Return the request of a follow-up edit that mends what commands and other language servers report.

    Raises:
        RequestError: They report nothing, or the lines of the edit are unknown.
    """
    if not may_mend(session, edit):
        raise RequestError(
            "there is no failed verification and no new problem of that edit, or its document has changed since"
        )
    report = session.commands.failures.get(edit.id)
    reports = _problems(session, edit) if report is None else (report,)
    return replace(request, follows=previous_edit_of(edit), diagnostics=reports)


def _problems(session: Session, edit: InlineEdit) -> tuple[str, ...]:
    found = session.notifications.diagnostics.of(edit)
    return tuple(each.finding.message for each in found if each.finding.code == "new-problem")
