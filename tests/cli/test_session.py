"""The small LSP client, against a child process that plays the contract."""

import asyncio
import json
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from twospeed.cli.client import stdio_connection
from twospeed.cli.client.server_session import EditParams, ServerSession
from twospeed.cli.client.terminal import Interrupts
from twospeed.cli.edit.command import EditJob, edit_document, edit_file
from twospeed.cli.exits import RequestRefused, ServerStopped, ServerTrouble, exit_status
from twospeed.cli.files import read_source
from twospeed.cli.render import ShownResult
from twospeed.text.positions import Position, Range

pytestmark = pytest.mark.usefixtures("any_process")

FAKE = (sys.executable, str(Path(__file__).with_name("fake_server.py")))
TEXT = "one\ntwo 😀\nthree"


class RecordingView:
    """A view that remembers what it was told."""

    def __init__(self) -> None:
        self.told: list[object] = []
        self.began = asyncio.Event()
        self.ending: ShownResult | None = None

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.told.append("left")

    def started(self, started, scope_text):
        self.told.append(("started", started.model, scope_text))
        self.began.set()

    def thought(self, text):
        self.told.append(("thought", text))

    def written(self, edits):
        self.told.append(("written", [edit.new_text for edit in edits]))

    def pause(self):
        self.told.append("paused")

    def finished(self, ending):
        self.ending = ending


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "a.py"
    path.write_text(TEXT)
    return path


def job(path: Path, instruction: str, *, first: int = 0, last: int = 1, write: bool = False) -> EditJob:
    range_ = Range(Position(first, 0), Position(last, 0))
    return EditJob(read_source(path), EditParams(range_, instruction, "selection"), write)


async def run(path: Path, instruction: str, **options):
    view = RecordingView()
    async with ServerSession(path.parent, command=FAKE) as session:
        document = session.open_document(path, TEXT)
        return await edit_document(session, document, job(path, instruction, **options), view), view


async def test_an_edit_streams_to_the_view_and_ends_in_a_new_text(path) -> None:
    ending, view = await run(path, "upper")
    assert ending.new == "ONE\nTWO 😀\nthree"
    assert view.told == [
        ("started", "m", "one\ntwo 😀\n"),
        ("thought", "hm"),
        ("written", ["ONE"]),
        ("written", ["TWO 😀"]),
    ]
    assert path.read_text() == TEXT


async def test_only_write_changes_the_file(path) -> None:
    ending, _ = await run(path, "upper", write=True)
    assert ending.written
    assert path.read_text() == "ONE\nTWO 😀\nthree"


async def test_edit_request_params_match_the_contract(path) -> None:
    ending, _ = await run(path, "prompt", last=0)
    assert json.loads(ending.new.split("\n")[0]) == {
        "editId": "cli-1",
        "textDocument": {"uri": path.as_uri(), "version": 1},
        "range": {"start": {"line": 0, "character": 0}, "end": {"line": 0, "character": 0}},
        "instruction": "prompt",
        "scope": "selection",
        "deliver": "preview",
        "partialResultToken": "cli-1",
    }


async def test_a_refusal_changes_nothing_even_with_write(path) -> None:
    ending, _ = await run(path, "refuse", write=True)
    assert (ending.result.outcome, ending.written) == ("refused", False)
    assert path.read_text() == TEXT


@pytest.mark.parametrize("write", [False, True])
async def test_a_refused_answer_is_shown_and_written_only_on_request(path, write, capsys) -> None:
    edit_job = replace(job(path, "elide", write=write), anyway=True)
    status, view = await finished(edit_job)
    new = "# ...\nthree"
    assert (view.ending.new, view.ending.written, status) == (new, write, 0 if write else 1)
    assert path.read_text() == (new if write else TEXT)
    end = "; written because of --anyway" if write else ""
    assert capsys.readouterr().err == f"twospeed: refused: the answer leaves lines out{end}\n"


async def test_without_anyway_a_refused_answer_is_only_mentioned(path, capsys) -> None:
    status, view = await finished(job(path, "elide", write=True))
    assert (view.ending.new, view.ending.written, status) == (TEXT, False, 1)
    said = "twospeed: refused: the answer leaves lines out; --anyway shows the answer\n"
    assert capsys.readouterr().err == said


async def finished(edit_job: EditJob):
    view = RecordingView()
    session = ServerSession(edit_job.path.parent, command=FAKE)
    current = asyncio.current_task()
    assert current
    return await edit_file(edit_job, view, Interrupts(current), session=session), view


async def test_an_edit_of_another_document_is_refused(path) -> None:
    with pytest.raises(ServerTrouble, match="another document"):
        await run(path, "foreign", write=True)
    assert path.read_text() == TEXT


