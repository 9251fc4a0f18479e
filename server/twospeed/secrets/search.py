"""Find secrets in a text by format, by context and by name, in linear time."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from .detectors.contexts import CONTEXTS
from .detectors.key_formats import ISSUED, WHOLE_WORDS, KeyFormat, WholeWord
from .detectors.kubernetes import kubernetes_values
from .detectors.named_values import named_values, prose_secrets
from .detectors.private_keys import private_keys
from .scrub import MASK, lower_case

FORMATS = (*ISSUED, *CONTEXTS)


@dataclass(frozen=True, slots=True)
class SecretFound:
    """A secret in a text: its offsets in code points, and the name of its kind."""

    start: int
    end: int
    name: str


_LEAST_WORD = 15
"""Least length of a secret that begins with a mark."""

_WORDS = bytes(
    byte if chr(byte).isascii() and (chr(byte).isalnum() or byte in b"_-.") else ord(" ")
    for byte in range(256)
)
_PART_OF_MARK = re.compile(r"[a-z0-9_.\-]+")
_ESCAPES = (b"n", b"r", b"t")
"""Letters of an escaped line end or tab before a word in a literal."""

_WORD_BEGINS, _WORD_ENDS = r"(?<![A-Za-z0-9_\-.])", r"(?![A-Za-z0-9_\-])"

_MAX_COMMAND_CHARS = 400
_NO_WORD = re.compile(r"""[\s"'`=(){}\[\],;<>]""")


class _Vocabulary:
    """The distinct words of a text, collected at C speed, which exclude most searches.

    Attributes:
        joined: All words in lower case, with a space around each.
        beginnings: Marks that begin a long word, or its part after a dot or an escape.
        whole: Kinds that match a word by length and characters.
    """

    def __init__(self, text: str) -> None:
        words = set(text.encode("utf-8", "surrogatepass").translate(_WORDS).split())
        self.joined = b" %b " % b" ".join(words).lower()
        self.beginnings: set[str] = set()
        self.whole: set[WholeWord] = set()
        by_start, by_length = _marks_by_start(), _whole_words_by_length()
        for word in [word for word in words if len(word) >= _LEAST_WORD]:
            if word[:2] in by_start or b"." in word or word[:1] in _ESCAPES:
                self._read(word)
            for each in by_length.get(len(word), ()):
                if each not in self.whole and _compiled(each.source).fullmatch(word.decode()):
                    self.whole.add(each)

    def _read(self, word: bytes) -> None:
        by_start = _marks_by_start()
        at = 0
        while True:
            for start in (at, at + 1) if word[at : at + 1] in _ESCAPES else (at,):
                for mark in by_start.get(word[start : start + 2], ()):
                    if word.startswith(mark, start):
                        self.beginnings.add(mark.decode())
            at = word.find(b".", at) + 1
            if not at:
                return


@cache
def _marks_by_start() -> dict[bytes, tuple[bytes, ...]]:
    marks = [
        mark.encode() for key_format in FORMATS if key_format.begins_with_mark for mark in key_format.marks
    ]
    return {mark[:2]: tuple(each for each in marks if each[:2] == mark[:2]) for mark in marks}


@cache
def _whole_words_by_length() -> dict[int, tuple[WholeWord, ...]]:
    lengths = {length for each in WHOLE_WORDS for length in each.lengths}
    return {length: tuple(each for each in WHOLE_WORDS if length in each.lengths) for length in lengths}


@cache
def _formats_of_beginning() -> dict[str, tuple[KeyFormat, ...]]:
    marks = {mark for key_format in FORMATS if key_format.begins_with_mark for mark in key_format.marks}
    return {
        mark: tuple(each for each in FORMATS if each.begins_with_mark and mark in each.marks)
        for mark in marks
    }


@cache
def _marks_inside() -> tuple[tuple[tuple[bytes, ...], str, KeyFormat], ...]:
    """Return the other marks, each with words that must occur: its longest part, or the words of its format."""
    rows = []
    for key_format in FORMATS:
        for mark in () if key_format.begins_with_mark else key_format.marks:
            required = tuple(each.encode() for each in key_format.words)
            parts = list(_PART_OF_MARK.finditer(mark))
            if parts and not required:
                part = max(parts, key=lambda match: len(match[0]))
                begins, ends = " " * (part.start() > 0), " " * (part.end() < len(mark))
                required = (f"{begins}{part[0]}{ends}".encode(),)
            rows.append((required or (b"",), mark, key_format))
    return tuple(rows)


def find_secrets(text: str, *, begins_in_key: bool = False, is_prose: bool = False) -> Iterator[SecretFound]:
    """Yield what looks like a secret; matches of different kinds may overlap.

    Args:
        text: The text.
        begins_in_key: Whether it begins inside a private key.
        is_prose: Whether it is written for people; its secrets have no quotes.
    """
    words, lower = _Vocabulary(text), lower_case(text)
    yield from _issued(text, lower, words)
    kinds = [
        ("private key", private_keys(text, begins_inside=begins_in_key)),
        ("secret value", named_values(text, lower, words.joined)),
        ("secret of Kubernetes", kubernetes_values(text)),
    ]
    if is_prose:
        kinds.append(("secret in prose", prose_secrets(text, lower)))
    for name, spans in kinds:
        for start, end in spans:
            yield SecretFound(start, end, name)


def _issued(text: str, lower: str, words: _Vocabulary) -> Iterator[SecretFound]:
    for mark in words.beginnings:
        for key_format in _formats_of_beginning()[mark]:
            yield from _matches(key_format, mark, text, text)
    joined = words.joined
    for required, mark, key_format in _marks_inside():
        if required[0] in joined or (len(required) > 1 and any(each in joined for each in required)):
            yield from _matches(key_format, mark, text, lower)
    for kind in words.whole:
        for match in _compiled(f"{kind.before}{_WORD_BEGINS}{kind.source}{_WORD_ENDS}").finditer(text):
            yield SecretFound(match.start(), match.end(), kind.name)


_compiled = cache(re.compile)


def _matches(key_format: KeyFormat, mark: str, text: str, searched: str) -> Iterator[SecretFound]:
    if key_format.between and key_format.between.isdisjoint(text.split(mark)):
        return
    at = searched.find(mark)
    while at >= 0:
        end = len(text) if key_format.is_anywhere else at + len(mark)
        if key_format.is_in_line or key_format.is_anywhere:
            end = _end_of_command(text, at) if key_format.is_in_line else end
            found = list(key_format.pattern.finditer(text, at, end))
        else:
            start = at
            while start > at - key_format.n_before and start > 0 and not _NO_WORD.match(text, start - 1):
                start -= 1
            found = [match] if (match := key_format.pattern.match(text, start)) else []
            end = max(end, *(match.end() for match in found)) if found else end
        for match in found:
            yield SecretFound(*match.span("secret"), key_format.name)
        at = searched.find(mark, end)


def _end_of_command(text: str, start: int) -> int:
    last = min(start + _MAX_COMMAND_CHARS, len(text))
    end = text.find("\n", start, last)
    while end >= 0 and text[end - 2 : end].rstrip("\r").endswith("\\"):
        end = text.find("\n", end + 1, last)
    return end if end >= 0 else last


def mask_secrets(text: str) -> str:
    """Replace everything that looks like a secret with ``***``."""
    pieces: list[str] = []
    done = 0
    for found in sorted(find_secrets(text), key=lambda found: found.start):
        if found.start >= done:
            pieces += (text[done : found.start], MASK)
        done = max(done, found.end)
    return "".join((*pieces, text[done:])) if pieces else text
