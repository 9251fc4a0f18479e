"""Imports that land with an edit, and the commands that verify and mend one, in a real Emacs."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.editors.emacs.editor_session import EditorSession, editor_session
from tests.editors.emacs.emacs import needs_emacs
from tests.editors.scenarios import IMPORT, IN_IMPORTS, IN_TOTAL, NEW, OLD, WITH_IMPORTS

from twospeed.testing.script import Script

pytestmark = [pytest.mark.process, needs_emacs]

EDITED = WITH_IMPORTS.replace(OLD, NEW)
IMPORTED = EDITED.replace("import json\n", f"import json\n{IMPORT}")
ANSWER = Script(f"```python\n{IMPORT}\n\n{NEW}```\n")
SMILE = Script('```python\ndef other():\n    return "🙃"\n```\n')
MENDED = Script(f"```python\n{NEW.rstrip()}  # mended\n```\n")
VERIFY = '[verify.commands.python]\ncheck = ["grep", "mended", "{file}"]\n'
LINE = "(1- (line-number-at-pos))"


async def edit_in_review(session: EditorSession) -> None:
    await session.go_to(IN_TOTAL + 2)
    await session.emacs.typed("\x03*ecount them\r")
    await session.until_edit(state="review")
    assert await session.text() == IMPORTED


async def test_an_import_is_marked_counted_visited_and_decided_like_the_other_hunks(tmp_path: Path) -> None:
    async with editor_session(tmp_path, WITH_IMPORTS.encode(), ANSWER) as session:
        await edit_in_review(session)
        await session.until_mode_line(" ⚡lightning ±4")
        await session.go_to(0)
        await session.emacs.typed("\x03*n")
        assert await session.emacs.eval(LINE) == IN_IMPORTS
        marked = "(overlay-get (car (twospeed-review-overlays #'twospeed-review-hunks)) 'face)"
        assert await session.emacs.eval(f"(symbol-name {marked})") == "twospeed-changed"
        await session.emacs.typed("\x03*A")
        await session.until_mode_line(" ⚡lightning ±3")
        await session.emacs.typed("\x03*r")
        await session.until_mode_line(" ⚡lightning")
        with_import = WITH_IMPORTS.replace("import json\n", f"import json\n{IMPORT}")
        assert await session.save_and_read() == with_import.encode()


async def test_reject_at_an_import_rejects_its_edit_and_no_newer_one(tmp_path: Path) -> None:
    async with editor_session(tmp_path, WITH_IMPORTS.encode(), ANSWER, SMILE) as session:
        await edit_in_review(session)
        await session.emacs.eval('(progn (goto-char (point-max)) (search-backward "return") t)')
        await session.emacs.typed("\x03*esmile\r")
        await session.until_edit(state="review", editId="e2")
        await session.go_to(IN_IMPORTS)
        await session.emacs.typed("\x03*r")
        await session.until_edit(verdict="rejected", editId="e1")
        assert await session.save_and_read() == WITH_IMPORTS.replace('"ä 🙂"\n', '"🙃"\n').encode()


async def test_an_edit_is_verified_and_mended_by_the_deep_model(tmp_path: Path) -> None:
    async with editor_session(tmp_path, WITH_IMPORTS.encode(), ANSWER, MENDED, more_config=VERIFY) as session:

        async def verified(message: str) -> None:
            await session.emacs.typed("\x03*x")
            await session.emacs.wait_until(
                lambda: any(message in text for text in session.emacs.events_of("message"))
            )

        await edit_in_review(session)
        await verified("save shop.py first")
        assert await session.save_and_read() == IMPORTED.encode()
        await session.until_edit(verdict="accepted")
        await verified("shop.py failed check (exit status 1)")
        await session.until('(and (get-buffer-window "*twospeed: output-1.txt*") (buffer-name))', "shop.py")
        await session.emacs.typed("\x1bxtwospeed-mend\r")
        await session.until_edit(state="review", editId="e2", mode="deep")
        mended = IMPORTED.replace("return round(result, 2)", "return round(result, 2)  # mended")
        assert await session.save_and_read() == mended.encode()
        await verified("Verified shop.py: check passed")
