"""One run: a server, an editor, a person and a model, all determined by one seed."""

from __future__ import annotations

import asyncio
import random
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from unittest.mock import patch

import orjson

from twospeed.edits.after.tracked_findings import TrackedFindings
from twospeed.edits.after.tracked_lines import Survival
from twospeed.history.recorder import Recorder
from twospeed.history.rows import EditRow
from twospeed.lsp.protocol import ConnectionOptions, TwospeedProtocol
from twospeed.lsp.session.edit_history import EditHistory
from twospeed.models.base import ProviderSettings
from twospeed.routing import FoundProvider
from twospeed.syntax.trees import trees

from . import clock
from .answers import ScriptedAnswers
from .deep_answers import noting_deep_answers
from .editor import Editor
from .ledger import ends_of
from .person import Person
from .profiles import PROFILES, LineEnds, Profile
from .slow_parsing import slow_parsing, without_real_time
from .watch import Watch
from .wire import Wire

SETTLE_S = 400.0
"""Seconds until a run must be quiet: a question to a person takes 120 s, an answer 10 s, an edit 5 s."""

DECISION_S = 30.0
"""Seconds for a decision without a response, such as an edit that the editor refuses without a report."""

P_RUN_BY_TOOLS = 0.06
"""Probability of a document that tools run, for which the user must consent."""

EACH_IMPORTING = 5
"""In one of so many sessions, documents have imports and answers bring some."""

P_BOTH = 5 / 12
"""Probability that a session without imports uses the mode both: a third of all sessions."""

P_NEW = 0.1
"""Probability of a new, empty document, for which the editor chooses the line ends."""

EOLS = ("\n", "\n", "\n", "\r\n", "\r")


@dataclass(frozen=True)
class Run:
    """The result of a run.

    Attributes:
        seed: Its seed.
        profile: The name of the profile of the editor.
        counts: The number of each kind of event.
        passed: All messages and the events in the editor.
        error: The first broken promise, or another error.
    """

    seed: int
    profile: str
    counts: Counter[str]
    passed: Sequence[object]
    error: BaseException | None

    @property
    def trace(self) -> str:
        """All messages and events, one in each line."""
        return "\n".join(map(str, self.passed))


def run(seed: int, profile: Profile | None = None) -> Run:
    """Run one seed; the same seed always gives the same trace."""
    session = Session(seed, profile or PROFILES[seed % len(PROFILES)])
    error: BaseException | None = None
    try:
        clock.run(session.run())
    except Exception as caught:  # noqa: BLE001 - any error is reported with its seed
        error = caught
    if session.violations:
        error = session.violations[0]
    return Run(seed, session.profile.name, session.watch.counts, session.passed, error)


class _Rows(Recorder):
    """Writes no file: the thread of a recorder would take real time."""

    def record(self, row: EditRow) -> None:
        assert row.lines_surviving is None or 0 <= row.lines_surviving <= (row.lines_written or 0)
        assert row.id

    def close(self, limit_s: float) -> bool:
        return True


