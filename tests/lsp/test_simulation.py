"""Seeded random sessions: edits, typing, decisions and closings in any order, in clients of several kinds.

Every seed is one session in one loop, without a clock; in a third of them trees are slow to come. ``TWOSPEED_SEED=n``
replays one, ``TWOSPEED_SEEDS=n`` runs the first n. Functions of the document know their own marks, so that what happened
to each can be told at the end.
"""

from __future__ import annotations

import asyncio
import itertools
import os
import random
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field
from typing import Any

import pytest
from tests.lsp.editor import STREAMING, URI, Editor, RequestFailed
from tests.lsp.slow_trees import slow_trees

from twospeed.errors import ModelUnavailable
from twospeed.models.base import Finished, ModelEvent, ModelRequest, TextDelta
from twospeed.models.scripted import cut_into_tokens
from twospeed.text.lines import split_lines

N_SEEDS = int(os.environ.get("TWOSPEED_SEEDS", "220"))
SEEDS = [int(os.environ["TWOSPEED_SEED"])] if "TWOSPEED_SEED" in os.environ else range(N_SEEDS)
N_BUNDLES = min(len(SEEDS), 10)
N_FUNCTIONS = 4
EOLS = ("\n", "\n", "\n", "\r\n", "\r")


@dataclass(frozen=True)
class Profile:
    """A kind of client."""

    name: str
    capabilities: Mapping[str, Any] = field(default_factory=dict)
    echoes_late: bool = False
    sends_full_text: bool = False
    one_message_a_change: bool = False
    debounces: bool = False
    errs: bool = False
    lies: bool = False


PROFILES = (
    Profile("stock"),
    Profile("streaming", STREAMING),
    Profile("echo after answer", STREAMING, echoes_late=True),
    Profile("stock, echo after answer", echoes_late=True),
    Profile("full text", sends_full_text=True),
    Profile("full text, streaming", STREAMING, sends_full_text=True, echoes_late=True),
    Profile("one message a change", STREAMING, one_message_a_change=True),
    Profile("one message a change, late", one_message_a_change=True, echoes_late=True),
    Profile("debounced", STREAMING, debounces=True, echoes_late=True),
    Profile("refuses at times", STREAMING, errs=True),
    Profile("says yes and does nothing at times", lies=True),
)


class SimulatedEditor(Editor):
    """The small editor with the habits of a profile, and a person's undo."""

    profile: Profile
    rng: random.Random

    def begin(self, profile: Profile, rng: random.Random) -> None:
        self.profile, self.rng = profile, rng
        self._unsent: list[dict[str, Any]] = []
        self._history: list[tuple[str, str]] = []
        self.n_answers = 0

    def _apply(self, document: Mapping[str, Any], edits: list[dict[str, Any]]) -> bool:
        if document["uri"] not in self.buffers:
            return False
        if self.rng.random() < 0.1:
            self.mark_somewhere()
        if self.profile.errs and self.rng.random() < 0.15:
            return False
        if self.profile.lies and self.rng.random() < 0.1:
            return True
        if not edits:
            return True
        before = self.buffers[document["uri"]].text
        if not super()._apply(document, edits):
            return False
        self._history.append((before, self.buffers[URI].text))
        return True

    def _did_change(self, buffer: Any, changes: list[dict[str, Any]]) -> None:
        if self.profile.sends_full_text:
            changes = [{"text": buffer.text}]
        if self.profile.echoes_late:
            self._unsent += changes
            asyncio.get_running_loop().call_soon(self._flush, buffer)
        else:
            self._deliver(buffer, changes)

    def _flush(self, buffer: Any) -> None:
        if self.profile.debounces and self._unsent and self.rng.random() < 0.7:
            asyncio.get_running_loop().call_soon(self._flush, buffer)
            return
        self.flush()

    def flush(self) -> None:
        changes, self._unsent = self._unsent, []
        if changes and URI in self.buffers:
            self._deliver(self.buffers[URI], changes)

    def _deliver(self, buffer: Any, changes: list[dict[str, Any]]) -> None:
        if not self.profile.one_message_a_change or len(changes) < 2:
            super()._did_change(buffer, changes)
            return
        buffer.version += len(changes) - 1
        for index, change in enumerate(changes):
            document = {"uri": buffer.uri, "version": buffer.version - len(changes) + 1 + index}
            self.notify("textDocument/didChange", {"textDocument": document, "contentChanges": [change]})

    # The person

    n_marks = 0

    def mark_somewhere(self) -> None:
        """Type a mark that is there once or never, as the end of some line or as a line."""
        if URI not in self.buffers:
            return
        lines = split_lines(self.buffers[URI].text)
        line = self.rng.randrange(len(lines))
        mark = f"#{self.n_marks:04}."
        self.n_marks += 1
        if self.rng.random() < 0.5:
            self.type(line, len(lines[line].rstrip("\r\n")), mark)
        else:
            self.type(line, 0, mark + ("\n" if lines[line].endswith("\n") else "\r"))
        self.marks.add(mark)

    def delete_somewhere(self) -> None:
        lines = split_lines(self.buffers[URI].text)
        first = self.rng.randrange(len(lines))
        last = min(len(lines) - 1, first + self.rng.choice([0, 0, 1, 2, 6]))
        end = len(lines[last].rstrip("\r\n"))
        self.type(
            first,
            self.rng.choice([0, len(lines[first].rstrip("\r\n"))]) if last > first else 0,
            "",
            end=(last, end),
        )
        self._retire()

    def undo(self) -> None:
        """Put back the text before our last edit, if nothing came after it."""
        buffer = self.buffers[URI]
        if self._history and self._history[-1][1] == buffer.text:
            before, _ = self._history.pop()
            lines = split_lines(buffer.text)
            self.type(0, 0, before, end=(len(lines) - 1, len(lines[-1])))
            self._retire()

    marks: set[str]

    def _retire(self) -> None:
        """Forget the marks the person deleted."""
        text = self.buffers[URI].text
        self.marks = {mark for mark in self.marks if mark in text}


