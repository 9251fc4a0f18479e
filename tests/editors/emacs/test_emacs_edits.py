"""Edits by the real server in a real Emacs, while somebody types: they stream, end exact, and are one undo step."""

from __future__ import annotations

import re
from contextlib import AbstractAsyncContextManager
from dataclasses import replace
from pathlib import Path

import pytest
from tests.editors.emacs.emacs import has_library, needs_emacs, string
from tests.editors.emacs.scene import COMMAND, Scene, scene
from tests.editors.journeys import EDITED, NEW, OLD, SHOP

from twospeed.testing.script import Script

pytestmark = [pytest.mark.journey, needs_emacs]

ANSWER = Script(f"```python\n{NEW}```\n", tokens_per_second=60)
"""Some hundred tokens: two seconds."""

AT_ONCE = replace(ANSWER, tokens_per_second=0)

ASK = "\x03*ecount them\r"
UNDO = "\x1f"
QUIT = "\x07"
PROMPT = (
    "(with-current-buffer (window-buffer (active-minibuffer-window))"
    " (substring-no-properties (overlay-get (car (overlays-at (point-min))) 'display)))"
)


def shop(folder: Path, *answers: Script) -> AbstractAsyncContextManager[Scene]:
    return scene(folder, SHOP.encode(), *(answers or (AT_ONCE,)))


async def test_an_edit_streams_and_one_undo_takes_it_back_and_one_more_brings_it_again(
    tmp_path: Path,
) -> None:
    async with shop(tmp_path, ANSWER) as it:
        await it.go_to(6)
        await it.emacs.typed(ASK)
        await it.ended(outcome="applied")
        assert it.n_landed() >= 4
        lines = {*SHOP.splitlines(), *EDITED.splitlines()}
        texts = it.texts()
        assert texts
        assert all(lines.issuperset(text.splitlines()) for text in texts)
        assert await it.saved() == EDITED.encode()
        await it.emacs.typed(UNDO)
        assert await it.text() == SHOP
        await it.emacs.typed("\x06" + UNDO)  # another command between makes it a redo
        assert await it.text() == EDITED


async def test_keys_pressed_above_and_inside_stay_where_they_were_typed_to_the_byte(tmp_path: Path) -> None:
    async with shop(tmp_path, replace(ANSWER, tokens_per_second=40)) as it:
        await it.go_to(6)
        await it.emacs.typed(ASK)
        await it.landed(1)
        await it.go_to(0)
        for key in "# above: ä 🙂\r# and y\r":
            await it.emacs.typed(key)
        await it.landed(it.n_landed() + 1)
        await it.emacs.eval('(progn (goto-char (point-min)) (search-forward "tax comes last") t)')
        for key in "\r    # inside 🙂":
            await it.emacs.typed(key)
        assert not [edit for edit in it.emacs.told("edit") if edit["outcome"]], "the typist was too slow"
        await it.ended(outcome="applied")
        anchor = "    # the tax comes last\n"
        expected = f"# above: ä 🙂\n# and y\n{EDITED}".replace(anchor, f"{anchor}    # inside 🙂\n")
        assert await it.saved() == expected.encode()


async def test_a_key_in_the_moment_an_edit_arrives_misplaces_nothing(tmp_path: Path) -> None:
    async with shop(tmp_path) as it:
        await it.emacs.eval(
            "(progn (setq test-before-shipment (lambda () (with-current-buffer (window-buffer)"
            ' (save-excursion (goto-char (point-min)) (insert "# first\\n"))))) t)'
        )
        await it.go_to(6)
        await it.emacs.typed(ASK)
        await it.ended(outcome="applied")
        first = it.emacs.told("shipment")[0]
        assert (first["applied"], first["reason"]) == (False, "stale")
        assert await it.saved() == f"# first\n{EDITED}".encode()


async def test_a_buffer_that_is_in_no_window_is_edited_all_the_same(tmp_path: Path) -> None:
    async with shop(tmp_path, ANSWER) as it:
        await it.go_to(6)
        await it.emacs.typed(ASK)
        await it.landed(1)
        await it.emacs.eval('(progn (switch-to-buffer "*scratch*") t)')
        await it.ended(outcome="applied")
        await it.emacs.eval('(progn (switch-to-buffer "shop.py") t)')
        assert await it.saved() == EDITED.encode()