class Session:
    """The session of one editor with one server.

    Args:
        seed: Determines every choice.
        profile: The profile of the editor.
    """

    def __init__(self, seed: int, profile: Profile) -> None:
        self.profile = profile
        self.watch = Watch(profile)
        self.violations: list[AssertionError] = []
        self._rng = random.Random(seed)
        # Its own generator: the other sessions stay as they were.
        self._imports = random.Random(f"imports {seed}")
        self.has_imports = self._imports.randrange(EACH_IMPORTING) == 0
        # Import blocks have one answer in the oracle, so these sessions have no imports.
        self.uses_both = not self.has_imports and random.Random(f"both {seed}").random() < P_BOTH
        self._wire: Wire | None = None

    @property
    def passed(self) -> Sequence[object]:
        """All messages so far."""
        return self._wire.passed if self._wire else ()

    async def run(self) -> None:
        """Edit, wait until all is quiet, check the promises, and close the session."""
        with ExitStack() as patches:
            patches.enter_context(patch.object(trees, "_kept", trees._KeptTrees()))  # runs share nothing
            patches.enter_context(without_real_time())
            patches.enter_context(noting_deep_answers())
            if self._rng.random() < 0.25:
                patches.enter_context(slow_parsing(self._rng))
            await self._run()

    async def _run(self) -> None:
        rng, watch = self._rng, self.watch
        tasks = asyncio.all_tasks()
        self.editor = editor = Editor(self.profile, rng, watch, self._judged)
        self.model = ScriptedAnswers(
            rng,
            on_asked=self._judged(watch.note_model_asked),
            on_closed=self._judged(watch.note_stream_closed),
            brings_imports=self.has_imports,
        )
        server = TwospeedProtocol(ConnectionOptions({}, self._receive, encode=lambda body: body))
        self._wire = editor.wire = Wire(
            rng, to_server=server.receive_body, to_editor=self._judged(editor.receive)
        )
        initialized = await editor.request("initialize", self._hello())
        editor.notify("initialized", {})
        self._look_into(server)
        features = initialized["capabilities"]["experimental"]["twospeed"]["features"]
        for number in range(rng.choice((1, 1, 1, 2))):
            name = "conftest" if rng.random() < P_RUN_BY_TOOLS else f"shop_{number}"
            text = program(rng, self._head() if self.has_imports else HEADS[0])
            if self.profile.line_ends is LineEnds.OF_THE_MODEL and rng.random() < P_NEW:
                editor.open(f"file:///project/{name}.py", "", rng.choice(EOLS))
            else:
                editor.open(f"file:///project/{name}.py", text)
        person = Person(
            editor,
            rng,
            watch,
            can_steer="steer" in features,
            sees_imports=self.has_imports,
            uses_both=self.uses_both,
        )
        await person.work(rng.randrange(2, 10))
        if rng.random() < 0.9:
            await self._settle(person)
            self._judged(self._check)(server)
        else:
            watch.note_over()
            if rng.random() < 0.5:
                editor.request("shutdown", {})
                await asyncio.sleep(rng.choice((0.0, 0.1, 1.0)))
        self._wire.is_cut = True
        await server.aclose()
        await asyncio.sleep(1.0)
        self._judged(self._check_nothing_left)(asyncio.all_tasks() - tasks - {asyncio.current_task()})

    def _head(self) -> tuple[str, ...]:
        return self._imports.choice(HEADS)

    def _hello(self) -> dict[str, Any]:
        options: dict[str, Any] = {}
        if self.profile.may_stream and self._rng.random() < 0.4:
            options["delivery"] = {"style": "stream"}
        name = self.profile.client
        return {
            "processId": None,
            "rootUri": None,
            "capabilities": self.profile.capabilities,
            "initializationOptions": options or None,
            **({"clientInfo": {"name": name}} if name else {}),
        }

    # Access to the server

    def _look_into(self, server: TwospeedProtocol) -> None:
        """Replace the models of the server, and record what no message contains: sent batches and phases of edits."""
        session = server.session
        assert session
        endpoint = ProviderSettings("lab", "chat", "http://127.0.0.1:9/v1")
        found = FoundProvider("lab", "local", {"lightning": "fast", "deep": "slow"}, is_cloud=False)

        async def find() -> list[tuple[FoundProvider, ProviderSettings]]:
            return [(found, endpoint)]

        session.history = EditHistory(_Rows(Path("nowhere")), now=asyncio.get_running_loop().time)
        session.scheduler._clock = asyncio.get_running_loop().time

        async def load() -> None:
            """Load nothing: it takes a thread, and no request uses HTTP here."""

        session.source.find, session.source.load = find, load
        session.source.open = lambda provider, name, limits: self.model
        begin, changed, apply_edit = (
            session.scheduler.begin,
            session.scheduler._on_change,
            session.client.apply_edit,
        )

        def begun(request: Any, channel: Any, **more: Any) -> Any:
            edit = begin(request, channel, **more)
            self._judged(self.watch.note_begun)(edit, self.editor.ledgers[edit.uri])
            return edit

        def stepped(edit: Any) -> None:
            if edit.id in self.watch.edits:  # otherwise it is the kept part of a cancelled edit
                self._judged(self.watch.note_step)(edit)
            changed(edit)

        async def shipped(apply_request: Any) -> Any:
            self.editor.owners[apply_request.document.uri] = apply_request.edit_id
            return await apply_edit(apply_request)

        patches: dict[Any, dict[str, Any]] = {
            session.scheduler: {"begin": begun, "_on_change": stepped},
            session.client: {"apply_edit": shipped},
        }
        for owner, attributes in patches.items():
            for name, value in attributes.items():
                setattr(owner, name, value)

    def _receive(self, body: bytes) -> None:
        message = orjson.loads(body)
        if message.get("method") in ("workspace/applyEdit", "twospeed/applyEdit"):
            self._judged(self.editor.note_shipped)(message)
        assert self._wire
        self._wire.receive(message)

    def _judged(self, work: Callable[..., Any]) -> Callable[..., Any]:
        """Record an AssertionError that the server would otherwise handle as its own error."""

        def call(*args: Any, **more: Any) -> Any:
            try:
                return work(*args, **more)
            except AssertionError as error:
                if self._wire:
                    self._wire.note(f"*** {error}")
                self.violations.append(error)
                return None

        return call

    # The end

    async def _settle(self, person: Person) -> None:
        """Wait until nothing happens any more, at most `SETTLE_S`."""
        loop, wire = asyncio.get_running_loop(), self._wire
        deadline = loop.time() + SETTLE_S
        assert wire
        while loop.time() < deadline:
            await person.tidy_up()
            for ledger in self.editor.documents.values():
                self.editor.tell(ledger)
            await asyncio.sleep(self._rng.choice((1.0, 3.0)))
            is_quiet = all(answer.done() for answer in self.editor.answers) and wire.quiet_at < loop.time()
            if is_quiet and all(each.outcome for each in self.watch.edits.values()):
                await asyncio.sleep(DECISION_S)
                is_over = all(  # a late yes may begin another
                    each.outcome and not each.edit.asks_a_model for each in self.watch.edits.values()
                )
                if is_over and wire.quiet_at < loop.time() - 1:
                    return

    def _check(self, server: TwospeedProtocol) -> None:
        session = server.session
        assert session
        unanswered = [answer for answer in self.editor.answers if not answer.done()]
        assert not unanswered, f"{len(unanswered)} requests were never answered"
        for uri, ledger in self.editor.documents.items():
            channel = session.channel(uri)
            assert channel.document.text == ledger.text, "editor and server see different texts"
            assert channel.document.version == ledger.version
            is_one_kind = len(ends_of(ledger.text)) <= 1
            assert is_one_kind or self.profile.line_ends is LineEnds.OF_THE_FILE, "line ends are mixed"
            reviewed = [edit.place.scopes for edit in session.scheduler.edits if edit.state.value == "review"]
            counts = [each for each in channel._followers if isinstance(each, Survival)]
            found = [each for each in channel._followers if isinstance(each, TrackedFindings)]
            looked_for = [each.place.scopes for each in session.scheduler.edits if each.place.withdrawn_offer]
            known = (*reviewed, *counts, *found, *looked_for)
            left = [each for each in channel._followers if each not in known]
            assert all(each.edit.place.scopes in reviewed for each in found), (
                f"findings of an edit that is over: {uri}"
            )
            for mark in (mark for each in found for mark in each.marks):
                assert 0 <= mark.start < mark.end <= len(channel.document.lines), (
                    "a finding outside of the document"
                )
            assert not left, f"somebody still follows {uri}: {left}"
            assert channel._pending is None
            for each in counts:
                assert 0 <= each._place.start <= each._place.end <= len(channel.document.lines), (
                    "lines are counted that the document has not"
                )
                assert 0 <= each.count() <= each.n_written
            followed = [scopes for scopes in reviewed if scopes in channel._followers]
            for scope in (part for scopes in followed for part in scopes.scopes):
                rows = [row.text.rstrip("\r\n") for row in scope._rows[:-1]]
                lines = [line.rstrip("\r\n") for line in channel.document.lines[scope.start : scope.end]]
                assert rows == lines, "an edit in review believes that other lines stand there"
        self.watch.check_end()
        assert not self.editor.open_progress, f"progress that never ends: {self.editor.open_progress}"
        assert not session.notifications.progress.edits

    def _check_nothing_left(self, tasks: set[asyncio.Task[Any]]) -> None:
        assert not tasks, f"tasks are left: {tasks}"
        assert self.model.n_open == 0, "a model's answer is still open"


