"""The answer of a refused edit in a real Emacs, shown as a diff and applied anyway."""

from __future__ import annotations

import difflib
from pathlib import Path

import pytest
from tests.editors.conformance.scenario_run import LIMIT_S, scenario_run
from tests.editors.emacs.driver import LspMode
from tests.editors.emacs.editor_session import EditorSession, editor_session
from tests.editors.emacs.emacs import needs_emacs
from tests.editors.scenarios import EDITED, IN_TOTAL, NEW, OLD, SHOP

from twospeed.testing.script import Script

pytestmark = [pytest.mark.process, needs_emacs]

PROSE = "I left lines out.\nThe rest is as it was."
ELIDED = NEW.replace("    result *= 1 + tax\n", "    # ... as before\n")
REFUSED = Script(f"{PROSE}\n\n```python\n{ELIDED}```\n")
WITH_ANSWER = SHOP.replace(OLD, ELIDED)

ASK = "\x03*ecount them\r"
SHOW, APPLY, UNDO = "\x03*w", "\x03*y", "\x1f"
REASON = "twospeed: the answer replaces lines of code by a comment"
WHERE = "(vector (buffer-name) (symbol-name major-mode) (length (window-list)) (if buffer-read-only t :json-false))"


async def refuse(session: EditorSession) -> None:
    n_before = n_refusals(session)
    await session.go_to(6)
    await session.emacs.typed(ASK)
    await session.emacs.wait_until(lambda: n_refusals(session) > n_before)


def n_refusals(session: EditorSession) -> int:
    return sum(words.startswith(REASON) for words in session.emacs.events_of("message"))


async def shown(session: EditorSession) -> str:
    """Wait for the buffer of the answer; return its text."""
    await session.until("(symbol-name major-mode)", "twospeed-answer-mode")
    return await session.text()


def diff_lines(old: str, new: str) -> tuple[list[str], list[str]]:
    """Return the removed and the added lines of a diff by `difflib`."""
    lines = list(difflib.unified_diff(old.splitlines(), new.splitlines(), lineterm="", n=0))[2:]
    return [each for each in lines if each[0] == "-"], [each for each in lines if each[0] == "+"]


async def test_a_refused_answer_is_shown_as_a_diff_that_q_closes(tmp_path: Path) -> None:
    async with editor_session(tmp_path, SHOP.encode(), REFUSED, REFUSED) as session:
        await refuse(session)
        messages = [words for words in session.emacs.events_of("message") if words.startswith(REASON)]
        assert messages == [
            f"{REASON}; M-x twospeed-show-answer shows the answer, M-x twospeed-apply-anyway applies it"
        ]
        for code_action_driver in (False, True):
            if code_action_driver:
                await session.emacs.typed("\x03*c")
                await session.emacs.wait_until(lambda: session.emacs.events_of("choices") != [])
                await session.emacs.typed("⚡ Show the refused answer\r")
            else:
                await session.emacs.typed(SHOW)
            remark, code = (await shown(session)).split("--- shop.py\n+++ shop.py (refused answer)\n")
            assert remark == "".join(f"# {line}\n" for line in PROSE.splitlines())
            lines = code.splitlines()[1:]
            assert [each[1:] for each in lines if each[0] != "+"] == SHOP.splitlines()[3:-1]
            assert [each[1:] for each in lines if each[0] != "-"] == WITH_ANSWER.splitlines()[3:-1]
            removed, added = diff_lines(SHOP, WITH_ANSWER)
            assert [each for each in lines if each[0] == "-"] == removed
            assert [each for each in lines if each[0] == "+"] == added
            assert await session.emacs.eval(WHERE) == [
                "*twospeed answer: shop.py*",
                "twospeed-answer-mode",
                2,
                True,
            ]
            await session.emacs.typed("q")
            await session.until("(buffer-name)", "shop.py")
        assert await session.text() == SHOP


