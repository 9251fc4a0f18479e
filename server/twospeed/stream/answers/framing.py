"""Find the code in an answer: the content of a fence, or the whole answer, without prose around it.

Without a fence, lines are held until one of them is certainly code: a line of the document, or one that
resembles the first old line. Other lines are code only if they are shaped like code and parse.
"""

from __future__ import annotations

from collections.abc import Sequence

from .evidence import OldText, Refusal
from .fences import Fence, blocks_in, fence_of
from .landmarks import Landmarks
from .patch.patches import opens_patch
from .prose import ProseClassifier
from .reasoning import ReasoningBlock, ReasoningTags, content_of_tags, is_code_tag

_MAX_PARSES = 8
"""Parses of a part of one answer; each costs milliseconds."""

_MAX_TAGS = 20
"""Blocks of reasoning in an answer; models write one or two."""

_NOT_CODE = Refusal("not-code", "the answer has no code block, and it is unclear whether it is code or prose")
_TWO_BLOCKS = Refusal("ambiguous", "the answer has more than one code block")


class Framing:
    """Returns the lines of code of an answer, until ``refusal`` is set."""

    def __init__(
        self,
        old: OldText,
        landmarks: Landmarks,
        tags: ReasoningTags,
        classifier: ProseClassifier,
        requested_fence: str = "",
    ) -> None:
        self.refusal: Refusal | None = None
        self.is_fenced = False
        self._old = old
        self._landmarks = landmarks
        self._tags = tags
        self._classifier = classifier
        self._requested = requested_fence
        self._read = self._read_opening  # the state: a method for the next line
        self._held: list[str] = []
        self._holds_other_lines = False  # than comments
        self._n_resembling = 0  # held lines that resemble the document; -1 if one does not
        self._holds_block = False  # of a document of prose
        self._before: list[str] = []
        self._reasoning: ReasoningBlock | None = None
        self._n_tags = 0
        self._wrapped: list[str] = []  # the lines of the last tag block
        self._code: list[str] = []
        self.opening = Fence("", "```", "")
        self._depth = 0  # open blocks inside the code
        self._has_new_fence = False
        self._n_parses = 0

    @property
    def is_unclosed(self) -> bool:
        """Whether the code's fence is still open."""
        return self.is_fenced and self._read == self._read_fenced

    @property
    def is_requested(self) -> bool:
        """Whether the code is in the requested fence."""
        return self.is_fenced and self.opening.mark == self._requested

    @property
    def is_empty_block(self) -> bool:
        """Whether the only block is the requested one, names its language, is closed, and is empty."""
        is_named = self.is_requested and bool(self.opening.info) and not self.is_unclosed
        others = blocks_in(self._held[1:])
        return is_named and not any(line.strip() for lines in (self._code, *others) for line in lines)

    @property
    def prose(self) -> Sequence[str]:
        """The lines before and after the block of code; complete after `finish`."""
        is_after = self._read in (self._read_after_fence, self._read_prose)
        return (*self._before, *(self._held[1:] if is_after else ()))

    @property
    def held_patch(self) -> Sequence[str]:
        """The held lines from the first that opens a patch; prose may contain the same line."""
        if self._read != self._read_opening:
            return ()
        at = next((at for at, line in enumerate(self._held) if opens_patch(line)), len(self._held))
        return self._held[at:]

    def receive_line(self, line: str) -> Sequence[str]:
        """Return the lines of code that are certain after one more line of the answer."""
        return self._read(line)

    def finish(self) -> Sequence[str]:
        """Return the last lines of code, or set ``refusal``."""
        if self._reasoning:
            return self._refuse(
                Refusal("not-code", f"the answer ends inside its <{self._reasoning.name}> block")
            )
        if self._read == self._read_opening:
            return self._read_wrapped() if self._wrapped and not self._held else self._decide_held()
        if self.is_unclosed and self._depth:
            return self._refuse(Refusal("truncated", "a code fence inside the answer is never closed"))
        if self._read == self._read_plain and self._holds_second_answer():
            return self._refuse(_TWO_BLOCKS)
        if self._read == self._read_prose and self._has_other_version():
            return self._refuse(_TWO_BLOCKS)
        return ()

    # Before the code

    def _read_opening(self, line: str) -> Sequence[str]:
        if not line.strip():
            if self._held:
                self._held.append(line)
        elif (fence := fence_of(line)) and self._opens_block(line, fence):
            self._open_block(fence)
        elif not self._held and (block := self._tags.opened_by(line)):
            self._reasoning, self._read, self._wrapped = block, self._read_reasoning, []
            return self._read_reasoning(line)
        elif (rest := self._tags.after_closing(line)) is not None:
            return self._skip_reasoning(rest)
        elif self._landmarks.opens_patch(line):
            self._before, self._held = self._held, []
            return self._open_plain(line)
        elif self._begins_code(line):
            return self._open_plain(line)
        else:
            self._held.append(line)
        return ()

    def _read_reasoning(self, line: str) -> Sequence[str]:
        assert self._reasoning
        rest = self._reasoning.receive_line(line)
        self._wrapped.append(line)
        return () if rest is None else self._skip_reasoning(rest)

    def _read_wrapped(self) -> Sequence[str]:
        # A tag around the whole answer counts as a fence if its name means code, or if its content parses.
        tag, inside, self._wrapped = self._wrapped[0], content_of_tags(self._wrapped), []
        self._n_tags = 0
        if inside and not any(fence_of(line) and line not in self._old.exact for line in inside):
            is_code = is_code_tag(tag, is_prose=self._classifier.is_prose)
            is_no_prose = self._classifier.detects_prose and not self._classifier.begins_like_prose(inside)
            if is_code or (is_no_prose and self._classifier.fits(inside)):
                self.is_fenced, self._read = True, self._read_plain
        lines = [line for text in inside for line in self._read(text)]
        return () if self.refusal else [*lines, *self.finish()]

    def _skip_reasoning(self, rest: str) -> Sequence[str]:
        self._n_tags += 1
        if self._n_tags > _MAX_TAGS:
            return self._refuse(Refusal("not-code", "the answer begins with too many tags"))
        self._reasoning, self._read = None, self._read_opening
        self._held.clear()
        self._holds_other_lines = False  # than comments
        self._n_resembling = 0
        return self._read_opening(rest)

    def _opens_block(self, line: str, fence: Fence) -> bool:
        if fence.mark == self._requested:
            return True
        self._holds_block = self._holds_block or (
            bool(self._held) and self._classifier.is_content_of_prose(fence.info)
        )
        if self._holds_block:
            return False
        above = self._held[-1].strip() if self._held else ""
        # A line of tildes under a title is no fence.
        if above and fence.mark.startswith("~") and not fence.info and len(above) <= len(fence.mark):
            return False
        if not self._held:
            return line.strip() != self._old.first.strip()
        return line not in self._old.exact or self._classifier.detects_prose

    def _open_block(self, fence: Fence) -> None:
        has_code = fence.mark != self._requested and any(map(self._old.has_distinctive, self._held))
        if has_code or self._old.has_distinctive(fence.info) or self._old.may_begin_with(fence.info):
            self._refuse(Refusal("ambiguous", "the answer has code before its code block"))
        self._before, self._held = self._held, []
        self.opening, self._read, self.is_fenced = fence, self._read_fenced, True

    def _begins_code(self, line: str) -> bool:
        if not self._held:
            return self._landmarks.opens_code(line)
        # Held lines above a known line are code if they are shaped like code and parse with the rest of the
        # old text; without a parser, if they are comments or resemble the document.
        if self._landmarks.are_above(self._held):
            return True
        if not self._classifier.detects_prose and self._landmarks.opens_code(line):
            return self._are_comments_held() or self._do_held_resemble_document()
        if (
            not self._landmarks.opens_code(line)
            or not self._may_parse()
            or not self._classifier.detects_prose
        ):
            return False
        if self._classifier.may_contain_prose(self._held, line):
            return False
        return self._classifier.fits([*self._held, line, *self._landmarks.lines_after(line)])

    def _are_comments_held(self) -> bool:
        if not self._holds_other_lines:
            self._holds_other_lines = self._classifier.count_comments(self._held) < len(self._held)
        return not self._holds_other_lines

    def _do_held_resemble_document(self) -> bool:
        if self._n_resembling >= 0:  # each held line is checked once
            resemble = self._classifier.resemble_document(self._held[self._n_resembling :])
            self._n_resembling = len(self._held) if resemble else -1
        return self._n_resembling >= 0

    def _open_plain(self, line: str) -> Sequence[str]:
        if self._n_tags and not self._classifier.detects_prose:  # tags may be code, so a fence is required
            return self._refuse(
                Refusal(
                    "ambiguous", "the answer begins with a tag and has no code block, so it may be reasoning"
                )
            )
        self._held.append(line)
        return self._release()

    def _decide_held(self) -> Sequence[str]:
        while self._held and not self._held[-1].strip():
            self._held.pop()
        if not self._held:
            return ()
        if self._classifier.detects_prose and (start := self._start_of_code()):
            self._before, self._held = self._held[:start], self._held[start:]
            return self._release()
        if not self._classifier.detects_prose or self._classifier.begins_like_prose(self._held):
            return self._refuse(_NOT_CODE)
        return self._release()

    def _start_of_code(self) -> int:
        """Return the index of the code after one paragraph of prose; 0 if it is not certain."""
        # The code must begin and end like the scope, and must parse there without the prose, but not with it.
        held, classifier = self._held, self._classifier
        end = next((at for at, line in enumerate(held) if not line.strip()), 0)
        start = next((at for at in range(end, len(held)) if held[at].strip()), 0)
        code = held[start:]
        if not (end and self._old.may_begin_with(code[0]) and self._old.may_end_with(code[-1])):
            return 0
        may_be_prose = all(map(classifier.may_be_prose, held[:end], [*held[1:end], ""]))
        return start if may_be_prose and classifier.fits(code) and not classifier.fits(held) else 0

    def _release(self) -> Sequence[str]:
        held, self._held, self._read = self._held, [], self._read_plain
        lines = [line for text in held for line in self._read_plain(text)]
        return () if self.refusal else lines

    # Code

    def _read_plain(self, line: str) -> Sequence[str]:
        if (fence := fence_of(line)) and not self._is_content(line, fence):
            return self._refuse(Refusal("not-code", "a code fence is in the middle of the answer"))
        self._code.append(line)
        return (line,)

    def _is_content(self, line: str, fence: Fence) -> bool:
        # An old line, or one of a pair of fences, is content.
        is_inside = self._depth > 0
        self._depth = fence.depth_after(self._depth)
        if is_inside or line in self._old.exact:
            return True
        self._has_new_fence = self._has_new_fence or not self._classifier.is_in_document(line)
        return not self._classifier.detects_prose or (
            self._may_parse() and not self._classifier.fits(self._code)
        )

    def _holds_second_answer(self) -> bool:
        # New fences may enclose a second answer: they are not paired, or its first line repeats.
        if self._depth and not self._landmarks.are_fences_paired(self._depth):
            return True
        return self._has_new_fence and self._code.count(self._old.first) > self._old.lines.count(
            self._old.first
        )

    def _read_fenced(self, line: str) -> Sequence[str]:
        if (fence := fence_of(line)) and fence.mark.startswith(self.opening.mark):
            if fence.info:
                self._depth += 1
            elif self._depth:
                self._depth -= 1
            elif line in self._old.exact and len(fence.indent) > len(self.opening.indent):
                self._depth = 1
            else:
                self._held, self._read = [line], self._read_after_fence
                return ()
        self._code.append(line)
        return (line,)

    def _read_after_fence(self, line: str) -> Sequence[str]:
        # A bare fence inside a block ends it, or opens a nested one, as in a docstring. The lines after it
        # are held until the end, an old line or another fence. If the code before it parses, it was the end.
        is_fence = fence_of(line) is not None
        if not is_fence and not self._old.has_distinctive(line):
            self._held.append(line)
            return ()
        if not self._is_nested_fence(is_fence=is_fence):
            if not self.is_requested:
                return self._refuse(_TWO_BLOCKS)
            self._read = self._read_prose  # a further block may be an example of use
            return self._read_prose(line)
        opening, *held = self._held
        self._code.append(opening)
        self._held, self._read, self._depth = [], self._read_fenced, 1
        lines = [opening]
        for text in (*held, line):
            lines += self._read_fenced(text)
        return lines

    def _read_prose(self, line: str) -> Sequence[str]:
        self._held.append(line)
        return ()

    def _has_other_version(self) -> bool:
        is_old = self._code == list(self._old.lines)  # then a later block is the new version
        for block in blocks_in(self._held[1:]):
            is_code = is_old or any(map(self._old.has_distinctive, block))
            if is_code and list(block) != self._code and any(line.strip() for line in block):
                return True
        return False

    def _is_nested_fence(self, *, is_fence: bool) -> bool:
        if self._classifier.detects_prose:
            return self._may_parse() and not self._classifier.fits(self._code)
        return not is_fence or self._landmarks.are_adjacent(self._code, self._held[0])

    def _may_parse(self) -> bool:
        self._n_parses += 1
        return self._n_parses <= _MAX_PARSES

    def _refuse(self, refusal: Refusal) -> Sequence[str]:
        self.refusal = refusal
        return ()
