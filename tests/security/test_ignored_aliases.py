"""Ignored files of a workspace are never sent, under any name for the workspace or the document."""

from __future__ import annotations

import unicodedata
from pathlib import Path
from urllib.parse import quote

import pytest
from tests.scenarios.editor import Editor, RequestFailed, place_range

from twospeed.testing.scripted_model import ScriptedModel

TEXT = "def f():\n    return 1\n"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A workspace that ignores a folder, and names that link to it."""
    root = tmp_path / "Caf\u00e9"
    (root / "secrets").mkdir(parents=True)
    (root / "secrets" / "plan.py").write_text(TEXT)
    (root / "open.py").write_text(TEXT)
    (root / "link.py").symlink_to(root / "secrets" / "plan.py")
    (root / "folder").symlink_to(root / "secrets")
    (root / ".twospeed.toml").write_text('ignore = ["/secrets/**"]\n')
    (tmp_path / "link").symlink_to(root)
    return root


ROOT_AND_DOCUMENT = [
    ("Caf\u00e9", "Caf\u00e9/secrets/plan.py"),
    ("link", "Caf\u00e9/secrets/plan.py"),
    ("Caf\u00e9", "link/secrets/plan.py"),
    ("Caf\u00e9", "link/secrets/new.py"),
    ("Caf\u00e9", "Caf\u00e9/link.py"),
    ("Caf\u00e9", "Caf\u00e9/folder/plan.py"),
    ("link", "link/folder/new.py"),
    ("Caf\u00e9", "Caf\u00e9/other/../secrets/plan.py"),
    ("Caf\u00e9", "Cafe\u0301/secrets/plan.py"),
    ("Caf\u00e9", "CAF\u00c9/Secrets/plan.py"),
    ("Caf\u00e9", "caf\u00e9/secrets/plan.py"),
]


async def refused(editor: Editor, uri: str) -> str:
    """Return why the model receives no request about a document, by an edit and by `twospeed.showPrompt`."""
    editor.open(TEXT, uri=uri)
    model = ScriptedModel()
    editor.serve(model)
    result = await editor.request("twospeed/edit", editor.edit_params(0, uri=uri))
    argument = {"uri": uri, "range": place_range(0, 0, 0, 0), "instruction": "x"}
    with pytest.raises(RequestFailed, match="never sent"):
        await editor.command("twospeed.showPrompt", argument)
    assert model.requests == []
    code: str = result["reason"]["code"]
    return code


@pytest.mark.parametrize(("root_name", "name"), ROOT_AND_DOCUMENT)
async def test_an_anchored_pattern_applies_to_every_name_of_root_and_document(
    root: Path, root_name: str, name: str
) -> None:
    root_uri = (root.parent / root_name).as_uri()
    async with await Editor.started(root=root_uri) as editor:
        uri = root.parent.as_uri() + "/" + quote(name)
        assert await refused(editor, uri) == "never-send"


async def test_a_root_in_another_normal_form_is_the_same_root(tmp_path: Path) -> None:
    """Nothing of it is on this disk, as with a name that only the editor's file system considers equal."""
    composed = (tmp_path / "\u00c5ngstr\u00f6m").as_uri()
    decomposed = tmp_path.as_uri() + "/" + quote(unicodedata.normalize("NFD", "\u00c5ngstr\u00f6m"))
    for root_uri, folder in ((composed, decomposed), (decomposed, composed)):
        async with await Editor.started(root=root_uri, options={"ignore": ["/secrets/**"]}) as editor:
            assert await refused(editor, f"{folder}/secrets/plan.py") == "never-send"


async def test_root_on_localhost_is_read(root: Path) -> None:
    root_uri = root.as_uri().replace("file://", "file://localhost")
    async with await Editor.started(root=root_uri) as editor:
        assert await refused(editor, (root / "secrets" / "plan.py").as_uri()) == "never-send"
        assert await refused(editor, f"{root_uri}/secrets/plan.py") == "never-send"
        assert warnings_of(editor) == []


@pytest.mark.parametrize(
    "root_uri",
    ["file://server/share/my%20shop", "vscode-vfs://github/me/shop", "file://wsl.localhost/U/home"],
)
async def test_an_unreadable_root_is_reported_once_and_anchors_patterns(root_uri: str) -> None:
    async with await Editor.started(root=root_uri, options={"ignore": ["/secrets/**"]}) as editor:
        assert await refused(editor, f"{root_uri}/secrets/plan.py") == "never-send"
        (warning,) = warnings_of(editor)
        assert warning.startswith(f"twospeed reads no .twospeed.toml in {root_uri}, ")


async def test_another_document_of_a_linked_root_is_edited(root: Path) -> None:
    async with await Editor.started(root=(root.parent / "link").as_uri()) as editor:
        uri = (root / "open.py").as_uri()
        editor.open(TEXT, uri=uri)
        model = ScriptedModel()
        editor.serve(model)
        await editor.request("twospeed/edit", editor.edit_params(0, uri=uri))
        assert len(model.requests) == 1


def warnings_of(editor: Editor) -> list[str]:
    shown = editor.messages("window/showMessage")
    return [message["message"] for message in shown if ".twospeed.toml" in message["message"]]