async def test_a_refused_answer_is_applied_anyway_as_one_undo_step_and_rejected(tmp_path: Path) -> None:
    async with editor_session(tmp_path, SHOP.encode(), *[REFUSED] * 4) as session:
        await refuse(session)
        await session.emacs.typed(SHOW)
        await shown(session)
        await session.emacs.typed("y")
        await session.until_edit(state="review", editId="e2")
        assert await session.emacs.eval("(vector (buffer-name) (length (window-list)))") == ["shop.py", 1]
        assert await session.text() == WITH_ANSWER
        await session.emacs.typed(UNDO)
        assert await session.text() == SHOP
        await refuse(session)
        await session.emacs.typed(APPLY)
        in_review = await session.until_edit(state="review", editId="e4")
        assert in_review["outcome"] == "applied"
        assert in_review["hunks"] != []
        await session.emacs.typed("\x03*r")
        await session.until_edit(verdict="rejected", editId="e4")
        assert await session.save_and_read() == SHOP.encode()
        assert len(session.model.requests) == 4, "applying a refused answer requests none from the model"


async def test_refused_answer_for_a_changed_text_is_neither_shown_nor_applied(tmp_path: Path) -> None:
    async with editor_session(tmp_path, SHOP.encode(), REFUSED, REFUSED) as session:
        await refuse(session)
        await session.go_to(0)
        await session.emacs.typed("# above\r")
        for keys in (SHOW, APPLY):
            n_before = len(stale_messages(session))
            await session.emacs.typed(keys)
            await session.emacs.wait_until(lambda: len(stale_messages(session)) > n_before)  # noqa: B023 - awaited in this iteration
        assert await session.text() == f"# above\n{SHOP}"
        assert await session.emacs.eval("(length (window-list))") == 1


def stale_messages(session: EditorSession) -> list[str]:
    return [words for words in session.emacs.events_of("message") if "the text has changed since" in words]


async def test_question_about_a_refusal_opens_the_diff(tmp_path: Path) -> None:
    async with editor_session(tmp_path, SHOP.encode(), REFUSED, REFUSED) as session:
        await session.go_to(6)
        await session.emacs.eval(
            '(progn (twospeed-server-execute (twospeed-server-here) "edit" (list :uri twospeed-document-uri'
            ' :range (twospeed-text-range (point) (point)) :instruction "count them")) t)'
        )
        await session.emacs.wait_until(lambda: "Show the answer" in str(session.emacs.events_of("choices")))
        await session.emacs.typed("Show the answer\r")
        text = await shown(session)
        assert diff_lines(SHOP, WITH_ANSWER)[1][0] in text
        await session.emacs.typed("q")
        assert await session.text() == SHOP


async def test_text_around_the_code_is_shown_in_one_line(tmp_path: Path) -> None:
    async with editor_session(
        tmp_path, SHOP.encode(), Script(f"{PROSE}\n\n```python\n{NEW}```\n")
    ) as session:
        await session.go_to(6)
        await session.emacs.typed(ASK)
        await session.until_edit(outcome="applied")
        message = f"twospeed: the model says: {PROSE.replace(chr(10), ' ')}"
        await session.emacs.wait_until(lambda: message in session.emacs.events_of("message"))
        assert await session.text() == EDITED


@pytest.mark.skipif(not LspMode.is_installed(), reason="this Emacs has no lsp-mode")
async def test_lsp_mode_reports_that_it_cannot_show_an_answer_and_applies_it(tmp_path: Path) -> None:
    async with scenario_run(LspMode, tmp_path) as run:
        assert isinstance(run.driver, LspMode)
        events_of = run.driver.emacs.events_of
        await run.begin("shop.py", SHOP)
        answers = [await run.request_edit(ELIDED, IN_TOTAL), run.prepare_answer(ELIDED)]
        for answer in answers:
            await answer.requested(LIMIT_S)
            await answer.finish()
        for title, words in (
            ("Show the refused answer", "this editor cannot open the answer"),
            ("Apply the refused answer anyway", ""),
        ):
            await run.driver.run_code_action(title)
            await run.driver.emacs.wait_until(lambda: words in str(events_of("message")))  # noqa: B023
        await run.until_in_review(WITH_ANSWER)
        await run.undo_until(SHOP)
        assert run.undo_steps == 1
