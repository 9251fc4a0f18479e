"""What a model wrote becomes the lines of the new scope, or a refusal.

Models wrap code in fences, put a sentence before it, lose its indentation, or answer with something else
altogether. The rules here look at structure, at what the old lines hold and at what parses, not at phrases:

* A fence opens the code; what stood before it is talk and is dropped, and so is talk behind its end.
* Without a fence, a first line that is an old line, or resembles the first old one, opens the code.
* Anything else is held until the end: it is code if it parses in the scope's place, and refused if not.
* A marker that stands for lines left out, a second block, a tag that never closes: refused.

Nothing leaves before the answer has proved to be code. Blank lines at either end follow the old text.
Not here: where the lines go (`aligner`), whether the result parses in the document (`gate`).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from enum import Enum, auto

from .aligner import is_similar, is_trivial
from .elision import is_marker
from .evidence import Indents, Outside, Refusal, Surroundings, balance, indent_of

BYTE_ORDER_MARK = "\ufeff"


class _State(Enum):
    START = auto()  # nothing but blank lines so far
    TAGGED = auto()  # inside <think> or the like
    HELD = auto()  # lines that may be talk or code
    PLAIN = auto()  # code without a fence
    FENCED = auto()
    AFTER = auto()  # behind the closing fence


_FENCE = re.compile(r"\s*(`{3,}|~{3,})\s*([^`]*)")
_OPENING_TAG = re.compile(r"\s*<([A-Za-z][\w-]*)>")
_CODE_CHARACTER = re.compile(r"[=()\[\]{}:;<>+*/@#\"_|&%$\\^~`]")
_PATCH_MARK = re.compile(
    r"<{5,9}( .*)?|={5,9}|>{5,9}( .*)?|@@( .*)?|\*\*\* (Begin|Update|End) .*|(---|\+\+\+) \S.*|diff -.*"
)
"""Lines by which patches, merge conflicts and search/replace blocks are told from code."""

_COMMENT_END = re.compile(r"\s*(\*/|-->)\s*$")


class AnswerReader:
    """Take an answer's lines, give the scope's new ones.

    ``refusal`` is set as soon as the answer is known to be unusable; from then on no line comes out.
    """

    def __init__(self, old: Sequence[str], surroundings: Surroundings) -> None:
        # A byte order mark is the document's, not the code's: models drop it, and it must come back.
        self._mark = BYTE_ORDER_MARK if old and old[0].startswith(BYTE_ORDER_MARK) else ""
        old = [old[0].removeprefix(BYTE_ORDER_MARK), *old[1:]] if self._mark else old
        self._old = old
        self._around = surroundings
        self._known = {line.strip() for line in old if line.strip()}
        self._old_lines = set(old)
        self._twins = {line.strip(): line for line in old if not is_trivial(line)}
        self._first_old = next((line for line in old if line.strip()), "")
        self._last_old = next((line for line in reversed(old) if line.strip()), "")
        self._inner_fences = sum(1 for line in old if _FENCE.fullmatch(line))
        self._state = _State.START
        self._held: list[str] = []
        self._blank: list[str] = []
        self._fence = ""
        self._inner_tags = 0
        self._tag = ""
        self._shift: tuple[str, str] | None = None
        self._old_indents = Indents(old)
        self._indents = Indents(())
        self._first = self._last = ""
        self._first_telling = self._last_telling = ""
        self._balance = Counter[str]()
        self._outside = Outside(surroundings, self._known)
        self.refusal: Refusal | None = None

    def receive_line(self, line: str) -> list[str]:
        """Take one line of the answer; return the lines of the new scope that are certain now."""
        return [] if self.refusal else list(self._read(line.removeprefix(self._mark)))

    def finish(self) -> list[str]:
        """Take the end of a whole answer; return the last lines, or set ``refusal``."""
        if self.refusal:
            return []
        lines: list[str] = []
        if self._state is _State.HELD:
            lines = self._judge_held()
        elif self._state is _State.FENCED and self._closes_at_end():
            self._blank.clear()
        elif self._state is _State.TAGGED:
            self._refuse("not-code", f"the answer never left its <{self._tag}> block")
        if not self.refusal and not self._first:
            self._refuse("empty", "the model answered without any code")
        if not self.refusal:
            self._check_ends()
        return [] if self.refusal else lines

    # States

    def _read(self, line: str) -> Iterator[str]:
        match self._state:
            case _State.START | _State.HELD:
                yield from self._read_opening(line)
            case _State.TAGGED:
                self._read_tagged(line)
            case _State.PLAIN:
                if self._is_foreign_fence(line):
                    self._refuse("not-code", "a code fence stands in the middle of the answer")
                else:
                    yield from self._code(line)
            case _State.FENCED:
                yield from self._read_fenced(line)
            case _State.AFTER:
                if self._is_foreign_fence(line):
                    self._refuse("ambiguous", "the answer holds more than one block of code")

    def _read_opening(self, line: str) -> Iterator[str]:
        if not line.strip():
            if self._state is _State.HELD:
                self._held.append(line)
        elif self._is_foreign_fence(line):
            self._open_fence(line)
        elif self._state is _State.START and (tag := self._opened_tag(line)):
            self._tag, self._state = tag, _State.TAGGED
            self._read_tagged(line)
        elif self._state is _State.START and self._opens_code(line):
            self._state = _State.PLAIN
            yield from self._code(line)
        else:
            self._state = _State.HELD
            self._held.append(line)

    def _open_fence(self, line: str) -> None:
        match = _FENCE.fullmatch(line)
        assert match
        self._fence, self._state = match[1], _State.FENCED
        self._held.clear()

    def _read_tagged(self, line: str) -> None:
        if f"</{self._tag}>" in line:
            self._state = _State.START
            if rest := line.rpartition(f"</{self._tag}>")[2].strip():
                self._held.append(rest)
                self._state = _State.HELD

    def _read_fenced(self, line: str) -> Iterator[str]:
        match = _FENCE.fullmatch(line)
        if match and match[1][0] == self._fence[0] and len(match[1]) >= len(self._fence):
            if match[2].strip():
                self._inner_tags += 1  # a fence with a tag opens an inner block: the next bare one is its end
            elif self._inner_tags:
                self._inner_tags -= 1
            elif line in self._old_lines and self._inner_fences > 0:
                self._inner_fences -= 1
            else:
                self._blank.clear()
                self._state = _State.AFTER
                return
        yield from self._code(line)

    def _closes_at_end(self) -> bool:
        """Whether an unclosed fence is no sign of a cut answer: the old last line has come."""
        return self._last.strip() == self._last_old.strip() or not self._last_old

    # Code lines

    def _code(self, line: str) -> Iterator[str]:
        if not line.strip():
            self._blank.append(line)
            return
        if _PATCH_MARK.fullmatch(line) and line not in self._old_lines:
            self._refuse("not-code", "the answer is a patch, not the new code")
        else:
            line = self._reindented(line)
        if self.refusal:
            return
        if self._stands_for_lines(line):
            self._refuse("elided", "the answer leaves lines out and puts a marker in their place")
            return
        if not self._first:
            self._first = line
            yield from _blank_head(self._old)
        else:
            yield from self._blank
        self._blank.clear()
        self._last = line
        self._balance.update(balance([line]))
        if not is_trivial(line):
            self._note_telling(line)
        self._indents.add(line)
        if not self.refusal:
            yield self._mark + line
            self._mark = ""

    def _note_telling(self, line: str) -> None:
        self._first_telling = self._first_telling or line
        self._last_telling = line
        if self._outside.holds_many_with(line):
            self._refuse("extent", "the answer repeats lines from outside the scope")

    def preview(self, partial: str) -> str:
        """Return how the still open line begins, as far as that is certain; empty where it is not."""
        if (
            self._state not in (_State.PLAIN, _State.FENCED)
            or self._blank
            or not partial.strip()
            or not self._shift
        ):
            return ""
        remove, add = self._shift
        return add + partial.removeprefix(remove) if partial.startswith(remove) else ""

    def trailing_blank(self) -> list[str]:
        """Return the blank lines the old text ends with; the answer's own are dropped."""
        return _blank_head(self._old[::-1]) if self._first_old else []

    def _reindented(self, line: str) -> str:
        """Give a line its indentation back where the whole answer lost or gained some."""
        if self._shift is None:
            self._shift = self._indent_shift(line)
        remove, add = self._shift
        shifted = add + line.removeprefix(remove)
        is_half_shifted = shifted != line and line in self._old_lines and shifted not in self._old_lines
        old, new = indent_of(self._twins.get(line.strip(), "")), indent_of(shifted)
        is_foreign = bool(old and new) and set(old).isdisjoint(new)  # tabs where that very line has spaces
        if (
            not line.startswith(remove)
            or is_half_shifted
            or is_foreign
            or not self._old_indents.allow(shifted)
        ):
            self._refuse("indentation", "the answer is not indented as the document is")
        return shifted

    def _indent_shift(self, line: str) -> tuple[str, str]:
        """Compare the first code line with the first old one: what every line must lose, and gain."""
        if not self._first_old or line in self._old_lines:
            return "", ""
        new, old = indent_of(line), indent_of(self._first_old)
        if old.endswith(new):
            return "", old[: len(old) - len(new)]
        return new.removesuffix(old), ""

    def _stands_for_lines(self, line: str) -> bool:
        text = line.strip()
        return text not in self._known and self.is_comment(text) and is_marker(text)

    def is_comment(self, line: str) -> bool:
        """Whether a line holds a comment and nothing else."""
        text = line.strip()
        if text.startswith(("/*", "<!--", "{/*")):
            return bool(_COMMENT_END.search(text.removesuffix("}")))
        return bool(self._around.comment_markers) and text.startswith(self._around.comment_markers)

    # Judgements

    def _opens_code(self, line: str) -> bool:
        text = line.strip()
        if text in self._known and not is_trivial(text):
            return True
        return bool(self._first_old) and is_similar(text, self._first_old.strip())

    def _opened_tag(self, line: str) -> str | None:
        match = _OPENING_TAG.match(line)
        if (
            not match
            or line.strip() in self._known
            or (self._first_old and self._first_old.lstrip().startswith("<"))
        ):
            return None
        return match[1]

    def _is_foreign_fence(self, line: str) -> bool:
        return bool(_FENCE.fullmatch(line)) and line.strip() not in self._known

    def _judge_held(self) -> list[str]:
        """Decide about an answer that never proved itself: code if it parses, talk if not."""
        while self._held and not self._held[-1].strip():
            self._held.pop()
        text = "\n".join(self._held)
        if self._around.parses is None or not _CODE_CHARACTER.search(text) or _reads_as_prose(self._held):
            self._refuse("not-code", "the answer is talk, or code that cannot be told from it")
            return []
        lines = [line for held in self._held for line in self._code(held)]
        if not self.refusal and not self._around.parses("\n".join(lines) + "\n"):
            self._refuse("not-code", "the answer is not code that fits here")
        return lines

    def _check_ends(self) -> None:
        """Refuse an answer that reaches beyond the scope, or whose ends nothing vouches for."""
        first, last = self._first.strip(), self._last.strip()
        old_first, old_last = self._first_old.strip(), self._last_old.strip()
        if self._outside.is_edge(self._first_telling, self._last_telling):
            self._refuse("extent", "the answer repeats lines from outside the scope")
        elif self._indents.unit > self._old_indents.unit > 0:
            self._refuse("indentation", "the answer is indented more deeply than the document")
        elif self._state is _State.FENCED and not self._closes_at_end():
            self._refuse("truncated", "the answer's code fence is never closed")
        elif self._around.parses is None and self._balance != balance(self._old):
            self._refuse("not-code", "the answer opens and closes brackets otherwise than the old text")
        elif self._around.parses is None and self._state is _State.PLAIN:
            known_ends = (first in self._known or is_similar(first, old_first)) and (
                last in self._known or is_similar(last, old_last)
            )
            if not known_ends:
                self._refuse(
                    "not-code", "the answer may hold more than code, and this language cannot be checked"
                )

    def _refuse(self, code: str, message: str) -> None:
        self.refusal = Refusal(code, message)


def _blank_head(lines: Sequence[str]) -> list[str]:
    """Return the blank lines a text begins with, none where it is blank altogether."""
    for index, line in enumerate(lines):
        if line.strip():
            return list(lines[:index])
    return []


def _reads_as_prose(lines: Sequence[str]) -> bool:
    """Whether a first line is a sentence: words, a capital, a full stop, a colon or a question mark at its end."""
    return bool(re.fullmatch(r"[A-Z][\w'\u2019]*,?(\s+[^\s=(){}\[\];]+)+[.:!?]", lines[0].strip()))
