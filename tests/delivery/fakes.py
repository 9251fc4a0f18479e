"""A client of a channel with scripted behaviour, and followers that record what they receive."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from twospeed.delivery import ApplyEditRequest, ApplyEditResult, ClientBehavior, DocumentChannel
from twospeed.delivery.client_table import UNKNOWN
from twospeed.text.document import ContentChange, Document, Splice
from twospeed.text.edits import LineEdit, TextEdit
from twospeed.text.positions import Position, Range

TEXT = "one\ntwo\nthree\nfour\n"


@dataclass(frozen=True)
class FakeBatch:
    edits: tuple[LineEdit, ...]


@dataclass
class Tracked:
    """A follower that records its changes and commits."""

    line: int = 0
    start: int = 0
    end: int = 1_000_000
    followed: list[Splice] = field(default_factory=list)
    committed: list[FakeBatch] = field(default_factory=list)

    @property
    def parts(self) -> tuple[Tracked]:
        return (self,)

    @property
    def spans(self) -> tuple[tuple[int, int]]:
        return ((self.start, self.end),)

    def follow(self, splice: Splice) -> None:
        self.followed.append(splice)
        if splice.start <= self.line:
            self.line += len(splice.lines) - splice.count

    def commit(self, batch: FakeBatch) -> None:
        self.committed.append(batch)


def insert(line: int, text: str) -> ContentChange:
    at = Position(line, 0)
    return ContentChange(Range(at, at), text)


@dataclass
class Editor:
    """A client with scripted behaviour."""

    behavior_of_editor: Callable[[Editor, ApplyEditRequest], ApplyEditResult] | None = None
    apply_requests: list[ApplyEditRequest] = field(default_factory=list)
    channel: DocumentChannel = field(init=False)

    async def wait_until_idle(self) -> bool:
        return False

    async def apply_edit(self, apply_request: ApplyEditRequest) -> ApplyEditResult:
        self.apply_requests.append(apply_request)
        await asyncio.sleep(0)
        assert self.behavior_of_editor
        return self.behavior_of_editor(self, apply_request)

    def echo(self, apply_request: ApplyEditRequest, *more: ContentChange) -> None:
        """Report the change of an applied batch, as a client does."""
        changes = [ContentChange(edit.range, edit.new_text) for edit in reversed(apply_request.edits)]
        self.channel.receive_changes([*changes, *more], self.channel.document.version + 1)

    def types(self, *changes: ContentChange) -> None:
        self.channel.receive_changes(list(changes), self.channel.document.version + 1)


def polite(editor: Editor, apply_request: ApplyEditRequest) -> ApplyEditResult:
    if apply_request.document.version != editor.channel.document.version:
        return ApplyEditResult(applied=False, reason="stale")
    editor.echo(apply_request)
    return ApplyEditResult(applied=True)


def opened(
    behavior_of_editor: Callable[[Editor, ApplyEditRequest], ApplyEditResult],
    confirm_s: float = 5.0,
    behavior: ClientBehavior = UNKNOWN,
    on_doubt: Callable[[], None] = lambda: None,
) -> tuple[Editor, DocumentChannel]:
    editor = Editor(behavior_of_editor)
    document = Document.opened("file:///a.py", 1, "python", TEXT, "utf-16")
    editor.channel = DocumentChannel(
        document, editor, behavior=behavior, on_doubt=on_doubt, confirm_s=confirm_s
    )
    return editor, editor.channel


def request_for(document: Document, edits: Sequence[TextEdit]) -> ApplyEditRequest:
    return ApplyEditRequest("e1", 1, document, edits, is_first=True, is_last=True)


async def apply_new_line(channel: DocumentChannel, owner: Tracked, line: int = 2) -> ApplyEditRequest | None:
    """Apply a batch that inserts one line at ``line``, which the owner follows."""
    owner.line = line
    return await channel.apply(owner, lambda: FakeBatch((LineEdit(owner.line, 0, ("NEW",)),)), request_for)
