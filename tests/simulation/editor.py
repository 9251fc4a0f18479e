"""An editor that behaves as its profile: it stores the text, applies edits as that editor does, and reports changes.

It exchanges JSON-RPC messages with a real server over a connection with latency. Its profile defines its faults.
"""

from __future__ import annotations

import asyncio
import random
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from .ledger import LINE_END, Change, Ledger, Span, Text, changes_of
from .profiles import Check, LineEnds, Profile, Says
from .watch import Watch
from .watched import TypingInScope, Watched
from .wire import Wire

INFO = 3
"""LSP ``MessageType``; lower values are warnings and errors."""

_ABOUT_REFUSED = ("Show the answer", "Apply anyway")
"""Choices that the server offers with a refusal, besides a retry."""


class Refused(Exception):
    """The server responded with an error."""


@dataclass
class _Untold:
    """Unreported changes of a document, each with the version and the text after it."""

    changes: list[tuple[Change, int, Text]] = field(default_factory=list)
    timer: asyncio.TimerHandle | None = None


class Editor:
    """The client of one connection.

    Args:
        profile: Its habits.
        rng: Decides what a habit leaves open.
        watch: Told of everything.
        judged: Notes what a function asserts in vain.
    """

    def __init__(
        self,
        profile: Profile,
        rng: random.Random,
        watch: Watch,
        judged: Callable[[Callable[..., Any]], Callable[..., Any]],
    ) -> None:
        self.profile = profile
        self.judged = judged
        self.documents: dict[str, Ledger] = {}
        self.ledgers: dict[str, Ledger] = {}  # closed ones too
        self.answers: list[asyncio.Future[Any]] = []
        self.owners: dict[str, str] = {}
        self.wire: Wire
        self._rng, self._watch = rng, watch
        self._loop = asyncio.get_running_loop()
        self._untold: dict[str, _Untold] = {}
        self._waiting: dict[int, asyncio.Future[Any]] = {}
        self._n_requests = 0
        self._command_at = -100.0
        self._outstanding: dict[str, object] = {}
        self._states: dict[str, tuple[str, str | None]] = {}
        self._steps: defaultdict[str, list[tuple[str, str | None, str | None]]] = defaultdict(list)
        self._progress: dict[object, str] = {}
        self.hidden: set[str] = set()

    # Messages out

    def request(self, method: str, params: Mapping[str, Any]) -> asyncio.Future[Any]:
        """Send a request; an error response raises `Refused`."""
        self._n_requests += 1
        future = self._waiting[self._n_requests] = self._loop.create_future()
        self.answers.append(future)
        future.add_done_callback(lambda done: done.cancelled() or done.exception())
        self.wire.send({"jsonrpc": "2.0", "id": self._n_requests, "method": method, "params": params})
        return future

    @property
    def newest_request(self) -> int:
        return self._n_requests

    def notify(self, method: str, params: Mapping[str, Any]) -> None:
        self.wire.send({"jsonrpc": "2.0", "method": method, "params": params})

    def command(self, name: str, *arguments: object) -> asyncio.Future[Any]:
        self._command_at = self._loop.time()
        return self.request("workspace/executeCommand", {"command": name, "arguments": list(arguments)})

    # Messages in

    def receive(self, message: Mapping[str, Any]) -> None:
        method, params = message.get("method"), message.get("params", {})
        if method is None:
            self._receive_answer(message)
        elif "id" in message:
            self._receive_request(message)
        elif method == "twospeed/editChanged":
            self._follow_life(params)
        elif method == "$/progress":
            self._follow_progress(params)
        elif method == "window/showMessage" and params["type"] < INFO:
            self._watch.note_told()

    def _receive_answer(self, message: Mapping[str, Any]) -> None:
        future = self._waiting.pop(message["id"], None)
        assert future, f"an answer nobody asked for: {message}"
        if "error" in message:
            self._watch.note_told()
            assert message["error"]["code"] in (-32800, -32801, -32803, -32602), message
            future.set_exception(Refused(message["error"]["message"]))
        else:
            future.set_result(message["result"])

    def _receive_request(self, message: Mapping[str, Any]) -> None:
        match message["method"]:
            case "workspace/applyEdit" | "twospeed/applyEdit":
                takes_s = self.profile.apply_s * self._rng.uniform(0.2, 2)
                self._loop.call_later(takes_s, self.judged(self._answer_edit), message)
            case "workspace/configuration":
                self._answer(message, [None for _ in message["params"]["items"]])
            case "window/showMessageRequest":
                self._loop.call_later(self._rng.choice((0.3, 2.0)), self._choose, message)
            case "window/workDoneProgress/create":
                self._progress[message["params"]["token"]] = "made"
                self._answer(message, None)
            case _:
                self._answer(message, None)

    def _answer(self, message: Mapping[str, Any], result: object) -> None:
        self.wire.send({"jsonrpc": "2.0", "id": message["id"], "result": result})

    def _choose(self, message: Mapping[str, Any]) -> None:
        """Answer a question of the server as a user would, or close it.

        They never apply a refused answer: what it takes away is not what the edit promised (seed 200 of lsp-mode).
        """
        actions = [each for each in message["params"]["actions"] if each["title"] not in _ABOUT_REFUSED]
        choice = self._rng.choice([*actions, *actions[:1], None])
        self._watch.n_yes += choice is not None and choice == actions[0] and choice["title"] == "Yes"
        self._answer(message, choice)

    def _follow_life(self, params: Mapping[str, Any]) -> None:
        """Check that each phase of an edit is reported once; in review also with the remaining hunks."""
        edit_id, state, outcome = params["editId"], params["state"], params["outcome"]
        order = ["queued", "running", "review", "ended"]
        before, had = self._states.get(edit_id, ("queued", None))
        assert order.index(state) >= order.index(before), f"{edit_id} goes from {before} to {state}"
        assert had in (None, outcome), f"{edit_id} has outcome {had}, then {outcome}"
        assert (outcome is None) == (state in ("queued", "running")), f"{edit_id} is {state} and {outcome}"
        step, may_be_told_again = (state, outcome, params["verdict"]), outcome is None or state == "review"
        assert may_be_told_again or step not in self._steps[edit_id], f"{edit_id} is told twice to be {step}"
        self._steps[edit_id].append(step)
        self._watch.check_hunks(self.ledgers[params["uri"]], params)
        self._states[edit_id] = state, outcome

    def _follow_progress(self, params: Mapping[str, Any]) -> None:
        kind, token = params["value"].get("kind"), params["token"]
        if kind == "begin":
            assert self._progress.get(token) != "begun", f"progress {token} begins twice"
            self._progress[token] = "begun"
        elif kind == "end":
            assert self._progress.pop(token, None) == "begun", f"progress {token} ends, and never began"

    @property
    def open_progress(self) -> list[object]:
        return [token for token, state in self._progress.items() if state == "begun"]

    # Edits of the server's

    def note_shipped(self, message: Mapping[str, Any]) -> None:
        """Check an edit when the server sends it."""
        document, edits = edit_of(message)
        uri = document["uri"]
        assert isinstance(document["version"], int), "an edit without a version"
        assert uri not in self._outstanding, "two edits of one document are on their way"
        self._outstanding[uri] = message["id"]
        self._watch.note_shipped(self.owners[uri], edits)

    def _answer_edit(self, message: Mapping[str, Any]) -> None:
        is_ours = message["method"] == "twospeed/applyEdit"
        document, edits = edit_of(message)
        uri, version = document["uri"], document["version"]
        self._outstanding.pop(uri, None)
        ledger, watched = self.documents.get(uri), self._watch.edits[self.owners[uri]]
        refusal = self._refusal(ledger, version, is_ours=is_ours)
        if refusal is not None or ledger is None:
            watched.was_turned_down = True
            watched.turned_down |= {line.strip() for each in edits for line in each["newText"].splitlines()}
            self._watch.counts["turned down"] += 1
            self.wire.note(f"turns down an edit of {watched.label}: {refusal}")
            if refusal is Says.ERROR:
                error = {"code": -32603, "message": "Edits require another version"}
                self.wire.send({"jsonrpc": "2.0", "id": message["id"], "error": error})
                return
            result: dict[str, Any] = {"applied": refusal is Says.YES}
            if is_ours:
                result |= {"version": ledger.version if ledger else 0}
                result |= {"reason": refusal} if isinstance(refusal, str) else {}
                result |= {"reason": "stale"} if refusal is Says.STALE else {}
            self._answer(message, result)
            return
        goes_on = is_ours and not message["params"]["undoStopBefore"]
        if edits:
            watched.note_undo_stop(begins=is_ours and not goes_on)
            self.apply(watched.edit.id, ledger, edits, is_fresh=version == ledger.version, goes_on=goes_on)
        if is_ours and message["params"]["undoStopAfter"]:
            ledger.end_step()
        if self.profile.own_told_after_s is None:
            self.tell(ledger)
        self._answer(message, {"applied": True, **({"version": ledger.version} if is_ours else {})})
        if not self.profile.own_told_after_s:
            self.tell(ledger)

    def _refusal(self, ledger: Ledger | None, version: int, *, is_ours: bool) -> Says | str | None:
        """Return how the editor refuses an edit; ``None`` if it applies it."""
        profile, rng = self.profile, self._rng
        if ledger is None:
            return "closed" if is_ours else Says.NO
        if is_ours and ledger.uri in self.hidden:
            return "hidden"
        if rng.random() < profile.p_lie:
            return Says.YES
        is_late = profile.takes_edits_s is not None and (
            self._loop.time() - self._command_at > profile.takes_edits_s
        )
        if rng.random() < profile.p_refuse or is_late:
            return Says.NO
        untold = self._untold[ledger.uri].changes
        told_version = untold[0][1] - 1 if untold else ledger.version
        is_stale = {
            Check.EXACT: version != ledger.version,
            Check.NEWER_THAN_ZERO: version > 0 and version != ledger.version,
            Check.TOLD: version != told_version,
            Check.NONE: False,
        }[profile.check]
        if not is_stale:
            return None
        return Says.NO if profile.says is Says.STALE and not is_ours else profile.says

    def apply(
        self,
        edit_id: str,
        ledger: Ledger,
        edits: Sequence[Mapping[str, Any]],
        *,
        is_fresh: bool,
        goes_on: bool = False,
    ) -> None:
        """Apply changes of the server to a document; outdated ones at their literal positions."""
        watched, before = self._watch.edits[edit_id], ledger.now
        spans = ledger.places.spans(edits, exactly=is_fresh)
        if self.profile.line_ends in (LineEnds.OF_THE_MODEL, LineEnds.OF_THE_FILE):
            spans = [(start, end, LINE_END.sub(ledger.eol, new)) for start, end, new in spans]
        self.wire.note(f"applies an edit of {watched.label}{'' if is_fresh else ', which is stale'}")
        changes = ledger.replace(spans, goes_on=goes_on)
        self._note_changes(ledger, changes)
        if self.profile.own_told_after_s:
            self._tell_later(ledger, self.profile.own_told_after_s)
        self._watch.counts["applied stale"] += not is_fresh
        self._watch.note_applied(watched, before, spans, changes, is_fresh=is_fresh)

    def take(
        self,
        watched: Watched,
        ledger: Ledger,
        edits: Sequence[Mapping[str, Any]],
        *,
        version: int,
        is_versioned: bool,
    ) -> None:
        """Apply the edit of a code action that the person chose.

        Args:
            watched: Whose answer it is.
            ledger: The document.
            edits: Its edits.
            version: The version that the action was made for.
            is_versioned: Whether the action says so.
        """
        is_fresh = version == ledger.version
        if is_versioned and not is_fresh and self.profile.check is not Check.NONE:
            self.wire.note(f"drops the answer of {watched.label}: the document has changed")
            return
        watched.taken_at = self._loop.time()
        if not is_fresh:  # what goes from other lines of it then looks as if the person had deleted it
            watched.touch = TypingInScope.ANYTHING
        self.apply(watched.edit.id, ledger, edits, is_fresh=is_fresh)
        if not self.profile.own_told_after_s:
            self.tell(ledger)

    # Documents

    def open(self, uri: str, text: str, eol: str | None = None) -> Ledger:
        """Open a document; ``eol`` is the line end of new lines."""
        ledger = self.documents[uri] = self.ledgers[uri] = Ledger(
            uri, text, self.profile.first_version, large=self.profile.large
        )
        ledger.eol = eol or ledger.eol
        self._untold[uri] = _Untold()
        item = {"uri": uri, "languageId": "python", "version": ledger.version, "text": text}
        self.notify("textDocument/didOpen", {"textDocument": item})
        return ledger

    def close(self, uri: str) -> None:
        ledger = self.documents.pop(uri)
        self.tell(ledger)
        ledger.is_open = False
        self._watch.note_closed(uri)
        self.notify("textDocument/didClose", {"textDocument": {"uri": uri}})

    def type(self, ledger: Ledger, spans: Sequence[Span], *, goes_on: bool = False) -> list[Change]:
        """Apply a change of the person."""
        before = ledger.now
        return self._typed(ledger, before, ledger.replace(spans, goes_on=goes_on), is_undo=False)

    def change_line_ends(self, ledger: Ledger, eol: str) -> None:
        """Change all line ends, as the person requests."""
        self.wire.note(f"lines end in {eol!r} from now on")
        if self.profile.line_ends is LineEnds.OF_THE_FILE:
            ledger.eol = eol
            return
        is_one_by_one = self.profile.line_ends is LineEnds.ONE_BY_ONE
        self._note_changes(ledger, ledger.change_ends(eol, one_by_one=is_one_by_one))
        self._tell_later(ledger, self.profile.told_after_s)

    def undo(self, ledger: Ledger) -> None:
        before = ledger.now
        self._typed(ledger, before, ledger.undo(), is_undo=True)

    def redo(self, ledger: Ledger) -> None:
        before = ledger.now
        self._typed(ledger, before, ledger.redo(), is_undo=True)

    def _typed(self, ledger: Ledger, before: Text, changes: list[Change], *, is_undo: bool) -> list[Change]:
        for change in changes:
            if not change.is_of_ends:
                self._watch.note_typing(ledger, before, change, is_undo=is_undo)
            before = before.with_span(change.start, change.end, change.new)
        version = ledger.version
        self._note_changes(ledger, changes)
        if is_undo:
            ledger.taken_back.update(range(version + 1, ledger.version + 1))
        self._tell_later(ledger, self.profile.told_after_s)
        return changes

    def _note_changes(self, ledger: Ledger, changes: Sequence[Change]) -> None:
        """Give each change a version, and keep it until it is reported."""
        text, texts = ledger.now, [ledger.now]
        for change in reversed(changes[1:]):
            text = text.with_span(change.start, change.start + len(change.new.text), change.old)
            texts.append(text)
        is_one = not (self.profile.one_message_a_change or self.profile.counts_changes)
        ledger.version += is_one and bool(changes)
        for change, after in zip(changes, reversed(texts), strict=False):
            ledger.version += not is_one
            self._untold[ledger.uri].changes.append((change, ledger.version, after))

    def _tell_later(self, ledger: Ledger, after_s: float) -> None:
        untold = self._untold[ledger.uri]
        if untold.timer and (self.profile.reports_after_typing_pause or not after_s):
            untold.timer.cancel()
            untold.timer = None
        if not after_s:
            self.tell(ledger)
        elif untold.timer is None:
            untold.timer = self._loop.call_later(after_s, self.tell, ledger)

    def tell(self, ledger: Ledger) -> None:
        """Report the pending changes of a document to the server."""
        untold = self._untold[ledger.uri]
        if untold.timer:
            untold.timer.cancel()
        changes, self._untold[ledger.uri] = untold.changes, _Untold()
        groups = [[each] for each in changes] if self.profile.one_message_a_change else [changes]
        for group in groups:
            if not group or not ledger.is_open:
                continue
            _, version, text = group[-1]
            ledger.told[version] = text
            told: list[Any] = [{"range": change.range, "text": change.new.text} for change, _, _ in group]
            if self.profile.sends_full_text:
                told = [{"text": text.text}]
            document = {"uri": ledger.uri, "version": version}
            self.notify("textDocument/didChange", {"textDocument": document, "contentChanges": told})


def edit_of(message: Mapping[str, Any]) -> tuple[Mapping[str, Any], Sequence[Mapping[str, Any]]]:
    """Return the document of an edit, and its text edits."""
    params = message["params"]
    if message["method"] == "twospeed/applyEdit":
        return params["textDocument"], params["edits"]
    return changes_of(params["edit"])