async def test_what_was_asked_for_the_text_before_it_was_read_again_ends_with_it(tmp_path: Path) -> None:
    async with shop(tmp_path, ANSWER) as it:
        await it.go_to(6)
        await it.emacs.typed(ASK)
        await it.landed(1)
        it.path.write_text("# other\n", "utf-8")
        await it.emacs.eval("(progn (revert-buffer t t t) t)")
        await it.model.wait_for_disconnects()
        await it.shows(" ⚡lightning")
        assert await it.text() == "# other\n"


async def test_the_prompt_shows_mode_and_scope_and_keys_change_them(tmp_path: Path) -> None:
    async with shop(tmp_path, Script(f"```python\n{EDITED}```\n")) as it:
        await it.go_to(6, 4)
        await it.emacs.typed("\x03*e")
        await it.until(PROMPT, "⚡ Edit (function total, 8 lines): ")
        await it.emacs.keys("C-S-l")
        await it.until(PROMPT, "🧠 Edit (function total, 8 lines): ")
        await it.emacs.typed("\t")
        await it.until(PROMPT, "🧠 Edit (file, 17 lines): ")
        await it.emacs.typed("\x1b[Z")
        await it.until(PROMPT, "🧠 Edit (function total, 8 lines): ")
        await it.emacs.typed("\tall of it\r")
        await it.ended(outcome="applied", mode="deep")
        assert await it.saved() == EDITED.encode()
        [request] = [each for each in it.model.requests if not each.is_warm_up]
        assert "all of it" in str(request.body)


async def test_the_prompt_remembers_what_was_asked(tmp_path: Path) -> None:
    async with shop(tmp_path, AT_ONCE, AT_ONCE) as it:
        await it.go_to(6)
        await it.emacs.typed(ASK)
        await it.ended(outcome="applied")
        await it.emacs.typed("\x03*r")
        await it.ended(verdict="rejected")
        await it.go_to(6)
        await it.emacs.typed("\x03*e\x1bp\r")
        await it.ended(outcome="applied", editId="e2")
        assert await it.saved() == EDITED.encode()


async def test_while_words_are_typed_the_model_reads_the_file(tmp_path: Path) -> None:
    rest = "".join(f"LIMIT_{number} = {number}\n" for number in range(400))
    async with scene(tmp_path, f"{SHOP}{rest}".encode(), AT_ONCE) as it:
        await it.go_to(6)
        await it.emacs.typed("\x03*e")
        await it.model.wait_for_requests()
        await it.emacs.typed("count them\r")
        await it.ended(outcome="applied")
        read_ahead, asked = it.model.requests
        assert read_ahead.is_warm_up
        assert "count them" in str(asked.body)


async def test_quitting_the_prompt_asks_for_nothing(tmp_path: Path) -> None:
    async with shop(tmp_path) as it:
        await it.go_to(6)
        await it.emacs.typed(f"\x03*ecount them{QUIT}")
        await it.emacs.typed("\x03*e  \r")
        assert "The instruction is empty" in it.emacs.told("message")
        assert it.emacs.told("edit") == []


async def test_quit_deactivates_the_region_before_it_cancels_an_edit(tmp_path: Path) -> None:
    async with shop(tmp_path, ANSWER) as it:
        await it.go_to(6)
        await it.emacs.typed(ASK)
        await it.landed(1)
        await it.go_to(0)
        await it.emacs.typed("\0\x0e" + QUIT)
        assert await it.emacs.eval("(and (region-active-p) t)") is None
        assert "running" in {edit["state"] for edit in it.emacs.told("edit")[-1:]}
        await it.emacs.typed(QUIT)
        await it.ended(outcome="cancelled")
        assert await it.text() == SHOP
        assert "quit" not in await it.lighter()


