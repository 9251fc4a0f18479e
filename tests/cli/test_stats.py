"""``twospeed stats``: a table, JSON and a page, also for an empty or broken file."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from datetime import datetime
from html.parser import HTMLParser
from pathlib import Path

import pytest
from tests.history.some_rows import ROW

from twospeed.cli.exits import BAD_INPUT, FAILED, OK
from twospeed.cli.main import main
from twospeed.config.paths import history_path
from twospeed.history.file import HistoryFile
from twospeed.history.rows import EditRow

DAY_S = 24 * 60 * 60
HOSTILE = '</title><script src="https://evil.example/x.js">\x1b]0;x\x07'


@pytest.fixture(autouse=True)
def no_colours(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "100")


def keep(*rows: EditRow) -> None:
    file = HistoryFile(history_path())
    file.write(replace(row, id=str(number)) for number, row in enumerate(rows))
    file.close()


def a_week() -> list[EditRow]:
    return [
        replace(ROW, at=ROW.at - DAY_S),
        replace(ROW, ttft_ms=100.0, verdict="rejected", lines_surviving=0),
        replace(ROW, outcome="failed", verdict=None, ttft_ms=None, tokens_per_second=None, cost=None),
        replace(ROW, mode="deep", ttft_ms=2500.0, cost=0.25),
    ]


def line_of(output: str, label: str) -> list[str]:
    line = next(line for line in output.splitlines() if label in line)
    return [cell.strip() for cell in re.split("[│┃|]", line) if cell.strip()][1:]


def test_stats_without_edits_print_a_message(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["stats"]) == OK
    assert capsys.readouterr().out == f"no edits yet; statistics will be kept in {history_path()}\n"
    assert not history_path().exists()


def test_an_empty_file_has_no_edits_either(capsys: pytest.CaptureFixture[str]) -> None:
    keep()
    assert main(["stats"]) == OK
    assert "no edits yet" in capsys.readouterr().out


def test_figures_are_grouped_by_mode(capsys: pytest.CaptureFixture[str]) -> None:
    keep(*a_week())
    assert main(["stats"]) == OK
    shown = capsys.readouterr().out
    assert "\x1b" not in shown
    assert line_of(shown, "│ edits") == ["3", "1"]
    assert line_of(shown, "time to first token") == ["90 ms", "2,500 ms"]
    assert line_of(shown, "tokens in") == ["2,736", "912"]
    assert line_of(shown, "cost") == ["0.004 (2 of 3)", "0.25"]
    assert line_of(shown, "accepted") == ["50% of 2", "100% of 1"]
    assert line_of(shown, "written lines that survive") == ["75%", "75%"]
    assert line_of(shown, "outcomes") == ["2 applied", "1 applied"]


def test_each_model_has_a_row(capsys: pytest.CaptureFixture[str]) -> None:
    keep(*a_week(), replace(ROW, model="slow", ttft_ms=5000.0, verdict=None))
    assert main(["stats"]) == OK
    shown = capsys.readouterr().out
    assert line_of(shown, "lab/m ")[:3] == ["4", "67% of 3", "100 ms"]
    assert line_of(shown, "lab/slow")[:3] == ["1", "-", "5,000 ms"]


def test_previews_and_config_errors_are_not_edits(capsys: pytest.CaptureFixture[str]) -> None:
    refused = replace(ROW, outcome="failed", reason="settings", verdict=None)
    keep(ROW, replace(ROW, outcome="previewed", verdict=None), refused)
    assert main(["stats"]) == OK
    shown = capsys.readouterr().out
    assert line_of(shown, "│ edits") == ["1", "0"]
    assert line_of(shown, "│ previews") == ["1", "0"]
    assert line_of(shown, "│ outcomes") == ["1 applied", "-"]


def test_json_is_one_document(capsys: pytest.CaptureFixture[str]) -> None:
    keep(*a_week())
    assert main(["stats", "--json"]) == OK
    lightning, deep = json.loads(capsys.readouterr().out)["modes"]
    assert (lightning["mode"], lightning["edits"], lightning["ttftMs"]) == ("lightning", 3, 90.0)
    assert lightning["outcomes"] == {"applied": 2, "failed": 1}
    assert (deep["mode"], deep["cost"], deep["survival"]) == ("deep", 0.25, 0.75)


def test_json_of_nothing_is_a_document_too(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["stats", "--json"]) == OK
    assert [mode["edits"] for mode in json.loads(capsys.readouterr().out)["modes"]] == [0, 0]


def test_a_broken_file_is_reported_as_one(capsys: pytest.CaptureFixture[str]) -> None:
    history_path().parent.mkdir(parents=True)
    history_path().write_bytes(b"no database" * 100)
    assert main(["stats"]) == FAILED
    assert re.fullmatch(
        r"twospeed: .*history\.db is broken \(.*\); move it away.*\n", capsys.readouterr().err
    )


def test_a_page_that_cannot_be_written_is_bad_input(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    keep(*a_week())
    assert main(["stats", "--html", str(tmp_path / "nowhere" / "a.html")]) == BAD_INPUT
    assert "cannot be written" in capsys.readouterr().err


class Page(HTMLParser):
    """What a browser would see: elements with their attributes, and words."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.words: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        self.words.append(data)

    def count(self, tag: str) -> int:
        return sum(name == tag for name, _ in self.elements)


