"""Beyond the limits no edit is made and one sentence gives the reason; below them nothing changes."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from tests.lane_config import lane
from tests.scenarios.editor import URI, Editor, RequestFailed
from tests.scenarios.shop import NEW, TEXT

from twospeed.edits.prompting import scope_resolution
from twospeed.edits.start_limit import StartLimit
from twospeed.lsp.session import open_documents
from twospeed.testing.scripted_model import ScriptedModel, scripted_answer
from twospeed.text.lines import split_lines

FAILED = -32803


@pytest.fixture
async def editor() -> AsyncIterator[Editor]:
    async with await Editor.started() as editor:
        editor.serve(ScriptedModel(scripted_answer(NEW)))
        yield editor


async def refusal_of(editor: Editor, uri: str = URI) -> str:
    with pytest.raises(RequestFailed) as caught:
        await editor.edit(4, uri=uri)
    assert caught.value.code == FAILED
    return caught.value.message


@pytest.mark.security("R11.3")
async def test_a_document_above_the_maximum_number_is_unmanaged(editor: Editor) -> None:
    uris = [f"file:///project/{number}.py" for number in range(open_documents.MAX_DOCUMENTS + 1)]
    for uri in uris:
        editor.open(TEXT, uri=uri)
    assert await refusal_of(editor, uris[-1]) == (
        "1,000 documents are open already, so this one is not followed; close the document and open it again"
    )
    assert (await editor.edit(4, uri=uris[0]))["outcome"] == "applied"
    editor.notify("textDocument/didClose", {"textDocument": {"uri": uris[1]}})
    editor.open(TEXT, uri=uris[-1])
    assert (await editor.edit(4, uri=uris[-1]))["outcome"] == "applied"


@pytest.mark.security("R11.3")
async def test_text_above_the_total_size_is_unmanaged(
    editor: Editor, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(open_documents, "MAX_TEXT_BYTES", 1024 * 1024)
    editor.open(TEXT)
    editor.open("#" * 99 + "\n", uri="file:///project/large.py")
    editor.type(0, 0, "# a line\n" * 120_000, uri="file:///project/large.py")
    editor.type(0, 0, "# more\n", uri="file:///project/large.py")
    assert await refusal_of(editor, "file:///project/large.py") == (
        "more than 1 MiB of text are open, so this document is not followed; close the document and open it again"
    )
    assert (await editor.edit(4))["outcome"] == "applied"


@pytest.mark.security("R11.3")
async def test_text_up_to_the_total_size_is_managed(editor: Editor, monkeypatch: pytest.MonkeyPatch) -> None:
    uris = [f"file:///project/{number}.py" for number in range(2)]
    for uri in uris:
        editor.open("#" * 9 + "\n", uri=uri)
    session = editor.server.session
    assert session
    n_bytes = sum(session.documents._n_bytes.values())
    for n_more, is_followed in ((0, True), (-1, False)):
        monkeypatch.setattr(open_documents, "MAX_TEXT_BYTES", n_bytes + 1 + n_more)
        editor.type(0, 0, "#", uri=uris[1])
        asked = editor.ask(
            "twospeed/scopes", {"textDocument": {"uri": uris[1]}, "position": {"line": 0, "character": 0}}
        )[1]
        assert ((await asyncio.wait([asked]))[0].pop().exception() is None) is is_followed
        n_bytes += 1


@pytest.mark.security("R11.3")
@pytest.mark.parametrize(("limit", "text"), [("MAX_LINES", "#\n" * 9), ("MAX_DOCUMENT_BYTES", "#" * 9)])
async def test_a_document_up_to_the_maximum_size_is_managed(
    editor: Editor, monkeypatch: pytest.MonkeyPatch, limit: str, text: str
) -> None:
    monkeypatch.setattr(open_documents, limit, 10)  # as counted with the line after the last line end
    uris = [f"file:///project/{number}.py" for number in range(2)]
    for uri, more in zip(uris, ("", text[-1]), strict=True):
        editor.open(text, uri=uri)
        editor.type(0, 0, more, uri=uri)
    await editor.command("twospeed.status")
    session = editor.server.session
    assert session
    assert [each.uri for each in session.documents.all] == uris[:1]


@pytest.mark.security("R11.2")
@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (
            "# a line of a generated file\n" * 300_000,
            "the document is not edited: it is larger than 8 MiB",
        ),
        ("x" * 100_001, "the document is not edited: it has a line of more than 100,000 characters"),
    ],
)
async def test_a_document_above_the_edit_limits_is_not_edited(editor: Editor, text: str, reason: str) -> None:
    buffer = editor.open(text)
    with pytest.raises(RequestFailed, match=reason):
        await editor.edit(0)
    assert buffer.text == text


@pytest.mark.security("R11.2")
async def test_a_document_that_has_become_small_again_is_edited(
    editor: Editor, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(scope_resolution, "MAX_DOCUMENT_BYTES", 1_000)
    editor.open(TEXT)
    editor.type(0, 0, "# a line\n" * 100)
    assert "larger than" in await refusal_of(editor)
    editor.type(0, 0, "", end=(100, 0))
    assert (await editor.edit(4))["outcome"] == "applied"


@pytest.mark.security("R11.2")
@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("x" * (16 * 1024 * 1024 + 1), "is larger than 16 MiB"),
        ("\r" * 1_000_001, "has more than 1,000,000 lines"),
    ],
)
async def test_a_document_that_is_far_too_large_is_not_split_into_lines(
    editor: Editor, monkeypatch: pytest.MonkeyPatch, text: str, reason: str
) -> None:
    sizes: list[int] = []

    def counted(text: str) -> list[str]:
        sizes.append(len(text))
        return split_lines(text)

    monkeypatch.setattr("twospeed.text.document.split_lines", counted)
    refusal = f"the document {reason}, so it is not followed; close the document and open it again"
    editor.open(text)
    assert await refusal_of(editor) == refusal
    editor.open(TEXT, uri="file:///project/pasted.py")
    editor.type(0, 0, text, uri="file:///project/pasted.py")
    assert await refusal_of(editor, "file:///project/pasted.py") == refusal
    assert max(sizes) == len(TEXT)


@pytest.mark.security("R11.2")
async def test_a_document_that_grows_too_large_becomes_unmanaged(
    editor: Editor, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(open_documents, "MAX_LINES", 100)
    editor.open(TEXT)
    for _ in range(10):
        editor.type(0, 0, "# a line\n" * 10)
    assert "has more than 100 lines" in await refusal_of(editor)
    editor.notify("textDocument/didClose", {"textDocument": {"uri": URI}})
    editor.open(TEXT)
    assert (await editor.edit(4))["outcome"] == "applied"


@pytest.mark.security("R11.2")
async def test_more_lines_than_a_model_can_read_are_not_edited_at_once(
    editor: Editor, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(scope_resolution, "MAX_SCOPE_LINES", 20)
    editor.open(TEXT + "x = 1\n" * 20)
    with pytest.raises(
        RequestFailed, match="the scope has more than 20 lines, the most that one edit may have; select fewer"
    ):
        await editor.edit(4, scope="file")
    editor.open("def f():\n" + "    x = 1\n\n" * 20, uri="file:///project/long.py")
    monkeypatch.setattr(
        "twospeed.edits.scheduler.must_wait_for_tree", lambda _: True
    )  # edits begin with a rough scope
    with pytest.raises(RequestFailed, match="more than 20 lines"):
        await editor.edit(21, uri="file:///project/long.py", scope="function")
    assert (await editor.edit(4))["outcome"] == "applied"


async def n_starts_before_a_refusal(editor: Editor) -> int:
    """Start edits one after the other, at one moment of time; stop at two hundred."""
    assert editor.server.session
    editor.serve(ScriptedModel(scripted_answer(NEW)))
    editor.server.session.scheduler._starts = StartLimit(clock=lambda: 0.0)
    editor.open(TEXT)
    for number in range(200):
        try:
            await editor.edit(4, deliver="preview")
        except RequestFailed as error:
            if error.message != "edits are started too fast; 16 a second are taken":
                raise
            return number
    return 200


@pytest.mark.security("R11.3")
async def test_cloud_edits_are_limited_in_rate(tmp_path: Path) -> None:
    (tmp_path / "config.toml").write_text(lane("lightning", "openai"))
    environ = {"TWOSPEED_CONFIG": str(tmp_path / "config.toml"), "OPENAI_API_KEY": "sk-test"}
    async with await Editor.started(environ=environ) as editor:
        assert await n_starts_before_a_refusal(editor) == 128


async def test_free_edits_are_not_limited_in_rate(editor: Editor) -> None:
    assert await n_starts_before_a_refusal(editor) == 200
