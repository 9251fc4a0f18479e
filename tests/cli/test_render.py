"""The output of an edit in a pipe and on a terminal."""

import io
import json
import re
from pathlib import Path

from rich.console import Console

from twospeed.cli.edit.live_diff import LiveView
from twospeed.cli.render import JsonView, PlainView, ShownResult, header, prompt_text
from twospeed.text.edits import TextEdit
from twospeed.text.positions import Position, Range
from twospeed_protocol import messages

OLD = "def total(cart):\n    return sum(cart)\n"
FIGURES = (
    "preview · +1 -0 lines · first token after 81 ms · 310 tokens at 966/s · 0.40 s"
    " · --write changes the file"
)
NEW = "def total(cart):\n    [red]x[/red] = '\x1b[2J'\n    return sum(cart)\n"


def range_of(first: int, last: int) -> messages.Range:
    return messages.Range(
        start=messages.Position(line=first, character=0), end=messages.Position(line=last, character=0)
    )


def result(outcome: str = "applied", **more) -> messages.EditResult:
    stats = messages.Stats(
        ttft_ms=81.2,
        duration_ms=402.0,
        output_tokens=310,
        tokens_per_second=966.4,
        lines_added=1,
        lines_removed=0,
    )
    scope = messages.NamedScope(kind="function", name="total", range=range_of(0, 2))
    known = {"edit_id": "e1", "mode": "deep", "provider": "lab", "model": "m\x1b[31m", "version": 1}
    return messages.EditResult(**{**known, "outcome": outcome, "scope": scope, "stats": stats, **more})


def ending(old: str = OLD, new: str = NEW, *, written: bool = False, **more) -> ShownResult:
    return ShownResult(Path("shop.py"), old, new, result(**more), written=written, writable=written)


def plain(shown: ShownResult) -> list[str]:
    output = io.StringIO()
    with PlainView(output) as view:
        view.finished(shown)
    return output.getvalue().splitlines()


def test_a_pipe_gets_header_diff_and_figures_without_escape_sequences() -> None:
    assert plain(ending()) == [
        "🧠 deep · lab/m\\x1b[31m · shop.py · function total, lines 1-2",
        "--- shop.py",
        "+++ shop.py",
        "@@ -1,2 +1,3 @@",
        " def total(cart):",
        "+    [red]x[/red] = '\\x1b[2J'",
        "     return sum(cart)",
        FIGURES,
    ]


def test_a_written_file_is_reported_as_written() -> None:
    assert plain(ending(written=True))[-1].startswith("written · +1 -0 lines")


def test_a_refusal_shows_no_diff() -> None:
    lines = plain(ending(new=OLD, outcome="refused"))
    assert len(lines) == 2
    assert lines[1].startswith("refused · ")


def test_findings_and_conflicts_are_printed() -> None:
    finding = messages.Finding(
        code="duplicate-function", severity=2, message="total is there twice", range=range_of(4, 5)
    )
    conflict = messages.Conflict(range=range_of(7, 8), proposed="x")
    lines = plain(ending(findings=[finding], conflicts=[conflict]))
    assert "warning: line 5: total is there twice (duplicate-function)" in lines
    assert "conflict: line 8 was changed during the edit and keeps the new text" in lines


def test_changed_line_ends_are_shown() -> None:
    lines = plain(ending("a\r\nb\r\nc", "a\r\nb\nc\r\n"))
    assert lines[4:9] == [" a", "-b", "-c", "\\ No newline at end of file", "+b\\n"]
    assert lines[9] == "+c"


def test_an_edit_that_never_reached_a_model_has_a_short_header() -> None:
    assert (
        header(result("failed", provider=None, model=None, scope=None), Path("a\x1b.py"))
        == "🧠 deep · a\\x1b.py"
    )


def test_json_is_the_result_with_the_file_and_whether_it_was_written() -> None:
    output = io.StringIO()
    with JsonView(output) as view:
        view.finished(ending(written=True))
    document = json.loads(output.getvalue())
    assert (document["file"], document["written"]) == ("shop.py", True)
    assert (document["outcome"], document["stats"]["ttftMs"], document["editId"]) == ("applied", 81.2, "e1")


def test_a_prompt_is_printed_with_roles_and_escapes() -> None:
    prompt = messages.PromptResult(
        provider="lab",
        model="m",
        messages=[
            messages.PromptMessage(role="system", content="be\nbrief\x1b"),
            messages.PromptMessage(role="user", content="go"),
        ],
    )
    assert prompt_text(prompt).split("\n") == [
        "to lab/m; nothing was sent", "--- system", "be", "brief\\x1b", "--- user", "go",
    ]  # fmt: skip


def terminal(width: int = 100, height: int = 30) -> Console:
    return Console(
        file=io.StringIO(),
        force_terminal=True,
        width=width,
        height=height,
        color_system="truecolor",
        highlight=False,
    )


def live_view(scope_text: str, console: Console) -> LiveView:
    view = LiveView(Path("shop.py"), console=console, clock=lambda: 1.0)
    started = messages.StartedPart(edit_id="e1", mode="deep", provider="lab", model="m", scope=result().scope)
    view.started(started, scope_text)
    return view


def shown(view: LiveView, console: Console) -> list[str]:
    with console.capture() as capture:
        console.print(view.frame())
    return [Console().render_str(line).plain for line in _without_colour(capture.get()).splitlines()]


def _without_colour(text: str) -> str:
    return re.sub("\x1b\\[[0-9;]*m", "", text)


async def test_the_window_follows_the_place_being_written_and_keeps_its_height() -> None:
    console = terminal()
    lines = [f"line {n}\n" for n in range(600)]
    with live_view("".join(lines), console) as view:
        heights = set()
        for at in range(100, 600, 50):
            place = Range(Position(at, 0), Position(at + 1, 0))
            view.written([TextEdit(place, f"changed {at}\n")])
            frame = shown(view, console)
            assert f"+changed {at}" in frame
            assert f"-line {at}" in frame
            heights.add(len(frame))
    assert heights == {26}


async def test_a_small_terminal_gets_a_small_window() -> None:
    console = terminal(width=20, height=10)
    with live_view("x" * 200 + "\n" + "y\n" * 50, console) as view:
        frame = shown(view, console)
    assert len(frame) == 8
    assert max(map(len, frame)) <= 20


async def test_the_end_is_the_whole_diff_in_colour_with_nothing_interpreted() -> None:
    console = terminal()
    with live_view(OLD, console) as view:
        view.finished(ending())
    assert isinstance(console.file, io.StringIO)
    text = console.file.getvalue()
    assert "\x1b[32m+    [red]x[/red] = '\\x1b[2J'\x1b[0m" in text
    assert "\x1b[2J" not in text


async def test_nothing_is_painted_after_the_view_was_left() -> None:
    view = live_view(OLD, terminal())
    with view:
        frames = view._frames
    assert frames is not None
    assert frames.cancelling()
    assert not view._live.is_started
