"""Every exception twospeed raises on purpose.

Messages are for the user: one plain sentence, no dot at the end, no key, no document text.
Data stands in attributes, so that callers never parse a message.
Expected endings of an edit (refused, cancelled, cut off) are values, not exceptions.

TwospeedError
├ RequestError            the client asked for something impossible
│  ├ InvalidRequest       a parameter makes no sense; names the field
│  ├ StaleVersion         the request names another version of the document
│  ├ DocumentNotOpen      no such document here
│  ├ DocumentUnmanaged    its text here may not be the editor's
│  ├ LimitReached         too many or too much at once
│  ├ UnknownEdit          no such edit, or it is not at a point where that can be done
│  ├ EditFinished         too late to steer it
│  ├ NoOtherAnswer        no other answer for the place of an edit's
│  └ NotBuilt             a part of the protocol this server does not announce
├ ModelError              the model's side; carries provider and model
│  ├ ModelUnavailable     no connection, 5xx
│  │  ├ ModelOverloaded   503, 529: no capacity just now
│  │  └ UnknownModel      404: no such model there
│  ├ ModelTimeout         silent for longer than a limit allows
│  ├ RateLimited          429; may say for how long
│  ├ QuotaExhausted       paid for no more
│  ├ InvalidKey           401 or 403
│  ├ ContextTooLong       the prompt does not fit
│  └ ModelProtocolError   they sent what the protocol does not allow
│     └ AnswerBrokeOff    the answer ended before its end
├ BudgetSpent             what the user's own budget allows for a day is used up
├ OwnKeyInPrompt          an API key of the user's stands in what would be sent
├ UnsafeEndpoint          an address a request may not go to
├ HistoryUnusable         the file of figures is broken, or made by a later version
│  └ HistoryBusy          locked by others, or the disk is full
├ DeliveryError           the editor's side
│  ├ EditUnconfirmed      the client never showed the edit it was sent
│  └ ClientRefused        the client will not take this edit at all
│     └ DocumentHidden    not while the document is out of sight, piece by piece
└ SettingsError           a config file, flag or setting is wrong; names source and key
   └ NoHomeFolder         nobody knows where the user's own files are
"""

from __future__ import annotations


class TwospeedError(Exception):
    """Base of everything raised on purpose; ``str(error)`` is fit for the user."""


class RequestError(TwospeedError):
    """The client asked for something impossible."""


class InvalidRequest(RequestError):
    """A parameter makes no sense.

    Args:
        message: What is wrong and what would be right.
        field: Dotted wire name of the parameter, such as ``textDocument.version``.
    """

    def __init__(self, message: str, *, field: str) -> None:
        super().__init__(message)
        self.field = field


class StaleVersion(RequestError):
    """The request was made for another version of the document than the one that is open."""

    def __init__(self, uri: str, *, asked: int, current: int) -> None:
        super().__init__(f"the document is at version {current}, the request was made for {asked}")
        self.uri = uri
        self.asked = asked
        self.current = current


class DocumentNotOpen(RequestError):
    """The document was never opened here, or is closed again."""

    def __init__(self, uri: str) -> None:
        super().__init__(f"the document is not open: {uri}")
        self.uri = uri


class DocumentUnmanaged(RequestError):
    """The document's text here may not be what the editor shows, so nothing is edited until it is opened again."""

    def __init__(self, uri: str, reason: str) -> None:
        super().__init__(f"{reason}; close the document and open it again")
        self.uri = uri


class LimitReached(RequestError):
    """Too many, too much or too fast; what a limit allows is possible a little later, or with less."""


class UnknownEdit(RequestError):
    """No edit of this id is known, or it cannot be acted on where it is; ``how_it_is`` says where."""

    def __init__(self, edit_id: str | None, how_it_is: str | None = None) -> None:
        known = f"the edit {edit_id} {how_it_is}" if how_it_is else f"no such edit: {edit_id}"
        super().__init__("there is no edit to act on" if edit_id is None else known)
        self.edit_id = edit_id


