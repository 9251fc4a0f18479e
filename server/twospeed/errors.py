"""Every exception that twospeed raises on purpose.

``str(error)`` is for the user: one plain sentence without a final dot, key or document text.
Data is in attributes, so callers never parse a message.
Expected endings of an edit (refused, cancelled, cut off) are values, not exceptions.

TwospeedError
├ RequestError
│  ├ InvalidRequest
│  ├ StaleVersion
│  ├ DocumentNotOpen
│  ├ DocumentUnmanaged
│  ├ LimitReached
│  ├ UnknownEdit
│  ├ EditFinished
│  ├ NoOtherAnswer
│  └ NotBuilt
├ ModelError
│  ├ ModelUnavailable
│  │  ├ ModelOverloaded
│  │  └ UnknownModel
│  ├ ModelTimeout
│  ├ RateLimited
│  ├ QuotaExhausted
│  ├ InvalidKey
│  ├ ContextTooLong
│  └ ModelProtocolError
│     └ AnswerBrokeOff
├ BudgetSpent
├ OwnKeyInPrompt
├ UnsafeEndpoint
├ KeyringUnusable
├ HistoryUnusable
│  └ HistoryBusy
├ DeliveryError
│  ├ EditUnconfirmed
│  └ ClientRefused
│     └ DocumentHidden
└ SettingsError
   └ NoHomeFolder
"""

from __future__ import annotations


class TwospeedError(Exception):
    """Base class; ``str(error)`` may be shown to the user."""


class RequestError(TwospeedError):
    """The client requested something impossible."""


class InvalidRequest(RequestError):
    """A parameter is invalid; ``field`` is its dotted wire name, such as ``textDocument.version``."""

    def __init__(self, message: str, *, field: str) -> None:
        super().__init__(message)
        self.field = field


class StaleVersion(RequestError):
    """The request was made for another version of the document."""

    def __init__(self, uri: str, *, requested: int, current: int) -> None:
        super().__init__(f"the document is at version {current}, the request was made for {requested}")
        self.uri = uri
        self.requested = requested
        self.current = current


class DocumentNotOpen(RequestError):
    """The document was never opened, or is closed."""

    def __init__(self, uri: str) -> None:
        super().__init__(f"the document is not open: {uri}")
        self.uri = uri


class DocumentUnmanaged(RequestError):
    """The server's text may differ from the editor's; the document is not edited until it is opened again."""

    def __init__(self, uri: str, reason: str) -> None:
        super().__init__(f"{reason}; close the document and open it again")
        self.uri = uri


class LimitReached(RequestError):
    """Too many or too large requests; a later or smaller one may succeed."""


class UnknownEdit(RequestError):
    """No edit has this id, or its state does not allow the action; ``state`` says which state."""

    def __init__(self, edit_id: str | None, state: str | None = None) -> None:
        known = f"the edit {edit_id} {state}" if state else f"no such edit: {edit_id}"
        super().__init__("there is no edit to act on" if edit_id is None else known)
        self.edit_id = edit_id


class EditFinished(RequestError):
    """The edit has ended, so it cannot be steered."""

    def __init__(self, edit_id: str) -> None:
        super().__init__(f"the edit {edit_id} has already ended; start a new edit to refine its result")
        self.edit_id = edit_id


class NoOtherAnswer(RequestError):
    """No other answer can replace the one of this edit."""

    def __init__(self, message: str = "the model gave no other answer that could replace this one") -> None:
        super().__init__(message)


class NotBuilt(RequestError):
    """The method is in the protocol, but not in the ``features`` of this server."""

    def __init__(self, what: str) -> None:
        super().__init__(f"{what} is not supported by this version of twospeed")
        self.what = what


