"""Indent single lines of an answer by an accepted mapping, and detect lines that contradict it.

Some lines follow no mapping: preprocessor lines, lines aligned by spaces, blank lines. A model may also
change only a part. So each old line must be at its old place, or have a visible reason to move.
"""

from __future__ import annotations

from twospeed.stream.aligner import is_trivial
from twospeed.text.lines import indent_of

from .indent_style import IDENTITY, IndentStyle, Mapping


class Outline:
    """Lines in order; the parent of a line is the nearest less indented one above."""

    def __init__(self) -> None:
        self.above = ""
        self._lines: list[str] = []
        self._n_sorted = 0
        self._open: list[str] = []

    def append(self, line: str) -> None:
        """Receive the next line of code."""
        self.above = line
        self._lines.append(line)

    def parent(self, indent: str) -> str:
        """Return the parent of a next line, or an empty string."""
        return next((line for line in reversed(self._opened()) if len(indent_of(line)) < len(indent)), "")

    def sibling(self, indent: str) -> str:
        """Return the last line with this indentation and the same parent, or an empty string."""
        return next((line for line in self._opened() if indent_of(line) == indent), "")

    def _opened(self) -> list[str]:
        # Computed only for moved lines, so other lines cost nothing.
        for line in self._lines[self._n_sorted :]:
            if line.startswith("#"):
                continue  # a preprocessor line at the margin has no parent
            depth = len(indent_of(line))
            while self._open and len(indent_of(self._open[-1])) >= depth:
                self._open.pop()
            self._open.append(line)
        self._n_sorted = len(self._lines)
        return self._open


class IndentedLines:
    """The lines of code returned so far, which decide the indentation of the next one."""

    def __init__(self, style: IndentStyle) -> None:
        self._style = style
        self._outline = Outline()
        self._misaligned: set[str] = set()

    @property
    def last(self) -> str:
        """The last line of code."""
        return self._outline.above

    def append(self, line: str) -> None:
        """Receive a line that is returned unchanged."""
        self._outline.append(line)

    def indented(self, line: str, mapping: Mapping) -> str | None:
        """Return the next line with the document's indentation; ``None`` if it is unclear."""
        text, indent = line.strip(), indent_of(line)
        if not text:
            return self._blank(line, mapping)
        if mapping == IDENTITY:
            place = indent if self._may_stay(indent, text) else None
        else:
            place = self._place(indent, text, mapping)
        if place is None:
            return None
        result = place + line[len(indent) :]
        self._outline.append(result)
        return result

    def _blank(self, line: str, mapping: Mapping) -> str | None:
        if mapping == IDENTITY:
            return line
        if not line:
            return self._style.blank_below(self._outline.above) if mapping.add else ""
        mapped = mapping(line)
        if mapped is None:
            return line
        if mapping.unit and self._style.is_foreign(line) and line not in self._style.blanks:
            return mapped  # only a line changed by the mapping has such white space
        proved = {blank for blank in (line, mapped) if blank in self._style.blanks}
        proved = proved or {blank for blank in (line, mapped) if blank == indent_of(self._outline.above)}
        return proved.pop() if len(proved) == 1 else None

    def _may_stay(self, indent: str, text: str) -> bool:
        style = self._style
        old_indents = style.indents_of.get(text, ())
        if indent in old_indents:
            return True
        if style.is_foreign(indent) and not style.is_used_outside(indent):
            return False
        if not old_indents:
            return True
        if not is_trivial(text) and all(
            _mix_tabs_and_spaces(indent, old_indent) for old_indent in old_indents
        ):
            return False
        return not style.is_left_of_base(indent) and not self._is_misplaced(indent, text)

    def _place(self, indent: str, text: str, mapping: Mapping) -> str | None:
        style, mapped = self._style, mapping(indent)
        old_indents = style.indents_of.get(text, set())
        if mapped is not None and mapped in old_indents:
            return mapped
        if indent in old_indents and (mapped is None or style.is_left_of_base(indent)):
            return (
                indent  # for example a preprocessor line or a line of a string, which mappings do not change
            )
        if mapped is None or style.is_foreign(mapped):
            return None
        if not old_indents or is_trivial(text):
            return mapped if self._may_be_new(indent, text, mapped, mapping) else None
        if mapping.replaces_spaces and len(old_indents) == 1:
            (old_indent,) = old_indents
            if mapping.leaves_partial_level(indent, text) or style.is_partial_level(old_indent, text):
                # A changed unit breaks alignment by spaces; the line is unmoved if the line above is an old
                # one.
                self._misaligned.add(indent)
                return old_indent if self._outline.above in style.lines else None
        return mapped if self._may_have_moved(indent, text, mapped, mapping) else None

    def _may_be_new(self, indent: str, text: str, mapped: str, mapping: Mapping) -> bool:
        is_far = len(mapped) > len(indent_of(self._outline.above)) + len(self._style.unit)
        is_aligned = mapping.replaces_spaces and (is_far or indent in self._misaligned)
        return not is_aligned and not mapping.leaves_partial_level(indent, text)

    def _may_have_moved(self, indent: str, text: str, mapped: str, mapping: Mapping) -> bool:
        style = self._style
        if (
            mapping.leaves_partial_level(indent, text)
            or not mapped.startswith(style.base)
            or self._is_misplaced(mapped, text)
        ):
            return False
        if indent not in style.indents_of[text]:
            return True
        # The model may have left this line unchanged, unlike the others.
        is_unlike = bool(mapping.unit) and _mix_tabs_and_spaces(indent, style.unit)
        return not is_unlike and not self._fits(indent, mapped)

    def _fits(self, indent: str, mapped: str) -> bool:
        opens, outline = self._style.opens, self._outline
        if len(mapped) < len(indent) and opens(outline.parent(indent).strip()):
            return len(indent) <= len(indent_of(outline.parent(indent))) + len(self._style.unit)
        above = outline.above
        return (
            above in self._style.lines
            and not is_trivial(above)
            and opens(above.strip()) is False
            and len(indent) <= len(indent_of(above))
        )

    def _is_misplaced(self, indent: str, text: str) -> bool:
        # An old line must not move if nothing new opens or closes there: below an unchanged line that opens
        # nothing, no line gets deeper; below one that opens a block, at most by one level.
        style, outline = self._style, self._outline
        if text[0] in ")]}":
            opener = outline.sibling(indent)
            return opener in style.lines and style.opens(opener.strip()) is False
        if is_trivial(text):
            return False
        if any(len(indent) <= len(old_indent) for old_indent in style.indents_of[text]):
            return False
        parent = outline.parent(indent)
        if parent not in style.lines:
            return False
        if style.opens(parent.strip()):
            return len(indent) > len(indent_of(parent)) + len(style.unit)
        return style.opens(parent.strip()) is False or parent.strip()[0] in ")]}"


def _mix_tabs_and_spaces(indent: str, other: str) -> bool:
    return bool(indent and other) and set(indent).isdisjoint(other)
