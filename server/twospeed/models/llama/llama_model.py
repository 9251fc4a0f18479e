"""A GGUF file as a model: a server of Chat Completions in a child process."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import aclosing

from twospeed.errors import AnswerBrokeOff, ModelUnavailable
from twospeed.models.base import Finished, ModelEvent, ModelRequest, Usage
from twospeed.models.http.connections import Connections
from twospeed.models.http.http_model import HttpModel

from .llama_process import LlamaProcess, RunningProcess


class LlamaModel:
    """A model in a child process.

    Args:
        connections: Shared with other models; not closed here.
        connect_s: Seconds to connect; starting the process has its own limit.
    """

    def __init__(
        self, process: LlamaProcess, provider: str, name: str, *, connections: Connections, connect_s: float
    ) -> None:
        self._process = process
        self._provider = provider
        self._name = name
        self._connections = connections
        self._connect_s = connect_s

    @property
    def provider(self) -> str:
        """Provider's name."""
        return self._provider

    @property
    def name(self) -> str:
        """Model's name."""
        return self._name

    async def stream(self, request: ModelRequest) -> AsyncGenerator[ModelEvent, None]:
        """Request one answer; a process that died without any output is restarted. See `Model.stream`."""
        has_output = False
        while True:
            running = await self._process.ready()
            try:
                async with aclosing(self._http_model(running).stream(request)) as events:
                    async for event in events:
                        has_output = True
                        if isinstance(event, Finished):
                            self._process.record_answer()
                        yield event
                return  # noqa: TRY300  # `while True` has no else
            except (ModelUnavailable, AnswerBrokeOff) as error:
                if not await self._process.has_died(running):
                    raise
                if has_output or not request.may_send_again():
                    message = f"the process that serves {self._provider} ended"
                    raise AnswerBrokeOff(message, provider=self._provider, model=self._name) from error

    async def warm(self, request: ModelRequest) -> Usage | None:
        """Start the process and cache the start of a request; see `Model.warm`."""
        return await self._http_model(await self._process.ready()).warm(request)

    def send_ahead(self, request: ModelRequest) -> None:
        """Do nothing: the model is on this machine."""

    def _http_model(self, running: RunningProcess) -> HttpModel:
        return HttpModel(
            running.settings,
            self._name,
            connections=self._connections,
            key=running.key,
            connect_s=self._connect_s,
        )