class RandomModel:
    """Answers with the scope's own text, changed at random, or with what is no answer."""

    provider = name = "random"

    def __init__(self, rng: random.Random) -> None:
        self._rng = rng
        self.n_open = 0
        self.n_lines = 0

    async def stream(self, request: ModelRequest) -> AsyncGenerator[ModelEvent, None]:
        self.n_open += 1
        try:
            fate = self._rng.random()
            text = self._changed(request.task.scope_text)
            pieces = cut_into_tokens(text, seed=self._rng.randrange(99))
            for piece in pieces[: self._rng.randrange(len(pieces) + 1) if fate < 0.25 else None]:
                for _ in range(self._rng.choice([0, 0, 1, 3])):
                    await asyncio.sleep(0)
                yield TextDelta(piece)
            if fate < 0.1:
                raise ModelUnavailable("gone", provider="random", model="random")
            if fate < 0.15:
                raise ValueError("a bug")
            yield Finished("stop" if fate > 0.25 else "length")
        finally:
            self.n_open -= 1

    def _changed(self, text: str) -> str:
        if self._rng.random() < 0.1:
            return "I am sorry, I cannot do that.\n"
        lines = text.splitlines()
        for _ in range(self._rng.randrange(5)):
            at = self._rng.randrange(1, len(lines)) if len(lines) > 1 else 0
            if any("#" in line for line in lines[at : at + 2]):
                continue  # what was typed before is the person's still
            self.n_lines += 1
            new = f"    answer_{self.n_lines} = {self.n_lines}"
            match self._rng.randrange(4):
                case 0:
                    lines.insert(at, new)
                case 1 if len(lines) > 3:
                    del lines[at]
                case 2:
                    lines[at : at + 1] = [new]
                case _:
                    lines[at : at + 2] = [new, "", new]
        return "\n".join(lines) + "\n"


def program(rng: random.Random, eol: str) -> str:
    parts = ["import os", ""]
    for number in range(N_FUNCTIONS):
        parts += [f"outside_{number} = {number}", "", f"def function_{number}(a, b):"]
        for line in range(rng.randrange(1, 8)):
            parts += [f"    value_{number}_{line} = a + {line}"]
            parts += [""] if rng.random() < 0.3 else []
        parts += ["    return b", ""]
    return eol.join(parts) + (eol if rng.random() < 0.5 else "")


