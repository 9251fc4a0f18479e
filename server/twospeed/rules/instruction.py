"""Parse an instruction with a small grammar that must match it completely.

Case, politeness, spaces and final punctuation are ignored. "Add a docstring and tests" is not a request for a
docstring.
"""

from __future__ import annotations

import re
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class AddDocs:
    """Add doc comments to functions and classes.

    Attributes:
        name: The definition to document. ``None`` means those of the scope.
        is_jsdoc: Whether the user asked for JSDoc by name.
    """

    name: str | None = None
    is_jsdoc: bool = False


@dataclass(frozen=True, slots=True)
class Rename:
    """Rename a name.

    Attributes:
        owner: ``self``, ``cls`` or ``this`` if the user named an attribute, else empty.
    """

    old: str
    new: str
    owner: str = ""


@dataclass(frozen=True, slots=True)
class AddTypeHints:
    """Annotate values of certain types."""


@dataclass(frozen=True, slots=True)
class UseFStrings:
    """Convert older string formatting to f-strings."""


Command = AddDocs | Rename | AddTypeHints | UseFStrings

_LONGEST_INSTRUCTION = 300
"""A longer instruction is not matched."""

_CURLY = str.maketrans("\u2018\u2019\u201c\u201d", "''\"\"")
_POLITE_START = re.compile(
    r"(?:please|pls|kindly|hey|hi|hello|ok|okay|now|just|(?:can|could|would|will) you|let'?s"
    r"|i(?: want|'d like| would like) you to|go ahead and)\b[\s,]*",
    re.IGNORECASE,
)
_POLITE_END = re.compile(r"(?<![\s,])[\s,]*\b(?:please|pls|thanks|thank you|thx|for me|now)$", re.IGNORECASE)

_THING = r"(?:function|method|class|constructor|component|file|module|code|selection|block|scope|lines?)"
_WHERE = (
    r"(?: (?:to|for|on|in|of|inside|within|throughout))?"
    r"(?: (?:this|the|that|these|all|each|every|my|its|whole|entire|current|selected))*"
    rf"(?: {_THING}(?:s|es)?(?: and {_THING}(?:s|es)?)?| this| these| it| them| here| everything| everywhere)"
)
_ADD = r"(?:add|write|create|generate|insert|include|put)(?: me)?"
_SOME = r"(?: (?:a|an|the|some|any|missing|proper|certain|simple|short|basic|google[ -]style))*"
_DOC = (
    r"(?:doc ?-?strings?|doc(?:umentation)?[ -]comments?(?: blocks?)?|doc[ -]?blocks?|docs|documentation"
    r"|(?P<jsdoc>(?:js|ts)[ -]?docs?(?: (?:comments?|blocks?))?))"
)
_QUOTES = "`'\""
_NAME = (
    rf"[{_QUOTES}]?(?P<{{}}>(?:(?:self|cls|this)\.)?[^\W\d][\w$]*|(?:this\.)?\$[\w$]*)(?:\(\))?[{_QUOTES}]?"
)
_KIND = (
    r"(?: (?:local|the|this|my))*"
    r"(?: (?:variable|var|parameter|param|argument|arg|constant|function|method|class|name|identifier))?"
)

_ADD_DOCS = re.compile(
    rf"(?:{_ADD}{_SOME} {_DOC}|document|docstring)(?:{_WHERE}| (?:for |to |on )?(?:{_THING} )?{_NAME.format('name')})?",
    re.IGNORECASE,
)
_RENAME = re.compile(
    rf"(?:rename|change the name of){_KIND} {_NAME.format('old')} (?:to|into|as|->|=>|→) {_NAME.format('new')}"
    rf"(?:{_WHERE})?",
    re.IGNORECASE,
)
_TYPE_HINTS = re.compile(
    rf"(?:{_ADD}{_SOME} (?:type[ -](?:hint|annotation)s?|typings?|types?|annotations?)(?: only)?(?:{_WHERE})?"
    rf"|annotate{_WHERE}(?: with (?:types|type[ -](?:hint|annotation)s))?|type[ -]hint{_WHERE})",
    re.IGNORECASE,
)
_OLD_FORMATTING = (
    r"(?:\.?format(?:\(\))?(?: calls?| strings?)?|str\.format(?:\(\))?|%(?:[ -]?format(?:ting|ted)?(?: strings?)?)?"
    r"|percent(?:[ -]format(?:ting|s)?)?|(?:old )?string formatting|format strings|formatting|strings?)"
)
_F_STRINGS = re.compile(
    rf"(?:use (?:an )?f[ -]?strings?(?: (?:instead of|rather than|in place of|over) {_OLD_FORMATTING})?"
    rf"|(?:convert|change|switch|migrate|rewrite|turn|modernize|modernise|replace)"
    rf"(?:(?: (?:this|these|the|all|any|every|it|them|everything|from|old))*+(?: {_OLD_FORMATTING})?)"
    rf"(?: and {_OLD_FORMATTING})?(?:{_WHERE})? (?:to|into|with|as|by|using|to use) (?:an )?f[ -]?strings?)"
    rf"(?:{_WHERE}| where(?:ver)? possible| instead)?",
    re.IGNORECASE,
)


def parse_instruction(instruction: str) -> Command | None:
    """Return the command of an instruction, or ``None`` if the grammar does not match every word."""
    if len(instruction) > _LONGEST_INSTRUCTION:
        return None
    words = _plain(instruction)
    if match := _RENAME.fullmatch(words):
        return _rename(match["old"], match["new"])
    if match := _ADD_DOCS.fullmatch(words):
        return AddDocs(match["name"], match["jsdoc"] is not None)
    if _TYPE_HINTS.fullmatch(words):
        return AddTypeHints()
    if _F_STRINGS.fullmatch(words):
        return UseFStrings()
    return None


def _plain(instruction: str) -> str:
    words = " ".join(instruction.translate(_CURLY).split()).rstrip(" .!?…,;:")
    while match := _POLITE_START.match(words):
        words = words[match.end() :]
    while match := _POLITE_END.search(words):
        words = words[: match.start()]
    return words.rstrip(" .!?…,;:")


def _rename(old: str, new: str) -> Rename | None:
    owner, dot, name = old.rpartition(".")
    new_owner, _, new_name = new.rpartition(".")
    if new_owner not in {"", owner}:
        return None
    return Rename(name, new_name, owner if dot else "")
