"""Find secrets by the name before them: in assignments, calls, tables, tags, flags and configuration files.

Names contain ``key``, ``token``, ``secret``, ``pass`` and the like. A few forms that most languages share find
the value, then `values` judges it: after ``key`` only a long random value counts, after ``api_key`` also a
shorter token, after ``password`` also what a person may choose. Concatenated literals are judged together. Time
is linear: each expression is tried once for a name, within a bounded distance.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from .names import BEHIND_ANOTHER, MAX_LEAD_CHARS, NAMES, PASSWORDS, SecretName
from .values import has_mixture, reads_like_password

_REST = r"""(?P<rest>[\w.\-]{0,40}+)(?:\\?["'`\])}]){0,3}+"""
_LITERAL = (
    r"""[bfruBFRU@$]{0,2}(?:"{3}\s{0,80}+(?P<t>[^\s"\\]{4,1024}+)\s{0,80}+"{3}"""
    r"""|"(?P<d>(?:[^\s"\\]|\\(?:\r\n|.)[ \t]{0,80}){1,1024}+)\"|'(?P<s>(?:[^\s'\\]|\\(?:\r\n|.)[ \t]{0,80}){2,1024}+)'"""
    r"""|`(?P<g>(?:[^\s`\\]|\\(?:\r\n|.)[ \t]{0,80}){2,1024}+)`|\\"(?P<e>[^\s"\\]{2,1024}+)\\"|\\'(?P<f>[^\s'\\]{2,1024}+)\\')"""
)
_BARE = r"""(?P<b>(?![{$<%\[(])[^\s"'`,;<>(){}\[\]|]{6,512}+)(?![\w(\[.])"""
_AFTER_BARE = re.compile(r"&(?:amp;)?[\w.\-]{1,64}=|\\[nrt]|\\\Z")
_BREAK = r"(?:[ \t]{0,8}\\?\r?\n[ \t]{0,80}+)?"

_QUOTED = re.compile(
    _REST
    # "=", ":", "(" and the like, with at most one word (a type, a function) between; possibly on the next line
    + r"""[^\n"'`\w\\$@]{0,12}+(?:(?![bfruBFRU]{1,2}["'`])\w[\w.]{0,30}+[^\n"'`\w\\$@]{1,8}+){0,2}"""
    + _BREAK
    + r"""(?:["']{2}\.join\(|String\.join\(["']{2},[ ]?|implode\(["']{2},[ ]?)?[\[(]{0,2}\s{0,40}"""
    + _LITERAL,
    re.DOTALL,
)
_ASSIGNED = re.compile(
    _REST
    + r"[ \t]{0,16}+(?:=>|:=|\?=|\|\|=|<-|[=:>|])[ \t]{0,16}+(?:<!\[CDATA\[|[|>][+-]?[ \t]{0,4}(?=\r?\n)|[&!][\w!/:.\-]{0,40}+[ \t]{1,4}|\\)?"
    + r"(?:\r?\n[ \t]{1,80}+)?"
    + _BARE
)
_VALUE_OF = re.compile(
    _REST
    + r"(?:</key>\s{0,80}<string>|[\s,;]{0,80}+[{\s]{0,80}+(?:-[ ])?[\"']?(?:[Vv]alue|VALUE|default|stringValue)[\"']?[ ]{0,4}[:=][ ]{0,8})"
    + f"(?:{_LITERAL}|{_BARE})",
    re.DOTALL,
)
_SPACED = re.compile(
    _REST + r"[ \t]{1,8}+(?:(?:is|was|to|of)[ ](?:now[ ])?)?" + f"(?:{_LITERAL}|{_BARE})", re.DOTALL
)
_PAIR = re.compile(
    r"""[\w.]{0,40}+["']?[^\n"'`\w]{0,8}+(?:\w[\w.]{0,40}+\()?["'][^"'\n]{1,80}+["'][ ]?,\s{0,40}"""
    + _LITERAL,
    re.DOTALL,
)
_NEXT_PIECE = re.compile(
    r"(?:\s|\\\r?\n){0,80}(?:\+\+?|\.{1,2}|&(?:[ ]_)?|<>|~|\|\||,|\\)?(?:\s|\\\r?\n){0,80}" + _LITERAL,
    re.DOTALL,
)
_TEMPLATE_PIECE = re.compile(r"""\$?\{\s{0,4}["']([^\s"'`]{1,1024}+)["']\s{0,4}\}""")
_JOINING = re.compile(r"""[\s,]{0,80}[\])]{1,2}(?:\s{0,40}\.\s{0,4}join\b|[ ]?-join|\.concat\b)""")
_JOINED_BEFORE = ("join(", "implode(", "concat(", "''.join((", "join([")
_LETTERS_BEFORE = re.compile(r"[A-Za-z0-9_.\-]{0,40}\Z")
_CONTINUED = re.compile(r"\\\r?\n[ \t]*")
_MAX_PIECES = 32
_MAX_BEFORE = 160
_MAX_SEPARATORS = 8
"""Equals signs and colons in an unquoted value; with more it is a table."""

_COMMAND_BEFORE = re.compile(
    r"(?i)(?:--[\w-]{0,40}|^[ \t]{0,40}(?:ENV|ARG|export|setx?(?:[ ]-\w{1,3})?)[ ]\w{0,40}|^[ \t]{0,40}[\w.-]{0,40}|login[ ]\S{1,64}[ ]|config(?:ure)?[ ]set[ ]\S{0,64})\Z",
    re.MULTILINE,
)
_COMMENT_BEFORE = re.compile(
    r"^[ \t]{0,40}(?:#[ \t!]|//|/?\*|--|;[ ;]|%[ %]|<!--)[^\n\"']{0,100}\Z", re.MULTILINE
)
_COMPARED_BEFORE = re.compile(
    r"""["'](?P<s>[^\s"'\\]{6,128}+)["'][ ]?(?:[!=]={1,2}|\.equals\()[ ]?[\w.$]{0,40}\Z"""
)
_OR_ELSE = re.compile(r"[^\"'`\n]{0,24}?(?:\bor\b|\|\||\?\?|\belse\b|\?:|:)[ ]{0,4}" + _LITERAL, re.DOTALL)


def named_values(text: str, lower: str, words: bytes) -> Iterator[tuple[int, int]]:
    """Yield the offsets of each value next to a secret's name, in code points; possibly twice.

    Args:
        text: The text.
        lower: The same in lower case, with the same offsets.
        words: Its distinct words, in lower case.
    """
    for part in NAMES:
        if part.encode() not in words:
            continue
        at = lower.find(part)
        while at >= 0:
            place = _Occurrence(text, part, at)
            if span := next(place.assigned_values(), None) or next(place.other_values(), None):
                yield span
            at = lower.find(part, at + len(part))


class _Occurrence:
    """An occurrence of a name."""

    def __init__(self, text: str, part: str, start: int) -> None:
        self._text = text
        self._part = part
        self._start = start
        self._end = start + len(part)

    def assigned_values(self) -> Iterator[tuple[int, int]]:
        """Yield a value that is assigned to the name or passed with it."""
        text, end = self._text, self._end
        if self._part in BEHIND_ANOTHER and (match := _PAIR.match(text, end)):
            yield from self._judged(*_piece(match), part="hmac" if self._part == "hmac" else "pass")
        if match := _QUOTED.match(text, end):
            yield from self._literal(match)
            if follows := _OR_ELSE.match(text, match.end()):
                yield from self._judged(*_piece(follows), rest=match["rest"])
        for form in (_ASSIGNED, _VALUE_OF):
            if match := form.match(text, end):
                yield from self._literal(match)

    def other_values(self) -> Iterator[tuple[int, int]]:
        """Yield a value that is compared with the name, given to a command, or written in a comment."""
        text, start = self._text, self._start
        first = max(start - _MAX_BEFORE, 0)
        if self._part in PASSWORDS and "=" in text[first:start]:
            compared = _COMPARED_BEFORE.search(text, first, start)
            if compared and reads_like_password(compared["s"], is_quoted=True):
                yield compared.span("s")
        if match := _SPACED.match(text, self._end):
            is_in_comment = has_mixture(text[slice(*_piece(match))]) and _COMMENT_BEFORE.search(
                text, first, start
            )
            if is_in_comment or _COMMAND_BEFORE.search(text, first, start):
                yield from self._literal(match)

    def _literal(self, match: re.Match[str]) -> Iterator[tuple[int, int]]:
        text, (first, last), rest = self._text, _piece(match), match["rest"]
        if match["b"] is None if "b" in match.re.groupindex else True:
            pieces, last, end, is_list = _pieces(text, match)
            if is_list:
                before = text[match.start() : first].lower()
                if not (_JOINING.match(text, end) or any(each in before for each in _JOINED_BEFORE)):
                    pieces, last = pieces[:1], _piece(match)[1]
            value = _CONTINUED.sub("", "".join(pieces))
            value = _TEMPLATE_PIECE.sub(r"\1", value) if "{" in value else value
            yield from self._judged(first, last, rest=rest, value=value)
            return
        if cut := _AFTER_BARE.search(text, first, last):
            last = cut.start()
        if sum(map(text[first:last].count, ":=")) <= _MAX_SEPARATORS:
            yield from self._judged(first, last, rest=rest, is_quoted=False)

    def _judged(
        self,
        first: int,
        last: int,
        *,
        part: str = "",
        rest: str = "",
        value: str | None = None,
        is_quoted: bool = True,
    ) -> Iterator[tuple[int, int]]:
        text, start = self._text, self._start
        lead = _LETTERS_BEFORE.search(text, max(start - MAX_LEAD_CHARS, 0), start)
        name = SecretName(part or self._part, lead[0] if lead else "", text[start : self._end], rest)
        if name.is_of(text[first:last] if value is None else value, is_quoted=is_quoted):
            yield first, last


def _piece(match: re.Match[str]) -> tuple[int, int]:
    groups = match.groupdict()
    return next(match.span(each) for each in "tdsgefb" if groups.get(each) is not None)


def _pieces(text: str, match: re.Match[str]) -> tuple[list[str], int, int, bool]:
    """Collect joined or listed literals; return them, both ends of the last one, and whether they are a list."""
    first, last = _piece(match)
    pieces, end, is_list = [text[first:last]], match.end(), False
    while len(pieces) < _MAX_PIECES and (follows := _NEXT_PIECE.match(text, end)):
        start, stop = _piece(follows)
        is_listed = "," in text[end:start]
        if is_listed != is_list and len(pieces) > 1:
            break
        is_list = is_listed
        pieces.append(text[start:stop])
        last, end = stop, follows.end()
    return pieces, last, end, is_list
