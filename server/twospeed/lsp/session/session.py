"""One connection: its documents, its settings, its mode, its edits."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Callable, Coroutine, Mapping
from typing import Any, TypeVar

from twospeed.budget.spending import DaysSpending
from twospeed.config import Settings
from twospeed.config.layers import WORKSPACE_FILE, Layer, read_editor_layer, read_workspace_layer
from twospeed.config.state import history_path, state_folder
from twospeed.delivery import DocumentChannel, Style, style_for
from twospeed.delivery.eager import begin
from twospeed.edits.ahead.cache_warmup import CacheWarmup
from twospeed.edits.ahead.preconnect import Preconnect
from twospeed.edits.inline_edit import InlineEdit
from twospeed.edits.phases import EditState
from twospeed.edits.scheduler import EditScheduler
from twospeed.errors import SettingsError, TwospeedError
from twospeed.history.recorder import Recorder
from twospeed.lanes.discovered import find_models
from twospeed.lanes.open_model import open_model
from twospeed.lanes.source import Consents, LaneSource
from twospeed.lsp.client.answer_files import AnswerFiles
from twospeed.lsp.client.consent import ConsentDialog
from twospeed.lsp.client.diagnostics import Diagnostics
from twospeed.lsp.client.editor_client import ERROR, INFO, WARNING, EditorClient, one_line
from twospeed.lsp.client.outcome_messages import message_for
from twospeed.lsp.client.questions import Questions, Step
from twospeed.lsp.wire.convert import changed_to
from twospeed.lsp.wire.error_codes import RpcError
from twospeed.models.base import Limits, Model, ProviderSettings
from twospeed.models.http.connections import Connections
from twospeed.models.http.endpoints import parse_endpoint
from twospeed.models.keys.key_store import KeyStore
from twospeed.routing import Mode
from twospeed.routing.lanes import ICONS, LABELS, MODES
from twospeed.text.positions import Encoding
from twospeed_protocol import messages as wire
from twospeed_protocol import methods

from .document_paths import DocumentPaths
from .edit_history import EditHistory
from .open_documents import OpenDocuments
from .project_notes import ProjectNotes
from .settings_layers import SettingsLayers, Slot
from .workspace_symbols import WorkspaceSymbols

logger = logging.getLogger(__name__)

ResultT = TypeVar("ResultT")


class Session:
    """Everything one editor's connection holds.

    Args:
        client: The editor.
        settings: The user's settings.
        settings_error: Why the user's config could not be read, if so; then no edit is made.
        encoding: The negotiated position encoding.
        paths: Names documents by their place in the workspace, and knows its folder.
        initialization_options: What the editor forwards at start.
        environ: The process's environment.
    """

    def __init__(
        self,
        client: EditorClient,
        *,
        settings: Settings,
        settings_error: SettingsError | None,
        encoding: Encoding,
        paths: DocumentPaths,
        initialization_options: object,
        environ: Mapping[str, str],
    ) -> None:
        self.client = client
        self.encoding = encoding
        self.user_settings = self.settings = settings
        self.mode: Mode = settings.mode
        self._settings_error = settings_error
        self.paths = paths
        self._layers = SettingsLayers(settings)
        self._early_complaints: list[SettingsError] = [settings_error] if settings_error else []
        self.progress: dict[wire.Token, InlineEdit] = {}
        self._announced: set[str] = set()
        self._tasks: dict[asyncio.Task[Any], None] = {}  # in the order in which they began and are stopped
        self._is_closing = False
        self._keys = KeyStore(environ)
        self._connections = Connections(private_hosts=_configured_hosts(settings))
        self._consent_dialog = ConsentDialog(client, self._keys, self.run)
        self.spending = DaysSpending(
            settings.budget, config_path=self.user_settings.path, folder=state_folder()
        )
        self.source = self._make_source()
        keeps_history = settings.keeps_history and not client.profile.is_trial
        self.history = EditHistory(Recorder(history_path()) if keeps_history else None)
        self.answer_files = AnswerFiles()
        self.diagnostics = Diagnostics(client)
        self._questions = Questions(client, self.source, self.run)
        self.scheduler = EditScheduler(
            self.source,
            on_change=self._edit_changed,
            confirm=self._questions.confirm,
            tell=lambda text: self.client.show_message(WARNING, text),
        )
        self.preconnect = self._make_warming()
        self.documents = OpenDocuments(
            client,
            behavior=client.profile.behavior,
            on_doubt=self._warn_of_overwriting,
            on_close=self._let_go_of,
        )
        self.workspace = WorkspaceSymbols(
            paths.root,
            ignore=lambda: self.settings.ignore,
            documents=lambda: self.documents.all,
            path_of=paths.of,
            waits=client.profile.is_command_line,
        )
        self.notes = ProjectNotes(
            paths.root,
            ignore=lambda: self.settings.ignore,
            has_yes=self._consent_dialog.has_notes,
            ask=self._consent_dialog.ask_about_notes,
            run=self.run,
            waits=client.profile.is_command_line,
        )
        self._take_layers(initialization_options)

    def begin(self) -> None:
        """Say what could not be said before the editor was ready."""
        for error in self._early_complaints:
            self.client.show_message(ERROR, str(error))
        self._early_complaints.clear()
        if uri := self.paths.unread_root:
            self.client.show_message(
                WARNING,
                f"twospeed reads no {WORKSPACE_FILE} in {one_line(uri, 200)}, which is no folder of this machine: "
                "what it ignores has to be in your own settings",
            )
        if self.client.profile.has_configuration:
            self.spawn(self._pull_configuration(self._layers.begin_change()))

    async def aclose(self) -> None:
        """End every edit and task, close every connection."""
        self._is_closing = True
        self.documents.close_all()
        self.workspace.close()
        self.diagnostics.close()
        await self._stop_tasks()  # one of them may be about to begin an edit
        await self.scheduler.aclose()
        await self._stop_tasks()  # those that requests began meanwhile
        self.answer_files.close()
        await self.history.aclose()
        await self._connections.aclose()

    async def _stop_tasks(self) -> None:
        for task in list(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    def spawn(self, work: Coroutine[None, None, None]) -> None:
        """Run something on the side; what goes wrong is shown. While the session closes, nothing is begun any more."""
        if self._is_closing:
            work.close()
            return
        task = self.run(self._guarded(work))
        # Else one that is cancelled before it begins complains that it was never awaited.
        task.add_done_callback(lambda _: work.close())

    def run(self, work: Coroutine[None, None, ResultT]) -> asyncio.Task[ResultT]:
        """Run something to its end, whoever waits for it or does not any more.

        It begins before the next message is read, on Python 3.11 only soon (`begin`).
        """
        task = begin(work)
        self._tasks[task] = None
        task.add_done_callback(self._tasks.pop)
        return task

    async def _guarded(self, work: Coroutine[None, None, None]) -> None:
        try:
            await work
        except (TwospeedError, RpcError) as error:
            self.client.show_message(ERROR, str(error))
        except Exception:
            logger.exception("work on the side failed")
            self.client.show_message(ERROR, "twospeed failed; the log has the details")

    # Documents

    def channel(self, uri: str, *, version: int | None = None) -> DocumentChannel:
        """Find an open document; see `OpenDocuments.channel`."""
        return self.documents.channel(uri, version=version)

    def _let_go_of(self, uri: str) -> None:
        """Take note that a document is followed no more."""
        self.scheduler.stop_document(uri)
        self.history.note_look(uri, is_last=True)

    # Settings

    def take_configuration(self, value: object) -> None:
        """Take a ``didChangeConfiguration``; a client that answers questions is asked where it says nothing itself."""
        change = self._layers.begin_change()
        if self.client.profile.has_configuration and value in (None, {}, []):
            self.spawn(self._pull_configuration(change))
        else:
            self._configure("didChangeConfiguration", value)

    def _configure(self, name: str, value: object) -> None:
        """Take what an editor forwards; what may not be set from there is complained about and left out."""
        mode = self.mode
        try:
            self._put_layer(
                "editor", read_editor_layer(value, name=name, config_path=self.user_settings.path)
            )
        except SettingsError as error:
            self.client.show_message(ERROR, str(error))
        if self.mode != mode:
            self.set_mode(self.mode)

    def _put_layer(self, slot: Slot, layer: Layer | None) -> None:
        composed = self._layers.put(slot, layer)
        has_new_mode = composed.mode != self.settings.mode
        self.settings = composed
        if has_new_mode:
            self.mode = composed.mode
        self.source.configured, self.source.limits = composed.lanes, composed.limits
        self.scheduler.gate_settings, self.scheduler.ignore = composed.gate, composed.ignore

    def _take_layers(self, initialization_options: object) -> None:
        self.scheduler.gate_settings, self.scheduler.ignore = self.settings.gate, self.settings.ignore
        path = self.user_settings.path
        try:
            layer = read_editor_layer(initialization_options, name="initializationOptions", config_path=path)
            self._put_layer("initializationOptions", layer)
        except SettingsError as error:
            self._refuse_edits(error)
        try:
            if self.paths.root:
                self._put_layer("workspace", read_workspace_layer(self.paths.root, config_path=path))
        except SettingsError as error:
            self._refuse_edits(error)

    def _refuse_edits(self, error: SettingsError) -> None:
        """Make no edit under settings that could not be read: they may have said what is never to be sent."""
        self._early_complaints.append(error)
        self.source.error = self.source.error or error

    async def _pull_configuration(self, change: int) -> None:
        """Ask for the editor's settings; the answer counts unless they have changed again since."""
        params = {"items": [{"section": "twospeed"}]}
        try:
            answer = await self.client.request("workspace/configuration", params)
        except Exception:  # noqa: BLE001 - an editor that cannot answer has nothing to say
            return
        if isinstance(answer, list) and answer and self._layers.is_newest(change):
            self._configure("workspace/configuration", answer[0])

    # Mode

    async def mode_state(self) -> wire.ModeState:
        """Return the mode, and who serves each."""
        served = {mode: await self.source.serving(mode) for mode in MODES}
        lightning, deep = (
            wire.ServedBy(provider=served[mode].provider, model=served[mode].model) for mode in MODES
        )
        return wire.ModeState(mode=self.mode, lightning=lightning, deep=deep)

    def set_mode(self, mode: Mode) -> asyncio.Task[wire.ModeState]:
        """Switch the mode of edits to come, at once; the task tells the editor."""
        self.mode = mode
        return self.run(self._tell_mode())

    async def _tell_mode(self) -> wire.ModeState:
        state = await self.mode_state()
        if self.client.profile.takes_events:
            self.client.notify(methods.MODE_CHANGED, state.to_json())
        return state

    def announce_mode(self, mode: Mode) -> None:
        """Switch the mode, and show it to a person whose editor has no other way to."""
        self.spawn(self._show_mode(mode, self.set_mode(mode)))

    async def _show_mode(self, mode: Mode, told: asyncio.Task[wire.ModeState]) -> None:
        state = await told
        if not self.client.profile.takes_events:
            serves = state.lightning if mode == "lightning" else state.deep
            self.client.show_message(INFO, f"{ICONS[mode]} {LABELS[mode]}: {serves.provider}/{serves.model}")

    # Edits

    def style_in(self, channel: DocumentChannel) -> Style:
        """Return how edits reach a document in this editor."""
        return style_for(self.settings.delivery, channel.behavior, has_changed=channel.has_changed)

    def _edit_changed(self, edit: InlineEdit) -> None:
        self.preconnect.note_edit()
        self.history.note_change(edit)
        self.diagnostics.note_change(edit)
        self._tell_change(edit)
        if edit.is_offered.is_set() and edit.id not in self._announced:
            self._announced.add(edit.id)
            line = edit.place.placed_scope().range.start.line + 1
            self.client.show_message(
                INFO, f"{ICONS[edit.mode]} The edit is ready: take it among the code actions at line {line}"
            )

    def note_decided(self, edit: InlineEdit) -> None:
        """Take note that an edit was decided, whole or in part; what is left of it is told."""
        self.diagnostics.note_text(edit.uri)
        if edit.state is EditState.REVIEW:  # its end has been told
            self._tell_change(edit)

    def _tell_change(self, edit: InlineEdit) -> None:
        if self.client.profile.takes_events:
            self.client.notify(methods.EDIT_CHANGED, changed_to(edit).to_json())
        if self.client.profile.refreshes_lenses and edit.state in (EditState.REVIEW, EditState.ENDED):
            self.spawn(self._refresh_lenses())

    async def _refresh_lenses(self) -> None:
        with contextlib.suppress(RpcError, TimeoutError):
            await self.client.request("workspace/codeLens/refresh", None)

    def _warn_of_overwriting(self) -> None:
        self.client.show_message(
            WARNING,
            "this editor takes an edit even where you have typed since: look whether what you typed just now is still there",
        )

    def warn_once(self, text: str) -> None:
        """Warn a person, the first time."""
        if text not in self._announced:
            self._announced.add(text)
            self.client.show_message(WARNING, text)

    def show_ending(self, edit: InlineEdit, steps: Mapping[Step, Callable[[], object]]) -> None:
        """Tell the user how an edit ended that no request waits for, and offer ``steps`` where the client can ask."""
        if (told := message_for(edit)) is None:
            return
        kind, words = told
        if steps and self.client.can_ask:
            self.spawn(self._questions.offer(words, steps))
        else:
            self.client.show_message(kind, words)

    # Models

    def _make_source(self) -> LaneSource:
        return LaneSource(
            configured=self.settings.lanes,
            providers=self.settings.providers,
            limits=self.settings.limits,
            keys=self._keys,
            find=lambda: find_models(self._keys, self._connections, self._consent_dialog.has),
            open=self._open_model,
            consents=Consents(
                has=self._consent_dialog.has,
                ask=lambda provider: self.run(self._consent_dialog.ask(provider)),
                refused=self._consent_dialog.refused,
                can_ask=lambda: self.client.can_ask,
            ),
            spending=self.spending,
            tell=lambda text: self.client.show_message(WARNING, text),
            error=self._settings_error,
            prices=self.settings.prices,
        )

    def _make_warming(self) -> Preconnect:
        cache_warmup = CacheWarmup(
            self.source,
            self.scheduler.delimiters,
            ignore=lambda: self.scheduler.ignore,
            spare=self._connections.connect_spare,
        )
        return Preconnect(
            find=self.source.endpoint_ahead,
            connect=self._connections.connect,
            read_ahead=cache_warmup.read_ahead,
            run=self.run,
            is_on=self.user_settings.keeps_warm,
            reads_ahead=self.user_settings.reads_ahead and not self.client.profile.is_trial,
        )

    def _open_model(self, provider: ProviderSettings, model: str, limits: Limits) -> Model:
        return open_model(provider, model, limits=limits, connections=self._connections, keys=self._keys)


def _configured_hosts(settings: Settings) -> list[str]:
    """Name the hosts that the user's own config names: they may be in a private network."""
    return [parse_endpoint(provider.base_url).origin.host for provider in settings.providers.values()]
