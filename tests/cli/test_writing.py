"""What an edit has for its files is written, or kept."""

from __future__ import annotations

import shlex
import stat
from pathlib import Path

import pytest

from twospeed.cli.edit import writing
from twospeed.cli.edit.writing import write_texts
from twospeed.cli.exits import BadInput
from twospeed.cli.files import SourceFile, read_source, write_source
from twospeed.cli.main import main
from twospeed.config.paths import state_folder


def file(path: Path, text: str = "one\ntwo\n") -> SourceFile:
    path.write_text(text)
    return read_source(path)


def refused(sources: list[SourceFile], texts: list[str]) -> str:
    with pytest.raises(BadInput) as caught:
        write_texts(sources, texts, "capitals")
    return str(caught.value)


def command_in(message: str) -> list[str]:
    words = shlex.split(message[message.index("twospeed edit") :])
    return words[1 : words.index("--write") + 1]


def test_the_answer_for_a_file_that_changed_is_kept_and_can_be_applied(tmp_path, capsys) -> None:
    path = tmp_path / "a b.py"
    source = file(path)
    path.write_text("other\n")
    message = refused([source], ["ONE\ntwo\n"])
    assert "another program changed the file; nothing was written; the answer is saved" in message
    assert path.read_text() == "other\n"
    (kept,) = (state_folder() / "answers").iterdir()
    assert stat.S_IMODE(kept.stat().st_mode) == 0o600
    assert main(command_in(message)) == 2
    assert "has changed since the edit was saved" in capsys.readouterr().err
    path.write_text(source.text)
    assert main(command_in(message)) == 0
    assert path.read_text() == "ONE\ntwo\n"


def test_the_answer_for_a_file_that_was_removed_is_kept(tmp_path) -> None:
    path = tmp_path / "a.py"
    source = file(path)
    path.unlink()
    message = refused([source], ["ONE\ntwo\n"])
    path.write_text(source.text)
    assert main(command_in(message)) == 0
    assert path.read_text() == "ONE\ntwo\n"


def test_if_the_second_file_cannot_be_written_the_first_can_be_taken_back(tmp_path, monkeypatch) -> None:
    sources = [file(tmp_path / "a.py"), file(tmp_path / "b.py")]
    real = write_source

    def fail_for_b(source: SourceFile, text: str) -> None:
        if source.path.name == "b.py":
            raise BadInput("b.py: cannot be written: no space left")
        real(source, text)

    monkeypatch.setattr(writing, "write_source", fail_for_b)
    message = refused(sources, ["A\n", "B\n"])
    monkeypatch.setattr(writing, "write_source", real)
    assert [source.path.read_text() for source in sources] == ["A\n", "one\ntwo\n"]
    assert main(["undo"]) == 0
    assert main(command_in(message)) == 0
    assert [source.path.read_text() for source in sources] == ["one\ntwo\n", "B\n"]


def test_only_the_last_answers_are_kept(tmp_path, monkeypatch) -> None:
    monkeypatch.setattr(writing, "_MAX_KEPT_ANSWERS", 2)
    source = file(path := tmp_path / "a.py")
    path.write_text("other\n")
    messages = [refused([source], [f"{number}\n"]) for number in range(4)]
    assert len(list((state_folder() / "answers").iterdir())) == 2
    assert Path(command_in(messages[-1])[2]).exists()


def test_if_the_answer_cannot_be_kept_the_message_says_so(tmp_path) -> None:
    source = file(path := tmp_path / "a.py")
    path.write_text("other\n")
    (state_folder() / "answers").parent.mkdir(parents=True)
    (state_folder() / "answers").write_text("")
    assert refused([source], ["x\n"]).endswith("the answer cannot be saved: file exists")


def test_a_read_only_file_is_not_written_even_after_a_question(tmp_path) -> None:
    source = file(path := tmp_path / "a.py")
    path.chmod(0o444)
    assert "read-only, so it cannot be changed; the answer is saved" in refused([source], ["x\n"])
    assert path.read_text() == source.text
