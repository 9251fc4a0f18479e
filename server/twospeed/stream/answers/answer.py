"""What a model wrote becomes the lines of the new scope, or a refusal.

An answer's lines go through stages, each with one idea: `framing` finds the code, `repeated_context` drops lines around the scope,
`indentation` gives the document's back. Answers that are a patch or the whole file are collected and judged at
their end, by `patches` and `whole_file`. The rules look at structure, at what the old lines hold and at what parses, not
at phrases.

Nothing leaves before the answer has proved to be code. Blank lines at either end follow the old text.
Not here: where the lines go (`aligner`), whether the result parses in the document (`gate`).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cached_property

from twospeed.stream.aligner import is_trivial

from .decorated import why_decorated
from .elided.elision import is_marker
from .evidence import OldText, Outside, Refusal, Surroundings, balance, indent_of
from .fences import fence_of
from .framing import Framing
from .indent.indentation import Reindenter
from .indent.restyled import Restyling
from .landmarks import Landmarks
from .line_kinds import LineKind, line_kinds, text_of
from .patch.patches import patched
from .patch.search_replace import opens_block
from .prose import ProseClassifier, is_element
from .reasoning import ReasoningTags
from .repeated_context import RepeatedAbove, RepeatedBelow
from .whole_file import BYTE_ORDER_MARK, cut_to_scope, without_mark

_MANY_TIMES = 3
"""By how much the scope exceeds an answer that may be a part of it."""

_CONTROL = re.compile(r"<\|\w+\|>")
_ENDS_IN_CONTROL = re.compile(r"<\|\w+\|>$")

_UNCLOSED = Refusal("truncated", "the answer's code fence is never closed")


class AnswerReader:
    """Take an answer's lines, give the scope's new ones.

    ``refusal`` is set as soon as the answer is known to be unusable; from then on no line comes out.
    """

    def __init__(self, old: Sequence[str], surroundings: Surroundings) -> None:
        self.refusal: Refusal | None = None
        self._document = (old, surroundings)
        # A byte order mark is the document's, not the code's: models drop it, and it must come back.
        self._mark = BYTE_ORDER_MARK if old and old[0].startswith(BYTE_ORDER_MARK) else ""
        self._old = OldText(without_mark(old) if self._mark else old)
        self._around = surroundings
        self._judgement = ProseClassifier(self._old, surroundings)
        self._landmarks = Landmarks(self._old, surroundings)
        self._outside = Outside(surroundings, self._old)
        tags = ReasoningTags(self._old, surroundings)
        self._framing = Framing(self._old, self._landmarks, tags, self._judgement, surroundings.fence)
        self._above = RepeatedAbove(self._landmarks.above, self._old, self._outside, self._judgement)
        self._below = RepeatedBelow(surroundings.below, self._old, self._outside, self._judgement)
        self._restyling = Restyling(self._old.lines, surroundings.instruction)
        self._indentation = Reindenter(self._old.lines, surroundings)
        self._head: list[str] | None = []
        self._code_lines: list[str] = []
        self._patch: list[str] | None = None
        self._file: list[str] | None = None
        self._has_code = False
        self._blank: list[str] = []
        self._lines: list[str] = []

    # What comes in

    def receive_line(self, line: str) -> Sequence[str]:
        """Take one line of the answer; return the lines of the new scope that are certain now."""
        if self.refusal:
            return ()
        line = line.removeprefix(self._mark)
        if self._patch is not None:
            self._patch.append(line)
            return ()
        lines = self._code(self._framing.receive_line(line))
        return () if self._is_refused() else lines

    def finish(self) -> Sequence[str]:
        """Take the end of a whole answer; return the last lines, or set ``refusal``."""
        if self.refusal:
            return ()
        if self._patch is not None:
            return self._land_whole(patched(self._patch, *self._document))
        if patch := self._framing.held_patch:
            return self._land_whole(patched(patch, *self._document))
        lines = self._code(self._framing.finish())
        if self._head:
            lines += self._scope_lines(self._begun())
        if self._file is not None and not self._is_refused():
            whole = cut_to_scope(self._file, *self._document)
            if whole is not None:
                has_end = any(line.strip() for line in self._around.below) or not self._is_unclosed(
                    self._file
                )
                return self._land_whole(whole if has_end else _UNCLOSED)
            begun, self._file = self._file, None
            lines += self._scope_lines(begun)
        if not self._is_refused():
            lines += self._last_lines()
        if not self._is_refused():
            self._check_whole()
        return () if self.refusal else lines

    @property
    def is_patch(self) -> bool:
        """Whether the answer is a patch; known after `finish`."""
        return self._patch is not None or bool(self._framing.held_patch)

    @property
    def prose(self) -> Sequence[str]:
        """The lines of the answer around its code; complete after `finish`."""
        return self._framing.prose

    @property
    def is_open(self) -> bool:
        """Whether the block that was asked for is still open: nothing proves that the answer is whole."""
        return self._framing.is_asked and self._framing.is_unclosed

    def trailing_blank(self) -> Sequence[str]:
        """Return the blank lines the old text ends with; the answer's own are dropped."""
        if not self._old.first or self._patch is not None or self._file is not None or self._is_deletion:
            return ()
        return _blank_head(self._old.lines[::-1])[::-1]

    @property
    def _is_deletion(self) -> bool:
        """Whether the answer is an empty block, which deletes the scope."""
        return not self._lines and bool(self._old.first) and self._framing.is_empty_block

    def _is_comment(self, line: str) -> bool:
        text = line.strip()
        if text.startswith(("/*", "<!--", "{/*")):
            return text.removesuffix("}").rstrip().endswith(("*/", "-->"))
        return text.startswith(self._around.comment_markers)

    # From the answer's code to the scope's lines

    def _code(self, lines: Sequence[str]) -> list[str]:
        if self._head is None:
            self._code_lines += lines
            return self._scope_lines(lines)
        for index, line in enumerate(lines):
            if self._landmarks.is_label(line):
                continue
            self._code_lines.append(line)
            self._head.append(line)
            if self._landmarks.opens_patch(line) or self._is_in_patch_fence(line):
                self._patch = [line, *lines[index + 1 :]]
                return []
            if not is_trivial(line):
                is_file = self._landmarks.open_file(self._head)
                rest = lines[index + 1 :]
                self._code_lines += rest
                begun = [*self._begun(), *rest]
                if is_file:
                    self._file = begun
                    return []
                return self._scope_lines(begun)
        return []

    def _begun(self) -> Sequence[str]:
        lines, self._head = self._head or [], None
        return lines

    def _scope_lines(self, lines: Sequence[str]) -> list[str]:
        if self._file is not None:
            self._file += lines
            return []
        out: list[str] = []
        for line in lines:
            for kept in self._above.receive_line(line):
                for certain in self._below.receive_line(kept):
                    self._indented(certain, out)
        return out

    def _last_lines(self) -> list[str]:
        out: list[str] = []
        for kept in self._above.finish():
            for certain in self._below.receive_line(kept):
                self._indented(certain, out)
        for certain in self._below.finish():
            self._indented(certain, out)
        held, is_restyled = self._restyling.finish()
        for line in held:
            for indented in (line,) if is_restyled else self._indentation.receive_line(line):
                self._give(indented, out)
        for line in self._indentation.finish():
            self._give(line, out)
        return out

    def _indented(self, line: str, out: list[str]) -> None:
        if not self._has_code:
            self._has_code = bool(line.strip())
        if self._has_code:  # blank lines at the head follow the old text
            for own in self._restyling.receive_line(line):
                for indented in self._indentation.receive_line(own):
                    self._give(indented, out)

    def _give(self, line: str, out: list[str]) -> None:
        if not line.strip():
            self._blank.append(line)
            return
        if line not in self._old.exact:
            self._check_new(line)
        if self._blank or not self._lines:
            out += self._blank if self._lines else _blank_head(self._old.lines)
            self._lines += self._blank
            self._blank.clear()
        self._lines.append(line)
        out.append(self._mark + line)
        self._mark = ""

    def _check_new(self, line: str) -> None:
        text = line.strip()
        if text not in self._old.known and self._is_comment(text) and is_marker(text):
            self._refuse("elided", "the answer leaves lines out and puts a marker in their place")
        elif opens_block(text) and text not in self._old.known:
            self._refuse("not-code", "the answer has a patch or a merge conflict in its code")
        elif self._around.delimiter and self._around.delimiter in text:
            self._refuse("not-code", "the answer repeats a mark of the request")
        elif self._is_control_token(text):
            self._refuse("not-code", "the answer holds a mark of the model's own format")

    # Judgements

    def _land_whole(self, lines: list[str] | Refusal) -> Sequence[str]:
        """Take the scope as a patch or a whole file gives it."""
        if isinstance(lines, Refusal):
            self.refusal = lines
            return ()
        for line in lines:
            if line not in self._old.exact and not self.refusal:
                self._check_new(line)
        return () if self.refusal else lines

    def _check_whole(self) -> None:
        """Refuse an answer that holds no code, reaches beyond the scope, or whose ends nothing vouches for."""
        old, lines = self._old, self._lines
        if self._is_deletion:
            return
        if not lines or self._holds_nothing(lines):
            self._refuse("empty", "the model answered without any code")
        elif self._outside.is_reached_by(lines):
            self._refuse("extent", "the answer repeats lines from outside of what is edited")
        elif self._is_part(lines):
            self._refuse("extent", "the answer holds only a part of the scope")
        elif self._is_comment_alone(lines):
            self._refuse("extent", "the answer is a comment without the code it is about")
        elif self._is_unclosed(lines):
            self.refusal = _UNCLOSED
        elif self._framing.is_fenced and self._has_doubtful_fence(lines[0]):
            self._refuse("ambiguous", "the answer's fence may be part of the text")
        elif not self._framing.is_fenced and not self._are_ends_vouched():
            self._refuse("not-code", "the answer has no code block, and its first or last lines may be talk")
        else:
            self.refusal = why_decorated(self._code_lines, old)

    def _is_in_patch_fence(self, line: str) -> bool:
        """Whether the answer's fence says that it holds a diff: models leave out the headers then."""
        is_patch = self._framing.is_fenced and self._framing.opening.holds_patch
        return is_patch and bool(line.strip()) and not self._landmarks.is_document_patch

    def _has_doubtful_fence(self, first: str) -> bool:
        """Whether the fence around the answer may be the one that the old text begins with, or one too many."""
        if self._framing.is_asked:
            return False
        inner, outer = fence_of(first), self._framing.opening
        if fence_of(self._old.first):
            return inner is None
        return inner is not None and inner.mark.startswith(outer.mark) and outer.info in ("", inner.info)

    def _holds_nothing(self, lines: Sequence[str]) -> bool:
        """Whether brackets are all that is left, and not those that the old text begins with."""
        if not all(map(is_trivial, lines)) or all(map(is_trivial, self._old.lines)):
            return False
        return lines[0].strip()[0] != self._old.first.strip()[0]

    def _is_part(self, lines: Sequence[str]) -> bool:
        """Whether an answer without the scope's ends shows what is inside: the body of its block, or few changed lines."""
        old, texts = self._old, {line.strip() for line in lines}
        if old.first.strip() in texts:
            return False
        if self._indentation.begins_inside(lines[0]):
            return True
        telling = [line for line in lines if not is_trivial(line)]
        n_old = sum(not is_trivial(line) for line in old.lines)
        if len(telling) * _MANY_TIMES > n_old:
            return False
        ends = {"", old.first.strip(), old.last.strip()}
        return all(old.source_of(line) not in ends for line in telling)

    def _is_comment_alone(self, lines: Sequence[str]) -> bool:
        """Whether comments take the place of code, and are not that code commented out."""
        markers = self._around.comment_markers
        kinds = set[LineKind]()
        for kind in line_kinds(map(str.strip, lines), markers):
            if kind is LineKind.CODE:
                return False  # the first line of nearly every answer
            kinds.add(kind)
        if kinds.isdisjoint({LineKind.COMMENT, LineKind.TEXT}):
            return False
        old = [line.strip() for line in self._old.lines]
        code = {
            line for line, kind in zip(old, line_kinds(old, markers), strict=True) if kind is LineKind.CODE
        }
        kept = code & {text_of(line.strip()) for line in lines}
        return bool(code) and len(kept) * 2 < len(code)

    def _is_control_token(self, text: str) -> bool:
        """Whether a line begins or ends with a mark such as ``<|name|>``, and the document holds none."""
        if "<|" not in text or not (_CONTROL.match(text) or _ENDS_IN_CONTROL.search(text)):
            return False
        return not self._has_control_marks

    @cached_property
    def _has_control_marks(self) -> bool:
        lines = (*self._around.above, *self._old.lines, *self._around.below)
        return any("<|" in line for line in lines)

    def _is_unclosed(self, lines: Sequence[str]) -> bool:
        """Whether the answer's fence is open and the old end has not come: something may be missing, or too much."""
        last = next((line for line in reversed(lines) if line.strip()), "")
        is_fence = last not in self._old.exact and last.rstrip().endswith(self._framing.opening.mark)
        is_cut = is_fence or self._old.is_cut_off_at(last)
        has_end = not is_cut and (not self._old.last or self._old.may_end_with(last))
        return self._framing.is_unclosed and not has_end

    def _are_ends_vouched(self) -> bool:
        """Whether an answer without a fence certainly begins and ends with code."""
        old, lines = self._old, self._lines
        texts = {line.strip() for line in lines}
        # What only resembles an old line is no change of it if that comes too.
        first_is_old = lines[0].strip() in old.known or (
            old.may_begin_with(lines[0]) and old.first.strip() not in texts
        )
        if not first_is_old and not self._judgement.tells:
            n_comments = self._judgement.count_comments(lines)
            first_is_old = lines[n_comments : n_comments + 1] == [old.first] or self._goes_on(lines)
        last_is_old = lines[-1].strip() in old.known or (
            old.may_end_with(lines[-1]) and old.last.strip() not in texts
        )
        if not self._judgement.tells:
            last_is_old = last_is_old or self._goes_on(lines[::-1])
        if first_is_old and (last_is_old or is_element(lines[-1])):
            n_open = balance(old.lines)
            return self._around.parses is not None or any(n_open.values()) or balance(lines) == n_open
        if not self._judgement.tells or self._judgement.is_talk(*(*lines, "")[:2]):
            return False
        return not self._has_talk_behind() and self._judgement.fits(lines)

    def _goes_on(self, lines: Sequence[str]) -> bool:
        """Whether the lines up to the first old one are written as the lines of this document are."""
        at = next((at for at, line in enumerate(lines) if line.strip() in self._old.known), 0)
        return at > 0 and self._judgement.are_like_lines_here(lines[:at])

    def _has_talk_behind(self) -> bool:
        """Whether a paragraph behind the last old line, or the last line, may be talk though it parses."""
        lines = ["", *self._lines, ""]
        base = len(indent_of(self._lines[0]))
        for index in range(len(self._lines), 0, -1):
            line, above, below = lines[index], lines[index - 1], lines[index + 1]
            if line.strip() in self._old.known:
                return False
            is_apart = not above.strip() or index == len(self._lines)
            if is_apart and len(indent_of(line)) <= base and self._judgement.is_talk(line, below):
                return True
        return False

    def _is_refused(self) -> bool:
        self.refusal = (
            self.refusal
            or self._framing.refusal
            or self._above.refusal
            or self._below.refusal
            or self._indentation.refusal
        )
        return self.refusal is not None

    def _refuse(self, code: str, message: str) -> None:
        self.refusal = Refusal(code, message)


def _blank_head(lines: Sequence[str]) -> list[str]:
    for index, line in enumerate(lines):
        if line.strip():
            return list(lines[:index])
    return []
