"""``twospeed web``: the files that it reads and writes, and what it serves to a page."""

from __future__ import annotations

import hashlib
import json
import os
import re
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from twospeed.cli.exits import BadInput
from twospeed.cli.main import main
from twospeed.cli.web import FileEndpoint, pages, real_paths_of, site_of

ROOT = Path(__file__).parents[2]
SOURCES = ROOT / "editors/web"


def ask(line: FileEndpoint, **question: object) -> dict[str, Any]:
    answer: dict[str, Any] = json.loads(line.respond(json.dumps({"id": 7, **question})))
    assert answer.pop("id") == 7
    return answer


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "shop.py"
    path.write_bytes("\ufeffprice = 1\r\nname = 'é'".encode())
    return path


def test_a_file_is_read_and_written_byte_for_byte(file):
    line = FileEndpoint(real_paths_of([file]), file.parent)
    (found,) = ask(line, method="read")["files"]
    assert found == {
        "uri": file.as_uri(),
        "name": "shop.py",
        "languageId": "python",
        "text": "price = 1\r\nname = 'é'",
    }
    assert ask(line, method="save", uri=found["uri"], text="price = 2\r\nname = 'é'") == {}
    assert file.read_bytes() == "\ufeffprice = 2\r\nname = 'é'".encode()
    assert ask(line, method="save", uri=found["uri"], text="price = 3\n") == {}
    assert file.read_bytes() == "\ufeffprice = 3\n".encode()


def test_nothing_is_written_before_it_is_saved(file):
    was = file.read_bytes()
    line = FileEndpoint(real_paths_of([file]), file.parent)
    ask(line, method="read")
    assert file.read_bytes() == was


@pytest.mark.security("R9")
def test_only_files_that_were_named_are_known(file):
    other = file.with_name("other.py")
    other.write_text("mine\n")
    line = FileEndpoint(real_paths_of([file]), file.parent)
    ask(line, method="read")
    for uri in (other.as_uri(), file.as_uri().replace("shop", "../shop"), "file:///etc/passwd", ""):
        assert (
            "was not named on the command line" in ask(line, method="save", uri=uri, text="theirs")["error"]
        )
    assert other.read_text() == "mine\n"


@pytest.mark.security("R9")
def test_a_link_that_replaced_a_file_is_not_read(file, tmp_path_factory):
    secret = tmp_path_factory.mktemp("elsewhere") / "secret.py"
    secret.write_text("mine\n")
    line = FileEndpoint(real_paths_of([file]), file.parent)
    assert "files" in ask(line, method="read")
    for put, why in (
        (lambda: file.symlink_to(secret), "leads out of"),
        (lambda: os.mkfifo(file), "not a regular file"),
        (file.mkdir, "is a folder"),
    ):
        (file.rmdir if file.is_dir() else file.unlink)()
        put()
        assert why in ask(line, method="read")["error"]
        assert "error" in ask(line, method="save", uri=file.as_uri(), text="theirs")
    assert secret.read_text() == "mine\n"


@pytest.mark.security("R9")
@pytest.mark.parametrize("place", ["file", "folder"])
def test_a_link_that_took_the_place_of_a_file_is_not_followed_inside_the_project(tmp_path, place):
    for name in ("sub/a.py", "other/a.py"):
        (tmp_path / name).parent.mkdir()
        (tmp_path / name).write_text(name)
    file = tmp_path / "sub/a.py"
    line = FileEndpoint(real_paths_of([file]), tmp_path)
    assert ask(line, method="read")["files"][0]["text"] == "sub/a.py"
    (file if place == "file" else file.parent).rename(tmp_path / "old")
    (file if place == "file" else file.parent).symlink_to(tmp_path / "other" / ("a.py" * (place == "file")))
    assert "points to another file" in ask(line, method="read")["error"]
    assert "points to another file" in ask(line, method="save", uri=file.as_uri(), text="theirs")["error"]
    assert (tmp_path / "other/a.py").read_text() == "other/a.py"


def test_a_link_that_was_named_is_read_where_it_leads_and_a_new_file_in_its_place_too(tmp_path):
    (tmp_path / "real.py").write_text("real\n")
    (link := tmp_path / "link.py").symlink_to("real.py")
    line = FileEndpoint(real_paths_of([link]), tmp_path)
    assert ask(line, method="read")["files"][0]["name"] == "real.py"
    (new := tmp_path / "new.py").write_text("new\n")
    new.replace(tmp_path / "real.py")  # as editors save
    assert ask(line, method="read")["files"][0]["text"] == "new\n"


def test_a_file_that_was_not_read_is_not_written(file):
    assert "error" in ask(
        FileEndpoint(real_paths_of([file]), file.parent), method="save", uri=file.as_uri(), text=""
    )


def test_a_file_written_by_another_program_is_kept(file):
    line = FileEndpoint(real_paths_of([file]), file.parent)
    ask(line, method="read")
    file.write_text("theirs\n")
    answer = ask(line, method="save", uri=file.as_uri(), text="mine")
    assert "another program changed the file" in answer["error"]
    assert answer["onDisk"] == "theirs\n"
    assert file.read_text() == "theirs\n"