async def test_the_mode_line_shows_mode_model_running_edits_and_open_hunks(tmp_path: Path) -> None:
    async with shop(tmp_path, ANSWER) as it:
        await it.shows(" ⚡lightning")
        await it.go_to(6)
        await it.emacs.typed(ASK)
        await it.landed(1)
        assert await it.lighter() == " ⚡lightning ⚡…"
        await it.ended(outcome="applied")
        edit = it.emacs.told("edit")[-1]
        await it.shows(f" ⚡lightning ±{len(edit['hunks'])}")
        [summary] = [words for words in it.emacs.told("message") if "applied" in words]
        assert re.fullmatch(r"⚡ applied, \+\d+ -\d+ lines, [\d.]+ s, \d+ tokens/s, lab/lightning", summary)


async def test_hunks_are_walked_shown_accepted_and_rejected_one_by_one(tmp_path: Path) -> None:
    removed = (
        "(mapconcat (lambda (o) (substring-no-properties (overlay-get o 'before-string)))"
        ' (twospeed-review-hunk-overlays) "")'
    )
    async with shop(tmp_path) as it:
        await it.go_to(6)
        await it.emacs.typed(ASK)
        await it.ended(state="review")
        n_hunks = len(it.emacs.told("edit")[-1]["hunks"])
        await it.go_to(0)
        await it.emacs.typed("\x03*n\x03*n\x03*p")
        first = await it.emacs.eval("(line-number-at-pos)")
        await it.emacs.typed("\x03*A")
        await it.shows(f" ⚡lightning ±{n_hunks - 1}")
        await it.emacs.typed("\x03*d")
        assert "result += price\n" in await it.emacs.eval(removed)
        await it.emacs.typed("\x03*d")
        assert "result += price\n" not in await it.emacs.eval(removed)
        await it.emacs.typed("\x03*n")
        assert await it.emacs.eval("(line-number-at-pos)") > first
        await it.emacs.typed("\x03*r")
        await it.shows(" ⚡lightning")
        expected = SHOP.replace(*first_hunk())
        assert await it.saved() == expected.encode()


def first_hunk() -> tuple[str, str]:
    """Give what the answer changes first, before and after."""
    after = '    """Add up prices, 🙂 or not."""\n    result = 0.0\n    n_items = 0\n'
    assert after in NEW
    return "    result = 0\n", after


async def test_an_edit_is_made_again_in_the_other_mode_and_then_gone_on_from(tmp_path: Path) -> None:
    second = NEW.replace("n_items", "count")
    async with shop(tmp_path, AT_ONCE, Script(f"```python\n{second}```\n"), AT_ONCE) as it:
        await it.go_to(6)
        await it.emacs.typed(ASK)
        await it.ended(state="review")
        await it.emacs.typed("\x03*m")
        await it.ended(state="review", mode="deep")
        assert await it.text() == SHOP.replace(OLD, second)
        await it.emacs.typed("\x03*fcall it n_items\r")
        await it.ended(state="review", editId="e3")
        assert await it.saved() == EDITED.encode()
        last = str(it.model.requests[-1].body)
        assert "count them" in last
        assert "call it n_items" in last


async def test_the_last_instruction_is_given_again(tmp_path: Path) -> None:
    async with shop(tmp_path, AT_ONCE, Script('```python\ndef other():\n    return "🙃"\n```\n')) as it:
        await it.go_to(6)
        await it.emacs.typed(ASK)
        await it.ended(state="review")
        await it.emacs.eval('(progn (goto-char (point-max)) (search-backward "return") t)')
        await it.emacs.typed("\x03*.")
        await it.ended(state="review", editId="e2")
        assert await it.saved() == EDITED.replace('"ä 🙂"\n', '"🙃"\n').encode()
        assert "count them" in str(it.model.requests[-1].body)


async def test_several_answers_are_shown_in_turn(tmp_path: Path) -> None:
    second = NEW.replace("n_items", "count")
    async with shop(tmp_path, AT_ONCE, Script(f"```python\n{second}```\n")) as it:
        await it.go_to(6)
        await it.emacs.typed(f"\x152{ASK}")
        await it.ended(state="review")
        first = await it.text()
        other = {EDITED, SHOP.replace(OLD, second)} - {first}
        await it.emacs.typed("\x03*v")
        await it.until(TEXT_OF_SHOP, *other)
        await it.emacs.typed("\x03*V")
        await it.until(TEXT_OF_SHOP, first)


