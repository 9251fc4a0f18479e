"""A scheduler in memory with scripted models, documents in a polite editor, and a record of all reports."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, cast

from tests.delivery.fakes import Editor, polite

from twospeed.delivery import ApplyEditRequest, ApplyEditResult, ClientBehavior, DocumentChannel
from twospeed.delivery.client_table import OURS
from twospeed.edits.inline_edit import InlineEdit
from twospeed.edits.scheduler import EditScheduler
from twospeed.edits.values import EditRequest, Report
from twospeed.edits.writing.answer_applier import Confirmation
from twospeed.errors import ModelError
from twospeed.models.base import Limits, Model
from twospeed.routing import LaneEntry, Mode, Route
from twospeed.testing.scripted_model import ScriptedModel, scripted_answer
from twospeed.text.document import ContentChange, Document
from twospeed.text.positions import Position, Range

URI = "file:///project/shop.py"
ENTRY = LaneEntry("lab", "m", limits=Limits(), is_cloud=True, origin="config")
TEXT = "a = 1\nb = 2\nc = 3\nd = 4\ne = 5\n"


def answer(text: str) -> Any:
    """Return the events of an answer in one code block."""
    return scripted_answer(f"```\n{text}```\n")


@dataclass
class Source:
    """Serves one model, and records the calls."""

    model: Model
    entry: LaneEntry = ENTRY
    log: list[tuple[Any, ...]] = field(default_factory=list)
    waits: float | None = None

    @property
    def spending(self) -> Any:
        return self

    def check(self) -> None: ...

    def note_edit(self) -> None: ...

    def note_tokens(self, n: int) -> None: ...

    def note_lines(self, n: int) -> None:
        self.log.append(("lines", n))

    def own_key_in(self, text: str) -> None: ...

    def price_of(self, entry: LaneEntry) -> None: ...

    async def choose(self, mode: Mode, *, may_ask_user: bool = True) -> tuple[Route, Model]:
        assert mode in ("lightning", "deep")
        self.log.append(("choose", mode))
        return Route(mode, self.entry, "mode"), self.model

    async def serving(self, mode: Mode) -> LaneEntry:
        assert mode in ("lightning", "deep")
        return self.entry

    async def has_model(self, mode: Mode) -> bool:
        return True

    def failed(self, route: Route, error: ModelError, **_: object) -> float | None:
        return self.waits

    def notify_substitute(self, route: Route) -> None: ...

    def served(self, route: Route) -> None: ...

    def error_replaced_by_builtin(self, route: Route) -> None: ...

    async def wait(self, route: Route, seconds: float) -> None: ...


@dataclass
class Clock:
    """A clock that a test sets, in seconds."""

    now: float = 100.0

    def __call__(self) -> float:
        return self.now


class Bench:
    """A scheduler, the documents it edits, and its reports."""

    def __init__(self, *answers: Any, confirmation: Confirmation | None = None) -> None:
        self.model = ScriptedModel(*answers) if answers else ScriptedModel()
        self.source = Source(self.model)
        self.changes: list[tuple[str, str]] = []
        self.asked: list[str] = []
        self.told: list[str] = []
        self.clock = Clock()
        self.confirmation = confirmation or Confirmation(is_given=True)
        self.scheduler = EditScheduler(
            cast("Any", self.source),
            on_change=lambda edit: self.changes.append((edit.id, edit.state.value)),
            confirm=self._confirm,
            warn=self.told.append,
            clock=self.clock,
        )

    async def _confirm(self, edit: InlineEdit) -> Confirmation:
        self.asked.append(edit.id)
        return self.confirmation

    def open(
        self,
        text: str = TEXT,
        *,
        uri: str = URI,
        behavior: ClientBehavior = OURS,
        behavior_of_editor: Callable[[Editor, ApplyEditRequest], ApplyEditResult] = polite,
    ) -> Editor:
        editor = Editor(behavior_of_editor)
        document = Document.opened(uri, 1, "python", text, "utf-16")
        editor.channel = DocumentChannel(document, editor, behavior=behavior, confirm_s=0.05)
        return editor

    def begin(self, editor: Editor, lines: tuple[int, int] = (1, 3), **more: Any) -> InlineEdit:
        """Begin an edit of whole lines."""
        return self.scheduler.begin(asked(editor.channel, lines, **more), editor.channel)

    async def edit(self, editor: Editor, lines: tuple[int, int] = (1, 3), **more: Any) -> Report:
        return await self.begin(editor, lines, **more).finished


def asked(channel: DocumentChannel, lines: tuple[int, int] = (1, 3), **more: Any) -> EditRequest:
    selection = ((lines[0], 0), (lines[1], 0))
    values = {"choice": "selection", "style": "stream", "path": "shop.py", "mode": "lightning", **more}
    return EditRequest(channel.document, selection, "do it", **values)


def replaced(editor: Editor, start: int, end: int, text: str) -> None:
    """Replace whole lines, as a user does."""
    editor.types(ContentChange(Range(Position(start, 0), Position(end, 0)), text))


def texts(apply_requests: Sequence[ApplyEditRequest]) -> list[list[str]]:
    return [[edit.new_text for edit in each.edits] for each in apply_requests]