@pytest.mark.parametrize(
    ("instruction", "complaint", "status"),
    [
        ("crash", "stopped with status 7: out of luck", 3),
        ("config", "config.toml, line 3: lanes.deep: unknown provider", 2),
        ("garbage", "violated the protocol", 3),
        ("error -32602", "cannot do that", 2),
        ("error -32803", "cannot do that", 3),
    ],
)
async def test_a_failing_server_is_one_clear_error(path, instruction, complaint, status) -> None:
    with pytest.raises((ServerTrouble, RequestRefused), match=complaint) as caught:
        await run(path, instruction)
    assert exit_status(caught.value) == status


async def test_a_server_that_cannot_start_is_an_error(path) -> None:
    with pytest.raises(ServerTrouble, match="could not be started: No such file"):
        async with ServerSession(path.parent, command=("/no/such/program",)):
            pass


async def test_a_server_that_ends_at_once_is_an_error(path) -> None:
    with pytest.raises(ServerStopped, match="stopped with status 4: so long"):
        async with ServerSession(
            path.parent,
            command=(sys.executable, "-c", "import sys; print('so long', file=sys.stderr); sys.exit(4)"),
        ):
            pass


async def test_a_silent_server_times_out_and_is_killed(path, monkeypatch) -> None:
    monkeypatch.setattr("twospeed.cli.client.server_session._START_LIMIT_S", 0.05)
    monkeypatch.setattr(stdio_connection, "_SHUTDOWN_LIMIT_S", 0.05)
    monkeypatch.setattr(stdio_connection, "_EXIT_LIMIT_S", 0.05)
    session = ServerSession(path.parent, command=(sys.executable, "-c", "import signal; signal.pause()"))
    with pytest.raises(ServerTrouble, match=r"did not respond to initialize within 0\.05 s"):
        await session.__aenter__()
    assert session.connection.status is not None


async def test_the_server_process_ends_with_the_session(path) -> None:
    async with ServerSession(path.parent, command=FAKE) as session:
        assert session.connection.status is None
    assert session.connection.status == 0


async def test_without_a_terminal_the_answer_to_a_question_is_no(path, capsys) -> None:
    ending, view = await run(path, "ask", last=0)
    assert ending.new.split("\n")[0] == "null"
    assert "paused" in view.told
    said = capsys.readouterr().err
    assert said.startswith("twospeed: Use a cloud? (answered no")
    assert said.count("\n") == 1


@pytest.mark.parametrize(
    ("method", "answer"),
    [
        ("workspace/configuration", "[null, null]"),
        ("window/workDoneProgress/create", "null"),
        ("client/registerCapability", "null"),
        ("workspace/applyEdit", "-32601"),
    ],
)
async def test_requests_of_the_server_get_a_response(path, method, answer) -> None:
    ending, _ = await run(path, f"call {method}", last=0)
    assert ending.new.split("\n")[0] == answer


async def interrupted(path: Path, instruction: str, n_signals: int):
    view = RecordingView()

    async def command() -> int:
        return await edit_file(
            job(path, instruction), view, interrupts, session=ServerSession(path.parent, command=FAKE)
        )

    task = asyncio.get_running_loop().create_task(command())
    interrupts = Interrupts(task)
    began = asyncio.ensure_future(view.began.wait())
    await asyncio.wait([began, task], return_when=asyncio.FIRST_COMPLETED)
    assert began.done()
    for _ in range(n_signals):
        interrupts.receive()
    return task, view, interrupts


async def test_the_first_interrupt_cancels_the_edit_and_its_result_ends_the_command(path) -> None:
    task, view, interrupts = await interrupted(path, "slow", 1)
    assert await task == 130
    assert view.ending.result.outcome == "cancelled"
    assert interrupts.session.connection.status == 0


async def test_the_second_interrupt_kills_the_server(path) -> None:
    task, view, interrupts = await interrupted(path, "deaf", 2)
    with pytest.raises(asyncio.CancelledError):
        await task
    assert view.told[-1] == "left"
    assert interrupts.session.connection.status == -9


async def test_a_server_that_ignores_a_cancel_is_closed(path, monkeypatch) -> None:
    monkeypatch.setattr("twospeed.cli.client.terminal._RESULT_LIMIT_S", 0.05)
    task, _, interrupts = await interrupted(path, "deaf", 1)
    with pytest.raises(asyncio.CancelledError):
        await task
    assert interrupts.session.connection.status == 0


async def test_an_error_of_the_view_reaches_the_caller(path) -> None:
    class BrokenView(RecordingView):
        def written(self, edits):
            raise ZeroDivisionError

    async with ServerSession(path.parent, command=FAKE) as session:
        document = session.open_document(path, TEXT)
        with pytest.raises(ZeroDivisionError):
            await session.edit(document, job(path, "upper").request, BrokenView())
