"""The answer of a refused edit in a real Emacs: as a diff against the old text, and in its place."""

from __future__ import annotations

import difflib
from pathlib import Path

import pytest
from tests.editors.conformance.stage import LIMIT_S, stage
from tests.editors.emacs.driver import LspMode
from tests.editors.emacs.emacs import needs_emacs
from tests.editors.emacs.scene import Scene, scene
from tests.editors.journeys import EDITED, IN_TOTAL, NEW, OLD, SHOP

from twospeed.testing.script import Script

pytestmark = [pytest.mark.journey, needs_emacs]

PROSE = "I left lines out.\nThe rest is as it was."
ELIDED = NEW.replace("    result *= 1 + tax\n", "    # ... as before\n")
REFUSED = Script(f"{PROSE}\n\n```python\n{ELIDED}```\n")
WITH_ANSWER = SHOP.replace(OLD, ELIDED)

ASK = "\x03*ecount them\r"
SHOW, APPLY, UNDO = "\x03*w", "\x03*y", "\x1f"
REASON = "twospeed: the answer replaces lines of code by a comment"
WHERE = "(vector (buffer-name) (symbol-name major-mode) (length (window-list)) (if buffer-read-only t :json-false))"


async def refuse(it: Scene) -> None:
    n_told = n_refusals(it)
    await it.go_to(6)
    await it.emacs.typed(ASK)
    await it.emacs.when(lambda: n_refusals(it) > n_told)


def n_refusals(it: Scene) -> int:
    return sum(words.startswith(REASON) for words in it.emacs.told("message"))


async def shown(it: Scene) -> str:
    """Wait for the answer; return its buffer's text."""
    await it.until("(symbol-name major-mode)", "twospeed-answer-mode")
    return await it.text()


def diff_lines(old: str, new: str) -> tuple[list[str], list[str]]:
    """Return the lines that an established diff takes away and puts in."""
    lines = list(difflib.unified_diff(old.splitlines(), new.splitlines(), lineterm="", n=0))[2:]
    return [each for each in lines if each[0] == "-"], [each for each in lines if each[0] == "+"]


async def test_a_refused_answer_is_shown_as_a_diff_that_q_closes(tmp_path: Path) -> None:
    async with scene(tmp_path, SHOP.encode(), REFUSED, REFUSED) as it:
        await refuse(it)
        told = [words for words in it.emacs.told("message") if words.startswith(REASON)]
        assert told == [
            f"{REASON}; M-x twospeed-show-answer shows the answer, M-x twospeed-apply-anyway applies it"
        ]
        for by_menu in (False, True):
            if by_menu:
                await it.emacs.typed("\x03*c")
                await it.emacs.when(lambda: it.emacs.told("asked") != [])
                await it.emacs.typed("⚡ Show the refused answer\r")
            else:
                await it.emacs.typed(SHOW)
            remark, code = (await shown(it)).split("--- shop.py\n+++ shop.py (refused answer)\n")
            assert remark == "".join(f"# {line}\n" for line in PROSE.splitlines())
            lines = code.splitlines()[1:]
            assert [each[1:] for each in lines if each[0] != "+"] == SHOP.splitlines()[3:-1]
            assert [each[1:] for each in lines if each[0] != "-"] == WITH_ANSWER.splitlines()[3:-1]
            taken, put = diff_lines(SHOP, WITH_ANSWER)
            assert [each for each in lines if each[0] == "-"] == taken
            assert [each for each in lines if each[0] == "+"] == put
            assert await it.emacs.eval(WHERE) == [
                "*twospeed answer: shop.py*",
                "twospeed-answer-mode",
                2,
                True,
            ]
            await it.emacs.typed("q")
            await it.until("(buffer-name)", "shop.py")
        assert await it.text() == SHOP


