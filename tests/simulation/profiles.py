"""The simulated editors, with the behaviour and the faults that were observed in the real ones.

An entry states what was measured in the editor. The last entries are invented: they do what the protocol allows, or
behave in the worst way.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import Enum, auto
from typing import Any

AT_ONCE = 0.0


class Check(Enum):
    """The version with which an editor compares the version of an edit."""

    EXACT = auto()  # of the shown text, with typing that is not reported yet
    NEWER_THAN_ZERO = auto()  # the same, but version 0 always passes
    TOLD = auto()  # of the text that it has reported
    NONE = auto()


class Says(Enum):
    """The response of an editor to an outdated edit that it does not apply."""

    NO = auto()
    STALE = auto()  # `twospeed/applyEdit` only: no, with a reason
    ERROR = auto()
    YES = auto()


class LineEnds(Enum):
    """How an editor treats line ends."""

    AS_GIVEN = auto()  # inserted text keeps its line ends
    ONE_BY_ONE = auto()  # so it does, but the person may have all changed, which is told as a change for each
    OF_THE_MODEL = (
        auto()
    )  # what is inserted gets those of the document; the person may have all changed, told as one
    OF_THE_FILE = (
        auto()
    )  # lines have none; what is told gets those of the file to be, which may change untold


@dataclass(frozen=True)
class Profile:
    """A kind of editor.

    Attributes:
        name: The name in reports.
        client: Its ``clientInfo.name``, if it sends one.
        capabilities: The capabilities that it announces.
        check: How it guards documents.
        says: Its response to an edit that it dropped.
        first_version: The version of a document that was just opened.
        large: The units that a character above U+FFFF counts in its positions.
        told_after_s: Seconds from a key to the report of the typing; keys until then are in one report.
        reports_after_typing_pause: Whether each further key restarts that time.
        own_told_after_s: Seconds from an applied edit to its report; ``None`` if the report precedes the response.
        apply_s: Seconds from the arrival of an edit to its application; the person types meanwhile.
        sends_full_text: Whether a change is reported as the whole text.
        one_message_a_change: Whether each change has its own version and message.
        counts_changes: Whether each change has its own version, even if one message reports several.
        has_requests: Whether a plugin sends our requests; otherwise there are only commands and code actions.
        takes_edits_s: Seconds after a command during which it accepts edits; ``None`` for always.
        p_lie: Probability of ``applied: true`` for an edit that it does not apply.
        p_refuse: Probability of a refusal without a reason.
        p_hidden: Probability of a document that is not on screen, for which it refuses streamed edits.
        may_stream: Whether a run may set ``delivery.style = "stream"``.
        line_ends: How it treats line ends.
    """

    name: str
    client: str | None = None
    capabilities: Mapping[str, Any] = field(default_factory=dict)
    check: Check = Check.EXACT
    says: Says = Says.NO
    first_version: int = 1
    large: int = 2
    told_after_s: float = AT_ONCE
    reports_after_typing_pause: bool = False
    own_told_after_s: float | None = AT_ONCE
    apply_s: float = 0.003
    sends_full_text: bool = False
    one_message_a_change: bool = False
    counts_changes: bool = False
    has_requests: bool = True
    takes_edits_s: float | None = None
    p_lie: float = 0.0
    p_refuse: float = 0.0
    p_hidden: float = 0.0
    may_stream: bool = False
    line_ends: LineEnds = LineEnds.AS_GIVEN

    @property
    def takes_stream(self) -> bool:
        """Whether it announced ``twospeed/applyEdit``."""
        experimental: Mapping[str, Any] = self.capabilities.get("experimental", {})
        return bool(experimental)

    @property
    def is_guarded(self) -> bool:
        """Whether an applied edit is always at its intended place, even after typing."""
        return self.check is Check.EXACT

    @property
    def is_true(self) -> bool:
        """Whether its responses are reliable."""
        return self.is_guarded and self.says is not Says.YES and not (self.p_lie or self.p_refuse)


def _announced(
    *,
    progress: bool = True,
    literals: bool = True,
    edits: bool = True,
    versions: bool = True,
    kinds: tuple[str, ...] = (),
) -> dict[str, Any]:
    """Return the capabilities that matter here."""
    literal: dict[str, Any] = {"codeActionLiteralSupport": {"codeActionKind": {"valueSet": [*kinds]}}}
    return {
        "window": {"workDoneProgress": progress, "showMessage": {}},
        "workspace": {
            **({"applyEdit": True} if edits else {}),
            "workspaceEdit": {"documentChanges": versions},
        },
        "textDocument": {"codeAction": literal if literals else {}},
    }


def _streaming(**announced: Any) -> dict[str, Any]:
    return {**_announced(**announced), "experimental": {"twospeed": {"applyEdit": True, "events": True}}}


VS_CODE = Profile(
    # 1.139: answers before its didChange, 0.6 ms apart; 12 ms to apply; turns down what is stale without a reason;
    # gives what is inserted the line ends of the document
    "VS Code",
    "Visual Studio Code",
    _announced(),
    own_told_after_s=0.0006,
    apply_s=0.012,
    has_requests=False,
    may_stream=True,
    line_ends=LineEnds.OF_THE_MODEL,
)
NEOVIM = Profile(
    # 0.11: opens at version 0, which guards nothing; drops what is stale and says yes; tells changes after 100 ms, with
    # the line ends of ``fileformat``
    "Neovim",
    "Neovim",
    _announced(versions=False),
    check=Check.NEWER_THAN_ZERO,
    says=Says.YES,
    first_version=0,
    told_after_s=0.1,
    own_told_after_s=0.097,
    apply_s=0.001,
    may_stream=True,
    line_ends=LineEnds.OF_THE_FILE,
)
EGLOT = Profile(
    # 1.9: answers what is stale with an error; tells what was typed when Emacs is idle for half a second
    "eglot",
    "Eglot",
    _announced(progress=False),
    says=Says.ERROR,
    told_after_s=0.5,
    reports_after_typing_pause=True,
    own_told_after_s=0.002,
    apply_s=0.004,
    may_stream=True,
)
KATE = Profile(
    # 22.12: the whole text at each change, told half a second later and held back while keys come (1.2 s were seen);
    # ignores versions, which count every change; no requests of our own; takes edits for two seconds after a command,
    # announces none
    "Kate",
    None,
    _announced(edits=False, versions=False, kinds=("quickfix", "refactor", "source")),
    check=Check.NONE,
    told_after_s=0.475,
    reports_after_typing_pause=True,
    own_told_after_s=0.475,
    apply_s=0.005,
    sends_full_text=True,
    counts_changes=True,
    has_requests=False,
    takes_edits_s=1.95,
)

PROFILES: tuple[Profile, ...] = (
    VS_CODE,
    replace(
        VS_CODE,
        name="VS Code, ours",
        capabilities=_streaming(),
        says=Says.STALE,
        has_requests=True,
        may_stream=False,
    ),
    NEOVIM,
    replace(
        NEOVIM,
        name="Neovim, ours",
        capabilities=_streaming(versions=False),
        check=Check.EXACT,
        says=Says.STALE,
        may_stream=False,
    ),
    EGLOT,
    Profile(
        # 8.0: no without a reason; its didChange comes before its answer; it counts code points
        "lsp-mode",
        "emacs",
        _announced(),
        large=1,
        own_told_after_s=None,
        apply_s=0.005,
        may_stream=True,
    ),
    KATE,
    Profile(
        # 0.0.83 in Vim 9: compares with its own copy, so that what is typed and not told yet passes; versions are
        # Vim's ``changedtick``
        "coc",
        "coc.nvim",
        _announced(),
        check=Check.TOLD,
        counts_changes=True,
        told_after_s=0.05,
        own_told_after_s=0.001,
        apply_s=0.005,
    ),
    Profile(
        "full text",
        None,
        _streaming(),
        says=Says.STALE,
        sends_full_text=True,
        own_told_after_s=0.02,
        line_ends=LineEnds.OF_THE_MODEL,
    ),
    Profile(
        "one message a change",
        None,
        _announced(),
        one_message_a_change=True,
        line_ends=LineEnds.ONE_BY_ONE,
    ),
    Profile("hidden", None, _streaming(), says=Says.STALE, p_hidden=0.3),
    Profile("says yes and does nothing", None, _announced(), p_lie=0.2),
    Profile("says yes and does nothing, ours", None, _streaming(), says=Says.STALE, p_lie=0.15),
    Profile("refuses at times", None, _announced(), p_refuse=0.25),
    Profile("refuses at times, ours", None, _streaming(), p_refuse=0.3, says=Says.STALE),
)