def test_a_file_written_by_another_program_is_replaced_only_in_the_text_that_the_user_saw(file):
    line = FileEndpoint(real_paths_of([file]), file.parent)
    ask(line, method="read")
    save = partial(ask, line, method="save", uri=file.as_uri(), text="mine\n")
    file.write_text("theirs\n")
    seen = save()["onDisk"]
    file.write_text("theirs, later\n")
    for over in (seen, None, 1, [seen]):
        assert save(over=over)["onDisk"] == "theirs, later\n"
    assert file.read_text() == "theirs, later\n"
    assert save(over="theirs, later\n") == {}
    assert file.read_bytes() == b"mine\n", "the file on disk has no byte order mark"
    assert ask(line, method="save", uri=file.as_uri(), text="mine again\n") == {}


def test_a_read_only_file_stays(file):
    line = FileEndpoint(real_paths_of([file]), file.parent)
    ask(line, method="read")
    file.chmod(0o444)
    assert "read-only" in ask(line, method="save", uri=file.as_uri(), text="mine")["error"]
    file.unlink()
    assert "error" in ask(line, method="save", uri=file.as_uri(), text="mine")


@pytest.mark.parametrize(
    "message",
    ["", "[]", "1", "{", '{"id": 7}', '{"method": "save"}', "[" * 100_000, '{"method": "read", "id": {}}'],
)
def test_every_message_gets_a_response(file, message):
    answer = json.loads(FileEndpoint(real_paths_of([file]), file.parent).respond(message))
    assert "error" in answer or "files" in answer


def test_a_lone_surrogate_is_not_written(file):
    line = FileEndpoint(real_paths_of([file]), file.parent)
    ask(line, method="read")
    was = file.read_bytes()
    assert "half a character" in ask(line, method="save", uri=file.as_uri(), text="\ud83d")["error"]
    assert file.read_bytes() == was


def test_a_wrong_file_is_reported_before_the_port_opens(tmp_path):
    with pytest.raises(BadInput, match=r"missing\.py"):
        site_of([tmp_path / "missing.py"], max_edits=1, max_tokens=1)
    for name in ("one", "two"):
        (tmp_path / name / ".git").mkdir(parents=True)
        (tmp_path / name / "a.py").touch()
    with pytest.raises(BadInput, match="different projects"):
        site_of([tmp_path / "one/a.py", tmp_path / "two/a.py"], max_edits=1, max_tokens=1)


@pytest.mark.security("R6.5")
def test_the_command_line_overrides_the_pages_workspace(file):
    claimed = {
        "rootUri": "file:///",
        "rootPath": "/",
        "workspaceFolders": [{"uri": "file:///", "name": "all"}],
    }
    for files, root in (([], None), ([file], file.parent.as_uri())):
        admit = site_of(files, max_edits=1, max_tokens=1).authenticate
        assert admit
        assert admit({**claimed, "processId": None}) == {
            "rootUri": root,
            "rootPath": None,
            "workspaceFolders": None,
            "processId": None,
        }
        assert admit("nonsense")


@pytest.mark.parametrize(
    "arguments",
    [["--port", "x"], ["--port", "65536"], ["--max-edits", "0"], ["--max-tokens", "-1"], ["no/such.py"]],
)
def test_bad_usage_ends_in_one_line(arguments, capsys):
    try:
        status = main(["web", *arguments])
    except SystemExit as ended:
        status = int(str(ended.code))
    assert status == 2
    assert len(capsys.readouterr().err.splitlines()) == 1


def test_the_page_has_its_files():
    assert set(pages()) == {"/", "/page.css", "/page.js"}
    assert pages()["/page.js"].content_type == "text/javascript; charset=utf-8"


@pytest.mark.security("R5")
def test_the_page_contains_no_address_but_xml_namespaces():
    for page in pages().values():
        found = re.findall(r"https?://[^\s\"'`)]*", page.body.decode())
        assert all(url.startswith("http://www.w3.org/") for url in found), found


@pytest.mark.skipif(not SOURCES.is_dir(), reason="there are no sources here")
def test_the_page_was_built_from_the_sources_that_are_here():
    parts = [
        *(path for path in (SOURCES / "src").rglob("*") if path.is_file()),
        SOURCES / "build.mjs",
        SOURCES / "package-lock.json",
        *(ROOT / "examples" / name for name in ("checkout.ts", "inventory.py")),
    ]
    digest = hashlib.sha256(b"".join(path.read_bytes() for path in sorted(parts, key=os.fspath)))
    told = (ROOT / "server/twospeed/cli/web_assets/sources.sha256").read_text().strip()
    assert digest.hexdigest() == told, "run: make web"


@pytest.mark.skipif(not SOURCES.is_dir(), reason="there are no sources here")
def test_a_lock_file_names_hashes_and_no_registry():
    packages = json.loads((SOURCES / "package-lock.json").read_text("utf-8"))["packages"]
    locked = {name: package for name, package in packages.items() if name}
    assert locked
    assert all("integrity" in package and "resolved" not in package for package in locked.values())