class ModelError(TwospeedError):
    """The provider or the connection to it failed.

    Attributes:
        retry_after_s: Seconds that the provider asks the client to wait; None if it does not say.
        should_retry: Whether the same request may succeed there; None lets the class decide (`routing.retries`).
    """

    def __init__(
        self,
        message: str,
        *,
        provider: str,
        model: str,
        retry_after_s: float | None = None,
        should_retry: bool | None = None,
    ) -> None:
        super().__init__(message)
        self.provider = provider
        self.model = model
        self.retry_after_s = retry_after_s
        self.should_retry = should_retry


class ModelUnavailable(ModelError):
    """No connection, or HTTP 5xx."""


class ModelOverloaded(ModelUnavailable):
    """HTTP 503 or 529: the model has no capacity now."""


class UnknownModel(ModelUnavailable):
    """HTTP 404: the endpoint does not know the model, or ``base_url`` is wrong."""


class ModelTimeout(ModelError):
    """A time limit has passed; ``limit`` is its config key."""

    def __init__(self, message: str, *, provider: str, model: str, limit: str) -> None:
        super().__init__(message, provider=provider, model=model)
        self.limit = limit


class RateLimited(ModelError):
    """HTTP 429: too many requests or tokens."""


class QuotaExhausted(ModelError):
    """The account has no credit left; a retry does not help."""


class InvalidKey(ModelError):
    """HTTP 401 or 403: the provider rejects the key, or the key may not use the model."""


class ContextTooLong(ModelError):
    """The prompt does not fit the model's context.

    Attributes:
        prompt_tokens: Length of the prompt, as the provider counts; None if unknown.
        limit_tokens: Limit of prompt and answer together; None if unknown.
    """

    def __init__(
        self,
        message: str,
        *,
        provider: str,
        model: str,
        prompt_tokens: int | None = None,
        limit_tokens: int | None = None,
        should_retry: bool | None = None,
    ) -> None:
        super().__init__(message, provider=provider, model=model, should_retry=should_retry)
        self.prompt_tokens = prompt_tokens
        self.limit_tokens = limit_tokens


class ModelProtocolError(ModelError):
    """The endpoint violates its protocol."""


class AnswerBrokeOff(ModelProtocolError):
    """The answer ended without a finish reason."""


class BudgetSpent(TwospeedError):
    """The user's own budget for a day is used up."""


class OwnKeyInPrompt(TwospeedError):
    """The prompt contains an API key of the user."""

    def __init__(self, name: str) -> None:
        super().__init__(
            f"the text to send contains your own API key ({name}); remove it from the file first"
        )
        self.name = name


class UnsafeEndpoint(TwospeedError):
    """The address is not https, not loopback, or in a forbidden network."""


class KeyringUnusable(TwospeedError):
    """The system's keyring is missing, locked or failing."""


class HistoryUnusable(TwospeedError):
    """The history file is broken, or a later version of twospeed made it."""


class HistoryBusy(HistoryUnusable):
    """The history file is locked, or the disk is full."""


class DeliveryError(TwospeedError):
    """The editor did not apply an edit."""


class EditUnconfirmed(DeliveryError):
    """The document never showed the edit that was sent; it is left as it is."""


class ClientRefused(DeliveryError):
    """The client rejects the edit: the document is read-only or closed, or the client said no."""


class DocumentHidden(ClientRefused):
    """The client accepts no partial edit of an invisible document; it may accept the whole edit later."""


class SettingsError(TwospeedError):
    """A config file, flag or forwarded setting is wrong.

    Attributes:
        source: File path with line, ``initializationOptions``, or flag.
        key: Dotted name of the key; empty if the whole source cannot be read.
    """

    def __init__(self, message: str, *, source: str, key: str = "") -> None:
        super().__init__(f"{source}: {key + ': ' if key else ''}{message}")
        self.source = source
        self.key = key


class NoHomeFolder(SettingsError):
    """The folder of the user's own files is unknown."""

    def __init__(self) -> None:
        super().__init__(
            "is not set, and the system has no home folder for this user; set HOME", source="HOME"
        )