TEXT_OF_SHOP = '(with-current-buffer "shop.py" (buffer-substring-no-properties (point-min) (point-max)))'


async def test_why_an_edit_cannot_be_made_is_said_in_one_line(tmp_path: Path) -> None:
    async with shop(tmp_path, Script("", finish_reason="stop")) as it:
        await it.go_to(6)
        await it.emacs.typed(ASK)
        await it.ended(outcome="refused")
        await it.emacs.when(lambda: any(words.startswith("twospeed: ") for words in it.emacs.told("message")))
        assert await it.text() == SHOP


async def test_what_a_check_noticed_is_a_diagnostic(tmp_path: Path) -> None:
    hidden = NEW.replace("result = 0.0", "result = 0.0  # \u202e")
    async with shop(tmp_path, Script(f"```python\n{hidden}```\n")) as it:
        await it.emacs.eval("(progn (flymake-mode 1) t)")
        await it.go_to(6)
        await it.emacs.typed(ASK)
        await it.ended(outcome="applied")
        await it.until(
            '(and (cl-some (lambda (d) (string-prefix-p "twospeed: "'
            " (flymake-diagnostic-text d))) (flymake-diagnostics)) t)",
            True,
        )


async def test_an_import_that_an_answer_needs_is_added_from_the_list_of_actions(tmp_path: Path) -> None:
    needy = NEW.replace("result = 0.0", "result = math.floor(0.5)")
    async with shop(tmp_path, Script(f"```python\n{needy}```\n")) as it:
        (it.folder / "rates.py").write_text("import math\n\n\nHALF = math.floor(1.5)\n")
        await it.open("rates.py", (it.folder / "rates.py").read_bytes())
        await it.emacs.eval('(progn (switch-to-buffer "shop.py") t)')
        await it.go_to(6)
        await it.emacs.typed(ASK)
        await it.ended(outcome="applied")
        edited = await it.text()
        await it.emacs.typed("\x03*c")
        await it.emacs.when(lambda: it.emacs.told("asked") != [])
        await it.emacs.typed("Add import math\r")
        await it.until(f"(not (equal {TEXT_OF_SHOP} {string(edited)}))", True)
        assert await it.text() == edited.replace("RATE = ", "import math\n\nRATE = ", 1)
        await it.emacs.typed("\x1f")
        assert await it.text() == edited


async def test_the_last_buffer_takes_its_server_along_and_the_log_stays_readable(tmp_path: Path) -> None:
    async with shop(tmp_path) as it:
        await it.open("second.py", b"")
        running = "(length (seq-filter #'jsonrpc-running-p twospeed-server--all))"
        assert await it.emacs.eval(running) == 1
        await it.emacs.eval('(progn (kill-buffer "second.py") t)')
        assert await it.emacs.eval(running) == 1
        await it.emacs.eval('(progn (setq test-server twospeed-server) (kill-buffer "shop.py") t)')
        assert await it.emacs.eval(running) == 0
        await it.until("(and (jsonrpc-running-p test-server) t)", None)


async def test_saving_accepts_an_edit_and_another_name_opens_the_file_anew(tmp_path: Path) -> None:
    async with shop(tmp_path) as it:
        await it.go_to(6)
        await it.emacs.typed(ASK)
        await it.ended(state="review")
        await it.saved()
        await it.ended(verdict="accepted")
        other = it.path.with_name("other.py")
        await it.emacs.eval(f'(progn (write-file "{other}") t)')
        await it.emacs.when(lambda: other.as_uri() in it.emacs.told("opened"))
        assert len(it.emacs.told("opened")) == 2


async def test_a_server_that_cannot_start_is_told_once_with_what_it_said(tmp_path: Path) -> None:
    async with shop(tmp_path) as it:
        await it.emacs.eval(
            '(progn (setq twospeed-command (list "sh" "-c" "echo no such thing >&2; exit 3")) t)'
        )
        await it.emacs.typed("\x1bxtwospeed-restart\r")
        told = "twospeed: the server has ended (no such thing); M-x twospeed-restart restarts it"
        await it.emacs.when(lambda: told in it.emacs.told("message"))
        await it.shows(" twospeed!")