class EditFinished(RequestError):
    """The edit has its outcome, so it cannot be steered any more."""

    def __init__(self, edit_id: str) -> None:
        super().__init__(f"the edit {edit_id} has its outcome already; ask for another one that follows it")
        self.edit_id = edit_id


class NoOtherAnswer(RequestError):
    """There is no other answer that could take the place of an edit's."""

    def __init__(self, message: str = "no other answer came that could take its place") -> None:
        super().__init__(message)


class NotBuilt(RequestError):
    """The protocol names it, this server does not announce it in ``features``."""

    def __init__(self, what: str) -> None:
        super().__init__(f"{what} is not supported by this version of twospeed")
        self.what = what


class ModelError(TwospeedError):
    """The model's side failed.

    Args:
        message: What happened and who can mend it.
        provider: Name of the provider, as in the lane.
        model: Name of the model, as in the lane.
        retry_after_s: How long the provider asks to be left alone, where it says so.
        should_retry: Whether it is of use to send the same request there again, where the provider or the
            connection tells; else the kind of the error decides (`routing.retries`).
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
    """No connection, or a server error."""


class ModelOverloaded(ModelUnavailable):
    """The model is there and has no capacity just now."""


class UnknownModel(ModelUnavailable):
    """The endpoint does not know the model, or is not where the model is."""


class ModelTimeout(ModelError):
    """The model was silent, or busy, for longer than a limit allows; ``limit`` is its config key."""

    def __init__(self, message: str, *, provider: str, model: str, limit: str) -> None:
        super().__init__(message, provider=provider, model=model)
        self.limit = limit


class RateLimited(ModelError):
    """Too many requests or tokens."""


class QuotaExhausted(ModelError):
    """The account has no credit left; asking again does not help."""


class InvalidKey(ModelError):
    """The provider did not accept the key, or does not let it use the model."""


class ContextTooLong(ModelError):
    """The prompt does not fit the model's context.

    Args:
        message: See `ModelError`.
        provider: See `ModelError`.
        model: See `ModelError`.
        prompt_tokens: How long the prompt was, as the provider counts; ``None`` where it did not say.
        limit_tokens: What prompt and answer may be together; ``None`` where it did not say.
        should_retry: See `ModelError`.
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
    """The endpoint sent what its protocol does not allow."""


class AnswerBrokeOff(ModelProtocolError):
    """The answer ended without the model's word that it has."""


class BudgetSpent(TwospeedError):
    """What the user's own budget allows for a day is used up."""


class OwnKeyInPrompt(TwospeedError):
    """An API key of the user's stands in what would be sent to a model."""

    def __init__(self, name: str) -> None:
        super().__init__(
            f"your own API key ({name}) stands in the text that would be sent; take it out of the file first"
        )
        self.name = name


class UnsafeEndpoint(TwospeedError):
    """A request may not go to this address: not https, not loopback, or a forbidden network."""


class HistoryUnusable(TwospeedError):
    """The file in which figures of edits are kept cannot be used."""


class HistoryBusy(HistoryUnusable):
    """It cannot be used just now."""


class DeliveryError(TwospeedError):
    """The editor's side failed."""


class EditUnconfirmed(DeliveryError):
    """The client never showed the edit it was sent; the document is left as it stands."""


class ClientRefused(DeliveryError):
    """The client will not take the edit at all: read-only, closed, or it said no."""


class DocumentHidden(ClientRefused):
    """The client takes no part of an edit while the document is not on screen; it may take the whole later."""


class SettingsError(TwospeedError):
    """A config file, a flag or a forwarded setting is wrong.

    Args:
        message: What is wrong and what would be right.
        source: Where it stands: a file path with a line, ``initializationOptions``, a flag.
        key: Dotted name of the key, empty where the whole source cannot be read.
    """

    def __init__(self, message: str, *, source: str, key: str = "") -> None:
        super().__init__(f"{source}: {key + ': ' if key else ''}{message}")
        self.source = source
        self.key = key


class NoHomeFolder(SettingsError):
    """Nobody knows where the user's own files are."""

    def __init__(self) -> None:
        super().__init__(
            "is not set, and the system knows of no home folder of this user; set it", source="HOME"
        )
