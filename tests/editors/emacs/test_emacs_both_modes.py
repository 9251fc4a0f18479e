"""The mode both in a real Emacs: lightning's answer is applied, and what the deep model would change is offered."""

from __future__ import annotations

from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import Any

import pytest
from tests.editors.emacs.editor_session import EditorSession, editor_session
from tests.editors.emacs.emacs import needs_emacs, string
from tests.editors.scenarios import EDITED, IN_TOTAL, NEW, SHOP

from twospeed.testing.script import Hang, Script
from twospeed.testing.scripted_server import RecordedRequest

pytestmark = [pytest.mark.process, needs_emacs]

FIRST = ("    result = 0.0\n", "    result = Decimal(0)\n")
SECOND = ("    return round(result, 2)\n", "    return result.quantize(CENT)\n")
DEEP = Script(f"```python\n{NEW.replace(*FIRST).replace(*SECOND)}```\n")
HANGS = Script("x", faults=(Hang(after_tokens=0),))

ASK, UNDO = "\x03*ecount them\r", "\x1f"
TAKE, TAKE_PLACE, DISMISS, DISMISS_PLACE = "\x03*g", "\x03*G", "\x03*z", "\x03*Z"
SET_BOTH = "\x03*Tboth\r"
BOTH = " ⚡🧠lightning+deep"

PLACES = """
(vconcat (mapcar (lambda (o) (concat (buffer-substring-no-properties (overlay-start o) (overlay-end o))
                                     ">" (substring-no-properties (overlay-get o 'after-string))))
                 (twospeed-review-overlays #'twospeed-review-offered)))
"""

USED_LANES = """
(when (get-buffer "*twospeed status*")
  (with-current-buffer "*twospeed status*"
    (vconcat (seq-filter (lambda (line) (string-suffix-p ", now" line))
                         (split-string (buffer-substring-no-properties (point-min) (point-max)) "\\n")))))
"""


def shop(folder: Path, deep: Script = DEEP) -> AbstractAsyncContextManager[EditorSession]:
    """Open SHOP with a lightning model that answers NEW, and this deep answer."""

    def choose(request: RecordedRequest) -> Script:
        return deep if request.model == "deep" else Script(f"```python\n{NEW}```\n")

    return editor_session(folder, SHOP.encode(), choose=choose)


def with_changes(*changes: tuple[str, str], text: str = EDITED) -> str:
    """Return a text with old lines replaced by new ones."""
    for old, new in changes:
        assert text.count(old) == 1
        text = text.replace(old, new)
    return text


async def edit_in_both(session: EditorSession) -> None:
    await session.emacs.typed(SET_BOTH)
    await session.until_mode_line(BOTH)
    await session.go_to(IN_TOTAL)
    await session.emacs.typed(ASK)
    await session.until_edit(state="review")


async def until_deep(session: EditorSession, state: str) -> dict[str, Any]:
    """Wait until the deep answer has this state, in the last report."""

    def last() -> dict[str, Any]:
        reports: list[dict[str, Any]] = session.emacs.events_of("edit")
        return reports[-1] if reports else {}

    await session.emacs.wait_until(lambda: (last().get("deep") or {}).get("state") == state)
    return last()


async def offered(session: EditorSession) -> None:
    """Edit in the mode both, and wait for the offer of two places."""
    await edit_in_both(session)
    await until_deep(session, "offered")
    await until_places(session, FIRST, SECOND)
    assert await session.text() == EDITED


async def until_places(session: EditorSession, *places: tuple[str, str]) -> None:
    """Wait until exactly these places are marked, each with its new lines."""
    await session.until(PLACES, [f"{old}>{new}" for old, new in places])


async def go_to_text(session: EditorSession, text: str) -> None:
    """Put the cursor on the first character of a text."""
    await session.emacs.eval(
        f"(progn (goto-char (point-min)) (search-forward {string(text)}) (goto-char (match-beginning 0)) t)"
    )


async def test_the_mode_key_goes_on_to_both_and_a_mode_is_chosen_by_name(tmp_path: Path) -> None:
    async with shop(tmp_path) as session:
        await session.until_mode_line(" ⚡lightning")
        for shown in (" 🧠deep", BOTH, " ⚡lightning"):
            await session.emacs.keys("C-S-l")
            await session.until_mode_line(shown)
        await session.emacs.typed(SET_BOTH)
        await session.until_mode_line(BOTH)
        assert "twospeed: ⚡🧠 both, lightning+deep" in session.emacs.events_of("message")
        await session.emacs.typed("\x03*s")
        await session.until(USED_LANES, ["⚡ lightning, now", "🧠 deep, now"])


async def test_the_deep_model_at_work_is_shown_and_cancelled_alone(tmp_path: Path) -> None:
    async with shop(tmp_path, HANGS) as session:
        await edit_in_both(session)
        n_hunks = len(session.emacs.events_of("edit")[-1]["hunks"])
        await session.until_mode_line(f"{BOTH} 🧠… ±{n_hunks}")
        await session.emacs.typed("\x03*k")
        await until_deep(session, "cancelled")
        await session.until_mode_line(f"{BOTH} ±{n_hunks}")
        assert await session.text() == EDITED


