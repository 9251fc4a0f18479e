"""Pass an answer through all stages, and check it as a whole.

No line is returned before the answer is known to be code. Blank lines at both ends follow the old text. The
rules use structure, old lines and parses, never phrases.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cached_property

from twospeed.stream.aligner import is_trivial
from twospeed.text.code.import_statements import ImportLines
from twospeed.text.lines import indent_of

from .decorated import decoration_refusal
from .elided.elision import is_marker
from .evidence import OldText, Outside, Refusal, Surroundings, balance
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
from .whole_file import BYTE_ORDER_MARK, cut_to_scope, without_above, without_mark

_PART_RATIO = 3
"""An answer this many times smaller than the scope may be only a part of it."""

_CONTROL = re.compile(r"<\|\w+\|>")
_ENDS_IN_CONTROL = re.compile(r"<\|\w+\|>$")

_UNCLOSED = Refusal("truncated", "the answer's code fence is never closed")


class AnswerReader:
    """Turns an answer's lines into the scope's new ones, until ``refusal`` is set."""

    def __init__(self, old: Sequence[str], surroundings: Surroundings) -> None:
        self.refusal: Refusal | None = None
        self._document = (old, surroundings)
        # Models drop the byte order mark, which belongs to the document: it is restored.
        self._byte_order_mark = BYTE_ORDER_MARK if old and old[0].startswith(BYTE_ORDER_MARK) else ""
        self._old = OldText(without_mark(old) if self._byte_order_mark else old)
        self.imports: Sequence[
            ImportLines
        ] = ()  # of a patch; see `ImportSeparator` for those of other answers
        self._classifier = ProseClassifier(self._old, surroundings)
        self._landmarks = Landmarks(self._old, surroundings)
        self._outside = Outside(surroundings, self._old)
        tags = ReasoningTags(self._old, surroundings)
        self._framing = Framing(self._old, self._landmarks, tags, self._classifier, surroundings.fence)
        self._above = RepeatedAbove(self._landmarks.above, self._old, self._outside, self._classifier)
        self._below = RepeatedBelow(surroundings.below, self._old, self._outside, self._classifier)
        self._restyling = Restyling(self._old.lines, surroundings.instruction)
        self._indentation = Reindenter(self._old.lines, surroundings)
        self._head: list[str] | None = []  # lines before the first distinctive one; None after it
        self._code_lines: list[str] = []
        self._patch: list[str] | None = None  # a patch or a whole file is collected until the end
        self._file: list[str] | None = None
        self._has_code = False
        self._blank: list[str] = []
        self._lines: list[str] = []

    def receive_line(self, line: str) -> Sequence[str]:
        """Return the lines of the new scope that are certain after one more line of the answer."""
        if self.refusal:
            return ()
        line = line.removeprefix(self._byte_order_mark)
        if self._patch is not None:
            self._patch.append(line)
            return ()
        lines = self._receive_code(self._framing.receive_line(line))
        return () if self._is_refused() else lines

    def finish(self) -> Sequence[str]:
        """Return the last lines of a complete answer, or set ``refusal``."""
        if self.refusal:
            return ()
        if self._patch is not None:
            return self._accept_patch(self._patch)
        if patch := self._framing.held_patch:
            return self._accept_patch(patch)
        lines = self._receive_code(self._framing.finish())
        if self._head:
            lines += self._scope_lines(self._take_head())
        if self._file is not None and not self._is_refused():
            whole = cut_to_scope(self._file, *self._document)
            if self._around.imports and isinstance(whole, Refusal):
                whole = without_above(self._file, *self._document) or whole
            if whole is not None:
                has_end = any(line.strip() for line in self._around.below) or not self._may_lack_end(
                    self._file
                )
                return self._accept_or_refuse(whole if has_end else _UNCLOSED)
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
        """The lines around the code; complete after `finish`."""
        return self._framing.prose

    @property
    def is_unclosed(self) -> bool:
        """Whether the code is in the requested fence, which is not closed."""
        return self._framing.is_requested and self._framing.is_unclosed

    def trailing_blank(self) -> Sequence[str]:
        """Return the blank lines at the end of the old text, which replace those of the answer."""
        if not self._old.first or self._patch is not None or self._file is not None or self._is_deletion:
            return ()
        return _blank_head(self._old.lines[::-1])[::-1]

    @property
    def _is_deletion(self) -> bool:
        return not self._lines and bool(self._old.first) and self._framing.is_empty_block

    @property
    def _around(self) -> Surroundings:
        return self._document[1]

    def _is_comment(self, line: str) -> bool:
        text = line.strip()
        if text.startswith(("/*", "<!--", "{/*")):
            return text.removesuffix("}").rstrip().endswith(("*/", "-->"))
        return text.startswith(self._around.comment_markers)

    # From the answer's code to the scope's lines

    def _receive_code(self, lines: Sequence[str]) -> list[str]:
        if self._head is None:
            self._code_lines += lines
            return self._scope_lines(lines)
        for index, line in enumerate(lines):
            if self._landmarks.only_names_file(line):
                continue
            self._code_lines.append(line)
            self._head.append(line)
            if self._landmarks.opens_patch(line) or self._is_in_patch_fence(line):
                self._patch = [line, *lines[index + 1 :]]
                return []
            if not is_trivial(line):
                is_file = self._landmarks.begin_like_document(self._head)
                rest = lines[index + 1 :]
                self._code_lines += rest
                begun = [*self._take_head(), *rest]
                if is_file:
                    self._file = begun
                    return []
                return self._scope_lines(begun)
        return []

    def _take_head(self) -> Sequence[str]:
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
        held, is_unit_changed = self._restyling.finish()
        for line in held:
            for indented in (line,) if is_unit_changed else self._indentation.receive_line(line):
                self._emit(indented, out)
        for line in self._indentation.finish():
            self._emit(line, out)
        return out

    def _indented(self, line: str, out: list[str]) -> None:
        if not self._has_code:
            self._has_code = bool(line.strip())
        if self._has_code:  # blank lines at the start follow the old text
            for restyled in self._restyling.receive_line(line):
                for indented in self._indentation.receive_line(restyled):
                    self._emit(indented, out)

    def _emit(self, line: str, out: list[str]) -> None:
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
        out.append(self._byte_order_mark + line)
        self._byte_order_mark = ""

    def _check_new(self, line: str) -> None:
        text = line.strip()
        if text not in self._old.known and self._is_comment(text) and is_marker(text):
            self._refuse("elided", "the answer replaces lines by an omission marker")
        elif opens_block(text) and text not in self._old.known:
            self._refuse("not-code", "the answer has a patch or a merge conflict in its code")
        elif self._around.delimiter and self._around.delimiter in text:
            self._refuse("not-code", "the answer contains a delimiter of the prompt")
        elif self._is_control_token(text):
            self._refuse("not-code", "the answer contains a control token of the model")

    # Checks of the whole answer

    def _accept_patch(self, patch: Sequence[str]) -> Sequence[str]:
        title = next((line for line in reversed(self._framing.prose) if line.strip()), "")
        result = patched(patch, *self._document, title)
        if isinstance(result, Refusal):
            return self._accept_or_refuse(result)
        self.imports = result.imports
        return self._accept_or_refuse(result.lines)

    def _accept_or_refuse(self, lines: list[str] | Refusal) -> Sequence[str]:
        if isinstance(lines, Refusal):
            self.refusal = lines
            return ()
        for line in lines:
            if line not in self._old.exact and not self.refusal:
                self._check_new(line)
        return () if self.refusal else lines

    def _check_whole(self) -> None:
        old, lines = self._old, self._lines
        if self._is_deletion:
            return
        if not lines or self._has_only_brackets(lines):
            self._refuse("empty", "the model answered without any code")
        elif self._outside.is_reached_by(lines):
            self._refuse("extent", "the answer repeats lines outside the scope")
        elif self._is_part(lines):
            self._refuse("extent", "the answer contains only a part of the scope")
        elif self._is_comment_alone(lines):
            self._refuse("extent", "the answer is a comment without the code it is about")
        elif self._may_lack_end(lines):
            self.refusal = _UNCLOSED
        elif self._framing.is_fenced and self._has_doubtful_fence(lines[0]):
            self._refuse("ambiguous", "the answer's code fence may be part of the document")
        elif not self._framing.is_fenced and not self._are_ends_code():
            self._refuse("not-code", "the answer has no code block, and its first or last lines may be prose")
        else:
            self.refusal = decoration_refusal(self._code_lines, old)

    def _is_in_patch_fence(self, line: str) -> bool:
        # Models omit the headers of a diff if the fence's info names it.
        is_patch = self._framing.is_fenced and self._framing.opening.holds_patch
        return is_patch and bool(line.strip()) and not self._landmarks.is_document_patch

    def _has_doubtful_fence(self, first: str) -> bool:
        """Whether the fence may be the old text's first line, or one fence too many."""
        if self._framing.is_requested:
            return False
        inner, outer = fence_of(first), self._framing.opening
        if fence_of(self._old.first):
            return inner is None
        return inner is not None and inner.mark.startswith(outer.mark) and outer.info in ("", inner.info)

    def _has_only_brackets(self, lines: Sequence[str]) -> bool:
        if not all(map(is_trivial, lines)) or all(map(is_trivial, self._old.lines)):
            return False
        # Brackets that the old text begins with may be its changed start.
        return lines[0].strip()[0] != self._old.first.strip()[0]

    def _is_part(self, lines: Sequence[str]) -> bool:
        old, texts = self._old, {line.strip() for line in lines}
        if old.first.strip() in texts:
            return False
        if self._indentation.begins_inside(lines[0]):
            return True  # only the body of the scope's block
        distinctive = [line for line in lines if not is_trivial(line)]
        n_old = sum(not is_trivial(line) for line in old.lines)
        if len(distinctive) * _PART_RATIO > n_old:
            return False
        ends = {"", old.first.strip(), old.last.strip()}
        return all(old.source_of(line) not in ends for line in distinctive)

    def _is_comment_alone(self, lines: Sequence[str]) -> bool:
        markers = self._around.comment_markers
        kinds = set[LineKind]()
        for kind in line_kinds(map(str.strip, lines), markers):
            if kind is LineKind.CODE:
                return False  # true for the first line of most answers
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
        if "<|" not in text or not (_CONTROL.match(text) or _ENDS_IN_CONTROL.search(text)):
            return False
        return not self._has_control_marks

    @cached_property
    def _has_control_marks(self) -> bool:
        lines = (*self._around.above, *self._old.lines, *self._around.below)
        return any("<|" in line for line in lines)

    def _may_lack_end(self, lines: Sequence[str]) -> bool:
        last = next((line for line in reversed(lines) if line.strip()), "")
        is_fence = last not in self._old.exact and last.rstrip().endswith(self._framing.opening.mark)
        is_cut = is_fence or self._old.is_cut_off_at(last)
        has_end = not is_cut and (not self._old.last or self._old.may_end_with(last))
        return self._framing.is_unclosed and not has_end

    def _are_ends_code(self) -> bool:
        old, lines = self._old, self._lines
        texts = {line.strip() for line in lines}
        # A line that resembles an old one is no change of it if the answer has the old one too.
        first_is_old = lines[0].strip() in old.known or (
            old.may_begin_with(lines[0]) and old.first.strip() not in texts
        )
        if not first_is_old and not self._classifier.detects_prose:
            n_comments = self._classifier.count_comments(lines)
            first_is_old = lines[n_comments : n_comments + 1] == [old.first] or self._resembles_document(
                lines
            )
        last_is_old = lines[-1].strip() in old.known or (
            old.may_end_with(lines[-1]) and old.last.strip() not in texts
        )
        if not self._classifier.detects_prose:
            last_is_old = last_is_old or self._resembles_document(lines[::-1])
        if first_is_old and (last_is_old or is_element(lines[-1])):
            n_open = balance(old.lines)
            return self._around.parses is not None or any(n_open.values()) or balance(lines) == n_open
        if not self._classifier.detects_prose or self._classifier.begins_like_prose(lines):
            return False
        return not self._has_prose_after() and self._classifier.fits(lines)

    def _resembles_document(self, lines: Sequence[str]) -> bool:
        at = next((at for at, line in enumerate(lines) if line.strip() in self._old.known), 0)
        return at > 0 and self._classifier.resemble_document(lines[:at])

    def _has_prose_after(self) -> bool:
        """Whether the last line, or a paragraph after the last old line, may be prose although it parses."""
        lines = ["", *self._lines, ""]
        base = len(indent_of(self._lines[0]))
        for index in range(len(self._lines), 0, -1):
            line, above, below = lines[index], lines[index - 1], lines[index + 1]
            if line.strip() in self._old.known:
                return False
            is_apart = not above.strip() or index == len(self._lines)
            if is_apart and len(indent_of(line)) <= base and self._classifier.may_be_prose(line, below):
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