class Simulation:
    """One session of one seed."""

    def __init__(self, seed: int) -> None:
        self.rng = random.Random(seed)
        self.profile = PROFILES[seed % len(PROFILES)]
        self.is_large = seed % 3 == 2
        self.answers: list[asyncio.Future[Any]] = []
        self.n_edits = 0
        self.reviewable: list[str] = []

    async def run(self) -> None:
        with slow_trees(self.rng) if self.is_large else nullcontext():
            await self._run()

    async def _run(self) -> None:
        tasks_before = asyncio.all_tasks()
        editor = await SimulatedEditor.started(self.profile.capabilities)
        editor.begin(self.profile, self.rng)
        editor.marks = set()
        self.editor, self.model = editor, RandomModel(self.rng)
        editor.serve(self.model)
        self.open()
        for _ in range(self.rng.randrange(4, 40)):
            self.act()
            for _ in range(self.rng.choice([0, 0, 1, 2, 5, 20])):
                await asyncio.sleep(0)
            self.check_turns()
        if self.rng.random() < 0.8:
            await self.quiet()
            self.check()
        await editor.server.aclose()
        editor.flush()
        await asyncio.gather(*getattr(editor, "_tasks", []))
        await asyncio.sleep(0)
        assert all(answer.done() for answer in self.answers), "a request was never answered"
        for answer in self.answers:
            self.check_answer(answer)
        left = asyncio.all_tasks() - tasks_before - {asyncio.current_task()}
        assert not left, f"tasks are left: {left}"
        assert self.model.n_open == 0, "a model's stream is still open"

    def open(self) -> None:
        self.editor.marks = set()
        self.editor._history.clear()
        self.editor._unsent.clear()
        eol = self.rng.choice(EOLS)
        self.editor.open(program(self.rng, eol))
        session = self.editor.server.session
        assert session
        session.channel(URI)._confirm_s = 0.01 if self.profile.errs or self.profile.lies else 3

    def act(self) -> None:
        actions = [self.ask_edit] * 5 + [self.editor.mark_somewhere] * 6
        actions += [self.editor.delete_somewhere, self.editor.undo] + [self.cancel] * 2 + [self.decide] * 3
        actions += [self.save, self.cancel_request]
        if self.rng.random() < 0.02:
            actions = [self.reopen]
        self.rng.choice(actions)()

    def ask(self, method: str, params: object) -> int:
        request_id, answer = self.editor.ask(method, params)
        self.answers.append(answer)
        return request_id

    def ask_edit(self) -> None:
        self.editor.flush()
        line = self.rng.randrange(len(split_lines(self.editor.buffers[URI].text)))
        self.n_edits += 1
        more = {"deliver": "preview"} if self.rng.random() < 0.1 else {}
        if self.rng.random() < 0.2:
            more["workDoneToken"] = more["partialResultToken"] = f"t{self.n_edits}"
        if self.rng.random() < 0.1:
            more["scope"] = "file"
        self.ask("twospeed/edit", self.editor.edit_params(line, editId=f"c{self.n_edits}", **more))

    def some_edit(self) -> str:
        return f"c{self.rng.randint(max(1, self.n_edits - 4), self.n_edits + 1)}"

    def cancel(self) -> None:
        self.ask(
            "twospeed/cancel", {"editId": self.some_edit(), "keep": self.rng.choice(["none", "partial"])}
        )

    def cancel_request(self) -> None:
        if self.editor._waiting:
            self.editor.notify("$/cancelRequest", {"id": self.rng.choice(list(self.editor._waiting))})

    def decide(self) -> None:
        params = {"editId": self.some_edit(), "action": self.rng.choice(["accept", "reject", "reject"])}
        if self.rng.random() < 0.3:
            params["hunk"] = f"h{self.rng.randint(1, 3)}"
        for _ in range(self.rng.choice([1, 1, 2])):
            self.ask("twospeed/decide", params)

    def save(self) -> None:
        self.editor.flush()
        self.editor.notify("textDocument/didSave", {"textDocument": {"uri": URI}})

    def reopen(self) -> None:
        self.editor.flush()
        if self.rng.random() < 0.7:
            self.editor.notify("textDocument/didClose", {"textDocument": {"uri": URI}})
        self.open()

    async def quiet(self) -> None:
        async with asyncio.timeout(10):
            while any(not answer.done() for answer in self.answers):
                await asyncio.wait([answer for answer in self.answers if not answer.done()])
            session = self.editor.server.session
            assert session
            while running := {*session._tasks, *session.desk._tasks}:  # of requests that were cancelled
                await asyncio.wait(running)
        self.editor.flush()

    def check(self) -> None:
        session = self.editor.server.session
        assert session
        text, channel = self.editor.buffers[URI].text, session.channel(URI)
        assert channel.document.text == text, "client and server see different texts"
        assert channel.document.version == self.editor.buffers[URI].version
        for mark in self.editor.marks:
            assert text.count(mark) == 1, f"the typed {mark} is there {text.count(mark)} times"
        assert not any(edit.is_live for edit in session.desk.edits)
        reviewed = [edit.live for edit in session.desk.edits if edit.state.value == "review"]
        assert set(map(id, channel._followers)) <= set(map(id, reviewed)), "followers are left"
        assert not session.progress
        for edit in session.desk.edits:
            if edit.state.value == "review" and edit.live in channel._followers:
                self.check_place(edit.live, channel.document.lines)

    def check_turns(self) -> None:
        """No two edits write in the same lines."""
        session = self.editor.server.session
        assert session
        writing = [
            edit for edit in session.desk.edits if edit.state.value == "running" and not edit.is_preview
        ]
        for one, other in itertools.combinations(writing, 2):
            if not (
                one.live.has_crossed_edge or other.live.has_crossed_edge or one.live.start == one.live.end
            ):
                assert not one.overlaps(other), "two edits write in the same lines"

    @staticmethod
    def check_place(live: Any, lines: Sequence[str]) -> None:
        """What a scope believes to stand there is what stands there."""
        assert 0 <= live.start <= live.end <= len(lines)
        for row, line in zip(live._rows[:-1], lines[live.start : live.end], strict=True):
            assert row.text.rstrip("\r\n") == line.rstrip("\r\n")

    def check_answer(self, answer: asyncio.Future[Any]) -> None:
        if error := answer.exception():
            assert isinstance(error, RequestFailed)
            assert error.code in (-32800, -32801, -32803, -32602), error


@pytest.mark.parametrize("bundle", range(N_BUNDLES))
def test_any_session_keeps_every_promise(bundle: int) -> None:
    for seed in SEEDS[bundle::N_BUNDLES]:
        try:
            asyncio.run(Simulation(seed).run())
        except BaseException as error:
            error.add_note(f"TWOSPEED_SEED={seed} ({PROFILES[seed % len(PROFILES)].name})")
            raise