async def test_what_the_deep_model_would_change_is_marked_counted_and_announced_once(
    tmp_path: Path,
) -> None:
    async with shop(tmp_path) as session:
        await offered(session)
        n_hunks = len(session.emacs.events_of("edit")[-1]["hunks"])
        await session.until_mode_line(f"{BOTH} ±{n_hunks} 🧠±2")
        await go_to_text(session, FIRST[0])
        faces = "(mapcar (lambda (o) (overlay-get o 'face)) (overlays-at (point)))"
        assert await session.emacs.eval(f"(and (memq 'twospeed-offer-lines {faces}) t)")
        await session.emacs.typed(TAKE_PLACE)
        await until_places(session, SECOND)
        announced = [words for words in session.emacs.events_of("message") if "would change" in words]
        assert announced == [
            "🧠 would change 2 places: C-c * g takes all, C-c * G the one at point, C-c * z dismisses all"
        ]


async def test_all_places_are_taken_as_one_undo_step(tmp_path: Path) -> None:
    async with shop(tmp_path) as session:
        await offered(session)
        await session.emacs.typed(TAKE)
        await until_deep(session, "taken")
        await until_places(session)
        assert await session.text() == with_changes(FIRST, SECOND)
        await session.emacs.typed(UNDO)
        assert await session.text() == EDITED


async def test_the_place_at_point_is_taken_and_the_other_one_dismissed(tmp_path: Path) -> None:
    async with shop(tmp_path) as session:
        await offered(session)
        await go_to_text(session, SECOND[0])
        await session.emacs.typed(TAKE_PLACE)
        await until_places(session, FIRST)
        assert await session.text() == with_changes(SECOND)
        await session.emacs.typed(TAKE_PLACE)
        assert "There is nothing to take at point" in session.emacs.events_of("message")
        await go_to_text(session, FIRST[0])
        await session.emacs.typed(DISMISS_PLACE)
        await until_places(session)
        assert await session.save_and_read() == with_changes(SECOND).encode()


async def test_a_dismissed_offer_leaves_the_draft(tmp_path: Path) -> None:
    async with shop(tmp_path) as session:
        await offered(session)
        await session.emacs.typed(DISMISS)
        await until_deep(session, "dismissed")
        await until_places(session)
        assert await session.text() == EDITED
        await session.emacs.typed(TAKE)
        assert "There is nothing to take in this buffer" in session.emacs.events_of("message")


async def test_places_move_with_typed_lines_which_stay(tmp_path: Path) -> None:
    async with shop(tmp_path) as session:
        await offered(session)
        await session.go_to(0)
        await session.emacs.typed("import os\r")
        await until_places(session, FIRST, SECOND)
        await go_to_text(session, FIRST[0])
        await session.emacs.typed("    # mine\r")
        await session.emacs.typed(TAKE)
        await until_deep(session, "taken")
        text = await session.text()
        assert text.startswith("import os\n")
        assert "    # mine\n" in text
        assert SECOND[1] in text


async def test_the_offer_of_an_accepted_draft_stays_and_is_visited_and_taken(tmp_path: Path) -> None:
    async with shop(tmp_path) as session:
        await offered(session)
        assert await session.save_and_read() == EDITED.encode()
        await session.until_mode_line(f"{BOTH} 🧠±2")
        await until_places(session, FIRST, SECOND)
        await session.go_to(0)
        await session.emacs.typed("\x03*n\x03*n")
        await session.emacs.typed(TAKE_PLACE)
        await until_places(session, FIRST)
        assert await session.text() == with_changes(SECOND)
        await session.emacs.typed(TAKE)
        await until_places(session)
        assert await session.text() == with_changes(FIRST, SECOND)


async def test_the_offer_replaces_the_last_line_of_a_file_without_a_line_end(tmp_path: Path) -> None:
    last = "def last():\n    return 1"
    answers = {
        "lightning": Script(f"```python\n{last} + 0\n```\n"),
        "deep": Script(f"```python\n{last} + 2\n```\n"),
    }
    async with editor_session(
        tmp_path, last.encode(), choose=lambda request: answers[request.model]
    ) as session:
        await edit_at_the_end(session)
        [shown] = await session.emacs.eval(PLACES)
        assert shown == "    return 1 + 0>\n    return 1 + 2"
        await session.emacs.typed(TAKE)
        await until_deep(session, "taken")
        assert await session.text() == f"{last} + 2"


async def edit_at_the_end(session: EditorSession) -> None:
    await session.emacs.typed(SET_BOTH)
    await session.until_mode_line(BOTH)
    await session.go_to(1)
    await session.emacs.typed(ASK)
    await until_deep(session, "offered")