async def test_the_edits_of_a_server_that_has_ended_are_forgotten_and_quit_is_quit(tmp_path: Path) -> None:
    async with shop(tmp_path, ANSWER) as it:
        await it.go_to(6)
        await it.emacs.typed(ASK)
        await it.landed(1)
        await it.emacs.eval("(progn (kill-process (jsonrpc--process twospeed-server)) t)")
        await it.shows(" twospeed!")
        assert await it.emacs.eval("(length (overlays-in (point-min) (point-max)))") == 0
        await it.emacs.typed(QUIT)
        assert it.emacs.told("message")[-1] == "Quit"


async def test_a_clone_that_is_killed_leaves_the_document_open_and_its_edit_in_review(tmp_path: Path) -> None:
    async with shop(tmp_path) as it:
        await it.go_to(6)
        await it.emacs.typed(ASK)
        await it.ended(state="review")
        marks = await it.emacs.eval("(length (overlays-in (point-min) (point-max)))")
        await it.emacs.eval("(progn (kill-buffer (clone-indirect-buffer nil nil)) t)")
        assert await it.emacs.eval("(length (overlays-in (point-min) (point-max)))") == marks > 0
        await it.emacs.typed("\x03*r")
        await it.ended(verdict="rejected")
        assert await it.text() == SHOP


async def test_an_edit_waits_while_a_replacement_asks_about_each_place(tmp_path: Path) -> None:
    async with scene(tmp_path, b"apple\navocado\n", name="notes.txt") as it:
        await it.emacs.press("\x1b%a\rA\r")
        await it.until('(format "%s" this-command)', "query-replace")
        await it.emacs.eval(
            "(progn (funcall (twospeed-apply-when-safe twospeed-server"
            ' (list :editId "e1" :seq 1 :undoStopBefore t :undoStopAfter t'
            " :textDocument (list :uri twospeed-document-uri :version (twospeed-document-sync))"
            ' :edits (vector (list :newText "ant\\n" :range \'(:start (:line 0 :character 0) :end (:line 0 :character 0))))))'
            ' (lambda (answer) (test-tell "answer" answer))) t)'
        )
        await it.emacs.press("y!")
        await it.emacs.when(lambda: it.emacs.told("answer") != [])
        assert it.emacs.told("answer")[0]["reason"] == "stale"
        assert await it.saved() == b"Apple\nAvocAdo\n"


@pytest.mark.parametrize(
    ("variable", "value", "words"),
    [
        (
            "twospeed-settings",
            "(:mode deep)",
            'must be a property list of JSON values, for example (:mode "deep")',
        ),
        ("twospeed-command", '"twospeed"', 'must be a list of strings, for example ("/path/to/twospeed")'),
    ],
)
async def test_a_variable_of_a_wrong_type_is_named(
    tmp_path: Path, variable: str, value: str, words: str
) -> None:
    async with shop(tmp_path) as it:
        await it.emacs.eval(f"(progn (setq {variable} '{value}) (twospeed-restart) t)")
        [told] = [message for message in it.emacs.told("message") if variable in message]
        assert words in told


async def test_eglot_serves_the_same_buffer_with_a_server_of_its_own(tmp_path: Path) -> None:
    if not has_library("eglot"):
        pytest.skip("this Emacs has no Eglot")
    command = " ".join(string(word) for word in [*COMMAND, "serve", "--stdio"])
    async with scene(tmp_path, SHOP.encode(), AT_ONCE, has_site=True) as it:
        await it.emacs.eval(
            "(progn (require 'eglot) (setq eglot-sync-connect 10)"
            f" (add-to-list 'eglot-server-programs (list 'python-mode {command}))"
            " (apply #'eglot (eglot--guess-contact)) t)"
        )
        await it.until("(and (eglot-managed-p) t)", wanted=True)
        await it.until("(and (memq 'twospeed-findings-backend flymake-diagnostic-functions) t)", wanted=True)
        await it.go_to(6)
        await it.emacs.typed(ASK)
        await it.ended(outcome="applied")
        assert await it.saved() == EDITED.encode()
        await it.emacs.typed(UNDO)
        assert await it.text() == SHOP
