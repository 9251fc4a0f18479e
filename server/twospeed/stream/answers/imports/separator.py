"""Separate the imports for the file from the lines of an answer, before all other stages.

The remaining lines are the answer as if the model had not written the imports. Imports are at the start of the code, or
alone in a block. Lines are held only at the start of a block, while it has only imports, comments and lines above the
scope. Patches pass unchanged: `patch_imports` separates theirs.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice

from twospeed.stream.answers.evidence import OldText, Surroundings
from twospeed.stream.answers.fences import Fence, fence_of
from twospeed.stream.answers.patch.patches import opens_patch
from twospeed.stream.answers.reasoning import ReasoningBlock, ReasoningTags
from twospeed.text.code.import_statements import (
    ImportLines,
    ImportMarks,
    ImportReader,
    ImportRole,
    split_imports,
)

from .code_head import CodeHead
from .file_imports import FileImports
from .other_files import names_other_file


class ImportSeparator:
    """Receives the lines of an answer, and returns them without imports for the file."""

    def __init__(self, old: OldText, around: Surroundings, marks: ImportMarks) -> None:
        self.passed: list[str] = []
        self.statements: list[ImportLines] = []
        self._old = old
        self._file = FileImports(around, marks)
        self._tags = ReasoningTags(old, around)
        self._reasoning: ReasoningBlock | None = None
        self._fence: Fence | None = None  # of the open block
        self._opening: list[str] = []  # the line of that fence
        self._head = CodeHead(old, self._file)
        self._has_code = False
        self._n_reasoning = 0  # passed lines up to the end of the reasoning
        self._read = self._read_outside  # the state: a method for the next line

    @classmethod
    def of(cls, old: Sequence[str], around: Surroundings) -> ImportSeparator | None:
        """Return a separator; ``None`` if imports may belong to the scope."""
        marks = around.imports
        if marks is None or any(fence_of(line) and not line[:1].isspace() for line in old):
            return None
        has_imports = any(line.startswith(marks.starts) for line in old) and split_imports(old, marks)[0]
        return None if has_imports else cls(OldText(old), around, marks)

    @property
    def scope(self) -> Sequence[str]:
        """The old lines of the scope."""
        return self._old.lines

    @property
    def is_alone(self) -> bool:
        """Whether the answer has imports and no code for the scope; complete after `finish`."""
        if not self.statements or self._has_code:
            return False
        # Further code may be without a fence.
        passed = [line for line in self.passed[self._n_reasoning :] if line.strip()]
        return not any(line[0].isspace() or line.strip() in self._old.known for line in passed)

    @property
    def is_unclosed(self) -> bool:
        """Whether the last block has only imports and is not closed."""
        return self._read == self._read_head and self._fence is not None and not self._opening

    def receive_line(self, line: str) -> Sequence[str]:
        """Return the lines that are certainly no imports for the file."""
        lines = self._read(line)
        self.passed += lines
        return lines

    def finish(self) -> Sequence[str]:
        """Return the held lines of a complete answer."""
        if self._read != self._read_head:
            return ()
        if self._head.has_only_imports and not self._is_of_other_file():
            self._take_imports_alone()
            return ()
        return self._pass_on(self._head.as_written())

    # States

    def _read_outside(self, line: str) -> Sequence[str]:
        if not line.strip():
            return (line,)
        if fence := fence_of(line):
            return self._read_opening(fence, line)
        if not self._has_text and (block := self._tags.opened_by(line)):
            self._reasoning, self._read = block, self._read_reasoning
            return self._read_reasoning(line)
        if self._tags.after_closing(line) is not None:
            self._forget_reasoning(1)
        elif self._opens_patch(line) or self._old.has_distinctive(line):
            return self._give_up((line,))
        elif not self._has_text and self._begins_file(line):
            self._begin_head(None)
            return self._read_head(line)
        return (line,)

    def _read_opening(self, fence: Fence, line: str) -> Sequence[str]:
        if fence.indent or fence.holds_patch:
            return self._give_up((line,))
        self._begin_head(fence, line)
        return ()

    def _read_reasoning(self, line: str) -> Sequence[str]:
        assert self._reasoning
        if self._reasoning.receive_line(line) is not None:
            self._forget_reasoning(1)
        return (line,)

    def _read_head(self, line: str) -> Sequence[str]:
        fence = fence_of(line)
        if fence and self._fence and fence.may_close(self._fence):
            return self._close_head(line)
        if fence or self._opens_patch(line):
            if not self._fence and self._head.has_only_comments:
                self._read = self._read_outside
                return [*self._head.as_written(), *self._read_outside(line)]
            return self._give_up(self._head.as_written(line))
        if not self._fence and self._tags.after_closing(line) is not None:
            lines = self._head.as_written(line)
            self._forget_reasoning(len(lines))
            return lines
        decided = self._head.receive_line(line)
        if decided is None:
            return ()
        return self._end_head(line, decided)

    def _end_head(self, line: str, decided: Sequence[str]) -> Sequence[str]:
        if self._has_code:  # a second block of code
            return self._pass_on(self._head.as_written(line))
        if not self._fence and self._head.has_only_comments and not self._old.has_distinctive(line):
            self._read = self._read_outside
            return decided
        self.statements += self._head.statements
        return self._pass_on(decided)

    def _close_head(self, line: str) -> Sequence[str]:
        lines: Sequence[str] = ()
        if self._head.has_only_imports and not self._is_of_other_file():
            self._take_imports_alone()
        else:
            lines = self._pass_on(self._head.as_written(line))
        self._read = self._read_outside
        return lines

    def _read_block(self, line: str) -> Sequence[str]:
        if fence := fence_of(line):
            assert self._fence
            if fence.may_close(self._fence):
                self._read = self._read_outside
            elif not fence.indent and fence.mark.startswith(self._fence.mark):
                self._read = self._pass_line
        return (line,)

    def _pass_line(self, line: str) -> Sequence[str]:
        return (line,)

    # Steps

    def _opens_patch(self, line: str) -> bool:
        return opens_patch(line) and line not in self._old.exact

    def _begin_head(self, fence: Fence | None, *opening: str) -> None:
        self._fence, self._opening = fence, [*opening]
        self._head = CodeHead(self._old, self._file)
        self._read = self._read_head

    def _begins_file(self, line: str) -> bool:
        role = ImportReader(self._file.marks).receive_line(line)
        is_above = role in (ImportRole.COMMENT, ImportRole.OPEN, ImportRole.COMPLETE)
        return is_above or line.rstrip() == self._file.first

    def _pass_on(self, lines: Sequence[str]) -> Sequence[str]:
        """Return the first lines of a block of code below its fence; the others follow unchanged."""
        opening, self._opening = self._opening, []
        self._has_code, self._read = True, self._read_block if self._fence else self._pass_line
        return [*opening, *lines]

    def _give_up(self, lines: Sequence[str]) -> Sequence[str]:
        """Return the lines of an answer whose further lines are all passed."""
        lines = self._pass_on(lines)
        self._read = self._pass_line
        return lines

    def _take_imports_alone(self) -> None:
        self.statements += self._head.new_statements
        self._opening = []

    def _forget_reasoning(self, n_lines: int) -> None:
        self._n_reasoning = len(self.passed) + n_lines
        self.statements.clear()
        self._has_code, self._reasoning, self._read = False, None, self._read_outside

    def _is_of_other_file(self) -> bool:
        above = next((line for line in reversed(self.passed) if line.strip()), "")
        info = self._fence.info if self._fence else ""
        return names_other_file(f"{above} {info}", self._file.name)

    @property
    def _has_text(self) -> bool:
        return any(line.strip() for line in islice(self.passed, self._n_reasoning, None))
