"""Undecided edits do not pile up: the oldest end without a verdict and keep their text."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.scenarios.editor import STREAMING, Editor, RequestFailed
from tests.scenarios.shop import EDITED, NEW, TEXT

from twospeed.edits import registry
from twospeed.testing.scripted_model import ScriptedModel, scripted_answer

N_KEPT, N_EDITS = 3, 6


async def test_the_newest_edits_in_review_are_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry, "MAX_IN_REVIEW", N_KEPT)
    config = tmp_path / "config.toml"
    config.write_text('[review]\naccept_on = "never"\n')
    uris = [f"file:///project/shop{number}.py" for number in range(N_EDITS)]
    async with await Editor.started(STREAMING, environ={"TWOSPEED_CONFIG": str(config)}) as editor:
        editor.serve(ScriptedModel(*(scripted_answer(NEW) for _ in uris)))
        for uri in uris:
            editor.open(TEXT, uri=uri)
            result = await editor.request("twospeed/edit", editor.edit_params(3, uri=uri, editId=uri))
            assert result["outcome"] == "applied"
            editor.notify("textDocument/didSave", {"textDocument": {"uri": uri}})
        session = editor.server.session
        assert session
        in_review = [edit.uri for edit in session.scheduler.edits if edit.state.value == "review"]
        assert in_review == uris[-N_KEPT - 1 :], (
            "those that were kept when the last one began, and the last one"
        )
        assert [edit.decision.verdict for edit in session.scheduler.edits] == [None] * N_EDITS
        assert [editor.buffers[uri].text for uri in uris] == [EDITED] * N_EDITS
        oldest = session.scheduler.edits[0]
        assert oldest.live not in oldest.channel._followers
        with pytest.raises(RequestFailed, match="has ended"):
            await editor.request("twospeed/decide", {"editId": uris[0], "action": "reject"})
        await editor.request("twospeed/decide", {"editId": uris[-1], "action": "reject"})
        assert editor.buffers[uris[-1]].text == TEXT
