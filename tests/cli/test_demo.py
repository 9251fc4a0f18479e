"""``twospeed demo``, with a faster clock."""

from pathlib import Path

import pytest

from twospeed.cli import demo

pytestmark = [pytest.mark.process, pytest.mark.usefixtures("any_process")]


@pytest.fixture(autouse=True)
def hurry(monkeypatch) -> None:
    monkeypatch.setattr(demo, "_PACES", {"fast-1000": (0.0, 0.0), "deep-100": (4000.0, 0.0)})


def contents(folder: Path) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_the_demo_edits_a_copy_and_shows_both_speeds(capsys) -> None:
    before, folder = contents(demo.EXAMPLES), Path.cwd()
    assert demo.main() == 0
    out, err = capsys.readouterr()
    assert err == ""
    assert "⚡ lightning · builtin/rules · examples/inventory.py · function load_parts" in out
    assert "\nwritten · " in out
    assert "SIMULATED" in out
    assert "⚡ lightning · simulated/fast-1000" in out
    assert "🧠 deep · simulated/deep-100" in out
    assert "the same 398 tokens: ⚡" in out
    assert "\nrefused · " in out
    assert "   the model reached its output limit before the end of the answer\n" in out
    assert "twospeed web" in out
    own = [line for line in out.splitlines() if " · " not in line]
    assert max(map(len, own)) <= 80
    assert "\x1b" not in out
    assert contents(demo.EXAMPLES) == before
    assert Path.cwd() == folder


def test_the_demo_server_has_no_key_and_no_config(monkeypatch, tmp_path) -> None:
    monkeypatch.setenv("CEREBRAS_API_KEY", "secret")
    monkeypatch.setenv("TWOSPEED_CONFIG", "mine.toml")
    monkeypatch.chdir(tmp_path)
    environment = demo._session("")._environment
    assert environment is not None
    assert "secret" not in environment.values()
    assert environment["TWOSPEED_CONFIG"] == str(tmp_path / "config.toml")
    assert environment["HOME"] == str(tmp_path)
    assert not {name for name in environment if name.endswith("_KEY")}


def test_a_part_that_fails_ends_the_demo_with_one_line(monkeypatch, capsys) -> None:
    monkeypatch.setattr(demo, "BUILTIN_INSTRUCTION", "write me a poem")
    assert demo.main() == 3
    err = capsys.readouterr().err
    assert err.startswith("twospeed: the demo failed: an edit ended as ")
    assert err.count("\n") == 1


def test_the_demo_reports_missing_examples(monkeypatch, capsys, tmp_path) -> None:
    monkeypatch.setattr(demo, "RECORDED", tmp_path / "missing")
    assert demo.main() == 2
    assert "run the demo in a checkout" in capsys.readouterr().err
