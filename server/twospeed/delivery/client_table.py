"""What is known of editors that know nothing of twospeed, and which way of delivery that leaves.

An editor that announced ``twospeed/applyEdit`` takes edits as they come. Of any other, this is known by the name it
gives itself (``clientInfo.name``) and by what it announces. Each entry was seen in the editor itself; one that was not
seen is treated like one that guards versions and streams nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, auto
from typing import Literal

Wanted = Literal["auto", "stream", "atomic", "preview"]
"""The setting ``delivery.style``."""

Style = Literal["stream", "atomic", "offer", "preview"]
"""How changes reach the document: as they come, all at once, when the user takes them, or not at all."""


class Guard(Enum):
    """When an editor turns down an edit for a version that is not its own."""

    ALWAYS = auto()
    AFTER_A_CHANGE = auto()  # of a document that nobody has changed since it was opened, it knows no version
    NEVER = auto()


@dataclass(frozen=True, slots=True)
class ClientBehavior:
    """How an editor treats ``workspace/applyEdit``.

    Attributes:
        fact: What was seen, or why it is taken for granted.
        guard: When it turns down what is stale.
        may_stream: Whether edits may come while a person types: what it turns down was never applied.
        passes_untold: Whether its guard knows nothing of what was typed and not told yet.
        drops_in_silence: Whether it says yes to what it turns down.
        holds_back: Whether it tells what was typed only once nobody types; what it turns down is stale then.
        drops_behind_answers: Whether what it reads in one piece with an answer it waits for is lost.
        is_ours: Whether it announced ``twospeed/applyEdit``, whose contract leaves nothing to know.
    """

    fact: str
    guard: Guard = Guard.ALWAYS
    may_stream: bool = False
    passes_untold: bool = False
    drops_in_silence: bool = False
    holds_back: bool = False
    drops_behind_answers: bool = False
    is_ours: bool = False


OURS = ClientBehavior("announced twospeed/applyEdit", may_stream=True, is_ours=True)

UNKNOWN = ClientBehavior("never seen: its versions are believed, since LSP demands that they guard")

KATE = ClientBehavior(
    "22.12: takes an edit within two seconds of a command and turns it down later; whatever the version is, it applies "
    "it where the lines were; holds its didChange back while somebody types",
    guard=Guard.NEVER,
)

KATES_ACTION_KINDS = ["quickfix", "refactor", "source"]
"""Kate gives no name; it announces no ``workspace.applyEdit``, and code actions of these kinds
(``addons/lspclient/lspclientserver.cpp``)."""

_VS_CODE = ClientBehavior(
    "1.139: of 270 edits each was answered before its didChange; what comes while a key is in flight is turned down, "
    "and nothing was lost or misplaced in any run",
    may_stream=True,
)

KNOWN: dict[str, ClientBehavior] = {
    "visual studio code": _VS_CODE,
    "code - oss": _VS_CODE,
    "code-server": _VS_CODE,
    "vscodium": _VS_CODE,
    "neovim": ClientBehavior(
        "0.7 and 0.11: drops what is stale and says yes; the next didChange, up to 150 ms later, tells. Opens at "
        "version 0, and never turns down an edit for version 0",
        guard=Guard.AFTER_A_CHANGE,
        may_stream=True,
        drops_in_silence=True,
    ),
    "coc.nvim": ClientBehavior(
        "compares with its own copy: what is typed in Vim and not synchronized passes, and an edit lands a line off",
        guard=Guard.AFTER_A_CHANGE,
        passes_untold=True,
    ),
    "kate": KATE,
    "eglot": ClientBehavior(
        "1.9: answers what is stale with an error; tells what was typed once Emacs is idle for half a second",
        may_stream=True,
        holds_back=True,
    ),
    "emacs": ClientBehavior(
        "lsp-mode 8.0: answers what is stale with no, and tells its change first; waits for the answer to a command, and "
        "drops what it reads in one piece with it",
        may_stream=True,
        drops_behind_answers=True,
    ),
}
"""By the beginning of the name, in lower case."""


def behavior_of(name: str, *, takes_stream: bool, takes_edits: bool, action_kinds: object) -> ClientBehavior:
    """Tell what is known of an editor.

    Args:
        name: Its ``clientInfo.name``; empty where it gives none.
        takes_stream: Whether it announced ``twospeed/applyEdit``.
        takes_edits: Whether it announced ``workspace.applyEdit``.
        action_kinds: The code actions it announced to know, if any.
    """
    if takes_stream:
        return OURS
    known = next((behavior for start, behavior in KNOWN.items() if name.lower().startswith(start)), None)
    if known:
        return known
    is_kate = not name and not takes_edits and action_kinds == KATES_ACTION_KINDS
    return KATE if is_kate else UNKNOWN


def is_guarded(behavior: ClientBehavior, *, has_changed: bool) -> bool:
    """Whether the editor turns down what is stale, now that a document has been changed since it was opened, or not."""
    return behavior.guard is Guard.ALWAYS or (behavior.guard is Guard.AFTER_A_CHANGE and has_changed)


def style_for(wanted: Wanted, behavior: ClientBehavior, *, has_changed: bool) -> Style:
    """Choose how an edit is delivered: the one policy.

    Args:
        wanted: The setting.
        behavior: The editor's.
        has_changed: Whether the document was changed since it was opened.
    """
    if wanted in ("preview", "atomic"):
        return wanted
    if behavior.is_ours:
        return "stream"
    if not is_guarded(behavior, has_changed=has_changed):
        return "offer"
    return "stream" if wanted == "stream" and behavior.may_stream else "atomic"