HEADS: tuple[tuple[str, ...], ...] = (
    ("import os", ""),
    ("import os", "import sys", "from decimal import Decimal", ""),
    ("import os", "from decimal import Context", "", "from shop import price", ""),
    ('"""A shop."""', "", "from __future__ import annotations", "", "import os", ""),
    ("#!/usr/bin/env python", "# A licence.", "", "import sys", "import os  # for paths", ""),
    ("# A licence.", ""),
    ("import sys", "", "limit = 3", "", "import os", ""),
    ("try:", "    import json", "except ImportError:", "    pass", ""),
    ("from decimal import (", "    Context,", "    Decimal,", ")", "import os"),
    ("import os",),
    (),
)
"""What is above the first function. Without a blank line at its end, the function follows directly."""


def program(rng: random.Random, head: Sequence[str] = HEADS[0]) -> str:
    """Write a file of some functions; no two lines that matter are equal."""
    eol, lines = rng.choice(EOLS), [*head]
    for number in range(rng.choice((2, 2, 3))):
        if number or (head and not head[-1]):
            lines += [f"outside_{number} = {number}", ""]
        lines.append(f"def function_{number}(a, b):")
        for line in range(rng.randrange(1, 8)):
            lines += [f"    value_{number}_{line} = a + {line}", *[""] * (rng.random() < 0.2)]
        lines += [f"    return b + {number}", ""]
    return eol.join(lines) + (eol if rng.random() < 0.5 else "")