async def test_a_refused_answer_is_applied_anyway_as_one_undo_step_and_rejected(tmp_path: Path) -> None:
    async with scene(tmp_path, SHOP.encode(), *[REFUSED] * 4) as it:
        await refuse(it)
        await it.emacs.typed(SHOW)
        await shown(it)
        await it.emacs.typed("y")
        await it.ended(state="review", editId="e2")
        assert await it.emacs.eval("(vector (buffer-name) (length (window-list)))") == ["shop.py", 1]
        assert await it.text() == WITH_ANSWER
        await it.emacs.typed(UNDO)
        assert await it.text() == SHOP
        await refuse(it)
        await it.emacs.typed(APPLY)
        in_review = await it.ended(state="review", editId="e4")
        assert in_review["outcome"] == "applied"
        assert in_review["hunks"] != []
        await it.emacs.typed("\x03*r")
        await it.ended(verdict="rejected", editId="e4")
        assert await it.saved() == SHOP.encode()
        assert len(it.model.requests) == 4, "no model is asked for an answer that is there"


async def test_an_answer_that_no_longer_fits_is_not_shown_and_nothing_changes(tmp_path: Path) -> None:
    async with scene(tmp_path, SHOP.encode(), REFUSED, REFUSED) as it:
        await refuse(it)
        await it.go_to(0)
        await it.emacs.typed("# above\r")
        for keys in (SHOW, APPLY):
            n_told = len(told_of_change(it))
            await it.emacs.typed(keys)
            await it.emacs.when(lambda: len(told_of_change(it)) > n_told)  # noqa: B023 - waited for at once
        assert await it.text() == f"# above\n{SHOP}"
        assert await it.emacs.eval("(length (window-list))") == 1


def told_of_change(it: Scene) -> list[str]:
    return [words for words in it.emacs.told("message") if "the text has changed since" in words]


async def test_a_question_about_a_refusal_opens_the_diff_too(tmp_path: Path) -> None:
    async with scene(tmp_path, SHOP.encode(), REFUSED, REFUSED) as it:
        await it.go_to(6)
        await it.emacs.eval(
            '(progn (twospeed-server-execute (twospeed-server-here) "edit" (list :uri twospeed-document-uri'
            ' :range (twospeed-text-range (point) (point)) :instruction "count them")) t)'
        )
        await it.emacs.when(lambda: "Show the answer" in str(it.emacs.told("asked")))
        await it.emacs.typed("Show the answer\r")
        text = await shown(it)
        assert diff_lines(SHOP, WITH_ANSWER)[1][0] in text
        await it.emacs.typed("q")
        assert await it.text() == SHOP


async def test_what_the_model_wrote_beside_its_code_is_told_in_one_line(tmp_path: Path) -> None:
    async with scene(tmp_path, SHOP.encode(), Script(f"{PROSE}\n\n```python\n{NEW}```\n")) as it:
        await it.go_to(6)
        await it.emacs.typed(ASK)
        await it.ended(outcome="applied")
        said = f"twospeed: the model says: {PROSE.replace(chr(10), ' ')}"
        await it.emacs.when(lambda: said in it.emacs.told("message"))
        assert await it.text() == EDITED


@pytest.mark.skipif(not LspMode.is_installed(), reason="this Emacs has no lsp-mode")
async def test_lsp_mode_says_that_it_cannot_show_an_answer_and_applies_it(tmp_path: Path) -> None:
    async with stage(LspMode, tmp_path) as it:
        assert isinstance(it.driver, LspMode)
        told = it.driver.emacs.told
        await it.begin("shop.py", SHOP)
        answers = [await it.ask(ELIDED, IN_TOTAL), it.answers(ELIDED)]
        for answer in answers:
            await answer.asked(LIMIT_S)
            await answer.finish()
        for title, words in (
            ("Show the refused answer", "this editor cannot open the answer"),
            ("Apply the refused answer anyway", ""),
        ):
            await it.driver.take_action(title)
            await it.driver.emacs.when(lambda: words in str(told("message")))  # noqa: B023
        await it.is_in_review(WITH_ANSWER)
        await it.undone_to(SHOP)
        assert it.undo_steps == 1