def page(tmp_path: Path) -> Page:
    path = tmp_path / "stats.html"
    assert main(["stats", "--html", str(path)]) == OK
    return Page(path.read_text("utf-8"))


def test_the_page_plots_known_values(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    keep(*a_week())
    shown = page(tmp_path)
    assert shown.count("svg") == 5
    n_of_time, n_of_speed, n_of_survival = 3, 3, 4
    assert shown.count("circle") == n_of_time + n_of_speed + n_of_survival
    assert "90 ms" in shown.words
    assert shown.words.count("lab/m") == 1 + 3  # in the table of models, and in each legend of dots
    assert "10,000" in shown.words  # the end of the axis of milliseconds
    assert f"plots: {tmp_path / 'stats.html'}" in capsys.readouterr().out


def test_the_page_begins_with_the_figures_of_all_edits(tmp_path: Path) -> None:
    keep(*a_week(), replace(ROW, mode="completion", outcome="shown", verdict=None))
    words = page(tmp_path).words
    headlines = words[words.index("edits") : words.index("By mode")]
    assert headlines[:4] == ["edits", "4", "accepted", "67% of 3"]


def test_a_first_day_is_one_narrow_bar_among_empty_days(tmp_path: Path) -> None:
    keep(ROW)
    shown = page(tmp_path)
    [bar, *_] = [attributes for tag, attributes in shown.elements if tag == "rect"]
    assert float(bar["width"] or "nan") < 640 / 14
    dates = [word for word in shown.words if re.fullmatch(r"\d{4}-\d\d-\d\d", word)]
    n_plots = shown.count("svg")
    today = datetime.now().astimezone().date().isoformat()
    assert dates.count(today) == n_plots
    assert len(set(dates)) == len(dates) / n_plots > 1


def test_days_without_edits_keep_their_place_on_the_axis(tmp_path: Path) -> None:
    keep(replace(ROW, at=ROW.at - 9 * DAY_S), ROW)
    bars = [attributes for tag, attributes in page(tmp_path).elements if tag == "rect"]
    width = (640 - 52) / 14
    first, second = (float(bar["x"] or "nan") for bar in bars[:2])
    assert second - first == pytest.approx(9 * width, abs=0.2)


def test_the_page_lists_at_most_six_models_with_a_colour(tmp_path: Path) -> None:
    keep(*(replace(ROW, model=f"m{number}") for number in range(8)))
    shown = page(tmp_path)
    fills = {attributes["fill"] for tag, attributes in shown.elements if tag == "circle"}
    assert len(fills) == 7
    assert shown.words.count("others") == 3


def test_cached_tokens_are_indented_below_their_sum(tmp_path: Path) -> None:
    keep(ROW)
    parts = [attributes for tag, attributes in page(tmp_path).elements if attributes.get("class") == "part"]
    assert len(parts) == 2


def test_the_page_without_edits_has_a_message(tmp_path: Path) -> None:
    shown = page(tmp_path)
    assert shown.count("svg") == 0
    assert "There are no edits yet." in shown.words


def test_a_plot_without_values_is_omitted(tmp_path: Path) -> None:
    keep(replace(ROW, ttft_ms=None, tokens_per_second=None, cost=None, lines_written=None))
    assert page(tmp_path).count("svg") == 1


@pytest.mark.parametrize("value", [0.0, 0.005, 1.0, 1e9])
def test_plots_scale_values_of_any_size(value: float, tmp_path: Path) -> None:
    keep(replace(ROW, ttft_ms=value, tokens_per_second=value))
    for tag, attributes in page(tmp_path).elements:
        if tag == "circle":
            assert 0 <= float(attributes["cy"] or "nan") <= 200
            assert 0 <= float(attributes["cx"] or "nan") <= 640


def test_the_page_holds_all_it_needs_and_runs_nothing(tmp_path: Path) -> None:
    keep(replace(ROW, provider=HOSTILE, model=HOSTILE, mode=HOSTILE, outcome=HOSTILE))
    shown = page(tmp_path)
    names = {tag for tag, _ in shown.elements}
    assert not names & {"script", "link", "img", "iframe", "object", "base", "form", "a", "image", "use"}
    for tag, attributes in shown.elements:
        assert not [name for name in attributes if name.startswith("on") or name in ("src", "href")], tag
    policy = next(a["content"] for t, a in shown.elements if t == "meta" and "http-equiv" in a)
    assert policy == "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"
    assert any(HOSTILE in word for word in shown.words)


def test_names_from_the_history_are_escaped(capsys: pytest.CaptureFixture[str]) -> None:
    keep(replace(ROW, mode=HOSTILE, outcome=HOSTILE))
    assert main(["stats"]) == OK
    assert "\x1b" not in capsys.readouterr().out


def test_stats_show_how_often_places_of_deep_answers_were_taken(capsys: pytest.CaptureFixture[str]) -> None:
    keep(
        replace(ROW, deep_provider="lab", deep_model="slow", deep_state="taken", deep_offered=3, deep_taken=2)
    )
    assert main(["stats"]) == OK
    assert (
        "⚡🧠 lab/m, lab/slow: 2 of 3 places taken, in 1 offers of 1 deep answers" in capsys.readouterr().out
    )
    assert main(["stats", "--json"]) == OK
    (pair,) = json.loads(capsys.readouterr().out)["pairs"]
    assert (pair["deep"], pair["places"], pair["taken"]) == ("lab/slow", 3, 2)
